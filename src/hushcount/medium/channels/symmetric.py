"""The M-ary symmetric channel."""

from __future__ import annotations

import numpy as np

from hushcount.medium.channels.bits import probability
from hushcount.medium.medium import Medium, checked_order
from hushcount.numbers.exact import Number

__all__ = ["symmetric_channel"]


def symmetric_channel(order: int, p: Number) -> Medium:
    """Return the M-ary symmetric channel: an error with probability p, and then each wrong symbol equally likely.

    Args:
        order: M, from 2 to 4,096.
        p: 0 <= p <= 1, the symbol error probability, kept exactly.

    Returns:
        A medium with 1 - p on the diagonal and p / (M - 1) elsewhere, correctly rounded.

    Raises:
        InvalidParameter, TooLarge: naming the argument, its value and the rule.
    """
    M, error = checked_order(order), probability(p, "p")
    matrix = np.full((M, M), float(error / (M - 1)))
    np.fill_diagonal(matrix, float(1 - error))
    return Medium(matrix, f"{M}-ary symmetric channel, p = {p}")
