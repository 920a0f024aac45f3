"""The linear program of a fixed medium T, in P and S = P T; T has a column for each output that is read as a count.

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
from hushcount.linear_program.model import ModelBuilder, power_of_two
from hushcount.linear_program.polytope import LEAST_SIZE, Columns, add_distributions, add_privacy, matrix_columns
from hushcount.linear_program.solution import Solution
from hushcount.linear_program.solver import Solver, solve
from hushcount.medium.medium import Medium
from hushcount.numbers.arrays import Floats
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["NEGLIGIBLE", "Products", "least_absolute_error", "least_error"]

NEGLIGIBLE = 1e-13
"""Entries of T up to this that the solver does not see."""

_LITTLE = 1e-12
"""Up to such a delta the outputs of a decided medium are solved for in their own size."""

_LEAST_ARRIVING = 2.0**-1000
"""The least size of a column of outputs, so that its reciprocal, times a dual, is a float."""

_CLOSE = 1e-7
"""The gap at which a mechanism counts as the one with the least |error|."""


def least_error(
    medium: Medium, privacy: EpsilonDelta, methods: Sequence[Method]
) -> Iterator[tuple[Solution, Floats | None]]:
    """Minimize -t subject to S_ii >= t, or to the sum of what is read as i; yield solutions found by one method after
    another, each with its P.

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
    distances = np.abs(np.subtract.outer(np.arange(M), medium.decisions)).astype(np.float64)

    def posed(negligible: float, share: float) -> Products:
        products = Products.of(medium, privacy, negligible)
        least = 1 - (error_probability + share * allowance)
        for right in products.right:
            products.builder.rows([(right[None], 1.0)], lower=least)
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
        P, S: column numbers, with as many rows as there are symbols.
        rows: how many rows differ: half of them where they are mirrored.
        right: for each of these rows, the column numbers of what is read as the count that was sent.
    """

    builder: ModelBuilder
    P: Columns
    S: Columns
    rows: int
    right: list[Columns]

    @classmethod
    def of(cls, medium: Medium, privacy: EpsilonDelta, negligible: float) -> Products:
        """Return all rows; leave out entries of T up to `negligible`, times the size of their columns.

        Where there is hardly a delta, outputs that hardly arrive must be as private as others: their columns of S are
        of their size.
        """
        T, is_mirrored, builder = medium.outputs, medium.is_mirrored, ModelBuilder()
        M, sizes = medium.order, np.ones(T.shape[1])
        P = matrix_columns(builder, M, rows=M, is_mirrored=is_mirrored)
        is_sized = medium.is_decided and privacy.delta <= _LITTLE
        if is_sized:  # our own program serves the others
            sizes = power_of_two(np.maximum(T.max(axis=0), _LEAST_ARRIVING))
            S = builder.columns(T.shape, upper=np.minimum(2 * sizes, 1.0), size=sizes)
        else:
            S = matrix_columns(builder, T.shape[1], rows=M, is_mirrored=is_mirrored)
        rows = (M + 1) // 2 if is_mirrored else M
        add_distributions(builder, P[:rows])
        builder.rows([(S[:rows], 1.0)], upper=1.0)  # implied by the rest, but lets duals prove more (`polished`)
        for j in range(T.shape[1]):
            used = np.flatnonzero(T[:, j] > negligible * sizes[j])
            sent = np.broadcast_to(T[used, j], (rows, len(used)))
            builder.rows([(P[:rows][:, used], sent), (S[:rows, j], -1.0)], lower=0.0, upper=0.0)
        pairs = [(S[:-1], S[1:])] if is_mirrored else [(S[:-1], S[1:]), (S[1:], S[:-1])]
        for above, below in pairs if M > 1 else []:
            add_privacy(builder, above, below, privacy, _LEAST_ARRIVING if is_sized else LEAST_SIZE)
        return cls(builder, P, S, rows, [S[i, medium.decisions == i] for i in range(rows)])

    def least_diagonal(self) -> Columns:
        """Return a new column t with t <= all S_ii, to be maximized."""
        least = self.builder.columns(1, cost=-1.0)
        for right in self.right:
            self.builder.rows([(right[None], 1.0), (least, -1.0)], lower=0.0)
        return least
