"""Sums of exponential tails in closed form.

A tail that is `sum_p c_p q^(p k)` on a range of k has moments in closed form, at any length of the range. The
formulas lose digits to cancellation when epsilon is tiny; `nearest_float` raises the precision until that no longer
matters.
"""

from __future__ import annotations

from collections.abc import Mapping

from flint import arb

from hushcount.mechanisms.optima.kernel import Kernel

__all__ = ["comb_sums", "piece_sums", "power_sums"]


def power_sums(kernel: Kernel, p: int, first: int, last: int) -> tuple[arb, arb]:
    """Return the sums of x^k and of k x^k over k = first..last, for x = q^p; (0, 0) on an empty range."""
    count = last - first + 1
    if count <= 0:
        return arb(0), arb(0)
    if p == 0 or kernel.is_flat:
        return arb(count), arb((first + last) * count) / 2
    gap = -(-kernel.epsilon * p).expm1()
    end = kernel.power(p * count)
    plain = -(-kernel.epsilon * (p * count)).expm1() / gap
    ramp = (plain - 1 - (count - 1) * end) / gap  # sum of r x^r over r < count
    start = kernel.power(p * first)
    return start * plain, start * (first * plain + ramp)


def piece_sums(kernel: Kernel, coefficients: Mapping[int, arb], first: int, last: int) -> tuple[arb, arb]:
    """Return the sums of T(k) and of (2k - 1) T(k) over k = first..last, for T(k) = sum_p coefficients[p] q^(p k)."""
    total, weighted = arb(0), arb(0)
    for p, c in coefficients.items():
        plain, ramp = power_sums(kernel, p, first, last)
        total += c * plain
        weighted += c * (2 * ramp - plain)
    return total, weighted


def comb_sums(kernel: Kernel, first: int, step: int, count: int) -> tuple[arb, arb]:
    """Return the sums of d q^e and of d^2 q^e over e = 0..count - 1, for the distances d = first + step e."""
    if count <= 0:
        return arb(0), arb(0)
    last = count - 1
    ones = kernel.series(count)
    if kernel.is_flat:
        ramp, squares = arb(last * count) / 2, arb(last * count * (2 * last + 1)) / 6
    else:  # (1 - q) sum of e q^e and of e^2 q^e: their terms differ from the next ones' by q^e and (2e - 1) q^e
        rest, end = kernel.q * kernel.series(last), kernel.power(count)
        ramp = (rest - last * end) / kernel.gap
        squares = (2 * ramp - rest - last**2 * end) / kernel.gap
    return first * ones + step * ramp, first**2 * ones + 2 * first * step * ramp + step**2 * squares
