"""Chances and likelihood ratios in words: rounded up, and never certain where they are not."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

__all__ = ["at_least_as_often", "chance_text", "factor_text", "how_often", "rarity_text"]

_FLOAT_NOISE = Decimal("1e-12")
"""The relative slack before a chance is rounded up: chances are right to 1e-12, and 0.4 must not become 40.1%."""

_SMALLEST_SHOWN = Decimal("0.00001")
_ROUND_UP = Context(prec=30, rounding=ROUND_CEILING, Emin=-999_999, Emax=999_999)


def chance_text(chance: float) -> str:
    """Return a chance strictly between 0 and 1 as a percentage, rounded up; never "0%" and never "100%".

    It has one decimal, or two significant digits of the smaller of the chance and its complement if that is more.
    Floats 0 and 1 are taken as rounded values.
    """
    exactly = Decimal(repr(float(chance)))
    if exactly < _SMALLEST_SHOWN:
        return "less than 0.001%"
    if 1 - exactly < _SMALLEST_SHOWN:
        return "more than 99.999%"
    decimals = max(1, 1 - (100 * min(exactly, 1 - exactly)).adjusted())
    shown = f"{(100 * exactly * (1 - _FLOAT_NOISE)).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_CEILING):f}"
    return f"{shown.rstrip('0').rstrip('.')}%"


def how_often(chance: float) -> str:
    """Return a chance per release in words."""
    shown = chance_text(chance)
    return f"in {'at most ' if shown[0].isdigit() else ''}{shown} of releases"


def at_least_as_often(chance: float) -> str:
    """Return a chance > 0 per release in words, rounded down."""
    rest = chance_text(1 - chance)
    if not rest[0].isdigit():
        return f"in {'more than 99.999%' if chance > 0.5 else 'less than 0.001%'} of releases"
    return f"in at least {100 - Decimal(rest.removesuffix('%')):f}% of releases"


def rarity_text(chance: Fraction) -> str:
    """Return a chance > 0 as "1 in 1,000", rounded up, or as a percentage from 1% up."""
    if chance >= Fraction(1, 100):
        return chance_text(float(chance))
    once_in = int(1 / chance)
    return f"1 in {once_in:,}" if once_in < 10**12 else f"less than 1 in 10^{len(str(once_in)) - 1}"


def factor_text(epsilon: Fraction) -> str:
    """Return `e^epsilon` in words for a positive epsilon, rounded up to three significant digits."""
    if epsilon < Fraction(1, 2000):
        return "barely more than 1"
    if epsilon > 10**6:
        return "more than 10^400000"
    value = _ROUND_UP.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator)).exp(_ROUND_UP)
    if value >= 10**6:
        return f"less than 10^{value.adjusted() + 1}"
    shown = value.quantize(Decimal(1).scaleb(value.adjusted() - 2), rounding=ROUND_CEILING)
    return f"at most {int(shown):,}" if shown == int(shown) else f"at most {shown.normalize():f}"
