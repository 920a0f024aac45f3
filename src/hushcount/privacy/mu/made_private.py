"""The least change that makes a nearly private matrix of floats keep mu for sure; `privacy.made_private` for mu.

With all rows of R alike, what an event exceeds in (1 - t) P + t R at any epsilon is linear in t, and at t = 1 at most
0, below what mu allows. The t that keep mu are therefore an interval that ends at 1, and the least is found by
bisection.
"""

from __future__ import annotations

import numpy as np

from hushcount.numbers.arrays import Floats
from hushcount.privacy.made_private import least_share, mixed
from hushcount.privacy.mu.matrix import SETTLED, MatrixMu
from hushcount.promise.gaussian import GaussianDP

__all__ = ["made_private_at_mu"]

_FIRST = 2.0**-36
"""What is mixed first: less does not bring the least mu down by the slack of the screening."""


def made_private_at_mu(matrix: Floats, promise: GaussianDP) -> Floats:
    """Return a matrix of floats that is mu-GDP by proof, mixed from the given one and uniform rows.

    A share t of uniform rows lowers the least mu by about t. Up to 33 rows it is of rounding size, found by the exact
    audit. Of more rows an audit settles only some pairs, so that the screening must pass with its slack of 2e-12: t is
    then about 1e-11.

    Args:
        matrix: shape (true counts, outcomes), floats >= 0; rows are divided by their sums.

    Returns:
        Floats, in the shape of `matrix`, of which `hushcount.audit` finds that they keep the promise.
    """
    rows = matrix / matrix.sum(axis=1, keepdims=True)
    row = np.full(rows.shape[1], 1 / rows.shape[1])
    if len(rows) <= SETTLED + 1:
        return mixed(rows, row, least_share(rows, row, lambda tried: _is_private(tried, promise)))
    share = least_share(rows, row, lambda tried: MatrixMu(tried, 1).surely_keeps(promise), _FIRST)
    return mixed(rows, row, share)


def _is_private(matrix: Floats, promise: GaussianDP) -> bool:
    least = MatrixMu(matrix, 1).least_mu().interval.exact_upper
    return least is not None and least**2 <= promise.mu_squared
