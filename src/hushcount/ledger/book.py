"""The history of a ledger inside one transaction: reading entries, and adding one at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any

from hushcount.errors import InvalidParameter, LedgerUnusable
from hushcount.ledger.accounting import Accounting, Spent
from hushcount.ledger.amounts import Amount, amount_in
from hushcount.ledger.entry import UNREADABLE, Entry, Kind
from hushcount.ledger.listed import ListedSource
from hushcount.ledger.question import Question
from hushcount.ledger.records import Charge, Terms, checked_text
from hushcount.ledger.store import Transaction
from hushcount.ledger.tables import now_text

__all__ = ["Account", "Book"]


@dataclass(frozen=True)
class Account:
    """A budget as its entries have it: what created it, what closed it, and the newest charge."""

    terms: Terms
    created: Entry
    closed: Entry | None
    newest: Entry | None

    @property
    def left(self) -> Amount:
        """What is left where sums are what counts."""
        return self.terms.total if self.newest is None else self.newest.left


class Book:
    """The entries that a transaction sees. An entry whose hash does not fit is not believed.

    Args:
        transaction: which sees them.
        shown: the name of the ledger, for errors.

    Raises:
        LedgerUnusable: (every method) the history is not what was written.
    """

    def __init__(self, transaction: Transaction, shown: str) -> None:
        self._transaction = transaction
        self._shown = shown

    # --- the end of the chain ---------------------------------------------------------------------------------------

    def head(self) -> tuple[int, str]:
        """Number and hash of the last entry, as the head has them."""
        return self._head(_HEAD)

    def check(self) -> Book:
        """See that entries 1, 2, 3, ... are there up to the one that the head names, and that it is the last."""
        return self._checked(_HEAD)

    def lock(self) -> Book:
        """Keep other writers waiting until the transaction ends; then `check`."""
        return self._checked(_LOCKED_HEAD[self._transaction.dialect])

    def _checked(self, query: str) -> Book:
        head, last = self._head(query), next(iter(self._found(_LAST)), None)
        [(count, least)] = self._transaction.execute(_EXTENT)
        # Numbers are whole and unique: so many from 1 to the last are all of them. A ledger is made with its first.
        if last is None or not (head == (last.number, last.hash) and count == last.number and least == 1):
            raise self._damaged()
        return self

    def add(self, entry: Entry) -> Entry:
        """Put `entry` at the end of the chain, which must be locked."""
        placed = entry.after(*self.head(), now_text())
        self._transaction.execute(_ADD, **placed.to_row())
        self._transaction.execute(_MOVE_HEAD, number=placed.number, hash=placed.hash)
        return placed

    def _head(self, query: str) -> tuple[int, str]:
        for number, hash_ in self._transaction.execute(query):
            return number, hash_
        raise self._damaged()

    # --- entries ----------------------------------------------------------------------------------------------------

    def rows(self) -> Iterator[Entry]:
        """Every entry in order, believed or not."""
        return map(Entry.from_row, self._transaction.stream(_ALL))

    def _found(self, query: str, **of: str) -> list[Entry]:
        return [self._believed(row) for row in self._transaction.execute(query, **of)]

    # --- budgets ----------------------------------------------------------------------------------------------------

    def names(self) -> list[str]:
        """Of the budgets, in the order of their creation."""
        return [name for (name,) in self._transaction.execute(_NAMES)]

    def account(self, budget: str) -> Account:
        """The budget of that name.

        Raises:
            InvalidParameter: there is none.
        """
        of_kind = {entry.kind: entry for entry in self._found(_ACCOUNT, budget=checked_text("budget", budget))}
        created = of_kind.get(Kind.CREATED.value)
        if created is None:
            names = self.names()
            if not names:
                raise self._damaged()
            raise InvalidParameter("budget", budget, f"one of the ledger's: {', '.join(map(repr, names))}")
        with self._readable():
            terms = Terms.from_body(budget, created.price, created.body)
            account = Account(terms, created, of_kind.get(Kind.CLOSED.value), of_kind.get(Kind.CHARGED.value))
            _ = created.time, None if terms.accounting is Accounting.TIGHT else account.left
        return account

    def spent(self, budget: str) -> Spent:
        """How often each price was charged."""
        spelled = Counter((entry.epsilon, entry.delta) for entry in self._found(_CHARGED, budget=budget))
        with self._readable():
            return Counter(
                {amount_in({"epsilon": first, "delta": delta}): times for (first, delta), times in spelled.items()}
            )

    def sources(self, budget: str | None = None) -> list[ListedSource]:
        """Those that a budget lists, or all budgets, in the order they were listed."""
        found = self._found(_SOURCES) if budget is None else self._found(_SOURCES_OF, budget=budget)
        with self._readable():
            return [ListedSource.from_body(entry.body) for entry in found]

    # --- charges ----------------------------------------------------------------------------------------------------

    def questions(self, budget: str) -> Iterator[Question]:
        """What was charged, in order."""
        return map(self.question, self._found(_CHARGED, budget=budget))

    def question(self, charged: Entry) -> Question:
        """What a charge was for."""
        with self._readable():
            return Question.from_json(charged.body)

    def charges(self, budget: str) -> list[Charge]:
        """In the order they were made."""
        return self._charges("", budget=budget)

    def charge(self, budget: str, request_id: str) -> Charge | None:
        """That of a request id."""
        return next(iter(self._charges("AND charged.request = :request", budget=budget, request=request_id)), None)

    def charge_for(self, budget: str, question: Question) -> Charge | None:
        """The newest for a question: of those with an answer if there are any, else of those without."""
        found = self._charges("AND charged.question = :question", budget=budget, question=question.sha256)
        return max(found, key=lambda charge: (charge.answer is not None, charge.number), default=None)

    def _charges(self, condition: str, **of: str) -> list[Charge]:
        return [self._charge(row) for row in self._transaction.execute(_CHARGES.format(condition), **of)]

    def _charge(self, row: Sequence[Any]) -> Charge:
        charged, delivered = self._believed(row[: len(_COLUMNS)]), None
        if row[len(_COLUMNS)] is not None:
            delivered = self._believed(row[len(_COLUMNS) :])
        with self._readable():
            charge = charge_of(charged, delivered)
            _ = charge.left, charge.released
        return charge

    # --- belief -----------------------------------------------------------------------------------------------------

    def _believed(self, row: Sequence[Any]) -> Entry:
        entry = Entry.from_row(row)
        if entry.hash != entry.seal():
            raise self._damaged()
        return entry

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """For what only entries that no ledger wrote make fail, sound as their hashes may be."""
        try:
            yield
        except UNREADABLE:
            raise self._damaged() from None

    def _damaged(self) -> LedgerUnusable:
        return LedgerUnusable(self._shown, "has a history that was changed; `hushcount budget verify` tells where")


def charge_of(charged: Entry, delivered: Entry | None) -> Charge:
    """The charge that an entry and its delivery record."""
    return Charge(
        budget=charged.budget,
        request_id=charged.request,
        question=Question.from_json(charged.body),
        cost=charged.price,
        left=charged.left if charged.left_epsilon else None,
        number=charged.number,
        hash=charged.hash,
        charged_at=charged.time,
        delivered_at=None if delivered is None else delivered.time,
        answer=None if delivered is None else delivered.body.rstrip(" "),
    )


# --- statements -------------------------------------------------------------------------------------------------------

_COLUMNS = tuple(field.name for field in fields(Entry))

_HEAD = "SELECT number, hash FROM hushcount_head"
_LOCKED_HEAD = {"sqlite": _HEAD, "postgresql": f"{_HEAD} FOR UPDATE"}
"""A writer's transaction in SQLite starts with the lock."""
_MOVE_HEAD = "UPDATE hushcount_head SET number = :number, hash = :hash"

