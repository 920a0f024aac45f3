"""The history of a ledger inside one transaction: reading entries, and adding one at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Connection, Select, bindparam, func, insert, or_, select, update

from hushcount.errors import InvalidParameter, LedgerUnusable
from hushcount.ledger.accounting import Accounting, Spent
from hushcount.ledger.entry import UNREADABLE, Entry, Kind
from hushcount.ledger.listed import ListedSource
from hushcount.ledger.question import Question
from hushcount.ledger.records import Charge, Terms, checked_text
from hushcount.ledger.tables import entries, head, now_text
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["Account", "Book"]


@dataclass(frozen=True)
class Account:
    """A budget as its entries have it: what created it, what closed it, and the newest charge."""

    terms: Terms
    created: Entry
    closed: Entry | None
    newest: Entry | None

    @property
    def left(self) -> EpsilonDelta:
        """What is left under basic accounting."""
        return self.terms.total if self.newest is None else self.newest.left


class Book:
    """The entries that a transaction sees. An entry whose hash does not fit is not believed.

    Args:
        connection: in a transaction.
        shown: the name of the ledger, for errors.

    Raises:
        LedgerUnusable: (every method) the history is not what was written.
    """

    def __init__(self, connection: Connection, shown: str) -> None:
        self._connection = connection
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
        return self._checked(_LOCKED_HEAD)

    def _checked(self, query: Select[Any]) -> Book:
        head, last = self._head(query), self._entry(_LAST)
        count, least = self._connection.execute(_EXTENT).one()
        # Numbers are whole and unique: so many from 1 to the last are all of them. A ledger is made with its first.
        if last is None or not (head == (last.number, last.hash) and count == last.number and least == 1):
            raise self._damaged()
        return self

    def add(self, entry: Entry) -> Entry:
        """Put `entry` at the end of the chain, which must be locked."""
        placed = entry.after(*self.head(), now_text())
        self._connection.execute(_ADD, placed.to_row())
        self._connection.execute(_MOVE_HEAD, {"new_number": placed.number, "new_hash": placed.hash})
        return placed

    def _head(self, query: Select[Any]) -> tuple[int, str]:
        row = self._connection.execute(query).one_or_none()
        if row is None:
            raise self._damaged()
        return row.number, row.hash

    # --- entries ----------------------------------------------------------------------------------------------------

    def rows(self) -> Iterator[Entry]:
        """Every entry in order, believed or not."""
        found = self._connection.execute(_ALL, execution_options={"yield_per": 1000})
        return (Entry.from_row(row._asdict()) for row in found)

    def _entry(self, query: Select[Any]) -> Entry | None:
        row = self._connection.execute(query).one_or_none()
        return None if row is None else self._believed(row._asdict())

    # --- budgets ----------------------------------------------------------------------------------------------------

    def names(self) -> list[str]:
        """Of the budgets, in the order of their creation."""
        return list(self._connection.execute(_NAMES).scalars())

    def account(self, budget: str) -> Account:
        """The budget of that name.

        Raises:
            InvalidParameter: there is none.
        """
        found = self._connection.execute(_ACCOUNT, {"of_budget": checked_text("budget", budget)})
        of_kind = {entry.kind: entry for entry in (self._believed(row._asdict()) for row in found)}
        created = of_kind.get(Kind.CREATED.value)
        if created is None:
            names = self.names()
            if not names:
                raise self._damaged()
            raise InvalidParameter("budget", budget, f"one of the ledger's: {', '.join(map(repr, names))}")
        with self._readable():
            terms = Terms.from_body(budget, created.price, created.body)
            account = Account(terms, created, of_kind.get(Kind.CLOSED.value), of_kind.get(Kind.CHARGED.value))
            _ = created.time, account.left if terms.accounting is Accounting.BASIC else None
        return account

    def spent(self, budget: str) -> Spent:
        """How often each price was charged."""
        found = self._connection.execute(_CHARGED, {"of_budget": budget})
        spelled = Counter((entry.epsilon, entry.delta) for entry in (self._believed(row._asdict()) for row in found))
        with self._readable():
            return Counter({EpsilonDelta.of(*price): times for price, times in spelled.items()})

    def sources(self, budget: str | None = None) -> list[ListedSource]:
        """Those that a budget lists, or all budgets, in the order they were listed."""
        of_budget = _SOURCES if budget is None else _SOURCES.where(entries.c.budget == budget)
        found = self._connection.execute(of_budget)
        with self._readable():
            return [ListedSource.from_body(self._believed(row._asdict()).body) for row in found]

    # --- charges ----------------------------------------------------------------------------------------------------

    def questions(self, budget: str) -> Iterator[Question]:
        """What was charged, in order."""
        found = self._connection.execute(_CHARGED, {"of_budget": budget})
        return (self.question(self._believed(row._asdict())) for row in found)

    def question(self, charged: Entry) -> Question:
        """What a charge was for."""
        with self._readable():
            return Question.from_json(charged.body)

    def charges(self, budget: str) -> list[Charge]:
        """In the order they were made."""
        return self._charges(_CHARGES, of_budget=budget)

    def charge(self, budget: str, request_id: str) -> Charge | None:
        """That of a request id."""
        return next(iter(self._charges(_CHARGE, of_budget=budget, of_request=request_id)), None)

    def charge_for(self, budget: str, question: Question) -> Charge | None:
        """The newest for a question: of those with an answer if there are any, else of those without."""
        found = self._charges(_CHARGES_FOR, of_budget=budget, of_question=question.sha256)
        return max(found, key=lambda charge: (charge.answer is not None, charge.number), default=None)

    def _charges(self, query: Select[Any], **of: str) -> list[Charge]:
        return [self._charge(row._asdict()) for row in self._connection.execute(query, of)]

    def _charge(self, row: Mapping[str, Any]) -> Charge:
        charged = self._believed({name: row[f"charged_{name}"] for name in _COLUMNS})
        delivered = None
        if row["delivered_number"] is not None:
            delivered = self._believed({name: row[f"delivered_{name}"] for name in _COLUMNS})
        with self._readable():
            charge = charge_of(charged, delivered)
            _ = charge.left, charge.released
        return charge

    # --- belief -----------------------------------------------------------------------------------------------------

    def _believed(self, row: Mapping[str, Any]) -> Entry:
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
        left=charged.left if charged.left_epsilon else None,
        number=charged.number,
        hash=charged.hash,
        charged_at=charged.time,
        delivered_at=None if delivered is None else delivered.time,
        answer=None if delivered is None else delivered.body.rstrip(" "),
    )


# --- statements, built once -------------------------------------------------------------------------------------------

_COLUMNS = tuple(column.name for column in entries.c)

_of_budget: BindParameter[str] = bindparam("of_budget")
_of_request: BindParameter[str] = bindparam("of_request")
_of_question: BindParameter[str] = bindparam("of_question")
_kind, _number = entries.c.kind, entries.c.number
_charges_of_budget = (entries.c.budget == _of_budget) & (_kind == Kind.CHARGED.value)

_HEAD = select(head.c.number, head.c.hash)
_LOCKED_HEAD = _HEAD.with_for_update()
_MOVE_HEAD = update(head).values(number=bindparam("new_number"), hash=bindparam("new_hash"))

_ADD = insert(entries)
_ALL = select(entries).order_by(_number)
_EXTENT = select(func.count(), func.min(_number))
_LAST = select(entries).order_by(_number.desc()).limit(1)

_NAMES = select(entries.c.budget).where(_kind == Kind.CREATED.value).order_by(_number)
_ACCOUNT = select(entries).where(
    entries.c.budget == _of_budget,
    or_(
        _kind.in_([Kind.CREATED.value, Kind.CLOSED.value]),
        _number == select(func.max(_number)).where(_charges_of_budget).scalar_subquery(),
    ),
)
_SOURCES = select(entries).where(_kind == Kind.SOURCE.value).order_by(_number)
_CHARGED = select(entries).where(_charges_of_budget).order_by(_number)

_charged, _delivered = entries.alias("charged"), entries.alias("delivered")
_CHARGES = (
    select(
        *(column.label(f"charged_{column.name}") for column in _charged.c),
        *(column.label(f"delivered_{column.name}") for column in _delivered.c),
    )
    .select_from(
        _charged.outerjoin(
            _delivered,
            (_delivered.c.budget == _charged.c.budget)
            & (_delivered.c.request == _charged.c.request)
            & (_delivered.c.kind == Kind.DELIVERED.value),
        )
    )
    .where(_charged.c.budget == _of_budget, _charged.c.kind == Kind.CHARGED.value)
    .order_by(_charged.c.number)
)
_CHARGE = _CHARGES.where(_charged.c.request == _of_request)
_CHARGES_FOR = _CHARGES.where(_charged.c.question == _of_question)
