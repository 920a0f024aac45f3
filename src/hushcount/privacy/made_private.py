"""The least change that makes a nearly private matrix of floats private for sure."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hushcount.errors import InvalidParameter
from hushcount.numbers.arrays import UNIT, Floats
from hushcount.privacy.matrix_audit import MatrixAudit
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["is_private", "least_share", "made_private", "mixed", "surely_private"]

_UNDERFLOW = 2.0**-1060
"""More than sums of up to 4,096 products lose to underflow."""
_QUICKLY = 2.0**-40
"""A share of identical rows so small that making it smaller is not worth an exact audit."""
_LEAST = 2.0**-60
"""Below this, mixing changes no float."""


def made_private(
    matrix: Floats, promise: EpsilonDelta, towards: Floats | None = None, through: Floats | None = None
) -> Floats:
    """Return a matrix of floats that is (epsilon, delta)-DP by proof, mixed from the given one and identical rows.

    The excess of (1 - t) P + t R over every pair, with all rows of R alike, is convex in t and 0 at t = 1. So there is
    a least t from which the claim holds. It is found by bisection, first with the sufficient test in floats
    (`surely_private`), and where that takes a noticeable t, with the exact audit. With q = e^-epsilon, excesses of
    rounding size v in a column where R is r take t of about v / ((1 - q) r). At (epsilon, delta) = (0, 0) only
    identical rows are private: their mean.

    Args:
        matrix: shape (true counts, outcomes), floats; entries below 0 count as 0, and rows are divided by their sums.
        towards: the row of R, a distribution; uniform by default.
        through: a stochastic matrix T, shape (outcomes, received), that follows: P T is made private, the exact product
            of the two, each row over its sum. It is judged by the test in floats alone.

    Returns:
        Floats, in the shape of `matrix`.

    Raises:
        InvalidParameter: NaN or infinity, or a row without an entry above 0.
    """
    rows = np.maximum(matrix, 0.0)
    sums = rows.sum(axis=1, keepdims=True)
    if not np.all((sums > 0) & (sums < np.inf)):  # NaN fails too
        raise InvalidParameter("matrix", None, "of finite numbers, in each row one above 0")
    rows = rows / sums
    if promise.epsilon == 0 and promise.delta == 0:
        return np.broadcast_to(rows.mean(axis=0), rows.shape).copy()
    row = np.full(rows.shape[1], 1 / rows.shape[1]) if towards is None else towards
    share = least_share(rows, row, lambda mixed: surely_private(mixed, promise, through))
    if share > _QUICKLY and through is None:
        share = least_share(rows, row, lambda mixed: is_private(mixed, promise))
    return mixed(rows, row, share)


def is_private(matrix: Floats, promise: EpsilonDelta) -> bool:
    """Return whether a matrix of floats is (epsilon, delta)-DP, decided exactly (`hushcount.audit`)."""
    least = MatrixAudit(matrix, 1).least_delta(promise.epsilon).interval.exact_upper
    return least is not None and least <= promise.delta


def surely_private(matrix: Floats, promise: EpsilonDelta, through: Floats | None = None) -> bool:
    """Return whether a matrix passes a test in floats that suffices for `is_private`, for it or its exact product
    with another.

    N columns, or as many as T has if these are more; u = 2^-52. Rows that were divided by their sums and mixed once sum
    to 1 within (N / 2 + 2) u. A product with the floats of T over their row sums adds (N / 2 + 1) u: every entry is
    known within (N + 3) u of itself. With the rounding of q, of its two products and of the sum of N terms >= 0,
    factors 1 + (N + 8) u and 1 - 2 (N + 8) u are on the safe side. What underflows is told apart from 0 by the zeros of
    T.

    Args:
        matrix: rows of floats over their sums, mixed once, as `made_private` makes them.
        through: T, its rows in floats over their exact sums.
    """
    product = matrix if through is None else matrix @ through
    slack = (max(matrix.shape[1], product.shape[1]) + 8) * UNIT
    tiny = _UNDERFLOW * (product > 0 if through is None else np.tile((through > 0).any(axis=0), (len(matrix), 1)))
    q = promise.shrinkage
    larger, smaller = product * (q * (1 + slack)) + tiny, product * (1 - slack)
    goal = max(0.0, q * float(promise.delta) * (1 - 2 * slack) - _UNDERFLOW)
    for of, against in ((slice(None, -1), slice(1, None)), (slice(1, None), slice(None, -1))):
        excess = np.maximum(larger[of] - smaller[against], 0.0).sum(axis=1)
        if not excess.max(initial=0.0) <= goal:  # NaN is not private
            return False
    return True


def least_share(rows: Floats, row: Floats, is_enough: Callable[[Floats], bool], first: float = _LEAST) -> float:
    """Return the least t at which the mixture passes, within a factor of 1.1: 0, at least `first` / 64, or 1, which
    always passes, if none was found."""
    if is_enough(mixed(rows, row, 0.0)):
        return 0.0
    high = first
    while high < 1 and not is_enough(mixed(rows, row, high)):
        high = min(1.0, 64 * high)
    low = high / 64
    while high > 1.1 * low:
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if is_enough(mixed(rows, row, middle)) else (middle, high)
    return high


def mixed(rows: Floats, row: Floats, share: float) -> Floats:
    """Return (1 - share) rows + share row."""
    found: Floats = (1 - share) * rows + share * row
    return found
