"""Numbers and sentences as the tables of `compare` and similar commands print them."""

from __future__ import annotations

from hushcount.numbers.intervals import Interval
from hushcount.numbers.text import DIGITS, lower_text, upper_text

__all__ = ["at_most", "decimals"]


def decimals(value: float) -> str:
    """Return a number >= 0 in at most six characters while it is below 1,000; never 0 or 1 when it is only near.

    It is rounded to nearest, to four decimals, or fewer from 10 up.
    """
    if 0 < value < 0.00005:
        return "<.0001"
    if 0.99995 <= value < 1:
        return ">.9999"
    places = 4 if value < 9.99995 else 3 if value < 99.9995 else 2
    return f"{value:.{places}f}"


def at_most(interval: Interval, width: int = 9) -> str:
    """Return the upper end of an interval, with the digits that `width` has room for; marked `<=` where the ends
    differ.

    Where there is no upper end, return the lower one, marked `>=`.
    """
    shown = interval.to_text()
    mark, bound, spell = ("<=" if " " in shown else ""), interval.exact_upper, upper_text
    if bound is None:
        mark, bound, spell = ">=", interval.exact_lower, lower_text
    digits = DIGITS
    while bound is not None and len(shown) > width and digits:
        shown = mark + spell(bound, digits)
        digits -= 1
    return shown
