"""Geometric noise reflected at -1/2 and n + 1/2 until it lands in 0..n.

**Closed form.** Reflections identify j with j + 2 M r and with -1 - j + 2 M r for every integer r, M = n + 1, so the
chance to release j is a sum over images of the noise's (1 - q) / (1 + q) q^|z|; the sums over r are geometric, and
what they leave factors: for j <= i

    p(i, j) = (1 - q) / ((1 + q)(1 - q^2M)) q^(i-j) (1 + q^(2j+1)) (1 + q^(2(n-i)+1)),
    Pr(output <= i - k | i) = q^k (1 - q^(2(i-k+1))) (1 + q^(2(n-i)+1)) / ((1 + q)(1 - q^2M)),

and mirrored above. (docs/theory.md, "What a user would pick instead".)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import arb

from hushcount.mechanisms.optima.kernel_floats import KernelFloats
from hushcount.mechanisms.optima.tail_sums import comb_sums
from hushcount.mechanisms.peers.float_tailed import FloatTailed
from hushcount.mechanisms.two_tailed import PrivateTwoTailed
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import epsilon_rounded_up
from hushcount.numbers.exact import Number
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["FoldedGeometric", "folded_geometric"]


@dataclass(frozen=True)
class FoldedGeometric(FloatTailed, PrivateTwoTailed):
    """The folded geometric mechanism; see the module and `folded_geometric`."""

    name = "folded-geometric"
    has_monotone_ratios = True

    @property
    def real_epsilon(self) -> float:
        """The least epsilon at which it is private, rounded up: ln(cosh((n + 1/2) epsilon) / cosh((n - 1/2) epsilon)).

        It is below the promise, since a true 0 is folded onto itself; 0 for n = 0.
        """

        def enclosed(precision: int) -> arb:
            K = self._kernel(precision)
            return K.epsilon + ((1 + K.power(2 * self.n + 1)) / (1 + K.power(2 * self.n - 1))).log()

        return epsilon_rounded_up(enclosed) if self.n and self.epsilon else 0.0

    def _scale(self, row: int, precision: int) -> arb:
        """Return (1 + q^(2(M-row)+1)) / ((1 + q) S(2M))."""
        K = self._kernel(precision)
        return (1 + K.power(2 * (K.M - row) + 1)) / ((1 + K.q) * K.series(2 * K.M))

    def _tail(self, row: int, k: int, precision: int) -> arb:
        K = self._kernel(precision)
        return self._scale(row, precision) * K.power(k) * K.series(2 * (row - k))

    def _diagonal(self, row: int, precision: int) -> arb:
        return self._scale(row, precision) * (1 + self._kernel(precision).power(2 * row - 1))

    def _tail_sums(self, row: int, precision: int) -> tuple[arb, arb]:
        # Outcome row - k has q^k + q^(2 row - 1 - k); counted from the far end, the second is q^row q^e.
        K, scale = self._kernel(precision), self._scale(row, precision)
        direct, image = comb_sums(K, 1, 1, row - 1), comb_sums(K, row - 1, -1, row - 1)
        first, second = (scale * (K.q * x + K.power(row) * y) for x, y in zip(direct, image, strict=True))
        return first, second

    @cached_property
    def _floats(self) -> KernelFloats:
        return KernelFloats.of(self._kernel(256))

    def _float_tail(self, row: Floats, k: Floats) -> Floats:
        """Return the tail as three factors in [0, 1]: errors 5, 26 (a quotient of two S) and 9, and 2 of the
        products: below 42."""
        F = self._floats
        share = F._series(2 * (row - k)) / F._series(2.0 * F.M)
        tail: Floats = F._power(k) * share * ((1 + F._power(2 * (F.M - row) + 1)) / (1 + F.q))
        return tail

    def _cells(self, row: int) -> Floats:
        F, k = self._floats, np.arange(1, row, dtype=np.float64)
        scale = (1 + F._power(2.0 * (F.M - row) + 1)) / ((1 + F.q) * F._series(2.0 * F.M))
        cells: Floats = scale * F._power(k) * (1 + F._power(2 * (row - k) - 1))
        return cells


def folded_geometric(n: int, epsilon: Number) -> FoldedGeometric:
    """Return two-sided geometric noise folded into 0..n at -1/2 and n + 1/2: Pr(noise = z) = q^|z| (1 - q) / (1 +
    q), q = e^-epsilon.

    It is private at epsilon because folding looks only at the noisy count ("post-processing"). Of the ways to bring
    noise back into 0..n it has the least worst-case error probability. At epsilon 0 it is uniform, the limit.

    Args:
        n: the largest count, an integer >= 0.
        epsilon: >= 0, in nats; float, int, Fraction, Decimal or decimal string, kept exactly.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
    """
    return FoldedGeometric(n, EpsilonDelta.of(epsilon))
