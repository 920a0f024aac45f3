"""`hushcount budget source`: what a budget's owner lists for those who ask."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushcount._version import __version__
from hushcount.cli.answer import Answer
from hushcount.cli.data_options import (
    DateFormatOption,
    DecimalOption,
    DelimiterOption,
    EncodingOption,
    FormatOption,
    HeaderOption,
    NullOption,
    TableOption,
    TypesOption,
    WithoutUnitOption,
    read_options,
)
from hushcount.cli.exit_codes import SAYS_NO
from hushcount.cli.once import OnceCommand
from hushcount.cli.options import Json
from hushcount.cli.whole_help import WholeHelpGroup

if TYPE_CHECKING:
    from hushcount.ledger import ListedSource

__all__ = ["LedgerOption", "Name", "shown_source", "source_group", "telling"]

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the budget.")]
LedgerOption = Annotated[
    str,
    typer.Option(
        metavar="FILE|URL",
        help="Where the ledger is: a file (SQLite), or postgresql://host/database. A password is better kept in "
        "PGPASSWORD or ~/.pgpass than in the URL.",
    ),
]

source_group = typer.Typer(name="source", cls=WholeHelpGroup, rich_markup_mode=None, add_completion=False)


@source_group.callback()
def _source() -> None:
    """List the sources that may be asked about under a budget, and how they are read.

    Where a budget lists sources, whoever asks cannot choose how they are read or whom a row belongs to, and every
    question is judged by the list before a source is opened: what is refused is free and tells nothing of the data.
    """


@source_group.command(cls=OnceCommand)
def add(
    name: Name,
    source: Annotated[
        str,
        typer.Option(
            metavar="FILE|URL",
            help="The file with the table: CSV (also .gz), Parquet, DuckDB or SQLite; or postgresql://host/database, "
            "spark:TABLE or spark:FOLDER.",
        ),
    ],
    ledger: LedgerOption,
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column that tells whom a row belongs to.",
            show_default="one row is one of whom the budget protects",
        ),
    ] = None,
    without_unit: WithoutUnitOption = None,
    table: TableOption = None,
    format: FormatOption = None,
    header: HeaderOption = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    null: NullOption = None,
    decimal: DecimalOption = None,
    date_format: DateFormatOption = None,
    types: TypesOption = None,
    as_json: Json = False,
) -> str:
    """List a source under a budget, for good.

    Reads all of it once, and keeps how it is read, whom a row belongs to, and the type of every column, which is shown:
    that of --type, or else the one that the values tell now. From the first source on, nothing else can be asked about.

    Example: hushcount budget source add people --source visits.csv --unit person_id --ledger people.ledger
    """
    from hushcount.counting import ReadOptions
    from hushcount.ledger import Ledger, add_source

    given = read_options(
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
    listed = add_source(ledger, name, source, options=ReadOptions(**given), unit=unit, without_unit=without_unit)
    if as_json:
        return _json({"budget": name, "source": listed.to_dict()})
    return shown_source(listed, Ledger(ledger).terms(name).protects)


@source_group.command("list", cls=OnceCommand)
def list_sources(name: Name, ledger: LedgerOption, as_json: Json = False) -> str:
    """Show the sources of a budget: how they are read, whom a row belongs to, and their columns.

    Example: hushcount budget source list people --ledger people.ledger
    """
    from hushcount.ledger import Ledger

    opened = Ledger(ledger)
    sources = opened.sources(name)
    if as_json:
        return _json({"budget": name, "sources": [source.to_dict() for source in sources]})
    protects = opened.terms(name).protects
    return "\n".join(shown_source(source, protects) for source in sources) or "No sources.\n"


@source_group.command(cls=OnceCommand)
def check(name: Name, ledger: LedgerOption, as_json: Json = False) -> Answer:
    """Tell the owner whether the sources of a budget are still as they are listed, and if not, where not.

    Reads all of them. The answer may name lines of the data, so it is for the owner. Exit code 0 means that all are, 1
    that one is not.

    Example: hushcount budget source check people --ledger people.ledger
    """
    from hushcount.ledger import Ledger
    from hushcount.ledger.listing import misfit
    from hushcount.release.explanation import printable

    opened = Ledger(ledger)
    faults = [(source, misfit(opened, source)) for source in opened.sources(name)]
    code = SAYS_NO if any(fault for _, fault in faults) else 0
    if as_json:
        found = [{"name": source.name, "table": source.options.table, "fault": fault} for source, fault in faults]
        return Answer(_json({"budget": name, "sources": found}), code)
    lines = [
        f"{'Source':<12}{printable(named(source))}: {printable(fault or 'as it is listed')}" for source, fault in faults
    ]
    return Answer("\n".join([*lines, ""]) if lines else "No sources.\n", code)


def named(source: ListedSource) -> str:
    """Its name, with its table if it holds several."""
    return source.name if source.options.table is None else f"{source.options.table} in {source.name}"


def telling(source: ListedSource, protects: str) -> str:
    """How it tells one of whom the budget protects, such as a person, from another, in words."""
    from hushcount.ledger.records import ROW

    one = "one" if protects == ROW else f"one {protects}"
    if source.unit is None:
        return f"one row is {one}"
    rest = f"; rows without it are {one} too" if source.unit.without == "one-unit" else ""
    return f"rows with the same {source.unit.column} are {one}{rest}"


def shown_source(source: ListedSource, protects: str) -> str:
    """All that the list says of a source, in lines for people."""
    from hushcount.counting import ReadOptions
    from hushcount.release.explanation import printable

    usual = dict(ReadOptions().pairs())
    reading = [(name, value) for name, value in source.options.pairs() if name != "table" and value != usual[name]]
    columns = source.schema.shown()
    width = max(map(len, map(printable, columns)), default=0)
    lines = [
        f"Source      {printable(named(source))}",
        f"Counted     {printable(telling(source, protects))}",
        *(f"Reading     {name}: {printable(value)}" for name, value in reading),
        "Columns",
        *(f"  {printable(name):<{width}}  {word}" for name, word in columns.items()),
    ]
    return "".join(f"{line}\n" for line in lines)


def _json(answer: dict[str, Any]) -> str:
    return json.dumps({**answer, "hushcount_version": __version__}, indent=2, allow_nan=False) + "\n"
