"""The thresholds of the nearest optimum under mu-GDP, in floats (docs/theory.md, "Any promise").

With c_1 = gamma and c_{j+1} = Phi(Phi^-1(c_j) - mu) + gamma until c_M = 1, write Phi^-1(c_j) = mu / 2 - y_j and
gamma = 2 Phi(mu / 2) - 1 + kappa. In units of the density phi(mu / 2) and with

    a(y) = int_0^y e^(mu t / 2 - t^2 / 2) dt,     b(y) = int_0^y e^(-mu t / 2 - t^2 / 2) dt

the recursion is a(y_{j+1}) = b(y_j) - kappa, from y_0 = infinity. It is its own mirror image under y -> -y and
j -> M - j, so that y = 0 at j = M / 2 decides kappa, and only y > 0, where each step contracts, is ever followed.

**In O(1).** y_j falls by ever smaller steps: far from the start it is the flow of a smooth field at integer times. In
alpha = a(y) a step is alpha -> alpha - G with G = kappa + int_0^y 2 e^(-t^2 / 2) sinh(mu t / 2) dt, a sum of positive
terms, and its field is

    d alpha / dj = -G (1 + G' / 2 + G'^2 / 3 + G G'' / 12 + ...),   G' = 1 - e^(-mu y), G'' = mu e^(-mu y) / a'(y),

derivatives by alpha. After `STEPS` steps the first term left out is below 1e-10 of the field, which is itself below
1e-3. So the first `STEPS` thresholds come from the recursion, and all others from the time that the flow takes.

**What if these floats are off?** Privacy holds for whatever they are. How much they cost is found without trusting
them: for any chain, gamma lies between the least and the largest of its diagonals. (With c_j(d) the recursion at d in
place of gamma, x_j >= c_j(d) by induction if all diagonals are >= d, so c_M(d) <= 1 and d <= gamma; and x_j <= c_j(d)
if all are <= d.) See `nearest`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from hushcount.mechanisms.chain.shifts import LARGEST_TABLE, Shifts
from hushcount.numbers.arrays import Floats

__all__ = ["STEPS", "Flow", "flow_of", "nearest_shifts", "root_of_falling"]

STEPS = 4096
"""Thresholds on each side that the recursion itself gives."""

SPEED_STEP = 1e-12
"""Change of y per threshold along one straight line of a large range."""

LARGEST_MU = 64.0
"""Beyond, thresholds are those of this mu times 64 / mu: an error probability below 1e-220 is right to 1e-3 of it."""

_QUANTILE = NormalDist().inv_cdf
_HALF_ROOT = math.sqrt(0.5)
_SQRT_2_PI = math.sqrt(2 * math.pi)
_SERIES = np.polynomial.legendre.leggauss(48)
_SHORT_SERIES = np.polynomial.legendre.leggauss(14)
_PANEL = np.polynomial.legendre.leggauss(4)
_PANELS_PER_OCTAVE = 384


def nearest_shifts(mu: float, n: int) -> Shifts:
    """The thresholds of the nearest optimum on 0..n >= 1.

    The first 2^20 of each half are kept, further ones are joined by straight lines: y is convex there, so a line is off
    by less than its change of speed, at most `SPEED_STEP`, times the density, and a diagonal by less than 1e-12.
    """
    M, half, tamed = min(n + 1, 2**60), n // 2, min(mu, LARGEST_MU)
    scale = tamed / mu if mu else 1.0
    kappa = _least_kappa(tamed, M)
    steps = min(M // 2, STEPS)
    shifts = _falling(np.array(_recursion(tamed, kappa, steps)[0]))
    if half <= steps:
        return Shifts.mirrored(n, shifts[:half] * scale)
    flow = flow_of(tamed, kappa, float(shifts[-1]))
    table = flow.at(np.arange(1, min(half, LARGEST_TABLE) - steps + 1, dtype=np.float64))
    shifts = _falling(np.concatenate([shifts, table])) * scale
    if half <= LARGEST_TABLE:
        return Shifts.mirrored(n, shifts)
    first, last = LARGEST_TABLE - steps + 1, min(half, M // 2) - steps
    speeds = -flow.speeds
    fastest = float(np.interp(first, flow.times, speeds))
    wanted = np.linspace(fastest, speeds[-1], math.ceil((fastest - speeds[-1]) / SPEED_STEP) + 2)[1:-1]
    times = np.interp(wanted, speeds[::-1], flow.times[::-1]).round()
    knots = np.unique(np.concatenate([[first], np.clip(times, first, last), [last]]))
    values = _falling(np.concatenate([shifts[-1:], flow.at(knots) * scale]))[1:]
    return Shifts.mirrored(n, shifts, knots.astype(np.int64) + (steps - 1), values)


def _falling(shifts: Floats) -> Floats:
    """As they are but for rounding: never rising, and never below 0, so that no thresholds fall at any mu."""
    return np.maximum(np.minimum.accumulate(shifts), 0.0)


def _recursion(mu: float, kappa: float, count: int) -> tuple[list[float], float]:
    """y_1..y_count and Phi(Phi^-1(c) - mu) at the last; fewer of them where c would pass 1. Chances are followed by the
    smaller of c and 1 - c."""
    shifts, half = [], mu / 2
    error = math.erfc(half * _HALF_ROOT) - kappa
    gamma = math.erf(half * _HALF_ROOT) + kappa
    below = 0.0
    for _ in range(count):
        rest = error - below
        if rest <= 0:
            break
        z = -_QUANTILE(rest) if rest < 0.5 else _QUANTILE(gamma + below)
        shifts.append(half - z)
        below = 0.5 * math.erfc((mu - z) * _HALF_ROOT)
    return shifts, below


def _least_kappa(mu: float, M: int) -> float:
    """The kappa of M >= 2 outcomes."""
    tail = 0.5 * math.erfc(mu / 2 * _HALF_ROOT)
    count, steps = M // 2, min(M // 2, STEPS)

    def lateness(kappa: float) -> float:
        """> 0 if y = 0 comes later than at M / 2: kappa is too small."""
        shifts, below = _recursion(mu, kappa, steps)
        if len(shifts) < steps:
            return float(len(shifts) - steps)
        if steps == count:
            return (2 * tail - kappa) / 2 - below if M % 2 else shifts[-1]
        if shifts[-1] <= 0:
            return -1.0
        return STEPS + flow_of(mu, kappa, shifts[-1]).end - M / 2

    if M == 2:
        return tail
    asymptotic = 2 * math.pi**2 * math.exp(-mu * mu / 8) / _SQRT_2_PI / mu / M / M if mu else math.inf

    def of_logarithm(log_kappa: float) -> float:
        return lateness(math.exp(log_kappa))

    step, high = 1e-3, math.log(min(tail, 1 / M, asymptotic))
    while of_logarithm(high) > 0:
        high += step
    low = high - step
    while of_logarithm(low) < 0:
        high, step = low, 4 * step
        low -= step
    return math.exp(root_of_falling(of_logarithm, low, high))


def root_of_falling(value_at: Callable[[float], float], low: float, high: float) -> float:
    """Where a falling function changes its sign between low and high, by Chandrupatla's method; an end if nowhere."""
    a, b = high, low
    fa, fb, t = value_at(a), value_at(b), 0.5
    if fa >= 0 or fb <= 0:
        return a if fa >= 0 else b
    for _ in range(100):
        middle = a + t * (b - a)
        value = value_at(middle)
        if (value > 0) == (fa > 0):
            c, fc = a, fa
        else:
            c, fc, b, fb = b, fb, a, fa
        a, fa = middle, value
        room = 2.0**-52 * max(abs(a), abs(b)) / abs(b - a)
        if fa == 0 or room > 0.5:
            break
        ratio, share = (a - b) / (c - b), (fa - fb) / (fc - fb)
        if share**2 < ratio and (1 - share) ** 2 < 1 - ratio:
            t = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        else:
            t = 0.5
        t = min(max(t, room), 1 - room)
    return a


