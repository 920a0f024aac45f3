"""A medium known from trials, and what a promise behind it is worth behind the true one.

Let d be the largest total variation distance between a row of the observed frequencies T and of a stochastic matrix T'
within the bounds. For any mechanism G, any row i and any event U, [G T']_i(U) and [G T]_i(U) differ by at most d. So if
G T is (epsilon, delta)-DP and wrong with chance at most p, then behind T' it is (epsilon, delta + (1 + e^epsilon) d)-DP
and wrong with chance at most p + d.

In a row with bounds l <= T <= u, the entries in some set A go up and the others down, each side by d in all. So d is at
most the room of A upwards, and at most the room of the others downwards. The largest min(sum_A (u - T), sum_(not A) (T
- l)) is at most what it is if an entry may belong to A in part. Then A takes the entries with the largest (u - T) / (T
  - l), up to
where both sums are equal. This is too large by no more than the room of one entry.
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
from hushcount.words.counted import counted

__all__ = ["MeasuredMedium", "from_counts", "read_counts"]

_ROUNDING = 2.0**-48
"""16 u for each entry of a row, u = 2^-52.

Where what goes up meets what goes down, both are at most 1, and all partial sums at most 2. The two sums of M terms are
off by M u each, and their terms by u together with the observed frequencies. Where rounding changes the order, ratios
are alike within 2 u. That is below 6 M u in all.
"""

_LARGEST_EPSILON = 700
"""Beyond this epsilon, e^epsilon has no float."""


@dataclass(frozen=True, eq=False)
class MeasuredMedium(Medium):
    """The observed frequencies as a medium, and how far the true one may be from them; see `from_counts`.

    A function of a medium uses the observed frequencies. What it finds need not hold for the true medium: `true_delta`
    and `MediumOptimum.true_medium` tell what does. A medium made from this one (`relabelled`, `restricted`, `@`) is of
    observed frequencies too, and says so only in its description.

    Attributes:
        counts: how often j was received when i was sent, read-only.
        confidence: with at least this chance, `lower <= true <= upper` holds in all entries of a row at once, or of
            the whole matrix.
        is_of_all_rows: whether the confidence is for the whole matrix.
        lower, upper: the bounds, with the shape of `matrix`, read-only.
    """

    counts: Integers = field(repr=False)
    confidence: Fraction
    is_of_all_rows: bool
    lower: Floats = field(repr=False)
    upper: Floats = field(repr=False)

    @property
    def confidence_in_all_rows(self) -> Fraction:
        """The least chance that the bounds hold in the whole matrix.

        It is `confidence` if that is for all rows; else 1 less the chances of all M rows to fail, if that is above 0.
        """
        return self.confidence if self.is_of_all_rows else max(Fraction(0), 1 - self.order * (1 - self.confidence))

    @property
    def distance(self) -> float:
        """An upper bound of the total variation distance of any row from one within the bounds; see the module."""
        farthest = max(map(_farthest, self.upper - self.matrix, self.matrix - self.lower))
        return min(1.0, farthest + _ROUNDING * self.order)

    def true_delta(self, epsilon: Number, delta: Number = 0) -> float:
        """Return delta + (1 + e^epsilon) `distance`, rounded up.

        Whatever is (epsilon, delta)-DP behind this medium is private at this delta behind every medium within the
        bounds. To promise that with the stated confidence takes `all_rows`. From 1 up it is no promise; at a large
        epsilon it is infinity.

        Args:
            epsilon, delta: >= 0 in nats, and 0 <= delta < 1.

        Raises:
            InvalidParameter: epsilon or delta is out of range.
        """
        privacy = EpsilonDelta.of(epsilon, delta)
        if not privacy.epsilon < _LARGEST_EPSILON:
            return math.inf
        return enclosing(lambda _: ball(privacy.delta) + (1 + ball(privacy.epsilon).exp()) * self.distance).upper

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, MeasuredMedium)
            and super().__eq__(other)
            and (self.confidence, self.is_of_all_rows) == (other.confidence, other.is_of_all_rows)
            and np.array_equal(self.counts, other.counts)
        )

    def __hash__(self) -> int:
        return hash((super().__hash__(), self.confidence, self.is_of_all_rows))

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
    """Return a medium from a table of trials: entry (i, j) says how often j was received when i was sent.

    Each entry has exact (Clopper-Pearson) bounds at an error of (1 - confidence) / (2 M) on either side, so that all
    those of a row hold together with chance >= confidence (Bonferroni). For all rows at once the error is 1 / M of
    that.

    Args:
        counts: integers >= 0, shape (M, M), M up to 4,096; at least one trial in each row.
        confidence: 0 < confidence < 1, for each row or for all rows at once.
        all_rows: whether the confidence is for all rows at once, which a promise for the true medium needs.

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
    described = f"{counted(M, 'symbol')}, as observed in {counted(sum(map(sum, rows)), 'trial')}"
    return MeasuredMedium(found[:, :, 0], described, table, level, all_rows, found[:, :, 1], found[:, :, 2])


def read_counts(
    path: str | PathLike[str], *, confidence: Number = "0.999", all_rows: bool = False, delimiter: str = ","
) -> MeasuredMedium:
    """Return the medium of a file of trials: a square table of integers, rows = sent; see `from_counts`.

    Args:
        path: `.csv`, `.npy` (no pickled objects) or `.parquet`, as `read_matrix` reads them.
        confidence, all_rows: as for `from_counts`.
        delimiter: the one character between the numbers of a CSV file.

    Raises:
        InvalidParameter, BadUse: not a path, another ending, no delimiter, or a bad confidence.
        BadData: the file cannot be read, or holds something else; the message names the file and the place.
    """
    where = Path(path_text(path, "path"))
    found = read_table(where, INTEGER, delimiter=delimiter)
    try:
        return from_counts(found, confidence=confidence, all_rows=all_rows)
    except (BadUse, InvalidParameter) as error:
        if isinstance(error, InvalidParameter) and error.argument != "counts":
            raise
        raise BadData(f"{where}: {error}") from None


def _farthest(up: Floats, down: Floats) -> float:
    """Return max min(x . up, (1 - x) . down) over 0 <= x <= 1, up to rounding."""
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
