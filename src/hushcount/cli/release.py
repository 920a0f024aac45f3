"""`hushcount release`: a private count from a table, with its receipt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hushcount.cli.answer import Answer
from hushcount.cli.options import (
    ADJACENCY,
    MECHANISM,
    AdjacencyOption,
    Delta,
    Epsilon,
    Json,
    Mechanism,
    column_types,
    mechanism_of,
    whole,
)
from hushcount.errors import BadUse

if TYPE_CHECKING:
    from hushcount.release import Receipt

__all__ = ["release"]

NAMED_DELIMITERS = {"\\t": "\t", "tab": "\t"}


def release(
    source: Annotated[
        str,
        typer.Argument(metavar="SOURCE", help="The file with the table: CSV (also .gz), Parquet, DuckDB or SQLite."),
    ],
    where: Annotated[
        str,
        typer.Option(
            metavar="EXPR", help='Which rows to count: one SQL condition on the columns of a row, such as "age >= 65".'
        ),
    ],
    epsilon: Epsilon,
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
    ledger: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|URL",
            help="The ledger to charge the release to: a file that `hushcount budget create` made, or "
            "postgresql://host/database. A password is better kept in PGPASSWORD or ~/.pgpass than in the URL.",
        ),
    ] = None,
    budget: Annotated[
        str | None, typer.Option(metavar="NAME", help="The budget of the ledger that pays; needed with --ledger.")
    ] = None,
    request_id: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="An id for the charge. Asked again with it, whatever went wrong, the release has the same answer and "
            "is not charged again.",
        ),
    ] = None,
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh",
            help="Draw and charge, although the question was answered before. Without it, the stored answer is given, "
            "free of charge.",
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
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="The table to count, where the source holds several.")
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            metavar="auto|csv|parquet|duckdb|sqlite",
            help="The format of the source; auto goes by the first bytes of the file.",
        ),
    ] = "auto",
    header: Annotated[
        bool,
        typer.Option(
            "--header/--no-header",
            help="Whether the first record of a CSV file holds the column names; if not, they are c0, c1, and so on.",
        ),
    ] = True,
    delimiter: Annotated[
        str,
        typer.Option(
            metavar="CHARACTER", help="The character between the fields of a CSV file; tab or \\t is the tabulator."
        ),
    ] = ",",
    encoding: Annotated[str, typer.Option(metavar="NAME", help="The character encoding of a CSV file.")] = "utf-8",
    null: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help="What, without quotes, stands for a missing value in a CSV file.",
            show_default="the empty field",
        ),
    ] = "",
    decimal: Annotated[str, typer.Option(metavar=".|,", help="The decimal mark in a CSV file.")] = ".",
    date_format: Annotated[
        str, typer.Option(metavar="FORMAT", help="The format of dates in a CSV file, in strftime notation.")
    ] = "%Y-%m-%d",
    types: Annotated[
        list[str] | None,
        typer.Option(
            "--type",
            metavar="COLUMN=TYPE",
            help="The type of a column of a CSV file, where it shall not be inferred from the whole file: "
            "text, integer, number, boolean, date or timestamp. May be repeated.",
        ),
    ] = None,
) -> Answer:
    """Release a private count of rows.

    Counts the rows of a table that satisfy a condition, draws the count to publish under differential privacy, and
    prints it with what it is worth. Each release spends its epsilon and delta; releases about the same rows add up. A
    ledger adds them up, and refuses what a budget does not cover.

    Example: hushcount release people.csv --where "age >= 65" --epsilon 0.5 --ledger people.ledger --budget people
    """
    from hushcount.counting import ReadOptions
    from hushcount.release.count import answered, paid
    from hushcount.release.explanation import describe
    from hushcount.release.request import Request
    from hushcount.whole_files import checked_target

    options = ReadOptions(
        format=format,
        table=table,
        header=header,
        delimiter=NAMED_DELIMITERS.get(delimiter, delimiter),
        encoding=encoding,
        null=null,
        decimal=decimal,
        date_format=date_format,
        types=column_types(types or ()),
    )
    cap = None if max_count is None else whole(max_count, "max_count")
    inputs = [source, *([] if ledger is None else [ledger.removeprefix("sqlite:///")])]
    target = None if output is None else checked_target(output, "output", *inputs)
    request = Request.of(
        source,
        where,
        epsilon,
        delta,
        adjacency=adjacency,
        max_count=cap,
        mechanism=mechanism_of(mechanism),
        options=options,
    )
    note = ""
    if (ledger, budget, request_id, fresh) == (None, None, None, False):
        receipt = answered(request)
    else:
        from hushcount.release.payment import Payment

        answer = paid(request, Payment.of(ledger, budget, request_id, fresh))
        receipt, note = answer.receipt, answer.note
    if target is not None:
        _keep(target, receipt)
    return Answer(receipt.to_json() if as_json else f"{describe(receipt)}\n", note=note)


def _keep(target: Path, receipt: Receipt) -> None:
    from hushcount.whole_files import write_whole

    try:
        write_whole(target, receipt.to_json())
    except OSError as error:
        end = (
            "nothing was released"
            if receipt.ledger is None
            else f"is kept in the ledger: ask again with --request-id {receipt.ledger.request_id}"
        )
        raise BadUse(f"the receipt could not be written, and {end}: {error.strerror}") from None
