"""Iterates of g in Python floats, one number at a time, however many steps."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from statistics import NormalDist

from hushcount.promise.float_lines import FloatLines

__all__ = ["FloatCurve", "FloatGaussian", "FloatPieces"]

_QUANTILE = NormalDist().inv_cdf
_HALF_ROOT = math.sqrt(0.5)


class FloatCurve(ABC):
    """A curve in Python floats."""

    @abstractmethod
    def least(self, y: float, steps: int) -> float:
        """Return g applied so often to y, 0 <= y <= 1."""


@dataclass(frozen=True)
class FloatGaussian(FloatCurve):
    mu: float

    def least(self, y: float, steps: int) -> float:
        if not 0 < y < 1:
            return y
        return 0.5 * math.erfc((steps * self.mu - _QUANTILE(y)) * _HALF_ROOT)


@dataclass(frozen=True)
class FloatPieces(FloatCurve):
    """g^k is convex and piecewise linear, with kinks where f^i(a kink of g), i < k, and is read off between them."""

    lines: FloatLines

    def least(self, y: float, steps: int) -> float:
        kinks, values, slopes = self._pieces(steps)
        piece = bisect_right(kinks, y) - 1
        return values[piece] + slopes[piece] * (y - kinks[piece])

    def _pieces(self, steps: int) -> tuple[list[float], list[float], list[float]]:
        if steps not in self._found:
            kinks, ends = [0.0, 1 - 2.0**-53, 1.0], self._kinks()
            for _ in range(steps):
                kinks += ends
                ends = [x for x in (self._largest(x) for x in ends) if x < 1]
            kinks = sorted(set(kinks))
            values = [self._iterated(x, steps) for x in kinks]
            slopes = [(d - c) / (b - a) for (a, c), (b, d) in pairwise(zip(kinks, values, strict=True))]
            self._found[steps] = kinks, values, [*slopes, 0.0]
        return self._found[steps]

    @cached_property
    def _found(self) -> dict[int, tuple[list[float], list[float], list[float]]]:
        return {}

    def _kinks(self) -> list[float]:
        """Return where two lines of g meet, or one meets 0."""
        lines = [(0.0, 0.0)]
        lines += [(q, -q * delta) for q, delta in self.lines.shrinking]
        lines += [(growth, 1 - delta - growth) for growth, delta in self.lines.growing]
        meet = [(d - b) / (a - c) for (a, b), (c, d) in combinations(lines, 2) if a != c]
        return [x for x in meet if 0 < x < 1]

    def _iterated(self, y: float, steps: int) -> float:
        for _ in range(steps):
            if y <= 0:
                return 0.0
            low = max(q * (y - delta) for q, delta in self.lines.shrinking)
            high = max(1 - delta - growth * (1 - y) for growth, delta in self.lines.growing)
            y = max(0.0, low, high)
        return y

    def _largest(self, x: float) -> float:
        low = min(1 - q * (1 - x - delta) for q, delta in self.lines.shrinking)
        return min(1.0, low, *(growth * x + delta for growth, delta in self.lines.growing))
