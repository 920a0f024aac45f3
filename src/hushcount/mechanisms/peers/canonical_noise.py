"""Clamped canonical noise: the smallest integer noise of (epsilon, delta)-DP, and at delta 0 geometric noise.

[AV23] call a noise *canonical* for a trade-off curve if its distribution function F is symmetric about 0 and
F(x - 1) = g(F(x)), g = `least` of `hushcount.promise.epsilon_delta`: a shift by 1 uses up the whole curve,
with nothing to spare at any threshold. On the integers
there is one, and no noise of the same privacy is stochastically smaller ([AR24]).
Symmetry says F(-1) = 1 - F(0), so F(0) solves g(F(0)) = 1 - F(0). The two middle branches of g cross on that line, at

    F(0) = y* = (1 + delta q) / (1 + q),   q = e^-epsilon,

below which g(y) = max(0, q (y - delta)); so with G(k) = Pr(noise >= k) = g applied k times to y*

    G(k) = max(0, q^k y* - delta q S(k)),   S(k) = 1 + q + ... + q^(k-1),
    Pr(noise = k) = q^k (1 - q + 2 delta q) / (1 + q)   while G(k + 1) > 0.

At delta 0 this is the two-sided geometric noise. As n grows with epsilon > 0 fixed, a row of `nearest` away from the
edges tends to this noise (docs/theory.md, "What a user would pick instead").
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import arb

from hushcount.mechanisms.optima.kernel_floats import KernelFloats
from hushcount.mechanisms.optima.tail_sums import comb_sums
from hushcount.mechanisms.peers.clamped_noise import ClampedNoise
from hushcount.mechanisms.two_tailed import PrivateTwoTailed
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import nearest_float, refinements
from hushcount.numbers.exact import Number
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["ClampedCanonicalNoise", "TruncatedGeometric", "clamped_canonical_noise", "truncated_geometric"]


@dataclass(frozen=True)
class ClampedCanonicalNoise(ClampedNoise, PrivateTwoTailed):
    """Clamped canonical noise; see the module and `clamped_canonical_noise`."""

    name = "clamped-canonical-noise"

    @cached_property
    def reach(self) -> int | None:
        """The largest value of the noise; None if it takes every integer (delta 0)."""
        if self.delta == 0:
            return None
        if self.epsilon == 0:  # G(k) = (1 + delta) / 2 - delta k
            return int(-(-(1 + self.delta) // (2 * self.delta))) - 1
        for end in refinements(self._end):
            # It is no integer: q^k (1 + delta q) = delta q S(k) (1 + q) fails near q = 0, and q is transcendental.
            whole = end.floor().unique_fmpz()
            if whole is not None:
                return int(whole)
        raise ArithmeticError("the end of the noise is too far to be told")

    def _end(self, precision: int) -> arb:
        """Return the real k with q^k y* = delta q S(k)."""
        K = self.kernel(precision)
        return (self._middle(precision) * K.gap / (K.delta * K.q)).log1p() / K.epsilon

    def _middle(self, precision: int) -> arb:
        """Return y*."""
        K = self.kernel(precision)
        return (1 + K.delta * K.q) / (1 + K.q)

    def _is_beyond(self, k: int) -> bool:
        return self.reach is not None and k > self.reach

    def _noise_tail(self, k: int, precision: int) -> arb:
        if self._is_beyond(k):
            return arb(0)
        K = self.kernel(precision)
        return K.power(k) * self._middle(precision) - K.delta * K.q * K.series(k)

    def _noise(self, k: int, precision: int) -> arb:
        if self._is_beyond(k + 1):
            return self._noise_tail(k, precision) if k else 2 * self._middle(precision) - 1
        K = self.kernel(precision)
        return K.power(k) * self._unit(precision)

    def _unit(self, precision: int) -> arb:
        """Return Pr(noise = 0)."""
        K = self.kernel(precision)
        return (K.gap + 2 * K.delta * K.q) / (1 + K.q)

    def _last(self, row: int) -> int:
        """Return the farthest outcome below `row` that can be released."""
        return row - 1 if self.reach is None else min(row - 1, self.reach)

    def _tail_sums(self, row: int, precision: int) -> tuple[arb, arb]:
        K, last = self.kernel(precision), self._last(row)
        if not last:
            return arb(0), arb(0)
        scale, rest = self._unit(precision) * K.q, self._noise_tail(last, precision)
        absolute, squared = comb_sums(K, 1, 1, last - 1)
        return scale * absolute + last * rest, scale * squared + last**2 * rest

    @cached_property
    def _floats(self) -> KernelFloats:
        return KernelFloats.of(self.kernel(256))

    def _float_tail(self, row: Floats, k: Floats) -> Floats:
        """Return the tail in floats: while it is positive both products are at most 1, with errors 5 + 3 and 12 + 4,
        and 1 of the difference."""
        F = self._floats
        tail: Floats = F.power(k) * (1 - F.threshold) - F.delta * F.q * F.series(k)
        return tail

    def _cells(self, row: int) -> Floats:
        cells, last = np.zeros(row - 1), self._last(row)
        if last:
            unit = nearest_float(self._unit)
            cells[: last - 1] = unit * self._floats.power(np.arange(1, last, dtype=np.float64))
            cells[last - 1] = nearest_float(lambda p: self._noise_tail(last, p))
        return cells


@dataclass(frozen=True)
class TruncatedGeometric(ClampedCanonicalNoise):
    """The truncated geometric mechanism; see `truncated_geometric`."""

    name = "truncated-geometric"


def clamped_canonical_noise(n: int, epsilon: Number, delta: Number) -> ClampedCanonicalNoise:
    """Return the discrete canonical noise of (epsilon, delta)-DP ([AV23], [AR24]), added to the count and clamped to
    0..n.

    Pr(noise = k) = q^|k| (1 - q + 2 delta q) / (1 + q) until the mass of a side, q (1 - delta) / (1 + q), is used up,
    with q = e^-epsilon. For delta > 0 it is bounded: `reach` is the largest noise.

    Args:
        n: the largest count, an integer >= 0.
        epsilon: >= 0, in nats; float, int, Fraction, Decimal or decimal string, kept exactly.
        delta: 0 <= delta < 1, kept exactly. At epsilon = delta = 0 the noise is infinite: 0 or n, with probability 1/2
            each.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
    """
    return ClampedCanonicalNoise(n, EpsilonDelta.of(epsilon, delta))


def truncated_geometric(n: int, epsilon: Number) -> TruncatedGeometric:
    """Return the truncated geometric mechanism ([GRS12]): two-sided geometric noise, clamped to 0..n.

    Pr(noise = k) = (1 - q) / (1 + q) q^|k|, q = e^-epsilon. 0 and n are released with all that falls beyond them too:
    Pr(0 | i) = q^i / (1 + q) and Pr(n | i) = q^(n-i) / (1 + q). It is the canonical noise of delta = 0.

    Args:
        n: the largest count, an integer >= 0.
        epsilon: >= 0, in nats; float, int, Fraction, Decimal or decimal string, kept exactly. At 0 the noise is
            infinite: 0 or n, with probability 1/2 each.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
    """
    return TruncatedGeometric(n, EpsilonDelta.of(epsilon))
