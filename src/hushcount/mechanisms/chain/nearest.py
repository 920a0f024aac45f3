"""The nearest optimum under Gaussian differential privacy.

Least worst-case error, and the best of all optima in every other respect, as `optima.nearest` is for
(epsilon, delta): the argument uses nothing but a symmetric trade-off curve (docs/theory.md, "Any promise"). gamma is
the root of c_M = 1 in c_1 = gamma, c_{j+1} = g(c_j) + gamma; the thresholds are its c_j, as floats (`nearest_shifts`).

**How near floats come.** For any chain at all, the least error probability lies between the least and the largest of
its own error probabilities over true counts. So `error_bounds` proves, by going through all of them once, how far this
mechanism is from the optimum: at most 1e-12, at any n. Along a straight line of thresholds the diagonal,
Phi(mu / 2 - y) - Phi(-mu / 2 - y + s) with y > 0 and a slope s < 0, falls with y, so there the ends are enough (up to
the rounding of y, far below the slack of the bounds).

**The worst true count** is 0 (and n) for every loss that grows with distance (docs/theory.md, "Any promise"). Where all
are alike but for the rounding of the thresholds, another one may be worse by that rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hushcount.mechanisms.chain.gaussian_chain import GaussianChain, check_rising
from hushcount.mechanisms.chain.nearest_shifts import STEPS, NearestShifts, nearest_shifts
from hushcount.mechanisms.chain.shifts import Shifts
from hushcount.promise.normal_floats import upper_tails

__all__ = ["NearestGaussian"]

_AS_LARGE_AS_ANY = 2**60
"""Beyond so many outcomes, all further thresholds are in the middle and at rest."""

_CLOSE = 2.0**-41
"""Far more than what floats lose of a shift."""


@dataclass(frozen=True)
class NearestGaussian(GaussianChain):
    """See the module."""

    name = "nearest"
    is_mirrored = True

    @cached_property
    def shifts(self) -> Shifts:
        shifts = nearest_shifts(self._mu, self.n)
        check_rising(self.privacy, shifts.table)
        check_rising(self.privacy, shifts.values)
        return shifts

    def _candidates(self, largest: int) -> list[int]:
        return [0]

    def shift_at_most(self, j: int) -> float:
        """Return an upper bound of y_j, 0 <= j < n, without the other thresholds.

        It is y_j itself where the recursion gives it, and less than 1e-12 (1 + |y_j|) above it elsewhere.
        """
        y = NearestShifts.of(self._mu, self.n).at(j)
        return y if min(j, self.n - 1 - j) < STEPS else y + _CLOSE * (1 + abs(y))

    def error_bounds(self) -> tuple[float, float]:
        """Return bounds of the least worst-case error probability of all mu-GDP mechanisms on 0..n, rounded outward.

        This mechanism's own is at most the upper one.
        """
        if self.n == 0:
            return 0.0, 0.0
        n = min(self.n, _AS_LARGE_AS_ANY)
        half, mu, shifts = n // 2, self._mu, replace(self.shifts, n=n)
        listed = min(len(shifts.table), half)
        knots = shifts.knots[:, None] + np.arange(-1, 2)
        rows = np.unique(np.concatenate([np.arange(listed + 1), knots.ravel(), [half]]))
        rows = rows[rows <= half]
        too_low = np.where(rows > 0, upper_tails(mu / 2 + shifts.many(np.maximum(rows - 1, 0))), 0.0)
        too_high = np.where(rows < n, upper_tails(mu / 2 - shifts.many(np.minimum(rows, n - 1))), 0.0)
        errors = too_low + too_high
        slack = 4 * self._margin
        return float(errors.min()) - slack, float(errors.max()) + slack
