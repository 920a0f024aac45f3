"""Off by more than t as rarely as can be, and then wrong as rarely as can be (docs/theory.md, "Right within t").

The largest gamma_t with Pr(|output - i| <= t | i) >= gamma_t for every true count i is the root of c_K = 1, where

    c_1 = gamma_t,   c_{r+1} = g^(2t+1)(c_r) + gamma_t,   K = ceil(M / (2t + 1)).

Those that reach it are the chains with f^t(x_{i+t}) >= gamma_t + g^(t+1)(x_{i-t-1}) for all i: a lattice, and convex.
Of these, the largest gamma_0 with Pr(output = i | i) >= gamma_0 is the largest for which a least chain exists,

    x_j = max(g(x_{j-1}) + gamma_0,  g^t(gamma_t + g^(t+1)(x_{j-2t-1})))      (rows and columns 1..M),

the second for t < j < M only and terms before the first row 0: all x_j and all arguments of g^t at most 1, and
g^(t+1)(x_{i-t-1}) <= 1 - gamma_t for i >= M - t. **What is released** is the mean of that least chain and of the
greatest, its mirror image x_j -> 1 - g(x_{M-j}): by convexity it keeps both, and leans to neither side.

Both gammas are found in floats and rounded down by 2^-44, far above what the recursion rounds and far below what anyone
could notice. How much the mechanism reaches is then enclosed as for any other; that it is private is checked exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from statistics import NormalDist

import numpy as np
from flint import arb

from hushcount.errors import TooLarge
from hushcount.inputs.arguments import integer
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.chain.float_curves import FloatCurve, FloatGaussian, FloatPieces
from hushcount.mechanisms.chain.gaussian_chain import GaussianChain, check_rising
from hushcount.mechanisms.chain.point_chain import PointChain, Points, check_chain
from hushcount.mechanisms.chain.shifts import Shifts
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import nearest_float
from hushcount.numbers.exact import Number
from hushcount.promise.curve import Curve
from hushcount.promise.float_lines import FloatLines
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.given import promise_of
from hushcount.promise.piecewise_linear import PiecewiseLinear

__all__ = ["LARGEST_WITHIN", "WithinGaussian", "WithinPoints", "within"]

LARGEST_WITHIN = 2**17
"""The most outcomes for which the chain is sought; so many take some seconds."""

_ROUNDED_DOWN = 2.0**-44
_HALVINGS = 50
_CLOSE = 2.0**-48
_QUANTILE = NormalDist().inv_cdf


def _largest(holds: Callable[[float], bool]) -> float:
    """Return the largest gamma in [0, 1] at which a condition holds, rounded down; above it, it never holds again."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return 1.0 if holds(1.0) else max(0.0, low - _ROUNDED_DOWN)


