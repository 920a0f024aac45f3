"""Numbers and sentences as the tables of `audit` and `compare` print them."""

from __future__ import annotations

import textwrap
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from hushcount.privacy import Interval

__all__ = ["at_most", "decimals", "rounded", "significant", "wrapped"]

FLOAT_NOISE = Decimal("1e-12")
"""Relative slack before a number is rounded outward, so that 0.9 in floats does not become 0.900001."""

_DIGITS = 6
_WIDTH = 78


def decimals(value: float) -> str:
    """A figure >= 0 in at most six characters while it is below 1,000; never 0 or 1 when it is only near.

    Rounded to nearest at four decimals, fewer from 10 on.
    """
    if 0 < value < 0.00005:
        return "<.0001"
    if 0.99995 <= value < 1:
        return ">.9999"
    places = 4 if value < 9.99995 else 3 if value < 99.9995 else 2
    return f"{value:.{places}f}"


def significant(interval: Interval) -> str:
    """An interval of a number >= 0 to six digits, rounded outward; where its ends agree, the upper one."""
    if interval.is_infinite:
        return "infinite"
    if interval.exact_upper is None:
        return f"at least {rounded(interval.lower, ROUND_FLOOR)}"
    low, high = Decimal(interval.lower), Decimal(interval.upper)
    if high - low <= 2 * FLOAT_NOISE * high:
        return rounded(interval.upper, ROUND_CEILING)
    return f"{rounded(interval.lower, ROUND_FLOOR)} to {rounded(interval.upper, ROUND_CEILING)}"


def at_most(interval: Interval, width: int = 9) -> str:
    """The upper end of an interval, with the digits that `width` has room for; marked `<=` where the ends differ."""
    shown = significant(interval)
    mark = "<=" if " " in shown else ""
    digits = _DIGITS
    while len(shown) > width and digits:
        shown = mark + rounded(interval.upper, ROUND_CEILING, digits)
        digits -= 1
    return shown


def rounded(value: float, direction: str, digits: int = _DIGITS) -> str:
    """`value` >= 0 to some digits, rounded `ROUND_CEILING` or `ROUND_FLOOR`."""
    noise = -FLOAT_NOISE if direction == ROUND_CEILING else FLOAT_NOISE
    kept = Context(prec=digits, rounding=direction).plus(Decimal(value) * (1 + noise))
    return f"{float(kept):.{digits}g}"


def wrapped(paragraph: str) -> str:
    """A paragraph in lines that fit on any terminal."""
    return textwrap.fill(paragraph, _WIDTH, break_on_hyphens=False, break_long_words=False)
