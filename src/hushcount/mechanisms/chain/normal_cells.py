"""Chances of a normal variable between given points, in floats, right to 1e-13 of themselves however far out.

phi(x) multiplies an error of x by x, so a point x comes as an unevaluated sum of two floats, and x^2 is split likewise.
A narrow cell is its density integrated by 16 nodes of Gauss and Legendre; a wide one is a difference of tails, each
e^(-x^2 / 2) times a smooth function.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hushcount.numbers.arrays import Floats
from hushcount.promise.normal_floats import scaled_tails

__all__ = ["Points", "cells", "lower_tails", "two_sum"]

_NODES = np.polynomial.legendre.leggauss(16)
_WIDE = 0.5
_FAR = 45.0
"""Beyond, no float is as small as the tail."""
_SPLITTER = 2.0**27 + 1


@dataclass(frozen=True)
class Points:
    """high + low, where |low| is a rounding of |high|."""

    high: Floats
    low: Floats

    @classmethod
    def of(cls, factor: tuple[float, float], times: Floats, less: Floats) -> Points:
        """factor * times - less, for a factor in two parts."""
        product, lost = _two_product(np.full_like(times, factor[0]), times)
        total, more = two_sum(product, -less)
        is_finite = np.isfinite(total)
        return cls(total, np.where(is_finite, lost + more + factor[1] * times, 0.0))

    def __getitem__(self, part: slice) -> Points:
        return Points(self.high[part], self.low[part])

    def __neg__(self) -> Points:
        return Points(-self.high, -self.low)


def lower_tails(x: Points) -> Floats:
    """Phi(x)"""
    far = np.minimum(np.abs(x.high), _FAR)
    root = _root_of_bell(far, np.where(far == np.abs(x.high), np.sign(x.high) * x.low, 0.0))
    tails = (root * scaled_tails(far)) * root
    chances: Floats = np.where(x.high > 0, 1 - tails, tails)
    return chances


def cells(x: Points, width: Floats) -> Floats:
    """Phi(x_{j+1}) - Phi(x_j), where `width` is x_{j+1} - x_j >= 0 without cancellation."""
    low, high = x[slice(None, -1)], x[slice(1, None)]
    with np.errstate(invalid="ignore", under="ignore"):
        is_upper = low.high + high.high > 0
        differences = np.where(is_upper, lower_tails(-low) - lower_tails(-high), lower_tails(high) - lower_tails(low))
        narrow = width < _WIDE
        kept = np.flatnonzero(narrow)
        w = width[kept]
        start = np.clip(low.high[kept], -_FAR, _FAR)
        root, total = _root_of_bell(start, low.low[kept]), np.zeros(len(kept))
        for node, weight in zip(*_NODES, strict=True):
            s = w * ((node + 1) / 2)
            total += weight / 2 * np.exp(-s * (start + s / 2))
        differences[kept] = (root * (w * total / math.sqrt(2 * math.pi))) * root
    return differences


def _root_of_bell(x: Floats, low: Floats) -> Floats:
    """e^(-(x + low)^2 / 4), whose square is then not rounded to nothing too early."""
    square, lost = _two_product(x, x)
    bell: Floats = np.exp(-square / 4) * np.exp(-(lost / 4 + x * low / 2))
    return bell


def two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """a + b as a float and the rest, exactly (Knuth)."""
    with np.errstate(invalid="ignore"):
        s = a + b
        part = s - a
        return s, (a - (s - part)) + (b - part)


def _two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """a b as a float and the rest, exactly (Dekker); the rest is 0 where a part would overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        product = a * b
        a1, a2 = _halves(a)
        b1, b2 = _halves(b)
        rest = ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2
    return product, np.where(np.isfinite(rest), rest, 0.0)


def _halves(a: Floats) -> tuple[Floats, Floats]:
    large = _SPLITTER * a
    first = large - (large - a)
    return first, a - first
