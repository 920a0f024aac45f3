"""What every release has in common, of a count or of a table of counts: a question that is judged before any data is
read, settled once all but the counts is known, and answered by a receipt."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from hushcount._version import __version__
from hushcount.counting import OpenTable, Predicate, ReadOptions, parse_predicate
from hushcount.counting.declared.place import Place
from hushcount.counting.declared.units import Unit
from hushcount.errors import InvalidParameter
from hushcount.promise.adjacency import Adjacency
from hushcount.release.audited import Audited
from hushcount.release.guarantee import Drawing, Law, neighbours
from hushcount.release.receipt import SCHEMA_VERSION, LedgerFacts, Reading, ReceiptBase
from hushcount.release.subject import Subject

if TYPE_CHECKING:
    from hushcount.ledger import Question

__all__ = ["Asking", "R", "Settling", "law_name"]

R = TypeVar("R", bound=ReceiptBase)
"""The receipt that answers a question."""


@dataclass(frozen=True)
class Asking(ABC, Generic[R]):
    """A question that was judged. Only what is public about the data may be missing.

    Attributes:
        subject: what it is about: the source, how it is read, and whom a row belongs to.
        where: the condition as it was asked, and `predicate`, the same as it was read.
        adjacency, max_count: as of `release_count`.
        law: from the largest count to the mechanism.
    """

    subject: Subject
    where: str
    predicate: Predicate
    adjacency: Adjacency
    max_count: int | None
    law: Law

    @property
    def place(self) -> Place:
        """Where the source is."""
        return self.subject.place

    @property
    def options(self) -> ReadOptions:
        """How it is read."""
        return self.subject.options

    @property
    def unit(self) -> Unit | None:
        """What is counted, if not rows."""
        return self.subject.unit

    @abstractmethod
    def open(self) -> OpenTable:
        """Open the source for the question."""

    @abstractmethod
    def settled(self, everything: int) -> Settling[R]:
        """The question about a table with so many rows or units, which matters under replace-one only.

        Raises:
            InvalidParameter: a mechanism was brought along that is made for another range, or a total is larger.
        """

    @abstractmethod
    def settled_as(self, question: Question) -> Settling[R]:
        """The question as it was settled once before, as far as that depends on the data."""

    @property
    def source(self) -> str:
        """The name of the file, without its folder; or the address, without credentials."""
        return self.subject.name

    def settle(self, table: OpenTable) -> Settling[R]:
        """The question about an open table: its rows are counted, or under replace-one its units if they count.

        Raises:
            BadUse, BadData: as `settled` does; or the source cannot be read, or is not as it is listed.
        """
        self.subject.check(table)
        by_unit = self.unit is not None and self.adjacency is Adjacency.REPLACE_ONE
        return self.settled(table.count_units() if by_unit else table.count_rows())

    def about(self) -> dict[str, Any]:
        """What makes it this question and not another, beside what `Question` holds."""
        return self.subject.about()

    def facts(self, ledger: LedgerFacts | None) -> dict[str, Any]:
        """What a receipt repeats of the question, and what makes it this receipt."""
        return {
            "schema_version": SCHEMA_VERSION,
            "where": self.where,
            "predicate": self.predicate.sql,
            "source": self.source,
            "table": self.options.table,
            "reading": Reading.of(self.options),
            "hushcount_version": __version__,
            "released_at": datetime.now(UTC).replace(microsecond=0),
            "receipt_id": uuid.uuid4(),
            "ledger": ledger,
        }

    @staticmethod
    def judged(subject: Subject, where: str, adjacency: str, **names: str) -> tuple[Predicate, Adjacency]:
        """What the arguments stand for that all questions have; `names` are texts that a receipt will repeat.

        Raises:
            BadUse: one of them breaks its rule.
        """
        options = subject.options
        unit = "" if subject.unit is None else subject.unit.column
        given = {"where": where, "table": options.table or "", "unit": unit, **names}
        for argument, text in [*given.items(), *(("types", name) for name in options.types)]:
            _check_text(argument, text)
        return parse_predicate(where), neighbours(adjacency)


class Settling(ABC, Generic[R]):
    """A question of which only the counts are missing."""

    receipt_type: ClassVar[type[ReceiptBase]]

    @abstractmethod
    def question(self) -> Question:
        """Two with equal questions have one answer: it says all that settles a release, save the data."""

    @abstractmethod
    def answered(
        self, table: OpenTable, ledger: LedgerFacts | None = None, progress: Callable[[float], None] | None = None
    ) -> R:
        """Count, draw, and write the receipt.

        Args:
            progress: told from time to time which part of the draws is done, from 0 to 1.
        """


def law_name(mechanism: Drawing) -> str:
    """A name that no other mechanism of the same range and price has."""
    if not isinstance(mechanism, Audited):
        return mechanism.name
    found = mechanism.audit
    told = repr(mechanism.mechanism) if found.matrix_sha256 is None else f"matrix SHA-256 {found.matrix_sha256}"
    return f"{found.name} ({told})"


def _check_text(argument: str, text: str) -> None:
    # The receipt repeats it and must not fail to be written once the count is drawn.
    if not isinstance(text, str):
        raise InvalidParameter(argument, text, "a text")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidParameter(argument, text, "text that UTF-8 can spell") from None
