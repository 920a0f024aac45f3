"""Bounds of real numbers as exact rationals and as floats, each rounded to its safe side."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from hushcount.numbers.enclosure import ENOUGH_BITS, refinements
from hushcount.numbers.text import DIGITS, lower_text, upper_text

__all__ = ["Interval", "enclosing", "exactly", "interval_of", "lower_fraction", "outwards", "upper_fraction"]

SAME = Fraction(2, 10**12)
"""Ends of an interval that are this near to one another, relatively, need not both be shown to people."""

_TINY_BITS = 1100
_TINY = arb(2) ** -_TINY_BITS
"""Below the least positive float. e^(-epsilon n) can be so far below it that its fraction would not fit in memory."""


@dataclass(frozen=True, repr=False)
class Interval:
    """Exact bounds between which a number >= 0 surely lies; None is infinity.

    `lower` and `upper` are the bounds as floats, rounded down and up.
    """

    exact_lower: Fraction | None
    exact_upper: Fraction | None

    @property
    def lower(self) -> float:
        return outwards(self.exact_lower, -math.inf)

    @property
    def upper(self) -> float:
        return outwards(self.exact_upper, math.inf)

    @property
    def is_infinite(self) -> bool:
        """Whether the number is infinite, for sure."""
        return self.exact_lower is None

    @property
    def known(self) -> tuple[Fraction, Fraction]:
        """The bounds of a number that cannot be infinite, such as a probability."""
        assert self.exact_lower is not None
        assert self.exact_upper is not None
        return self.exact_lower, self.exact_upper

    def __contains__(self, number: float | Fraction) -> bool:
        """Return whether the number may be the enclosed one."""
        return self.lower <= number <= self.upper

    def to_dict(self) -> dict[str, float | None]:
        """Return the bounds as floats, ready for JSON; null is infinity."""
        return {
            "lower": None if self.exact_lower is None else self.lower,
            "upper": None if self.exact_upper is None else self.upper,
        }

    def to_text(self, digits: int = DIGITS) -> str:
        """Return the bounds to six digits, or so many, rounded outward; where they agree up to `SAME`, only the upper
        one, which can be claimed."""
        if self.exact_lower is None:
            return "infinite"
        if self.exact_upper is None:
            return f"at least {lower_text(self.exact_lower, digits)}"
        if self.exact_upper - self.exact_lower <= SAME * self.exact_upper:
            return upper_text(self.exact_upper, digits)
        return f"{lower_text(self.exact_lower, digits)} to {upper_text(self.exact_upper, digits)}"

    def __repr__(self) -> str:
        return f"Interval({self})"

    def __str__(self) -> str:
        if self.lower == self.upper:
            return "infinite" if self.is_infinite else repr(self.lower)
        return f"[{self.lower!r}, {self.upper!r}]"


def lower_fraction(value: arb) -> Fraction:
    """Return a lower bound of the number >= 0 that a ball encloses."""
    end = _finite(value).lower()
    return Fraction(0) if end < _TINY else exactly(end)


def upper_fraction(value: arb) -> Fraction:
    """Return an upper bound of the number >= 0 that a ball encloses; 0 only where it is 0 for sure."""
    end = _finite(value).upper()
    if end <= 0:
        return Fraction(0)
    return Fraction(1, 2**_TINY_BITS) if end < _TINY else exactly(end)


def interval_of(value: arb) -> Interval:
    """Return the interval of a ball whose number is known to be >= 0."""
    return Interval(lower_fraction(value), upper_fraction(value))


def enclosing(evaluate: Callable[[int], arb], is_enough: Callable[[arb], bool] = arb.is_exact) -> Interval:
    """Return an interval around a number known to be >= 0: to 62 bits, or as soon as a ball `is_enough`, or as far
    as it goes.

    Args:
        evaluate: precision in bits -> ball; run under that working precision.
    """
    for value in refinements(evaluate):
        found = interval_of(value)  # under the precision of `value`; elsewhere the ends would be rounded further
        if value.rel_accuracy_bits() >= ENOUGH_BITS or is_enough(value):
            break
    return found


def _finite(value: arb) -> arb:
    if not value.is_finite():
        raise ArithmeticError("an enclosure is not finite; a fault of the formula, never of the data")
    return value


def exactly(end: arb) -> Fraction:
    """Return an exact ball, such as an end of another, as a rational."""
    mantissa, exponent = (int(part) for part in end.man_exp())
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def outwards(bound: Fraction | None, towards: float) -> float:
    """Return the float next to an exact bound on the side of `towards`, -inf or inf, or equal to it; None is
    infinity."""
    if bound is None:
        return math.inf
    try:
        nearest = float(bound)
    except OverflowError:
        nearest = math.inf if bound > 0 else -math.inf
    is_past = nearest <= bound if towards < 0 else nearest >= bound
    return nearest if is_past else math.nextafter(nearest, towards)
