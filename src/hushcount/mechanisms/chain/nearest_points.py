"""The nearest optimum under several (epsilon, delta) at once.

c_1 = gamma, c_{j+1} = g(c_j) + gamma, and by reflection c_h = y* for M = 2h outcomes, g(c_h) = (1 - gamma) / 2 for
M = 2h + 1 (see `nearest`). Up to y* all lines of g have slopes q <= 1, so c_j follows a few geometric sums, each until
the next line is the largest; floats lose nothing there. c_j is kept until it no longer moves.

**How near floats come.** As under mu, the least error probability lies between the least and the largest of the chain's
own over true counts; these agree to 1e-14, so that much of it is proved by evaluating them. At most 2^20 of the c_j are
kept, whatever n is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.inputs.arguments import integer
from hushcount.mechanisms.chain.point_chain import PointChain, Points, check_chain
from hushcount.mechanisms.chain.shifts import LARGEST_TABLE
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import nearest_float
from hushcount.numbers.roots import root_of_falling
from hushcount.promise.float_lines import FloatLines
from hushcount.promise.piecewise_linear import PiecewiseLinear

__all__ = ["NearestPoints"]

_LEAST_REST = 2.0**-60
"""1 - x_j where floats have lost it: so much accuracy is given up where errors are rarer still."""


@dataclass(frozen=True)
class NearestPoints(PointChain):
    """See the module."""

    n: int
    privacy: PiecewiseLinear

    name = "nearest"
    is_mirrored = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", integer(self.n, "n", least=0))
        if not isinstance(self.privacy, PiecewiseLinear):
            raise InvalidParameter("privacy", self.privacy, "an EpsilonDelta or SeveralPairs")

    @property
    def promise(self) -> PiecewiseLinear:
        return self.privacy

    @cached_property
    def points(self) -> Points:
        M, half = self.n + 1, self.n // 2
        if M == 1:
            return Points(0, True, np.zeros(0))
        star = nearest_float(lambda p: self.privacy.fixed_point())
        lines, steps = FloatLines.of(self.privacy).shrinking, M // 2

        def lateness(gamma: float) -> float:
            c = _last(lines, gamma, steps)
            return star - c if M % 2 == 0 else (1 - gamma) / 2 - _least(lines, c)[0]

        gamma = root_of_falling(lateness, 0.0, 1.0)
        values = _table(lines, gamma, half) if half else np.zeros(0)
        values = np.minimum(values, star)
        points = Points(self.n, True, np.where(values > 0.5, -np.maximum(1 - values, _LEAST_REST), values))
        check_chain(self.privacy, points)
        return points


Lines = tuple[tuple[float, float], ...]


def _least(lines: Lines, c: float) -> tuple[float, float, float]:
    """Return g(c) with the q and delta of its line; (0, 0, 0) where no line is above 0."""
    return max(((q * (c - delta), q, delta) for q, delta in lines if c > delta), default=(0.0, 0.0, 0.0))


def _runs(lines: Lines, gamma: float, count: int) -> list[tuple[float, float, float, int]]:
    """Return c_1..c_count in pieces: the first c, q and the summand of c -> q c + summand, and how many there are."""
    runs, c, left = [], gamma, count
    while left > 0:
        _, q, delta = _least(lines, c)
        summand = gamma - q * delta
        steps = _steps(lines, c, q, delta, summand, left)
        runs.append((c, q, summand, steps))
        left -= steps
        c = float(_at(c, q, summand, steps))
    return runs


def _steps(lines: Lines, c: float, q: float, delta: float, summand: float, most: int) -> int:
    """Return how many steps start on this line (at least one): until c rises past where a steeper one is larger."""
    ends = [(s * d - q * delta) / (s - q) for s, d in lines if s > q]
    end = min((x for x in ends if x > c), default=math.inf)
    if q == 0 or math.isinf(end):
        return most
    if q == 1:
        return min(most, math.ceil((end - c) / summand)) if summand > 0 else most
    rest = summand / (1 - q)  # where the line would come to rest
    if not rest > end:
        return most
    return max(1, min(most, math.ceil(math.log((rest - end) / (rest - c)) / math.log(q))))


def _at(c: float, q: float, summand: float, steps: int | Floats) -> Any:
    """Return c after so many steps, in the type of `steps`."""
    if q == 1:
        return c + summand * steps
    if q == 0:
        return c + 0.0 * steps
    rest, log_q = summand / (1 - q), math.log(q)
    return c - (rest - c) * np.expm1(log_q * steps)


def _last(lines: Lines, gamma: float, count: int) -> float:
    c, q, summand, steps = _runs(lines, gamma, count)[-1]
    return float(_at(c, q, summand, steps - 1))


def _table(lines: Lines, gamma: float, count: int) -> Floats:
    """Return c_1, c_2, ... until they rest, or all of them.

    Raises:
        TooLarge: there would be more than 2^20.
    """
    parts, total = [], 0
    for c, q, summand, steps in _runs(lines, gamma, count):
        kept = steps
        if 0 < q < 1:
            kept = min(steps, math.ceil(40 / -math.log(q)))
        if q == 0 or (q == 1 and summand == 0):
            kept = 1
        total += kept
        if total > LARGEST_TABLE:
            raise TooLarge(f"more than {2 * LARGEST_TABLE:,} different thresholds are too many; promise fewer pairs")
        parts.append(np.asarray(_at(c, q, summand, np.arange(kept, dtype=np.float64))))
        if kept < steps:
            break
    return np.concatenate(parts)
