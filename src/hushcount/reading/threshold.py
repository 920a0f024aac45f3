"""Telling from a released count that the true one is at least t, with a bounded chance of telling it wrongly.

The test says yes if the released count is at least c, the least threshold with Pr(released >= c | i) <= alpha for every
true count i < t; so the chance of yes is at most alpha wherever no is right. The answer is a number of outcomes, so
nothing is drawn at random again.

- Where chances have monotone ratios (`nearest` and every chain), Pr(released >= c | i) does not fall in i, and i = t -
  1 decides. Their tests are as good as tests can be at their own level a = Pr(released >= c | t - 1): the chance of yes
  is f^k(a) at t - 1 + k, as long as a > 0 (docs/theory.md, "At least so many").
- Around the circle (`canonical`) it is largest at the count nearest to the middle of c..n, and next to it falls on both
  sides.
- For all others every true count is tried.

No private test at all, of whatever mechanism, says yes with chance above f^k(alpha) at t - 1 + k, if it does with at
most alpha at t - 1. Where one change may move a count by S rows, k rows are ceil(k / S) changes: f^ceil(k / S)(alpha).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer
from hushcount.mechanisms import Canonical, Explicit, Mechanism
from hushcount.numbers.enclosure import at_most, ball, nearest_float
from hushcount.promise.curve import Curve
from hushcount.reading.confidence import check_size, last_that

__all__ = ["TOLD", "ThresholdTest"]

TOLD = Fraction(95, 100)
"""The chance of yes from which on a true count counts as told."""


@dataclass(frozen=True, eq=False)
class ThresholdTest:
    """The test of "at least `count`" for one mechanism; see the module.

    Attributes:
        mechanism: what draws the released count, 0..n.
        promise: what it promises between true counts at distance `moves` or less, f.
        count: t >= 0; at 0 the answer is always yes, and above n it is always no.
        false_alarm: alpha, > 0 and < 1.
        moves: how far one change may move a count, S.
    """

    mechanism: Mechanism
    promise: Curve
    count: int
    false_alarm: Fraction
    moves: int = 1

    @cached_property
    def threshold(self) -> int | None:
        """c, the least released count for which the answer is yes; None if it is always no."""
        if self.count == 0:
            return 0
        if self.count > self.mechanism.n:
            return None
        found = self._least()
        return found if found <= self.mechanism.n else None

    def says(self, released: int) -> bool:
        """Return the answer for a released count."""
        return self.threshold is not None and released >= self.threshold

    def chance(self, true: int) -> float:
        """Return the chance of yes at a true count, right to 1e-12.

        Raises:
            InvalidParameter: `true` is outside 0..n.
        """
        law, c = self.mechanism, self.threshold
        if not 0 <= integer(true, "true") <= law.n:
            raise InvalidParameter("true", true, f"an integer count from 0 to n = {law.n}")
        return 0.0 if c is None else nearest_float(lambda p: law.enclosed_above(true, c - 1, p))

    @property
    def level(self) -> float:
        """The largest chance of yes at a count below t; 0 if there is none."""
        c = self.threshold
        return max(map(self.chance, self._worst(c))) if c else 0.0

    def largest_chance(self, true: int) -> float:
        """Return f^ceil(k / S)(alpha) with k = true - (t - 1), which the chance of yes exceeds in no private test.

        That is, of all mechanisms with the promise and all tests whose chance of yes at t - 1 is at most alpha; 1 for t
        = 0.

        Raises:
            InvalidParameter: `true` is below t - 1.
        """
        if true < self.count - 1:
            raise InvalidParameter("true", true, f"a count >= {self.count - 1}, one below that asked about")
        return 1.0 if self.count == 0 else nearest_float(lambda p: self._largest(true - self.count + 1))

    def told_from(self, chance: Fraction = TOLD) -> int | None:
        """Return the least count >= t from which on, up to n, yes has at least this chance; None if there is none."""
        law, t, c = self.mechanism, self.count, self.threshold
        if c is None:
            return None

        def tells(true: int) -> bool:
            return c == 0 or _is_at_most(law, true, c, 1 - chance)

        if not tells(law.n):
            return None
        if isinstance(law, Canonical):  # least at the count opposite to the middle of c..n, which is near c / 2
            opposite = c // 2
            found = last_that(tells, law.n, max(t, opposite))
            return found if found > opposite else t
        if law.has_monotone_ratios:
            return last_that(tells, law.n, t)
        return next((true + 1 for true in range(law.n - 1, t - 1, -1) if not tells(true)), t)

    def tellable_from(self, chance: Fraction = TOLD) -> int | None:
        """Return the least count <= n that any private test could tell with at least this chance; None if there is
        none."""
        t, most = self.count, self.mechanism.n - self.count + 1
        if t == 0:
            return 0

        def falls_short(k: int) -> bool:
            return at_most(lambda p: ball(chance) - self._largest(k), Fraction(0)) is False

        if most < 1:
            return None
        k = last_that(falls_short, 0, most) + 1 if falls_short(0) else 1
        return None if k > most else t - 1 + max(k, 1)

    def _largest(self, rows: int) -> arb:
        steps = -(-rows // self.moves)
        return self.promise.largest_after(ball(self.false_alarm), ball(1 - self.false_alarm), steps)

    # --- the threshold ----------------------------------------------------------------------------------------------

    def _least(self) -> int:
        """Return the least c that keeps alpha, up to n + 1; t is from 1 to n."""
        law, t, kept = self.mechanism, self.count, 1 - self.false_alarm
        if isinstance(law, Explicit):
            return _least_of_matrix(law, t, self.false_alarm)
        if isinstance(law, Canonical):
            # Pr(released >= c) <= alpha if and only if the quantile of 1 - alpha is below c.
            return 1 + last_that(lambda c: any(law.quantile(i, kept) >= c for i in self._worst(c)), 0, law.n)
        return 1 + max(law.quantile(i, kept) for i in self._worst(0))

    def _worst(self, c: int) -> list[int]:
        """Return counts below t, with one among them that is released as c or more most often."""
        law, last = self.mechanism, self.count - 1
        if law.has_monotone_ratios:
            return [last]
        if isinstance(law, Canonical):
            middle = c + law.n
            return sorted({0, last, min(last, middle // 2), min(last, (middle + 1) // 2)})
        check_size(law)
        return list(range(self.count))


def _is_at_most(law: Mechanism, true: int, c: int, bound: Fraction) -> bool:
    """Return whether Pr(released < c | true) <= bound; what 2^15 bits do not tell from the bound is equal to it."""
    if isinstance(law, Explicit):
        below = float(law.entries[true, :c].sum() / law.entries[true].sum())
        if abs(below - float(bound)) > _margin(law):
            return below < bound
    return at_most(lambda p: law.enclosed_cdf(true, c - 1, p), bound) is not False


def _least_of_matrix(law: Explicit, t: int, alpha: Fraction) -> int:
    """Return the least c; sums of floats decide where they can, and exact ones of the same entries elsewhere."""
    rows = law.entries[:t]
    above = rows[:, ::-1].cumsum(axis=1)[:, ::-1] / rows.sum(axis=1, keepdims=True)
    near, margin = float(alpha), _margin(law)
    for c in np.flatnonzero(above.max(axis=0) <= near + margin).tolist():
        unsure = np.flatnonzero(above[:, c] > near - margin).tolist()
        if all(at_most(lambda p, i=i, c=c: law.enclosed_above(i, c - 1, p), alpha) is not False for i in unsure):  # type: ignore[misc]
            return int(c)
    return law.n + 1


def _margin(law: Explicit) -> float:
    """Return by how much at most a sum of a row's floats, over that of the row, is off."""
    return (len(law.entries) + 4) * 2.0**-51
