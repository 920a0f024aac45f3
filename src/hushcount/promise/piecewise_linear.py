"""The curve of one or several (epsilon, delta) at once: g is the largest of a few lines.

    g(y) = max(0, q (y - delta), 1 - delta - e^epsilon (1 - y))    over all pairs, q = e^-epsilon.

The second kind of line is followed by its complement, z = 1 - y -> e^epsilon z + delta, a sum of positive terms.
Iterates of g fall, and g is convex, so they pass the lines in order of their slopes: k steps are a few runs along one
line each, and a run is a geometric sum. Whether a run stays on its line is checked at its first and last point only:
where one line is the largest is an interval. A step that no check covers is taken by itself, as the largest of all
lines. So every value is enclosed, in O(number of pairs times log k).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Protocol

from flint import arb

from hushcount.numbers.enclosure import ENOUGH_BITS, ball, refinements
from hushcount.numbers.intervals import upper_fraction
from hushcount.promise.curve import Curve

__all__ = ["PiecewiseLinear", "Run"]

_STEEP = 2**30
_TINY = arb(2) ** -1100


class _Pair(Protocol):
    """One (epsilon, delta), kept exactly."""

    @property
    def epsilon(self) -> Fraction: ...

    @property
    def delta(self) -> Fraction: ...

    @property
    def shrinkage(self) -> float:
        """Return the float nearest to e^-epsilon."""


@dataclass(frozen=True)
class Point:
    """A chance and its complement."""

    y: arb
    rest: arb


@dataclass(frozen=True)
class Line:
    """A line of g: y -> q (y - delta) if it `falls`, else z -> e^epsilon z + delta for the complement z = 1 - y."""

    epsilon: arb
    delta: arb
    falls: bool

    def after(self, p: Point, steps: int) -> Point:
        """Take so many steps along this line, whether or not it is the largest."""
        if self.falls:
            y = (-self.epsilon * steps).exp() * p.y
            if not self.delta.is_zero():
                y -= self.delta * (-self.epsilon).exp() * _series(-self.epsilon, steps)
            return Point(y, 1 - y)
        if self.epsilon > _STEEP:  # beyond what balls hold: z = 0 moves to delta, any other to above 1
            if p.rest.is_zero() and (steps == 1 or self.delta.is_zero()):
                return Point(1 - self.delta, self.delta)
            return Point(arb("-inf"), arb("+inf"))
        z = (self.epsilon * steps).exp() * p.rest
        if not self.delta.is_zero():
            z += self.delta * _series(self.epsilon, steps)
        return Point(1 - z, z)

    def slope_and_value_at_1(self) -> tuple[arb, arb]:
        """Return the slope of the line in y, and its value at y = 1."""
        if self.falls:
            q = (-self.epsilon).exp()
            return q, q * (1 - self.delta)
        return self.epsilon.exp(), 1 - self.delta


def _series(epsilon: arb, steps: int) -> arb:
    """Enclose 1 + e^epsilon + ... + e^(epsilon (steps - 1))."""
    return arb(steps) if epsilon.is_zero() else (epsilon * steps).expm1() / epsilon.expm1()


@dataclass(frozen=True)
class Run:
    """The iterates of g from step `start` on, so many steps of them along one line."""

    start: int
    point: Point
    line: Line
    steps: int

    def end(self) -> Point:
        """Return the last of them."""
        return self.line.after(self.point, self.steps) if self.steps else self.point


class PiecewiseLinear(Curve):
    """See the module."""

    @abstractmethod
    def all_pairs(self) -> Sequence[_Pair]:
        """Return the (epsilon, delta) that are promised all at once."""

    def least_after(self, y: arb, rest: arb, steps: int) -> arb:
        """See the module."""
        *_, last = self.runs(y, rest, steps)
        return last.end().y.nonnegative_part()

    def runs(self, y: arb, rest: arb, steps: int) -> Iterator[Run]:
        """Yield the runs of which so many steps from y are made, the first of them of no step; see the module.

        They end early where g has reached 0, or where it stays.
        """
        lines, p, taken = self.lines(), Point(y, rest), 0
        yield Run(0, p, lines[0], 0)
        while taken < steps:
            moved, line = _largest(lines, p)
            taken += 1
            if not moved.y > 0 and moved.y < _TINY:  # g(y) <= y, so it lies between 0 and here
                end = moved.y.upper().max(arb(0))
                yield Run(taken, Point(end.union(arb(0)) if end > 0 else end, arb(1)), line, 0)
                return
            if moved.rest.is_zero():
                yield Run(taken, moved, line, 0)
                return
            found = Run(taken, moved, line, _run(lines, line, moved, steps - taken) if taken < steps else 0)
            yield found
            p, taken = found.end(), taken + found.steps

    def fixed_point(self) -> arb:
        """Enclose the least (1 + delta q) / (1 + q) over the pairs: g(y) + y grows with y and with each pair."""
        return 1 - self.fixed_rest()

    def fixed_rest(self) -> arb:
        """Enclose 1 - y* = g(y*), the largest q (1 - delta) / (1 + q), however near y* is to 1."""
        best = arb(0)
        for pair in self.all_pairs():
            q = (-ball(pair.epsilon)).exp()
            best = best.max(q * (1 - ball(pair.delta)) / (1 + q))
        return best

    @property
    def starts_above_zero(self) -> bool:
        return all(pair.delta > 0 for pair in self.all_pairs())

    def enough_epsilon(self, delta: Fraction) -> Fraction | None:
        """Return the epsilon of a pair; None where each has a larger delta, which is f(0) at least."""
        return min((pair.epsilon for pair in self.all_pairs() if pair.delta <= delta), default=None)

    def least_delta(self, epsilon: Fraction) -> Fraction:
        """Return the least delta, as in `Curve`.

        f(x) - e^epsilon x is concave, so it is largest at 0 or at a kink of f. The kinks are among all points where two
        lines of f meet.
        """
        best = min((pair.delta for pair in self.all_pairs() if pair.epsilon <= epsilon), default=Fraction(1))
        for value in refinements(lambda precision: self._excess(ball(epsilon).exp())):
            if value < 1:
                best = min(best, upper_fraction(value))
            if best == 0 or not value.abs_upper() > _TINY or value.rel_accuracy_bits() >= ENOUGH_BITS:
                break
        return best

    def _excess(self, growth: arb) -> arb:
        """Enclose the sup of f(x) - growth x, growth >= 1."""
        lines = [line for line in self.lines() if not line.epsilon > _STEEP]  # fewer lines: an upper bound
        if not lines:
            return arb(1)
        forms = [line.slope_and_value_at_1() for line in lines] + [(arb(0), arb(0))]
        value, rests = arb(0), [arb(0), arb(1)]
        for (s, v), (t, w) in combinations(forms, 2):
            rest = (v - w) / (s - t)  # where two lines meet, v - s rest = w - t rest
            if rest.is_finite():
                rests.append(rest.max(arb(0)).min(arb(1)))
        for x in rests:  # f(x) = 1 - g(1 - x)
            value = value.max(_largest(lines, Point(1 - x, x))[0].rest.min(arb(1)) - growth * x)
        return value

    def lines(self) -> list[Line]:
        """Return the lines of which g is the largest; no cut at 0."""
        lines = []
        for pair in self.all_pairs():
            parts = ball(pair.epsilon), ball(pair.delta)
            lines.append(Line(*parts, True))
            if pair.epsilon:  # at 0 both are y - delta
                lines.append(Line(*parts, False))
        return lines


def _largest(lines: Sequence[Line], p: Point) -> tuple[Point, Line]:
    """Take one step: return the largest of all lines, enclosed, and the line that it most likely is; no cut at 0."""
    images = [(line.after(p, 1), line) for line in lines]
    y, rest = images[0][0].y, images[0][0].rest
    for image, _ in images[1:]:
        y, rest = y.max(image.y), rest.min(image.rest)
    return Point(y, rest), min(images, key=lambda image: image[0].rest.mid())[1]


def _run(lines: Sequence[Line], line: Line, p: Point, steps: int) -> int:
    """Return a number of steps, at most `steps`, that surely stay on a line from p on; 0 if not even one does."""

    def stays(at: Point) -> bool:
        here = line.after(at, 1)
        return bool(here.y > 0) and all(
            other is line or bool(here.rest <= image.rest) or bool(here.y >= image.y)
            for other, image in ((other, other.after(at, 1)) for other in lines)
        )

    if not stays(p):
        return 0
    low, high = 1, 2  # `low` steps are sure
    while low < steps and stays(line.after(p, min(high, steps) - 1)):
        low, high = min(high, steps), 2 * high
    high = min(high, steps)
    while high - low > 1:
        middle = (low + high) // 2
        if stays(line.after(p, middle - 1)):
            low = middle
        else:
            high = middle
    return low
