"""Theorem 2 of [RV26], statement by statement, as functions of a medium and a promise.

Each applies one statement (`Theorem2`) to a medium, or its matrix, of up to 256 symbols, or circulant. It returns the
conclusion, with the number and the threshold behind it. epsilon >= 0 is in nats, and 0 <= delta < 1; both are kept
exactly. All raise InvalidParameter or BadUse for a bad argument, and TooLarge for more symbols.
"""

from __future__ import annotations

from functools import lru_cache

from numpy.typing import ArrayLike

from hushcount.medium.channels.given import as_medium
from hushcount.medium.medium import Medium
from hushcount.medium.theorem_2.statement import AppliedStatement
from hushcount.medium.theorem_2.theorem_2 import Theorem2
from hushcount.numbers.exact import Number
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = [
    "canonical_fits",
    "corollary_2_1",
    "statement_1",
    "statement_1_with_radius",
    "statement_2_max_norm",
    "statement_2_row_norm",
    "statement_3",
    "statement_4",
    "statement_5",
    "statement_6",
]

_kept = lru_cache(maxsize=16)(Theorem2)
"""Cached, so that statements asked one after another share P* T^-1. All of it follows from the matrix, as equality
does."""


def canonical_fits(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> AppliedStatement:
    """Apply the remark before Theorem 2: if P* T^-1 >= 0, it is a mechanism, and T is lossless."""
    return _at(medium, epsilon, delta).canonical_fits


def statement_1(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> AppliedStatement:
    """Apply statement 1 (25) with R_M: if min_ij [P* T^-1]_ij < -R_M |T^-1|_1, T is lossy."""
    return _at(medium, epsilon, delta).statement_1


def statement_1_with_radius(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> AppliedStatement:
    """Apply statement 1 (25) with the exact radius Delta_M instead of its bound R_M, which the proof allows:
    sharper, up to 65 symbols.

    Raises:
        TooLarge, SolverFailed: see `OptimalSet.ranges`.
    """
    return _at(medium, epsilon, delta).statement_1_with_radius


def statement_2_row_norm(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> AppliedStatement:
    """Apply statement 2 (27): if |T^-1 - I|_inf <= phi, T is lossless."""
    return _at(medium, epsilon, delta).statement_2_row_norm


def statement_2_max_norm(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> AppliedStatement:
    """Apply statement 2 (28): if |T^-1 - I|_max <= phi / (M gamma), T is lossless."""
    return _at(medium, epsilon, delta).statement_2_max_norm


def statement_3(medium: Medium | ArrayLike, delta: Number = 0) -> AppliedStatement:
    """Apply statement 3: if all column sums of T^-1 are positive, T is lossless for all small enough epsilon and delta.

    The condition says that 1 lies inside the cone of the rows of T. The `epsilon` of the result says how small, by a
    sharper argument than the paper's (`statement_3.py`).
    """
    return _at(medium, 0, delta).statement_3


def statement_4(medium: Medium | ArrayLike) -> AppliedStatement:
    """Apply statement 4: if a column sum of T^-1 is negative, no epsilon and delta exist up to which T is always
    lossless.

    The condition says that 1 lies outside the cone of the rows of T. By its remark on (25), T is lossy at all small
    enough epsilon and delta.
    """
    return _at(medium, 0).statement_4


def statement_5(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> AppliedStatement:
    """Apply statement 5: for circulant T and delta = 0, T is lossless if and only if P* T^-1 >= 0. T must be
    circulant float for float."""
    return _at(medium, epsilon, delta).statement_5


def statement_6(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> AppliedStatement:
    """Apply statement 6: a singular T is lossy where every optimum has full rank.

    That holds by statement 4 of Theorem 1, or by the sharper condition of docs/theory.md, "Full rank".
    """
    return _at(medium, epsilon, delta).statement_6


def corollary_2_1(medium: Medium | ArrayLike, delta: Number = 0) -> AppliedStatement:
    """Apply Corollary 2.1: an invertible doubly stochastic T is lossless for all small enough epsilon and delta.

    The column sums of T^-1 are then all 1. The columns of its floats need only sum to 1 up to rounding, since what is
    proved is statement 3.
    """
    return _at(medium, 0, delta).corollary_2_1


def _at(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> Theorem2:
    return _kept(as_medium(medium), EpsilonDelta.of(epsilon, delta))
