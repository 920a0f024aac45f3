"""From rigorous enclosures to floats and decisions.

A real number is given as a function of the working precision that returns a ball (python-flint `arb`) which surely
contains it. The precision is doubled until the ball is small enough for the question asked, so a formula may lose
digits to cancellation and the answer is still right. The working precision is a setting of the whole process; a
ball computed while another thread changes it is wider or narrower, never wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TypeVar

from flint import arb, ctx, fmpq

__all__ = [
    "ENOUGH_BITS",
    "FIRST_PRECISION",
    "LAST_PRECISION",
    "TooCoarse",
    "at_least",
    "at_most",
    "ball",
    "epsilon_rounded_up",
    "nearest_float",
    "refinements",
]

_Value = TypeVar("_Value")

FIRST_PRECISION = 128
"""Bits of the first try, enough for all but tiny epsilon or far tails."""

ENOUGH_BITS = 62
"""The relative accuracy, in bits, asked for before rounding to the 53 bits of a float."""

LAST_PRECISION = 2**15
"""Bits of the last try: eight times the 4,096 bits that epsilon and delta may have."""
_TINY = arb(2) ** -1080
"""Below half the least positive float (2**-1075): rounds to 0.0."""


def ball(number: Fraction | int) -> arb:
    """Return the ball of an exact rational at the working precision."""
    if isinstance(number, int):
        return arb(number)
    return arb(fmpq(number.numerator, number.denominator))


class TooCoarse(ArithmeticError):
    """The working precision cannot tell which of two formulas holds; with more bits it can."""


def refinements(
    evaluate: Callable[[int], _Value], first: int = FIRST_PRECISION, last: int = LAST_PRECISION, times: int = 2
) -> Iterator[_Value]:
    """Yield enclosures at growing precisions, leaving out those too coarse to form.

    Args:
        evaluate: precision in bits -> a ball, or something made of balls; run under that working precision.
        first, last, times: the least and the largest precision, and the factor from each to the next.

    Raises:
        TooCoarse: at the last precision too.
    """
    precision = first
    while precision <= last:
        with ctx.workprec(precision):
            try:
                value = evaluate(precision)
            except TooCoarse:
                if precision * times > last:
                    raise
            else:
                yield value
        precision *= times


def nearest_float(evaluate: Callable[[int], arb]) -> float:
    """Return the enclosed real number as a float, right to one unit in the last place (0.0 below 2**-1075).

    Raises:
        ArithmeticError: the ball does not shrink; a fault of the formula, never of the data.
    """
    for value in refinements(evaluate):
        if value.abs_upper() < _TINY:
            return 0.0
        if value.rel_accuracy_bits() >= ENOUGH_BITS:
            return float(value.mid())
    raise ArithmeticError("an enclosure did not shrink with the precision")


def at_least(evaluate: Callable[[int], arb], bound: Fraction, *, rational: bool) -> bool:
    """Return whether the enclosed number is >= `bound`, decided rigorously.

    Args:
        evaluate: precision in bits -> ball.
        bound: a rational of at most a few thousand bits.
        rational: whether the number is a rational of far fewer bits than the last precision (epsilon 0, or a matrix of
            floats); if it cannot be told from `bound` there, it equals it. Otherwise it is a non-constant rational
            function of e**-epsilon, transcendental for rational epsilon > 0 (Lindemann), and so never equal to `bound`.

    Raises:
        ArithmeticError: a number that is not rational is undecided at the last precision; a fault of the formula.
    """
    found = at_most(lambda precision: -evaluate(precision), -bound)
    if found is None and not rational:
        raise ArithmeticError("an enclosure did not shrink with the precision")
    return found is not False


def at_most(evaluate: Callable[[int], arb], bound: Fraction) -> bool | None:
    """Return whether the enclosed number is <= `bound`; None where the last precision does not decide."""
    for value in refinements(evaluate):
        limit = ball(bound)
        if value <= limit:
            return True
        if value > limit:
            return False
    return None


def epsilon_rounded_up(evaluate: Callable[[int], arb]) -> float:
    """Return the least float at or above the enclosed real number > 0 (the next one, where 2**15 bits do not
    decide)."""
    candidate = math.nextafter(nearest_float(evaluate), 0.0)  # right to one unit in the last place
    while not (math.isinf(candidate) or at_most(evaluate, Fraction(candidate))):
        candidate = math.nextafter(candidate, math.inf)
    return candidate
