"""Draws and rows of the peers in floats: one vectorised tail with an error bound, and a bisection.

A uniform U in [u, u + 2**-53) falls on the outcome at distance k below the true count if tail(k + 1) <= U < tail(k),
and on the one at distance k above it if the same holds of 1 - U and of the upper tails. The bisection finds k by the
float tails. Then the two thresholds around it decide whether k is right, each with a margin that covers the rounding of
the tail and the 2**-53 of u. So a wrong turn of the bisection costs a look at the enclosures, never a wrong draw.

**Error bound of a tail**, in units of 2**-53 (`nearest_fast` has the parts): q^k has an absolute error below 5, S(k)
a relative one below 12. Every tail here is a sum of at most three non-negative terms of total at most 1, each a
product of at most three factors in [0, 1] made of these, of correctly rounded constants and of quotients of two S;
the docstring of each `_float_tail` adds them up, and all stay below 62. `MARGIN` is 64.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from hushcount.mechanisms.optima.kernel_floats import LARGEST_FAST_M
from hushcount.mechanisms.two_tailed import TwoTailed
from hushcount.numbers.arrays import Floats, Integers
from hushcount.numbers.enclosure import nearest_float

__all__ = ["MARGIN", "FloatTailed"]

MARGIN = 64 * 2.0**-53


@dataclass(frozen=True)
class FloatTailed(TwoTailed):
    """A mechanism whose float path is its tail."""

    @abstractmethod
    def _float_tail(self, row: Floats, k: Floats) -> Floats:
        """Return `_tail` elementwise for 1 <= k < row, off by less than `_margin` - 2**-53; it may fall below 0
        where the tail is 0."""

    @property
    def _margin(self) -> float:
        return MARGIN

    @property
    def _is_fast(self) -> bool:
        return self.n < LARGEST_FAST_M

    @abstractmethod
    def _cells(self, row: int) -> Floats:
        """Return Pr(output = row - k | row) for k = 1..row - 1, each right to 1e-12 relative."""

    def _row(self, true: int) -> Floats:
        diagonal = nearest_float(lambda p: self._diagonal(true + 1, p))
        return np.concatenate([self._cells(true + 1)[::-1], [diagonal], self._cells(self.n - true + 1)])

    def _locate(self, true: int, u: float) -> int:
        return int(self._locate_many(np.array([true]), np.array([u]))[0])

    def _locate_many(self, true: Integers, u: Floats) -> Integers:
        if not self._is_fast:
            return np.full(u.shape, -1)
        row = true.astype(np.float64) + 1
        mirrored = self.n + 2 - row
        below = self._bounded_tail(row, np.ones_like(u))
        left = u < below
        side, mass = np.where(left, row, mirrored), np.where(left, u, 1 - u)
        k = self._bisected(side, mass)
        here = np.where(k > 0, self._bounded_tail(side, np.maximum(k, 1.0)), np.inf)
        beyond = self._bounded_tail(side, k + 1)
        sure = (beyond + self._margin <= mass) & (mass <= here - self._margin)
        sure &= left | (below + self._margin <= u)
        return np.where(sure, true + np.where(left, -k, k), -1.0).astype(np.int64)

    def _bisected(self, row: Floats, mass: Floats) -> Floats:
        """Return the largest k with tail(k) > mass, 0 if there is none."""
        low, high = np.zeros_like(row), row - 1
        for _ in range(self.n.bit_length()):
            middle = np.ceil((low + high) / 2)
            holds = self._bounded_tail(row, np.maximum(middle, 1.0)) > mass
            low, high = np.where(holds, middle, low), np.where(holds, high, np.maximum(middle - 1, low))
        return low

    def _bounded_tail(self, row: Floats, k: Floats) -> Floats:
        """Return the tail, and -1 past the last outcome, where no mass lies for sure, without a margin."""
        return np.where(k < row, self._float_tail(row, np.minimum(k, np.maximum(row - 1, 1.0))), -1.0)
