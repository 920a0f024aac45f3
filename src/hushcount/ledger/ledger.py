"""A ledger of privacy budgets: one transaction checks, charges and commits, and only then may a count be drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from hushcount.errors import InvalidParameter, LedgerUnusable
from hushcount.ledger import tables
from hushcount.ledger.accounting import Accounting, total_of
from hushcount.ledger.book import Book
from hushcount.ledger.budget import Budget
from hushcount.ledger.charging import Bill, bill, check_chargeable, grant, left_of, more_of, paid_for
from hushcount.ledger.entry import Entry, Kind
from hushcount.ledger.listed import ListedSource, not_listed_yet
from hushcount.ledger.location import Location, store_at
from hushcount.ledger.protected import ROW, UNIT, check_alike, protected_by
from hushcount.ledger.question import Question
from hushcount.ledger.records import Basis, Charge, Grant, Terms, checked_text
from hushcount.ledger.verification import Verification, verification

__all__ = ["Ledger"]


class Ledger:
    """The budgets that are kept in one place, and what was charged to them.

    A request takes three steps: `charge` commits what it costs, then its count is drawn, then `deliver` stores the
    answer, which may be shown only now. `answer` does all three. A request stopped before the first commit is as if
    never made. Stopped between the two commits it has paid, and history shows it as "charged, not delivered". Asked
    again, with its request id or as the same question, it is drawn anew without another charge. That is one release for
    one charge, since nobody has seen the earlier draw: only a stored answer leaves this process, what was stored first
    stands, and all answers to a question take the same room, so that a full disk does not choose among them. Stopped
    after the second commit, it is answered from the ledger.

    The same question asked again gets its stored answer at no cost, unless a fresh one is asked for. What `Question`
    holds makes it the same, not the data: a file that was changed in place keeps its old answers.

    Args:
        location: the name of a SQLite file, or `postgresql://host/database`.

    Raises:
        LedgerUnusable: nothing is there, or something that is not a ledger, or a damaged or newer one. Nothing is ever
            rebuilt.
        InvalidParameter: `location` is neither a file name nor such a URL.
        BadUse: the ledger is in PostgreSQL, and psycopg is not installed.
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
        """Charge, then draw and store; or find the stored answer. Return a grant with the answer, which may be shown.

        Args:
            draw: makes the receipt of a charge, as JSON; called once the charge is committed, and only if there is no
                answer yet. Whatever it raises is passed on with the charge, which stands, as its `charged`.
            budget, question, request_id, fresh: as in `charge`.

        Raises:
            BudgetExceeded, BudgetClosed, BadUse, LedgerUnusable: as for `charge` and `deliver`.
        """
        grant = self.charge(budget, question, request_id, fresh=fresh)
        return grant if grant.answer is not None else self._drawn(grant, draw)

    def answer_to(self, grant: Grant, draw: Callable[[Charge], str]) -> Grant:
        """Draw and store the answer to what was granted, or find the one that was stored since; see `answer`."""
        known = self.find(grant.charge.budget, grant.charge.request_id)
        if known is not None and known.answer is not None:
            return Grant(known, Basis.STORED)
        return self._drawn(grant, draw)

    def _drawn(self, grant: Grant, draw: Callable[[Charge], str]) -> Grant:
        try:
            return Grant(self.deliver(grant.charge, draw(grant.charge)), grant.basis)
        except BaseException as error:
            error.charged = grant.charge  # type: ignore[attr-defined]
            raise

    def charge(self, budget: str, question: Question, request_id: str | None = None, *, fresh: bool = False) -> Grant:
        """Check and charge in one transaction, on disk when this returns; free where the question was paid for before.

        Args:
            budget: the name of the budget.
            question: what is asked, with its price.
            request_id: an id for the charge, unique within the budget; None makes one. The same id again is the same
                charge: it gets its answer, and is never charged again.
            fresh: whether to charge although the question was answered before.

        Raises:
            BudgetExceeded: what is left does not cover the price.
            BudgetClosed: nothing may be charged any more.
            InvalidParameter: there is no such budget; the adjacency is not the budget's; the request id was used for
                another question; the budget does not list the source, or not so; or, for a budget without a list, the
                question is about rows where other charges protect units, or the other way around.
            TooLarge: the exact balance would be too long to keep.
            BadUse: under tight accounting, the price is not that of the budget's first charge, or dp-accounting is not
                installed.
            LedgerUnusable: the ledger cannot be used. Nothing was released; if it broke off during the commit, the
                charge may stand, and the same request id finds it.
        """
        name = None if request_id is None else checked_text("request_id", request_id)
        with self._store.writing() as transaction:
            return grant(Book(transaction, self.shown).lock(), budget, question, name, fresh=fresh)

    def charge_all(self, budget: str, questions: Sequence[Question]) -> tuple[Grant, ...]:
        """Charge several questions in one transaction: all of them, or none if one is refused.

        Raises:
            As for `charge`.
        """
        granted: list[Grant] = []
        once: dict[str, Charge] = {}
        with self._store.writing() as transaction:
            book = Book(transaction, self.shown).lock()
            for question in questions:
                if question.sha256 in once:  # which has no answer yet
                    granted.append(Grant(once[question.sha256], Basis.STORED))
                    continue
                granted.append(grant(book, budget, question))
                if question.is_drawn_once:
                    once[question.sha256] = granted[-1].charge
        return tuple(granted)

    def bill(self, budget: str, questions: Sequence[Question]) -> Bill:
        """Return what several questions would cost together, and whether the budget covers it; nothing is charged.

        Raises:
            As for `charge`, but for `BudgetExceeded`.
            BadUse: their deltas come to 1 or more, which no budget covers.
        """
        with self._store.reading() as transaction:
            return bill(Book(transaction, self.shown).check(), budget, questions)

    def check(self, budget: str, question: Question) -> None:
        """Check that a question may be charged to a budget, whatever it costs; nothing is charged.

        Raises:
            InvalidParameter, BudgetClosed: as for `charge`.
        """
        with self._store.reading() as transaction:
            book = Book(transaction, self.shown).check()
            account = book.account(budget)
            account.terms.check_adjacency(question.adjacency)
            account.terms.cost_of(question)
            if paid_for(book, budget, question) is None:
                check_chargeable(book, account, question)

    def has_paid_for(self, budget: str, question: Question) -> bool:
        """Return whether a budget was charged for a question before, and would not be charged again."""
        with self._store.reading() as transaction:
            return paid_for(Book(transaction, self.shown).check(), budget, question) is not None

    def deliver(self, charge: Charge, receipt: str) -> Charge:
        """Store the answer to a charge, on disk when this returns; return the charge with the answer that stands.

        Args:
            charge: as `charge` granted it.
            receipt: a JSON object in ASCII with the count as `released`, from 0 to the maximum of the question; or the
                list of counts, for a question about several cells.

        Raises:
            InvalidParameter: `receipt` is something else, or `charge` is not from this ledger.
            LedgerUnusable: the ledger cannot be used; the answer must not be shown, and can be drawn again
                (unless `Question.is_drawn_once`).
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
        """Return the charge of a request id, if there is one; nothing is charged."""
        of_budget, of_request = checked_text("budget", budget), checked_text("request_id", request_id)
        with self._store.reading() as transaction:
            return Book(transaction, self.shown).check().charge(of_budget, of_request)

    # --- sources ----------------------------------------------------------------------------------------------------

    @property
    def folder(self) -> Path | None:
        """The folder of the ledger; None for PostgreSQL."""
        return self._store.folder

    def sources(self, budget: str) -> tuple[ListedSource, ...]:
        """Return the sources that a budget lists, in the order they were listed; none where its owner asks alone.

        Raises:
            InvalidParameter: there is no budget of that name.
        """
        with self._store.reading() as transaction:
            book = Book(transaction, self.shown).check()
            book.account(budget)
            return tuple(book.sources(budget))

    def source_paths(self) -> tuple[str, ...]:
        """Return the files and folders of this machine that are sources of any of the budgets."""
        with self._store.reading() as transaction:
            listed = Book(transaction, self.shown).check().sources()
        return tuple(dict.fromkeys(path for source in listed for path in source.place(self.folder).paths))

    def add_source(self, budget: str, source: ListedSource) -> ListedSource:
        """List a source, permanently; from the first one on, nothing else can be asked about under the budget.

        Raises:
            InvalidParameter: there is no such budget, or it was closed; the source is already listed; or whom its rows
                belong to differs from what was charged so far.
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
        """Return the names of all budgets, in the order of their creation."""
        with self._store.reading() as transaction:
            return tuple(Book(transaction, self.shown).check().names())

    def terms(self, name: str) -> Terms:
        """Return what was settled for the budget of that name.

        Raises:
            InvalidParameter: there is none.
        """
        with self._store.reading() as transaction:
            return Book(transaction, self.shown).check().account(name).terms

    def budget(self, name: str) -> Budget:
        """Return the budget as it stands.

        Raises:
            InvalidParameter: there is none of that name.
            BadUse: under tight accounting, dp-accounting is not installed.
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
            left=left_of(account, spent),
            more=more_of(account, spent),
            charges=spent.total(),
            protected=protected_by(charge.question for charge in charges),
            sources=tuple(sources),
            undelivered=sum(charge.answer is None for charge in charges),
            created_at=account.created.time,
            closed_at=None if account.closed is None else account.closed.time,
        )

    def history(self, name: str) -> tuple[Charge, ...]:
        """Return every charge to a budget, in order.

        Raises:
            InvalidParameter: there is no budget of that name.
        """
        with self._store.reading() as transaction:
            book = Book(transaction, self.shown).check()
            book.account(name)
            return tuple(book.charges(name))

    def close(self, name: str) -> Budget:
        """Let nothing more be charged to a budget, permanently. Stored answers can still be had.

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
        """Return the hash of the last entry, which binds all entries before it. Noted down elsewhere, it dates the
        ledger."""
        with self._store.reading() as transaction:
            return Book(transaction, self.shown).check().head()[1]

    def verify(self, noted_head: str | None = None) -> Verification:
        """Check that the history is what was written; see `hushcount.ledger.verification` for what can be found.

        Args:
            noted_head: a head noted down earlier, which the history must contain.
        """
        with self._store.reading() as transaction:
            book = Book(transaction, self.shown)
            return verification(book.rows(), book.head(), self._store.damage(transaction), noted_head)


def _check_new(terms: Terms, source: ListedSource, listed: Sequence[ListedSource]) -> None:
    """Check that a budget of these terms, which already lists so much, can list a source too.

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
