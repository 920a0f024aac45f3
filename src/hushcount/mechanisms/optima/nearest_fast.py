"""The nearest optimum in floats: whole rows, and the inverse CDF with an error bound.

Formulas as in `nearest`, arranged so that nothing cancels. `u` is the top 53 bits of a uniform, which lies in [u, u
+ 2**-53).

**Error bound of the thresholds**, in units of u = 2**-53. The constants are correctly rounded; `exp`, `expm1` and
`log1p` are taken to be right to 4. epsilon k has a relative error of 2, so q^k has an absolute one below 2 x e^-x +
4 < 5, and S(k), a quotient of `expm1`s, a relative one below 12. The low tail's threshold `top - gamma S(k)`, `top
= delta + a S(row)`, has parts below 1.4, so its error is below 2 * 1.4 * 12 + 4 < 40; `LOW` is 64. In the high
tail, q^-s has a relative error of 2 epsilon s + 4 with epsilon s <= min(epsilon M, 37), as e^(epsilon s) <= 1 / (a
q) and M <= 2**53; taking s one step off near y* costs (e^epsilon - q)(x* + v) times the error of the logarithm in
units of epsilon s, below 7 * 37; `_high` adds these up. For q < 1/3 there is only one formula and no step to
mistake.

**Saturated rows.** As the row and M grow, a tends to (1 - delta)(1 - q) / (1 + q) and the center c_i to 1 - x*, so
that both sides hold the same mass x*. Then s = 1 and q^(k-1) (1 - z_1) - delta q S(k - 1) = x* - gamma q S(k - 1) =
c_i - gamma S(k): the upper side has the lower side's thresholds. For rows (<= m) with epsilon (row - 4) >= 48, all
of this holds up to terms below e^(3 epsilon) q^row < e^-44, a hundredth of a unit of 2**-53: these rows are one
row, shifted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hushcount.mechanisms.optima.kernel import STEEP
from hushcount.mechanisms.optima.kernel_floats import LARGEST_FAST_M, KernelFloats
from hushcount.numbers.arrays import Floats, Integers

__all__ = ["Cells", "NearestFloats"]

_UNIT = 2.0**-53
LOW = 64 * _UNIT
_TRIES = 3


@dataclass(frozen=True)
class Cells:
    """Probabilities at distance 1, 2, ... on one side, and the distances (if any) next to which the tail runs out."""

    cells: Floats
    ends: tuple[int, ...]


@dataclass(frozen=True)
class NearestFloats(KernelFloats):
    """Formulas for rows <= m only; the other rows are their mirror images."""

    # Thresholds. A tail here is not clipped: it falls below 0 where the mechanism's is 0.

    def _low_tail(self, row: Any, k: Any) -> Any:
        """Return tail k below `row`, row - k <= M / 2."""
        return self.a * self.power(k) * self.series(row - k) - self.delta * self.q * self.series(k - 1)

    def _high_tail(self, row: Any, k: Any) -> Any:
        """Return Pr(output >= row + k | row), row - 1 + k < m and epsilon > 0: the tail k below row M + 1 - row > M
        / 2 + k."""
        length = row - 1 + k
        if self.q < STEEP:
            s = 1
            rest = self.a * (self.power(length) * self.series(self.m - length) + self.q * self.series(self.M - self.m))
        else:
            w = self.a * self.q * self.series(length)
            s = self._steps(w, k)
            rest = 1 - self._z(w, s)
        return self.power(k - s) * rest - self.delta * self.q * self.series(k - s)

    def _steps(self, w: Any, k: Any) -> Any:
        steps = self.ops.floor(self.ops.log1p((self.threshold - w) / (w + self.v)) / self.epsilon) + 1
        return self.ops.minimum(self.ops.maximum(steps, 0.0), k)

    def _z(self, w: Any, s: Any) -> Any:
        return self.power(-s) * (w + self.delta * self.q * self.series(s))

    def tails(self, row: Integers, k: Integers) -> Floats:
        """Return the tails k below any rows, cut at 0, for a shape that both have."""
        mirrored = self.M + 1 - row
        is_low = (k > self._far(mirrored)) | (not self.epsilon)
        tail = np.empty(row.shape)
        tail[is_low] = self._low_tail(row[is_low], k[is_low].astype(np.float64))
        tail[~is_low] = self._high_tail(mirrored[~is_low], k[~is_low].astype(np.float64))
        return np.maximum(tail, 0.0)

    # Whole rows.

    def lower_cells(self, row: int) -> Cells:
        """Return Pr(output = row - k | row) for k = 1..row - 1: gamma q^k until the tail runs out."""
        k = np.arange(1, row, dtype=np.float64)
        return self._until_empty(self.gamma * self.power(k), self._low_tail(row, k + 1))

    def upper_cells(self, row: int) -> Cells:
        """Return Pr(output = row + k | row) for k = 1..M - row.

        A cell is the image of [c_J - gamma, c_J], J = M + 1 - row - k, under g applied k times. Its ends take s_b
        <= s_t steps above y*. While both take them the length grows by 1/q, when neither does it shrinks by q; the
        s' = s_t - s_b steps that only the upper end takes add q^(k - s_b) (q^-s' - 1)(1 - z_b - z_t), z the
        complement of the upper end after s_b and s_t steps.
        """
        k = np.arange(1, self.M - row + 1, dtype=np.float64)
        cells = self.gamma * self.power(k)
        after = self._low_tail(self.M + 1 - row, k + 1)
        far = min(len(k), self._far(row)) if self.epsilon else 0
        if far > 0:
            x = k[:far]
            length = row - 1 + x
            after[: far - 1] = self._high_tail(row, x[1:])
            if self.q < STEEP:  # s_b = 0, s_t = 1
                rest = self.series(self.m - length) + self.q * self.series(self.M - self.m - length)
                cells[:far] += self.power(x - 1 + length) * self.gap * self.a * rest
            else:
                w = self.a * self.q * self.series(length)
                top, bottom = self._steps(w, x), self._steps(w + self.gamma, x)
                bracket = 1 - self._z(w, bottom) - self._z(w, top)
                extra = self.power(x - bottom) * np.expm1(self.epsilon * (top - bottom)) * bracket
                cells[:far] = self.gamma * self.power(x - 2 * bottom) + extra
        return self._until_empty(cells, after)

    def _far(self, row: Any) -> Any:
        """Return the largest distance above `row` whose tail is from the second formula (row - 1 + k < m)."""
        return self.m - row

    def _until_empty(self, cells: Floats, after: Floats) -> Cells:
        """Zero the cells beyond the first whose next tail is clipped, and name those near it."""
        if self.delta == 0 or not len(cells):
            return Cells(cells, ())
        clipped = np.flatnonzero(after <= 0)
        first = int(clipped[0]) if len(clipped) else len(cells)
        cells[first + 1 :] = 0.0
        return Cells(cells, tuple(k + 1 for k in range(first - 1, first + 2) if 0 <= k < len(cells)))

    # The inverse CDF, outcomes counted from 0: a guess, then the thresholds on both sides of it.

    @property
    def _high(self) -> float:
        run = min(self.epsilon * self.M, 37.0)
        step = 0.0 if self.q < STEEP else 1 / self.q - self.q
        return (96 + 4 * run + 7 * run * step) * _UNIT

    @property
    def saturated(self) -> int:
        """Rows from this one on (to m) are shifts of it; m + 1 if there are none."""
        if not self.epsilon or not 48 / self.epsilon + 5 < self.m:
            return self.m + 1
        return math.ceil(48 / self.epsilon) + 4

    def locate(self, row: int, u: float) -> int:
        """Return the outcome that is sure for every uniform in [u, u + 2**-53], or -1."""
        if not self.M <= LARGEST_FAST_M:
            return -1
        centre = self.delta + self.a * self.series(row)
        left = u < centre
        used = centre - u if left else self.delta + self.a * self.series(self.M + 1 - row) - (1 - u)
        k = int(self._guess_low(used, row - 1 if left else self.M - row))
        if not left and k <= self._far(row) and self.epsilon:
            return self._locate_far_one(row, u)
        here = self.gamma * self.series(k)
        if here + LOW <= used and used + LOW <= here + self.gamma * self.power(k):
            return row - 1 - k if left else row - 1 + k
        return -1

    def _locate_far_one(self, row: int, u: float) -> int:
        v, last, far, margin = 1 - u, self.M - row, self._far(row), self._high
        k = int(self._guess_high(row, u, last))
        for _ in range(_TRIES):
            here, beyond = (
                self._high_tail(row, x) if x <= far else self._low_tail(self.M + 1 - row, x) for x in (k, k + 1)
            )
            if beyond + margin <= v <= here - margin:
                return row - 1 + k
            step = -1 if v > here + margin else 1 if v < beyond - margin else 0
            if not step or not 1 <= k + step <= last:
                return -1
            k += step
        return -1

    def locate_many(self, row: Integers, u: Floats) -> Integers:
        """Apply `locate` elementwise."""
        if not self.M <= LARGEST_FAST_M:
            return np.full(u.shape, -1)
        return self._locate_rows(row.astype(np.float64), u)

    def _locate_rows(self, row: Floats, u: Floats) -> Integers:
        centre = self.delta + self.a * self.series(row)
        left = u < centre
        # Left: mass `centre - u` lies between the uniform and the diagonal's end. Right: the same, seen from the
        # mirrored row.
        saturated = row >= self.saturated
        top = np.where(saturated, centre, self.delta + self.a * self.series(self.M + 1 - row))
        used = np.where(left, centre - u, top - (1 - u))
        k = self._guess_low(used, np.where(left, row - 1, self.M - row))
        here = self.gamma * self.series(k)
        sure = (here + LOW <= used) & (used + LOW <= here + self.gamma * self.power(k))
        found = np.where(sure, row - 1 + np.where(left, -k, k), -1.0)
        if self.epsilon:
            far = np.flatnonzero(~left & ~saturated & (k <= self._far(row)))
            found[far] = self._locate_far(row[far], u[far])
        return found.astype(np.int64)

    def _locate_far(self, row: Floats, u: Floats) -> Floats:
        found, margin = np.full(len(u), -1.0), self._high
        k = self._guess_high(row, u, self.M - row)
        left = np.arange(len(u))
        for _ in range(_TRIES):
            here, beyond, v = self._upper_tail(row, k), self._upper_tail(row, k + 1), 1 - u
            sure = (beyond + margin <= v) & (v <= here - margin)
            found[left[sure]] = (row - 1 + k)[sure]
            unsure = np.flatnonzero(~sure)
            step = np.where(v[unsure] > here[unsure] + margin, -1, np.where(v[unsure] < beyond[unsure] - margin, 1, 0))
            moved = k[unsure] + step
            again = (step != 0) & (moved >= 1) & (moved <= self.M - row[unsure])
            if not again.any():
                break
            kept = unsure[again]
            left, row, u, k = left[kept], row[kept], u[kept], moved[again]
        return found

    def _upper_tail(self, row: Floats, k: Floats) -> Floats:
        near = np.flatnonzero(k > self._far(row))
        tail: Floats = self._high_tail(row, np.minimum(k, self._far(row)))
        tail[near] = self._low_tail(self.M + 1 - row[near], k[near])
        return tail

    def _guess_low(self, used: Any, last: Any) -> Any:
        """Return the k with gamma S(k) <= used < gamma S(k + 1)."""
        k = self.ops.floor(self.inverse_series(used / self.gamma))
        return self.ops.minimum(self.ops.maximum(k, 0.0), last)

    def _guess_high(self, row: Any, u: Any, last: Any) -> Any:
        """Return the outcome's distance if s could be any real number: exact while u <= 1 - x*, where only steps
        above y* were taken."""
        if not self.q:
            return last * 0 + 1
        grown = self.ops.maximum(self.gap * (u / self.q - self.a * self.series(row - 1)) / self.gamma, 0.0)
        run = self.ops.log1p(grown) / self.epsilon
        lifted = (1 - u) * self.gap + self.delta * self.q
        share = self.gap + 4 * self.q * (self.delta * u - lifted * self.a * self.series(row - 1))
        mixed = (
            self.ops.log1p(self.ops.maximum(self.gap * share / (4 * lifted * self.gamma * self.q), 0.0)) / self.epsilon
        )
        is_run = u <= 1 - self.threshold
        k = run * is_run + mixed * (1 - is_run)
        return self.ops.minimum(self.ops.maximum(self.ops.floor(k), 1.0), last)
