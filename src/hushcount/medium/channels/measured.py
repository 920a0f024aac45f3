"""A medium known from trials, and what a promise behind it is worth behind the true one.

Let d be the largest total variation distance between a row of the observed frequencies T and of a stochastic matrix T'
within the bounds. For any mechanism G, any row i and any event U, [G T']_i(U) and [G T]_i(U) differ by at most d. So if
G T is (epsilon, delta)-DP and wrong with chance at most p, then behind T' it is (epsilon, delta + (1 + e^epsilon) d)-DP
and wrong with chance at most p + d.

In a row with bounds l <= T <= u, some entries A go up and the others down, each by what d is: at most by the room of
the first upwards and by that of the others downwards. The largest min(sum_A (u - T), sum_(not A) (T - l)) is at most
what it is if an entry may belong to A in part; then those with the largest (u - T) / (T - l) do, up to where both are
equal. It is too large by no more than the room of one entry.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hushcount.errors import BadData, BadUse, InvalidParameter, Told
from hushcount.files.csv_numbers import INTEGER
from hushcount.files.number_tables import read_table
from hushcount.inputs.arguments import path_text
from hushcount.inputs.arrays import array
from hushcount.medium.medium import Medium, checked_order
from hushcount.numbers.arrays import Floats, Integers
from hushcount.numbers.enclosure import ball
from hushcount.numbers.exact import Number, exact, exact_text
from hushcount.numbers.intervals import enclosing
from hushcount.privacy.binomial import largest_probability, least_probability
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["MeasuredMedium", "from_counts", "read_counts"]

_ROUNDING = 2.0**-48
"""16 u for each entry of a row, u = 2^-52. Where what goes up meets what goes down, both are at most 1, and all partial
sums at most 2: the two sums of M terms are off by M u each, their terms by u together with the observed frequencies,
and where rounding changes the order, ratios are alike within 2 u: below 6 M u in all."""

_LARGEST_EPSILON = 700
"""Beyond, e^epsilon has no float."""


@dataclass(frozen=True, eq=False)
class MeasuredMedium(Medium):
    """The observed frequencies as a medium, and how far the true one may be from them; see `from_counts`.

    What takes a medium takes the observed frequencies. What it finds of them is not true of the true medium: of that,
    `true_delta` and `MediumOptimum.true_medium` tell what is. A medium made of this one (`relabelled`, `restricted`,
    `@`) is of observed frequencies too, and says so in its description alone.

    Attributes:
        counts: how often j was received when i was sent, read-only.
        confidence: with at least this chance, `lower <= true <= upper` holds in all entries of a row at once, or of
            the whole matrix.
        is_of_all_rows: whether it is of the whole matrix.
        lower, upper: the bounds, of the shape of `matrix`, read-only.
    """

    counts: Integers = field(repr=False)
    confidence: Fraction
    is_of_all_rows: bool
    lower: Floats = field(repr=False)
    upper: Floats = field(repr=False)

    @property
    def confidence_in_all_rows(self) -> Fraction:
        """With at least this chance the bounds hold in the whole matrix: `confidence` if it is of all rows; else 1 less
        the chances of all M rows to fail, if that is above 0."""
        return self.confidence if self.is_of_all_rows else max(Fraction(0), 1 - self.order * (1 - self.confidence))

    @property
    def distance(self) -> float:
        """At least the total variation distance of any row from one within the bounds; see the module."""
        farthest = max(map(_farthest, self.upper - self.matrix, self.matrix - self.lower))
        return min(1.0, farthest + _ROUNDING * self.order)

    def true_delta(self, epsilon: Number, delta: Number = 0) -> float:
        """delta + (1 + e^epsilon) `distance`, rounded up: whatever is (epsilon, delta)-DP behind this medium is private
        at this delta behind every one within the bounds; to promise that with the stated confidence takes `all_rows`.
        From 1 on it is no promise; at a large epsilon, infinity.

        Args:
            epsilon, delta: >= 0 in nats, and 0 <= delta < 1.

        Raises:
            InvalidParameter: they are not.
        """
        privacy = EpsilonDelta.of(epsilon, delta)
        if not privacy.epsilon < _LARGEST_EPSILON:
            return math.inf
        return enclosing(lambda _: ball(privacy.delta) + (1 + ball(privacy.epsilon).exp()) * self.distance).upper

    def to_dict(self) -> dict[str, Any]:
        return {
            **super().to_dict(),
            "confidence": exact_text(self.confidence),
            "is_of_all_rows": self.is_of_all_rows,
            "distance": self.distance,
            "counts": self.counts.tolist(),
            "lower": self.lower.tolist(),
            "upper": self.upper.tolist(),
        }


def from_counts(counts: ArrayLike, *, confidence: Number = "0.999", all_rows: bool = False) -> MeasuredMedium:
    """A medium from a table of trials: entry (i, j) says how often j was received when i was sent.

    Row by row, each entry has exact (Clopper-Pearson) bounds at an error of (1 - confidence) / (2 M) on either side, so
    that all of a row hold together with chance >= confidence (Bonferroni); for all rows at once, at 1 / M of that.

    Args:
        counts: integers >= 0, shape (M, M), M up to 4,096; at least one trial in each row.
        confidence: 0 < confidence < 1, of each row, or of all.
        all_rows: whether it is of all rows at once, which is what a promise for the true medium needs.

    Raises:
        InvalidParameter: a bad argument, naming it.
        BadUse: a row without a trial, naming it.
        TooLarge: more than 4,096 symbols.
    """
    table = _checked(counts)
    level = exact(confidence, "confidence")
    if not 0 < level < 1:
        raise InvalidParameter("confidence", confidence, "a number > 0 and < 1")
    M = len(table)
    if not isinstance(all_rows, bool):
        raise InvalidParameter("all_rows", all_rows, "True or False")
    error = (1 - level) / (2 * M * (M if all_rows else 1))

    @cache
    def bounds(hits: int, trials: int) -> tuple[float, float, float]:
        return hits / trials, least_probability(hits, trials, error), largest_probability(hits, trials, error)

    rows = table.tolist()
    found = np.array([[bounds(hits, sum(row)) for hits in row] for row in rows])
    found.setflags(write=False)
    trials = sum(map(sum, rows))
    described = f"{M} symbol{'s' if M > 1 else ''}, as observed in {trials:,} trial{'s' if trials > 1 else ''}"
    return MeasuredMedium(found[:, :, 0], described, table, level, all_rows, found[:, :, 1], found[:, :, 2])


def read_counts(path: str | PathLike[str], *, confidence: Number = "0.999", all_rows: bool = False) -> MeasuredMedium:
    """A medium from a file of trials: a square table of integers, rows = sent; see `from_counts`.

    Args:
        path: `.csv`, `.npy` (no pickled objects) or `.parquet`, as `read_matrix` reads them.
        confidence, all_rows: as of `from_counts`.

    Raises:
        InvalidParameter, BadUse: no path, another ending, or a bad confidence.
        BadData: a file that cannot be read, or that holds something else; the message names the file and the place.
    """
    where = Path(path_text(path, "path"))
    found = read_table(where, INTEGER)
    try:
        return from_counts(found, confidence=confidence, all_rows=all_rows)
    except (BadUse, InvalidParameter) as error:
        if isinstance(error, InvalidParameter) and error.argument != "counts":
            raise
        raise BadData(f"{where}: {error}") from None


def _farthest(up: Floats, down: Floats) -> float:
    """max min(x . up, (1 - x) . down) over 0 <= x <= 1, but for rounding."""
    both = up + down
    order = np.argsort(np.divide(down, both, out=np.zeros_like(both), where=both > 0), kind="stable")
    risen, left = np.cumsum(up[order]), down.sum() - np.cumsum(down[order])
    last = int(np.argmax(risen >= left))  # at the end nothing is left
    share = risen[last] - up[order[last]], left[last] + down[order[last]]
    if not both[order[last]] > 0:
        return float(share[0])
    return float(share[0] + up[order[last]] * (share[1] - share[0]) / both[order[last]])


def _checked(counts: ArrayLike) -> Integers:
    rule = "a square table of integers >= 0, of at least one row"
    given = array(counts, "counts", rule)
    if given.ndim != 2 or given.shape[0] != given.shape[1] or not given.size:
        raise InvalidParameter("counts", Told(given.shape), rule)
    checked_order(len(given), least=1)
    if given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= 2**63:
        raise InvalidParameter("counts", str(given.dtype), f"{rule} and below 2**63")
    for i, row in enumerate(given):
        if not row.any():
            raise BadUse(f"row {i} of counts must have at least one trial")
    table = given.astype(np.int64)
    table.setflags(write=False)
    return table
