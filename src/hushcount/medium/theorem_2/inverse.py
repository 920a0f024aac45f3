"""The exact inverse of a medium, enclosed: one for all promises."""

from __future__ import annotations

import math
from functools import lru_cache

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from hushcount.errors import TooLarge
from hushcount.medium.medium import Medium

__all__ = ["BITS", "LARGEST_INVERTED", "MOST_BITS", "inverse", "is_singular"]

LARGEST_INVERTED = 256
"""The most symbols of a medium whose inverse is enclosed: M^3 operations on numbers of hundreds of bits."""

BITS = 192
"""The working precision for what is computed from an inverse, and of the first try at one."""

MOST_BITS = 4096
_GOOD_BITS = 64


@lru_cache(maxsize=16)
def inverse(medium: Medium, bits: int = BITS) -> arb_mat | None:
    """Return T^-1 as balls, each known to 2^-64 of the largest entry; None where T is singular, or 4,096 bits are
    not enough.

    The floats of T are taken as exact rationals, each row over its exact sum.

    Args:
        medium: T.
        bits: the working precision of the first try, up to 4,096; it doubles with each further try.

    Raises:
        TooLarge: more than 256 symbols.
    """
    if is_singular(medium):
        return None
    M = medium.order
    while bits <= MOST_BITS:
        with ctx.workprec(bits):
            try:
                found = arb_mat(M, M, _entries(medium)).inv()
            except ZeroDivisionError:  # not told from a singular matrix at this precision
                found = None
            if found is not None and _is_good(found):
                return found
        bits *= 2
    return None


@lru_cache(maxsize=16)
def is_singular(medium: Medium) -> bool:
    """Return whether T is singular, by exact rational arithmetic.

    Raises:
        TooLarge: more than 256 symbols.
    """
    M = medium.order
    if not M <= LARGEST_INVERTED:
        raise TooLarge(f"a medium of {M:,} symbols is too large for an exact inverse (the limit is {LARGEST_INVERTED})")
    rows = [[fmpq(*entry.as_integer_ratio()) for entry in row] for row in medium.matrix.tolist()]
    return bool(fmpq_mat(rows).rank() < M)


def _entries(medium: Medium) -> list[arb]:
    """Return T at the working precision: each ball holds the exact quotient."""
    rows = [[arb(entry) for entry in row] for row in medium.matrix.tolist()]
    sums = [sum(row, arb(0)) for row in rows]
    return [entry / total for row, total in zip(rows, sums, strict=True) for entry in row]


def _is_good(found: arb_mat) -> bool:
    size = max(float(abs(entry).upper()) for entry in found.entries())
    return math.isfinite(size) and all(float(entry.rad()) <= size * 2.0**-_GOOD_BITS for entry in found.entries())
