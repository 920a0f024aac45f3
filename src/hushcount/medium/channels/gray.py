"""The reflected binary code."""

from __future__ import annotations

import numpy as np

from hushcount.errors import InvalidParameter
from hushcount.medium.medium import checked_order
from hushcount.numbers.arrays import Integers

__all__ = ["gray_code"]


def gray_code(order: int) -> Integers:
    """Return the Gray code of 0..n: k ^ (k >> 1), a permutation in which neighbors differ in one bit.

    Let symbol k of a medium carry the bits `gray_code(order)[k]`. With these bits read as a count, the medium is
    `medium.relabelled(np.argsort(gray_code(order)))`.

    Args:
        order: n + 1, a power of 2 up to 4,096.

    Raises:
        InvalidParameter: the order is not a power of 2.
        TooLarge: the order is above 4,096.
    """
    M = checked_order(order, least=1)
    if M & (M - 1):
        raise InvalidParameter("order", M, "a power of 2 for a Gray code")
    k = np.arange(M, dtype=np.int64)
    return k ^ (k >> 1)
