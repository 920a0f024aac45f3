"""The hiding chain 1, g(1), g(g(1)), ... in floats, and what it decides of a draw.

The chain falls from 1 in a few runs, each along one line of g (`hushcount.promise.piecewise_linear`). From the y or z =
1 - y with which a run begins,

    y -> q^k y - delta q S(k),     z -> e^(epsilon k) z + v e^(epsilon k) (1 - q^k),     v = delta / (e^epsilon - 1).

Its first numbers are kept as a table.

**Error.** Exponents stay below 1500, since z is above 2^-1100 where it is more than delta alone, and are rounded twice:
z has a relative error below 2^-41, and so has y an absolute one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import arb, ctx

from hushcount.numbers.arrays import Floats, Integers
from hushcount.numbers.enclosure import FIRST_PRECISION
from hushcount.promise.piecewise_linear import PiecewiseLinear, Run

__all__ = ["HIDING_ERROR", "Hiding"]

HIDING_ERROR = 2.0**-41
"""How far off a chance may be."""

_TABLED = 2**16
_FLAT_BELOW, _STEEPEST = 1e-290, 1e290


@dataclass(frozen=True, eq=False)
class Hiding:
    """g^i(1) for the true counts 0..n, the chance with which each is hidden.

    Attributes:
        length: from this count on none is hidden; n + 1 if there is no such count.
        pieces: of each run, by columns: its start, steps, epsilon (0 if the run is flat), e^epsilon - 1 (1 if flat),
            whether y falls along it, y, delta, ln z, and ln v.
    """

    length: int
    pieces: Floats

    @classmethod
    def of(cls, promise: PiecewiseLinear, n: int) -> Hiding:
        """Follow the chain of a promise with every delta > 0."""
        with ctx.workprec(4 * FIRST_PRECISION):
            runs = list(promise.runs(arb(1), arb(0), n))
            last = runs[-1]
            length = last.start if last.end().y.is_zero() else n + 1
            return cls(length, np.array([_columns(run) for run in runs]).T)

    @cached_property
    def table(self) -> Floats:
        """The first of them, and 0."""
        return np.append(self._formulas(np.arange(min(self.length, _TABLED), dtype=np.float64)), 0.0)

    def at(self, true: Integers) -> Floats:
        """Return the chances of these true counts."""
        if self.length <= _TABLED:
            return self.table[np.minimum(true, self.length)]
        return self._formulas(true.astype(np.float64))

    def one(self, true: int) -> float:
        """Return the chance of one true count; NaN where it is not kept."""
        if true >= self.length:
            return 0.0
        return self._listed[true] if true < _TABLED else math.nan

    @cached_property
    def _listed(self) -> list[float]:
        return [float(chance) for chance in self.table]

    def _formulas(self, true: Floats) -> Floats:
        piece = np.searchsorted(self.pieces[0], true, side="right") - 1
        start, steps, epsilon, growth, falls, y, delta, log_z, log_v = self.pieces[:, piece]
        k = np.minimum(true - start, steps)
        x = epsilon * k
        gone = -np.expm1(-x)
        fallen = np.exp(-x) * y - delta * np.where(epsilon > 0, gone / growth, k)
        grown = np.exp(x + log_z) + np.exp(x + log_v) * gone
        chances: Floats = np.clip(np.where(falls > 0, fallen, 1 - grown), 0.0, 1.0)
        return chances


def _columns(run: Run) -> tuple[float, ...]:
    line, point = run.line, run.point
    epsilon = min(float(line.epsilon), _STEEPEST)
    is_flat = epsilon < _FLAT_BELOW
    falls = line.falls or is_flat or not run.steps
    growth = 1.0 if is_flat else math.expm1(min(epsilon, 700.0))
    logs = (-math.inf, -math.inf) if falls else (_log(point.rest), _log(line.delta / line.epsilon.expm1()))
    size = 0.0 if is_flat else epsilon
    return float(run.start), float(run.steps), size, growth, falls, float(point.y), float(line.delta), *logs


def _log(z: arb) -> float:
    return -math.inf if z.is_zero() else float(z.log())
