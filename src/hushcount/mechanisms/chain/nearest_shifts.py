"""The thresholds of the nearest optimum under mu-GDP, in floats (docs/theory.md, "Any promise").

With c_1 = gamma and c_{j+1} = Phi(Phi^-1(c_j) - mu) + gamma until c_M = 1, write Phi^-1(c_j) = mu / 2 - y_j and
gamma = 2 Phi(mu / 2) - 1 + kappa. In units of the density phi(mu / 2) and with

    a(y) = int_0^y e^(mu t / 2 - t^2 / 2) dt,     b(y) = int_0^y e^(-mu t / 2 - t^2 / 2) dt

the recursion is a(y_{j+1}) = b(y_j) - kappa, from y_0 = infinity. It is its own mirror image under y -> -y and
j -> M - j, so that y = 0 at j = M / 2 decides kappa, and only y > 0, where each step contracts, is ever followed.

**In O(1).** y_j falls by ever smaller steps. So the first `STEPS` thresholds come from the recursion, and all others
from the time that a smooth flow takes (`shift_flow`).

**What if these floats are off?** Privacy holds whatever they are. How much accuracy they cost is found without trusting
them: for any chain, gamma lies between the least and the largest of its diagonals. (With c_j(d) the recursion at d in
place of gamma, x_j >= c_j(d) by induction if all diagonals are >= d, so c_M(d) <= 1 and d <= gamma; and x_j <= c_j(d)
if all are <= d.) See `nearest`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

from hushcount.mechanisms.chain.shift_flow import FEW_PANELS, PANELS_PER_OCTAVE, Flow, flow_of
from hushcount.mechanisms.chain.shifts import LARGEST_TABLE, Shifts
from hushcount.numbers.arrays import Floats, Integers
from hushcount.numbers.roots import root_near

__all__ = ["LARGEST_MU", "STEPS", "NearestShifts", "nearest_shifts"]

STEPS = 4096
"""How many thresholds on each side the recursion itself gives."""

SPEED_STEP = 1e-12
"""How much the change of y per threshold may vary along one straight line of a large range."""

LARGEST_MU = 64.0
"""Beyond, thresholds are those of this mu times 64 / mu: an error probability below 1e-220 is right to 1e-3 of it."""

_FEW_STEPS = 64
"""Steps after which the flow finds kappa to 1e-4 of itself."""

_AROUND = 16
"""Knots looked at on either side of one threshold."""

_EXACT, _CLOSE, _NEAR = 2.0**-52, 2.0**-48, 1e-6
"""How closely the logarithm of kappa is found: in small ranges, in others, and for a first guess."""

_QUANTILE = NormalDist().inv_cdf
_HALF_ROOT = math.sqrt(0.5)
_SQRT_2_PI = math.sqrt(2 * math.pi)


@dataclass(frozen=True)
class NearestShifts:
    """y_0..y_{n-1} of the nearest optimum on 0..n, n >= 1, each by itself.

    Attributes:
        n: the largest count; M = n + 1, or 2^60 if that is less: further thresholds are at rest in the middle.
        scale: what y is multiplied with, 1 unless mu was above `LARGEST_MU`.
        steps: after how many steps of the recursion the flow takes over.
    """

    n: int
    mu: float
    scale: float
    M: int
    kappa: float
    steps: int

    @classmethod
    def of(cls, mu: float, n: int) -> NearestShifts:
        """Find kappa for the range 0..n, n >= 1, as closely as floats can."""
        return cls._with(mu, n, STEPS)

    @classmethod
    def rough(cls, mu: float, n: int) -> NearestShifts:
        """Find it to about 1e-4 of itself, in a fraction of the time."""
        return cls._with(mu, n, _FEW_STEPS)

    @classmethod
    def _with(cls, mu: float, n: int, most: int) -> NearestShifts:
        M, tamed = min(n + 1, 2**60), min(mu, LARGEST_MU)
        steps = min(M // 2, most)
        return cls(n, tamed, tamed / mu if mu else 1.0, M, _least_kappa(tamed, M, steps), steps)

    @property
    def gamma(self) -> float:
        """The chance to be right, 2 Phi(mu / 2) - 1 + kappa."""
        return math.erf(self.mu / 2 * _HALF_ROOT) + self.kappa

    @cached_property
    def first(self) -> Floats:
        """The first `steps` of them."""
        return _falling(np.array(_recursion(self.mu, self.kappa, self.steps)[0])) * self.scale

    @cached_property
    def flow(self) -> Flow:
        """All others, by the time since the last of the recursion."""
        start = _recursion(self.mu, self.kappa, self.steps)[0][-1]
        return flow_of(self.mu, self.kappa, start, PANELS_PER_OCTAVE if self.steps == STEPS else FEW_PANELS)

    def later(self, first: int, last: int) -> Floats:
        """Return y_first..y_(last-1), steps <= first."""
        return self.flow.at(np.arange(first, last, dtype=np.float64) - (self.steps - 1)) * self.scale

    @cached_property
    def _lines(self) -> tuple[int, int, float, int]:
        """Return the first and last time on lines, the speed at the first, and how many knots are between."""
        first, last = LARGEST_TABLE - self.steps + 1, self.M // 2 - self.steps
        fastest = float(np.interp(first, self.flow.times, -self.flow.speeds))
        return first, last, fastest, math.ceil((fastest + float(self.flow.speeds[-1])) / SPEED_STEP)

    def knots(self, low: int = 0, high: int | None = None) -> tuple[Integers, Floats]:
        """Return thresholds 2^20 <= j, in order, between which y is a straight line, and y there.

        All of them, or those from the `low`-th on and before the `high`-th of the equal parts of the speed.
        """
        first, last, fastest, count = self._lines
        high = count + 2 if high is None else high
        speeds, slowest = -self.flow.speeds, -float(self.flow.speeds[-1])
        part = np.arange(max(low, 0), min(high, count + 2))
        wanted = fastest + (slowest - fastest) / (count + 1) * part
        times = np.interp(wanted, speeds[::-1], self.flow.times[::-1]).round()
        times = np.where(part == 0, first, np.where(part == count + 1, last, np.clip(times, first, last)))
        times = np.unique(times)
        return times.astype(np.int64) + (self.steps - 1), self.flow.at(times) * self.scale

    def at(self, j: int) -> float:
        """Return y_j, 0 <= j < n, as in `nearest_shifts`: up to rounding, and exactly where the recursion gives it."""
        mirror = self.n - 1 - j
        near = min(j, mirror)
        if j == mirror or near >= self.M // 2:
            return 0.0
        if near < self.steps:
            y = float(self.first[near])
        elif near < LARGEST_TABLE:
            y = float(self.later(near, near + 1)[0])
        else:
            _, _, fastest, count = self._lines
            speed = float(np.interp(near - (self.steps - 1), self.flow.times, -self.flow.speeds))
            whole = fastest + float(self.flow.speeds[-1])
            part = int((fastest - speed) / whole * (count + 1)) if whole > 0 else 0
            y = float(np.interp(near, *self.knots(part - _AROUND, part + _AROUND)))
        return y if j < mirror else -y


def nearest_shifts(mu: float, n: int) -> Shifts:
    """Return the thresholds of the nearest optimum on 0..n, n >= 1.

    The first 2^20 of each half are kept, the others follow straight lines: y is convex there, so a line is off by less
    than its change of speed, at most `SPEED_STEP`, times the density, and a diagonal by less than 1e-12.
    """
    found, half = NearestShifts.of(mu, n), n // 2
    if half <= found.steps:
        return Shifts.mirrored(n, found.first[:half])
    shifts = _falling(np.concatenate([found.first, found.later(found.steps, min(half, LARGEST_TABLE))]))
    if half <= LARGEST_TABLE:
        return Shifts.mirrored(n, shifts)
    knots, values = found.knots()
    return Shifts.mirrored(n, shifts, knots, _falling(np.concatenate([shifts[-1:], values]))[1:])


def _falling(shifts: Floats) -> Floats:
    """Return them without what rounding did: never rising, and never below 0, so that no thresholds fall at any mu."""
    return np.maximum(np.minimum.accumulate(shifts), 0.0)


def _recursion(mu: float, kappa: float, count: int) -> tuple[list[float], float]:
    """Return y_1..y_count and Phi(Phi^-1(c) - mu) at the last; fewer of them where c would pass 1.

    Chances are followed by the smaller of c and 1 - c.
    """
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


def _least_kappa(mu: float, M: int, steps: int) -> float:
    """Return the kappa of M >= 2 outcomes, from so many steps of the recursion and the flow."""
    tail = 0.5 * math.erfc(mu / 2 * _HALF_ROOT)
    if M == 2:
        return tail

    def lateness(kappa: float, steps: int) -> float:
        """Return a number > 0 if y = 0 comes later than at M / 2: kappa is too small."""
        shifts, below = _recursion(mu, kappa, steps)
        if len(shifts) < steps:
            return float(len(shifts) - steps)
        if steps == M // 2:
            return (2 * tail - kappa) / 2 - below if M % 2 else shifts[-1]
        if shifts[-1] <= 0:
            return -1.0
        return steps + flow_of(mu, kappa, shifts[-1], FEW_PANELS).end - M / 2

    asymptotic = 2 * math.pi**2 * math.exp(-mu * mu / 8) / _SQRT_2_PI / mu / M / M if mu else math.inf
    few, guess = min(steps, _FEW_STEPS), math.log(min(tail, 1 / M, asymptotic))
    logarithm = root_near(lambda x: lateness(math.exp(x), few), guess, 0.1, _EXACT if few == M // 2 else _NEAR)
    if few < steps:
        logarithm = root_near(lambda x: lateness(math.exp(x), steps), logarithm, 1e-4, _CLOSE)
    return math.exp(logarithm)
