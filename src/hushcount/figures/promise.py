"""Parameters as titles spell them."""

from __future__ import annotations

from fractions import Fraction

from hushcount.number_text import short

__all__ = ["parameters"]


def parameters(**values: int | Fraction | None) -> str:
    """`n = 7, epsilon = 0.5`, without a break inside an equation; what is None is left out."""
    parts = [
        f"{name} = {short(Fraction(value))}".replace(" ", "\N{NO-BREAK SPACE}")
        for name, value in values.items()
        if value is not None
    ]
    return ", ".join(parts)
