"""A privacy level as a float that is never below it."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from hushcount.numbers.enclosure import ball, nearest_float, refinements

__all__ = ["epsilon_rounded_up"]


def epsilon_rounded_up(evaluate: Callable[[int], arb]) -> float:
    """The least float at or above the enclosed real number > 0 (the next one, where 2**15 bits do not tell)."""
    candidate = math.nextafter(nearest_float(evaluate), 0.0)  # right to one unit in the last place
    while not _is_at_least(candidate, evaluate):
        candidate = math.nextafter(candidate, math.inf)
    return candidate


def _is_at_least(candidate: float, evaluate: Callable[[int], arb]) -> bool:
    if math.isinf(candidate):
        return True
    for value in refinements(evaluate):
        limit = ball(Fraction(candidate))
        if value <= limit:
            return True
        if value > limit:
            return False
    return False
