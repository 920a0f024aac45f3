"""g of one or several (epsilon, delta) in floats that surely err to one side, for arrays.

Of a chance and its complement, (y, 1 - y), the *lower* pair has y rounded down and 1 - y rounded up, the *upper* pair
the other way round. Constants are rounded by more than an operation can err, so plain operations keep the side. What
falls below 1e-300 becomes 0, or 1e-300.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flint import arb, ctx

from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import ball
from hushcount.promise.piecewise_linear import PiecewiseLinear

__all__ = ["LEAST", "DirectedLines", "down", "up"]

LEAST = 1e-300
_LESS, _MORE = 1 - 2.0**-50, 1 + 2.0**-50


def down(value: arb) -> float:
    """Return a float below a number >= 0 that is enclosed to 60 bits."""
    found = float(value.mid()) * _LESS
    return found if found > LEAST else 0.0


def up(value: arb) -> float:
    """Return a float above it, at least 1e-300 unless it is exactly 0."""
    return 0.0 if value.is_zero() else max(float(value.mid()) * _MORE, LEAST)


@dataclass(frozen=True)
class DirectedLines:
    """The lines q (y - delta) and 1 - delta - e^epsilon (1 - y), each constant rounded down and up."""

    shrinking: tuple[tuple[float, float, float, float], ...]
    growing: tuple[tuple[float, float, float, float], ...]

    @classmethod
    def of(cls, curve: PiecewiseLinear) -> DirectedLines:
        """For epsilon of at most 600."""
        shrinking, growing = [], []
        with ctx.workprec(128):
            for pair in curve.all_pairs():
                q, growth, delta = (-ball(pair.epsilon)).exp(), ball(pair.epsilon).exp(), ball(pair.delta)
                fixed = (down(delta), up(delta)) if pair.delta else (0.0, 0.0)
                shrinking.append((down(q), up(q), *fixed))
                growing.append((down(growth), up(growth), *fixed))
        return cls(tuple(shrinking), tuple(growing))

    def lower(self, y: Floats, rest: Floats) -> tuple[Floats, Floats]:
        """Return g(y) rounded down and 1 - g(y) rounded up, from a lower pair."""
        best, left = np.zeros_like(y), np.ones_like(y)
        for q, _, _, delta in self.shrinking:
            image = q * (y - delta)
            best, left = np.maximum(best, image), np.minimum(left, (1 - image) * _MORE)
        for _, growth, _, delta in self.growing:
            image = growth * rest + delta
            best, left = np.maximum(best, (1 - image) * _LESS), np.minimum(left, image)
        best[best < LEAST] = 0.0
        return best, left

    def upper(self, y: Floats, rest: Floats) -> tuple[Floats, Floats]:
        """Return g(y) rounded up and 1 - g(y) rounded down, from an upper pair."""
        best, left = np.full_like(y, LEAST), np.ones_like(y)
        for _, q, delta, _ in self.shrinking:
            image = q * (y - delta)
            best, left = np.maximum(best, image), np.minimum(left, (1 - image) * _LESS)
        for growth, _, delta, _ in self.growing:
            image = growth * rest + delta
            best, left = np.maximum(best, (1 - image) * _MORE), np.minimum(left, image)
        left[left < LEAST] = 0.0
        return best, left
