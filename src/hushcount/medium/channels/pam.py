"""Pulse-amplitude modulation, and the Gaussian tails that PAM and QAM are made of.

With L levels 2d apart and noise of variance N0 / 2, the level k steps away is read with chance Q_k - Q_(k+1), or Q_k if
it is the last on its side, where

    Q_k = Pr(noise > (2k - 1) d) = erfc((2k - 1) sqrt(s)) / 2,    s = d^2 / N0,    k >= 1.

The level that was sent is read with chance 1 - 2 Q_1, or 1 - Q_1 at an end. Under Rayleigh fading the mean of Q_k
over an exponential s of mean `s` is (1 - mu_k) / 2, mu_k^2 = c / (1 + c), c = (2k - 1)^2 s ([SA05]).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from flint import arb

from hushcount.medium.channels.link import Fading, Link
from hushcount.medium.medium import Medium, checked_order
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import nearest_float
from hushcount.numbers.exact import Number

__all__ = ["awgn_tail", "faded_root", "levels_matrix", "pam", "tails_of_step"]


def pam(
    order: int, *, es_n0_db: Number | None = None, eb_n0_db: Number | None = None, fading: Fading | None = None
) -> Medium:
    """Return the medium of uncoded M-PAM over additive white Gaussian noise, with nearest-point decisions.

    Symbol k is the real point (2k - M + 1) d, with d^2 = 3 Es / (M^2 - 1); the real noise has variance N0 / 2. The
    matrix is mirrored: T[i, j] = T[n - i, n - j].

    Args:
        order: M, from 2 to 4,096.
        es_n0_db, eb_n0_db: one of the two: the SNR per symbol (its mean over the symbols) or per bit (Es = Eb log2 M),
            in dB, from -1,000 to 1,000, or `math.inf` (the identity).
        fading: None, or `"rayleigh"` for flat Rayleigh fading with a known gain; the SNR is then its mean.

    Returns:
        A medium whose entries are right to one unit in the last place, and 0.0 below the least float.

    Raises:
        BadUse, InvalidParameter, TooLarge: naming the argument, its value and the rule.
    """
    M, link = checked_order(order), Link.of(order, es_n0_db, eb_n0_db, fading)
    description = f"{M}-PAM, {link.text}"
    if link.is_noiseless:
        return Medium(np.eye(M), description)

    def tail(k: int) -> arb:
        s = 3 * link.snr() / (M * M - 1)
        return (1 - faded_root(k, s)) / 2 if link.is_fading else awgn_tail(k, s)

    return Medium(levels_matrix(M, tail), description)


def awgn_tail(k: int, s: arb) -> arb:
    """Return Q_k without fading."""
    return ((2 * k - 1) * s.sqrt()).erfc() / 2


def faded_root(k: int, s: arb) -> arb:
    """Return mu_k for a mean `s`."""
    c = (2 * k - 1) ** 2 * s
    return (c / (1 + c)).sqrt()


def tails_of_step(k: int, *, is_end: bool) -> list[tuple[int, int]]:
    """Return the chance of the level k steps away as a sum of (factor, index of Q), with Q_0 = 1."""
    if k == 0:
        return [(1, 0), (-1 if is_end else -2, 1)]
    return [(1, k)] if is_end else [(1, k), (-1, k + 1)]


def levels_matrix(L: int, tail: Callable[[int], arb]) -> Floats:
    """Return Pr(received | sent) of levels, shape (L, L), from k -> Q_k at the working precision."""

    def chance(k: int, is_end: bool, precision: int) -> arb:
        return sum((factor * (tail(q) if q else arb(1)) for factor, q in tails_of_step(k, is_end=is_end)), arb(0))

    inner, end = (np.array([nearest_float(partial(chance, k, is_end)) for k in range(L)]) for is_end in (False, True))
    level = np.arange(L)
    steps = np.abs(level - level[:, None])
    matrix: Floats = np.where((level == 0) | (level == L - 1), end[steps], inner[steps])
    return matrix
