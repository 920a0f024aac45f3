"""The way through a grid on which neighboring counts are neighboring points."""

from __future__ import annotations

import math

import numpy as np

from hushcount.errors import InvalidParameter
from hushcount.medium.medium import checked_order
from hushcount.numbers.arrays import Integers

__all__ = ["snake_labels"]


def snake_labels(order: int) -> Integers:
    """Return the points of a square grid along a snake: rows in turn from left to right and from right to left.

    Let L^2 be the order. Count k is the point L r + c of row r = k // L and column c = k mod L if r is even, and
    c = L - 1 - k mod L if it is odd. With symbols in row-major order, the medium labeled so is
    `medium.relabelled(snake_labels(order))`.

    Args:
        order: L^2, a square up to 4,096.

    Raises:
        InvalidParameter: the order is not a square.
        TooLarge: the order is above 4,096.
    """
    M = checked_order(order, least=1)
    L = math.isqrt(M)
    if L * L != M:
        raise InvalidParameter("order", M, "a square: 1, 4, 9, ...")
    grid = np.arange(M, dtype=np.int64).reshape(L, L)
    grid[1::2] = grid[1::2, ::-1]
    return grid.ravel()
