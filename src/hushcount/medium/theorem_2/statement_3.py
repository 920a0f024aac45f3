"""How small is small enough: the epsilon up to which statement 3 of Theorem 2 ([RV26] (29)) is proved.

Let s > 0 be the least column sum of T^-1, and P* = J / M + K with all entries of J equal to 1. Then

    [P* T^-1]_ij = (column sum j) / M + sum_z K_iz [T^-1]_zj >= s / M - |K|_max |T^-1|_1,

where the paper's proof has M |T^-1|_max for the norm |T^-1|_1. So T is lossless while

    |K|_max = max(gamma - 1/M, 1/M - phi) <= s / (M |T^-1|_1),

and the left side grows with epsilon and with delta: gamma does, and the least entry phi = (1 - delta) / sum_j
e^(epsilon (floor(M/2) - d_j)) falls, d_j <= floor(M/2) being the cyclic distances.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from hushcount.mechanisms.optima.kernel import kernel
from hushcount.medium.theorem_2.balls import phi
from hushcount.medium.theorem_2.inverse import BITS

__all__ = ["largest_epsilon"]

_MOST_EPSILON, _LEAST_EPSILON = 2**20, Fraction(1, 2**40)
_RESOLUTION = Fraction(1, 2**40)


def largest_epsilon(M: int, delta: Fraction, room: arb) -> Fraction | None:
    """Return an epsilon at which |K|_max <= room is proved, within 2^-40 of the largest, relative or absolute; at
    most 2^20. None if it is not proved even at epsilon = 0."""

    def fits(epsilon: Fraction) -> bool:
        K = kernel(M, epsilon, delta, BITS)
        with ctx.workprec(BITS):
            share = arb(1) / M
            return bool((K.gamma - share).max(share - phi(K)) <= room)

    low, high = Fraction(0), Fraction(1)
    if not fits(low):
        return None
    while fits(high):
        low, high = high, 2 * high
        if high > _MOST_EPSILON:
            return low
    while high - low > high * _RESOLUTION and high > _LEAST_EPSILON:
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
