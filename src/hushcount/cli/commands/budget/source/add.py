"""`hushcount budget source add`: one more source under a budget."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.answer import Answer, json_text
from hushcount.cli.options.budget import LedgerOption, Name
from hushcount.cli.options.groups import SOURCE
from hushcount.cli.options.output import Json
from hushcount.cli.options.privacy import UnitColumn, WithoutUnit
from hushcount.cli.options.source import Reading, given_place

__all__ = ["add"]


def add(
    name: Name,
    source: Annotated[
        str,
        SOURCE.option(
            metavar="FILE|URL",
            help="The file with the table: CSV or JSON lines (also .gz), Parquet, Arrow, DuckDB, SQLite, Excel, Stata, "
            "SPSS or SAS; or files:PATTERN or files:FOLDER for several, postgresql://host/database, "
            "spark:TABLE or spark:FOLDER; or - for standard input.",
        ),
    ],
    ledger: LedgerOption,
    reading: Reading,
    unit: UnitColumn = None,
    without_unit: WithoutUnit = None,
    source_name: Annotated[
        str | None, SOURCE.option(metavar="NAME", help="The name of the data on standard input, which stays theirs.")
    ] = None,
    as_json: Json = False,
) -> Answer:
    """Add a source to the list of a budget, permanently.

    Reads the whole source once. Keeps how it is read, whom a row belongs to, and the type of every column, which is
    shown: the type given by --type, or else that of its present values. Once a source is listed, only listed sources
    can be asked about.

    Example: hushcount budget source add people --source visits.csv --unit person_id --ledger people.ledger
    """
    from hushcount.counting import ReadOptions
    from hushcount.ledger import Ledger, add_source

    place = given_place(source, source_name)
    assert place is not None
    listed = add_source(
        ledger, name, place, options=ReadOptions(**reading.given()), unit=unit, without_unit=without_unit
    )
    if as_json:
        text = json_text({"budget": name, "source": listed.to_dict()})
    else:
        text = f"{listed.to_text(Ledger(ledger).terms(name).protects)}\n"
    return Answer(text, note=" ".join(listed.schema.notes))
