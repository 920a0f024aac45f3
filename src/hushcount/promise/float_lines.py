"""The curve of one or several (epsilon, delta) in floats, for arrays (`hushcount.promise.piecewise_linear`)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hushcount.numbers.arrays import Floats
from hushcount.promise.piecewise_linear import PiecewiseLinear

__all__ = ["FloatLines"]


@dataclass(frozen=True)
class FloatLines:
    """The curve in floats, for arrays of chances y with their complements."""

    shrinking: tuple[tuple[float, float], ...]
    """(q, delta) of y -> q (y - delta)."""
    growing: tuple[tuple[float, float], ...]
    """(e^epsilon, delta) of 1 - y -> e^epsilon (1 - y) + delta."""

    @classmethod
    def of(cls, curve: PiecewiseLinear) -> FloatLines:
        """Round the numbers of a curve correctly."""
        shrinking, growing = [], []
        for pair in curve.all_pairs():
            delta = float(pair.delta)
            shrinking.append((pair.shrinkage, delta))
            growing.append((math.exp(float(min(pair.epsilon, Fraction(700)))), delta))
        return cls(tuple(shrinking), tuple(growing))

    def least(self, y: Floats, rest: Floats) -> tuple[Floats, Floats]:
        """Return g and its complement; where e^epsilon (1 - y) is below 1, off by at most 2^-50."""
        best, left = np.zeros_like(y), np.ones_like(y)
        for q, delta in self.shrinking:
            image = q * (y - delta)
            best, left = np.maximum(best, image), np.minimum(left, 1 - image)
        for growth, delta in self.growing:
            image = growth * rest + delta
            best, left = np.maximum(best, 1 - image), np.minimum(left, image)
        return best, np.maximum(left, 0.0)
