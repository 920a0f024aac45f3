"""Standard normal noise from the leading bits of its uniform, z_k = Phi^-1(2^-16 k).

16 bits of U tell between which two of these Z lies. Further bits, along the chord, tell Z up to the curve's bend,
|z''| = |z| / phi(z)^2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hushcount.drawing.guide_table import GUIDE_BITS
from hushcount.numbers.arrays import Floats
from hushcount.promise.normal_floats import quantiles

__all__ = ["NoiseTable", "noise_table"]

_BINS = 2**GUIDE_BITS
_ANYWHERE = 1e300
"""A reach that no threshold is far enough from."""


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
