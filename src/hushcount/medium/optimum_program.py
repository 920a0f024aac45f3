"""The linear program of a fixed medium T, in P and S = P T.

Each S_ij is a column of its own, tied to row i of P, so that privacy costs no more than without a medium and T is used
as sparsely as it is. Entries of T below 1e-13 are left out of what the solver sees; its points and duals are judged
with all of them. Where T is mirrored, P may be (averaging P with its mirror image keeps everything), which halves the
program.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hushcount.linear_program import (
    Columns,
    ModelBuilder,
    Solution,
    Solver,
    add_distributions,
    add_privacy,
    matrix_columns,
    solve,
)
from hushcount.linear_program.solver import order_of_tries
from hushcount.mechanisms.base import Floats
from hushcount.medium.medium import Medium
from hushcount.tradeoff import EpsilonDelta

__all__ = ["least_absolute_error", "least_error"]

_NEGLIGIBLE = 1e-13
"""Entries of T that the solver does not see."""

_CLOSE = 1e-7
"""Gap at which a mechanism counts as the one with the least |error|."""


def least_error(medium: Medium, privacy: EpsilonDelta) -> Iterator[tuple[Solution, Floats | None]]:
    """Minimise -t subject to S_ii >= t: solutions found in one way after another, whose bounds plus 1 are at most
    p_e*(T), each with its P."""

    def posed(negligible: float) -> _Products:
        products = _Products.of(medium, privacy, negligible)
        diagonal, least = np.unique(np.diagonal(products.S)), products.builder.columns(1, cost=-1.0)
        products.builder.rows([(diagonal, 1.0), (np.repeat(least, len(diagonal)), -1.0)], lower=0.0)
        return products

    seen, true = posed(_NEGLIGIBLE), posed(0.0)
    model = seen.builder.build()
    for found in Solver(model, true.builder.build()).attempts(order_of_tries(model)):
        yield found, None if found.x is None else found.x[true.P]


def least_absolute_error(
    medium: Medium, privacy: EpsilonDelta, error_probability: float, allowance: float
) -> tuple[Solution, Floats | None]:
    """Minimise the largest sum_j |j - i| S_ij subject to 1 - S_ii <= error_probability + allowance / 2, and its P; the
    bound is for error_probability + allowance."""
    M = medium.order
    distances = np.abs(np.subtract.outer(np.arange(M), np.arange(M))).astype(np.float64)

    def posed(negligible: float, share: float) -> _Products:
        products = _Products.of(medium, privacy, negligible)
        least = 1 - (error_probability + share * allowance)
        products.builder.rows([(np.unique(np.diagonal(products.S)), 1.0)], lower=least)
        worst, rows = products.builder.columns(1, upper=float(M), cost=1.0), products.rows
        products.builder.rows([(products.S[:rows], distances[:rows]), (np.repeat(worst, rows), -1.0)], upper=0.0)
        return products

    seen, true = posed(_NEGLIGIBLE, 0.5), posed(0.0, 1.0)
    found = solve(seen.builder.build(), gap=_CLOSE, judged=true.builder.build())
    return found, None if found.x is None else found.x[true.P]


@dataclass
class _Products:
    """P stochastic, and S = P T private.

    Attributes:
        P, S: column numbers, shape (M, M).
        rows: how many rows differ: half, where they are mirrored.
    """

    builder: ModelBuilder
    P: Columns
    S: Columns
    rows: int

    @classmethod
    def of(cls, medium: Medium, privacy: EpsilonDelta, negligible: float) -> _Products:
        T, M, is_mirrored, builder = medium.shares, medium.order, medium.is_mirrored, ModelBuilder()
        P, S = (matrix_columns(builder, M, is_mirrored=is_mirrored) for _ in range(2))
        rows = (M + 1) // 2 if is_mirrored else M
        add_distributions(builder, P[:rows])
        for j in range(M):
            used = np.flatnonzero(T[:, j] > negligible)
            sent = np.broadcast_to(T[used, j], (rows, len(used)))
            builder.rows([(P[:rows][:, used], sent), (S[:rows, j], -1.0)], lower=0.0, upper=0.0)
        pairs = [(S[:-1], S[1:])] if is_mirrored else [(S[:-1], S[1:]), (S[1:], S[:-1])]
        for above, below in pairs if M > 1 else []:
            add_privacy(builder, above, below, privacy)
        return cls(builder, P, S, rows)
