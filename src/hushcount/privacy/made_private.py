"""The least change that makes a nearly private matrix of floats private for sure."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hushcount.mechanisms.base import Floats
from hushcount.privacy.matrix_audit import MatrixAudit
from hushcount.tradeoff import EpsilonDelta

__all__ = ["is_private", "made_private", "surely_private"]

_UNIT = 2.0**-52
_UNDERFLOW = 2.0**-1070
_QUICKLY = 2.0**-40
"""A share of identical rows that is not worth an exact audit to make smaller."""
_LEAST = 2.0**-60
"""Below this, mixing changes no float."""


def made_private(
    matrix: Floats, promise: EpsilonDelta, towards: Floats | None = None, through: Floats | None = None
) -> Floats:
    """A matrix of floats that is (epsilon, delta)-DP by proof, mixed from the given one and identical rows.

    (1 - t) P + t R, with all rows of R alike, has an excess over every pair that is convex in t and 0 at t = 1: so
    there is a least t from which on the claim holds. It is found by bisection, first with the sufficient test in floats
    (`surely_private`), and where that takes a noticeable t with the exact audit. With q = e^-epsilon, excesses of
    rounding size v in a column where R is r take t of about v / ((1 - q) r). At (epsilon, delta) = (0, 0) only
    identical rows are private: their mean.

    Args:
        matrix: shape (true counts, outcomes); entries below 0 count as 0, and rows are divided by their sums.
        towards: the row of R, a distribution; uniform by default.
        through: a stochastic matrix T, shape (outcomes, received), that follows: what is made private is P T, as the
            exact product of the two matrices, each row over its sum. Judged by the test in floats alone.
    """
    rows = np.maximum(matrix, 0.0)
    rows = rows / rows.sum(axis=1, keepdims=True)
    if promise.epsilon == 0 and promise.delta == 0:
        return np.broadcast_to(rows.mean(axis=0), rows.shape).copy()
    row = np.full(rows.shape[1], 1 / rows.shape[1]) if towards is None else towards
    if through is not None:
        share = _least_share(rows, row, lambda mixed: surely_private(mixed @ through, promise, of_product=True))
        return _mixed(rows, row, share)
    share = _least_share(rows, row, lambda mixed: surely_private(mixed, promise))
    if share > _QUICKLY:
        share = _least_share(rows, row, lambda mixed: is_private(mixed, promise))
    return _mixed(rows, row, share)


def is_private(matrix: Floats, promise: EpsilonDelta) -> bool:
    """Whether a matrix of floats is (epsilon, delta)-DP, decided exactly (`hushcount.audit`)."""
    least = MatrixAudit(matrix, 1).least_delta(promise.epsilon).interval.exact_upper
    return least is not None and least <= promise.delta


def surely_private(matrix: Floats, promise: EpsilonDelta, *, of_product: bool = False) -> bool:
    """A sufficient test for `is_private`, in floats alone.

    Args:
        of_product: the matrix is the rounded product of two stochastic ones of at most as many columns, and the exact
            product is meant: its entries are off by 3 N u at most, for N products and both rows' sums.

    The rows sum to 1 within N u (N columns, u = 2^-52), q is right within u, so q p_kj / sum_k - p_ij / sum_i is at
    most q p_kj (1 + (N + 3) u) - p_ij (1 - (N + 3) u), plus 2 u of the first; a sum of N such terms that are >= 0 is
    off by at most N u of itself. It is <= q delta where this is. What underflows is off by less than 2^-1070.
    """
    slack = ((4 if of_product else 1) * matrix.shape[1] + 8) * _UNIT
    q = promise.shrinkage
    goal = q * float(promise.delta) * (1 - 2 * slack)
    for a, b in ((matrix[:-1], matrix[1:]), (matrix[1:], matrix[:-1])):
        excess = np.maximum(a * (q * (1 + slack)) + _UNDERFLOW * (a > 0) - b * (1 - slack), 0.0).sum(axis=1)
        if excess.max(initial=0.0) > goal:
            return False
    return True


def _least_share(rows: Floats, row: Floats, is_enough: Callable[[Floats], bool]) -> float:
    """The least t at which the mixture passes, within a factor of 1.1; 1 if none was found, which passes always."""
    if is_enough(_mixed(rows, row, 0.0)):
        return 0.0
    high = _LEAST
    while high < 1 and not is_enough(_mixed(rows, row, high)):
        high = min(1.0, 64 * high)
    low = high / 64
    while high > 1.1 * low:
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if is_enough(_mixed(rows, row, middle)) else (middle, high)
    return high


def _mixed(rows: Floats, row: Floats, share: float) -> Floats:
    mixed: Floats = (1 - share) * rows + share * row
    return mixed
