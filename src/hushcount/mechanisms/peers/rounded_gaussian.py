"""Continuous Gaussian noise, added to the true count, rounded to the nearest integer and clamped to 0..n.

It releases the j with j - 1/2 < i + Z / mu <= j + 1/2, and at the ends all that falls beyond: a chain whose thresholds
are not moved at all. So it is mu-GDP, drawn exactly, and by the theorem of docs/theory.md, "Any promise", no better
than `nearest` in its worst case. Its noise, Z / mu rounded, is symmetric and log-concave (a log-concave density over
cells of equal width), so that what `clamped_noise` says of the worst true count and the worst pair holds for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.chain.gaussian_chain import GaussianChain
from hushcount.mechanisms.chain.shifts import Shifts
from hushcount.numbers.exact import Number
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.from_meaning import largest_mu_implying
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.given import promise_of

__all__ = ["AnalyticGaussian", "RoundedGaussian", "analytic_gaussian", "rounded_gaussian"]


@dataclass(frozen=True)
class RoundedGaussian(GaussianChain):
    """See `rounded_gaussian`."""

    name = "rounded-gaussian"
    is_mirrored = True

    @cached_property
    def shifts(self) -> Shifts:
        return Shifts.mirrored(self.n, np.zeros(0))

    def worst_pairs(self, distance: int) -> list[tuple[int, int]]:
        return [(self.n - distance, self.n)]

    def worst_candidates(self) -> list[int]:
        return sorted({0, self.n // 2})

    def _worst_beyond(self, t: int) -> list[int]:
        return self.worst_candidates()

    expected_absolute_error = Mechanism.expected_absolute_error
    expected_squared_error = Mechanism.expected_squared_error
    bias = Mechanism.bias


@dataclass(frozen=True)
class AnalyticGaussian(RoundedGaussian):
    """See `analytic_gaussian`; `promise` is the Gaussian one from which the pair follows."""

    pair: EpsilonDelta

    name = "analytic-gaussian"

    @property
    def epsilon(self) -> Fraction:
        return self.pair.epsilon

    @property
    def delta(self) -> Fraction:
        return self.pair.delta


def rounded_gaussian(
    n: int, promise: Curve | None = None, *, mu: Number | None = None, rho: Number | None = None
) -> RoundedGaussian:
    """Return Gaussian noise of standard deviation 1 / mu, added to the count, rounded and clamped to 0..n: mu-GDP.

    Args:
        n: the largest count, an integer >= 0.
        promise, mu, rho: one of a `GaussianDP`, mu > 0, and rho > 0 with mu^2 = 2 rho; kept exactly.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
    """
    kept = promise_of(promise, mu=mu, rho=rho)
    if not isinstance(kept, GaussianDP):
        raise InvalidParameter("promise", None, "mu or rho")
    return RoundedGaussian(n, kept)


def analytic_gaussian(n: int, epsilon: Number, delta: Number) -> AnalyticGaussian:
    """Return the analytic Gaussian mechanism ([BW18]), rounded and clamped to 0..n.

    The standard deviation of its noise is the least that is (epsilon, delta)-DP for shifts by 1, to 2**-48 of it and
    rounded up. It is mu-GDP as well, with mu the inverse of that.

    Args:
        n: the largest count, an integer >= 0.
        epsilon: 0 <= epsilon <= 10^9, in nats; float, int, Fraction, Decimal or decimal string, kept exactly.
        delta: 0 < delta < 1, kept exactly; no Gaussian noise is private at delta 0.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
    """
    n, pair = integer(n, "n", least=0), EpsilonDelta.of(epsilon, delta)
    return AnalyticGaussian(n, _calibrated(pair), pair)


@lru_cache(maxsize=256)
def _calibrated(pair: EpsilonDelta) -> GaussianDP:
    return GaussianDP(largest_mu_implying(pair.epsilon, pair.delta) ** 2)
