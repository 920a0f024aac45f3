"""A mechanism in front of a medium: what is received is private, and how often it is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from hushcount.linear_program import ModelBuilder, add_distributions, solve
from hushcount.mechanisms.explicit import Explicit
from hushcount.medium.medium import Medium
from hushcount.numbers.arrays import UNIT, Floats
from hushcount.privacy.made_private import made_private
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["Received", "best_constant", "received"]


@dataclass(frozen=True, eq=False)
class Received:
    """A mechanism G to be used in front of a medium T, with what it is worth there.

    Attributes:
        mechanism: G, a matrix of floats. G T is (epsilon, delta)-DP by proof, each matrix being the exact rationals its
            floats are, over the sums of their rows.
        error_probability: of G T, the largest over true counts of 1 - [G T]_ii; rounded up.
        absolute_error: of G T, the largest over true counts of sum_j |j - i| [G T]_ij; rounded up.
    """

    mechanism: Explicit = field(repr=False)
    error_probability: float
    absolute_error: float


def received(matrix: Floats, medium: Medium, privacy: EpsilonDelta) -> Received:
    """The matrix in front of a medium, mixed with identical rows as little as proving privacy takes (`made_private`).

    Both errors are sums of terms >= 0 off the diagonal. With u = 2^-52, each term is known within (M + 3) u
    (`surely_private`), the sum and the distances add (M + 1) u / 2; underflow takes less than M^2 2^-1074.

    Args:
        matrix: shape (M, M); entries below 0 count as 0, and rows are divided by their sums.
    """
    M, T = medium.order, medium.shares
    made = made_private(matrix, privacy, best_constant(medium), through=T)
    made.setflags(write=False)
    wrong = made @ T
    np.fill_diagonal(wrong, 0.0)
    distances = np.abs(np.subtract.outer(np.arange(M), np.arange(M)))
    error, absolute = (
        float(weighed.sum(axis=1).max()) * (1 + (2 * M + 8) * UNIT) + (M - 1) * M**2 * 2.0**-1074
        for weighed in (wrong, distances * wrong)
    )
    return Received(Explicit(made), min(error, 1.0), min(absolute, M - 1.0))


@lru_cache(maxsize=4)
def best_constant(medium: Medium) -> Floats | None:
    """The distribution r that makes min_i [r T]_i largest: the best mechanism that does not look at the true count, and
    so the one to mix with where little privacy is to be lost; None if its linear program fails."""
    M, builder = medium.order, ModelBuilder()
    r, least = builder.columns((M,)), builder.columns(1, cost=-1.0)
    add_distributions(builder, r[None, :])
    builder.rows([(np.tile(r, (M, 1)), medium.shares.T), (np.repeat(least, M), -1.0)], lower=0.0)
    found = solve(builder.build())
    if found.x is None:
        return None
    row = np.maximum(found.x[r], 0.0)
    best: Floats = row / row.sum()
    best.setflags(write=False)
    return best
