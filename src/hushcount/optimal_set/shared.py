"""What all optima have in common, in closed form ([RV26] Theorem 1 statements 2 and 3).

Any member in closed form stands for the set: it has the same n, epsilon and delta. Rows and columns count 0..n; the
paper's are one larger.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushcount.errors import TooLarge
from hushcount.mechanisms.base import LARGEST_MATRIX
from hushcount.mechanisms.optima.optimum import Optimum
from hushcount.numbers.arrays import Floats

__all__ = ["SharedSum", "is_unique", "shared_count", "shared_entries", "shared_sums", "shared_values"]


@dataclass(frozen=True)
class SharedSum:
    """Pr(first <= output <= last | true count `row`), the same in every optimum; right to one unit in the last
    place."""

    row: int
    first: int
    last: int
    value: float


def is_unique(optimum: Optimum[Any]) -> bool:
    """Return whether there is only one optimum: M <= 2, or epsilon = delta = 0 (statement 2; otherwise there are
    infinitely many).

    The paper has M >= 2; with one outcome there is one mechanism.
    """
    return optimum.n <= 1 or optimum.epsilon == optimum.delta == 0


def shared_entries(optimum: Optimum[Any]) -> NDArray[np.bool_]:
    """Return which entries are the same in every optimum, shape (M, M).

    - If the optimum is unique: all.
    - If delta = 0: p(i, j) for i from min(j, floor(n / 2)) to max(j, ceil(n / 2)), that is between the diagonal and the
      middle row(s), both included (12); there are `shared_count`.
    - If delta > 0: the diagonal, and p(1, 0) and p(n - 1, n), which (13) fixes as sums of one entry.

    That there are no others is not proved; linear programs find none for M <= 7 (docs/theory.md, "The whole set of
    optima").

    Raises:
        TooLarge: more than 4,096 outcomes.
    """
    n, M = optimum.n, _checked_size(optimum)
    i, j = np.ogrid[:M, :M]
    if is_unique(optimum):
        return np.ones((M, M), dtype=np.bool_)
    if optimum.delta == 0:
        return np.asarray((np.minimum(j, n // 2) <= i) & (i <= np.maximum(j, (n + 1) // 2)))
    shared = np.asarray(i == j)
    shared[1, 0] = shared[n - 1, n] = True
    return shared


def shared_values(optimum: Optimum[Any]) -> Floats:
    """Return the entries that every optimum shares, NaN elsewhere; shape (M, M), each right to one unit in the last
    place.

    Raises:
        TooLarge: more than 4,096 outcomes.
    """
    shared = shared_entries(optimum)
    values = np.full(shared.shape, np.nan)
    for i, j in np.argwhere(shared).tolist():
        values[i, j] = optimum.pmf(i, j)
    return values


def shared_count(M: int) -> int:
    """Return how many entries (12) names, for M >= 1 outcomes and delta = 0: (2 M^2 + 10 M - 1 + (2 M + 1)(-1)^M) /
    8."""
    return (2 * M * M + 10 * M - 1 + (2 * M + 1) * (1 - 2 * (M % 2))) // 8


def shared_sums(optimum: Optimum[Any]) -> tuple[SharedSum, ...]:
    """Return sums of a row that are the same in every optimum: Pr(output <= i - 1 | i) and Pr(output <= i | i) for
    every i.

    (13) has the second for the rows up to the middle, and Pr(output >= i | i) from there. Both hold in every row: they
    sum to 1 plus the diagonal entry, which is shared as well.

    Raises:
        TooLarge: more than 4,096 outcomes.
    """
    ends = [(i, last) for i in range(_checked_size(optimum)) for last in (i - 1, i) if last >= 0]
    return tuple(SharedSum(i, 0, last, optimum.cdf(i, last)) for i, last in ends)


def _checked_size(optimum: Optimum[Any]) -> int:
    M = optimum.n + 1
    if not M <= LARGEST_MATRIX:
        raise TooLarge(
            f"what {M:,} rows share is above the limit of {LARGEST_MATRIX:,} outcomes; cdf(i, i) needs no table"
        )
    return M
