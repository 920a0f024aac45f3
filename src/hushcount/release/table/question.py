"""A table of counts that is asked for, and its receipt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from hushcount.counting import OpenTable, parse_predicate
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.key_files import LARGEST_TOTAL
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.curve import Curve
from hushcount.release.aim import Aim
from hushcount.release.law import Law
from hushcount.release.question import QuestionBase, Settled
from hushcount.release.receipt import OF_FOUND, LedgerFacts
from hushcount.release.subject import Subject
from hushcount.release.table.cells import DeclaredCells
from hushcount.release.table.draws import draw_cells
from hushcount.release.table.guarantee import TableGuarantee
from hushcount.release.table.one_count import are_all, may_be_one_count, one_draw_by
from hushcount.release.table.receipt import TableReceipt

if TYPE_CHECKING:
    from hushcount.ledger import Question
    from hushcount.mechanisms import Mechanism
    from hushcount.release.payment import Payment

__all__ = ["SettledTable", "TableQuestion"]

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class TableQuestion(QuestionBase[TableReceipt]):
    """A table that was judged; made by `TableQuestion.of`. Only the number of rows, or units, may be missing.

    Attributes:
        declared: the cells, with their totals where these are known.
        is_one_count: whether its two cells are one count (`one_count`), which the declarations of the source tell.
        adds_up_to: a total that the released counts will be made to add up to, to be refused early if they cannot.
    """

    declared: DeclaredCells
    is_one_count: bool = False
    adds_up_to: int | None = None

    receipt_type = TableReceipt

    @property
    def cells(self) -> Cells:
        return self.declared.cells

    @classmethod
    def of(
        cls,
        subject: Subject,
        declared: DeclaredCells,
        where: str,
        promise: Curve | Aim,
        *,
        adjacency: str = "replace-one",
        max_count: int | None = None,
        mechanism: str | Mechanism = "nearest",
        adds_up_to: int | None = None,
    ) -> TableQuestion:
        """Judge the arguments of `release_table`, which says what they are, for a source.

        Args:
            promise: the promise for the draw of one cell.

        Raises:
            BadUse: one of them breaks its rule, or the mechanism is not private.
        """
        subject.check_texts(where=where)
        predicate, relation = parse_predicate(where), Adjacency.of(adjacency)
        with declared.telling_names_apart():
            subject.judge(predicate, declared.cells)
        cap = declared.checked_cap(relation, max_count)
        law = Law.of(mechanism, promise, 1 if subject.unit is None else subject.unit.moves)
        question = cls(subject, where, predicate, relation, cap, law, declared, adds_up_to=adds_up_to)
        _ = question.price  # which judges delta
        if relation is Adjacency.ADD_REMOVE:  # then all is known already
            _ = question._settled_beforehand
        return question

    @property
    def names(self) -> tuple[str, ...]:
        """What the key columns are called."""
        return self.declared.cells.keys.by

    @cached_property
    def price(self) -> Curve:
        """The promise for the whole table, which is what it costs."""
        cells = self.declared.cells
        changed = 1 if self.is_one_count else self.adjacency.changed_cells(cells.max_cells, len(cells))
        return self.law.promise.of_cells(changed)

    @property
    def promised(self) -> Curve:
        return self.price

    def named(self, receipt: TableReceipt) -> TableReceipt:
        """Return the receipt with its keys, which a ledger does not keep."""
        return receipt.naming(self.declared.cells.keys)

    def open(self) -> OpenTable:
        with self.declared.telling_names_apart():
            return self.subject.open(self.predicate, self.declared.cells)

    def settled(self, everything: int) -> SettledTable:
        return self._settled(everything) if self.adjacency is Adjacency.REPLACE_ONE else self._settled_beforehand

    def settled_as(self, charged: Question) -> SettledTable:
        public = charged.about.get("everything")
        question = replace(self, is_one_count=charged.is_one_count and self._may_be_one_count)
        return question.settled(public if isinstance(public, int) else charged.maximum)

    def told_by(self, table: OpenTable) -> Self:
        cells = self.declared.cells
        is_one = self._may_be_one_count and are_all(cells, table.declared(cells.columns[0]))
        return replace(self, is_one_count=is_one)

    @property
    def _may_be_one_count(self) -> bool:
        return may_be_one_count(self.declared, self.adjacency, self.predicate, self.max_count, self.law)

    @property
    def one_draw_by(self) -> str | None:
        """With which options nearly the same table would be one count; None where it is one, or is far from it."""
        if self.is_one_count:
            return None
        return one_draw_by(self.declared, self.adjacency, self.predicate, self.max_count, self.law)

    @cached_property
    def _settled_beforehand(self) -> SettledTable:
        return self._settled(None)

    def _settled(self, public: int | None) -> SettledTable:
        """Return the table, where the number of rows or units is public, or is not."""
        common = self.max_count if public is None else public if self.max_count is None else min(public, self.max_count)
        if common is not None and not common <= LARGEST_TOTAL:
            raise TooLarge("the counts of a table are drawn together, which takes a maximum below 2**62 (--max)")
        cells, totals = self.declared.cells, self.declared.totals
        if totals is None:
            assert common is not None
            self._check_reachable(len(cells) * common, public)
            return self.settled_at(public, np.full(1, common, dtype=np.int64))
        if public is not None and not totals.max() <= public:
            what = "rows" if cells.unit is None else "units"
            if cells.unit is not None and cells.unit.rows_per_unit is not None:
                what = f"units times {cells.unit.rows_per_unit}"
            raise InvalidParameter("totals", None, f"at most the number of {what}, {public}, which is public")
        rest = [common] if cells.keeps_other else []
        self._check_reachable(sum(totals.tolist()) + sum(filter(None, rest)), public)
        return self.settled_at(public, np.concatenate([totals, np.array(rest, dtype=np.int64)]))

    def settled_at(self, everything: int | None, maxima: Counts) -> SettledTable:
        """Return the table with these largest counts of its cells, or this one for all.

        Raises:
            InvalidParameter: a mechanism was brought along that is made for another range.
        """
        has_totals, cells = self.declared.totals is not None, self.declared.cells
        law = self.law.reaching(np.unique(maxima).tolist())
        question = replace(self, law=law)
        sum_of_all = everything if self.is_one_count else None
        guarantee = TableGuarantee.of(
            law,
            self.adjacency,
            cells,
            question.price,
            maxima,
            has_totals=has_totals,
            public_total=sum_of_all,
            public_count=everything,
        )
        return SettledTable(question, everything, maxima, guarantee)

    def _check_reachable(self, highest: int, public: int | None) -> None:
        if self.adds_up_to is None:
            return
        if self.is_one_count and self.adds_up_to != public:
            rule = f"{public}, the public number that both counts add up to as they are released, or left out"
            raise InvalidParameter("round_trip", self.adds_up_to, rule)
        if not self.adds_up_to <= highest:
            rule = f"a total of at most {highest}, the sum of the largest counts of all cells"
            raise InvalidParameter("round_trip", self.adds_up_to, rule)


@dataclass(frozen=True)
class SettledTable(Settled[TableReceipt]):
    """A table whose ranges are also known.

    Attributes:
        question: what is asked.
        everything: the number of rows, or units, where it is public.
        maxima: the largest count of each cell; one number if it is the same for all.
        guarantee: what is guaranteed about the released counts.
    """

    question: TableQuestion
    everything: int | None
    maxima: Counts = field(repr=False)
    guarantee: TableGuarantee = field(repr=False)

    @property
    def chances(self) -> Mapping[int, float]:
        return self.guarantee.cell.chances

    def as_answered(self, payment: Payment | None) -> SettledTable:
        """See `Settled`. Before there were public totals, both cells of a table were drawn, and charged for."""
        if payment is None or not self.question.is_one_count or payment.has_paid_for(self.charged()):
            return self
        former = replace(self.question, is_one_count=False).settled_at(self.everything, self.maxima)
        return former if payment.has_paid_for(former.charged()) else self

    def charged(self) -> Question:
        from hushcount.ledger import Question  # ledgers take long to load, and a release without one needs none

        asked = self.question
        return Question(
            predicate=asked.predicate.sql,
            maximum=int(self.maxima.max()),
            adjacency=asked.adjacency,
            mechanism=asked.law.full_name,
            price=asked.price,
            about={
                **asked.subject.about(),
                **asked.declared.about(),
                **asked.law.promise.to_fields("cell_"),
                # What `maximum` does not tell, where declared cells have totals
                "everything": self.everything,
                "last_maximum": int(self.maxima[-1]),
                **({"one_count": True} if asked.is_one_count else {}),
            },
            cells=len(asked.declared.cells),
        )

    def released(
        self, table: OpenTable, ledger: LedgerFacts | None = None, progress: Callable[[float], None] | None = None
    ) -> TableReceipt:
        declared, total = self.question.declared, self.guarantee.public_total
        matching = table.tally_cells().matching
        drawn = draw_cells(self.question.law.at, matching if total is None else matching[:1], self.maxima, progress)
        if total is not None:
            drawn = np.append(drawn, total - drawn)
        told = {"by": declared.by, "keys_sha256": declared.cells.keys.sha256}
        fields = self.guarantee.to_fields() | told | self.question.facts(ledger)
        if total is not None:
            fields["schema_version"] = OF_FOUND
        return TableReceipt.model_validate({**fields, "released": tuple(drawn.tolist())})
