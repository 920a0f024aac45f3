"""Media judged by rational numbers alone: what is told of them is held against this, which knows none of their code.

A matrix of floats stands for the rational numbers that they are, each row over its sum. e^-epsilon lies between two
rational numbers that agree in 75 digits; each question is put to the one that makes it harder.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
from exact_simplex import Program
from flint import fmpq, fmpq_mat

from hushcount.medium import Medium

DIGITS = 75


class ExactMedium:
    """A medium at one promise.

    Attributes:
        M: how many symbols.
        T: the medium.
        low, high: e^-epsilon between two rational numbers.
        delta: exactly.
    """

    def __init__(self, medium: Medium, epsilon: str, delta: str) -> None:
        self.M, self.T, self.delta = medium.order, shares(medium.matrix), fmpq(*Fraction(delta).as_integer_ratio())
        self.low, self.high = enclosed_shrinkage(Fraction(epsilon))

    def product(self, G: np.ndarray) -> fmpq_mat:
        """Return what arrives of a mechanism."""
        return shares(G) * self.T

    def is_private(self, S: fmpq_mat) -> bool:
        """Return whether the positive parts of a - e^epsilon b sum to at most delta for all pairs of adjacent rows."""
        rows = S.tolist()
        for pair in pairwise(rows):
            for first, other in (pair, pair[::-1]):
                above = (self.high * a - b for a, b in zip(first, other, strict=True))
                if sum((part for part in above if part > 0), fmpq(0)) > self.high * self.delta:
                    return False
        return True

    @cached_property
    def without(self) -> tuple[fmpq, fmpq]:
        """p_e*, between two rational numbers: 1 less the diagonal of the cyclic kernel ([RV26] Theorem 1)."""
        low, high = (1 - self._diagonal(q) for q in (self.low, self.high))
        return low, high

    @cached_property
    def optimum(self) -> tuple[fmpq, fmpq]:
        """p_e*(T), between two rational numbers, by an exact simplex; it falls as epsilon grows."""
        low, high = (1 - program(self.T, q, self.delta).solve().value for q in (self.low, self.high))
        return low, high

    @cached_property
    def inverse(self) -> fmpq_mat | None:
        """T^-1; None where there is none."""
        return None if self.T.rank() < self.M else self.T.inv()

    @cached_property
    def canonical(self) -> fmpq_mat:
        """P* ([RV26] (11)) for the larger end of e^-epsilon."""
        M, gamma = self.M, self._diagonal(self.high)
        a = gamma - self.delta
        near = [[min((i - j) % M, (j - i) % M) for j in range(M)] for i in range(M)]
        return fmpq_mat([[gamma if d == 0 else a * self.high**d for d in row] for row in near])

    def _diagonal(self, q: fmpq) -> fmpq:
        around = sum((q ** min(d, self.M - d) for d in range(self.M)), fmpq(0))
        return self.delta + (1 - self.delta) / around


def enclosed_shrinkage(epsilon: Fraction) -> tuple[fmpq, fmpq]:
    """Return rational numbers just below and just above q = e^-epsilon, of which q and 1 - q have 75 digits."""
    if epsilon == 0:
        return fmpq(1), fmpq(1)
    digits = DIGITS + max(0, len(str(epsilon.denominator)) - len(str(epsilon.numerator)))
    with mpmath.workdps(digits + 30):
        mantissa, exponent = mpmath.frexp(mpmath.exp(-mpmath.mpf(epsilon.numerator) / epsilon.denominator))
        bits = int(digits * 3.33) + 2
        near, unit = int(mpmath.ldexp(mantissa, bits)), fmpq(2) ** (int(exponent) - bits)
    return (near - 1) * unit, min((near + 2) * unit, fmpq(1))


def shares(matrix: np.ndarray) -> fmpq_mat:
    """Return the rational numbers that a matrix of floats stands for."""
    rows = [[fmpq(*entry.as_integer_ratio()) for entry in row] for row in matrix.tolist()]
    return fmpq_mat([[entry / sum(row, fmpq(0)) for entry in row] for row in rows])


def program(T: fmpq_mat, q: fmpq, delta: fmpq) -> Program:
    """Return the linear program behind a medium, as it is stated: maximize t subject to t <= [P T]_ii, rows of P that
    sum to 1, and for adjacent rows q [P T]_aj - [P T]_bj <= sigma_j with sum_j sigma_j <= q delta."""
    M, sent = T.nrows(), T.tolist()
    links = [(i, i + d) for d in (1, -1) for i in range(M) if 0 <= i + d < M]
    slacks = len(links) * M if delta > 0 else 0
    width, t = M * M + 1 + slacks, M * M
    rows: list[list[fmpq]] = []
    right: list[fmpq] = []

    def add(entries: dict[int, Any], limit: fmpq) -> None:
        row = [fmpq(0)] * width
        for place, value in entries.items():
            row[place] = fmpq(value)
        rows.append(row)
        right.append(limit)

    def arrives(i: int, j: int, factor: fmpq | int) -> dict[int, fmpq]:
        return {i * M + k: factor * sent[k][j] for k in range(M)}

    for i in range(M):
        add({i * M + k: 1 for k in range(M)}, fmpq(1))
    for i in range(M):
        add({t: 1, **arrives(i, i, -1)}, fmpq(0))
    for number, (a, b) in enumerate(links):
        for j in range(M):
            slack = {t + 1 + number * M + j: -1} if slacks else {}
            add({**arrives(a, j, q), **arrives(b, j, -1), **slack}, fmpq(0))
        if slacks:
            add({t + 1 + number * M + j: 1 for j in range(M)}, q * delta)
    return Program(rows, right, M, t)
