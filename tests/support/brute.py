"""Slow, independent ways to the same answers: recursions in mpmath, all subsets, linear programs."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from scipy.optimize import linprog

Number = int | float | str | Fraction | Decimal
Real = Any
"""mpmath has no types."""
Matrix = list[list[Real]]


def digits(n: int, epsilon: Number) -> int:
    """Enough decimal digits: the recursion near y = 1 multiplies errors by e^epsilon at each of n steps."""
    return 400 + int(n * float(epsilon) / 2)


def real(x: Number) -> Real:
    exact = Fraction(x)
    return mpmath.mpf(exact.numerator) / exact.denominator


def curves(epsilon: Number, delta: Number) -> tuple[Callable[[Real], Real], Callable[[Real], Real]]:
    """f and g of the (epsilon, delta) trade-off, in mpmath."""
    growth, d = mpmath.exp(real(epsilon)), real(delta)

    def f(x: Real) -> Real:
        return min(mpmath.mpf(1), growth * x + d, 1 - (1 - d - x) / growth)

    def g(y: Real) -> Real:
        return max(mpmath.mpf(0), (y - d) / growth, 1 - d - growth * (1 - y))

    return f, g


def kernel_diagonal(M: int, epsilon: Number, delta: Number) -> Real:
    """gamma, by summing the cyclic kernel as [RV26] defines it."""
    q, d = mpmath.exp(-real(epsilon)), real(delta)
    return d + (1 - d) / mpmath.fsum(q ** min(j, M - j) for j in range(M))


def root_diagonal(M: int, epsilon: Number, delta: Number) -> Real:
    """gamma as the root of c_M(gamma) = 1, with no closed form: what holds for any trade-off curve."""
    _, g = curves(epsilon, delta)
    low, high = mpmath.mpf(0), mpmath.mpf(1)
    for _ in range(600):
        gamma = (low + high) / 2
        c = gamma
        for _ in range(M - 1):
            c = g(c) + gamma
        low, high = (low, gamma) if c > 1 else (gamma, high)
    return low


def nearest_matrix(n: int, epsilon: Number, delta: Number) -> Matrix:
    """The nearest optimum by applying f and g to c_j step by step; a list of rows of mpf."""
    with mpmath.workdps(digits(n, epsilon)):
        M = n + 1
        f, g = curves(epsilon, delta)
        gamma = kernel_diagonal(M, epsilon, delta)
        c = [None, gamma]
        for _ in range(M - 1):
            c.append(g(c[-1]) + gamma)
        rows = []
        for i in range(1, M + 1):
            cdf = [mpmath.mpf(0)]
            for j in range(1, M + 1):
                x = c[j]
                for _ in range(abs(j - i)):
                    x = f(x) if j > i else g(x)
                cdf.append(x)
            cdf[M] = mpmath.mpf(1)
            rows.append([b - a for a, b in itertools.pairwise(cdf)])
        return rows


def canonical_matrix(n: int, epsilon: Number, delta: Number) -> Matrix:
    """[RV26] (11), entry by entry."""
    with mpmath.workdps(digits(n, epsilon)):
        M = n + 1
        q, a = mpmath.exp(-real(epsilon)), kernel_diagonal(M, epsilon, delta) - real(delta)
        return [
            [a * q ** min(abs(i - j), M - abs(i - j)) + (real(delta) if i == j else 0) for j in range(M)]
            for i in range(M)
        ]


def excess_over_all_subsets(matrix: Any, epsilon: Number) -> float:
    """The least delta at epsilon: max over adjacent rows and ALL subsets U of P_k(U) - e^epsilon P_i(U)."""
    matrix = np.asarray(matrix, dtype=float)
    M = len(matrix)
    subsets = (np.arange(2**M)[:, None] >> np.arange(M)) & 1
    mass = subsets @ matrix.T
    growth = np.exp(float(epsilon))
    return max(float((mass[:, k] - growth * mass[:, i]).max()) for i in range(M) for k in (i - 1, i + 1) if 0 <= k < M)


def privacy_program(M: int, epsilon: Number, delta: Number) -> tuple[np.ndarray, np.ndarray, int]:
    """Inequalities A x <= b of the privacy polytope over x = (P by rows, slacks), and the size of x."""
    growth = float(np.exp(float(epsilon)))
    pairs = [(k, i) for i in range(M) for k in (i - 1, i + 1) if 0 <= k < M]
    size = M * M + len(pairs) * M
    A, b = [], []
    for number, (k, i) in enumerate(pairs):
        total = np.zeros(size)
        for j in range(M):
            row = np.zeros(size)
            slack = M * M + number * M + j
            row[k * M + j], row[i * M + j], row[slack] = 1, -growth, -1
            A.append(row)
            b.append(0.0)
            total[slack] = 1
        A.append(total)
        b.append(float(delta))
    return np.array(A), np.array(b), size


def best_linear(M: int, epsilon: Number, delta: Number, gain: Any, diagonal: float | None = None) -> float:
    """max of sum(gain * P) over (epsilon, delta)-DP stochastic P, with every diagonal >= `diagonal` if given."""
    A, b, size = privacy_program(M, epsilon, delta)
    A_eq = np.zeros((M, size))
    for i in range(M):
        A_eq[i, i * M : (i + 1) * M] = 1
    bounds: list[tuple[float, None]] = [(0, None)] * size
    if diagonal is not None:
        for i in range(M):
            bounds[i * M + i] = (diagonal, None)
    cost = np.concatenate([-np.asarray(gain, dtype=float).ravel(), np.zeros(size - M * M)])
    solution = linprog(cost, A_ub=A, b_ub=b, A_eq=A_eq, b_eq=np.ones(M), bounds=bounds, method="highs")
    assert solution.status == 0, solution.message
    return float(-solution.fun)


def best_diagonal(M: int, epsilon: Number, delta: Number) -> float:
    """The LP (6) of [RV26]: the largest least diagonal entry."""
    A, b, size = privacy_program(M, epsilon, delta)
    A = np.hstack([A, np.zeros((len(A), 1))])
    diagonal = np.zeros((M, size + 1))
    rows = np.zeros((M, size + 1))
    for i in range(M):
        diagonal[i, i * M + i], diagonal[i, size] = -1, 1
        rows[i, i * M : (i + 1) * M] = 1
    cost = np.zeros(size + 1)
    cost[size] = -1
    solution = linprog(
        cost,
        A_ub=np.vstack([A, diagonal]),
        b_ub=np.concatenate([b, np.zeros(M)]),
        A_eq=rows,
        b_eq=np.ones(M),
        bounds=[(0, None)] * (size + 1),
        method="highs",
    )
    assert solution.status == 0, solution.message
    return float(-solution.fun)
