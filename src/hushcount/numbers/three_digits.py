"""The decimal grid on which a promise is sought: 0, and all numbers of three significant digits.

    1.00e-100, 1.01e-100, ..., 9.99e-100, 1.00e-99, ..., 9.99e5

Its numbers are exact decimals, in order, and known by their place. The one above another is at most 1 % larger.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

__all__ = ["LAST_PLACE", "first_place", "grid_number", "place_at_least"]

_LOWEST, _HIGHEST = -100, 5
_PER_DECADE = 900
LAST_PLACE = (_HIGHEST - _LOWEST + 1) * _PER_DECADE
"""The place of 9.99e5; that of 0 is 0."""


def grid_number(place: int) -> Decimal:
    """The number at a place, 0 <= place <= `LAST_PLACE`, without zeros at its end."""
    if place == 0:
        return Decimal(0)
    decade, digits = divmod(place - 1, _PER_DECADE)
    number = Decimal(100 + digits).scaleb(_LOWEST + decade - 2).normalize()
    return number.quantize(Decimal(1)) if number == number.to_integral_value() else number


def place_at_least(number: Fraction | float) -> int:
    """The place of the least number of the grid that is at least a number (the last one, if none is)."""
    exactly = Fraction(number)
    low, high = 0, LAST_PLACE
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if Fraction(grid_number(middle)) >= exactly else (middle + 1, high)
    return low


def first_place(holds: Callable[[int], bool], low: int, high: int, start: int | None = None) -> int:
    """The first place in low..high at which a condition holds that never stops to hold; `high` if it does nowhere.

    Args:
        start: where to look first. From there the steps double, so that a good guess costs two or three questions.
    """
    if start is not None:
        step, place = 1, min(max(start, low), high)
        if holds(place):
            high = place
            while low < high and holds(max(low, high - step)):
                high, step = max(low, high - step), 2 * step
            low = max(low, high - step + 1) if low < high else low
        else:
            low = min(place + 1, high)
            while low < high and not holds(min(high, low + step - 1)):
                low, step = min(high, low + step), 2 * step
            high = min(high, low + step - 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
