"""Places for thresholds under Gaussian differential privacy: normal quantiles z, x = Phi(z), which g moves by mu.

A threshold at z is on the far side with the chance Phi(z - k mu) from k above, Phi(-z - k mu) from k below. So costs
have the slope sum of -+ factor times density in z, and the slope in x is that over phi(z).

**In floats.** z is a float, so exact, and |z| <= 38. Where Phi or phi is above 1e-300, k mu and z -+ k mu are off by at
most 2^-45 together, which times |x| <= 38 is 2^-39 of Phi and phi; `upper_tails` is right to 2^-39 of itself there, and
NumPy's `exp` is taken to be right to 2^-44. `_RELATIVE` holds all of that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from hushcount.mechanisms.chain.chain import Chain
from hushcount.mechanisms.chain.gaussian_chain import GaussianChain, GivenGaussianChain
from hushcount.numbers.arrays import UNIT, Floats
from hushcount.optimal_set.by_chain.directed import LEAST
from hushcount.optimal_set.by_chain.loss_steps import Tails
from hushcount.optimal_set.by_chain.thresholds import Column, Thresholds
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.normal_floats import quantiles, upper_tails

__all__ = ["QuantileThresholds"]

_LARGEST = 36.0
_FAR = 38.0
_RELATIVE = 2.0**-37
_STEPS = 200
_OFFSETS = (-16, -4, -2, -1, 0, 1, 2, 4, 16)
_NEXT = (-4, -1, 0, 1, 4)
_FINE = 1e-3
_ROOT = math.sqrt(2 * math.pi)


class QuantileThresholds(Thresholds):
    """See the module."""

    def __init__(self, n: int, promise: GaussianDP) -> None:
        self.n, self.promise = n, promise
        self.mu = float(promise)

    def _arguments(self, z: float, below: int, above: int) -> tuple[Floats, Floats]:
        """Return z - k mu and -z - k mu, of those above -38."""
        reach_below, reach_above = (
            min(count, max(0, math.ceil((_FAR + end) / self.mu) + 1)) for count, end in ((below, z), (above, -z))
        )
        return z - self.mu * np.arange(1.0, reach_below + 1), -z - self.mu * np.arange(float(reach_above))

    def tails(self, place: float, j: int) -> Tails:
        found = np.zeros(self.n - j), np.zeros(j + 1)
        for part, x in zip(found, self._arguments(place, self.n - j, j + 1), strict=True):
            part[: len(x)] = upper_tails(-x)
        return found

    def many_tails(self, places: Sequence[float], j: int) -> Tails:
        z = np.array(places)[:, None]
        found = np.zeros((len(z), self.n - j)), np.zeros((len(z), j + 1))
        for part, place in zip(found, (max(places), min(places)), strict=True):
            x, y = self._arguments(place, self.n - j, j + 1)  # as far as the farthest of them reaches
            reached = len(x) if part is found[0] else len(y)
            start = 1 if part is found[0] else 0
            sign = 1.0 if part is found[0] else -1.0
            part[:, :reached] = upper_tails(self.mu * np.arange(start, start + reached) - sign * z)
        return found

    def points(self, place: float) -> tuple[float, float, float]:
        x, rest, image = upper_tails(np.array([-place, place, self.mu - place])).tolist()
        return x, rest, image

    def _slope(self, column: Column, z: float) -> tuple[float, float, float]:
        """Return the slope in z, the sum of the sizes of its terms, and the derivative of the slope, without
        multipliers."""
        below, above = column.costs
        x, y = self._arguments(z, len(below), len(above))
        rise = below[: len(x)] * np.exp(-0.5 * x * x)
        fall = above[: len(y)] * np.exp(-0.5 * y * y)
        up, down = float(rise.sum()), float(fall.sum())
        return (up - down) / _ROOT, (up + down) / _ROOT, float(-(rise @ x) - (fall @ y)) / _ROOT

    def least(self, columns: Sequence[Column], low: float | None = None, near: float | None = None) -> float:
        """By Newton's steps in z, kept between two ends by halving."""
        start = -_LARGEST if low is None else low
        a, b = start, max(_LARGEST + self.mu * (len(columns) - 1), start)
        z = min(max(self.centre() if near is None else near, a), b)
        for _ in range(_STEPS):
            slope = size = bend = 0.0
            for k, column in enumerate(columns):
                part = self._slope(column, z - k * self.mu)
                slope, size, bend = slope + part[0], size + part[1], bend + part[2]
            if slope == 0 and size == 0:
                return z
            a, b = (a, z) if slope >= 0 else (z, b)
            if abs(slope) <= 4 * UNIT * size or b - a <= 4 * UNIT * max(1.0, abs(z)):
                break
            following = z - slope / bend if bend > 0 else math.nan
            if not a < following < b:
                following = (a + b) / 2
            if abs(following - z) <= UNIT * max(1.0, abs(z)):
                break
            z = following
        return z

    def carried(self, place: float, steps: int) -> float:
        return place - steps * self.mu

    def first_above(self, place: float, steps: int) -> float:
        return place + steps * self.mu

    def multipliers(self, columns: Sequence[Column], place: float) -> Floats:
        carried, found = 0.0, []  # times the density at the threshold that is carried to
        for k in range(len(columns) - 1, 0, -1):
            z = place - k * self.mu
            carried = max(carried + self._slope(columns[k], z)[0], 0.0)
            found.append(carried / _density(z))
        return np.array(found[::-1])

    def lower_bound(self, column: Column, place: float) -> float:
        """Convex costs lie above their tangent. It is taken a little to one side of the best place, where its slope
        surely has the sign that makes the longer of both sides cost nothing."""
        z = min(max(place, -_LARGEST), _LARGEST)
        _, size, bend = self._slope(column, z)
        size += column.carried * _density(z - self.mu) + column.held * _density(z)
        aside = min(4 * _RELATIVE * size / bend, 1e-3) if bend > 0 else 0.0
        return max(self._tangent(column, at) for at in {z, z - aside if z > 0 else z + aside})

    def _tangent(self, column: Column, z: float) -> float:
        x, rest, image = self.points(z)
        below, above = (upper_tails(-part) for part in self._arguments(z, len(column.costs[0]), len(column.costs[1])))
        value = float(column.costs[0][: len(below)] @ below + column.costs[1][: len(above)] @ above)
        slope, size, _ = self._slope(column, z)
        density, image_density = _density(z), _density(z - self.mu)
        slope += column.carried * image_density - column.held * density
        size += column.carried * image_density + column.held * density
        value_size = value + column.carried * image + column.held * x
        value += column.carried * image - column.held * x
        error = (2 * _RELATIVE + (2 * self.n + 32) * UNIT) * size + LEAST
        loss = max(0.0, slope + error) * x + max(0.0, error - slope) * rest
        slack = (_RELATIVE + (2 * self.n + 32) * UNIT) * value_size
        return value - slack - loss / density * (1 + 4 * _RELATIVE)

    def chain(self, x: Floats, rest: Floats) -> Chain:
        z = np.where(x < 0.5, quantiles(x), -quantiles(rest))
        return self.chain_at(z)  # type: ignore[arg-type]

    def chain_at(self, places: Sequence[float]) -> Chain:
        shifts = (self.mu / 2 - np.asarray(places, dtype=np.float64)).tolist()
        for j in range(1, len(shifts)):
            if shifts[j] - shifts[j - 1] > self.mu * (1 - 4 * UNIT):
                highest = shifts[j - 1] + self.mu
                shifts[j] = min(shifts[j], highest - 4 * UNIT * (abs(highest) + self.mu))
        return GivenGaussianChain(self.n, self.promise, tuple(shifts))

    def upper_tails(self, chain: Chain) -> tuple[Iterator[Floats], Iterator[Floats]]:
        assert isinstance(chain, GaussianChain)
        z = self.mu / 2 - chain.shifts.many(np.arange(self.n))
        return self._upper_run(z), self._upper_run(-z, is_above=True)

    def _upper_run(self, z: Floats, *, is_above: bool = False) -> Iterator[Floats]:
        k = 0 if is_above else 1
        while k <= self.n - (1 if is_above else 0):
            part = z[k:] if is_above else z[: self.n + 1 - k]
            x = part - k * self.mu
            if not len(x) or x.max() < -_FAR:
                return
            yield upper_tails(-x) * (1 + _RELATIVE) + LEAST
            k += 1

    def centre(self) -> float:
        return self.mu / 2

    def beside(self, place: float, width: float, *, is_last: bool) -> list[float]:
        steps = (offset * width * self.mu for offset in (_NEXT if is_last else _OFFSETS))
        return sorted({min(max(place + step, -_LARGEST), _LARGEST) for step in steps})

    def in_widths(self, difference: float) -> float:
        return difference / self.mu

    def is_settled(self, places: list[float], found: float) -> bool:
        is_inside = places[0] < found < places[-1] or abs(found) == _LARGEST
        return is_inside and places[-1] - places[0] <= _FINE * self.mu


def _density(z: float) -> float:
    return math.exp(-0.5 * z * z) / _ROOT
