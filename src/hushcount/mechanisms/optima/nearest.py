"""The nearest optimum: least worst-case error, and the best of all optima in every other respect.

Rows 1..M as in the paper; q = e^-epsilon, g = `least` and f = `largest` of `hushcount.promise.epsilon_delta`, and
gamma the common diagonal of all optima. With `c_1 = gamma` and `c_{j+1} = g(c_j) + gamma`, every optimal mechanism
has Pr(output <= j | j) = c_j, and the nearest optimum is the one with Pr(output <= i - k | i) = g applied k times to
c_{i-k} for every k >= 1, mirrored above. No optimal mechanism puts less mass at distance k or more from any true
count, on either side (docs/theory.md, "The nearest optimum").

**Closed form.** c_j = delta + a S(j) for j <= m and 1 - c_j = a q S(M - j) for j >= m. Below y* = (1 + delta q) /
(1 + q) a step of g is y -> max(0, q (y - delta)); above it the complement z = 1 - y moves z -> z / q + delta. So

- from j = i - k <= M / 2 (always so in rows i <= m), where c_j <= y*: tail = max(0, a q^k S(j) - delta q S(k - 1)),
  which is gamma q^d in every single outcome at distance d until the mass of the tail is used up;
- from j > M / 2, with l = M - j and w = a q S(l): z_s = q^-s w + delta q^(1-s) S(s) after s steps above y*,
  and then k - s below it: tail = max(0, q^(k-s) (1 - z_s) - delta q S(k - s)), with s the least number of steps
  that brings z_s above x* = 1 - y* (at most k).

At epsilon = 0 both branches are y -> y - delta and the first formula holds everywhere: max(0, a j - delta (k - 1)).

**The price.** The mechanism is not "row honest": at small epsilon an edge count is most often released one step inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, overload

import numpy as np
from flint import arb

from hushcount.drawing.guide_table import FEWEST_GUIDED
from hushcount.drawing.law import Guide
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.chain.nearest import NearestGaussian
from hushcount.mechanisms.chain.nearest_points import NearestPoints
from hushcount.mechanisms.chain.never_invented import NeverInvented, check_hides
from hushcount.mechanisms.optima.kernel import Kernel
from hushcount.mechanisms.optima.nearest_fast import NearestFloats
from hushcount.mechanisms.optima.nearest_noise import NoiseDraw, noise_guide
from hushcount.mechanisms.optima.nearest_sums import far_sums
from hushcount.mechanisms.optima.nearest_tail import high_tail, low_tail, upper_steps
from hushcount.mechanisms.optima.optimum import Optimum
from hushcount.mechanisms.optima.tail_sums import piece_sums
from hushcount.numbers.arrays import Floats, Integers
from hushcount.numbers.enclosure import ball
from hushcount.numbers.exact import Number
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.given import promise_of

__all__ = ["Nearest", "nearest"]


@dataclass(frozen=True)
class Nearest(Optimum[NearestFloats]):
    """The nearest optimum; see the module and `nearest`."""

    name = "nearest"
    has_monotone_ratios = True

    def _tail(self, row: int, k: int, precision: int) -> arb:
        K = self.kernel(precision)
        j = row - k
        if K.is_flat:  # all is rational: the mass may end in an exact 0, which a ball cannot tell from a tiny number
            return ball(max(Fraction(0), (1 - self.delta) * j / K.M - self.delta * (k - 1)))
        if j <= K.half:
            return low_tail(K, j, k)
        return high_tail(K, K.M - j, k, upper_steps(K, K.M - j, k))

    def _tail_sums(self, row: int, precision: int, most: int | None = None) -> tuple[arb, arb]:
        K = self.kernel(precision)
        last = self._last_positive(row, precision)
        if most is not None:
            last = min(last, most)
        low_from = 1 if K.is_flat else max(1, row - K.half)
        near = self._low_sums(K, row, low_from, last)
        far = far_sums(K, row, min(low_from - 1, last))
        return near[0] + far[0], near[1] + far[1]

    def side_sums(self, true: int, is_below: bool, last: int | None, precision: int) -> tuple[arb, arb]:
        """See `Chain.side_sums`."""
        return self._tail_sums(true + 1 if is_below else self.n - true + 1, precision, last)

    def _far_floats(self, true: Integers, j: Integers) -> Floats:
        """See `Chain._far_floats`."""
        below = j < true
        return self._floats.tails(np.where(below, true, self.n - true) + 1, np.where(below, true - j, j + 1 - true))

    @staticmethod
    def _low_sums(K: Kernel, row: int, first: int, last: int) -> tuple[arb, arb]:
        """Return sums of the first formula, unclipped: delta + a S(row) - gamma S(k) = (gamma q^k - a q^row - delta
        q) / (1 - q)."""
        if not K.is_flat:
            base = -(K.a * K.power(row) + K.delta * K.q) / K.gap
            return piece_sums(K, {0: base, 1: K.gamma / K.gap}, first, last)
        # S(k) = k: sums of b - gamma k and of (2k - 1)(b - gamma k).
        b, count = K.delta + K.a * row, max(0, last - first + 1)
        if count == 0:
            return arb(0), arb(0)
        ones = arb(count)
        firsts = arb((first + last) * count) / 2
        squares = arb(last * (last + 1) * (2 * last + 1) - (first - 1) * first * (2 * first - 1)) / 6
        return b * ones - K.gamma * firsts, (2 * b + K.gamma) * firsts - b * ones - 2 * K.gamma * squares

    def _last_positive(self, row: int, precision: int) -> int:
        """Return the largest k < row whose tail is not clipped to 0 (a tail too near 0 to tell adds nothing), or 0."""
        if self.delta == 0:
            return row - 1
        low, high = 0, row - 1
        while low < high:
            middle = (low + high + 1) // 2
            if self._tail(row, middle, precision).mid() > 0:
                low = middle
            else:
                high = middle - 1
        return low

    # Sampling orders the outcomes from the end nearer to the true count, so that only rows <= m occur.

    def _below(self, true: int, position: int, precision: int) -> arb:
        return self.enclosed_cdf(min(true, self.n - true), position - 1, precision)

    def _outcome(self, true: int, position: int) -> int:
        return position if 2 * true <= self.n else self.n - position

    def _outcomes(self, true: Integers, position: Integers) -> Integers:
        return np.where(2 * true <= self.n, position, self.n - position)

    @staticmethod
    def _formulas() -> type[NearestFloats]:
        return NearestFloats

    def _row(self, true: int) -> Floats:
        row = min(true, self.n - true) + 1
        left, right = self._floats.lower_cells(row), self._floats.upper_cells(row)
        whole = np.concatenate([left.cells[::-1], [self._floats.gamma], right.cells])
        if self.delta > 0:
            # The outcomes at which a tail runs out are differences of nearly equal numbers: take those exactly.
            uncertain = {row - 1 - k for k in left.ends} | {row - 1 + k for k in right.ends}
            for j in uncertain:
                whole[j] = self.pmf(row - 1, j)
        return whole if 2 * true <= self.n else whole[::-1]

    def _alike(self, true: Integers) -> tuple[Integers, Integers]:
        row = np.minimum(true, self.n - true)
        alike = np.minimum(row, self._floats.saturated - 1)
        return alike, row - alike

    def _guide(self, true: Integers) -> Guide | None:
        guide = None if (true == true[:1]).all() or len(true) < FEWEST_GUIDED else self._noise_guide
        return guide or super()._guide(true)

    @cached_property
    def _noise_guide(self) -> Guide | None:
        return noise_guide(self._floats)

    def _locate(self, true: int, u: float) -> int:
        row = min(true, self.n - true)
        found = -1 if self._noise_draw is None else self._noise_draw.locate(row, u)
        return found if found >= 0 else self._scalars.locate(row + 1, u)

    @cached_property
    def _noise_draw(self) -> NoiseDraw | None:
        return NoiseDraw.of(self._floats)

    def _locate_many(self, true: Integers, u: Floats) -> Integers:
        return self._floats.locate_many(np.minimum(true, self.n - true) + 1, u)


@overload
def nearest(
    n: int,
    epsilon: Number | Curve | None = None,
    delta: Number = 0,
    *,
    mu: Number | None = None,
    rho: Number | None = None,
    never_invented: Literal[True],
) -> NeverInvented: ...


@overload
def nearest(n: int, epsilon: Number | EpsilonDelta, delta: Number = 0) -> Nearest: ...


@overload
def nearest(n: int, epsilon: Curve) -> Mechanism: ...


@overload
def nearest(n: int, *, mu: Number) -> NearestGaussian: ...


@overload
def nearest(n: int, *, rho: Number) -> NearestGaussian: ...


def nearest(
    n: int,
    epsilon: Number | Curve | None = None,
    delta: Number = 0,
    *,
    mu: Number | None = None,
    rho: Number | None = None,
    never_invented: bool = False,
) -> Mechanism:
    """Return the nearest optimum on 0..n for a promise (docs/theory.md, "The nearest optimum").

    Its worst-case error probability is the least possible under the promise; for (epsilon, delta) it is
    (1 - delta)(1 - alpha_M(epsilon)) ([RV26] Theorem 1 (10)). Among all mechanisms that reach it, it has the largest
    Pr(|output - i| <= t | i) for every true count i and every t at once, on either side, and hence the least expected
    loss for every loss that does not fall with distance.

    Args:
        n: the largest count, an integer >= 0.
        epsilon: >= 0, in nats; float, int, Fraction, Decimal or decimal string, kept exactly. Or a promise
            (`EpsilonDelta`, `GaussianDP`, `SeveralPairs`), and nothing else. Of several pairs the error is within 1e-12
            of the least possible (`hushcount.mechanisms.chain.nearest_points`).
        delta: 0 <= delta < 1, kept exactly.
        mu: > 0: mu-GDP in place of epsilon and delta. The error is then within 1e-12 of the least possible at any n
            (`hushcount.mechanisms.chain.nearest`); privacy is exact.
        rho: > 0: mu-GDP with mu^2 = 2 rho, which gives at least rho-zCDP. It is optimal among mu-GDP mechanisms; which
            one is wrong least often under rho-zCDP itself is not known.
        never_invented: whether a count of 0 is always released as 0, for groups that are not declared. Every other
            count i is then released as 0 with chance g^i(1), the least possible ([DVGM22]); else it is drawn as before
            where that is above what is never released (`hushcount.mechanisms.chain.never_invented`). All deltas must be
            above 0. What is said above of the error holds no longer: small counts are hidden most often.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
        TooLarge: of several pairs, n beyond about 2 million where more thresholds differ than are kept.
    """
    promise = promise_of(epsilon, delta, mu=mu, rho=rho)
    if never_invented:
        check_hides(promise)
    if isinstance(promise, GaussianDP):
        return NearestGaussian(n, promise)
    optimum = Nearest(n, promise) if isinstance(promise, EpsilonDelta) else NearestPoints(n, promise)  # type: ignore[arg-type]
    return NeverInvented(optimum) if never_invented else optimum
