"""Reading many released counts: their true sum, the histogram of the true counts, and a confidence set for each.

The draws are independent, so errors average out where they have no bias: with N releases of which r(j) came out as j,
r P^-1 is on average the histogram of the true counts, and the sum of the unbiased estimates is on average their sum.
No data is read and no budget is spent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hushcount.errors import BadUse, InvalidParameter, type_of
from hushcount.inputs.arguments import listed
from hushcount.mechanisms import Mechanism
from hushcount.numbers.arrays import Floats
from hushcount.numbers.exact import Number
from hushcount.reading.cells import CellSets, cell_sets
from hushcount.reading.confidence import checked_level
from hushcount.reading.inverse import NoInverse
from hushcount.reading.law import check_possible, law_of, laws_of, stated
from hushcount.reading.unbiased import Estimate, Estimator, estimator, released_errors
from hushcount.release.receipt import Receipt
from hushcount.release.table.receipt import TableReceipt

__all__ = ["Histogram", "TableInterpretation", "interpret_table"]

_ALIKE = ("mechanism", "maximum", "epsilon", "delta", "adjacency")
"""What the releases of one table have in common; and the audit, for an audited mechanism."""

_OF_A_TABLE = ("table_epsilon", "table_delta", "changed_cells")
"""What is promised of the table; `epsilon` and `delta` are of each cell."""

Progress = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many of the true counts are 0, 1, ..., n.

    Attributes:
        values: estimates without bias, shape (n + 1,); they sum to the number of releases and may be negative.
        standard_errors: estimated from the releases themselves; the squares are without bias before those below 0 are
            set to 0. Few releases tell little about them.
        largest_standard_error: no standard error is more than this, whatever the true counts are.
    """

    values: Floats
    standard_errors: Floats
    largest_standard_error: float


@dataclass(frozen=True, eq=False)
class TableInterpretation:
    """What the releases of a table say of their true counts together (under add-remove: each capped at the maximum).

    Attributes:
        receipts: what was read: several of counts, or the one of a table.
        mechanism: what drew the counts; where the cells have totals of their own, that of the largest.
        releases: how many counts there are. Of a table, that of undeclared keys is one of them.
        released_sum: the sum of the released counts.
        released_bias: the sum is too large or too small by at most this on average, worst case.
        released_error: its standard deviation is at most this, whatever the true counts are.
        total: the estimate without bias of the sum of the true counts, or why there is none.
        histogram: likewise of the histogram; None where there is none, and for cells of different maxima.
        cells: a confidence set for each, if a level was given, else None.
    """

    receipts: tuple[Receipt | TableReceipt, ...]
    mechanism: Mechanism
    releases: int
    released_sum: int
    released_bias: float
    released_error: float
    total: Estimate | NoInverse
    histogram: Histogram | None
    cells: CellSets | None = None

    @property
    def table(self) -> TableReceipt | None:
        """The receipt, if it is that of a table."""
        first = self.receipts[0]
        return first if isinstance(first, TableReceipt) else None

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        first, found = self.receipts[0], self.histogram
        has_estimate = isinstance(self.total, Estimate)
        return {
            "releases": self.releases,
            **{name: getattr(first, name) for name in _ALIKE},
            **({} if self.table is None else {name: getattr(self.table, name) for name in _OF_A_TABLE}),
            "released_sum": self.released_sum,
            "released_sum_bias": self.released_bias,
            "released_sum_standard_error": self.released_error,
            "sum": vars(self.total) if has_estimate else None,
            "no_unbiased": None if has_estimate else self.total.value,
            "histogram": None if found is None else found.values.tolist(),
            "histogram_standard_errors": None if found is None else found.standard_errors.tolist(),
            "histogram_largest_standard_error": None if found is None else found.largest_standard_error,
            "maximum_means_or_more": first.adjacency == "add-remove",
            "cells": None if self.cells is None else self.cells.to_dict(),
        }

    def __str__(self) -> str:
        from hushcount.reading.text import table_text

        return table_text(self)


def interpret_table(
    receipts: Iterable[Receipt] | TableReceipt,
    *,
    level: Number | None = None,
    simultaneous: bool = False,
    mechanism: Mechanism | None = None,
    progress: Progress | None = None,
) -> TableInterpretation:
    """Read the released counts of a table. Costs no budget and needs no data.

    The sum and the histogram take O(n log n) for `canonical`, O(n) for `nearest` with delta 0, O(n^3) for others; for
    each different maximum. Confidence sets take one computation, as of `interpret`, for each different pair of a
    maximum and a released count.

    Args:
        receipts: of a table; or one or more of single counts, of different releases with the same mechanism, maximum,
            epsilon, delta and adjacency.
        level: of a confidence set for each cell (or single count), > 0 and < 1, taken exactly; None for no such sets.
        simultaneous: whether `level` is the chance that all sets contain their true counts; else each of them does with
            that chance.
        mechanism: as for `interpret`.
        progress: told from time to time which part is done, from 0 to 1.

    Raises:
        InvalidParameter: no receipts, a level that is none, or a mechanism that is missing or another one.
        BadUse: receipts of different kinds, naming the difference, or the same release twice; `simultaneous` without a
            level.
        BadData: a receipt was changed since the release.
        TooLarge: as for `interpret`.
    """
    wanted = None if level is None else checked_level(level)
    if simultaneous and wanted is None:
        raise BadUse("simultaneous is about confidence sets, which take a level")
    if isinstance(receipts, TableReceipt):
        given: tuple[Receipt | TableReceipt, ...] = (receipts,)
        laws, released, maxima = _of_table(receipts, mechanism)
    else:
        single, law = _singles(receipts, mechanism)
        given = tuple(single)
        released = [receipt.released for receipt in single]
        laws, maxima = {law.n: law}, [law.n] * len(released)
    cells = None
    if wanted is not None:
        part = None if progress is None else _part(progress, 0.0)
        cells = cell_sets(laws, released, maxima, wanted, simultaneous, part)
    rest = progress if progress is None or cells is None else _part(progress, 0.5)
    return _together(given, laws, released, maxima, cells, rest)