@dataclass(frozen=True)
class Flow:
    """y as a function of the time since the last threshold of the recursion, from y > 0 down to 0."""

    times: Floats
    """Increasing, from 0."""
    shifts: Floats
    speeds: Floats
    """dy / dt < 0 at these times."""

    @property
    def end(self) -> float:
        """When y = 0."""
        return float(self.times[-1])

    def at(self, time: Floats) -> Floats:
        """y at these times, by cubics that fit value and slope of the logarithm of y; 0 from the end on."""
        piece = np.clip(np.searchsorted(self.times, time, side="right") - 1, 0, len(self.times) - 2)
        start, width = self.times[piece], np.diff(self.times)[piece]
        s = np.clip((time - start) / width, 0, 1)
        y0, y1 = self.shifts[piece], self.shifts[piece + 1]
        d0, d1 = self.speeds[piece] * width, self.speeds[piece + 1] * width
        r = 1 - s
        cubic: Floats = r * r * ((1 + 2 * s) * y0 + s * d0) + s * s * ((1 + 2 * r) * y1 - r * d1)
        return cubic


def flow_of(mu: float, kappa: float, start: float) -> Flow:
    """From y = start > 0 down to 0, at this kappa > 0 (as a chance)."""
    scaled = kappa * _SQRT_2_PI * math.exp(mu * mu / 8)
    turn = min(math.sqrt(2 * scaled / mu) if mu else math.inf, start)
    octaves = math.log2(start / turn) + 1
    falling = start * 2.0 ** -np.linspace(0, octaves, math.ceil(octaves * _PANELS_PER_OCTAVE))
    edges = np.concatenate([falling[:-1], np.linspace(falling[-1], 0, _PANELS_PER_OCTAVE)])
    nodes, weights = _PANEL
    width = edges[:-1] - edges[1:]
    inner = edges[1:, None] + width[:, None] * (nodes + 1) / 2
    spent = (_slowness(mu, scaled, inner) * weights).sum(axis=1) * width / 2
    times = np.concatenate([[0.0], np.cumsum(spent)])
    return Flow(times, edges, -1 / _slowness(mu, scaled, edges))


def _slowness(mu: float, kappa: float, y: Floats) -> Floats:
    """-dt / dy"""
    G = kappa + _growth(mu, y)
    slope = np.exp(mu * y / 2 - y * y / 2)
    shrunk = np.exp(-mu * y)
    first, second = -np.expm1(-mu * y), mu * shrunk / slope
    slowness: Floats = slope / (G * (1 + first / 2 + first**2 / 3 + G * second / 12))
    return slowness


def _growth(mu: float, y: Floats) -> Floats:
    """int_0^y 2 e^(-t^2 / 2) sinh(mu t / 2) dt"""
    total = np.zeros_like(y)
    is_large = y > 1
    for chosen, (nodes, weights) in ((is_large, _SERIES), (~is_large, _SHORT_SERIES)):
        part = y[chosen]
        for point, weight in zip((nodes + 1) / 2, weights, strict=True):
            t = part * point
            total[chosen] += weight * np.exp(-t * t / 2) * np.sinh(mu * t / 2)
    return y * total
