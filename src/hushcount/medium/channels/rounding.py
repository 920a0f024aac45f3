"""Rounding, as a medium."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import numpy as np

from hushcount.inputs.arguments import integer, one_of
from hushcount.medium.medium import Medium, checked_order

__all__ = ["rounding"]


def rounding(order: int, multiple: int, *, to: Literal["nearest", "below", "random"] = "nearest") -> Medium:
    """Return the medium that rounds counts 0..n to multiples of a base, as official tables do.

    Args:
        order: n + 1, from 1 to 4,096.
        multiple: the base, an integer >= 1 (1 changes nothing).
        to: `"nearest"`: the nearest multiple, halves up; `"below"`: the next multiple below (coarsening into bins);
            `"random"`: with k = r modulo the base, up with the probability r / base and down otherwise, which is
            unbiased. A count that would be rounded to a multiple above n is rounded down.

    Raises:
        InvalidParameter, TooLarge: naming the argument, its value and the rule.
    """
    M, base = checked_order(order, least=1), integer(multiple, "multiple", least=1)
    one_of(to, "to", ("nearest", "below", "random"), "'nearest', 'below' or 'random'")
    matrix = np.zeros((M, M))
    for k in range(M):
        below, rest = k - k % base, k % base
        up = {"nearest": Fraction(2 * rest >= base), "below": Fraction(0), "random": Fraction(rest, base)}[to]
        if below + base >= M:
            up = Fraction(0)
        matrix[k, below] = float(1 - up)
        if up:
            matrix[k, below + base] = float(up)
    return Medium(matrix, f"rounding of 0..{M - 1} to multiples of {base} ({to})")
