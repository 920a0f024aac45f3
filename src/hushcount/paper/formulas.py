"""The paper's formulas in floats, as they are printed; outcomes and eigenvalues are numbered as there.

They are claims, not code to rely on: what hushcount computes with is enclosed and rounded in the other packages. P* is
the canonical optimum, q = e^-epsilon, T the matrix of a medium.
"""

from __future__ import annotations

import math

import numpy as np

from hushcount.numbers.arrays import Floats

__all__ = [
    "alpha",
    "canonical_matrix",
    "column_sum_norm",
    "cyclic_distances",
    "inverse",
    "kernel_matrix",
    "least_error",
    "row_sum_norm",
    "worst_error",
]


def cyclic_distances(M: int) -> Floats:
    """Return (7): d_M(i, j) = min(|i - j|, M - |i - j|), shape (M, M)."""
    i, j = np.indices((M, M))
    away = np.abs(i - j)
    found: Floats = np.minimum(away, M - away).astype(np.float64)
    return found


def kernel_matrix(M: int, q: float) -> Floats:
    """Return the matrix of Lemma 1: q^d_M(i, j)."""
    found: Floats = q ** cyclic_distances(M)
    return found


def alpha(M: int, epsilon: float) -> float:
    """Return (9), and 1 / M at epsilon = 0."""
    if epsilon == 0:
        return 1 / M
    k, h = math.exp(epsilon), M // 2
    return (k - 1) * k**h / (k**h * (k + 1) - math.exp(epsilon * (M % 2 == 0)) - 1)


def least_error(M: int, epsilon: float, delta: float) -> float:
    """Return (10): p_e* = (1 - delta)(1 - alpha)."""
    return (1 - delta) * (1 - alpha(M, epsilon))


def canonical_matrix(M: int, epsilon: float, delta: float) -> Floats:
    """Return (11): P* = (1 - delta) alpha [q^d_M(i, j)] + delta I."""
    kernel = kernel_matrix(M, math.exp(-epsilon))
    found: Floats = (1 - delta) * alpha(M, epsilon) * kernel + delta * np.eye(M)
    return found


def column_sum_norm(A: Floats) -> float:
    """Return |A|_1, the largest sum of a column of |A|."""
    return float(np.abs(A).sum(axis=0).max())


def inverse(A: Floats) -> Floats:
    """Return A^-1."""
    return np.asarray(np.linalg.inv(A), dtype=np.float64)


def row_sum_norm(A: Floats) -> float:
    """Return |A|_inf, the largest sum of a row of |A|."""
    return float(np.abs(A).sum(axis=1).max())


def worst_error(A: Floats) -> float:
    """Return (5): 1 - gamma(A), where gamma is the least diagonal entry."""
    return float(1 - np.diagonal(A).min())
