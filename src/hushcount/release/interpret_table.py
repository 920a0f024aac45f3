"""Reading many released counts of one kind together: their true sum, and the histogram of the true counts.

The draws are independent, so errors average out where they have no bias: with N releases of which r(j) came out as j,
r P^-1 is on average the histogram of the true counts, and the sum of the unbiased estimates is on average their sum.
No data is read and no budget is spent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hushcount.arguments import listed
from hushcount.errors import BadUse, InvalidParameter
from hushcount.mechanisms import Mechanism
from hushcount.mechanisms.base import Floats
from hushcount.mechanisms.inverse import NoInverse
from hushcount.release.law import check_possible, law_of, stated
from hushcount.release.receipt import Receipt
from hushcount.release.unbiased import Estimate, Estimator, estimator, released_errors

__all__ = ["Histogram", "TableInterpretation", "interpret_table"]

_ALIKE = ("mechanism", "maximum", "epsilon", "delta", "adjacency")
"""What the releases of one table have in common; and the audit, for an audited mechanism."""


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
        receipts: what was read.
        released_sum: the sum of the released counts.
        released_bias: the sum is too large or too small by at most this on average, worst case.
        released_error: its standard deviation is at most this, whatever the true counts are.
        total: the estimate without bias of the sum of the true counts, or why there is none.
        histogram: likewise of the histogram; None where there is none.
    """

    receipts: tuple[Receipt, ...]
    mechanism: Mechanism
    released_sum: int
    released_bias: float
    released_error: float
    total: Estimate | NoInverse
    histogram: Histogram | None

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        first, found = self.receipts[0], self.histogram
        has_estimate = isinstance(self.total, Estimate)
        return {
            "releases": len(self.receipts),
            **{name: getattr(first, name) for name in _ALIKE},
            "released_sum": self.released_sum,
            "released_sum_bias": self.released_bias,
            "released_sum_standard_error": self.released_error,
            "sum": vars(self.total) if has_estimate else None,
            "no_unbiased": None if has_estimate else self.total.value,
            "histogram": None if found is None else found.values.tolist(),
            "histogram_standard_errors": None if found is None else found.standard_errors.tolist(),
            "histogram_largest_standard_error": None if found is None else found.largest_standard_error,
            "maximum_means_or_more": first.adjacency == "add-remove",
        }

    def __str__(self) -> str:
        from hushcount.release.interpretation_text import table_text

        return table_text(self)


def interpret_table(receipts: Iterable[Receipt], *, mechanism: Mechanism | None = None) -> TableInterpretation:
    """Read the released counts of a table together. Costs no budget and needs no data.

    O(n log n) for `canonical`, O(n) for `nearest` with delta 0, O(n^3) for others.

    Args:
        receipts: one or more, of different releases with the same mechanism, maximum, epsilon, delta and adjacency.
        mechanism: as for `interpret`.

    Raises:
        InvalidParameter: no receipts, or a mechanism that is missing or another one.
        BadUse: receipts of different kinds, naming the difference, or the same release twice.
        BadData: a receipt was changed since the release.
    """
    given = listed(receipts, "receipts", "one or more receipts")
    if not given:
        raise InvalidParameter("receipts", None, "one or more receipts")
    law = law_of(given[0], mechanism)
    _check_alike(given)
    for receipt in given[1:]:
        check_possible(law, receipt)
        if stated(receipt) != stated(given[0]):
            law_of(receipt, mechanism)
    released = [receipt.released for receipt in given]
    found = estimator(law)
    N = len(given)
    bias, error = released_errors(law)
    total: Estimate | NoInverse = (
        found
        if isinstance(found, NoInverse)
        else Estimate(math.fsum(found.values[released]), math.sqrt(N) * found.standard_error)
    )
    return TableInterpretation(
        receipts=tuple(given),
        mechanism=law,
        released_sum=sum(released),
        released_bias=N * bias,
        released_error=math.sqrt(N) * error,
        total=total,
        histogram=None if isinstance(found, NoInverse) else _histogram(found, released),
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
            raise InvalidParameter("receipts", receipt, "receipts; Receipt.from_json reads one")
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
