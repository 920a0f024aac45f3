"""A medium known from trials."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hushcount.arrays import array
from hushcount.errors import BadUse, InvalidParameter
from hushcount.exact import Number, exact, exact_text
from hushcount.mechanisms.base import Floats, Integers
from hushcount.medium.medium import Medium, checked_order
from hushcount.privacy.binomial import largest_probability, least_probability

__all__ = ["MeasuredMedium", "medium_from_counts"]


@dataclass(frozen=True, eq=False)
class MeasuredMedium(Medium):
    """The observed frequencies as a medium, and how far the true one may be from them; see `medium_from_counts`.

    Attributes:
        counts: how often j was received when i was sent, read-only.
        confidence: with at least this chance, `lower <= true <= upper` holds in all entries of a row at once.
        lower, upper: the bounds, of the shape of `matrix`, read-only.
    """

    counts: Integers = field(repr=False)
    confidence: Fraction
    lower: Floats = field(repr=False)
    upper: Floats = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        return {
            **super().to_dict(),
            "confidence": exact_text(self.confidence),
            "counts": self.counts.tolist(),
            "lower": self.lower.tolist(),
            "upper": self.upper.tolist(),
        }


def medium_from_counts(counts: ArrayLike, *, confidence: Number = "0.999") -> MeasuredMedium:
    """A medium from a table of trials: entry (i, j) says how often j was received when i was sent.

    Row by row, each entry has exact (Clopper-Pearson) bounds at an error of (1 - confidence) / (2 M) on either side, so
    that all of a row hold together with chance >= confidence (Bonferroni). For all rows at once, ask for a confidence
    of 1 - (1 - c) / M.

    Args:
        counts: integers >= 0, shape (M, M), M up to 4,096; at least one trial in each row.
        confidence: 0 < confidence < 1, per row.

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
    error = (1 - level) / (2 * M)

    @cache
    def bounds(hits: int, trials: int) -> tuple[float, float, float]:
        return hits / trials, least_probability(hits, trials, error), largest_probability(hits, trials, error)

    rows = table.tolist()
    found = np.array([[bounds(hits, sum(row)) for hits in row] for row in rows])
    found.setflags(write=False)
    trials = sum(map(sum, rows))
    return MeasuredMedium(
        found[:, :, 0], f"{M} symbols, measured in {trials:,} trials", table, level, found[:, :, 1], found[:, :, 2]
    )


def _checked(counts: ArrayLike) -> Integers:
    rule = "a square table of integers >= 0, of at least one row"
    given = array(counts, "counts", rule)
    if given.ndim != 2 or given.shape[0] != given.shape[1] or not given.size:
        raise InvalidParameter("counts", given.shape, rule)
    checked_order(len(given), least=1)
    if given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= 2**63:
        raise InvalidParameter("counts", str(given.dtype), f"{rule} and below 2**63")
    for i, row in enumerate(given):
        if not row.any():
            raise BadUse(f"row {i} of counts must have at least one trial")
    table = given.astype(np.int64)
    table.setflags(write=False)
    return table
