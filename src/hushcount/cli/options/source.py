"""The options that say where the data is and how it is read."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

from hushcount.cli.options.groups import SOURCE
from hushcount.cli.options.values import column_types, delimiter_of
from hushcount.cli.standard_input import STANDARD_INPUT, spooled
from hushcount.errors import BadUse, InvalidParameter

if TYPE_CHECKING:
    from pathlib import Path

    from hushcount.counting.declared.place import Place
    from hushcount.release.receipt import ReceiptBase

__all__ = ["NumberDelimiter", "Reading", "Source", "keep"]

NumberDelimiter = Annotated[
    str | None,
    SOURCE.option(
        "--delimiter",
        metavar="CHARACTER",
        help="The character between the numbers of a CSV file; tab or \\t stands for the tab character.",
        show_default=",",
    ),
]


@dataclass(frozen=True)
class Source:
    """Where the data is."""

    source: Annotated[
        str | None,
        SOURCE.argument(
            metavar="SOURCE",
            help="The file with the table: CSV or JSON lines (also .gz), Parquet, Arrow, DuckDB, SQLite, Excel, Stata, "
            "SPSS or SAS; or an address, as for --source. Several files as one table: files:PATTERN, files:FOLDER or "
            "files:A:B; standard input: -. If the budget lists one source, leave it out; if it lists several, give the "
            "name or the path of one.",
            show_default=False,
        ),
    ] = None
    address: Annotated[
        str | None,
        SOURCE.option(
            "--source",
            metavar="URL",
            help="Instead of SOURCE, where the table is counted in place: postgresql://host/database or, for Spark, "
            "spark:TABLE or spark:FOLDER (of Parquet files). Keep a password in PGPASSWORD or ~/.pgpass rather than "
            "in the URL.",
        ),
    ] = None

    source_name: Annotated[
        str | None,
        SOURCE.option(
            metavar="NAME",
            help="The name of the data on standard input (SOURCE is -), by which receipts and the ledger know them. A "
            "ledger requires it; new data need a new name.",
        ),
    ] = None

    def place(self, *, is_needed: bool) -> str | Place | None:
        """Return the source that was given, as SOURCE or as --source.

        Args:
            is_needed: whether no budget could list one.

        Raises:
            BadUse: both were given, or neither although one is needed.
        """
        if self.source is not None and self.address is not None:
            raise BadUse("the source is given twice: as SOURCE and as --source")
        place = self.source if self.address is None else self.address
        if place is None and is_needed:
            raise BadUse("no source: give a file as SOURCE, or an address as --source")
        return given_place(place, self.source_name)


def given_place(source: str | None, name: str | None) -> str | Place | None:
    """Return a source, under the name that was given for it; standard input is read to its end.

    Raises:
        InvalidParameter: the source is known by its path or address, or the name breaks its rule.
        BadUse, BadData: as for `spooled`.
    """
    if name is None and source != STANDARD_INPUT:
        return source
    from hushcount.counting.declared.named import named

    if source is None:
        raise InvalidParameter("source_name", name, "left out without a source")
    return named(spooled() if source == STANDARD_INPUT else source, name)


@dataclass(frozen=True)
class Reading:
    """How a source is read.

    The defaults are those of `ReadOptions`, since an option that was not given must be told from one that was.
    """

    table: Annotated[
        str | None, SOURCE.option(metavar="NAME", help="The table to count, or the sheet, if the source holds several.")
    ] = None
    format: Annotated[
        str | None,
        SOURCE.option(
            metavar="auto|csv|parquet|duckdb|sqlite|json|arrow|stata|spss|sas|xport|excel",
            help="The format of the source; auto detects it from the first bytes of the file.",
            show_default="auto",
        ),
    ] = None
    header: Annotated[
        bool | None,
        SOURCE.option(
            "--header/--no-header",
            help="Whether the first record of a CSV file, or row of an Excel sheet, holds the column names; if not, "
            "they are c0, c1, and so on.",
            show_default="--header",
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        SOURCE.option(
            metavar="CHARACTER",
            help="The character between the fields of a CSV file; tab or \\t stands for the tab character.",
            show_default=",",
        ),
    ] = None
    trailing_delimiter: Annotated[
        bool | None,
        SOURCE.option(
            "--trailing-delimiter/--no-trailing-delimiter",
            help="Whether every line of a CSV file, also the header, ends with a delimiter that no field follows.",
            show_default="--no-trailing-delimiter",
        ),
    ] = None
    encoding: Annotated[
        str | None,
        SOURCE.option(metavar="NAME", help="The character encoding of a CSV file.", show_default="utf-8"),
    ] = None
    null: Annotated[
        str | None,
        SOURCE.option(
            metavar="TEXT",
            help="The unquoted text that stands for a missing value in a CSV file, and in keys.",
            show_default="the empty field",
        ),
    ] = None
    decimal: Annotated[
        str | None,
        SOURCE.option(
            metavar=".|,",
            help="The decimal mark in a CSV file; fractions must be in quotes if it is the delimiter too.",
            show_default=".",
        ),
    ] = None
    date_format: Annotated[
        str | None,
        SOURCE.option(
            metavar="FORMAT",
            help="The format of dates in a CSV or JSON file, in strftime notation.",
            show_default="%Y-%m-%d",
        ),
    ] = None
    types: Annotated[
        list[str] | None,
        SOURCE.option(
            "--type",
            metavar="COLUMN=TYPE",
            help="The type of a column of a CSV, JSON or Excel file, instead of inferring it from the whole file: "
            "text, integer, number, boolean, date or timestamp; in a Stata, SPSS or SAS file integer, or label for "
            "the texts of value labels. May be repeated.",
        ),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return what was given, under the names that `ReadOptions` has.

        Raises:
            InvalidParameter: a declaration that is not COLUMN=TYPE.
        """
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        if self.delimiter is not None:
            found["delimiter"] = delimiter_of(self.delimiter)
        found["types"] = column_types(self.types) if self.types else None
        return {name: value for name, value in found.items() if value is not None}


def keep(
    target: Path, content: str | bytes, receipt: ReceiptBase, what: str = "receipt", written: str | None = None
) -> None:
    """Write a file about a release that was made.

    Args:
        written: the file that already has the receipt, if any.

    Raises:
        BadUse: the file cannot be written; the message says what became of the release.
    """
    from hushcount.files.whole_files import write_whole

    try:
        write_whole(target, content)
    except OSError as error:
        if receipt.ledger is not None:
            end = f"is kept in the ledger: ask again with --request-id {receipt.ledger.request_id}"
        else:
            end = "nothing was released" if written is None else f"the release is in {written}"
        raise BadUse(f"the {what} could not be written, and {end}: {error.strerror}") from None
