"""The nearest optimum under Gaussian differential privacy.

Least worst-case error, and the best of all optima in every other respect, as `optima.nearest` is for (epsilon, delta):
the argument uses nothing but a symmetric trade-off curve (docs/theory.md, "Any promise"). gamma is the root of c_M = 1 in
c_1 = gamma, c_{j+1} = g(c_j) + gamma; the thresholds are its c_j, as floats (`nearest_shifts`).

**How near floats come.** For any chain at all, the least error probability lies between the least and the largest of
its own error probabilities over true counts. So `error_bounds` proves, by going through all of them once, how far this
mechanism is from the optimum: at most 1e-12, at any n. Along a straight line of thresholds the diagonal,
Phi(mu / 2 - y) - Phi(-mu / 2 - y + s) with y > 0 and a slope s < 0, is monotone in y, so there the ends are enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import arb, ctx

from hushcount.mechanisms.chain.gaussian_chain import GaussianChain, check_rising
from hushcount.mechanisms.chain.nearest_shifts import nearest_shifts
from hushcount.mechanisms.chain.shifts import Shifts

__all__ = ["NearestGaussian"]


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

    def error_bounds(self, precision: int = 96) -> tuple[arb, arb]:
        """Bounds of the least error probability that any mu-GDP mechanism has in its worst case; the upper one is this
        mechanism's own."""
        if self.n == 0:
            return arb(0), arb(0)
        kept, knots = len(self.shifts.table), self.shifts.knots.tolist()
        looked_at = {*range(min(kept, self.n // 2) + 1), self.n // 2}
        for knot in knots:
            looked_at |= {i for i in (knot - 1, knot, knot + 1) if i <= self.n // 2}
        with ctx.workprec(precision):
            low = high = None
            for i in looked_at:
                error = self._beyond(i, 0, precision)
                low = error if low is None else low.min(error)
                high = error if high is None else high.max(error)
        return low, high
