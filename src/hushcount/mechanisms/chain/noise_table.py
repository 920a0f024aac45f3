"""Bulk draws of Gaussian noise, cut at thresholds, from the leading bits of their uniforms.

All true counts have the same noise, so one table of quantiles z_k = Phi^-1(2^-16 k) serves them all: 16 bits of U tell
between which two Z lies, and further bits, along the chord, tell Z up to the curve's bend, |z''| = |z| / phi(z)^2.

On the axis of i + Z / mu, `Cuts` has for every unit interval how many thresholds lie below it and where the one in it
is. Thresholds of the nearest optimum are at least one count apart, so no interval has two; of other chains some may,
and are left to slower ways. So is whatever comes too near to a threshold or to an end of its interval. In a range that
is too large for such a table, `FarCuts` has every threshold near the middle of its interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Self, cast

import numpy as np
from numpy.typing import NDArray

from hushcount.drawing.guide_table import GUIDE_BITS
from hushcount.numbers.arrays import Floats, Integers
from hushcount.promise.normal_floats import quantiles

__all__ = ["Cuts", "FarCuts", "NoiseGuide", "NoiseTable", "noise_table"]

_BINS = 2**GUIDE_BITS
_ANYWHERE = 1e300
"""A reach that no threshold is far enough from."""
_WIDEST = 2**19
"""Intervals kept on either side of 0..n."""


@dataclass(frozen=True, eq=False)
class NoiseTable:
    """For each value k of the leading bits.

    Attributes:
        middle, half: Z lies within `half` of `middle`.
        start, slope, bend: at U = 2^-16 (k + s), Z lies within `bend` of start + slope s.
    """

    middle: Floats
    half: Floats
    start: Floats
    slope: Floats
    bend: Floats

    def near(self, u: Floats) -> tuple[Floats, Floats]:
        """Return what Z is near to, and how near."""
        place = u * _BINS
        k = place.astype(np.intp)
        return self.start[k] + self.slope[k] * (place - k), self.bend[k]


@lru_cache(maxsize=1)
def noise_table() -> NoiseTable:
    """The only one."""
    lower = quantiles(np.arange(1, _BINS // 2) / _BINS)
    z = np.concatenate([[0.0], lower, [0.0], -lower[::-1], [0.0]])
    outer = np.maximum(np.abs(z[:-1]), np.abs(z[1:]))
    bend = outer * (2 * math.pi * np.exp(outer**2)) / (8 * _BINS**2) * (1 + 2.0**-40)
    half = np.diff(z) / 2
    for end in (0, -1):
        half[end] = bend[end] = _ANYWHERE
    return NoiseTable((z[:-1] + z[1:]) / 2, half, z[:-1], np.diff(z), bend)


@dataclass(frozen=True, eq=False)
class Cuts:
    """Thresholds tau_0 <= tau_1 <= ... by unit intervals.

    Attributes:
        base: where the first interval begins.
        below: how many thresholds lie at or below the beginning of each.
        cut: where in it the threshold is, in (0, 1]; 1 where there is none, and not a number where there are several.
    """

    base: int
    below: NDArray[np.int32]
    cut: Floats

    @classmethod
    def of(cls, tau: Floats) -> Self:
        """From all thresholds."""
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
        """Return how many thresholds are below all that is within `reach` of `place`, or -1."""
        start = np.floor(place)
        part = place - start
        interval = np.clip(start - self.base, 0, len(self.cut) - 1).astype(np.intp)
        beyond = part - self.cut[interval]
        room = np.minimum(np.minimum(part, 1 - part), np.abs(beyond))
        return np.where(room > reach, self.below[interval] + (beyond > 0), -1)


@dataclass(frozen=True, eq=False)
class FarCuts:
    """Thresholds tau_0 <= tau_1 <= ... <= tau_{n-1}, mirrored, the nearer to j + 1/2 the farther from both ends.

    Attributes:
        off: by how much those at 2^(e-1) - 2 or more from both ends are off, for e = 0, 1, ...
    """

    n: int
    off: Floats

    def settle(self, place: Floats, reach: Floats) -> Integers:
        """See `Cuts`."""
        start = np.floor(place)
        beyond = place - start - 0.5
        exponent = np.frexp(np.maximum(np.minimum(place, self.n - place), 0.5))[1]
        is_sure = np.abs(beyond) > reach + self.off[exponent]
        return np.where(is_sure, np.clip(start + (beyond > 0), 0, self.n), -1).astype(np.int64)

    def settle_one(self, place: float, reach: float) -> int:
        """`settle`, of one."""
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
        middle, reach: of Z / mu, by the leading bits.
    """

    cuts: Cuts | FarCuts
    middle: Floats
    reach: Floats

    def positions_at(self, true: Integers, leading: NDArray[np.uint16]) -> Integers:
        """See `GuideTable`."""
        return self.cuts.settle(true + self.middle[leading], self.reach[leading])