def _chance_within(curve: FloatCurve, M: int, t: int) -> float:
    """Return gamma_t."""
    count = -(-M // (2 * t + 1))

    def holds(gamma: float) -> bool:
        c = gamma
        for _ in range(count - 1):
            c = curve.least(c, 2 * t + 1) + gamma
            if c > 1:
                return False
        return True

    return _largest(holds)


def _least_chain(curve: FloatCurve, M: int, t: int, gamma_t: float, gamma_0: float) -> list[float] | None:
    """Return x_1..x_M, or None if there is no such chain."""
    x: list[float] = []
    least, value, width = curve.least, gamma_0, 2 * t + 1
    for j in range(1, M + 1):
        if j > 1:
            value = gamma_0 + least(value, 1)
        if t < j < M:
            back = gamma_t + (least(x[j - width - 1], t + 1) if j > width else 0.0)
            if back > 1:
                return None
            value = max(value, least(back, t))
        if value > 1:
            return None
        x.append(value)
    for i in range(max(M - t, t + 2), M + 1):
        if curve.least(x[i - t - 2], t + 1) > 1 - gamma_t:
            return None
    x[-1] = 1.0
    return x


def _best_chain(curve: FloatCurve, n: int, t: int) -> Floats:
    """Return x_0..x_{n-1}.

    Raises:
        TooLarge: more outcomes than `LARGEST_WITHIN`.
    """
    M = n + 1
    if not M <= LARGEST_WITHIN:
        raise TooLarge(f"a chain of {M:,} outcomes is too large to be sought; at most {LARGEST_WITHIN:,}")
    gamma_t = _chance_within(curve, M, t)
    gamma_0 = _largest(lambda gamma: _least_chain(curve, M, t, gamma_t, gamma) is not None)
    least = np.array(_least_chain(curve, M, t, gamma_t, gamma_0))
    greatest = 1 - np.array([curve.least(x, 1) for x in least[-2::-1].tolist()])
    mean: Floats = np.clip((least[:-1] + greatest) / 2, 0.0, 1.0)
    return mean


@dataclass(frozen=True)
class WithinGaussian(GaussianChain):
    """See the module and `within`."""

    t: int

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"within:{self.t}"

    @cached_property
    def shifts(self) -> Shifts:
        x = _best_chain(FloatGaussian(self._mu), self.n, self.t)
        shifts = np.array([self._mu / 2 - _quantile(float(value)) for value in x])
        for j in range(1, len(shifts)):  # where the condition is tight, floats may exceed it by their rounding
            most = shifts[j - 1] + self._mu
            if math.isfinite(most) and shifts[j] > most - _CLOSE * max(1.0, abs(most)):
                shifts[j] = most - _CLOSE * max(1.0, abs(most))
        check_rising(self.privacy, shifts)
        return Shifts.whole(shifts)


@dataclass(frozen=True)
class WithinPoints(PointChain):
    """See the module and `within`."""

    n: int
    privacy: PiecewiseLinear
    t: int

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"within:{self.t}"

    @property
    def promise(self) -> PiecewiseLinear:
        return self.privacy

    @cached_property
    def points(self) -> Points:
        lines = FloatLines.of(self.privacy)
        x = _best_chain(FloatPieces(lines), self.n, self.t)
        _raise_to_chain(self.privacy, lines, x)
        points = Points.of(self.n, x, is_mirrored=False)
        check_chain(self.privacy, points)
        return points


def _raise_to_chain(curve: PiecewiseLinear, lines: FloatLines, x: Floats) -> None:
    """Raise x_{j+1} to g(x_j), rounded up, where floats fall short of it by their rounding."""
    is_near = ~(x[1:] - lines.least(x[:-1], 1 - x[:-1])[0] > _CLOSE)
    for j in range(len(x) - 1):
        if is_near[j]:
            y = arb(float(x[j]))
            least = nearest_float(lambda p, y=y: curve.least_after(y, 1 - y, 1))  # type: ignore[misc]
            least = min(1.0, math.nextafter(least, 2.0) if least else 0.0)
            if least > x[j + 1]:
                x[j + 1] = least
                is_near[j + 1 : j + 2] = True


def _quantile(x: float) -> float:
    if not 0 < x < 1:
        return -np.inf if x <= 0 else np.inf
    return _QUANTILE(x)


@lru_cache(maxsize=64)
def _made(n: int, promise: Curve, t: int) -> Mechanism:
    if isinstance(promise, GaussianDP):
        return WithinGaussian(n, promise, t)
    return WithinPoints(n, promise, t)  # type: ignore[arg-type]


def within(
    n: int,
    epsilon: Number | Curve | None = None,
    t: int = 0,
    delta: Number = 0,
    *,
    mu: Number | None = None,
    rho: Number | None = None,
) -> Mechanism:
    """Return the mechanism on 0..n that is off by more than t as rarely as can be and, among those, right most often.

    Both hold in the worst case over true counts. At t = 0 its error probability is the least possible, as is that of
    `nearest`, which is then the better one.

    Args:
        n: the largest count, an integer >= 0, at most 131,071; a thousand counts take some
            hundredths of a second.
        epsilon, delta, mu, rho: the promise, as for `nearest`.
        t: how far off is still right, an integer >= 0.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
        TooLarge: n is larger; raised when the mechanism is first used.
    """
    t, promise = integer(t, "t", least=0), promise_of(epsilon, delta, mu=mu, rho=rho)
    return _made(integer(n, "n", least=0), promise, t)
