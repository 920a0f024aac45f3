"""Bulk draws of noise that is cut at thresholds, the same noise for all true counts.

True count i is released as the j with tau_{j-1} < i + noise <= tau_j. The 16 leading bits of U tell between
which two quantiles the noise lies, whatever i is; most of the time no threshold is between.

`Cuts` keeps, for every unit interval of i + noise, how many thresholds lie below it and where the one in it is.
Thresholds of a nearest optimum are at least one count apart, so no interval has two. In other mechanisms some may; they
are left to slower ways, as is whatever comes too near to a threshold or to an end of its interval. For a range of many
thresholds `EvenCuts` keeps straight lines, a table that fits into the processor's cache. In a range that is too large
for either, `FarCuts` has every threshold near the middle of its interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self, cast

import numpy as np
from numpy.typing import NDArray

from hushcount.numbers.arrays import Floats, Integers

__all__ = ["LARGEST_CUTS", "Cuts", "EvenCuts", "FarCuts", "NoiseGuide"]

LARGEST_CUTS = 2**21
"""The most thresholds for which intervals are kept (24 MiB)."""

_ALL_ALIKE = 1e-4
"""As far off, all may be taken for the one that is off the most."""

_WIDEST = 2**19
"""The most intervals kept on either side of 0..n."""

_FEWEST_EVEN = 2**14
"""The fewest thresholds for which straight lines are quicker than intervals."""

_WIDTH = 64
_BENT, _ROUNDED = 1e-3, 1e-6
"""How far, in counts, lines may be off a threshold, and more than rounding takes."""

_MOST_LEFT = 1 / 32


@dataclass(frozen=True, eq=False)
class Cuts:
    """Thresholds tau_0 <= tau_1 <= ... by unit intervals.

    Attributes:
        base: where the first interval begins.
        below: how many thresholds lie at or below the beginning of each.
        cut: where in it the threshold is, in (0, 1]; 1 where there is none, NaN where there are several.
    """

    base: int
    below: NDArray[np.int32]
    cut: Floats

    @classmethod
    def of(cls, tau: Floats) -> Self:
        """Sort all thresholds into unit intervals."""
        n = len(tau)
        base = math.floor(min(max(tau[0], -_WIDEST), n)) - 1
        size = math.ceil(max(min(tau[-1], n + _WIDEST), 0)) + 1 - base
        end = np.clip(np.ceil(tau) - base, 0, size + 1).astype(np.int64)
        count = np.bincount(end, minlength=size + 2)
        below, inside = np.cumsum(count)[:size], count[1 : size + 1]
        cut = tau[np.minimum(below, n - 1)] - (base + np.arange(size))
        cut = np.where(inside == 0, 1.0, np.where(inside == 1, cut, np.nan))
        for edge, count_there in ((0, 0), (-1, n)):
            if below[edge] != count_there:  # some are farther out
                cut[edge] = np.nan
        return cls(base, below.astype(np.int32), cut)

    def settle(self, place: Floats, reach: Floats) -> Integers:
        """Return how many thresholds are below everything within `reach` of `place`; -1 where that is not sure."""
        start = np.floor(place)
        part = place - start
        interval = np.clip(start - self.base, 0, len(self.cut) - 1).astype(np.intp)
        beyond = part - self.cut[interval]
        room = np.minimum(np.minimum(part, 1 - part), np.abs(beyond))
        return np.where(room > reach, self.below[interval] + (beyond > 0), -1)


@dataclass(frozen=True, eq=False)
class EvenCuts:
    """Thresholds at least one count apart, as lines that take places to counts: tau_j to about j + 1/2.

    Let w be the broken line through all (tau_j, j + 1/2): it rises by at most 1 a count, and what is within a reach of
    tau_j is so of j + 1/2 in w. A cell's line has the values of w at both ends of the cell, and it is off a threshold
    inside by at most `_BENT`. So a place whose value is farther than the reach and `_BENT` from every half is on the
    right side of all thresholds, those of other cells too, and off all by more than the reach.

    Attributes:
        base: where the first cell begins; a cell is `_WIDTH` counts.
        slope, offset: of each cell's line; NaN where it is off by more.
    """

    base: int
    slope: Floats
    offset: Floats

    @classmethod
    def of(cls, tau: Floats) -> Self | None:
        """Return lines, or None where the thresholds are few, nearer to one another, or in too many cells uneven."""
        n = len(tau)
        if not _FEWEST_EVEN <= n <= LARGEST_CUTS or not np.isfinite(tau[[0, -1]]).all():
            return None
        if not (np.diff(tau) > 1 - _ROUNDED / 2).all():
            return None
        base = math.floor(tau[0]) - 3 * _WIDTH
        cell = ((tau - base) / _WIDTH).astype(np.intp)
        size, half = int(cell[-1]) + 4, np.arange(n) + 0.5
        edges = base + _WIDTH * np.arange(size + 1.0)
        values = np.interp(edges, tau, half)
        slope = np.diff(values) / _WIDTH
        offset = values[:-1] - slope * edges[:-1]
        off = np.zeros(size)
        np.maximum.at(off, cell, np.abs(tau * slope[cell] + offset[cell] - half))
        if not np.count_nonzero(off > _BENT) <= _MOST_LEFT * size:
            return None
        offset[off > _BENT] = np.nan
        offset[: cell[0] - 1], offset[cell[-1] + 2 :] = 0.0, n  # far from all thresholds
        return cls(base, slope, offset)

    def settle(self, place: Floats, reach: Floats) -> Integers:
        """Do the same as `Cuts.settle`."""
        cell = np.clip((place - self.base) * (1 / _WIDTH), 0, len(self.slope) - 1).astype(np.intp)
        value = self.slope[cell]
        value *= place
        value += self.offset[cell]
        count = np.rint(value)
        value -= count
        return np.where(np.abs(value) + reach < 0.5 - _BENT - _ROUNDED, count, -1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class FarCuts:
    """Mirrored thresholds tau_0 <= tau_1 <= ... <= tau_{n-1}; the farther from both ends, the nearer to j + 1/2.

    Attributes:
        off: for e = 0, 1, ..., how far from j + 1/2 those are at most that lie 2^(e-1) - 2 or more from both ends.
    """

    n: int
    off: Floats

    def settle(self, place: Floats, reach: Floats) -> Integers:
        """Do the same as `Cuts.settle`."""
        start = np.floor(place)
        beyond = place - start - 0.5
        nearest = min(float(place.min(initial=self.n)), self.n - float(place.max(initial=0.0)))
        off: float | Floats = float(self.off[math.frexp(max(nearest, 0.5))[1]])
        if off > _ALL_ALIKE:
            off = self.off[np.frexp(np.maximum(np.minimum(place, self.n - place), 0.5))[1]]
        is_sure = np.abs(beyond) > reach + off
        return np.where(is_sure, np.clip(start + (beyond > 0), 0, self.n), -1).astype(np.int64)

    def settle_one(self, place: float, reach: float) -> int:
        """Do the same as `settle`, for one place."""
        start = math.floor(place)
        beyond = place - start - 0.5
        near = min(start, self.n - start)
        if near < 0 or not abs(beyond) > reach + self._one_off[near.bit_length()]:
            return -1
        return start + (beyond > 0)

    @cached_property
    def _one_off(self) -> list[float]:
        return cast("list[float]", self.off.tolist())


@dataclass(frozen=True, eq=False)
class NoiseGuide:
    """What 16 leading bits settle, for any true counts.

    Attributes:
        middle, reach: by the leading bits, Z / mu lies within `reach` of `middle`.
    """

    cuts: Cuts | EvenCuts | FarCuts
    middle: Floats
    reach: Floats

    def positions_at(self, true: Integers, leading: NDArray[np.uint16]) -> Integers:
        """Return the positions, -1 where the leading bits do not settle them; see `GuideTable`."""
        return self.cuts.settle(true + self.middle[leading], self.reach[leading])
