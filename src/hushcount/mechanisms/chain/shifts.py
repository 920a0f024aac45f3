"""Where the thresholds lie, in the noise's own unit, for as many outcomes as there are, in bounded memory.

Outcome <= j is released iff the noise Z is at most mu (j + 1/2 - i) - y_j. The *shift* y_j is a float, so it is exact:
0 for rounding to the nearest integer, above 0 for a threshold that is moved down, infinite for one that is never (or
always) reached. A mirrored table has y_{n-1-j} = -y_j, with 0 in the middle.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self, cast

import numpy as np

from hushcount.numbers.arrays import Floats, Integers

__all__ = ["LARGEST_TABLE", "Shifts"]

LARGEST_TABLE = 2**20
"""Shifts of a half that are kept one by one (8 MiB)."""


@dataclass(frozen=True, eq=False)
class Shifts:
    """y_0..y_{n-1}. Beyond the table: along straight lines between knots, rounded as floats are, then 0."""

    n: int
    is_mirrored: bool
    table: Floats
    knots: Integers
    values: Floats
    slopes: Floats

    # For single values, much faster than arrays.

    @cached_property
    def _one(self) -> Sequence[float]:
        return cast("Sequence[float]", self.table.data)

    @cached_property
    def _one_knot(self) -> Sequence[int]:
        return cast("Sequence[int]", self.knots.data)

    @cached_property
    def _one_value(self) -> Sequence[float]:
        return cast("Sequence[float]", self.values.data)

    @cached_property
    def _one_slope(self) -> Sequence[float]:
        return cast("Sequence[float]", self.slopes.data)

    @classmethod
    def mirrored(cls, n: int, half: Floats, knots: Integers | None = None, values: Floats | None = None) -> Self:
        """From y_0..y_{h-1}, h = floor(n / 2); or from fewer, and knots j with their values for the others."""
        if knots is None or values is None:
            knots, values = np.zeros(0, np.int64), np.zeros(0)
        slopes = np.append(np.diff(values) / np.diff(knots), 0.0) if len(knots) else np.zeros(0)
        return cls(n, True, np.ascontiguousarray(half), knots, values, slopes)

    @classmethod
    def whole(cls, shifts: Floats) -> Self:
        """From all of y_0..y_{n-1}."""
        none = np.zeros(0)
        return cls(len(shifts), False, np.ascontiguousarray(shifts), np.zeros(0, np.int64), none, none)

    def at(self, j: int) -> float:
        """y_j, 0 <= j < n."""
        if j < len(self._one):
            return self._one[j]
        mirror = self.n - 1 - j
        if mirror < len(self._one):
            return 0.0 if mirror == j else -self._one[mirror]
        return -self._line(mirror) if mirror < j else self._line(j) if j < mirror else 0.0

    def many(self, j: Integers) -> Floats:
        """`at`, elementwise."""
        if not self.is_mirrored:
            return self.table[j]
        mirror = self.n - 1 - j
        near, sign = np.minimum(j, mirror), np.sign(mirror - j)
        if not len(self.table):
            return np.zeros(j.shape)
        y = self.table[np.minimum(near, len(self.table) - 1)]
        if len(self.knots):
            far = near >= len(self.table)
            y[far] = self._lines(near[far])
        found: Floats = np.where(sign == 0, 0.0, sign * y)
        return found

    def _line(self, j: int) -> float:
        """What `_lines` computes, in the same floating-point steps."""
        knots, values = self._one_knot, self._one_value
        if not len(knots) or j > knots[-1]:
            return 0.0
        piece = bisect_right(knots, j) - 1
        y = values[piece] + self._one_slope[piece] * (j - knots[piece])
        return max(y, values[min(piece + 1, len(values) - 1)])

    def _lines(self, j: Integers) -> Floats:
        piece = np.searchsorted(self.knots, j, side="right") - 1
        y = self.values[piece] + self.slopes[piece] * (j - self.knots[piece])
        # Never past the next knot, whatever the rounding: y falls.
        y = np.maximum(y, self.values[np.minimum(piece + 1, len(self.values) - 1)])
        return np.where(j > self.knots[-1], 0.0, y)
