"""The linear program of a fixed medium T, in P and S = P T.

Each S_ij is a column of its own, tied to row i of P, so that privacy costs no more than without a medium and T keeps
its sparsity. The solver does not see entries of T below 1e-13; its points and duals are judged with all of them. Where
T is mirrored, P may be too (averaging P with its mirror image keeps everything), which halves the program.

Along a sweep of epsilon each program is solved from scratch: starting from the last basis takes a tenth of the steps at
8 and 16 symbols, where bounds and models take most of the time, and gains nothing at 32 symbols with delta > 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hushcount.linear_program.methods import Method
from hushcount.linear_program.model import ModelBuilder
from hushcount.linear_program.polytope import Columns, add_distributions, add_privacy, matrix_columns
from hushcount.linear_program.solution import Solution
from hushcount.linear_program.solver import Solver, solve
from hushcount.medium.medium import Medium
from hushcount.numbers.arrays import Floats
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["NEGLIGIBLE", "Products", "least_absolute_error", "least_error"]

NEGLIGIBLE = 1e-13
"""Entries of T up to this that the solver does not see."""

_CLOSE = 1e-7
"""The gap at which a mechanism counts as the one with the least |error|."""


def least_error(
    medium: Medium, privacy: EpsilonDelta, methods: Sequence[Method]
) -> Iterator[tuple[Solution, Floats | None]]:
    """Minimize -t subject to S_ii >= t; yield solutions found by one method after another, each with its P.

    Their bounds plus 1 are at most p_e*(T).
    """

    def posed(negligible: float) -> Products:
        products = Products.of(medium, privacy, negligible)
        products.least_diagonal()
        return products

    seen, true = posed(NEGLIGIBLE), posed(0.0)
    for found in Solver(seen.builder.build(), true.builder.build()).attempts(methods):
        yield found, None if found.x is None else found.x[true.P]


def least_absolute_error(
    medium: Medium, privacy: EpsilonDelta, error_probability: float, allowance: float
) -> tuple[Solution, Floats | None]:
    """Minimize the largest sum_j |j - i| S_ij subject to 1 - S_ii <= error_probability + allowance / 2; return it
    with its P.

    The bound is for error_probability + allowance.
    """
    M = medium.order
    distances = np.abs(np.subtract.outer(np.arange(M), np.arange(M))).astype(np.float64)

    def posed(negligible: float, share: float) -> Products:
        products = Products.of(medium, privacy, negligible)
        least = 1 - (error_probability + share * allowance)
        products.builder.rows([(products.diagonal, 1.0)], lower=least)
        worst, rows = products.builder.columns(1, upper=float(M), cost=1.0), products.rows
        products.builder.rows([(products.S[:rows], distances[:rows]), (np.repeat(worst, rows), -1.0)], upper=0.0)
        return products

    seen, true = posed(NEGLIGIBLE, 0.5), posed(0.0, 1.0)
    found = solve(seen.builder.build(), gap=_CLOSE, judged=true.builder.build())
    return found, None if found.x is None else found.x[true.P]


@dataclass
class Products:
    """The rows of P, stochastic, and of S = P T, private.

    Attributes:
        P, S: column numbers, shape (rows, M).
        rows: how many rows differ: half of them where they are mirrored.
        diagonal: the column numbers of the different S_ii.
    """

    builder: ModelBuilder
    P: Columns
    S: Columns
    rows: int
    diagonal: Columns

    @classmethod
    def of(cls, medium: Medium, privacy: EpsilonDelta, negligible: float) -> Products:
        """Return all rows; leave out entries of T up to `negligible`."""
        T, M, is_mirrored, builder = medium.shares, medium.order, medium.is_mirrored, ModelBuilder()
        P, S = (matrix_columns(builder, M, is_mirrored=is_mirrored) for _ in range(2))
        rows = (M + 1) // 2 if is_mirrored else M
        add_distributions(builder, P[:rows])
        builder.rows([(S[:rows], 1.0)], upper=1.0)  # implied by the rest, but lets duals prove more (`polished`)
        for j in range(M):
            used = np.flatnonzero(T[:, j] > negligible)
            sent = np.broadcast_to(T[used, j], (rows, len(used)))
            builder.rows([(P[:rows][:, used], sent), (S[:rows, j], -1.0)], lower=0.0, upper=0.0)
        pairs = [(S[:-1], S[1:])] if is_mirrored else [(S[:-1], S[1:]), (S[1:], S[:-1])]
        for above, below in pairs if M > 1 else []:
            add_privacy(builder, above, below, privacy)
        return cls(builder, P, S, rows, np.unique(np.diagonal(S)))

    def least_diagonal(self) -> Columns:
        """Return a new column t with t <= all S_ii, to be maximized."""
        least = self.builder.columns(1, cost=-1.0)
        self.builder.rows([(self.diagonal, 1.0), (np.repeat(least, len(self.diagonal)), -1.0)], lower=0.0)
        return least
