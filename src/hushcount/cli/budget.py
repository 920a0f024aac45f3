"""`hushcount budget`: the ledger of what may be released about a data set, and of what was."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushcount._version import __version__
from hushcount.cli.answer import Answer
from hushcount.cli.budget_history import history_csv, history_table
from hushcount.cli.budget_source import LedgerOption, Name, named, shown_source, source_group, telling
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
from hushcount.cli.options import ADJACENCY, AdjacencyOption, Json
from hushcount.cli.whole_help import WholeHelpGroup
from hushcount.errors import BadUse, InvalidParameter

if TYPE_CHECKING:
    from fractions import Fraction

    from hushcount.ledger import Budget

__all__ = ["budget"]

budget = typer.Typer(name="budget", cls=WholeHelpGroup, rich_markup_mode=None, add_completion=False)
budget.add_typer(source_group)


@budget.callback()
def _budget() -> None:
    """Keep a budget for everything that is released about a data set.

    A budget is set once, and everything that is released is charged to it. Amounts are exact; what is charged is on
    disk before a count is drawn.
    """


@budget.command(cls=OnceCommand)
def create(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The name of the budget; one budget stands for one data set.")
    ],
    ledger: LedgerOption,
    epsilon: Annotated[
        str,
        typer.Option(
            metavar="NUMBER",
            help="What all releases together may cost: the sum of their epsilons under basic composition. A decimal "
            "(0.5, 1e-3) or a ratio (1/3), taken exactly.",
        ),
    ],
    delta: Annotated[
        str,
        typer.Option(metavar="NUMBER", help="The same of delta, >= 0 and < 1; 0 allows releases with delta 0 only."),
    ] = "0",
    adjacency: AdjacencyOption = ADJACENCY,
    protects: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="Whom the budget protects, in a word: person, visit.",
            show_default="row, or unit where a column tells it",
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|URL",
            help="The first source that the budget lists; it is read once, and releases need not name it. Without one, "
            "the budget is for an owner who asks alone.",
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column of the source that tells whom a row belongs to; without it, one row is one of whom the "
            "budget protects. Without --source, an older spelling of --protects.",
        ),
    ] = None,
    without_unit: WithoutUnitOption = None,
    composition: Annotated[
        str,
        typer.Option(
            metavar="basic|tight",
            help="How releases add up. basic: their epsilons and deltas are summed. tight: their privacy losses are "
            "composed at the budget's delta, which lets more through; all releases must then have the epsilon and "
            "delta of the first.",
        ),
    ] = "basic",
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
    """Set the budget of a data set.

    Makes the ledger where there is none yet; nothing else does. Neither the budget nor its terms can be changed later.
    A source is listed with how it is read and the types of all its columns, and releases are judged by that alone.

    Example: hushcount budget create people --source people.csv --ledger people.ledger --epsilon 1 --protects person
    """
    from hushcount.counting import ReadOptions
    from hushcount.ledger import create_budget

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
    if source is None:
        for option in given:
            raise InvalidParameter(option, None, "given with --source, which it is about")
    made = create_budget(
        ledger,
        name,
        epsilon,
        delta,
        adjacency=adjacency,
        protects=protects,
        source=source,
        options=None if source is None else ReadOptions(**given),
        unit=unit,
        without_unit=without_unit,
        composition=composition,
    )
    if as_json:
        return _json(made.to_dict())
    return "\n".join([_shown(made), *(shown_source(each, made.terms.protects) for each in made.sources)])


@budget.command(cls=OnceCommand)
def show(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The name of the budget; all of the ledger if left out.")
    ] = None,
    *,
    ledger: LedgerOption,
    as_json: Json = False,
) -> str:
    """Show what was spent of a budget, and what is left.

    Example: hushcount budget show people --ledger people.ledger
    """
    from hushcount.ledger import Ledger

    opened = Ledger(ledger)
    found = [opened.budget(each) for each in (opened.budgets() if name is None else [name])]
    if as_json:
        return _json({"budgets": [each.to_dict() for each in found]})
    return "\n".join(map(_shown, found))


@budget.command(cls=OnceCommand)
def history(
    name: Name,
    ledger: LedgerOption,
    as_json: Json = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV instead of text.")] = False,
) -> str:
    """List every charge to a budget: what was asked, what it cost, and what was released.

    Example: hushcount budget history people --ledger people.ledger --csv
    """
    from hushcount.ledger import Ledger

    if as_json and as_csv:
        raise BadUse("history prints either --json or --csv")
    opened = Ledger(ledger)
    charges = opened.history(name)
    if as_json:
        return _json({"budget": name, "charges": [charge.to_dict() for charge in charges]})
    return history_csv(charges) if as_csv else history_table(charges, opened.sources(name))


@budget.command(cls=OnceCommand)
def verify(
    ledger: LedgerOption,
    head: Annotated[
        str | None,
        typer.Option(
            metavar="HASH",
            help="A head noted down earlier, which the history must contain. Without one, an older copy in the place "
            "of the ledger is not found.",
        ),
    ] = None,
    as_json: Json = False,
) -> Answer:
    """Check that the history of a ledger is what was written.

    Finds edits, deletions, insertions, reordering and entries cut off. Exit code 0 means intact, 1 changed.

    Example: hushcount budget verify --ledger people.ledger
    """
    from hushcount.ledger import Ledger

    if head is not None and not re.fullmatch("[0-9a-f]{64}", head):
        raise InvalidParameter("head", head, "a hash of 64 digits 0-9a-f, as `hushcount budget verify` prints it")
    opened = Ledger(ledger)
    found = opened.verify(head)
    code = 0 if found.is_intact else SAYS_NO
    if as_json:
        return Answer(_json({"ledger": opened.shown, **found.to_dict()}), code)

    from hushcount.cli.figures import wrapped
    from hushcount.release.explanation import printable

    lines = [
        f"Ledger      {printable(opened.shown)}",
        f"Verdict     {found.verdict.name.lower()}",
        f"Entries     {found.entries:,}",
        f"Head        {found.head}",
        *(f"Fault       {printable(fault)}" for fault in found.faults),
        "",
        wrapped(found.verdict.value),
        "",
    ]
    return Answer("\n".join(lines), code)


@budget.command(cls=OnceCommand)
def close(name: Name, ledger: LedgerOption, as_json: Json = False) -> str:
    """Let nothing more be charged to a budget, for good.

    What was answered can still be asked again, free of charge.

    Example: hushcount budget close people --ledger people.ledger
    """
    from hushcount.ledger import Ledger

    closed = Ledger(ledger).close(name)
    return _json(closed.to_dict()) if as_json else _shown(closed)


def _json(answer: dict[str, Any]) -> str:
    return json.dumps({**answer, "hushcount_version": __version__}, indent=2, allow_nan=False) + "\n"


def _pair(epsilon: Fraction, delta: Fraction) -> str:
    from hushcount.exact import exact_text

    return f"epsilon {exact_text(epsilon)}, delta {exact_text(delta)}"


def _left(found: Budget) -> str:
    from hushcount.ledger import Accounting
    from hushcount.ledger.accounting import MOST_COUNTED

    left = _pair(found.left.epsilon, found.left.delta)
    if found.terms.accounting is Accounting.BASIC:
        return left
    if found.more is None:
        return f"{left} or less for the first charge, which settles the price of all"
    counted = f"{'at least ' if found.more == MOST_COUNTED else ''}{found.more:,}"
    return f"{counted} more charges of {left}" if found.more else "nothing"


def _party(found: Budget) -> list[str]:
    """Whom the budget protects: as its owner says, where sources are listed; else as its charges do."""
    from hushcount.ledger.records import ROW, UNIT
    from hushcount.release.explanation import printable

    terms, sources = found.terms, found.sources
    relation = terms.adjacency.value
    if sources:
        by_row = {source.unit is None for source in sources}
        word = UNIT if terms.protects == ROW and by_row == {False} else terms.protects
        lines = [f"Protects    one {printable(word)}, {relation}"]
        told = [f"{named(source)}: {telling(source, terms.protects)}" for source in sources]
        return [*lines, *(f"Source      {printable(each)}" for each in told)]
    lines = ["Sources     none listed: for an owner who asks alone (`budget source add` lists them for others)"]
    if not found.charges:
        return [f"Protects    one {printable(terms.protects)}, {relation}", *lines]
    kinds = [f"{_kind(column)} ({_times(charges)})" for column, charges in found.protected.items()]
    meant = "" if terms.protects == ROW else f"; meant as one {terms.protects}"
    return [f"Protects    {printable(', '.join(kinds))}, {relation}{printable(meant)}", *lines]


def _kind(column: str | None) -> str:
    return "one row" if column is None else f"all rows of one {column}"


def _times(charges: int) -> str:
    return f"{charges:,} {'charge' if charges == 1 else 'charges'}"


def _shown(found: Budget) -> str:
    from hushcount.release.explanation import printable

    terms = found.terms
    state = "open" if found.closed_at is None else f"closed at {found.closed_at:%Y-%m-%d %H:%M:%S} UTC"
    waiting = f", {found.undelivered:,} of them charged, not delivered" if found.undelivered else ""
    return "\n".join(
        [
            f"Budget      {printable(terms.name)}",
            *_party(found),
            f"Composition {terms.accounting.value}",
            f"Total       {_pair(terms.total.epsilon, terms.total.delta)}",
            f"Spent       {_pair(found.spent_epsilon, found.spent_delta)}",
            f"Left        {_left(found)}",
            f"Charges     {found.charges:,}{waiting}",
            f"State       {state}",
            "",
        ]
    )
