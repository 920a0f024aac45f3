"""`hushcount release`: a private count from a table, with its receipt."""

from __future__ import annotations

from typing import Annotated

import typer

from hushcount.cli.answer import Answer
from hushcount.cli.data_options import (
    BudgetOption,
    DateFormatOption,
    DecimalOption,
    DelimiterOption,
    EncodingOption,
    FormatOption,
    FreshOption,
    HeaderOption,
    LedgerOption,
    NullOption,
    RequestIdOption,
    TableOption,
    TypesOption,
    UnitOption,
    WithoutUnitOption,
    check_explain,
    inputs_of,
    keep,
    law_of,
    read_options,
)
from hushcount.cli.options import (
    ADJACENCY,
    MECHANISM,
    AdjacencyOption,
    Delta,
    Epsilon,
    Json,
    Mechanism,
    SourceArgument,
    SourceOption,
    one_source,
    whole,
)

__all__ = ["release"]


def release(
    where: Annotated[
        str,
        typer.Option(
            metavar="EXPR", help='Which rows to count: one SQL condition on the columns of a row, such as "age >= 65".'
        ),
    ],
    epsilon: Epsilon,
    source: SourceArgument = None,
    address: SourceOption = None,
    delta: Delta = "0",
    adjacency: AdjacencyOption = ADJACENCY,
    max_count: Annotated[
        str | None,
        typer.Option(
            "--max",
            metavar="COUNT",
            help="The largest count that may be released, chosen without looking at the data; a higher true count is "
            "treated as it. Needed under add-remove, refused under replace-one.",
        ),
    ] = None,
    mechanism: Mechanism = MECHANISM,
    unit: UnitOption = None,
    without_unit: WithoutUnitOption = None,
    ledger: LedgerOption = None,
    budget: BudgetOption = None,
    request_id: RequestIdOption = None,
    fresh: FreshOption = False,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Release nothing and charge nothing: check all but the values of the source, and tell the range, the "
            "price and how often the count is off.",
        ),
    ] = False,
    as_json: Json = False,
    output: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the receipt, as JSON, to this file too. An earlier file of that name is replaced.",
        ),
    ] = None,
    table: TableOption = None,
    format: FormatOption = None,
    header: HeaderOption = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    null: NullOption = None,
    decimal: DecimalOption = None,
    date_format: DateFormatOption = None,
    types: TypesOption = None,
) -> Answer:
    """Release a private count of rows.

    Counts the rows of a table that satisfy a condition, draws the count to publish under differential privacy, and
    prints it with what it is worth. Each release spends its epsilon and delta; releases about the same rows add up. A
    ledger adds them up, and refuses what a budget does not cover.

    Where the budget lists a source, the source and how it is read can be left out.

    Example: hushcount release --where "age >= 65" --epsilon 0.5 --ledger people.ledger --budget people
    """
    from hushcount.release.count import payment_of, released
    from hushcount.release.explanation import describe
    from hushcount.release.request import Request
    from hushcount.release.subject import Subject
    from hushcount.whole_files import checked_target

    options = read_options(
        delimiter,
        types,
        format=format,
        table=table,
        header=header,
        encoding=encoding,
        null=null,
        decimal=decimal,
        date_format=date_format,
    )
    cap = None if max_count is None else whole(max_count, "max_count")
    if explain:
        check_explain(json=as_json, output=output)
    place = one_source(source, address, is_needed=ledger is None)
    payment = payment_of(ledger, budget, request_id, fresh)
    subject = Subject.of(place, options, unit, without_unit, payment)
    target = None if output is None else checked_target(output, "output", *inputs_of(subject, ledger, mechanism))
    request = Request.of(
        subject,
        where,
        epsilon,
        delta,
        adjacency=adjacency,
        max_count=cap,
        mechanism=law_of(subject, mechanism),
    )
    if explain:
        from hushcount.release.count_preview import preview

        return Answer(f"{preview(request, payment)}\n")
    receipt, note = released(request, payment)
    if target is not None:
        keep(target, receipt.to_json(), receipt)
    return Answer(receipt.to_json() if as_json else f"{describe(receipt)}\n", note=note)
