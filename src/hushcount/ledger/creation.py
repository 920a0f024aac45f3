"""Setting a budget, and with the first one making a ledger: the only way one comes to be."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hushcount.counting import ReadOptions
from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import member_of
from hushcount.ledger import tables
from hushcount.ledger.accounting import Accounting, check_installed
from hushcount.ledger.book import Book
from hushcount.ledger.budget import Budget
from hushcount.ledger.entry import Entry, Kind
from hushcount.ledger.ledger import Ledger
from hushcount.ledger.listing import read_source
from hushcount.ledger.location import Location, store_at
from hushcount.ledger.protected import ROW, UNIT
from hushcount.ledger.records import Terms, checked_text
from hushcount.ledger.store import Transaction
from hushcount.numbers.exact import Number
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["create_budget"]


def create_budget(
    location: Location,
    name: str,
    epsilon: Number,
    delta: Number = 0,
    *,
    adjacency: str = "replace-one",
    protects: str | None = None,
    source: str | Path | None = None,
    options: ReadOptions | None = None,
    unit: str | None = None,
    without_unit: str | None = None,
    composition: str = "basic",
) -> Budget:
    """Set a budget, once, for everything that will be released about one data set; makes the ledger if need be.

    Args:
        location: as in `Ledger`. A file that is made is for its owner alone (mode 600).
        name: of the budget, new in the ledger.
        epsilon, delta: what all releases together may cost, exactly; epsilon >= 0 and 0 <= delta < 1.
        adjacency: "replace-one" or "add-remove"; every release must have the same.
        protects: in words, whom the budget protects ("person", "visit"); "row" by default, or "unit" where a column of
            the source tells it.
        source: the first of the sources that the budget lists; see `add_source`. Without one the budget is for an owner
            who asks alone.
        options, without_unit: of the source, as in `add_source`.
        unit: of the source, as in `add_source`; without a source, an older spelling of `protects`.
        composition: "basic" (sums) or "tight" (composed privacy loss); see `Accounting`.

    Raises:
        InvalidParameter: an argument breaks its rule, or the name is taken.
        LedgerUnusable: something that is no ledger is there, or it cannot be written.
        BadUse: tight accounting, and dp-accounting is not installed; or PostgreSQL, and psycopg is not.
        BadUse, BadData: the source cannot be listed, as `add_source` says; then nothing is made.
    """
    total = EpsilonDelta.of(epsilon, delta)
    terms = Terms(
        checked_text("name", name),
        total,
        Adjacency.of(adjacency),
        _party(protects, unit, source is not None),
        member_of(Accounting, "composition", composition),
    )
    check_installed(terms.accounting)
    store = store_at(location)
    if store.exists():
        _check_free(name, Ledger(location).budgets())  # is it a ledger, not too new, and the name not taken?
    made = [Entry.of(Kind.CREATED, name, price=total, left=total, body=terms.to_body())]
    if source is not None:
        listed = read_source(source, store.folder, options, unit, without_unit)
        made.append(Entry.of(Kind.SOURCE, name, request=listed.key, body=listed.to_body()))
    elif options is not None or without_unit is not None:
        argument = "options" if options is not None else "without_unit"
        raise InvalidParameter(argument, None, "given with a source, which it is about")

    def fill(transaction: Transaction) -> None:
        tables.migrate(transaction)
        for entry in made:
            Book(transaction, store.shown).add(entry)

    if not (not store.exists() and store.create(fill)):
        Ledger(location)
        with store.writing() as transaction:
            book = Book(transaction, store.shown).lock()
            _check_free(name, book.names())
            for entry in made:
                book.add(entry)
    return Ledger(location).budget(name)


def _check_free(name: str, taken: Iterable[str]) -> None:
    if name in taken:
        raise InvalidParameter("name", name, "one that no budget of the ledger has")


def _party(protects: str | None, unit: str | None, has_source: bool) -> str:
    """Whom the budget protects, in words."""
    if has_source:
        default = ROW if unit is None else UNIT
        return default if protects is None else checked_text("protects", protects)
    if unit is None:
        return ROW if protects is None else checked_text("protects", protects)
    if protects is not None:
        raise InvalidParameter("unit", unit, "left out: without a source it is an older spelling of what it protects")
    return checked_text("unit", unit)
