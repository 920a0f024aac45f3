"""Clamped discrete Gaussian noise, with the least sigma that (epsilon, delta) allows, or that rho-zCDP does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer
from hushcount.mechanisms.peers.clamped_noise import ClampedNoise
from hushcount.mechanisms.peers.discrete_gaussian import DiscreteGaussian, discrete_gaussian
from hushcount.mechanisms.peers.float_tailed import MARGIN
from hushcount.mechanisms.peers.gaussian_calibration import least_sigma_squared
from hushcount.mechanisms.two_tailed import PrivateTwoTailed
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import ball, nearest_float
from hushcount.numbers.exact import Number
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP

__all__ = ["ClampedGaussian", "ZcdpGaussian", "clamped_gaussian", "zcdp_gaussian"]

LARGEST_EPSILON = 10**9
LARGEST_TABLE = 2**20
"""The most values of noise in a table.

Noise of more values (sigma above 100,000) is drawn by enclosures alone: exactly, but at about a millisecond each.
"""

_REACH_SQUARED = 91
"""Pr(Y^2 > 91 sigma^2) < 2**-64."""


@dataclass(frozen=True)
class _DiscreteGaussianNoise(ClampedNoise):
    """Clamped discrete Gaussian noise, whatever its sigma is chosen for.

    Attributes:
        sigma_squared: the noise's variance parameter, exactly (the variance is equal or a little less).
    """

    sigma_squared: Fraction

    @property
    def sigma(self) -> float:
        """The square root of `sigma_squared`, to the nearest float."""
        return nearest_float(lambda p: ball(self.sigma_squared).sqrt())

    def _gaussian(self, precision: int) -> DiscreteGaussian:
        return discrete_gaussian(self.sigma_squared, precision)

    def _noise(self, k: int, precision: int) -> arb:
        return self._gaussian(precision).probability(k)

    def _noise_tail(self, k: int, precision: int) -> arb:
        return self._gaussian(precision).tail(k)

    def _tail_sums(self, row: int, precision: int) -> tuple[arb, arb]:
        last = row - 1
        if not last:
            return arb(0), arb(0)
        noise = self._gaussian(precision)
        rest = noise.tail(last)
        (all_first, all_second), (first, second) = noise.moments(1), noise.moments(last)
        return all_first - first + last * rest, all_second - second + last**2 * rest

    @cached_property
    def _peak(self) -> float:
        """Pr(Y = 0)"""
        return nearest_float(lambda p: self._noise(0, p))

    @cached_property
    def _sharpness(self) -> float:
        """1 / (2 sigma^2)"""
        return float(1 / (2 * self.sigma_squared))

    def _probabilities(self, count: int) -> Floats:
        """Return Pr(Y = 1..count); an exponent x has a relative error of 2 units, and e^-x one of 2 x + 4."""
        z = np.arange(1, count + 1, dtype=np.float64)
        with np.errstate(under="ignore"):
            floats: Floats = self._peak * np.exp(-self._sharpness * z**2)
        return floats

    @cached_property
    def _table_size(self) -> int:
        """How many values of the noise a table of its tail needs."""
        return min(self.n, math.isqrt(int(_REACH_SQUARED * self.sigma_squared)) + 2)

    @property
    def _is_fast(self) -> bool:
        return super()._is_fast and self._table_size <= LARGEST_TABLE

    @property
    def _margin(self) -> float:
        return MARGIN + self._table_size * 2.0**-53

    @cached_property
    def _tails(self) -> Floats:
        """G(k) at k = 0, 1, ... (0 stands for no mass at k = 0 and past the end)."""
        size = self._table_size
        first = nearest_float(lambda p: self._noise_tail(1, p))
        inner = first - np.cumsum(self._probabilities(size - 1)) if size > 1 else np.zeros(0)
        return np.concatenate([[0.0, first], inner, [0.0]])

    def _float_tail(self, row: Floats, k: Floats) -> Floats:
        """Return G(1) less running sums of Pr(Y = z).

        A term is right to 2 x + 8 units of itself, x = z^2 / (2 sigma^2), and x Pr(Y = z) sums to at most 1/4: below 8
        together. Each of the sums adds at most half a unit, and less than 2**-64 is left out past the end.
        """
        return self._tails[np.minimum(k, self._table_size + 1).astype(np.int64)]

    def _cells(self, row: int) -> Floats:
        cells = self._probabilities(row - 1)
        if row > 1:
            cells[-1] = nearest_float(lambda p: self._noise_tail(row - 1, p))
        return cells


@dataclass(frozen=True)
class ClampedGaussian(_DiscreteGaussianNoise, PrivateTwoTailed):
    """See `clamped_gaussian`."""

    name = "clamped-gaussian"


@dataclass(frozen=True)
class ZcdpGaussian(_DiscreteGaussianNoise):
    """See `zcdp_gaussian`. It promises rho-zCDP: no one epsilon and delta, and no mu."""

    name = "zcdp-gaussian"

    @property
    def epsilon(self) -> None:
        return None

    @property
    def delta(self) -> None:
        return None

    @property
    def rho(self) -> Fraction:
        """Return 1 / (2 sigma^2)."""
        return 1 / (2 * self.sigma_squared)


def clamped_gaussian(n: int, epsilon: Number, delta: Number) -> ClampedGaussian:
    """Return discrete Gaussian noise ([CKS20]), added to the true count and clamped to 0..n.

    Pr(noise = z) is proportional to e^(-z^2 / (2 sigma^2)) over the integers, with the least sigma^2 (to 2**-48 of it,
    rounded up) whose noise is (epsilon, delta)-DP for shifts by 1: see `gaussian_calibration`. Clamping is
    post-processing. Where n is small compared with sigma, the clamped mechanism may reveal less than it promises.

    Args:
        n: the largest count, an integer >= 0.
        epsilon: 0 <= epsilon <= 10^9, in nats; float, int, Fraction, Decimal or decimal string, kept exactly.
        delta: 0 < delta < 1, kept exactly; no Gaussian noise is private at delta 0.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
    """
    n, privacy = integer(n, "n", least=0), EpsilonDelta.of(epsilon, delta)
    if not privacy.epsilon <= LARGEST_EPSILON:
        raise InvalidParameter("epsilon", epsilon, f"at most {LARGEST_EPSILON:,} for Gaussian noise")
    if not privacy.delta > 0:
        raise InvalidParameter("delta", delta, "a number > 0 and < 1 for Gaussian noise")
    return ClampedGaussian(n, privacy, least_sigma_squared(privacy.epsilon, privacy.delta))


def zcdp_gaussian(n: int, rho: Number) -> ZcdpGaussian:
    """Return discrete Gaussian noise with sigma^2 = 1 / (2 rho), added to the true count and clamped to 0..n.

    So it is chosen by the US Census ([CKS20] Theorem 4): it is rho-zCDP. **It is not mu-GDP at mu^2 = 2 rho**, which
    promises more: it takes about mu (1 + mu^2 / 24) (`audit(..., mu=)`), so that it may not be charged to a budget in
    mu as sqrt(2 rho).

    Args:
        n: the largest count, an integer >= 0.
        rho: > 0, kept exactly.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
    """
    return ZcdpGaussian(integer(n, "n", least=0), 1 / GaussianDP.of_rho(rho).mu_squared)
