"""Parameters as titles spell them."""

from __future__ import annotations

from fractions import Fraction

from hushcount.numbers.text import short

__all__ = ["number", "parameters"]


def parameters(**values: int | Fraction | None) -> str:
    """Return `n = 7, epsilon = 0.5`, with no break inside an equation; leave out what is None."""
    parts = [
        f"{name} = {number(value)}".replace(" ", "\N{NO-BREAK SPACE}")
        for name, value in values.items()
        if value is not None
    ]
    return ", ".join(parts)


def number(value: int | Fraction) -> str:
    """Return `0.5` or `1e-6`; whole numbers from 1,000 up have commas, as on the axes."""
    exactly = Fraction(value)
    if exactly.denominator == 1 and len(grouped := f"{exactly.numerator:,}") <= _LONGEST:
        return grouped
    return short(exactly)


_LONGEST = 17
"""The characters of 10^12 with its commas; longer numbers are written as powers."""
