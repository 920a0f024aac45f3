"""The chance that noise carries a point beyond a side of a cell, between the angles under which it is seen.

Complex noise of variance 1 leaves a disc of radius r with the chance e^(-r^2), in every direction alike. Beyond a side
at height h, between the angles with tangents `near` and `far` from the foot of its perpendicular, it arrives with the
chance

    W = 1/(2 pi) int exp(-h^2 / cos^2 t) dt = 1/(2 pi) int_near^far f(u) du,    f(u) = exp(-h^2 (1 + u^2)) / (1 + u^2),

which is positive throughout: no digits are lost, however far out. It is summed over panels of Gauss-Legendre
quadrature with n nodes. On a panel c - w to c + w, let |f| <= B on the ellipse with foci at its ends and the major
semi-axis R > w, and rho = (R + sqrt(R^2 - w^2)) / w. The rule is exact for polynomials of degree 2n - 1, and the
Chebyshev coefficients of f are at most 2 B rho^-k there, so that for n >= 2 the rule is right to ([TF13] 19.3)

    (64 / 15) w B rho^(-2n) / (1 - rho^-2).

The ellipse is in the disc of radius R around c, at distance sqrt(1 + c^2) - R from the poles at i and -i, and holds
|Im u| <= sqrt(R^2 - w^2); hence

    B = exp(-h^2 (1 + max(0, c - R)^2 - R^2 + w^2)) / (sqrt(1 + c^2) - R)^2.

Under Rayleigh fading the mean over an exponential SNR has 1 / (1 + h^2 (1 + u^2)) for the exponential, and with
mu^2 = h^2 / (1 + h^2) it is (atan u - mu atan(mu u)) / (2 pi), from near to far.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

from flint import arb, ctx, fmpq

__all__ = ["BEYOND_FLOATS", "awgn_beyond", "faded_beyond"]

BEYOND_FLOATS = 800
"""e^-800 < 2**-1154 rounds to 0.0."""

_GUARD_BITS = 40
"""Quadrature is asked for so many bits fewer than the working precision."""

_WIDEST = 2.0**900
"""The largest tangent up to which is integrated; with 1 / u, the rest is below every float."""

_LEAST = 1e-300
"""What is smaller is this in the choice of panels and nodes, which is made in floats; the bounds are not."""


def awgn_beyond(height: arb, near: fmpq, far: fmpq | None) -> arb:
    """Return W for the square of h."""
    first = arb(near)
    if not height * (1 + first * first) < BEYOND_FLOATS:
        return (-height * (1 + first * first)).exp().union(arb(0)) / 4
    h, bits = max(math.sqrt(float(height.mid())), _LEAST), ctx.prec - _GUARD_BITS
    widest = fmpq(*min(math.hypot(float(near), math.sqrt(bits) / h), _WIDEST).as_integer_ratio())
    total = arb(0)
    if far is None or widest < far:
        far, last = widest, arb(widest)
        total += ((-height * (1 + last * last)).exp() / last).union(arb(0))
    for start, stop in _panels(h, near, far):
        center, width = (start + stop) / 2, (stop - start) / 2
        if start is near:
            bits -= math.floor(_size(h, float(center), max(float(width), _LEAST)))
        total += _panel(height, h, center, width, bits)
    return total / (2 * arb.pi())


def _size(h: float, u: float, width: float) -> float:
    """Return log2(width f(u))."""
    away = math.hypot(1, u)
    return math.log2(width) - (h * away) ** 2 / math.log(2) - 2 * math.log2(away)


def _length(h: float, u: float) -> float:
    """Return a length over which e^(-h^2 u^2) changes by a factor of moderate size."""
    return 2 / (h * max(1.0, h * u / 4))


def _panels(h: float, near: fmpq, far: fmpq) -> Iterator[tuple[fmpq, fmpq]]:
    """Yield the panels, short beside that length and beside the distance to the poles."""
    start = near
    while start < far:
        u = float(start)
        step = min(0.7 * math.hypot(1, u), _length(h, u))
        stop = min(start + fmpq(*step.as_integer_ratio()), far)
        yield start, stop
        start = stop


def _panel(height: arb, h: float, center: fmpq, width: fmpq, bits: float) -> arb:
    """Return the integral of f over a panel, right to about 2^-bits."""
    c, w = float(center), max(float(width), _LEAST)
    far = math.hypot(1, c)
    radius = min(0.75 * far, w + _length(h, c))
    gain = 2 * math.acosh(radius / w) / math.log(2)
    inner = max(0.0, c - radius)
    growth = (h * radius) ** 2 - (h * w) ** 2 - (h * inner) ** 2 - h**2
    bound = growth / math.log(2) - 2 * math.log2(far - radius)
    count = max(2, math.ceil((bits + bound + math.log2(w) + 3) / gain))
    middle, half, minus, total = arb(center), arb(width), -height, arb(0)
    for node, weight in _rule(count, ctx.prec):
        u = middle + half * node
        q = 1 + u * u
        total += weight * (minus * q).exp() / q
    return half * (total + _error(height, middle, half, arb(radius), count))


def _error(height: arb, center: arb, width: arb, radius: arb, count: int) -> arb:
    """Return a ball around 0 that holds the error of the rule on a panel, over its half-width."""
    rho = (radius + (radius**2 - width**2).sqrt()) / width
    inner = (center - radius).max(arb(0))
    bound = (-height * (1 + inner**2 - radius**2 + width**2)).exp() / ((1 + center**2).sqrt() - radius) ** 2
    return arb(0, (arb(64) / 15 * bound / (rho ** (2 * count) * (1 - 1 / rho**2))).abs_upper())


@lru_cache(maxsize=1024)
def _rule(count: int, precision: int) -> list[tuple[arb, arb]]:
    """Return the nodes and weights at a working precision, which is that of the call."""
    return [arb.legendre_p_root(count, k, weight=True) for k in range(count)]


def faded_beyond(height: arb, near: fmpq, far: fmpq | None) -> arb:
    """Return the mean of W over an exponential SNR, for the square of h at the mean SNR."""
    mu = (height / (1 + height)).sqrt()

    def up_to(u: fmpq | None) -> arb:
        if u is None:
            return arb.pi() * (1 - mu) / 2
        return arb(u).atan() - mu * (mu * u).atan()

    return (up_to(far) - up_to(near)) / (2 * arb.pi())
