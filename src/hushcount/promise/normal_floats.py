"""The normal distribution for arrays of floats, without SciPy.

A tail is e^(-x^2 / 2) times a smooth function, which is interpolated in (x - 3) / (x + 3) from enclosures, once.
Quantiles are Python's own, one by one; bulk draws have a table of them (`noise_table`).
"""

from __future__ import annotations

from functools import lru_cache
from statistics import NormalDist

import numpy as np
from flint import arb, arb_mat, ctx

from hushcount.numbers.arrays import Floats
from hushcount.promise.normal import normal_cdf

__all__ = ["log_upper_tails", "quantiles", "scaled_tails", "upper_tails"]

_TURN = 3.0
_DEGREE = 26
_QUANTILE = NormalDist().inv_cdf
_LEAST, _MOST = 2.0**-1022, 1 - 2.0**-53


def upper_tails(x: Floats) -> Floats:
    """Return Phi(-x), right to 2^-50 (1 + x^2) of itself, as far as floats reach."""
    far = np.abs(x)
    with np.errstate(under="ignore"):
        tails = np.exp(-0.5 * far * far) * scaled_tails(far)
    chances: Floats = np.where(x < 0, 1 - tails, tails)
    return chances


def log_upper_tails(x: Floats) -> Floats:
    """Return ln Phi(-x), however far out."""
    far = np.maximum(x, 0.0)
    logs: Floats = np.where(x < 0, np.log(upper_tails(np.minimum(x, 0.0))), np.log(scaled_tails(far)) - 0.5 * far * far)
    return logs


def scaled_tails(x: Floats) -> Floats:
    """Return e^(x^2 / 2) Phi(-x) for 0 <= x <= infinity, right to 2^-50 of itself."""
    below = 1 / (x + _TURN)
    t = 1 - 2 * _TURN * below
    value = np.full_like(t, _coefficients()[-1])
    for coefficient in _coefficients()[-2::-1]:
        value *= t
        value += coefficient
    return value * below


def quantiles(u: Floats) -> Floats:
    """Return Phi^-1(u) for 0 <= u <= 1."""
    z = np.fromiter(map(_QUANTILE, np.clip(u, _LEAST, _MOST).tolist()), np.float64, len(u))
    return np.where(u <= 0, -np.inf, np.where(u >= 1, np.inf, z))


@lru_cache(maxsize=1)
def _coefficients() -> tuple[float, ...]:
    """Return (x + 3) e^(x^2 / 2) Phi(-x) as a polynomial in t = (x - 3) / (x + 3) exact at Chebyshev's points."""

    def value(t: arb) -> arb:
        x = _TURN * (1 + t) / (1 - t)
        return (x * x / 2).exp() * normal_cdf(-x) * (x + _TURN)

    with ctx.workprec(512):
        points = [(arb.pi() * (2 * k + 1) / (2 * _DEGREE + 2)).cos() for k in range(_DEGREE + 1)]
        powers = arb_mat([[t**k for k in range(_DEGREE + 1)] for t in points])
        fitted = powers.solve(arb_mat([[value(t)] for t in points]))
        return tuple(float(fitted[k, 0].mid()) for k in range(_DEGREE + 1))
