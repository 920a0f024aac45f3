"""The explicit fair mechanism: every row is the canonical optimum's, with the larger entries nearer to the truth.

With gamma = alpha_M(epsilon), d = |i - j| and s = min(i, n - i),

    p(i, j) = gamma q^d for d < s,   gamma q^ceil((d + s) / 2) beyond ([CKS18]):

up to distance s there are outcomes on both sides, and each power of q is used for two of them. Beyond, only one side is
left, and its outcomes take the powers two by two. So all rows hold the same entries as the cyclic kernel's, and the
diagonal is that of every optimum: it is one more member of the set of optima at delta = 0, and each probability takes
O(1). `nearest` puts no less mass within any distance of any true count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flint import arb

from hushcount.mechanisms.optima.kernel_floats import KernelFloats
from hushcount.mechanisms.optima.optimum import Optimum
from hushcount.mechanisms.optima.tail_sums import comb_sums
from hushcount.mechanisms.peers.float_tailed import FloatTailed
from hushcount.numbers.arrays import Floats
from hushcount.numbers.exact import Number
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["ExplicitFair", "explicit_fair"]


@dataclass(frozen=True)
class ExplicitFair(FloatTailed, Optimum[KernelFloats]):
    """The explicit fair mechanism; see the module and `explicit_fair`."""

    name = "explicit-fair"

    def _sides(self, row: int) -> tuple[int, int]:
        """Return how many outcomes below `row` have a partner above, and how many have none."""
        both = min(row - 1, self.n + 1 - row)
        return both, row - 1 - both

    def _tail(self, row: int, k: int, precision: int) -> arb:
        # The outcomes without a partner, counted from 0, have the powers s + 1, s + 1, s + 2, s + 2, ...: two combs.
        K = self._kernel(precision)
        both, alone = self._sides(row)
        skipped = max(k - both - 1, 0)
        total = K.power(k) * K.series(max(both - k + 1, 0))
        for before, count in ((-(-skipped // 2), -(-alone // 2)), (skipped // 2, alone // 2)):
            total += K.power(both + 1 + before) * K.series(count - before)
        return K.gamma * total

    def _tail_sums(self, row: int, precision: int) -> tuple[arb, arb]:
        K = self._kernel(precision)
        both, alone = self._sides(row)
        near = comb_sums(K, 1, 1, both)
        odd = comb_sums(K, both + 1, 2, -(-alone // 2))
        even = comb_sums(K, both + 2, 2, alone // 2)
        first, second = (
            K.gamma * (K.q * x + K.power(both + 1) * (y + z)) for x, y, z in zip(near, odd, even, strict=True)
        )
        return first, second

    def _worst_candidates(self) -> list[int]:
        # Rows hold the same entries, and nearer to the middle more of the large ones lie within any distance.
        return [0]

    @staticmethod
    def _formulas() -> type[KernelFloats]:
        return KernelFloats

    def _float_tail(self, row: Floats, k: Floats) -> Floats:
        """Return three terms of total at most 1: relative errors below 16, absolute ones of q^k below 5 gamma S <= 5
        each, and 4 of the sums: below 36."""
        F = self._floats
        both = np.minimum(row - 1, F.M - row)
        alone, skipped = row - 1 - both, np.maximum(k - both - 1, 0.0)
        total = F._power(k) * F._series(np.maximum(both - k + 1, 0.0))
        for rounded in (np.ceil, np.floor):
            before, count = rounded(skipped / 2), rounded(alone / 2)
            total += F._power(both + 1 + before) * F._series(count - before)
        tail: Floats = F.gamma * total
        return tail

    def _cells(self, row: int) -> Floats:
        both, _ = self._sides(row)
        distance = np.arange(1, row, dtype=np.float64)
        cells: Floats = self._floats.gamma * self._floats._power(
            np.where(distance <= both, distance, np.ceil((distance + both) / 2))
        )
        return cells


def explicit_fair(n: int, epsilon: Number) -> ExplicitFair:
    """Return the explicit fair mechanism of Cormode, Kulkarni and Srivastava ([CKS18]); delta = 0.

    p(i, j) = gamma q^d for d = |i - j| < s = min(i, n - i) and gamma q^ceil((d + s) / 2) beyond, with q = e^-epsilon;
    gamma makes rows sum to 1.

    Args:
        n: the largest count, an integer >= 0.
        epsilon: >= 0, in nats; float, int, Fraction, Decimal or decimal string, kept exactly.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
    """
    return ExplicitFair(n, EpsilonDelta.of(epsilon))
