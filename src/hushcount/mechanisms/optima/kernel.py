"""The cyclic exponential kernel of [RV26] (7)-(11), enclosed at any precision.

Letters of the paper: M outcomes, q = e^-epsilon, m = floor((M + 1) / 2), S(k) = 1 + q + ... + q^(k-1). The kernel's
row sum is sum_k q^min(k, M-k) = S(m) + q S(M - m); its reciprocal is alpha_M(epsilon), a = (1 - delta) alpha, and
every diagonal of every optimal mechanism is gamma = a + delta.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from hushcount.numbers.enclosure import ball

__all__ = ["STEEP", "Kernel", "kernel"]

STEEP = 1 / 3


@dataclass(frozen=True)
class Kernel:
    """Constants of (M, epsilon, delta) as balls; `power` and `series` are the only functions of k that the formulas
    need."""

    M: int
    epsilon: arb
    delta: arb
    is_flat: bool
    """Whether epsilon is exactly 0, so that q = 1 and S(k) = k."""
    q: arb
    gap: arb
    """1 - q, without cancellation."""
    a: arb
    gamma: arb
    error: arb
    """(1 - delta)(1 - alpha), without cancellation."""

    @property
    def m(self) -> int:
        return (self.M + 1) // 2

    @property
    def is_steep(self) -> bool:
        """Whether q <= 1/3 for sure: the largest probability of every row is above the rest of its side."""
        return bool(self.q < STEEP)

    @property
    def half(self) -> int:
        """floor(M / 2): the largest j for which c_j is still at or below y* (`nearest`)."""
        return self.M // 2

    def power(self, k: int) -> arb:
        """Return q^k, for any integer k."""
        return arb(1) if self.is_flat else (-self.epsilon * k).exp()

    def series(self, k: int) -> arb:
        """Return S(k), for k >= 0."""
        return arb(k) if self.is_flat else -(-self.epsilon * k).expm1() / self.gap


@lru_cache(maxsize=512)
def kernel(M: int, epsilon: Fraction, delta: Fraction, precision: int) -> Kernel:
    """Return the kernel's constants, each ball with about `precision` bits."""
    with ctx.workprec(precision):
        e = ball(epsilon)
        flat = epsilon == 0
        q = (-e).exp()
        gap = -(-e).expm1()
        bare = Kernel(M, e, ball(delta), flat, q, gap, arb(0), arb(0), arb(0))
        m = bare.m
        total = bare.series(m) + q * bare.series(M - m)
        a = ball(1 - delta) / total
        error = a * q * (bare.series(m - 1) + bare.series(M - m))
        return Kernel(M, e, ball(delta), flat, q, gap, a, a + ball(delta), error)
