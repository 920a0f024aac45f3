"""The privacy polytope as rows of a linear program.

For adjacent true counts k and i, (epsilon, delta)-DP of the rows p_k and p_i, multiplied by q = e^-epsilon <= 1 so that
no coefficient is large, says

    delta = 0:  q p_kj <= p_ij for each released j;
    delta > 0:  q p_kj - p_ij <= s_j for each j, with s_j >= 0 and sum_j s_j <= q delta.

The slack s_j stands for q (p_kj - e^epsilon p_ij)^+, whose sum is the hockey-stick divergence ([RV26] (2): 2 (M - 1)
(2 M + 1) rows instead of 2 (M - 1) 2^M).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushcount.linear_program.model import ModelBuilder
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["LEAST_SIZE", "Columns", "add_distributions", "add_privacy", "matrix_columns"]

Columns = NDArray[np.int64]

LEAST_SIZE = 2.0**-10
"""The least size of a column that a solver is told; below, the spread of the coefficients costs more accuracy than
it brings."""


def add_privacy(
    builder: ModelBuilder, above: Columns, below: Columns, privacy: EpsilonDelta, least_size: float = LEAST_SIZE
) -> None:
    """Add the rows for ordered pairs of true counts.

    Args:
        above, below: column numbers of p_k and of p_i, shape (pairs, outcomes).
        privacy: epsilon and delta.
        least_size: the least size that a slack is told to have.
    """
    q, delta = privacy.shrinkage, float(privacy.delta)
    terms = [(above.ravel(), q), (below.ravel(), -1.0)]
    if delta > 0:
        slack = builder.columns(above.shape, upper=q * delta, size=max(q * delta, least_size))
        builder.rows([(slack, 1.0)], upper=q * delta)
        terms.append((slack.ravel(), -1.0))
    builder.rows(terms, upper=0.0)


def add_distributions(builder: ModelBuilder, rows: Columns) -> None:
    """Add rows that make each of `rows`, shape (rows, outcomes), sum to 1."""
    builder.rows([(rows, 1.0)], lower=1.0, upper=1.0)


def matrix_columns(
    builder: ModelBuilder,
    M: int,
    lower: ArrayLike = 0.0,
    upper: ArrayLike = 1.0,
    *,
    rows: int | None = None,
    is_mirrored: bool = False,
    privacy: EpsilonDelta | None = None,
) -> Columns:
    """Add columns for the entries of an M x M matrix, or of its middle rows, and return their numbers, shape (rows, M).

    Args:
        rows: how many middle rows; all by default. M - rows must be even.
        is_mirrored: impose p(n - i, n - j) = p(i, j), in half as many columns.
        lower, upper: numbers, or arrays of shape (rows, M), with the same symmetry.
        privacy: the promise of the matrix, if it has one: entries d off the diagonal are taken to be about q^d large.
    """
    shape = (M if rows is None else rows, M)
    sizes = np.ones(shape)
    if privacy is not None:
        i, j = np.indices(shape)
        sizes = np.maximum(privacy.shrinkage ** np.abs(i + (M - shape[0]) // 2 - j), LEAST_SIZE)
    count = (sizes.size + 1) // 2 if is_mirrored else sizes.size
    kept = [
        np.broadcast_to(np.asarray(part, dtype=np.float64), shape).ravel()[:count] for part in (lower, upper, sizes)
    ]
    columns = builder.columns(count, kept[0], kept[1], size=kept[2])
    return np.concatenate([columns, columns[: sizes.size - count][::-1]]).reshape(shape)
