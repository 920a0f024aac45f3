"""What is asked: everything of the release of a count that is judged before any data is read, and its receipt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hushcount.counting import OpenTable, ReadOptions, public_range
from hushcount.counting.units import Unit
from hushcount.exact import Number
from hushcount.release.asking import Asking, Settling, law_name
from hushcount.release.guarantee import Drawing, Figures, figures, offered
from hushcount.release.receipt import LedgerFacts, Receipt

if TYPE_CHECKING:
    from hushcount.ledger import Question
    from hushcount.mechanisms import Mechanism

__all__ = ["Request", "Settled"]


@dataclass(frozen=True)
class Request(Asking[Receipt]):
    """A release that was judged; made by `Request.of`. Only the number of rows, or units, may be missing."""

    counted: Unit | None

    @classmethod
    def of(
        cls,
        source: str | Path,
        where: str,
        epsilon: Number,
        delta: Number = 0,
        *,
        adjacency: str,
        max_count: int | None,
        mechanism: str | Mechanism,
        options: ReadOptions,
        unit: str | None = None,
        without_unit: str = "error",
    ) -> Request:
        """Judge the arguments of `release_count`, which says what they are.

        Raises:
            BadUse: one of them breaks its rule, or the mechanism is not private.
        """
        counted = Unit.of(unit, without_unit)
        place, predicate, relation = cls.judged(source, where, adjacency, options, unit=unit or "")
        least_n = public_range(relation, 0, max_count)
        law = offered(mechanism, epsilon, delta)
        if max_count is not None:  # then n is known already
            law(least_n)
        return cls(place, where, predicate, relation, max_count, law, options, counted)

    @property
    def unit(self) -> Unit | None:
        return self.counted

    def open(self) -> OpenTable:
        return OpenTable(self.place, self.predicate, self.options, unit=self.unit)

    def settled(self, everything: int) -> Settled:
        mechanism = self.law(public_range(self.adjacency, everything, self.max_count))
        return Settled(self, mechanism, figures(mechanism, self.adjacency, self.unit))

    def settled_as(self, question: Question) -> Settled:
        return self.settled(question.maximum)


@dataclass(frozen=True)
class Settled(Settling[Receipt]):
    """A request of which only the count is missing.

    Attributes:
        request: what is asked.
        mechanism: what draws the count to release.
        promised: the figures of the mechanism.
    """

    request: Request
    mechanism: Drawing
    promised: Figures

    receipt_type = Receipt

    def question(self) -> Question:
        from hushcount.ledger import Question
        from hushcount.tradeoff import EpsilonDelta

        return Question(
            predicate=self.request.predicate.sql,
            maximum=self.mechanism.n,
            adjacency=self.request.adjacency,
            mechanism=law_name(self.mechanism),
            price=EpsilonDelta(self.mechanism.epsilon, self.mechanism.delta),
            about=self.request.about(),
        )

    def answered(
        self, table: OpenTable, ledger: LedgerFacts | None = None, progress: Callable[[float], None] | None = None
    ) -> Receipt:
        return self.receipt(table.tally().matching, ledger)

    def receipt(self, matching: int, ledger: LedgerFacts | None = None) -> Receipt:
        """Draw the count to release in place of the true one, and write its receipt."""
        released = int(self.mechanism.draw(min(matching, self.mechanism.n)))
        return Receipt.model_validate({**asdict(self.promised), **self.request.facts(ledger), "released": released})
