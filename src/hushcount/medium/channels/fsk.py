"""Orthogonal frequency-shift keying.

Every wrong symbol is read with the same chance, here w; the right one with 1 - (M - 1) w. With g = Es/N0:

- *coherent*: M correlators with unit noise, the right one shifted by sqrt(2 g). With phi and Phi the normal density and
  distribution function, a given wrong one is the largest with the chance

      w = int phi(u) Phi(u)^(M-2) Phi(u - sqrt(2 g)) du,

  positive throughout. Rayleigh fading makes the shift A a Rayleigh variable of scale sqrt(g) and the last factor
  Pr(noise + A <= u) = Phi(u) - rho exp(-u^2 / (2 (1 + g))) Phi(rho u), rho^2 = g / (1 + g) (integrate by parts).
- *non-coherent* (energy detection): (M - 1) w = sum_{k=1}^{M-1} (-1)^(k+1) C(M-1, k) / (k + 1) exp(-g k / (k + 1))
  ([PS08]). It cancels down to about 2**-M, so it is summed with M bits more. Its mean over an
  exponential g is 1 - prod_{k=1}^{M-1} k b / (k b + 1), b = 1 + mean (the partial fractions of a Beta function).

The integral is summed by the trapezoidal rule. Write it int f. |Phi(x + iy)| <= e^(y^2/2) Phi(x), since
Phi(z) = int_0^oo phi(z - s) ds, and likewise for phi and for the last factor, a mean of shifted Phi. Hence
int |f(x + iy)| dx <= e^(M y^2/2) int f, and by [TW14] Theorem 5.1 the rule with step h is right to the *relative* error

    2 e^(M a^2/2) / (e^(2 pi a/h) - 1)    for every a > 0; best at a = 2 pi / (h M).

All factors are log-concave (the last because a convolution of log-concave densities is), so the terms' ratios decrease
away from the peak, and what is left out on either side is below a geometric series.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from flint import arb, ctx, fmpz

from hushcount.errors import InvalidParameter
from hushcount.medium.channels.link import Fading, Link
from hushcount.medium.medium import Medium, checked_order
from hushcount.numbers.enclosure import TooCoarse, nearest_float
from hushcount.numbers.exact import Number

__all__ = ["fsk"]

_BEYOND_FLOATS = 800
"""e^-800 < 2**-1154 rounds to 0.0."""

_GUARD_BITS = 56


def fsk(
    order: int,
    *,
    es_n0_db: Number | None = None,
    eb_n0_db: Number | None = None,
    fading: Fading | None = None,
    coherent: bool = True,
) -> Medium:
    """Return the medium of uncoded M-FSK with orthogonal tones over additive white Gaussian noise; the strongest
    tone wins.

    Complex noise has variance N0 in each tone, N0 / 2 in each of I and Q. It is a symmetric channel: all errors are
    equally likely.

    Args:
        order: M, from 2 to 4,096.
        es_n0_db, eb_n0_db: one of the two: the SNR per symbol or per bit (Es = Eb log2 M), in dB, from -1,000 to 1,000,
            or `math.inf` (the identity).
        fading: None, or `"rayleigh"` for flat Rayleigh fading (with a known gain, if coherent); the SNR is then its
            mean.
        coherent: whether the receiver knows the phase (the largest real part wins) or not (the largest modulus wins).

    Returns:
        A medium whose entries are right to one unit in the last place, and 0.0 below the least float.

    Raises:
        BadUse, InvalidParameter, TooLarge: naming the argument, its value and the rule.
    """
    M, link = checked_order(order), Link.of(order, es_n0_db, eb_n0_db, fading)
    if not isinstance(coherent, bool):
        raise InvalidParameter("coherent", coherent, "True or False")
    description = f"{'coherent' if coherent else 'non-coherent'} orthogonal {M}-FSK, {link.text}"
    if link.is_noiseless:
        return Medium(np.eye(M), description)

    @cache
    def wrong(precision: int) -> arb:
        if coherent:
            return _coherent(M, link, precision)
        some = _faded_non_coherent(M, link.snr()) if link.is_fading else _non_coherent(M, link, precision)
        return some / (M - 1)

    matrix = np.full((M, M), nearest_float(wrong))
    np.fill_diagonal(matrix, nearest_float(lambda p: 1 - (M - 1) * wrong(p)))
    return Medium(matrix, description)


def _non_coherent(M: int, link: Link, precision: int) -> arb:
    """Return (M - 1) w."""
    with ctx.workprec(precision + M):
        snr, total, binomial = link.snr(), arb(0), fmpz(-1)
        for k in range(1, M):
            binomial = -binomial * (M - k) // k
            total += arb(binomial) / (k + 1) * (-snr * k / (k + 1)).exp()
        return total


def _faded_non_coherent(M: int, mean: arb) -> arb:
    """Return (M - 1) w."""
    right, b = arb(1), 1 + mean
    for k in range(1, M):
        right *= k * b / (k * b + 1)
    return 1 - right


def _coherent(M: int, link: Link, precision: int) -> arb:
    """Return w."""
    snr = link.snr()
    if not link.is_fading and not snr < 2 * _BEYOND_FLOATS:
        return (-snr / 2).exp().union(arb(0)) / 2  # w is at most the chance of an error between two symbols
    root_2_pi, shift, rho = (2 * arb.pi()).sqrt(), (2 * snr).sqrt(), (snr / (1 + snr)).sqrt()

    def height(u: arb) -> arb:
        phi, below = (-(u**2) / 2).exp() / root_2_pi, _phi(u)
        last = below - rho * (-(u**2) / 2 / (1 + snr)).exp() * _phi(rho * u) if link.is_fading else _phi(u - shift)
        return phi * below ** (M - 2) * last

    return _log_concave_integral(height, M, float(shift.mid()), precision - _GUARD_BITS)


def _phi(u: arb) -> arb:
    """Return the normal distribution function."""
    return (-u / arb(2).sqrt()).erfc() / 2


def _log_concave_integral(height: Callable[[arb], arb], M: int, shift: float, bits: int) -> arb:
    """Return int f over the real line; relative error about 2**-bits."""
    h = arb(math.pi * math.sqrt(2 / (M * bits * math.log(2))))
    low, high = (round(end / float(h)) for end in (-40, shift + 40))
    while high - low > 1:  # the peak: where terms stop growing
        middle = (low + high) // 2
        if height(h * middle).mid() < height(h * (middle + 1)).mid():
            low = middle
        else:
            high = middle
    peak = height(h * high)
    total = peak + _one_side(height, h, high, 1, peak, bits) + _one_side(height, h, high, -1, peak, bits)
    a = 2 * arb.pi() / (h * M)
    error = 2 * (M * a**2 / 2).exp() / ((2 * arb.pi() * a / h).exp() - 1)
    return h * total * (1 + arb(0, error.abs_upper())) / (1 - error**2)


def _one_side(height: Callable[[arb], arb], h: arb, peak: int, step: int, before: arb, bits: int) -> arb:
    """Return the sum of the terms beyond the peak on one side."""
    total, place, least = arb(0), peak + step, before * arb(2) ** -bits
    while True:
        term = height(h * place)
        total += term
        ratio = term / before
        if ratio < arb(3) / 4 and term < least:
            return total + (term * ratio / (1 - ratio)).union(arb(0))
        if not ratio < 2:
            raise TooCoarse
        place, before = place + step, term
