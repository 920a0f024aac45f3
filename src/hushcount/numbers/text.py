"""How numbers are spelled for people: as one would type them, and rounded to the side that is safe to claim.

0.25 and 1e-5, not 0.00001 or 1e-05. Everything here is exact: a number is rounded only where a direction says so, and
`exact` reads back what was written. JSON has `exact_text` instead, which is never rounded, and so has what is told of a
release, whose receipt is JSON: `as_written` and `as_written_at_most` only shorten it.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from hushcount.numbers.exact import LARGEST_BITS, exact_text

__all__ = [
    "DIGITS",
    "amount_text",
    "as_written",
    "as_written_at_most",
    "decimal_at_most",
    "lower_text",
    "nearest_text",
    "rounded_down",
    "rounded_up",
    "rounded_up_text",
    "short",
    "typed",
    "upper_text",
]

DIGITS = 6
"""Significant digits of a figure in a text."""

_LONGEST = 20
"""Characters; a reader bears no more (a float's exact binary value has about 55)."""

_LEAST_PLAIN = -4
_LARGEST_EXPONENT = 999_999
_MANY_DIGITS = 10_000
"""More than `exact` takes."""


def typed(number: Fraction) -> str:
    """`number` in full: 0.25, 1e-5, 1.5e-7, or a ratio such as 1/3 where no decimal is exact."""
    text = exact_text(number)
    return text if "/" in text else _spelled(Decimal(text))


def short(number: Fraction) -> str:
    """`number` in full, or "about 0.1" where that would be too long."""
    text = typed(number)
    return text if len(text) <= _LONGEST else f"about {nearest_text(number)}"


def as_written(number: Fraction) -> str:
    """`number` as JSON has it (0.00001), or "about 0.1" where that would be too long."""
    text = exact_text(number)
    return text if len(text) <= _LONGEST else f"about {_quotient(number, Context(prec=DIGITS)).normalize():g}"


def as_written_at_most(number: Fraction) -> str:
    """`number` >= 0 as JSON has it, or "at most 0.100001" where that would be too long."""
    text = exact_text(number)
    return text if len(text) <= _LONGEST else f"at most {rounded_up_text(number)}"


def rounded_up_text(number: Fraction) -> str:
    """The least decimal of so many digits that is at least `number` >= 0, as `as_written` spells it."""
    return f"{_quotient(number, Context(prec=DIGITS, rounding=ROUND_CEILING)).normalize():g}"


def nearest_text(number: Fraction, digits: int = DIGITS) -> str:
    """`number` rounded to nearest; for figures that nobody claims."""
    return _spelled(_quotient(number, Context(prec=digits)))


def rounded_up(number: Fraction, digits: int = DIGITS) -> Fraction:
    """The least decimal of so many digits that is at least `number` >= 0."""
    return Fraction(_quotient(number, Context(prec=digits, rounding=ROUND_CEILING)))


def rounded_down(number: Fraction, digits: int = DIGITS) -> Fraction:
    """The largest decimal of so many digits that is at most `number` >= 0."""
    return Fraction(_quotient(number, Context(prec=digits, rounding=ROUND_FLOOR)))


def upper_text(number: Fraction, digits: int = DIGITS) -> str:
    """The least decimal of so many digits that is at least `number` >= 0: what `number` is enough for, it is too."""
    return typed(rounded_up(number, digits))


def lower_text(number: Fraction, digits: int = DIGITS) -> str:
    """The largest decimal of so many digits that is at most `number` >= 0."""
    return typed(rounded_down(number, digits))


def decimal_at_most(number: Fraction, digits: int = DIGITS) -> str:
    """The largest decimal of so many digits that is at most `number` >= 0; `exact` reads it back.

    Fewer digits, or 0, where a number near 1e-1230 leaves no room for them.
    """
    for places in range(digits, 0, -1):
        below = rounded_down(number, places)
        if below.denominator.bit_length() <= LARGEST_BITS:
            return exact_text(below)
    return "0"


def amount_text(number: Fraction, *, to_ask_for: bool = False, longest: int = 100) -> str:
    """An exact amount >= 0 for a message: in full unless it is longer than a reader bears, then a decimal just below.

    Args:
        to_ask_for: whether to add a short decimal that is covered by the amount.
        longest: as many characters are borne.
    """
    exactly, decimal = exact_text(number), decimal_at_most(number)
    if exactly == decimal:
        return exactly
    if len(exactly) > longest:
        return f"a little more than {decimal}" if to_ask_for else f"about {decimal}"
    return f"{exactly} (one may ask for {decimal})" if to_ask_for else exactly


def _quotient(number: Fraction, context: Context) -> Decimal:
    """Rounded once, however long numerator and denominator are."""
    context.Emin, context.Emax = -_LARGEST_EXPONENT, _LARGEST_EXPONENT
    return context.divide(Decimal(number.numerator), Decimal(number.denominator))


def _spelled(number: Decimal) -> str:
    if not number:
        return "0"
    context = Context(prec=_MANY_DIGITS, Emin=-_LARGEST_EXPONENT, Emax=_LARGEST_EXPONENT)
    kept = number.normalize(context)
    power = kept.adjusted()
    if _LEAST_PLAIN <= power <= _LONGEST:
        return f"{kept:f}"
    return f"{kept.scaleb(-power, context):f}e{power}"
