"""The one place where a matrix is checked to be row-stochastic."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from hushcount.errors import BadUse, InvalidParameter, Told, TooLarge
from hushcount.inputs.arrays import array
from hushcount.numbers.arrays import UNIT, Floats

__all__ = ["LARGEST_MATRIX", "LARGEST_WIDTH", "ROW_SUM_TOLERANCE", "divided_rows", "stochastic_rows"]

LARGEST_MATRIX = 4096
"""The most rows of a matrix, and columns of a square one (128 MiB of floats)."""

LARGEST_WIDTH = 2**16
"""The most columns of a matrix that need not be square."""

ROW_SUM_TOLERANCE = UNIT
"""Times the number of columns: how far the exact sum of a row of floats may be from 1, which rounding each entry
once explains.

Such a row is divided by its exact sum; anything worse is an error.
"""

NEAR_ONE = 0.01
"""How far off a sum may be for the error to say what to do if that is rounding, to two decimals or better."""


def stochastic_rows(matrix: ArrayLike, *, square: bool = True, normalise: bool = False) -> Floats:
    """Return a read-only copy in floats of a matrix whose rows are probability distributions, one row per true count.

    Args:
        matrix: real numbers >= 0, shape (true counts, outcomes), each row summing to 1 up to the rounding of its
            entries (`ROW_SUM_TOLERANCE` times the number of columns).
        square: whether the outcomes must be the true counts.
        normalise: whether to divide each row by its sum first, whatever that is.

    Raises:
        InvalidParameter: not a matrix (of the right shape) of finite real numbers >= 0, naming row, column and value.
            Complex numbers, text, booleans, Python objects, masked entries and floats of more than 64 bits are refused.
        BadUse: a row whose sum is not 1, naming row and sum, and what to do where the columns sum to 1 instead or where
            it may be rounding; or a row of zeros that is to be divided by its sum.
        TooLarge: more than 4,096 rows, or more than 4,096 columns (65,536 where it need not be square).
    """
    given = array(matrix, "matrix", "rectangular")
    if given.dtype.kind not in "iuf" or given.dtype.itemsize > 8:
        raise InvalidParameter("matrix", str(given.dtype), "of real numbers, as floats or integers of at most 64 bits")
    if square and (given.ndim != 2 or given.shape[0] != given.shape[1] or not given.size):
        raise InvalidParameter("matrix", Told(given.shape), "square, of at least one row")
    if given.ndim != 2 or not given.size:
        raise InvalidParameter("matrix", Told(given.shape), "two-dimensional, of at least one row and one column")
    height, width = given.shape
    if not height <= LARGEST_MATRIX:
        raise TooLarge(f"a matrix of {height:,} true counts is above the limit of {LARGEST_MATRIX:,} outcomes")
    if not width <= LARGEST_WIDTH:
        raise TooLarge(f"a matrix of {width:,} columns is above the limit of {LARGEST_WIDTH:,}")
    entries = given.astype(np.float64)
    for i, row in enumerate(entries):
        good = (row >= 0) & (row < np.inf)
        if not good.all():
            j = int(np.argmin(good))
            raise InvalidParameter(f"row {i}, column {j} of matrix", float(row[j]), "a finite number >= 0")
    if normalise:
        entries = divided_rows(entries)
    for i, row in enumerate(entries):
        total = _sum(row)
        if not _is_one(total, width):
            bits = 8 * given.dtype.itemsize if given.dtype.kind == "f" else 64
            raise BadUse(f"row {i} of matrix must sum to 1 (its sum is {total!r}){_hint(entries, total, bits)}")
    entries.setflags(write=False)
    return entries


def divided_rows(entries: Floats) -> Floats:
    """Return a copy with each row divided by its sum; rows with numbers that are no weights are left for the check
    to refuse.

    Raises:
        BadUse: a row of zeros.
    """
    shares = entries.copy()
    for i, row in enumerate(entries):
        if ((row >= 0) & (row < np.inf)).all():
            if not row.any():
                raise BadUse(f"row {i} of matrix must have an entry above 0 to be divided by its sum")
            weights = row * 2.0**-64 if row.max() > 2.0**900 else row  # so that the sum does not overflow
            shares[i] = weights / math.fsum(weights)
    return shares


def _hint(entries: Floats, total: float, bits: int) -> str:
    if _columns_sum_to_one(entries):
        return "; every column sums to 1 instead: transpose it"
    if not abs(total - 1) <= NEAR_ONE:
        return ""
    if bits < 64:
        return f"; the entries have {bits} bits: divide each row by its sum in 64 bits, as `normalise` does"
    return "; if that is rounding, divide each row by its sum, as `normalise` does"


def _is_one(total: float, terms: int) -> bool:
    return abs(total - 1) <= ROW_SUM_TOLERANCE * terms


def _columns_sum_to_one(entries: Floats) -> bool:
    return all(_is_one(_sum(column), len(column)) for column in entries.T)


def _sum(numbers: Floats) -> float:
    """Return the correctly rounded sum of floats >= 0."""
    try:
        return math.fsum(numbers)
    except OverflowError:
        return math.inf