_ADD = f"INSERT INTO hushcount_entries ({', '.join(_COLUMNS)}) VALUES ({', '.join(f':{name}' for name in _COLUMNS)})"
_ENTRIES = f"SELECT {', '.join(_COLUMNS)} FROM hushcount_entries"
_ALL = f"{_ENTRIES} ORDER BY number"
_EXTENT = "SELECT count(*), min(number) FROM hushcount_entries"
_LAST = f"{_ENTRIES} ORDER BY number DESC LIMIT 1"

_NAMES = f"SELECT budget FROM hushcount_entries WHERE kind = '{Kind.CREATED.value}' ORDER BY number"
_CHARGES_OF = f"budget = :budget AND kind = '{Kind.CHARGED.value}'"
_ACCOUNT = f"""{_ENTRIES} WHERE budget = :budget AND (
    kind IN ('{Kind.CREATED.value}', '{Kind.CLOSED.value}')
    OR number = (SELECT max(number) FROM hushcount_entries WHERE {_CHARGES_OF})
)"""
_CHARGED = f"{_ENTRIES} WHERE {_CHARGES_OF} ORDER BY number"
_SOURCES = f"{_ENTRIES} WHERE kind = '{Kind.SOURCE.value}' ORDER BY number"
_SOURCES_OF = f"{_ENTRIES} WHERE budget = :budget AND kind = '{Kind.SOURCE.value}' ORDER BY number"

_CHARGES = f"""SELECT {", ".join(f"{part}.{name}" for part in ("charged", "delivered") for name in _COLUMNS)}
FROM hushcount_entries AS charged LEFT JOIN hushcount_entries AS delivered
    ON delivered.budget = charged.budget AND delivered.request = charged.request
    AND delivered.kind = '{Kind.DELIVERED.value}'
WHERE charged.budget = :budget AND charged.kind = '{Kind.CHARGED.value}' {{}}
ORDER BY charged.number"""
"""Each charge, and its delivery if there is one, with a further condition in the braces."""
