"""The exact inverse of a medium, and the canonical optimum through it, enclosed."""

from __future__ import annotations

import math
from functools import lru_cache

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from hushcount.errors import TooLarge
from hushcount.mechanisms.optima.kernel import kernel
from hushcount.medium.medium import Medium
from hushcount.medium.theorem_2.balls import cyclic, smallest
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["BITS", "LARGEST_INVERTED", "canonical_before", "inverse", "is_singular"]

LARGEST_INVERTED = 256
"""Symbols of a medium whose inverse is enclosed: M^3 operations on numbers of hundreds of bits."""

BITS = 192
"""Working precision for what is computed from an inverse, and of the first try at one."""

_MOST_BITS = 4096
_GOOD_BITS = 64


@lru_cache(maxsize=16)
def inverse(medium: Medium, bits: int = BITS) -> arb_mat | None:
    """T^-1 as balls, each known to 2^-64 of the largest entry; None where T is singular, or 4,096 bits do not do.

    T is the exact rationals that its floats are, each row over its exact sum.

    Args:
        medium: T.
        bits: working precision of the first try, up to 4,096; each further one has twice as many.

    Raises:
        TooLarge: more than 256 symbols.
    """
    if is_singular(medium):
        return None
    M = medium.order
    while bits <= _MOST_BITS:
        with ctx.workprec(bits):
            try:
                found = arb_mat(M, M, _entries(medium)).inv()
            except ZeroDivisionError:  # not told from a singular one at this precision
                found = None
            if found is not None and _is_good(found):
                return found
        bits *= 2
    return None


@lru_cache(maxsize=16)
def is_singular(medium: Medium) -> bool:
    """Whether T is singular, by exact rational arithmetic.

    Raises:
        TooLarge: more than 256 symbols.
    """
    M = medium.order
    if not M <= LARGEST_INVERTED:
        raise TooLarge(f"a medium of {M:,} symbols is too large for an exact inverse (the limit is {LARGEST_INVERTED})")
    rows = [[fmpq(*entry.as_integer_ratio()) for entry in row] for row in medium.matrix.tolist()]
    return bool(fmpq_mat(rows).rank() < M)


@lru_cache(maxsize=16)
def canonical_before(medium: Medium, privacy: EpsilonDelta) -> arb_mat | None:
    """P* T^-1, which in front of T makes the canonical optimum, if only it is >= 0; None where `inverse` is.

    Where it is about as large as the least entry phi of P*, it takes as many bits more as phi is small to tell its
    signs: these are spent, up to 4,096 in all, if the first try leaves the sign of the least entry open.
    """
    found = _canonical_before(medium, privacy, BITS)
    if found is None or _has_sign(smallest(found.entries())):
        return found
    K = kernel(medium.order, privacy.epsilon, privacy.delta, BITS)
    needed = BITS + math.ceil(min(_MOST_BITS, float(K.epsilon.upper()) * K.half / math.log(2)))
    again = _canonical_before(medium, privacy, needed) if BITS < needed <= _MOST_BITS else None
    return found if again is None else again


def _canonical_before(medium: Medium, privacy: EpsilonDelta, bits: int) -> arb_mat | None:
    back = inverse(medium, bits)
    if back is None:
        return None
    with ctx.workprec(bits):
        return cyclic(kernel(medium.order, privacy.epsilon, privacy.delta, bits)) * back


def _has_sign(value: arb) -> bool:
    return bool(value >= 0 or value < 0)


def _entries(medium: Medium) -> list[arb]:
    """T at the working precision: each ball holds the exact quotient."""
    rows = [[arb(entry) for entry in row] for row in medium.matrix.tolist()]
    sums = [sum(row, arb(0)) for row in rows]
    return [entry / total for row, total in zip(rows, sums, strict=True) for entry in row]


def _is_good(found: arb_mat) -> bool:
    size = max(float(abs(entry).upper()) for entry in found.entries())
    return math.isfinite(size) and all(float(entry.rad()) <= size * 2.0**-_GOOD_BITS for entry in found.entries())
