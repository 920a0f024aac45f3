"""What is asked: everything of the release of a count that is judged before any data is read, and its receipt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from hushcount.counting import OpenTable
from hushcount.numbers.exact import Number
from hushcount.promise.adjacency import public_range
from hushcount.release.asking import Asking, Settling, law_name
from hushcount.release.guarantee import Drawing, Figures, figures, offered
from hushcount.release.receipt import LedgerFacts, Receipt
from hushcount.release.subject import Subject

if TYPE_CHECKING:
    from hushcount.ledger import Question
    from hushcount.mechanisms import Mechanism

__all__ = ["Request", "Settled"]


@dataclass(frozen=True)
class Request(Asking[Receipt]):
    """A release that was judged; made by `Request.of`. Only the number of rows, or units, may be missing."""

    @classmethod
    def of(
        cls,
        subject: Subject,
        where: str,
        epsilon: Number,
        delta: Number = 0,
        *,
        adjacency: str,
        max_count: int | None,
        mechanism: str | Mechanism,
    ) -> Request:
        """Judge the arguments of `release_count`, which says what they are, about a source.

        Raises:
            BadUse: one of them breaks its rule, or the mechanism is not private.
        """
        predicate, relation = cls.judged(subject, where, adjacency)
        subject.judge(predicate)
        least_n = public_range(relation, 0, max_count)
        law = offered(mechanism, epsilon, delta)
        if max_count is not None:  # then n is known already
            law(least_n)
        return cls(subject, where, predicate, relation, max_count, law)

    def open(self) -> OpenTable:
        return self.subject.open(self.predicate)

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
        from hushcount.promise.epsilon_delta import EpsilonDelta

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
