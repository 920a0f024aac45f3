"""Square quadrature amplitude modulation: two axes of pulse-amplitude modulation."""

from __future__ import annotations

import math
from functools import cache
from itertools import product
from typing import Literal

import numpy as np
from flint import arb

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import one_of
from hushcount.medium.channels.gray import gray_code
from hushcount.medium.channels.link import Fading, Link
from hushcount.medium.channels.pam import awgn_tail, faded_root, levels_matrix, tails_of_step
from hushcount.medium.channels.snake import snake_labels
from hushcount.medium.medium import Medium, checked_order
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import nearest_float
from hushcount.numbers.exact import Number

__all__ = ["qam"]


def qam(
    order: int,
    *,
    es_n0_db: Number | None = None,
    eb_n0_db: Number | None = None,
    fading: Fading | None = None,
    labels: Literal["row-major", "snake", "gray"] = "row-major",
) -> Medium:
    """Return the medium of uncoded square M-QAM over additive white Gaussian noise, with nearest-point decisions.

    The points are ((2c - L + 1) d, (2r - L + 1) d) for columns c and rows r from 0 to L - 1, M = L^2, with
    d^2 = 3 Es / (2 (M - 1)); complex noise has variance N0, N0 / 2 in each of I and Q.

    Args:
        order: M, a square from 4 to 4,096.
        es_n0_db, eb_n0_db: one of the two: the SNR per symbol (its mean over the symbols) or per bit (Es = Eb log2 M),
            in dB, from -1,000 to 1,000, or `math.inf` (the identity).
        fading: None, or `"rayleigh"` for flat Rayleigh fading with a known gain, the same for both axes; the SNR is
            then its mean.
        labels: `"row-major"`: count k is the point of row k // L and column k mod L; `"snake"`: the same, but every
            other row goes from right to left (`snake_labels`), so that neighboring counts are neighboring points; or
            `"gray"`, for L a power of 2: the upper half of the bits of k is the Gray code r ^ (r >> 1) of its row r,
            the lower half that of its column. The first two give a mirrored matrix.

    Returns:
        A medium whose entries are right to 4e-16 relative, and 0.0 below the least float.

    Raises:
        BadUse, InvalidParameter, TooLarge: naming the argument, its value and the rule.
    """
    M, link = checked_order(order), Link.of(order, es_n0_db, eb_n0_db, fading)
    L = math.isqrt(M)
    if L * L != M:
        raise InvalidParameter("order", M, "a square: 4, 9, 16, ...")
    one_of(labels, "labels", ("row-major", "snake", "gray"), "'row-major', 'snake' or 'gray'")
    if labels == "gray" and L & (L - 1):
        raise InvalidParameter("order", M, "a power of 4 for Gray labels")
    matrix = np.eye(M) if link.is_noiseless else _faded(L, link) if link.is_fading else _awgn(L, link)
    if labels != "row-major":
        points = np.argsort(gray_code(L)) if labels == "gray" else None
        place = snake_labels(M) if points is None else (L * points[:, None] + points).ravel()
        matrix = matrix[np.ix_(place, place)]
    return Medium(matrix, f"{M}-QAM, {labels} labels, {link.text}")


def _spacing(L: int, link: Link) -> arb:
    """Return d^2 / N0."""
    return 3 * link.snr() / (2 * (L * L - 1))


def _awgn(L: int, link: Link) -> Floats:
    axis = levels_matrix(L, lambda k: awgn_tail(k, _spacing(L, link)))
    matrix: Floats = (axis[:, None, :, None] * axis[None, :, None, :]).reshape(L * L, L * L)
    return matrix


def _faded(L: int, link: Link) -> Floats:
    """Return the matrix under fading, where the axes share the gain, so the mean of a product is not the product of
    the means."""

    @cache
    def both(a: int, b: int, precision: int) -> arb:
        return _faded_product(a, b, _spacing(L, link)) if a <= b else both(b, a, precision)

    @cache
    def chance(row: tuple[int, bool], column: tuple[int, bool]) -> float:
        if column < row:
            return chance(column, row)
        terms = list(product(*(tails_of_step(k, is_end=is_end) for k, is_end in (row, column))))
        return nearest_float(lambda p: sum((f * g * both(a, b, p) for (f, a), (g, b) in terms), arb(0)))

    kinds = list(product(range(L), (False, True)))
    table = np.array([[chance(row, column) for column in kinds] for row in kinds])
    level = np.arange(L)
    kind = 2 * np.abs(level - level[:, None]) + ((level == 0) | (level == L - 1))
    matrix: Floats = table[kind[:, None, :, None], kind[None, :, None, :]].reshape(L * L, L * L)
    return matrix


def _faded_product(a: int, b: int, s: arb) -> arb:
    """Return E Q_a Q_b over an exponential s of the given mean, a <= b, Q_0 = 1.

    Look at the quadrant x > t_a, y > t_b from the origin ([SA05]). Each direction meets it at one of its two sides, so

        Q_a Q_b = 1/(2 pi) (J(t_a, A) + J(t_b, B)),    J(t, A) = int_0^A exp(-t^2 / sin^2 u) du,

    A = atan(t_a / t_b), B = pi/2 - A, t_k = (2k - 1) sqrt(s). The mean of J is A - mu atan(tan(A) / mu)."""
    if a == 0:
        return arb(1) if b == 0 else (1 - faded_root(b, s)) / 2
    slope = arb(2 * a - 1) / (2 * b - 1)
    first, second = (mu * (t / mu).atan() for mu, t in ((faded_root(a, s), slope), (faded_root(b, s), 1 / slope)))
    return arb(1) / 4 - (first + second) / (2 * arb.pi())
