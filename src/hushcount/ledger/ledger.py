"""A ledger of privacy budgets: one transaction checks, charges and commits, and only then may a count be drawn."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from hushcount.errors import BadUse, BudgetClosed, BudgetExceeded, InvalidParameter, LedgerUnusable
from hushcount.ledger import tables
from hushcount.ledger.accounting import (
    NOTHING,
    Accounting,
    Spent,
    fits_tightly,
    left_over,
    more_that_fit,
    not_covered,
    total_of,
)
from hushcount.ledger.amounts import Amount
from hushcount.ledger.book import Account, Book, charge_of
from hushcount.ledger.budget import Budget
from hushcount.ledger.entry import Entry, Kind
from hushcount.ledger.listed import ListedSource, not_listed_yet
from hushcount.ledger.location import Location, store_at
from hushcount.ledger.protected import ROW, UNIT, check_alike, protected_by, source_key, unit_column
from hushcount.ledger.question import Question
from hushcount.ledger.records import Basis, Charge, Grant, Terms, checked_text
from hushcount.ledger.verification import Verification, verification
from hushcount.numbers.text import amount_text

__all__ = ["Ledger"]


class Ledger:
    """The budgets that are kept in one place, and what was charged to them.

    A request runs through three steps: `charge` commits what it costs, then its count is drawn, then `deliver` stores
    the answer, which only now may be shown. `answer` does all three. Stopped before the first commit, a request is as
    if never made. Stopped between the two commits it has paid, and history shows it as "charged, not delivered"; asked
    again, with its request id or as the same question, it is drawn anew without another charge. That is one release
    for one charge, since nobody has seen the earlier draw: only a stored answer leaves this process, what was stored
    first stands, and all answers to a question take the same room, so that a full disk does not choose among them.
    Stopped after the second commit, it is answered from the ledger from then on.

    The same question asked again gets its stored answer at no cost, unless it is asked for afresh. Not the data but
    what `Question` holds makes it the same: a file that was changed in place is known by its old answers.

    Args:
        location: the name of a SQLite file, or `postgresql://host/database`.

    Raises:
        LedgerUnusable: nothing is there, or something else, or a damaged or newer ledger. Nothing is ever rebuilt.
        InvalidParameter: `location` is neither a file name nor such a URL.
        BadUse: it is PostgreSQL, and psycopg is not installed.
    """

    def __init__(self, location: Location) -> None:
        self._store = store_at(location)
        self._store.check()
        newest = len(tables.MIGRATIONS)
        with self._store.reading() as transaction:
            version = tables.schema_version(transaction) if tables.holds_ledger(transaction) else 0
        if version > newest:
            reason = f"has schema version {version}, but this hushcount reads versions up to {newest}"
            raise LedgerUnusable(self.shown, f"{reason}; a newer one is needed")
        if version == 0:
            raise LedgerUnusable(self.shown, "is damaged: it has lost its schema version")
        if version < newest:
            with self._store.writing() as transaction:
                Book(transaction, self.shown).lock()
                tables.migrate(transaction)

    @property
    def shown(self) -> str:
        """The name of the place, without credentials."""
        return self._store.shown

    # --- requests ---------------------------------------------------------------------------------------------------

    def answer(
        self,
        budget: str,
        question: Question,
        draw: Callable[[Charge], str],
        request_id: str | None = None,
        *,
        fresh: bool = False,
    ) -> Grant:
        """Charge, then draw and store; or the stored answer. The grant has the answer, which may be shown.

        Args:
            draw: makes the receipt of a charge, as JSON; called once the charge is committed, and only if there is no
                answer yet. Whatever it raises is passed on with the charge, which stands, as its `charged`.
            budget, question, request_id, fresh: as in `charge`.

        Raises:
            BudgetExceeded, BudgetClosed, BadUse, LedgerUnusable: as `charge` and `deliver` do.
        """
        grant = self.charge(budget, question, request_id, fresh=fresh)
        if grant.answer is not None:
            return grant
        try:
            return Grant(self.deliver(grant.charge, draw(grant.charge)), grant.basis)
        except BaseException as error:
            error.charged = grant.charge  # type: ignore[attr-defined]
            raise

    def charge(self, budget: str, question: Question, request_id: str | None = None, *, fresh: bool = False) -> Grant:
        """Check and charge in one transaction, on disk when this returns; free where the question was paid for before.

        Args:
            budget: its name.
            question: what is asked, with its price.
            request_id: an id for the charge, unique within the budget; None makes one. The same id again is the same
                charge: it gets its answer, and is never charged again.
            fresh: charge although the question was answered before.

        Raises:
            BudgetExceeded: what is left does not cover the price; BudgetClosed: nothing may be charged any more.
            InvalidParameter: no such budget, another adjacency than the budget's, or a request id that was used for
                another question; a source that the budget does not list, or not as it lists it; of a budget that lists
                none, rows where other charges protect units, or units where they protect rows.
            TooLarge: the exact balance would be too long to keep.
            BadUse: tight accounting, and the price is not that of the budget's first charge, or dp-accounting is not
                installed.
            LedgerUnusable: the ledger cannot be used. Nothing was released; if it broke off in the very commit, the
                charge may stand, and the same request id finds it.
        """
        name = str(uuid.uuid4()) if request_id is None else checked_text("request_id", request_id)
        with self._store.writing() as transaction:
            book = Book(transaction, self.shown).lock()
            account = book.account(budget)
            account.terms.check_adjacency(question.adjacency)
            cost = account.terms.cost_of(question.price)
            known = book.charge(budget, name)
            if known is not None and known.question != question:
                raise InvalidParameter("request_id", request_id, "an id of its own: it was used for another question")
            if known is None and not fresh:
                known = book.charge_for(budget, question)
            if known is not None:
                return Grant(known, Basis.PAID_BEFORE if known.answer is None else Basis.STORED)
            _check_open(account, question)
            _check_source(book, account, question)
            covered, left = _covered(book, account, cost)
            if covered:
                body, sha256 = question.to_json(), question.sha256
                entry = Entry.of(Kind.CHARGED, budget, request=name, question=sha256, price=cost, left=left, body=body)
                return Grant(charge_of(book.add(entry), None), Basis.CHARGED)
            spent = book.spent(budget)
        left = _left(account, spent)
        raise BudgetExceeded(not_covered(cost, left, budget), cost, left, budget)

    def check(self, budget: str, question: Question) -> None:
        """See that a question may be charged to a budget, whatever it costs; nothing is charged.

        Raises:
            InvalidParameter, BudgetClosed: as `charge` does.
        """
        with self._store.reading() as transaction:
            book = Book(transaction, self.shown).check()
            account = book.account(budget)
            account.terms.check_adjacency(question.adjacency)
            account.terms.cost_of(question.price)
            if book.charge_for(budget, question) is None:
                _check_open(account, question)
                _check_source(book, account, question)

    def deliver(self, charge: Charge, receipt: str) -> Charge:
        """Store the answer to a charge, on disk when this returns; the charge with the answer that stands.

        Args:
            charge: as `charge` granted it.
            receipt: a JSON object in ASCII with the count as `released`, from 0 to the maximum of the question; or the
                list of them, for a question about several cells.

        Raises:
            InvalidParameter: `receipt` is something else, or `charge` is not of this ledger.
            LedgerUnusable: the ledger cannot be used; the answer must not be shown, and can be drawn again.
        """
        body = charge.question.in_equal_room(receipt)
        with self._store.writing() as transaction:
            book = Book(transaction, self.shown).lock()
            known = book.charge(charge.budget, charge.request_id)
            if known is None or known.hash != charge.hash:
                raise InvalidParameter("charge", None, "one of this ledger")
            if known.answer is not None:
                return known
            entry = book.add(Entry.of(Kind.DELIVERED, charge.budget, request=charge.request_id, body=body))
            return replace(known, answer=receipt.rstrip(" "), delivered_at=entry.time)

    def find(self, budget: str, request_id: str) -> Charge | None:
        """The charge of a request id, if there is one; nothing is charged."""
        of_budget, of_request = checked_text("budget", budget), checked_text("request_id", request_id)
        with self._store.reading() as transaction:
            return Book(transaction, self.shown).check().charge(of_budget, of_request)

    # --- sources ----------------------------------------------------------------------------------------------------

    @property
    def folder(self) -> Path | None:
        """The folder it is in; None for PostgreSQL."""
        return self._store.folder

    def sources(self, budget: str) -> tuple[ListedSource, ...]:
        """The sources that a budget lists, in the order they were listed; none where its owner asks alone.

        Raises:
            InvalidParameter: there is no budget of that name.
        """
        with self._store.reading() as transaction:
            book = Book(transaction, self.shown).check()
            book.account(budget)
            return tuple(book.sources(budget))

    def source_paths(self) -> tuple[str, ...]:
        """The files and folders of this machine that are sources of any of the budgets."""
        with self._store.reading() as transaction:
            listed = Book(transaction, self.shown).check().sources()
        paths = (source.place(self.folder).path for source in listed)
        return tuple(dict.fromkeys(path for path in paths if path is not None))

    def add_source(self, budget: str, source: ListedSource) -> ListedSource:
        """List a source, for good; from the first one on, nothing else can be asked about under the budget.

        Raises:
            InvalidParameter: no such budget, or it was closed; the source is listed already; or it tells whom a row
                belongs to in another way than what was charged so far.
        """
        with self._store.writing() as transaction:
            book = Book(transaction, self.shown).lock()
            account = book.account(budget)
            if account.closed is not None:
                raise InvalidParameter("budget", budget, "an open one: it was closed before")
            listed = book.sources(budget)
            _check_new(account.terms, source, listed)
            unlisted = (asked for asked in book.questions(budget) if not any(s.is_asked_by(asked) for s in listed))
            column = None if source.unit is None else source.unit.column
            check_alike(budget, unlisted, (source.path_sha256, source.options.table), column)
            book.add(Entry.of(Kind.SOURCE, budget, request=source.key, body=source.to_body()))
        return source

    # --- budgets ----------------------------------------------------------------------------------------------------

    def budgets(self) -> tuple[str, ...]:
        """The names of all budgets, in the order of their creation."""
        with self._store.reading() as transaction:
            return tuple(Book(transaction, self.shown).check().names())

    def terms(self, name: str) -> Terms:
        """What was settled of the budget of that name.

        Raises:
            InvalidParameter: there is none.
        """
        with self._store.reading() as transaction:
            return Book(transaction, self.shown).check().account(name).terms

    def budget(self, name: str) -> Budget:
        """The budget as it stands.

        Raises:
            InvalidParameter: there is none of that name.
            BadUse: tight accounting, and dp-accounting is not installed.
        """
        with self._store.reading() as transaction:
            book = Book(transaction, self.shown).check()
            account, spent = book.account(name), book.spent(name)
            charges, sources = book.charges(name), book.sources(name)
        first, delta = total_of(spent)
        in_mu = account.terms.accounting is Accounting.GAUSSIAN
        return Budget(
            account.terms,
            spent_epsilon=None if in_mu else first,
            spent_mu_squared=first if in_mu else None,
            spent_delta=delta,
            left=_left(account, spent),
            more=_more(account, spent),
            charges=spent.total(),
            protected=protected_by(charge.question for charge in charges),
            sources=tuple(sources),
            undelivered=sum(charge.answer is None for charge in charges),
            created_at=account.created.time,
            closed_at=None if account.closed is None else account.closed.time,
        )

    def history(self, name: str) -> tuple[Charge, ...]:
        """Every charge to a budget, in order.

        Raises:
            InvalidParameter: there is no budget of that name.
        """
        with self._store.reading() as transaction:
            book = Book(transaction, self.shown).check()
            book.account(name)
            return tuple(book.charges(name))

    def close(self, name: str) -> Budget:
        """Let nothing more be charged to a budget, for good. Stored answers can still be had.

        Raises:
            InvalidParameter: there is no budget of that name, or it was closed before.
        """
        with self._store.writing() as transaction:
            book = Book(transaction, self.shown).lock()
            if book.account(name).closed is not None:
                raise InvalidParameter("budget", name, "an open one: it was closed before")
            book.add(Entry.of(Kind.CLOSED, name))
        return self.budget(name)

    # --- the chain --------------------------------------------------------------------------------------------------

    @property
    def head(self) -> str:
        """The hash of the last entry, which binds all entries before it. Noted down elsewhere, it dates the ledger."""
        with self._store.reading() as transaction:
            return Book(transaction, self.shown).check().head()[1]

    def verify(self, noted_head: str | None = None) -> Verification:
        """Check that the history is what was written; see `hushcount.ledger.verification` for what can be found.

        Args:
            noted_head: a head that was noted down earlier; the history must contain it.
        """
        with self._store.reading() as transaction:
            book = Book(transaction, self.shown)
            return verification(book.rows(), book.head(), self._store.damage(transaction), noted_head)


def _check_new(terms: Terms, source: ListedSource, listed: Sequence[ListedSource]) -> None:
    """See that a budget of these terms, which lists so much already, can list a source too.

    Raises:
        InvalidParameter: it is listed already; or the budget has no word of its own for whom it protects, and rows are
            counted of one source and units of another.
    """
    if any(source.is_like(other) for other in listed):
        raise InvalidParameter("source", source.name, not_listed_yet(terms.name))
    if terms.protects in (ROW, UNIT) and any((other.unit is None) != (source.unit is None) for other in listed):
        told = f"the budget protects a {terms.protects}, and names nobody else"
        rule = f"given or left out as for the other sources: {told}"
        raise InvalidParameter("unit", None if source.unit is None else source.unit.column, rule)


def _check_open(account: Account, question: Question) -> None:
    if account.closed is not None:
        name = account.terms.name
        message = f"the budget {name!r} is closed: nothing more can be charged to it"
        raise BudgetClosed(message, account.terms.cost_of(question.price), NOTHING, name)


def _check_source(book: Book, account: Account, question: Question) -> None:
    """See that a question is about a source that the budget lists; if it lists none, that it protects as others do.

    Raises:
        InvalidParameter: not so.
    """
    name = account.terms.name
    listed = book.sources(name)
    if listed:
        if not any(source.is_asked_by(question) for source in listed):
            raise InvalidParameter("source", None, f"one that the budget {name!r} lists, and read as it is listed")
        return
    if account.newest is None:
        return
    ours = (source_key(question), unit_column(question))
    newest = book.question(account.newest)
    if ours != (source_key(newest), unit_column(newest)):  # else it was checked when that one was charged
        check_alike(name, book.questions(name), *ours)


def _covered(book: Book, account: Account, price: Amount) -> tuple[bool, Amount | None]:
    """Whether a budget covers a cost, and what is left then where sums are what counts."""
    if account.terms.accounting is not Accounting.TIGHT:
        left = left_over(account.left, price)
        return left is not None, left
    spent = book.spent(account.terms.name)
    fixed = next(iter(spent), price)
    if price != fixed:
        raise BadUse(
            "under tight composition all charges of a budget have the price of the first, here "
            f"{fixed.in_words(amount_text)} (got {price.in_words(amount_text)}): losses of prices that may depend on "
            "earlier answers do not compose tightly"
        )
    return fits_tightly(account.terms.total, price, spent[price] + 1), None


def _left(account: Account, spent: Spent) -> Amount:
    """What is left: exactly, or under tight accounting a price that is still covered."""
    if account.terms.accounting is not Accounting.TIGHT:
        return account.left
    for price, times in spent.items():
        return price if fits_tightly(account.terms.total, price, times + 1) else NOTHING
    return account.terms.total


def _more(account: Account, spent: Spent) -> int | None:
    """How many charges are still covered under tight accounting, once there is a price."""
    if account.terms.accounting is not Accounting.TIGHT:
        return None
    return next((more_that_fit(account.terms.total, price, times) for price, times in spent.items()), None)
