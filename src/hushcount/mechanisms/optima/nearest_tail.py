"""The two formulas of the nearest optimum's tail, enclosed (see `nearest` for what they are)."""

from __future__ import annotations

from flint import arb

from hushcount.mechanisms.optima.kernel import Kernel
from hushcount.numbers.enclosure import TooCoarse

__all__ = ["high_tail", "low_tail", "upper_steps"]


def low_tail(K: Kernel, j: int, k: int) -> arb:
    """Return the tail k below row j + k, for j <= M / 2: max(0, a q^k S(j) - delta q S(k - 1))."""
    return (K.a * K.power(k) * K.series(j) - K.delta * K.q * K.series(k - 1)).nonnegative_part()


def high_tail(K: Kernel, length: int, k: int, s: int) -> arb:
    """Return the tail k below row M - length + k, for length < M / 2: max(0, q^(k-s) (1 - z_s) - delta q S(k - s)),
    s >= 1."""
    if s == 1:  # 1 - z_1 = (1 - delta) - a S(length), as a sum of positive terms
        rest = K.a * (K.power(length) * K.series(K.m - length) + K.q * K.series(K.M - K.m))
    else:
        rest = 1 - K.power(1 - s) * (K.a * K.series(length) + K.delta * K.series(s))
    return (K.power(k - s) * rest - K.delta * K.q * K.series(k - s)).nonnegative_part()


def upper_steps(K: Kernel, length: int, k: int) -> int:
    """Return the number s of steps above y*, out of k >= 1; 1 <= s <= k.

    c_J > y* for J > M / 2, so s >= 1. For q <= 1/3, alpha >= (1 - q) / (1 + q) >= 1/2 puts z_1 = a S(length) +
    delta above x* <= 1/4, so s = 1. Otherwise, with v = delta q / (1 - q), s = min(k, floor(ln((x* + v) / (w + v))
    / epsilon) + 1).

    Raises:
        TooCoarse: the logarithm's ball holds an integer. The logarithm is none: z_s = x* is a polynomial identity in q
            that fails at q = 0, and q is transcendental.
    """
    if K.is_steep:
        return 1
    v = K.delta * K.q / K.gap
    w = K.a * K.q * K.series(length)
    threshold = K.q * (1 - K.delta) / (1 + K.q)
    steps = ((threshold - w) / (w + v)).log1p() / K.epsilon
    if steps >= k:
        return k
    if steps < 1:
        return 1
    whole = steps.floor().unique_fmpz()
    if whole is None:
        raise TooCoarse
    return min(k, int(whole) + 1)
