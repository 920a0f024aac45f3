"""`hushcount release`: a private count from a table, with its receipt."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.answer import Answer
from hushcount.cli.options.budget import Charging
from hushcount.cli.options.groups import OUTPUT, QUESTION
from hushcount.cli.options.output import Json, check_explain
from hushcount.cli.options.privacy import AtDelta, Drawing, Units, asked_delta
from hushcount.cli.options.source import Reading, Source, keep
from hushcount.cli.options.values import whole

__all__ = ["release"]


def release(
    where: Annotated[
        str,
        QUESTION.option(
            metavar="EXPR", help='Which rows to count: one SQL condition on the columns of a row, such as "age >= 65".'
        ),
    ],
    source: Source,
    reading: Reading,
    drawing: Drawing,
    units: Units,
    charging: Charging,
    max_count: Annotated[
        str | None,
        QUESTION.option(
            "--max",
            metavar="COUNT",
            help="The largest count that may be released, chosen without looking at the data; a larger true count is "
            "treated as this. Required under add-remove, refused under replace-one.",
        ),
    ] = None,
    explain: Annotated[
        bool,
        OUTPUT.option(
            "--explain",
            help="Release nothing and charge nothing: check everything but the values of the source, and show the "
            "range, the cost and how often the count is off.",
        ),
    ] = False,
    at_delta: AtDelta = None,
    as_json: Json = False,
    output: Annotated[
        str | None,
        OUTPUT.option(
            metavar="FILE",
            help="Also write the receipt, as JSON, to this file. An existing file is replaced.",
        ),
    ] = None,
) -> Answer:
    """Release a private count of rows.

    Counts the rows of a table that satisfy a condition, draws the count to publish under differential privacy, and
    prints it with its accuracy. Each release spends its epsilon and delta; for releases about the same rows these add
    up. A ledger adds them up, and refuses what a budget does not cover.

    If the budget lists a source, leave out the source and the options of how it is read.

    Example: hushcount release --where "age >= 65" --epsilon 0.5 --ledger people.ledger --budget people
    """
    from hushcount.files.whole_files import checked_target
    from hushcount.release.answer import answer
    from hushcount.release.count.question import CountQuestion
    from hushcount.release.inputs import inputs_of
    from hushcount.release.subject import Subject

    options = reading.given()
    cap = None if max_count is None else whole(max_count, "max_count")
    if explain:
        check_explain(json=as_json, output=output)
    asked = asked_delta(at_delta, is_receipt=as_json)
    payment = charging.payment()
    relation = drawing.adjacency_for(payment)
    place = source.place(is_needed=payment is None)
    subject = Subject.of(place, options, units.unit, units.without_unit, payment, rows_per_unit=units.rows)
    inputs = inputs_of(subject, charging.ledger, drawing.mechanism)
    target = None if output is None else checked_target(output, "output", *inputs)
    question = CountQuestion.of(
        subject,
        where,
        drawing.asked(payment),
        adjacency=relation,
        max_count=cap,
        mechanism=drawing.law_for(subject),
    )
    if explain:
        from hushcount.release.count.preview import preview

        return Answer(f"{preview(question, payment, asked)}\n")
    found = answer(question, payment)
    receipt = found.receipt
    if target is not None:
        keep(target, receipt.to_json(), receipt)
    return Answer(receipt.to_json() if as_json else f"{receipt.to_text(asked, question.law.aim)}\n", note=found.note)
