"""What is asked of a table of counts: everything that is judged before any data is read, and its receipt."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hushcount.counting import OpenTable
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.key_files import LARGEST_TOTAL
from hushcount.counting.cells.keys import Keys, column_list
from hushcount.errors import InvalidParameter, NoSuchColumn, TooLarge
from hushcount.numbers.exact import Number, exact_text
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.release.asking import Asking, Settling, law_name
from hushcount.release.guarantee import DISTANCES, Drawing, Law, figures, offered
from hushcount.release.receipt import LedgerFacts
from hushcount.release.subject import Subject
from hushcount.release.table.cells import checked_cap, declared_cells, most_cells
from hushcount.release.table.draws import draw_cells
from hushcount.release.table.promise import TablePromise, changed_cells
from hushcount.release.table.receipt import TableReceipt

if TYPE_CHECKING:
    from hushcount.ledger import Question
    from hushcount.mechanisms import Mechanism

__all__ = ["TableRequest", "TableSettled"]

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class TableRequest(Asking[TableReceipt]):
    """A table that was judged; made by `TableRequest.of`. Only the number of rows, or units, may be missing.

    Attributes:
        cells: the cells, and in how many of them a unit counts.
        totals: the known total of each declared cell; None where there is none.
        promise: for one cell and for the table.
        adds_up_to: a total that the released counts will be made to add up to, to be refused early if they cannot.
    """

    cells: Cells
    totals: Counts | None = field(repr=False)
    promise: TablePromise
    adds_up_to: int | None = None

    @classmethod
    def of(
        cls,
        subject: Subject,
        by: str | Iterable[str],
        keys: str | Path | Iterable[Any] | Keys | None,
        where: str,
        epsilon: Number,
        delta: Number = 0,
        *,
        adjacency: str,
        max_count: int | None,
        totals: str | Path | Iterable[int] | None,
        undeclared: str,
        max_cells: int | None,
        mechanism: str | Mechanism,
        adds_up_to: int | None = None,
    ) -> TableRequest:
        """Judge the arguments of `release_table`, which says what they are, about a source.

        Raises:
            BadUse: one of them breaks its rule, or the mechanism is not private.
            BadData: a file of keys or totals cannot be read, or does not hold what it should.
        """
        names = column_list(by)
        predicate, relation = cls.judged(subject, where, adjacency, by="".join(names))
        for argument, declaration in (("keys", keys), ("totals", totals)):
            if isinstance(declaration, (str, Path)):
                subject.check_declared(argument, declaration)
        declared, known = declared_cells(names, keys, totals, subject.options.null)
        cells = Cells(declared, undeclared, subject.unit, most_cells(subject.unit, max_cells))
        with _telling_names_apart(cells):
            subject.judge(predicate, cells)
        cap = checked_cap(relation, cells, known is not None, max_count)
        law = offered(mechanism, epsilon, delta)
        promise = TablePromise(EpsilonDelta.of(epsilon, delta), changed_cells(relation, cells))
        _ = promise.table  # refused now if there is none
        request = cls(subject, where, predicate, relation, cap, law, cells, known, promise, adds_up_to)
        if relation is Adjacency.ADD_REMOVE:  # then all is known already
            _ = request._settled_beforehand
        return request

    def open(self) -> OpenTable:
        with _telling_names_apart(self.cells):
            return self.subject.open(self.predicate, self.cells)

    def settled(self, everything: int) -> TableSettled:
        return self._settled(everything) if self.adjacency is Adjacency.REPLACE_ONE else self._settled_beforehand

    @cached_property
    def _settled_beforehand(self) -> TableSettled:
        return self._settled(None)

    def _settled(self, public: int | None) -> TableSettled:
        """The table, where the number of rows or units is public, or is not."""
        common = self.max_count if public is None else public if self.max_count is None else min(public, self.max_count)
        if common is not None and not common <= LARGEST_TOTAL:
            raise TooLarge("the counts of a table are drawn together, which takes a maximum below 2**62 (--max)")
        if self.totals is None:
            assert common is not None
            self._check_reachable(len(self.cells) * common)
            return TableSettled.of(self, public, np.full(1, common, dtype=np.int64))
        if public is not None and not self.totals.max() <= public:
            what = "rows" if self.unit is None else "units"
            raise InvalidParameter("totals", None, f"at most the number of {what}, {public}, which is public")
        rest = [common] if self.cells.keeps_other else []
        self._check_reachable(sum(self.totals.tolist()) + sum(filter(None, rest)))
        return TableSettled.of(self, public, np.concatenate([self.totals, np.array(rest, dtype=np.int64)]))

    def _check_reachable(self, highest: int) -> None:
        if self.adds_up_to is not None and not self.adds_up_to <= highest:
            rule = f"a total of at most {highest}, the sum of the largest counts of all cells"
            raise InvalidParameter("round_trip", self.adds_up_to, rule)

    def settled_as(self, question: Question) -> TableSettled:
        public = question.about.get("everything")
        return self.settled(public if isinstance(public, int) else question.maximum)

    def about(self) -> dict[str, Any]:
        return {
            **super().about(),
            "by": list(self.cells.keys.by),
            "keys_sha256": self.cells.keys.sha256,
            "undeclared": self.cells.undeclared,
            "max_cells": self.cells.max_cells,
            "totals_sha256": None if self.totals is None else sha256(self.totals.astype("<i8").tobytes()).hexdigest(),
            "cell_epsilon": exact_text(self.promise.cell.epsilon),
            "cell_delta": exact_text(self.promise.cell.delta),
        }


@contextmanager
def _telling_names_apart(cells: Cells) -> Iterator[None]:
    """Of key columns that are not there, tell how several names are given."""
    try:
        yield
    except NoSuchColumn as error:
        if error.column in cells.keys.by and "," in error.column:
            names = [name.strip() for name in error.column.split(",")]
            rule = f"columns of the source; for several give a list, {names}"
            raise InvalidParameter("by", error.column, rule) from None
        raise


@dataclass(frozen=True)
class TableSettled(Settling[TableReceipt]):
    """A table of which only the counts are missing.

    Attributes:
        request: what is asked.
        everything: the number of rows, or units, where it is public.
        maxima: the largest count of each cell; one number if it is the same for all.
        promised: the figures of the receipt that the mechanisms settle.
    """

    request: TableRequest
    everything: int | None
    maxima: Counts = field(repr=False)
    promised: dict[str, Any] = field(repr=False)

    receipt_type = TableReceipt

    @classmethod
    def of(cls, request: TableRequest, everything: int | None, maxima: Counts) -> TableSettled:
        """Find the figures of every mechanism that will draw: one for each different maximum.

        Raises:
            InvalidParameter: a mechanism was brought along that is made for another range.
        """
        return cls(request, everything, maxima, _promised(request, maxima))

    def question(self) -> Question:
        from hushcount.ledger import Question

        request = self.request
        return Question(
            predicate=request.predicate.sql,
            maximum=int(self.maxima.max()),
            adjacency=request.adjacency,
            mechanism=law_name(request.law(int(self.maxima[0]))),
            price=request.promise.table,
            # What `maximum` does not tell, where declared cells have totals
            about={**request.about(), "everything": self.everything, "last_maximum": int(self.maxima[-1])},
            cells=len(request.cells),
        )

    def answered(
        self, table: OpenTable, ledger: LedgerFacts | None = None, progress: Callable[[float], None] | None = None
    ) -> TableReceipt:
        return self.receipt(table.tally_cells().matching, ledger, progress)

    def receipt(
        self, matching: Counts, ledger: LedgerFacts | None = None, progress: Callable[[float], None] | None = None
    ) -> TableReceipt:
        """Draw the counts to release in place of the true ones, and write their receipt."""
        released = draw_cells(self.request.law, matching, self.maxima, progress)
        return TableReceipt.model_validate(
            {**self.promised, **self.request.facts(ledger), "released": tuple(released.tolist())}
        )


def _promised(request: TableRequest, maxima: Counts) -> dict[str, Any]:
    cells, together = request.cells, request.promise.table
    worst: dict[int, float] = dict.fromkeys((0, *DISTANCES), 0.0)
    wrong: list[float] = []
    distinct, times = np.unique(maxima, return_counts=True)
    if len(maxima) == 1:
        times = np.array([len(cells)])
    for mechanism, many in zip(_laws(request.law, distinct), times.tolist(), strict=True):
        for far in DISTANCES:
            worst[far] = max(worst[far], mechanism.probability_beyond(far))
        chance = mechanism.error_probability
        worst[0] = max(worst[0], chance)
        wrong.append(many * chance)
    has_totals = request.totals is not None
    shown = asdict(figures(request.law(int(distinct[0])), request.adjacency, request.unit))
    return {
        **shown,
        "maximum": None if has_totals else int(maxima[0]),
        "maxima": tuple(maxima.tolist()) if has_totals else None,
        "error_probability": worst[0],
        "chance_off_by_more_than": {far: worst[far] for far in DISTANCES},
        "by": cells.keys.by,
        "cells": len(cells.keys),
        "undeclared": cells.undeclared,
        "keys_sha256": cells.keys.sha256,
        "max_cells": None if cells.unit is None else cells.max_cells,
        "changed_cells": request.promise.changed,
        "table_epsilon": exact_text(together.epsilon),
        "table_delta": exact_text(together.delta),
        "expected_wrong_cells": math.nextafter(math.fsum(wrong) * (1 + _SLACK), math.inf) if any(wrong) else 0.0,
    }


_SLACK = 1e-11
"""Relative: every chance is right to 1e-12, and sums of them are meant as bounds."""


def _laws(law: Law, maxima: Counts) -> Iterable[Drawing]:
    return (law(maximum) for maximum in maxima.tolist())
