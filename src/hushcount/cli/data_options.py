"""The options of what reads data and charges a budget: how the source is read, who is counted, and who pays."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushcount.cli.options import column_types, is_mechanism_file, mechanism_of
from hushcount.errors import BadUse

if TYPE_CHECKING:
    from pathlib import Path

    from hushcount.mechanisms import SavedMechanism
    from hushcount.release.receipt import ReceiptBase
    from hushcount.release.subject import Subject

__all__ = [
    "BudgetOption",
    "DateFormatOption",
    "DecimalOption",
    "DelimiterOption",
    "EncodingOption",
    "FormatOption",
    "FreshOption",
    "HeaderOption",
    "LedgerOption",
    "NullOption",
    "RequestIdOption",
    "TableOption",
    "TypesOption",
    "UnitOption",
    "WithoutUnitOption",
    "check_explain",
    "inputs_of",
    "keep",
    "law_of",
    "read_options",
]

NAMED_DELIMITERS = {"\\t": "\t", "tab": "\t"}

UnitOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Count units (people, households) instead of rows: the column tells whom a row belongs to, and a unit "
        "counts once if any of its rows matches. One change is then one unit with all its rows.",
        show_default="rows are counted",
    ),
]
WithoutUnitOption = Annotated[
    str | None,
    typer.Option(
        metavar="error|one-unit",
        help="What rows are whose unit is missing: an error, or all together one unit.",
        show_default="error",
    ),
]
LedgerOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|URL",
        help="The ledger to charge the release to: a file that `hushcount budget create` made, or "
        "postgresql://host/database. A password is better kept in PGPASSWORD or ~/.pgpass than in the URL.",
    ),
]
BudgetOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="The budget of the ledger that pays; needed with --ledger.")
]
RequestIdOption = Annotated[
    str | None,
    typer.Option(
        metavar="ID",
        help="An id for the charge. Asked again with it, whatever went wrong, the release has the same answer and "
        "is not charged again.",
    ),
]
FreshOption = Annotated[
    bool,
    typer.Option(
        "--fresh",
        help="Draw and charge, although the question was answered before. Without it, the stored answer is given, "
        "free of charge.",
    ),
]
TableOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="The table to count, where the source holds several.")
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        metavar="auto|csv|parquet|duckdb|sqlite",
        help="The format of the source; auto goes by the first bytes of the file.",
        show_default="auto",
    ),
]
HeaderOption = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first record of a CSV file holds the column names; if not, they are c0, c1, and so on.",
        show_default="--header",
    ),
]
DelimiterOption = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER",
        help="The character between the fields of a CSV file; tab or \\t is the tabulator.",
        show_default=",",
    ),
]
EncodingOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="The character encoding of a CSV file.", show_default="utf-8")
]
NullOption = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="What, without quotes, stands for a missing value in a CSV file, and in keys.",
        show_default="the empty field",
    ),
]
DecimalOption = Annotated[
    str | None, typer.Option(metavar=".|,", help="The decimal mark in a CSV file.", show_default=".")
]
DateFormatOption = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help="The format of dates in a CSV file, in strftime notation.",
        show_default="%Y-%m-%d",
    ),
]
TypesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="COLUMN=TYPE",
        help="The type of a column of a CSV file, where it shall not be inferred from the whole file: "
        "text, integer, number, boolean, date or timestamp. May be repeated.",
    ),
]


def read_options(delimiter: str | None, types: Sequence[str] | None, **declared: str | bool | None) -> dict[str, Any]:
    """What was given of how the source is read, by the names that `ReadOptions` has; what was not given is not in it.

    Raises:
        InvalidParameter: types that are no types of columns.
    """
    said = {
        "delimiter": None if delimiter is None else NAMED_DELIMITERS.get(delimiter, delimiter),
        "types": column_types(types) if types else None,
        **declared,
    }
    return {name: value for name, value in said.items() if value is not None}


_BESIDE = ("-journal", "-wal", "-shm", ".wal")
"""What a database keeps beside its file ends so; a file of that name would be taken for a part of it."""


def check_explain(**given: object) -> None:
    """See that a dry run is asked for nothing that it does not make.

    Args:
        given: the values of options, by their names, that only a release has a use for.

    Raises:
        BadUse: one of them was given.
    """
    for name, value in given.items():
        if value:
            raise BadUse(f"--explain prints text: --{name} must be left out")


def inputs_of(subject: Subject, ledger: str | None, *files: str | None) -> list[str]:
    """The files, and for Spark the folders, that must not be written over or added to, be they there or not."""
    kept = [] if ledger is None else [ledger.removeprefix("sqlite:///")]
    # What is no file may be a list of keys, and happen to name a folder
    kept = [*subject.paths, *(file for file in kept if os.path.isfile(file))]
    beside = [f"{os.path.realpath(file)}{end}" for file in kept if os.path.isfile(file) for end in _BESIDE]
    return [*kept, *beside, *(file for file in files if file and os.path.isfile(file))]


def law_of(subject: Subject, mechanism: str) -> str | SavedMechanism:
    """The mechanism that was asked for by its name or as a file, as of `mechanism_of`.

    Raises:
        InvalidParameter: the file is one of the data, of which an error could tell a cell.
        BadData: as `mechanism_of` does.
    """
    if is_mechanism_file(mechanism):
        subject.check_declared("mechanism", mechanism)
    return mechanism_of(mechanism)


def keep(
    target: Path, content: str | bytes, receipt: ReceiptBase, what: str = "receipt", written: str | None = None
) -> None:
    """Write a file about a release that was made.

    Args:
        written: the file that has the receipt already, if there is one.

    Raises:
        BadUse: it cannot be written; the message says what became of the release.
    """
    from hushcount.whole_files import write_whole

    try:
        write_whole(target, content)
    except OSError as error:
        if receipt.ledger is not None:
            end = f"is kept in the ledger: ask again with --request-id {receipt.ledger.request_id}"
        else:
            end = "nothing was released" if written is None else f"the release is in {written}"
        raise BadUse(f"the {what} could not be written, and {end}: {error.strerror}") from None
