"""Bulk draws of noise that is cut at thresholds, the same noise for all true counts.

True count i is released as the j with tau_{j-1} < i + noise <= tau_j. The 16 leading bits of U tell between
which two quantiles the noise lies, whatever i is; most of the time no threshold is between.

`Cuts` keeps, for every unit interval of i + noise, how many thresholds lie below it and where the one in it is.
Thresholds of a nearest optimum are at least one count apart, so no interval has two. In other mechanisms some may; they
are left to slower ways, as is whatever comes too near to a threshold or to an end of its interval. In a range that is
too large for such a table, `FarCuts` has every threshold near the middle of its interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self, cast

import numpy as np
from numpy.typing import NDArray

from hushcount.numbers.arrays import Floats, Integers

__all__ = ["LARGEST_CUTS", "Cuts", "FarCuts", "NoiseGuide"]

LARGEST_CUTS = 2**21
"""The most thresholds for which intervals are kept (24 MiB)."""

_ALL_ALIKE = 1e-4
"""As far off, all may be taken for the one that is off the most."""

_WIDEST = 2**19
"""The most intervals kept on either side of 0..n."""


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

    cuts: Cuts | FarCuts
    middle: Floats
    reach: Floats

    def positions_at(self, true: Integers, leading: NDArray[np.uint16]) -> Integers:
        """Return the positions, -1 where the leading bits do not settle them; see `GuideTable`."""
        return self.cuts.settle(true + self.middle[leading], self.reach[leading])
