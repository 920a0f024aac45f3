"""Balls in matrices and rows: the few functions that the statements about media need."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

import numpy as np
from flint import arb, arb_mat

from hushcount.mechanisms.optima.kernel import Kernel
from hushcount.numbers.arrays import Floats

__all__ = [
    "absolute",
    "column_sums",
    "cyclic",
    "cyclic_row",
    "identity",
    "largest",
    "middle",
    "middles",
    "phi",
    "row_sums",
    "smallest",
]


def cyclic(K: Kernel) -> arb_mat:
    """Return P* ([RV26] (11))."""
    M, row = K.M, cyclic_row(K)
    return arb_mat(M, M, [row[(j - i) % M] for i in range(M) for j in range(M)])


def cyclic_row(K: Kernel) -> list[arb]:
    """Return the first row of P*, which the others turn on."""
    return [K.gamma, *(K.a * K.power(min(d, K.M - d)) for d in range(1, K.M))]


def phi(K: Kernel) -> arb:
    """Return the least entry of P*."""
    return K.a * K.power(K.half)


def identity(M: int) -> arb_mat:
    return arb_mat(M, M, [int(i == j) for i in range(M) for j in range(M)])


def absolute(A: arb_mat) -> arb_mat:
    """Return |A|, entry by entry."""
    return arb_mat(A.nrows(), A.ncols(), [abs(entry) for entry in A.entries()])


def column_sums(A: arb_mat) -> list[arb]:
    return (arb_mat(1, A.nrows(), [1] * A.nrows()) * A).entries()


def row_sums(A: arb_mat) -> list[arb]:
    return (A * arb_mat(A.ncols(), 1, [1] * A.ncols())).entries()


def largest(values: Iterable[arb]) -> arb:
    return reduce(lambda one, other: one.max(other), values)


def smallest(values: Iterable[arb]) -> arb:
    return reduce(lambda one, other: one.min(other), values)


def middles(A: arb_mat) -> Floats:
    """Return the floats nearest to the midpoints of the balls."""
    return middle(A.entries()).reshape(A.nrows(), A.ncols())


def middle(values: Iterable[arb]) -> Floats:
    """Return the floats nearest to the midpoints of balls."""
    return np.array([float(value.mid()) for value in values])
