"""Setting a budget, and with the first one making a ledger: the only way one comes to be."""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

from sqlalchemy import Connection

from hushcount.counting import Adjacency
from hushcount.errors import InvalidParameter
from hushcount.exact import Number
from hushcount.ledger import tables
from hushcount.ledger.accounting import Accounting, check_installed
from hushcount.ledger.book import Book
from hushcount.ledger.entry import Entry, Kind
from hushcount.ledger.ledger import Ledger
from hushcount.ledger.location import Location, store_at
from hushcount.ledger.records import Budget, Terms, checked_text
from hushcount.tradeoff import EpsilonDelta

__all__ = ["create_budget"]

_Member = TypeVar("_Member", bound=Enum)


def create_budget(
    location: Location,
    name: str,
    epsilon: Number,
    delta: Number = 0,
    *,
    adjacency: str = "replace-one",
    unit: str = "row",
    composition: str = "basic",
) -> Budget:
    """Set a budget, once, for everything that will be released about one data set; makes the ledger if need be.

    Args:
        location: as of `Ledger`. A file that is made is for its owner alone (mode 600).
        name: of the budget, new in the ledger.
        epsilon, delta: what all releases together may cost, exactly; epsilon >= 0 and 0 <= delta < 1.
        adjacency: "replace-one" or "add-remove"; every release must have the same.
        unit: in words, what one row is ("row", "person", "visit"), and so whom the budget protects.
        composition: "basic" (sums) or "tight" (composed privacy loss); see `Accounting`.

    Raises:
        InvalidParameter: an argument breaks its rule, or the name is taken.
        LedgerUnusable: something that is no ledger is there, or it cannot be written.
        BadUse: tight accounting, and dp-accounting is not installed; or PostgreSQL, and psycopg is not.
    """
    total = EpsilonDelta.of(epsilon, delta)
    terms = Terms(
        checked_text("name", name),
        total,
        _member(Adjacency, "adjacency", adjacency),
        checked_text("unit", unit),
        _member(Accounting, "composition", composition),
    )
    check_installed(terms.accounting)
    created = Entry.of(Kind.CREATED, name, price=total, left=total, body=terms.to_body())
    store = store_at(location)

    def fill(connection: Connection) -> None:
        tables.migrate(connection)
        Book(connection, store.shown).add(created)

    if not (not store.exists() and store.create(fill)):
        Ledger(location)  # is it one, and not too new?
        with store.writing() as connection:
            book = Book(connection, store.shown).lock()
            if name in book.names():
                raise InvalidParameter("name", name, "one that no budget of the ledger has")
            book.add(created)
    return Ledger(location).budget(name)


def _member(kind: type[_Member], argument: str, value: object) -> _Member:
    try:
        return kind(value)
    except (TypeError, ValueError):
        names = ", ".join(str(member.value) for member in kind)
        raise InvalidParameter(argument, value, f"one of {names}") from None
