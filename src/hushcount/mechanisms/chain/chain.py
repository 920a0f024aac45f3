"""What all mechanisms told by a chain have in common (docs/theory.md, "Any promise").

A chain x_0..x_n = 1 on the curve of a promise, g(x_j) <= x_{j+1}, tells the mechanism

    Pr(output <= j | i) = g applied i - j times to x_j for j < i,     f applied j - i times to x_j for j >= i,

which keeps the promise; and every mechanism that keeps it has a chain, x_j = Pr(output <= j | j), whose mechanism is at
least as near: for every true count and every distance, on either side, no less mass within it. As 1 - f(x) = g(1 - x),
iterates of g alone are asked for, of x_j below a true count and of 1 - x_j above it.

What a chain supplies is one chance, `_far`: of ending on the far side of threshold j, seen from true count i. Measures
of the error are sums of these.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb

from hushcount.errors import TooLarge
from hushcount.mechanisms.base import Mechanism
from hushcount.numbers.arrays import Floats, Integers
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["LARGEST_SUM", "Chain"]

LARGEST_SUM = 2**20
"""The most terms of a sum of chances for one true count; so many take about ten seconds."""

LARGEST_SEARCH = 4096
"""The most outcomes for which the worst true count is sought among all; for chances within t, `LARGEST_TAIL_SEARCH`."""

LARGEST_TAIL_SEARCH = 2**20
_FEWEST, _WIDENING = 32, 1.25
_LARGEST_ARRAY, _LARGEST_SMALL_ARRAY = 2**18, 2**12
_HUGE = 2**60
_NEGLIGIBLE_BITS = 16


class Chain(Mechanism):
    """A mechanism told by a chain on the curve of its promise."""

    has_monotone_ratios = True

    @property
    @abstractmethod
    def promise(self) -> Curve: ...

    @property
    @abstractmethod
    def is_steady(self) -> bool:
        """Whether g(x_{j-2}) <= x_j for all j. Then Pr(|output - i| >= |i - j|) falls as i moves away from j.

        The chance to end at j or farther, beyond it, falls in any case. On the other side, for i > j and d = i - j, it
        is Pr(output <= i + d | i) that must not fall, or by reflection Pr(output <= k - 2 | i - 1) <= Pr(output <= k |
        i), k < i: g applied i - k + 1 times to x_{k-2} against g applied i - k times to x_k.
        """

    @property
    def epsilon(self) -> Fraction | None:
        return self.promise.epsilon if isinstance(self.promise, EpsilonDelta) else None

    @property
    def delta(self) -> Fraction | None:
        return self.promise.delta if isinstance(self.promise, EpsilonDelta) else None

    @property
    def proven_privacy(self) -> Curve:
        return self.promise

    @abstractmethod
    def _far(self, true: int, j: int, precision: int) -> arb:
        """Enclose Pr(output <= j | true) for 0 <= j < true, and Pr(output > j | true) for true <= j < n."""

    @abstractmethod
    def _far_floats(self, true: Integers, j: Integers) -> Floats:
        """Return `_far`, elementwise and broadcast, to 1e-13 of itself or 1e-300; only to find the worst true count."""

    def enclosed_cdf(self, true: int, released: int, precision: int) -> arb:
        if released < 0:
            return arb(0)
        if released >= self.n:
            return arb(1)
        far = self._far(true, released, precision)
        return far if released < true else 1 - far

    def enclosed_above(self, true: int, released: int, precision: int) -> arb:
        if released < 0:
            return arb(1)
        if released >= self.n:
            return arb(0)
        far = self._far(true, released, precision)
        return far if released >= true else 1 - far

    def enclosed_pmf(self, true: int, released: int, precision: int) -> arb:
        if released > true:
            return self.enclosed_above(true, released - 1, precision) - self.enclosed_above(true, released, precision)
        below = self.enclosed_cdf(true, released - 1, precision)
        if released < true:
            return self.enclosed_cdf(true, released, precision) - below
        return 1 - below - self.enclosed_above(true, released, precision)

    def _span(self) -> float:
        """Return how many outcomes on a side are, at most, released with a chance above 1e-300."""
        return float(self.n)

    def _check_span(self) -> None:
        if not self._span() <= LARGEST_SUM:
            raise TooLarge(
                f"expected errors are sums of more than {LARGEST_SUM:,} chances here; ask for chances within t"
            )

    def _moments(self, true: int, precision: int) -> tuple[arb, arb, arb]:
        self._check_span()
        down, down_squared = self.side_sums(true, True, None, precision)
        up, up_squared = self.side_sums(true, False, None, precision)
        return down + up, down_squared + up_squared, up - down

    def side_sums(self, true: int, is_below: bool, last: int | None, precision: int) -> tuple[arb, arb]:
        """Enclose the sums of tail(k) and of (2k - 1) tail(k), the chance to be off by k or more, on one side: over k =
        1..last, or all."""
        return self._side(true, (range(true - 1, -1, -1) if is_below else range(true, self.n))[:last], precision)

    def _side(self, true: int, thresholds: range, precision: int) -> tuple[arb, arb]:
        """Enclose the sums of tail(k) and (2k - 1) tail(k), k = 1, 2, ...; tails fall, so the last bounds the rest."""
        total, weighted, small = arb(0), arb(0), arb(2) ** -(precision + _NEGLIGIBLE_BITS)
        size = abs(thresholds.stop - thresholds.start)  # `len` ends at 2^63
        for k, j in enumerate(thresholds, 1):
            tail = self._far(true, j, precision)
            total += tail
            weighted += (2 * k - 1) * tail
            left = size - k
            if left and tail * size**2 < small * weighted:
                rest = tail.upper()
                return total + (rest * left).union(arb(0)), weighted + (rest * size**2).union(arb(0))
        return total, weighted

    def worst_candidates(self) -> list[int]:
        return self._candidates(LARGEST_SEARCH)

    def _candidates(self, largest: int) -> list[int]:
        """Return all true counts (half of them, if mirrored) up to so many outcomes.

        Beyond, return a selection that is not proven to hold the worst: both edges, the middle, and ever wider steps
        between.
        """
        half = self.n // 2
        if self.n < largest:
            return list(range(half + 1 if self.is_mirrored else self.n + 1))
        steps = range(int(math.log(half) / math.log(_WIDENING)))
        chosen = {*range(_FEWEST), *(min(half, int(_FEWEST * _WIDENING**k)) for k in steps), half}
        return sorted(chosen if self.is_mirrored else chosen | {self.n - i for i in chosen})

    def _worst_row(self, measure: Callable[[Integers], Floats], largest: int = LARGEST_SEARCH) -> int:
        candidates = self._candidates(largest)
        if len(candidates) == 1 or not self.n < _HUGE:
            return candidates[-1]
        rows = np.array(candidates, dtype=np.int64)
        return int(rows[np.argmax(measure(rows))])

    def expected_absolute_error(self, true: int | None = None) -> float:
        if true is None:
            true = self._worst_row(lambda rows: self._float_moments(rows)[0])
        return super().expected_absolute_error(true)

    def expected_squared_error(self, true: int | None = None) -> float:
        if true is None:
            true = self._worst_row(lambda rows: self._float_moments(rows)[1])
        return super().expected_squared_error(true)

    def bias(self, true: int | None = None) -> float:
        if true is None:
            return abs(super().bias(self._worst_row(lambda rows: abs(self._float_moments(rows)[2]))))
        return super().bias(true)

    def _worst_beyond(self, t: int) -> list[int]:
        def beyond(rows: Integers) -> Floats:
            total = np.zeros(len(rows))
            for j, exists in ((rows - t - 1, rows > t), (rows + t, rows + t < self.n)):
                total[exists] += self._far_floats(rows[exists], j[exists])
            return total

        return [0 if t >= self.n else self._worst_row(beyond, LARGEST_TAIL_SEARCH)]

    def _float_moments(self, rows: Integers) -> tuple[Floats, Floats, Floats]:
        """Return E|error|, E error^2 and the bias for several true counts, from chances above 2^-60 of a side."""
        self._check_span()
        first, second, bias = (np.zeros(len(rows)) for _ in range(3))
        largest = _LARGEST_ARRAY if self.n < LARGEST_SEARCH else _LARGEST_SMALL_ARRAY
        chunk = max(1, largest // len(rows))
        for below in (True, False):
            reach = int(rows.max()) if below else self.n - int(rows.min())
            start = 1
            while start <= reach:
                k = np.arange(start, min(start + chunk, reach + 1))
                j = rows[:, None] - k if below else rows[:, None] + (k - 1)
                exists = (j >= 0) & (j < self.n)
                tails = np.where(exists, self._far_floats(rows[:, None], np.clip(j, 0, self.n - 1)), 0.0)
                plain = tails.sum(axis=1)
                first += plain
                bias += -plain if below else plain
                second += tails @ (2.0 * k - 1)
                start += chunk
                if (tails[:, -1] * float(reach) ** 2 <= 2.0**-60 * second).all():
                    break
        return first, second, bias