def _part(progress: Progress, start: float) -> Progress:
    """For half of the work, from `start` on."""
    return lambda done: progress(start + done / 2)


def _singles(receipts: Iterable[Receipt], mechanism: Mechanism | None) -> tuple[list[Receipt], Mechanism]:
    given = listed(receipts, "receipts", "one or more receipts")
    if not given:
        raise InvalidParameter("receipts", None, "one or more receipts")
    law = law_of(given[0], mechanism)
    _check_alike(given)
    for receipt in given[1:]:
        check_possible(law, receipt.released)
        if stated(receipt) != stated(given[0]):
            law_of(receipt, mechanism)
    return given, law


def _of_table(
    receipt: TableReceipt, mechanism: Mechanism | None
) -> tuple[dict[int, Mechanism], Sequence[int], Sequence[int]]:
    """The mechanisms by maximum, and the released count and the maximum of each cell."""
    laws = laws_of(receipt, mechanism)
    top = receipt.maximum
    maxima = receipt.maxima if receipt.maxima is not None else [0 if top is None else top] * len(receipt.released)
    for pair in set(zip(maxima, receipt.released, strict=True)):
        check_possible(laws[pair[0]], pair[1])
    return laws, receipt.released, maxima


def _together(
    receipts: tuple[Receipt | TableReceipt, ...],
    laws: Mapping[int, Mechanism],
    released: Sequence[int],
    maxima: Sequence[int],
    cells: CellSets | None,
    progress: Progress | None,
) -> TableInterpretation:
    """What independent draws say together, given their laws by maximum, in ascending order."""
    groups: dict[int, list[int]] = {top: [] for top in laws}
    for top, count in zip(maxima, released, strict=True):
        groups[top].append(count)
    bias = variance = value = squared = 0.0
    missing: NoInverse | None = None
    histogram = None
    done, work = 0, sum(top + 1 for top in laws)
    for top, law in laws.items():
        N, found = len(groups[top]), estimator(law)
        most_bias, error = released_errors(law)
        bias, variance = bias + N * most_bias, variance + N * error**2
        if isinstance(found, NoInverse):
            missing = missing or found
        else:
            value += math.fsum(found.values[groups[top]])
            squared += N * found.standard_error**2
            if len(laws) == 1:
                histogram = _histogram(found, groups[top])
        done += top + 1
        if progress is not None:
            progress(done / work)
    return TableInterpretation(
        receipts=receipts,
        mechanism=law,
        releases=len(released),
        released_sum=sum(released),
        released_bias=bias,
        released_error=math.sqrt(variance),
        total=missing or Estimate(value, math.sqrt(squared)),
        histogram=histogram,
        cells=cells,
    )


def _histogram(found: Estimator, released: list[int]) -> Histogram:
    """Estimates h = r Q, and the variance of h(l), which sum_j r(j) Q(j, l)^2 - h(l) estimates without bias: a release
    of the true count i adds sum_j p(i, j) Q(j, l)^2 - [i = l] to it."""
    counts = np.bincount(released, minlength=len(found.values)).astype(np.float64)
    values = found.inverse.transposed(counts)
    variances = found.inverse.squares(counts) - values
    largest = math.sqrt(len(released)) * found.histogram_error
    return Histogram(values, np.sqrt(np.maximum(variances, 0.0)), largest)


def _check_alike(receipts: list[Receipt]) -> None:
    first, seen = receipts[0], set()
    for number, receipt in enumerate(receipts):
        if not isinstance(receipt, Receipt):
            raise InvalidParameter("receipts", type_of(receipt), "receipts; Receipt.from_json reads one")
        for name in _ALIKE:
            one, other = getattr(first, name), getattr(receipt, name)
            if one != other:
                raise BadUse(
                    f"the releases of a table must be alike, but {name} is {one} in the first receipt and {other} in "
                    f"receipt {number + 1}"
                )
        if receipt.audit != first.audit:
            raise BadUse(
                f"the releases of a table must be alike, but receipt {number + 1} names another audited mechanism than "
                "the first"
            )
        if receipt.receipt_id in seen:
            raise BadUse(f"receipt {number + 1} is of a release that is there already ({receipt.receipt_id})")
        seen.add(receipt.receipt_id)
