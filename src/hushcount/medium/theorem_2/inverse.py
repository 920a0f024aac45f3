"""The exact inverse of a medium, enclosed: one for all promises."""

from __future__ import annotations

import math
from functools import lru_cache

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat, fmpq_poly

from hushcount.errors import TooLarge
from hushcount.medium.medium import Medium
from hushcount.medium.theorem_2.enclosed import Circulant, Dense, Enclosed

__all__ = ["BITS", "LARGEST_INVERTED", "MOST_BITS", "inverse", "is_invertible_size", "is_singular"]

LARGEST_INVERTED = 256
"""The most symbols of a medium, other than circulant, whose inverse is enclosed: M^3 operations on numbers of hundreds
of bits."""

BITS = 192
"""The working precision for what is computed from an inverse, and of the first try at one."""

MOST_BITS = 4096
_GOOD_BITS = 64


@lru_cache(maxsize=16)
def inverse(medium: Medium, bits: int = BITS) -> Enclosed | None:
    """Return T^-1 as balls, each known to 2^-64 of the largest entry; None where T is singular, or 4,096 bits are
    not enough.

    The floats of T are taken as exact rationals, each row over its exact sum.

    Args:
        medium: T, circulant or of up to 256 symbols.
        bits: the working precision of the first try, up to 4,096; it doubles with each further try.

    Raises:
        TooLarge: more than 256 symbols, and T is not circulant.
    """
    invert = _inverted_circulant if medium.is_circulant else _inverted
    if invert is _inverted and is_singular(medium):  # what is singular is found at once, and not after the last try
        return None
    while bits <= MOST_BITS:
        with ctx.workprec(bits):
            found = invert(medium)
            if found is not None and _is_good(found):
                return found
        if invert is _inverted_circulant and is_singular(medium):
            return None
        bits *= 2
    return None


@lru_cache(maxsize=16)
def is_singular(medium: Medium) -> bool:
    """Return whether T is singular, by exact rational arithmetic.

    A circulant matrix with the first row r is singular if and only if the polynomial sum_j r_j x^j has a root in common
    with x^M - 1. (That may take a second: `inverse` asks only where eigenvalues are not told from 0.)

    Raises:
        TooLarge: more than 256 symbols, and T is not circulant.
    """
    M = medium.order
    if medium.is_circulant:
        row = fmpq_poly([fmpq(*entry.as_integer_ratio()) for entry in medium.matrix[0].tolist()])
        return bool(row.gcd(fmpq_poly([-1, *[0] * (M - 1), 1])).degree() > 0)
    if not is_invertible_size(medium):
        raise TooLarge(f"a medium of {M:,} symbols is too large for an exact inverse (the limit is {LARGEST_INVERTED})")
    rows = [[sum((fmpq(*x.as_integer_ratio()) for x in part), fmpq(0)) for part in row] for row in medium.summands]
    return bool(fmpq_mat(rows).rank() < M)


def is_invertible_size(medium: Medium) -> bool:
    """Return whether T is circulant, or small enough for an inverse."""
    return medium.is_circulant or medium.order <= LARGEST_INVERTED


def _inverted(medium: Medium) -> Enclosed | None:
    M = medium.order
    try:
        return Dense(arb_mat(M, M, [entry for row in medium.summands for entry in _shares(row)]).inv())
    except ZeroDivisionError:  # not told from a singular matrix at this precision
        return None


def _inverted_circulant(medium: Medium) -> Enclosed | None:
    return Circulant.of_row(_shares(medium.summands[0])).inverse()


def _shares(row: list[list[float]]) -> list[arb]:
    """Return a row over its sum at the working precision: each ball holds the exact quotient.

    Args:
        row: the `Medium.summands` of each entry.
    """
    entries = [sum(map(arb, part), arb(0)) for part in row]
    total = sum(entries, arb(0))
    return [entry / total for entry in entries]


def _is_good(found: Enclosed) -> bool:
    size = max(float(abs(entry).upper()) for entry in found.entries())
    return math.isfinite(size) and all(float(entry.rad()) <= size * 2.0**-_GOOD_BITS for entry in found.entries())
