"""How numbers are spelled for people, and rounded to the side that is safe to claim.

There are two spellings, which differ for small numbers only:

- *typed*, as one would type it: 1e-5. What is told of mechanisms, audits and media: `typed`, `short`, `nearest_text`,
  `upper_text`, `lower_text`.
- *plain*, as JSON has it (`exact_text`): 0.00001. What is told of releases and budgets, whose receipts and ledgers are
  JSON: `plain`, `plain_at_most`, `plain_upper`, `amount_text`.

Everything here is exact: a number is rounded only where a direction says so, and `exact` reads back what was written.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from hushcount.numbers.exact import LARGEST_BITS, exact_text

__all__ = [
    "DIGITS",
    "amount_text",
    "decimal_at_most",
    "lower_text",
    "nearest_text",
    "plain",
    "plain_at_most",
    "plain_upper",
    "rounded_down",
    "rounded_up",
    "short",
    "typed",
    "upper_text",
]

DIGITS = 6
"""Significant digits of a number in a text."""

_LONGEST = 20
"""The most characters that a reader bears (a float's exact binary value has about 55)."""

_LEAST_PLAIN = -4
_LARGEST_EXPONENT = 999_999
_MANY_DIGITS = 10_000
"""More than `exact` takes."""


def typed(number: Fraction) -> str:
    """Return `number` in full: 0.25, 1e-5, 1.5e-7, or a ratio such as 1/3 where no decimal is exact."""
    text = exact_text(number)
    return text if "/" in text else _spelled(Decimal(text))


def short(number: Fraction) -> str:
    """Return `number` in full, or "about 0.1" where that would be too long."""
    text = typed(number)
    return text if len(text) <= _LONGEST else f"about {nearest_text(number)}"


def plain(number: Fraction) -> str:
    """Return `number` as JSON has it (0.00001), or "about 0.1" where that would be too long."""
    text = exact_text(number)
    return text if len(text) <= _LONGEST else f"about {_rounded_plain(number)}"


def plain_at_most(number: Fraction) -> str:
    """Return `number` >= 0 as JSON has it, or "at most 0.100001" where that would be too long."""
    text = exact_text(number)
    return text if len(text) <= _LONGEST else f"at most {plain_upper(number)}"


def plain_upper(number: Fraction) -> str:
    """Return the least decimal of `DIGITS` digits that is at least `number` >= 0, as `plain` spells it."""
    return _rounded_plain(number, ROUND_CEILING)


def nearest_text(number: Fraction, digits: int = DIGITS) -> str:
    """Return `number` rounded to nearest, for numbers that nobody claims."""
    return _spelled(_quotient(number, Context(prec=digits)))


def rounded_up(number: Fraction, digits: int = DIGITS) -> Fraction:
    """Return the least decimal of so many digits that is at least `number` >= 0."""
    return Fraction(_quotient(number, Context(prec=digits, rounding=ROUND_CEILING)))


def rounded_down(number: Fraction, digits: int = DIGITS) -> Fraction:
    """Return the largest decimal of so many digits that is at most `number` >= 0."""
    return Fraction(_quotient(number, Context(prec=digits, rounding=ROUND_FLOOR)))


def upper_text(number: Fraction, digits: int = DIGITS) -> str:
    """Return the least decimal of so many digits that is at least `number` >= 0: what `number` suffices for, it
    suffices for too."""
    return typed(rounded_up(number, digits))


def lower_text(number: Fraction, digits: int = DIGITS) -> str:
    """Return the largest decimal of so many digits that is at most `number` >= 0."""
    return typed(rounded_down(number, digits))


def decimal_at_most(number: Fraction, digits: int = DIGITS) -> str:
    """Return the largest decimal of so many digits that is at most `number` >= 0; `exact` reads it back.

    Fewer digits, or 0, where a number near 1e-1230 leaves no room for them.
    """
    for places in range(digits, 0, -1):
        below = rounded_down(number, places)
        if below.denominator.bit_length() <= LARGEST_BITS:
            return exact_text(below)
    return "0"


def amount_text(number: Fraction, *, to_ask_for: bool = False, longest: int = 100) -> str:
    """Return an exact amount >= 0 for a message: in full, or, if that is too long for a reader, as a decimal just
    below.

    Args:
        to_ask_for: whether to add a short decimal that is covered by the amount.
        longest: the most characters in full.
    """
    exactly, decimal = exact_text(number), decimal_at_most(number)
    if exactly == decimal:
        return exactly
    if len(exactly) > longest:
        return f"a little more than {decimal}" if to_ask_for else f"about {decimal}"
    return f"{exactly} (one may ask for {decimal})" if to_ask_for else exactly


def _quotient(number: Fraction, context: Context) -> Decimal:
    """Return the quotient rounded once, however long numerator and denominator are."""
    context.Emin, context.Emax = -_LARGEST_EXPONENT, _LARGEST_EXPONENT
    return context.divide(Decimal(number.numerator), Decimal(number.denominator))


def _rounded_plain(number: Fraction, rounding: str = ROUND_HALF_EVEN) -> str:
    return f"{_quotient(number, Context(prec=DIGITS, rounding=rounding)).normalize():g}"


def _spelled(number: Decimal) -> str:
    if not number:
        return "0"
    context = Context(prec=_MANY_DIGITS, Emin=-_LARGEST_EXPONENT, Emax=_LARGEST_EXPONENT)
    kept = number.normalize(context)
    power = kept.adjusted()
    if _LEAST_PLAIN <= power <= _LONGEST:
        return f"{kept:f}"
    return f"{kept.scaleb(-power, context):f}e{power}"
