"""Far from the start, the shifts of the nearest optimum under mu-GDP are those of a flow (`nearest_shifts`).

They fall by ever smaller steps, so that they are the flow of a smooth field at integer times. In alpha = a(y) a step is
alpha -> alpha - G with G = kappa + int_0^y 2 e^(-t^2 / 2) sinh(mu t / 2) dt, and the field is

    d alpha / dj = -G (1 + G' / 2 + G'^2 / 3 + G G'' / 12 + ...),   G' = 1 - e^(-mu y), G'' = mu e^(-mu y) / a'(y),

derivatives by alpha. After 4,096 steps the first term left out is below 1e-10 of the field, which is itself below 1e-3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hushcount.numbers.arrays import Floats

__all__ = ["FEW_PANELS", "PANELS_PER_OCTAVE", "Flow", "flow_of"]

PANELS_PER_OCTAVE, FEW_PANELS = 384, 48
"""For y at any time, and for the time at which it ends."""

_PANEL = np.polynomial.legendre.leggauss(4)
_SQRT_2_PI = math.sqrt(2 * math.pi)


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
        """Return the time at which y = 0."""
        return float(self.times[-1])

    def at(self, time: Floats) -> Floats:
        """Return y at these times, by cubics that fit value and slope of the logarithm of y; 0 from the end on."""
        piece = np.clip(np.searchsorted(self.times, time, side="right") - 1, 0, len(self.times) - 2)
        start, width = self.times[piece], np.diff(self.times)[piece]
        s = np.clip((time - start) / width, 0, 1)
        y0, y1 = self.shifts[piece], self.shifts[piece + 1]
        d0, d1 = self.speeds[piece] * width, self.speeds[piece + 1] * width
        r = 1 - s
        cubic: Floats = r * r * ((1 + 2 * s) * y0 + s * d0) + s * s * ((1 + 2 * r) * y1 - r * d1)
        return cubic


def flow_of(mu: float, kappa: float, start: float, panels: int = PANELS_PER_OCTAVE) -> Flow:
    """Follow the flow from y = start > 0 down to 0, at this kappa > 0 (as a chance)."""
    scaled = kappa * _SQRT_2_PI * math.exp(mu * mu / 8)
    turn = min(math.sqrt(2 * scaled / mu) if mu else math.inf, start)
    octaves = math.log2(start / turn) + 1
    falling = start * 2.0 ** -np.linspace(0, octaves, math.ceil(octaves * panels))
    edges = np.concatenate([falling[:-1], np.linspace(falling[-1], 0, panels)])
    nodes, weights = _PANEL
    width = edges[:-1] - edges[1:]
    inner = edges[1:, None] + width[:, None] * (nodes + 1) / 2
    spent = (_slowness(mu, scaled, inner) * weights).sum(axis=1) * width / 2
    times = np.concatenate([[0.0], np.cumsum(spent)])
    return Flow(times, edges, -1 / _slowness(mu, scaled, edges))


def _slowness(mu: float, kappa: float, y: Floats) -> Floats:
    """Return -dt / dy."""
    G = kappa + _growth(mu, y)
    slope = np.exp(mu * y / 2 - y * y / 2)
    shrunk = np.exp(-mu * y)
    first, second = -np.expm1(-mu * y), mu * shrunk / slope
    slowness: Floats = slope / (G * (1 + first / 2 + first**2 / 3 + G * second / 12))
    return slowness


def _growth(mu: float, y: Floats) -> Floats:
    """Return int_0^y 2 e^(-t^2 / 2) sinh(mu t / 2) dt, by s = t^2 / 2.

    mu y is below 1/32 where the flow is followed, after 64 steps or more, so the first term of sinh(x) / x = 1 + x^2 /
    6 + x^4 / 120 + ... that is left out is below 1e-14.
    """
    s = y * y / 2
    shrunk = np.exp(-s)
    first = -np.expm1(-s)
    second = first - s * shrunk
    third = 2 * second - s * s * shrunk
    growth: Floats = mu * (first + mu**2 / 12 * second + mu**4 / 480 * third)
    return growth
