"""Setting a budget, and with the first one making a ledger, which nothing else does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hushcount.counting import ReadOptions
from hushcount.counting.declared.named import named
from hushcount.counting.declared.place import Place, SourceLike
from hushcount.errors import InvalidParameter
from hushcount.ledger import tables
from hushcount.ledger.accounting import Accounting, check_installed
from hushcount.ledger.amounts import Amount
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
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.given import promise_of
from hushcount.promise.mu_delta import MuDelta

__all__ = ["create_budget"]


def create_budget(
    location: Location,
    name: str,
    epsilon: Number | None = None,
    delta: Number = 0,
    *,
    mu: Number | None = None,
    rho: Number | None = None,
    adjacency: str = "replace-one",
    protects: str | None = None,
    source: SourceLike | Place | None = None,
    source_name: str | None = None,
    options: ReadOptions | None = None,
    unit: str | None = None,
    without_unit: str | None = None,
    composition: str = "basic",
) -> Budget:
    """Set a budget, once, for everything that will be released about one data set; make the ledger if there is none.

    Args:
        location: as in `Ledger`. A new file is for its owner alone (mode 600).
        name: the name of the budget, new in the ledger.
        epsilon, delta: what all releases together may cost, kept exactly; epsilon >= 0 in nats, and 0 <= delta < 1.
        mu: in place of epsilon, mu > 0: the budget counts mu^2, which adds up exactly, and delta for releases that have
            a delta > 0; see "A budget in mu" in docs/ledger.md.
        rho: the same, given as rho > 0 with mu^2 = 2 rho.
        adjacency: "replace-one" or "add-remove"; every release must have the same.
        protects: in words, whom the budget protects ("person", "visit"); "row" by default, or "unit" where a column of
            the source tells it.
        source, source_name: the first of the sources that the budget lists; see `add_source`. Without one the budget is
            for an owner who asks alone.
        options, without_unit: those of the source, as in `add_source`.
        unit: that of the source, as in `add_source`; without a source, an older spelling of `protects`.
        composition: "basic" (sums) or "tight" (composed privacy loss); see `Accounting`. A budget in mu adds up
            mu^2, which is tight already.

    Raises:
        InvalidParameter: an argument breaks its rule, or the name is taken.
        LedgerUnusable: something there is not a ledger, or it cannot be written.
        BadUse: tight accounting without dp-accounting installed, or PostgreSQL without psycopg.
        BadUse, BadData: the source cannot be listed, as `add_source` says; then nothing is made.
    """
    total = _total(epsilon, delta, mu, rho)
    terms = Terms(
        checked_text("name", name),
        total,
        Adjacency.of(adjacency),
        _party(protects, unit, source is not None),
        _accounting(total, composition),
    )
    check_installed(terms.accounting)
    store = store_at(location)
    if store.exists():
        _check_free(name, Ledger(location).budgets())  # is it a ledger, not too new, and the name not taken?
    made = [Entry.of(Kind.CREATED, name, price=total, left=total, body=terms.to_body())]
    if source is not None:
        listed = read_source(named(source, source_name), store.folder, options, unit, without_unit)
        made.append(Entry.of(Kind.SOURCE, name, request=listed.key, body=listed.to_body()))
    elif any(given is not None for given in (options, without_unit, source_name)):
        argument = "options" if options is not None else "without_unit" if without_unit is not None else "source_name"
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
    found = Ledger(location).budget(name)
    # As it was read, with the notes for its owner
    return found if source is None else replace(found, sources=(listed, *found.sources[1:]))


def _total(epsilon: Number | None, delta: Number, mu: Number | None, rho: Number | None) -> Amount:
    """Return what all releases together may cost.

    Raises:
        InvalidParameter: none or more than one of epsilon, mu and rho, or a number out of range.
    """
    if mu is None and rho is None and epsilon is not None:
        return EpsilonDelta.of(epsilon, delta)
    found = promise_of(epsilon, mu=mu, rho=rho)
    assert isinstance(found, GaussianDP)
    return MuDelta.of(found, delta)


def _accounting(total: Amount, composition: str) -> Accounting:
    """Return how the releases of a budget with such a total add up.

    Raises:
        InvalidParameter: a composition that such a total does not have.
    """
    if isinstance(total, MuDelta):
        if composition not in ("basic", "gaussian"):
            raise InvalidParameter("composition", composition, "left out for a budget in mu: mu^2 adds up without loss")
        return Accounting.GAUSSIAN
    if composition not in ("basic", "tight"):
        raise InvalidParameter("composition", composition, "one of basic, tight")
    return Accounting(composition)


def _check_free(name: str, taken: Iterable[str]) -> None:
    if name in taken:
        raise InvalidParameter("name", name, "one that no budget of the ledger has")


def _party(protects: str | None, unit: str | None, has_source: bool) -> str:
    """Return whom the budget protects, in words."""
    if has_source:
        default = ROW if unit is None else UNIT
        return default if protects is None else checked_text("protects", protects)
    if unit is None:
        return ROW if protects is None else checked_text("protects", protects)
    if protects is not None:
        raise InvalidParameter("unit", unit, "left out: without a source it is an older spelling of what it protects")
    return checked_text("unit", unit)
