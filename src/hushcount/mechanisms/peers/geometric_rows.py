"""Rows proportional to r^|i - j|: the exponential mechanism, and geometric noise redrawn until it lands in 0..n.

p(i, j) = r^|i - j| / Z_i with Z_i = S(i + 1) + r S(n - i), S(k) = 1 + r + ... + r^(k-1). A row's normalizer depends
on the true count, so the ratio of adjacent rows is not 1 / r alone: the largest is Z_1 / Z_0 / r, reached at the
edge, and the least epsilon at which such a mechanism is private is

    -ln r + ln(1 + r (1 - r)(1 - r^(n-1)) / (1 - r^(n+1)))

for n >= 1 (docs/theory.md, "What a user would pick instead"). The exponential mechanism takes r = e^(-epsilon / 2)
and stays below epsilon; redrawn noise takes r = e^-epsilon and does not.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb

from hushcount.mechanisms.optima.kernel import Kernel, kernel
from hushcount.mechanisms.optima.kernel_floats import KernelFloats
from hushcount.mechanisms.optima.tail_sums import comb_sums
from hushcount.mechanisms.peers.float_tailed import FloatTailed
from hushcount.mechanisms.two_tailed import PrivateTwoTailed
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import epsilon_rounded_up, nearest_float
from hushcount.numbers.exact import Number
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["Exponential", "RedrawnGeometric", "exponential", "redrawn_geometric"]


@dataclass(frozen=True)
class GeometricRows(FloatTailed):
    """A mechanism with rows proportional to r^|i - j|; see the module."""

    has_monotone_ratios = True

    @property
    @abstractmethod
    def _rate(self) -> Fraction:
        """-ln r"""

    @property
    def real_epsilon(self) -> float:
        """The least epsilon at which it is private (delta = 0), in closed form, rounded up; 0 for n = 0."""

        def enclosed(precision: int) -> arb:
            K = self._rows(precision)
            return K.epsilon + (K.q * K.gap * K.series(self.n - 1) / K.series(self.n + 1)).log1p()

        return epsilon_rounded_up(enclosed) if self.n and self._rate else 0.0

    def _rows(self, precision: int) -> Kernel:
        return kernel(self.n + 1, self._rate, Fraction(0), precision)

    def _diagonal(self, row: int, precision: int) -> arb:
        K = self._rows(precision)
        return 1 / (K.series(row) + K.q * K.series(K.M - row))

    def _tail(self, row: int, k: int, precision: int) -> arb:
        K = self._rows(precision)
        return self._diagonal(row, precision) * K.power(k) * K.series(row - k)

    def _tail_sums(self, row: int, precision: int) -> tuple[arb, arb]:
        K, diagonal = self._rows(precision), self._diagonal(row, precision)
        absolute, squared = comb_sums(K, 1, 1, row - 1)
        return diagonal * K.q * absolute, diagonal * K.q * squared

    @cached_property
    def _floats(self) -> KernelFloats:
        return KernelFloats.of(self._rows(256))

    def _float_tail(self, row: Floats, k: Floats) -> Floats:
        """Return q^k (error 5) times a quotient of sums of S (12 + 20; it is at most 1), with 2 of the operations:
        below 40."""
        F = self._floats
        share = F._series(row - k) / (F._series(row) + F.q * F._series(F.M - row))
        tail: Floats = F._power(k) * share
        return tail

    def _cells(self, row: int) -> Floats:
        diagonal = nearest_float(lambda p: self._diagonal(row, p))
        cells: Floats = diagonal * self._floats._power(np.arange(1, row, dtype=np.float64))
        return cells


@dataclass(frozen=True)
class Exponential(GeometricRows, PrivateTwoTailed):
    """The exponential mechanism; see `exponential`."""

    name = "exponential"

    @property
    def _rate(self) -> Fraction:
        return self.epsilon / 2


@dataclass(frozen=True)
class RedrawnGeometric(GeometricRows):
    """The redrawn geometric mechanism; see `redrawn_geometric`.

    It promises nothing: `epsilon` and `delta` are None.
    """

    nominal_epsilon: Fraction

    name = "redrawn-geometric"

    @property
    def epsilon(self) -> None:
        return None

    @property
    def delta(self) -> None:
        return None

    @property
    def proven_privacy(self) -> EpsilonDelta | None:
        """The promise where one is proved: with two counts both rows have the normalizer 1 + r; at epsilon 0 every
        row is uniform."""
        return EpsilonDelta(self._rate, Fraction(0)) if self.n <= 1 or self._rate == 0 else None

    @property
    def _rate(self) -> Fraction:
        return self.nominal_epsilon


def exponential(n: int, epsilon: Number) -> Exponential:
    """Return the exponential mechanism with score -|i - j|: p(i, j) proportional to e^(-epsilon |i - j| / 2) ([MT07]).

    The score of every outcome moves by at most 1 between adjacent counts, so weights change by a factor of at most
    e^(epsilon / 2), and normalizers by no more: it is private at epsilon. The least epsilon that it really keeps is
    `real_epsilon`, often little more than half.

    Args:
        n: the largest count, an integer >= 0.
        epsilon: >= 0, in nats; float, int, Fraction, Decimal or decimal string, kept exactly.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
    """
    return Exponential(n, EpsilonDelta.of(epsilon))


def redrawn_geometric(n: int, epsilon: Number) -> RedrawnGeometric:
    """Return two-sided geometric noise redrawn until it lands in 0..n, as some libraries do: **not private at its
    epsilon**.

    p(i, j) = q^|i - j| / sum_l q^|i - l|, q = e^-epsilon. Redrawing is not post-processing: how often it happens
    depends on the true count. The mechanism is here to be compared, and to be caught by an audit, so it promises
    nothing: `epsilon` is None. What was asked for is `nominal_epsilon`, and the least epsilon that it really keeps is
        `real_epsilon`. At n = 1, where both rows have one normalizer, the two are the same.

    Args:
        n: the largest count, an integer >= 0.
        epsilon: the noise's nominal epsilon, >= 0, in nats; float, int, Fraction, Decimal or decimal string, kept
            exactly. At 0 the mechanism is uniform, the limit.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
    """
    return RedrawnGeometric(n, EpsilonDelta.of(epsilon).epsilon)
