"""What an (epsilon, delta) promise at distance 1 implies at another epsilon and a larger distance.

With f the trade-off curve of the promise (`hushcount.promise.epsilon_delta`), true counts at distance s are bound
by f applied s times, and the largest excess it allows at epsilon' is

    sup over x of f^s(x) - e^epsilon' x                                              ([DRS22] Proposition 2.12)

f^s is concave with the slope e^(2 r epsilon - s epsilon) left of its kink x_(r-1) and right of x_r, where f^r(x_r) is
the kink x* = q (1 - delta) / (1 + q) of f; so the supremum is at one known kink, or where f^s leaves 0 or reaches 1. At
s = 1 it is

    delta + (1 - delta) (e^epsilon - e^epsilon') / (1 + e^epsilon)   for epsilon' <= epsilon,   delta beyond.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from flint import arb

from hushcount.numbers.enclosure import ball, refinements
from hushcount.numbers.intervals import upper_fraction
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["AtDistance"]

_BITS = 256
_MOST_BITS = 4096


@dataclass(frozen=True)
class AtDistance:
    """A promise between true counts at distance 1, seen at distance `distance` >= 1."""

    promise: EpsilonDelta
    distance: int

    def least_delta(self, epsilon: Fraction) -> Fraction:
        """Return an upper bound of the least delta at `epsilon`: the exact supremum, rounded up unless it is
        rational."""
        s = self.distance
        if epsilon >= s * self.promise.epsilon:
            if s == 1 or self.promise.delta == 0:
                return self.promise.delta
            if self.promise.epsilon == 0:
                return min(Fraction(1), s * self.promise.delta)
        for found in refinements(lambda _: self._supremum(epsilon), _BITS, _MOST_BITS, times=16):
            if found < 1:
                return upper_fraction(found)
        return Fraction(1)

    def least_epsilon(self, delta: Fraction) -> Fraction | None:
        """Return an upper bound of the least epsilon at `delta`, to 2^-60; None where the promise implies none."""
        if self.least_delta(Fraction(0)) <= delta:
            return Fraction(0)
        low, high = Fraction(0), self.distance * self.promise.epsilon
        if not self.least_delta(high) <= delta:
            return None
        while high - low > high / 2**60:
            middle = (low + high) / 2
            low, high = (low, middle) if self.least_delta(middle) <= delta else (middle, high)
        return high

    def _supremum(self, epsilon: Fraction) -> arb:
        s, growth = self.distance, ball(epsilon).exp()
        r = max(0, ceil((epsilon / self.promise.epsilon + s) / 2) - 1)
        at_zero = self._at_zero()
        if r > s - 1:
            return at_zero
        x, rest = self._back(self._kink, r), self._back(self._kink, s - r - 1)
        at_kink = 1 - rest.nonnegative_part() - growth * x.nonnegative_part()
        # Where f^s has reached 1 before the kink, the best x is the first with f^s(x) = 1, which is 1 - f^s(0).
        at_one = 1 - growth * (1 - at_zero)
        if x > 0 and rest > 0:
            return at_kink
        if x > 0:
            return at_one if rest < 0 else at_one.max(at_kink)
        return at_zero if x < 0 else at_zero.max(at_kink).max(at_one)

    @property
    def _kink(self) -> arb:
        q = (-ball(self.promise.epsilon)).exp()
        return q * ball(1 - self.promise.delta) / (1 + q)

    def _back(self, y: arb, steps: int) -> arb:
        """Apply y -> q (y - delta) so many times: the least probability next to y <= 1 - x*, but for the cut at 0."""
        e = ball(self.promise.epsilon)
        series = -(-e * steps).expm1() / -(-e).expm1()
        return (-e * steps).exp() * y - ball(self.promise.delta) * (-e).exp() * series

    def _at_zero(self) -> arb:
        """Return f^s(0): x -> e^epsilon x + delta while x is below the kink, then the complement moves as in
        `_back`."""
        if self.promise.delta == 0:
            return arb(0)
        s, e, delta = self.distance, ball(self.promise.epsilon), ball(self.promise.delta)

        def after(steps: int) -> arb:
            return delta * (e * steps).expm1() / e.expm1()

        low, high = 1, s  # the first step that leaves the kink behind; a later one would only bound from above
        while low < high:
            middle = (low + high) // 2
            if after(middle) > self._kink:
                high = middle
            else:
                low = middle + 1
        return 1 - self._back(1 - after(low), s - low).nonnegative_part()
