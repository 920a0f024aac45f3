"""Budgets and their sources in the words of `hushcount budget`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hushcount.words.counted import counted
from hushcount.words.printable import printable

if TYPE_CHECKING:
    from fractions import Fraction

    from hushcount.ledger import Budget, ListedSource

__all__ = ["named", "shown_budget", "shown_source"]


def named(source: ListedSource) -> str:
    """Its name, with its table if it holds several."""
    return source.name if source.options.table is None else f"{source.options.table} in {source.name}"


def _telling(source: ListedSource, protects: str) -> str:
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

    usual = dict(ReadOptions().pairs())
    reading = [(name, value) for name, value in source.options.pairs() if name != "table" and value != usual[name]]
    columns = source.schema.shown()
    width = max(map(len, map(printable, columns)), default=0)
    lines = [
        f"Source      {printable(named(source))}",
        f"Counted     {printable(_telling(source, protects))}",
        *(f"Reading     {name}: {printable(value)}" for name, value in reading),
        "Columns",
        *(f"  {printable(name):<{width}}  {word}" for name, word in columns.items()),
    ]
    return "".join(f"{line}\n" for line in lines)


def shown_budget(found: Budget) -> str:
    """What a budget is, what was spent of it, and what is left, in lines for people."""
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


def _pair(epsilon: Fraction, delta: Fraction) -> str:
    from hushcount.numbers.exact import exact_text

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

    terms, sources = found.terms, found.sources
    relation = terms.adjacency.value
    if sources:
        by_row = {source.unit is None for source in sources}
        word = UNIT if terms.protects == ROW and by_row == {False} else terms.protects
        lines = [f"Protects    one {printable(word)}, {relation}"]
        told = [f"{named(source)}: {_telling(source, terms.protects)}" for source in sources]
        return [*lines, *(f"Source      {printable(each)}" for each in told)]
    lines = ["Sources     none listed: for an owner who asks alone (`budget source add` lists them for others)"]
    if not found.charges:
        return [f"Protects    one {printable(terms.protects)}, {relation}", *lines]
    kinds = [f"{_kind(column)} ({counted(charges, 'charge')})" for column, charges in found.protected.items()]
    meant = "" if terms.protects == ROW else f"; meant as one {terms.protects}"
    return [f"Protects    {printable(', '.join(kinds))}, {relation}{printable(meant)}", *lines]


def _kind(column: str | None) -> str:
    return "one row" if column is None else f"all rows of one {column}"
