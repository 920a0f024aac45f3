"""Sums of the nearest optimum's tail over the outcomes beyond the middle, where its two phases mix.

For rows above the middle, tail(k) with row - k > M / 2 is made of a run with s = k (only steps above y*), then of
blocks of constant s that gets smaller as k grows (`nearest`). Each block is `c_0 + c_1 q^k + c_2 q^(2k)`, so it
sums in closed form. There may be about 1 / epsilon blocks, but they differ from one another by O(epsilon^2) only:
as a function of t = q^-s a tail is a parabola `Q (1 + 2v) t - Q W t^2 - v`, whose integer s falls within one step
of the vertex, evenly spread where blocks are long and many. So three ways cover the range: the 64 topmost blocks in
closed form, the first 20,000 outcomes one by one, and what is left between (epsilon < 2e-3 only) as the vertex
value less the mean loss of an evenly spread step, summed by Euler-Maclaurin. The last has a relative error of order
epsilon^2 / 20,000^2 < 1e-14.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import acb, arb

from hushcount.mechanisms.optima.kernel import Kernel
from hushcount.mechanisms.optima.nearest_tail import high_tail, upper_steps
from hushcount.mechanisms.optima.tail_sums import piece_sums

__all__ = ["far_sums"]

_BLOCKS = 64
_ONE_BY_ONE = 20_000

Sums = tuple[arb, arb]


def far_sums(K: Kernel, row: int, last: int) -> Sums:
    """Return the sums of tail(k) and (2k - 1) tail(k) over k = 1..last, where row - last > M / 2."""
    offset = K.M - row  # length l = offset + k

    def steps(k: int) -> int:
        return upper_steps(K, offset + k, k)

    if last < 1:
        return arb(0), arb(0)
    if K.is_steep:
        return piece_sums(K, _single_step_coefficients(K, offset), 1, last)
    run = _last(lambda k: steps(k) == k, 0, last)
    total = piece_sums(K, _run_coefficients(K, offset), 1, run)
    top = last
    for _ in range(_BLOCKS):
        if top - run <= _BLOCKS:
            break
        s = steps(top)
        first = _last(lambda k, s=s: steps(k) > s, run, top) + 1  # type: ignore[misc]
        total = _add(total, piece_sums(K, _block_coefficients(K, offset, s), first, top))
        top = first - 1
    if top - run > 2 * _ONE_BY_ONE:
        s = steps(run + _ONE_BY_ONE)
        first = _last(lambda k: steps(k) >= s, run, top) + 1
        total = _add(total, _smooth(K, offset, first, top))
        top = first - 1
    for k in range(run + 1, top + 1):
        tail = high_tail(K, offset + k, k, steps(k))
        total = _add(total, (tail, (2 * k - 1) * tail))
    return total


def _add(x: Sums, y: Sums) -> Sums:
    return x[0] + y[0], x[1] + y[1]


def _last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the largest k in low..high for which a condition holds that, once false, stays false; low if none above
    it does."""
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _run_coefficients(K: Kernel, offset: int) -> dict[int, arb]:
    """Return 1 - z_k, with only steps above y*."""
    return {
        0: 1 + K.q * (K.a * K.power(offset) + K.delta) / K.gap,
        -1: -K.gamma * K.q / K.gap,
    }


def _block_coefficients(K: Kernel, offset: int, s: int) -> dict[int, arb]:
    """Return q^(k-s) (1 - z_s) - delta q S(k - s) with s fixed."""
    v = K.delta * K.q / K.gap
    b = K.a * K.q / K.gap
    back = K.power(-s)
    return {0: -v, 1: back * (1 + 2 * v - back * (b + v)), 2: back**2 * b * K.power(offset)}


def _single_step_coefficients(K: Kernel, offset: int) -> dict[int, arb]:
    """Return the coefficients for s = 1, with 1 - z_1 = a ((q^l - q^m) / (1 - q) + q S(M - m)), l = offset + k:
    nothing cancels at large epsilon."""
    v = K.delta * K.q / K.gap
    rest = K.a * (K.q * K.series(K.M - K.m) - K.power(K.m) / K.gap)
    return {0: -v, 1: (rest + v) / K.q, 2: K.a * K.power(offset - 1) / K.gap}


def _smooth(K: Kernel, offset: int, first: int, last: int) -> Sums:
    """Return the sums over whole blocks from `first` to `last`, as if s were spread evenly over its step."""
    v = K.delta * K.q / K.gap
    b = K.a * K.q / K.gap
    A, B = b + v, b * K.power(offset)
    r = 2 * K.q / (1 + K.q)
    e = K.epsilon
    loss = r**2 * (2 * e).expm1() / (2 * e) - 2 * r * e.expm1() / e + 1
    height = (1 + 2 * v) ** 2 / 4 * (1 - loss)
    low, high = arb(2 * first - 1) / 2, arb(2 * last + 1) / 2

    def value(x: acb) -> acb:
        X = (-e * x).exp()
        return height * X / (A - B * X) - v

    def slope(x: arb) -> arb:
        X = (-e * x).exp()
        return -e * height * X * A / (A - B * X) ** 2

    plain = acb.integral(lambda x, _: value(x), low, high).real
    weighted = acb.integral(lambda x, _: (2 * x - 1) * value(x), low, high).real

    def weighted_slope(x: arb) -> arb:
        return 2 * value(acb(x)).real + (2 * x - 1) * slope(x)

    return (
        plain - (slope(high) - slope(low)) / 24,
        weighted - (weighted_slope(high) - weighted_slope(low)) / 24,
    )
