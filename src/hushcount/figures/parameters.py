"""Parameters as titles spell them."""

from __future__ import annotations

from fractions import Fraction

from hushcount.numbers.text import short
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP

__all__ = ["number", "numbers_of", "parameters"]


def parameters(**values: int | Fraction | None) -> str:
    """Return `n = 7, epsilon = 0.5`, with no break inside an equation; leave out what is None."""
    parts = [
        f"{name} = {number(value)}".replace(" ", "\N{NO-BREAK SPACE}")
        for name, value in values.items()
        if value is not None
    ]
    return ", ".join(parts)


def numbers_of(promise: EpsilonDelta | GaussianDP) -> dict[str, Fraction]:
    """Return the numbers of a promise by name: epsilon and delta; mu, or rho where mu is irrational."""
    if isinstance(promise, EpsilonDelta):
        return {"epsilon": promise.epsilon, "delta": promise.delta}
    mu = promise.exact_mu
    return {"rho": promise.rho} if mu is None else {"mu": mu}


def number(value: int | Fraction) -> str:
    """Return `0.5` or `1e-6`; whole numbers from 1,000 up have commas, as on the axes."""
    exactly = Fraction(value)
    if exactly.denominator == 1 and len(grouped := f"{exactly.numerator:,}") <= _LONGEST:
        return grouped
    return short(exactly)


_LONGEST = 17
"""The characters of 10^12 with its commas; longer numbers are written as powers."""
