"""What arrives behind a medium, in exact rationals, and whether it is private."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp

__all__ = ["exact_product", "surely_private"]

Rows = list[list[Fraction]]


def exact_product(G: Any, T: Any) -> Rows:
    """Return G T, the floats of both taken as rationals over the sums of their rows."""

    def rows(matrix: Any) -> Rows:
        return [[Fraction(x) / sum(map(Fraction, row)) for x in row] for row in matrix.tolist()]

    columns = list(zip(*rows(T), strict=True))
    return [
        [sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in columns] for row in rows(G)
    ]


def surely_private(product: Rows, epsilon: str | float, delta: str | float) -> bool:
    """Return whether rows of rationals are (epsilon, delta)-DP, with an e^epsilon rounded down."""
    with mp.workdps(60):
        growth = mp.exp(mp.mpf(epsilon))
        below = Fraction(int(mp.floor(growth * 10**50)), 10**50)  # so that private at this is private
    for k, i in [(a, b) for a in range(len(product)) for b in (a - 1, a + 1) if 0 <= b < len(product)]:
        excess = sum(max(Fraction(0), a - below * b) for a, b in zip(product[k], product[i], strict=True))
        if excess > Fraction(delta):
            return False
    return True
