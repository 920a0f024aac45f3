"""A count that is asked for, and its receipt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hushcount.counting import OpenTable, parse_predicate
from hushcount.errors import InvalidParameter
from hushcount.mechanisms import Mechanism
from hushcount.promise.adjacency import Adjacency, public_range
from hushcount.promise.curve import Curve
from hushcount.release.aim import Aim
from hushcount.release.guarantee import Guarantee
from hushcount.release.law import Law
from hushcount.release.question import QuestionBase, Settled
from hushcount.release.receipt import LedgerFacts, Receipt
from hushcount.release.subject import Subject

if TYPE_CHECKING:
    from hushcount.ledger import Question

__all__ = ["CountQuestion", "SettledCount"]


@dataclass(frozen=True)
class CountQuestion(QuestionBase[Receipt]):
    """A count that was judged; made by `CountQuestion.of`. Only the number of rows, or units, may be missing."""

    receipt_type = Receipt

    @classmethod
    def of(
        cls,
        subject: Subject,
        where: str,
        promise: Curve | Aim,
        *,
        adjacency: str = "replace-one",
        max_count: int | None = None,
        mechanism: str | Mechanism = "nearest",
    ) -> CountQuestion:
        """Judge the arguments of `release_count`, which says what they are, for a source.

        Raises:
            BadUse: one of them breaks its rule, or the mechanism is not private.
        """
        subject.check_texts(where=where)
        predicate, relation = parse_predicate(where), Adjacency.of(adjacency)
        subject.judge(predicate)
        least_n = public_range(relation, 0, max_count)
        moves = 1 if subject.unit is None else subject.unit.moves
        if max_count is not None and moves > max(1, least_n):
            rule = f"at most the largest count, {least_n}: a unit with as many rows can move it no farther"
            raise InvalidParameter("rows_per_unit", moves, rule)
        law = Law.of(mechanism, promise, moves)
        if max_count is not None:  # then n is already known
            law.reaching([least_n]).at(least_n)
        return cls(subject, where, predicate, relation, max_count, law)

    @property
    def promised(self) -> Curve:
        return self.law.promise

    def open(self) -> OpenTable:
        return self.subject.open(self.predicate)

    def settled(self, everything: int) -> SettledCount:
        top = public_range(self.adjacency, everything, self.max_count)
        law = self.law.reaching([top])
        mechanism = law.at(top)
        guarantee = Guarantee.of(law, mechanism, self.adjacency, self.subject.unit)
        return SettledCount(replace(self, law=law), mechanism, guarantee)

    def settled_as(self, charged: Question) -> SettledCount:
        return self.settled(charged.maximum)


@dataclass(frozen=True)
class SettledCount(Settled[Receipt]):
    """A count whose range is also known.

    Attributes:
        question: what is asked.
        mechanism: what draws the count.
        guarantee: what is guaranteed of the released count.
    """

    question: CountQuestion
    mechanism: Mechanism
    guarantee: Guarantee

    @property
    def chances(self) -> Mapping[int, float]:
        return self.guarantee.chances

    def charged(self) -> Question:
        from hushcount.ledger import Question  # ledgers take long to load, and a release without one needs none

        asked = self.question
        return Question(
            predicate=asked.predicate.sql,
            maximum=self.guarantee.maximum,
            adjacency=asked.adjacency,
            mechanism=asked.law.full_name,
            price=asked.law.promise,
            about=asked.subject.about(),
        )

    def released(
        self, table: OpenTable, ledger: LedgerFacts | None = None, progress: Callable[[float], None] | None = None
    ) -> Receipt:
        drawn = int(self.mechanism.draw(min(table.tally().matching, self.mechanism.n)))
        fields = self.guarantee.to_fields() | self.question.facts(ledger)
        return Receipt.model_validate({**fields, "released": drawn})
