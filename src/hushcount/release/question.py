"""What every release has in common, of a count or of a table of counts.

A question is built once, and judged before any data is read. Once it is settled, only the counts are missing: it says
what a ledger is to charge and, after counting and drawing, gives its receipt. `hushcount.release.answer` takes it all
the way.
"""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from hushcount._version import __version__
from hushcount.counting import OpenTable, Predicate
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.found import FoundCells
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.curve import Curve
from hushcount.release.law import Law
from hushcount.release.receipt import LedgerFacts, Reading, ReceiptBase, version_of
from hushcount.release.subject import Subject
from hushcount.release.text import question_text

if TYPE_CHECKING:
    from hushcount.ledger import Question
    from hushcount.release.payment import Payment

__all__ = ["QuestionBase", "R", "Settled"]

R = TypeVar("R", bound=ReceiptBase)
"""The receipt that answers a question."""


@dataclass(frozen=True)
class QuestionBase(ABC, Generic[R]):
    """A question that was judged. Only what is public about the data may be missing.

    Attributes:
        subject: what it is about: the source, how it is read, and whom a row belongs to.
        where: the condition as it was typed, and `predicate`, the same as it was read.
        adjacency, max_count: as in `release_count`.
        law: how a count is drawn, with its promise.
    """

    subject: Subject
    where: str
    predicate: Predicate
    adjacency: Adjacency
    max_count: int | None
    law: Law

    receipt_type: ClassVar[type[ReceiptBase]]

    @property
    def cells(self) -> Cells | FoundCells | None:
        """The cells that are counted in, declared or from the data; None for one count."""
        return None

    @property
    @abstractmethod
    def promised(self) -> Curve:
        """What is promised of the whole answer, which is what it costs; where that follows from an accuracy and a
        number of rows that is not known yet, a promise of its kind."""

    @abstractmethod
    def open(self) -> OpenTable:
        """Open the source for the question."""

    @abstractmethod
    def settled(self, everything: int) -> Settled[R]:
        """Return the question about a table with that many rows or units, which matters only under replace-one.

        Raises:
            InvalidParameter: the user's own mechanism has another range, or a total is larger.
        """

    def settled_in(self, table: OpenTable, payment: Payment | None = None, everything: int | None = None) -> Settled[R]:
        """Return the question as an open source settles it, or as the budget that pays for it has it answered.

        Args:
            everything: what `everything` returns of the table, where that is known.

        Raises:
            BadUse, BadData: as for `settled` and `everything`.
        """
        public = self.everything(table) if everything is None else everything
        return self.told_by(table).settled(public).as_answered(payment)

    def told_by(self, table: OpenTable) -> Self:
        """Return the question with what the declarations of an open source say of it."""
        return self

    @abstractmethod
    def settled_as(self, charged: Question) -> Settled[R]:
        """Return the question as it was settled before, as far as that depends on the data."""

    def everything(self, table: OpenTable) -> int:
        """Return the number of rows of an open table, or under replace-one of its units if these are counted: the
        largest count that there can be. It is S times the number of units where at most S rows of each count.

        Raises:
            BadData: the source cannot be read, or is not as it is listed.
        """
        self.subject.check(table)
        unit = self.subject.unit
        if unit is None or self.adjacency is not Adjacency.REPLACE_ONE:
            return table.count_rows()
        return unit.moves * table.count_units()

    def facts(self, ledger: LedgerFacts | None) -> dict[str, Any]:
        """Return what a receipt repeats of the question, and what makes it this receipt."""
        return {
            "schema_version": version_of(self.law.promise, self.law.name, self.subject.unit),
            "where": self.where,
            "predicate": self.predicate.sql,
            "source": self.subject.name,
            "table": self.subject.options.table,
            "reading": Reading.of(self.subject.options),
            "hushcount_version": __version__,
            "released_at": datetime.now(UTC).replace(microsecond=0),
            "receipt_id": uuid.uuid4(),
            "ledger": ledger,
        }

    def __str__(self) -> str:
        subject = self.subject
        return question_text(subject.name, subject.options.table, subject.unit, self.where)


class Settled(ABC, Generic[R]):
    """A question of which only the counts are missing."""

    question: QuestionBase[R]

    @property
    @abstractmethod
    def chances(self) -> Mapping[int, float]:
        """The chances that a count is off by more than so much, as in `Guarantee`; in a table, that of any cell."""

    def as_answered(self, payment: Payment | None) -> Settled[R]:
        """Return the question as it was settled when the budget of `payment` paid for it; itself if it did not."""
        return self

    @abstractmethod
    def charged(self) -> Question:
        """Return what a ledger charges. It says everything that settles a release but the data, so two that are
        equal have one answer."""

    @abstractmethod
    def released(
        self, table: OpenTable, ledger: LedgerFacts | None = None, progress: Callable[[float], None] | None = None
    ) -> R:
        """Count, draw, and write the receipt.

        Args:
            progress: told from time to time which part of the draws is done, from 0 to 1.
        """
