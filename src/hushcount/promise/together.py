"""What several independent draws promise together, where one change to the data can affect each of them.

The laws before and after a change are products that differ in k factors. So what k releases at (epsilon, delta) promise
together holds for them: (k epsilon, 1 - (1 - delta)^k) [KOV15, Theorem 3.3 with all of epsilon]; see "The cost of a
table" in docs/theory.md.
"""

from __future__ import annotations

from fractions import Fraction

from flint import ctx

from hushcount.numbers.enclosure import ball
from hushcount.numbers.exact import LARGEST_BITS
from hushcount.numbers.intervals import exactly
from hushcount.numbers.text import rounded_down, rounded_up

__all__ = ["any_of", "at_most_keepable", "keepable", "sum_of"]

_DIGITS = 40
"""Digits of a promise whose exact value is too long to keep."""


def sum_of(epsilon: Fraction, times: int) -> Fraction:
    """Return times epsilon, >= 0; rounded up where that would be too long to keep."""
    return keepable(times * epsilon)


def keepable(total: Fraction) -> Fraction:
    """Return a sum, >= 0; rounded up where it is too long to keep."""
    return total if _bits(total) <= LARGEST_BITS else rounded_up(total, _DIGITS)


def at_most_keepable(share: Fraction) -> Fraction:
    """Return a share, >= 0; rounded down where it is too long to keep, to 0 where even that is."""
    if _bits(share) <= LARGEST_BITS:
        return share
    below = rounded_down(share, _DIGITS)
    return below if _bits(below) <= LARGEST_BITS else Fraction(0)


def any_of(delta: Fraction, times: int) -> Fraction:
    """Return 1 - (1 - delta)^times, the chance of at least one of so many independent events of chance delta, >= 0
    and < 1.

    It is exact, or rounded up (to 1 at most) where that would be too long to keep.
    """
    if delta == 0:
        return delta
    if times * _bits(delta) <= LARGEST_BITS:
        return 1 - (1 - delta) ** times
    return min(_upper(delta, times), Fraction(1))


def _bits(number: Fraction) -> int:
    return max(number.numerator.bit_length(), number.denominator.bit_length())


def _upper(delta: Fraction, times: int) -> Fraction:
    """Return a number that is at least 1 - (1 - delta)^times and at most times delta, up to the last digits."""
    with ctx.workprec(LARGEST_BITS):
        # expm1 and log1p, since 1 - (1 - delta)^times would lose a small delta
        upper = (-(times * (-ball(delta)).log1p()).expm1()).upper()
    return rounded_up(exactly(upper), _DIGITS)
