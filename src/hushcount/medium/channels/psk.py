"""M-ary phase-shift keying.

The point (sqrt(g), 0), g = Es/N0, receives complex noise of variance 1. Let r e^(i t) be what arrives. Its angle has
the density (integrate the plane's density over r)

    f(t) = 1/pi int_0^oo r exp(-r^2 + 2 r sqrt(g) cos t - g) dr = e^-g / (2 pi) (1 + sqrt(pi) x e^(x^2) erfc(-x)),
    x = sqrt(g) cos t,

and the symbol j steps away is read where the angle lies in the wedge from (2j - 1) pi / M to (2j + 1) pi / M. All of
this is positive: no entry is a difference. f is entire. By the integral over r it grows with x, and |f(t)| is at most
its value at Re x for complex t: a tight bound that makes rigorous Gauss-Legendre quadrature (`acb.integral`, [J17])
cheap.

Noise must carry the point at least a distance d = sqrt(g) sin(a) (sqrt(g), if a > pi / 2) to an angle above a. The
chance that it does, on one given side, is at most erfc(d) / 2 < e^(-d^2) / 2.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
from flint import acb, arb, fmpq

from hushcount.medium.channels.link import Fading, Link
from hushcount.medium.medium import Medium, checked_order, circulant
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import nearest_float
from hushcount.numbers.exact import Number

__all__ = ["psk"]

_BEYOND_FLOATS = 800
"""e^-800 < 2**-1154 rounds to 0.0."""

_GUARD_BITS = 56
"""Quadrature is asked for so many bits fewer than the working precision."""


def psk(
    order: int, *, es_n0_db: Number | None = None, eb_n0_db: Number | None = None, fading: Fading | None = None
) -> Medium:
    """Return the medium of uncoded M-PSK over additive white Gaussian noise, with nearest-point decisions ([RV26]
    section VI).

    Symbol k is the point sqrt(Es) e^(2 pi i k / M); complex noise has variance N0, N0 / 2 in each of I and Q. The
    matrix is circulant and symmetric.

    Args:
        order: M, from 2 to 4,096.
        es_n0_db, eb_n0_db: one of the two: the SNR per symbol or per bit (Es = Eb log2 M), in dB, from -1,000 to 1,000,
            or `math.inf` (the identity).
        fading: None, or `"rayleigh"` for flat Rayleigh fading with a known gain; the SNR is then its mean.

    Returns:
        A medium whose entries are right to one unit in the last place, and 0.0 below the least float.

    Raises:
        BadUse, InvalidParameter, TooLarge: naming the argument, its value and the rule.
    """
    M, link = checked_order(order), Link.of(order, es_n0_db, eb_n0_db, fading)
    matrix = np.eye(M) if link.is_noiseless else circulant(_row(M, link))
    return Medium(matrix, f"{M}-PSK, {link.text}")


def _row(M: int, link: Link) -> Floats:
    wedge = _faded_wedge if link.is_fading else _wedge

    def chance(j: int, precision: int) -> arb:
        first, last = Fraction(2 * j - 1, M), Fraction(2 * j + 1, M)
        if j == 0 or 2 * j == M:  # the wedge lies on both sides of the axis
            return 2 * wedge(link.snr(), max(first, Fraction(0)), min(last, Fraction(1)), precision)
        return wedge(link.snr(), first, last, precision)

    half = [nearest_float(partial(chance, j)) for j in range(M // 2 + 1)]
    return np.array(half + half[(M - 1) // 2 : 0 : -1])


def _wedge(snr: arb, first: Fraction, last: Fraction, precision: int) -> arb:
    """Return Pr(first pi < angle < last pi) for 0 <= first < last <= 1: the integral of f."""
    if first == 0 and not _reach(snr, last) < _BEYOND_FLOATS:
        return (1 - _rest(snr, last)) / 2
    if not _reach(snr, first) < _BEYOND_FLOATS:
        return _rest(snr, first) / 2
    root, least, root_pi = snr.sqrt(), (-snr).exp(), arb.pi().sqrt()

    def on_axis(t: arb) -> arb:
        """Return 2 pi f(t)."""
        x, height = root * t.cos(), (-snr * t.sin() ** 2).exp()
        return least + root_pi * x * height * (-x).erfc()

    def density(t: acb, analytic: bool) -> acb:
        """Return 2 pi f(t); off the real line, the disc around 0 that contains it."""
        if t.imag.is_zero():
            return acb(on_axis(t.real))
        x = arb((root * t.cos().real).upper())
        bound = (least + root_pi * x * (x**2 - snr).exp() * (-x).erfc()).abs_upper()
        return acb(arb(0, bound), arb(0, bound))

    start, width = _angle(first), _angle(last - first)
    # f decreases: a part of the wedge holds at least its width times f at its end.
    size = max(((width / 4**k) * on_axis(start + width / 4**k)).lower() for k in range(6))
    tolerance = arb(2) ** (_GUARD_BITS - precision)
    found = acb.integral(density, start, start + width, rel_tol=tolerance, abs_tol=tolerance * size)
    return found.real / (2 * arb.pi())


def _reach(snr: arb, angle: Fraction) -> arb:
    """Return the square of the distance from the point to the ray at an angle."""
    return snr if 2 * angle >= 1 else snr * arb.sin_pi_fmpq(fmpq(angle.numerator, angle.denominator)) ** 2


def _rest(snr: arb, angle: Fraction) -> arb:
    """Return twice the chance of an angle beyond this one: from 0 to e^-reach."""
    return (-_reach(snr, angle)).exp().union(arb(0))


def _faded_wedge(snr: arb, first: Fraction, last: Fraction, precision: int) -> arb:
    """Return the mean of the wedge over an exponential SNR, from the chance of an angle above a ([SA05] 8.29),

        H(a) = 1/(2 pi) int_0^(pi - a) exp(-g sin^2 a / sin^2 t) dt,

    with E e^(-g s) = 1 / (1 + mean s) inside the integral."""
    return _faded_beyond(snr, first) - _faded_beyond(snr, last)


def _faded_beyond(snr: arb, angle: Fraction) -> arb:
    if angle in (0, 1):
        return arb(1 - angle.numerator) / 2
    turn = fmpq(angle.numerator, angle.denominator)
    c = snr * arb.sin_pi_fmpq(turn) ** 2
    mu = (c / (1 + c)).sqrt()
    cotangent = arb.cos_pi_fmpq(turn) / arb.sin_pi_fmpq(turn)
    return (1 - arb(turn) - mu / 2 - mu * (mu * cotangent).atan() / arb.pi()) / 2


def _angle(turn: Fraction) -> arb:
    return arb.pi() * turn.numerator / turn.denominator
