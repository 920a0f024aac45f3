"""Several counts about one source, charged to one budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from hushcount.counting import ReadOptions
from hushcount.counting.declared.named import named
from hushcount.counting.declared.place import SourceLike
from hushcount.counting.engines.duckdb import KeptEngine
from hushcount.errors import BadUse
from hushcount.ledger import Basis, Charge, Ledger
from hushcount.ledger.location import Location
from hushcount.numbers.exact import Number
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.mu_delta import MuDelta
from hushcount.release.aim import asked
from hushcount.release.answer import answer
from hushcount.release.count.question import CountQuestion
from hushcount.release.payment import Payment
from hushcount.release.question import QuestionBase, R
from hushcount.release.receipt import Receipt
from hushcount.release.subject import Subject
from hushcount.release.table.asked import table_question
from hushcount.release.table.found import FromData
from hushcount.release.table.receipt import TableReceipt
from hushcount.words.printable import printable

if TYPE_CHECKING:
    from hushcount.mechanisms import Mechanism

__all__ = ["Session"]


class Session:
    """Counts about one source, each charged to one budget before it is drawn, as `hushcount release --ledger` does.

        with Session("people.csv", "people.ledger", "people") as session:
            receipt = session.count("age >= 65", epsilon="0.5")

    Neither source nor ledger is kept open between two counts, so several sessions and commands may share a ledger, and
    each count reads the source as it then is. Only the engine that counts is kept, until the session ends.

    Args:
        source, source_name: as in `release_count`; None stands for the only source that the budget lists.
        ledger: a `Ledger`, or where it is: a file, or postgresql://host/database. `create_budget` makes one.
        budget: the name of a budget of the ledger; the releases have its adjacency.
        options: how the source is to be read; see `ReadOptions`. None stands for what the budget lists, or else the
            defaults.

    Attributes:
        basis: why the last count was answered: charged now, charged before and drawn now, or stored; None at first.

    Raises:
        BadUse: an argument breaks its rule, or there is no such budget.
        LedgerUnusable: there is no ledger, or it cannot be used.
    """

    basis: Basis | None = None

    def __init__(
        self,
        source: SourceLike | None,
        ledger: Ledger | Location,
        budget: str,
        *,
        source_name: str | None = None,
        options: ReadOptions | None = None,
    ) -> None:
        self._payment = Payment.of(ledger, budget)
        self._source, self._source_name = source, source_name
        self._options, self._kept = options, KeptEngine()
        self._subject()  # raises an error now if it is not listed
        self._adjacency = self._payment.ledger.terms(budget).adjacency
        self._has_ended = False

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._has_ended = True
        self._kept.close()

    def count(
        self,
        where: str,
        epsilon: Number | Curve | None = None,
        delta: Number = 0,
        *,
        mu: Number | None = None,
        rho: Number | None = None,
        within: int | None = None,
        chance: Number | None = None,
        currency: str | None = None,
        max_count: int | None = None,
        mechanism: str | Mechanism = "nearest",
        unit: str | None = None,
        without_unit: str | None = None,
        rows_per_unit: int | None = None,
        request_id: str | None = None,
        fresh: bool = False,
    ) -> Receipt:
        """Release how many rows satisfy `where`, or give the stored receipt of the same question without cost.

        Args and errors are those of `release_count`; also

        Raises:
            BadUse: the session has ended.
        """
        question = CountQuestion.of(
            self._subject(unit, without_unit, rows_per_unit),
            where,
            asked(
                epsilon,
                delta,
                mu=mu,
                rho=rho,
                within=within,
                chance=chance,
                currency=currency,
                payment=self._payment,
            ),
            adjacency=self._adjacency.value,
            max_count=max_count,
            mechanism=mechanism,
        )
        return self._answer(question, request_id, fresh)

    def table(
        self,
        by: str | Iterable[str],
        keys: str | Path | Iterable[Any] | FromData | None = None,
        epsilon: Number | Curve | None = None,
        delta: Number = 0,
        *,
        mu: Number | None = None,
        rho: Number | None = None,
        within: int | None = None,
        chance: Number | None = None,
        currency: str | None = None,
        where: str = "TRUE",
        max_count: int | None = None,
        totals: str | Path | Iterable[int] | None = None,
        keys_delimiter: str = ",",
        undeclared: str | None = None,
        unit: str | None = None,
        without_unit: str | None = None,
        rows_per_unit: int | None = None,
        max_cells: int | None = None,
        mechanism: str | Mechanism = "nearest",
        request_id: str | None = None,
        fresh: bool = False,
        progress: Callable[[float], None] | None = None,
    ) -> TableReceipt:
        """Release a table of counts, charged as a whole, or give its stored receipt without cost.

        Args and errors are those of `release_table`; also

        Raises:
            BadUse: the session has ended.
        """
        subject = self._subject(unit, without_unit, rows_per_unit)
        question = table_question(
            subject,
            by,
            keys,
            where,
            asked(
                epsilon,
                delta,
                mu=mu,
                rho=rho,
                within=within,
                chance=chance,
                currency=currency,
                payment=self._payment,
            ),
            adjacency=self._adjacency.value,
            max_count=max_count,
            max_cells=max_cells,
            totals=totals,
            keys_delimiter=keys_delimiter,
            undeclared=undeclared,
            mechanism=mechanism,
        )
        return question.named(self._answer(question, request_id, fresh, progress))

    def _subject(
        self, unit: str | None = None, without_unit: str | None = None, rows_per_unit: int | None = None
    ) -> Subject:
        found = Subject.of(
            self._source, self._options, unit, without_unit, self._payment, self._source_name, rows_per_unit
        )
        return replace(found, kept=self._kept)

    def _answer(
        self,
        question: QuestionBase[R],
        request_id: str | None,
        fresh: bool,
        progress: Callable[[float], None] | None = None,
    ) -> R:
        if self._has_ended:
            raise BadUse("the session has ended; open another one")
        found = answer(question, Payment.of(self._payment.ledger, self._payment.budget, request_id, fresh), progress)
        self.basis = found.basis
        return found.receipt

    def __str__(self) -> str:
        about = "the only source listed" if self._source is None else named(self._source, self._source_name).shown
        state = ", ended" if self._has_ended else ""
        return printable(
            f"Session about {about}, charged to {self._payment.budget} of {self._payment.ledger.shown}{state}"
        )

    @property
    def remaining(self) -> EpsilonDelta | MuDelta:
        """What is left of the budget now, exactly; under tight composition, a price that is still covered."""
        return self._payment.ledger.budget(self._payment.budget).left

    def history(self) -> tuple[Charge, ...]:
        """Return every charge to the budget, in order, including those of others."""
        return self._payment.ledger.history(self._payment.budget)
