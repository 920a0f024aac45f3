"""Symmetric integer noise added to the true count, with the sum clamped to 0..n.

Clamping looks at the noisy count only, so a clamped mechanism promises what the noise does ("post-processing"). With
G(k) = Pr(noise >= k), the lower tail of every row is Pr(output <= i - k | i) = G(k): the noise says everything, and
what would land outside piles up on 0 and n.

**The worst case.** An error beyond t has probability G(t + 1) for each side with more than t outcomes, so it is
likeliest in the middle, or, where no count has two such sides, at the edge. E|error| is A(i) + A(n - i) with
A(i) = G(1) + ... + G(i) concave: largest in the middle; the bias is A(n - i) - A(i): largest at the edge. For the
squared error see docs/theory.md.

**The worst pair.** The noise must be log-concave (its successive ratios do not increase). Then the ratio of two rows is
monotone, clamped or not, and the worst event of true counts i < i + s is "noisy count <= i + x" for the last x at which
Pr(noise = x) > e^epsilon' Pr(noise = x - s). By symmetry x < s / 2, so i + x < n; and if i + x < 0, the nearest
event to it is "output 0", which is nearer for larger i. So the last pair, (n - s, n), is the worst at every epsilon'.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from flint import arb

from hushcount.mechanisms.peers.float_tailed import FloatTailed

__all__ = ["ClampedNoise"]


@dataclass(frozen=True)
class ClampedNoise(FloatTailed):
    """Clamped symmetric noise; see the module."""

    has_monotone_ratios = True

    def worst_pairs(self, distance: int) -> list[tuple[int, int]]:
        return [(self.n - distance, self.n)]

    @abstractmethod
    def _noise(self, k: int, precision: int) -> arb:
        """Enclose Pr(noise = k), k >= 0."""

    @abstractmethod
    def _noise_tail(self, k: int, precision: int) -> arb:
        """Enclose G(k), k >= 1."""

    def _tail(self, row: int, k: int, precision: int) -> arb:
        return self._noise_tail(k, precision)

    def _cell(self, row: int, k: int, precision: int) -> arb:
        return self._noise_tail(k, precision) if k == row - 1 else self._noise(k, precision)

    def _diagonal(self, row: int, precision: int) -> arb:
        if 1 < row <= self.n:
            return self._noise(0, precision)
        return super()._diagonal(row, precision)
