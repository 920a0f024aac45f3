"""Mechanisms told by a chain on the curve of one or several (epsilon, delta).

The x_j are floats, hence exact, and the condition of a chain, g(x_j) <= x_{j+1}, is checked without rounding before
anything is released: privacy rests on nothing else. Near 1 it is 1 - x_j that is a float. A mirrored chain is told by
its lower half, x_{n-1-j} = 1 - g(x_j), and, where n is odd, x in the middle is y* with g(y*) = 1 - y*, not a float. It
asks for x_j >= f(0), where the mirror image of an iterate is an iterate.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from flint import arb

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.inputs.arguments import integer
from hushcount.mechanisms.chain.chain import LARGEST_SEARCH, Chain
from hushcount.numbers.arrays import Floats, Integers
from hushcount.numbers.enclosure import nearest_float, refinements
from hushcount.promise.float_lines import FloatLines
from hushcount.promise.piecewise_linear import PiecewiseLinear

__all__ = ["GivenPointChain", "PointChain", "Points"]

_LARGEST_TABLED = 4096
_MARGIN = 2.0**-46


@dataclass(frozen=True, eq=False)
class Points:
    """x_0..x_{n-1}, or the lower half of a mirrored chain, whose last one is repeated where there are fewer.

    Attributes:
        values: x_j itself if it is >= 0; x_j - 1 otherwise.
    """

    n: int
    is_mirrored: bool
    values: Floats

    @classmethod
    def of(cls, n: int, x: Floats, *, is_mirrored: bool) -> Points:
        """Keep the x_j, given as floats."""
        return cls(n, is_mirrored, np.where((x > 0.5) & (x < 1), x - 1, x))

    def pair(self, j: int) -> tuple[arb, arb]:
        """Enclose x_j and 1 - x_j."""
        value = float(self.values[min(j, len(self.values) - 1)])
        return (arb(value), 1 - arb(value)) if value >= 0 else (1 + arb(value), arb(-value))

    def pairs(self, j: Integers) -> tuple[Floats, Floats]:
        """Return the same as `pair`, elementwise in floats."""
        if not len(self.values):  # the middle alone, whose value is y*
            return np.full(j.shape, 0.5), np.full(j.shape, 0.5)
        value = self.values[np.minimum(j, len(self.values) - 1)]
        return np.where(value >= 0, value, 1 + value), np.where(value >= 0, 1 - value, -value)


class PointChain(Chain):
    """See the module."""

    name = "chain"

    @property
    @abstractmethod
    def promise(self) -> PiecewiseLinear: ...

    @property
    @abstractmethod
    def points(self) -> Points: ...

    @cached_property
    def is_steady(self) -> bool:
        # Of a mirrored chain, half: x_j <= y* there, so that g(x_j) <= 1 - y* <= y*, above which the other half lies
        values = self.points.values
        if len(values) < 3:
            return True
        x, rest = self.points.pairs(np.arange(len(values)))
        falls = self._lines.least(x[:-2], rest[:-2])[0] > x[2:] - _MARGIN
        far = np.flatnonzero(falls & ~((x[:-2] < x[2:]) | (values[:-2] == values[2:])))
        return all(self._exactly(int(j)) <= self._exactly(int(j) + 2) for j in far)

    def _exactly(self, j: int) -> Fraction:
        value = Fraction(float(self.points.values[j]))
        return value if value >= 0 else 1 + value

    @cached_property
    def _lines(self) -> FloatLines:
        return FloatLines.of(self.promise)

    def _reflected(self, true: int, j: int) -> tuple[int, int]:
        return (self.n - true, self.n - 1 - j) if self.points.is_mirrored and 2 * j > self.n - 1 else (true, j)

    def _far(self, true: int, j: int, precision: int) -> arb:
        true, j = self._reflected(true, j)
        if self.points.is_mirrored and 2 * j == self.n - 1:
            x, rest = self.promise.fixed_point(), self.promise.fixed_rest()
        else:
            x, rest = self.points.pair(j)
        if j < true:
            return self.promise.least_after(x, rest, true - j)
        return self.promise.least_after(rest, x, j - true)

    def _far_floats(self, true: Integers, j: Integers) -> Floats:
        true, j = np.broadcast_arrays(true, j)
        if self.points.is_mirrored:
            turned = 2 * j > self.n - 1
            true, j = np.where(turned, self.n - true, true), np.where(turned, self.n - 1 - j, j)
        x, rest = self.points.pairs(j)
        if self.points.is_mirrored:
            middle = 2 * j == self.n - 1
            star = nearest_float(lambda p: self.promise.fixed_point())
            x, rest = np.where(middle, star, x), np.where(middle, 1 - star, rest)
        below = j < true
        y, z = np.where(below, x, rest), np.where(below, rest, x)
        steps = np.where(below, true - j, j - true)
        for k in range(int(steps.max(initial=0))):
            moved = steps > k
            y[moved], z[moved] = self._lines.least(y[moved], z[moved])
        return y

    def _float_moments(self, rows: Integers) -> tuple[Floats, Floats, Floats]:
        """Step through all true counts at once: the tail at distance k + 1 of the next true count is g of that at k."""
        n = self.n
        if n >= LARGEST_SEARCH:
            raise TooLarge(
                f"the worst expected error is searched for among at most {LARGEST_SEARCH:,} outcomes; ask for one count"
            )
        first, second, bias = (np.zeros(n + 1) for _ in range(3))
        every = np.arange(n)
        for below in (True, False):
            y = self._far_floats(every + 1, every) if below else self._far_floats(every, every)
            z = 1 - y
            for k in range(1, n + 1):  # y: tail k of the counts that have one
                counts = slice(k, n + 1) if below else slice(0, n + 1 - k)
                first[counts] += y
                second[counts] += (2 * k - 1) * y
                bias[counts] += -y if below else y
                y, z = self._lines.least(y[:-1], z[:-1]) if below else self._lines.least(y[1:], z[1:])
        return first[rows], second[rows], bias[rows]

    def _row(self, true: int) -> Floats:
        def cell(j: int) -> float:
            return nearest_float(lambda p: self.enclosed_pmf(true, j, p))

        return np.array([cell(j) for j in range(self.n + 1)])

    def _locate(self, true: int, u: float) -> int:
        if self.n >= _LARGEST_TABLED:
            return -1
        steps = _cumulative(self, true)
        low, high = np.searchsorted(steps, (u - _MARGIN, u + _MARGIN), side="right")
        return int(low) if low == high and low <= self.n else -1

    def _locate_many(self, true: Integers, u: Floats) -> Integers:
        found = np.full(u.shape, -1, dtype=np.int64)
        if self.n >= _LARGEST_TABLED:
            return found
        for row in np.unique(true).tolist():
            of_row = np.flatnonzero(true == row)
            steps = _cumulative(self, row)
            low, high = (np.searchsorted(steps, u[of_row] + side, side="right") for side in (-_MARGIN, _MARGIN))
            found[of_row] = np.where((low == high) & (low <= self.n), low, -1)
        return found


@lru_cache(maxsize=256)
def _cumulative(mechanism: PointChain, true: int) -> Floats:
    """Return Pr(output <= j | true), each correctly rounded to one unit in the last place."""

    def upto(j: int) -> float:
        return nearest_float(lambda p: mechanism.enclosed_cdf(true, j, p))

    return np.array([*(upto(j) for j in range(mechanism.n)), 1.0])


@dataclass(frozen=True)
class GivenPointChain(PointChain):
    """The mechanism of any chain x_0..x_{n-1}, x_n = 1.

    Each is given as x_j, or as x_j - 1 < 0, which keeps what is near 1. Of a mirrored chain (`is_half`), the lower half
    is given, floor(n / 2) of them.
    """

    n: int
    privacy: PiecewiseLinear
    given: tuple[float, ...]
    is_half: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", integer(self.n, "n", least=0))
        if not isinstance(self.privacy, PiecewiseLinear):
            raise InvalidParameter("privacy", self.privacy, "an EpsilonDelta or SeveralPairs")
        count = self.n // 2 if self.is_half else self.n
        if len(self.given) != count:
            raise InvalidParameter("given", None, f"{count} floats")
        for j, x in enumerate(self.given):
            if not (isinstance(x, float) and -1 < x <= 1):
                raise InvalidParameter(f"points[{j}]", x, "a float above -1 and at most 1")
        check_chain(self.privacy, self.points)

    @property
    def form(self) -> str:
        """What `given` holds, as files call it."""
        return "lower_points" if self.is_half else "points"

    @property
    def is_mirrored(self) -> bool:  # type: ignore[override]
        return self.is_half

    @property
    def promise(self) -> PiecewiseLinear:
        return self.privacy

    @cached_property
    def points(self) -> Points:
        return Points.of(self.n, np.array(self.given, dtype=np.float64), is_mirrored=self.is_half)


def check_chain(curve: PiecewiseLinear, points: Points) -> None:
    """Check that g(x_j) <= x_{j+1} for all j, exactly; for a mirrored chain also in the middle, and x_j >= f(0).

    Raises:
        InvalidParameter: it is no chain.
    """
    values = points.values
    if len(values) > 1:
        every = np.arange(len(values) - 1)
        x, rest = points.pairs(every)
        room = points.pairs(every + 1)[0] - FloatLines.of(curve).least(x, rest)[0]
        for j in np.flatnonzero(~(room > _MARGIN)).tolist():
            _surely(lambda j=j: points.pair(j + 1)[0] - curve.least_after(*points.pair(j), 1), j)
    if points.is_mirrored and len(values) and points.n > 1:
        last = len(values) - 1
        if points.n % 2:
            _surely(lambda: curve.fixed_point() - curve.least_after(*points.pair(last), 1), last)
        else:
            _surely(lambda: arb(1) / 2 - curve.least_after(*points.pair(last), 1), last)
        least = int(np.argmin(points.pairs(np.arange(len(values)))[0]))
        _surely(lambda: points.pair(least)[0] - curve.largest_after(arb(0), arb(1), 1), least)


def _surely(room: object, j: int) -> None:
    """Check that an enclosed number is >= 0; one that cannot be told from 0 counts as below."""
    for value in refinements(lambda precision: room()):  # type: ignore[operator]
        if value >= 0:
            return
        if value < 0:
            break
    raise InvalidParameter(f"points[{j}]", None, "one of a chain: g(x_j) <= x_(j+1)")
