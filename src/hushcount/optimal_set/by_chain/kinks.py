"""Places for thresholds under one or several (epsilon, delta): the kinks of the curve's iterates.

Both x -> g^k(x) and x -> g^k(1 - x), k <= n, are linear between neighbouring points of the set K: 0, 1, and all that g
and its inverse f make of the kinks of g, in (0, 1). g carries neighbours in K to neighbours, or both to 0.

**A best chain has all its thresholds in K**, for every Bayes problem. *Proof.* Write x = a + u (b - a) for neighbours
a < b in K. As g is linear there, g(x) has the same u between g(a) and g(b); so g(x_j) <= x_(j+1) says that (g(a_j),
u_j) comes before (a_(j+1), u_(j+1)), or equal, in the order of words. Round every x_j up to b_j if u_j > U, and down
otherwise, for one U: this keeps that order, so it makes a chain. For U uniform in [0, 1] the mean cost is the cost of
x, as costs are linear in between; so some U costs no more. QED

So a place is a rank in K, and what a threshold gives there are slices of one sequence, ..., f(x), x, g(x), ...: an
*orbit*, computed once from each kink of g, rounded down and up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np
from flint import arb, ctx

from hushcount.mechanisms.chain.chain import Chain
from hushcount.mechanisms.chain.point_chain import GivenPointChain, PointChain
from hushcount.numbers.arrays import UNIT, Floats
from hushcount.optimal_set.by_chain.directed import LEAST, DirectedLines, down, up
from hushcount.optimal_set.by_chain.loss_steps import Tails
from hushcount.optimal_set.by_chain.thresholds import Column, Thresholds
from hushcount.promise.piecewise_linear import PiecewiseLinear

__all__ = ["KinkThresholds"]

_VISIBLE = 1e-290
_NEAR = 1e-9
_FEW = 6
_MARGIN = 2.0**-46
_OFFSETS = (-16, -4, -2, -1, 0, 1, 2, 4, 16)


class KinkThresholds(Thresholds):
    """See the module."""

    def __init__(self, n: int, promise: PiecewiseLinear) -> None:
        self.n, self.promise = n, promise
        self.has_middle = not any(pair.epsilon == pair.delta == 0 for pair in promise.all_pairs())
        self.lines = DirectedLines.of(promise)
        with ctx.workprec(192):
            bases = [(arb(0), arb(1)), (arb(1), arb(0)), *_kinks(promise)]
        self._middle = 4 * n + 3
        # Of every orbit: x and 1 - x, rounded down and rounded up; index `middle` + m holds f^m of the base, or g^-m.
        self._low, self._high = _orbits(self.lines, bases, self._middle)
        self._x, self._rest = ((low + high) / 2 for low, high in zip(self._low, self._high, strict=True))
        self._rise = np.where(self._x[:, :-1] < 0.5, np.diff(self._x, axis=1), -np.diff(self._rest, axis=1))
        self._rank_places()

    def _rank_places(self) -> None:
        """Find orbit and index of every place, in order of x; the rank of its g; and whether the next is surely
        apart."""
        middle, widest = self._middle, 3 * self.n + 1
        is_place = (self._low[0] > _VISIBLE) & (self._low[1] > _VISIBLE)
        is_place[:, : middle - widest] = is_place[:, middle + widest + 1 :] = False
        is_place[:2] = False
        is_place[[0, 1], middle] = True
        orbit, at = np.nonzero(is_place)
        with np.errstate(divide="ignore"):
            odds = np.log(self._x) - np.log(self._rest)
        odds[0, middle], odds[1, middle] = -np.inf, np.inf
        order = np.argsort(odds[orbit, at], kind="stable")
        self._orbit, self._at = orbit, at = orbit[order], at[order]
        rank = np.zeros(is_place.shape, dtype=np.int64)  # what g makes of a place is no place only if it is 0
        rank[orbit, at] = np.arange(len(orbit))
        image = rank[orbit, at - 1]
        image[-1] = len(orbit) - 1
        if self._high[1][1, middle - 1] > 0:  # g(1) < 1
            image[-1] = np.argmin(np.abs(odds[orbit, at] - odds[1, middle - 1]))
        self._image = np.maximum.accumulate(image)
        high, low = self._high[0][orbit, at][:-1], self._low[0][orbit, at][1:]
        high_rest, low_rest = self._low[1][orbit, at][:-1], self._high[1][orbit, at][1:]
        self._is_apart = np.concatenate([(high < low) | (high_rest > low_rest), [True]])
        # Where a search may end: n images of it are places as well, and places that may be one count once.
        is_inner = (np.abs(at - middle) <= 2 * self.n + 1) | (orbit < 2)
        group = np.cumsum(np.append(0, self._is_apart[:-1]))
        inner = np.flatnonzero(is_inner)
        self._ends = inner[np.unique(group[inner], return_index=True)[1]]

    # What a place gives.

    def _slices(self, rank: int, below: int, above: int) -> tuple[int, slice, slice]:
        at = int(self._at[rank])
        return int(self._orbit[rank]), slice(at - 1, at - 1 - below, -1), slice(at, at + above)

    def tails(self, place: float, j: int) -> Tails:
        rank, share = int(place), place - int(place)
        o, below, above = self._slices(rank, self.n - j, j + 1)
        found = self._x[o, below], self._rest[o, above]
        if not share:
            return found
        o, below, above = self._slices(rank + 1, self.n - j, j + 1)
        return (1 - share) * found[0] + share * self._x[o, below], (1 - share) * found[1] + share * self._rest[o, above]

    def points(self, place: float) -> tuple[float, float, float]:
        rank, share = int(place), place - int(place)
        o, at = self._orbit[rank : rank + 2], self._at[rank : rank + 2]
        shares = np.array([1 - share, share])[: len(o)]
        x, rest, image = (float(part @ shares) for part in (self._x[o, at], self._rest[o, at], self._x[o, at - 1]))
        return x, rest, image

    def _differences(self, low: int, high: int, below: int, above: int) -> Tails:
        """Return by how much each x of an orbit rises between two places."""
        o, a, p = self._slices(low, below, above)
        if self._orbit[high] == o and self._at[high] == self._at[low] + 1:
            return self._rise[o, a], self._rise[o, p]
        o2, a2, p2 = self._slices(high, below, above)
        found = []
        for one, two in ((a, a2), (p, p2)):
            x = self._x[o, one]
            found.append(np.where(x < 0.5, self._x[o2, two] - x, self._rest[o, one] - self._rest[o2, two]))
        return found[0], found[1]

    def _cost_rise(self, column: Column, low: int, high: int) -> float:
        below, above = self._differences(low, high, len(column.costs[0]), len(column.costs[1]))
        return float(column.costs[0] @ below - column.costs[1] @ above)

    # What costs least.

    def least(self, columns: Sequence[Column], low: int | None = None, near: int | None = None) -> int:
        ends = self._ends
        last = len(ends) - 1

        def rises(k: int) -> bool:
            """Whether costs rise from the k-th end to the next one."""
            here, total = (int(ends[k]), int(ends[k + 1])), 0.0
            for column in columns:
                if here[0] == here[1]:
                    break
                total += self._cost_rise(column, *here)
                here = int(self._image[here[0]]), int(self._image[here[1]])
            return total >= 0

        first = 0 if low is None else min(int(np.searchsorted(ends, low)), last)
        guess = int(np.searchsorted(ends, self.centre() if near is None else near))
        guess, step = min(max(first, guess), last), 1
        if guess == last or rises(guess):  # the first end from which costs rise is here or before
            high = guess
            while high > first and rises(max(first, high - step)):
                high, step = max(first, high - step), 2 * step
            below = max(first - 1, high - step)
        else:
            below = guess
            while below + step < last and not rises(below + step):
                below, step = below + step, 2 * step
            high = min(below + step, last)
        while high - below > 1:
            middle = (below + high) // 2
            below, high = (below, middle) if rises(middle) else (middle, high)
        return int(ends[high])

    def carried(self, place: int, steps: int) -> int:
        for _ in range(steps):
            place = int(self._image[place])
        return place

    def first_above(self, place: int, steps: int) -> int:
        images = np.arange(len(self._image))
        for _ in range(steps):
            images = self._image[images]
        return min(int(np.searchsorted(images, place)), len(images) - 1)

    def multipliers(self, columns: Sequence[Column], place: int) -> Floats:
        """Threshold k is least where m_(k-1) lies between the slopes of phi_k + m_k g on both sides of its kink. From
        the last threshold to the first this gives all that m_(k-1) may be, an interval; from the first, where it is 0,
        to the last, each m_k is taken from the middle of what the one before leaves of its interval."""
        sides = [self._slopes(column, self.carried(place, k)) for k, column in enumerate(columns)]
        low, high = 0.0, 0.0
        intervals = []
        for (left, left_of_g), (right, right_of_g) in sides[:0:-1]:
            low, high = max(left + low * left_of_g, 0.0), max(right + high * right_of_g, 0.0)
            intervals.append((min(low, high), high))
        found, before = [], 0.0
        for ((left, left_of_g), (right, right_of_g)), (low, high) in zip(sides, intervals[::-1], strict=False):
            most = (before - left) / left_of_g if left_of_g > 0 else math.inf
            least = (before - right) / right_of_g if right_of_g > 0 else -math.inf
            least, most = min(max(least, low), high), max(min(most, high), low)
            before = (least + most) / 2 if math.isfinite(most) else least
            found.append(before)
        return np.array(found)

    def _slopes(self, column: Column, at: int) -> list[tuple[float, float]]:
        """Return the slopes of costs and of g on the left and on the right; infinite at the ends."""
        found = []
        for side in (-1, 1):
            beyond = self._beyond(at, side)
            low, high = min(at, beyond), max(at, beyond)
            if low == high:
                found.append((side * math.inf, 1.0))
                continue
            width, of_image = (float(rise[0]) for rise in self._differences(low, high, 1, 1)[::-1])
            found.append((self._cost_rise(column, low, high) / width, of_image / width))
        return found

    def _beyond(self, rank: int, side: int) -> int:
        """Return the next rank on one side that is surely another x; the same rank where there is none."""
        at = rank
        while 0 <= at + side < len(self._orbit):
            at += side
            if self._is_apart[min(at, at - side)]:
                return at
        return rank

    def _width(self, low: int, high: int) -> float:
        """Return by how much x rises between two places."""
        return float(self._differences(low, high, 0, 1)[1][0])

    # Proofs.

    def lower_bound(self, column: Column, place: int) -> float:
        """Costs are convex and linear between neighbouring kinks, so they are least at a kink, between two that surely
        cost more than this one. Kinks are looked at one by one near it and at doubling distances beyond; between two
        that are no neighbours, costs lie above each line through one of them and another one beyond."""
        last = len(self._orbit) - 1
        seen = {place: self._costs(column, place)}

        def is_above(rank: int, side: int) -> bool:
            return seen[rank][0] > seen[place][1] and bool(self._is_apart[rank if side > 0 else rank - 1])

        for side in (-1, 1):
            step, end = 0, place
            while 0 <= end + side <= last:
                step = step + 1 if step < _FEW else 2 * step
                end = min(max(place + side * step, 0), last)
                seen[end] = self._costs(column, end)
                if is_above(end, side):
                    break
            near = place + side * (step - step // 2)
            while step > _FEW and abs(end - near) > 1 and is_above(end, side):  # where costs are flat, up to their end
                middle = (near + end) // 2
                seen[middle] = self._costs(column, middle)
                near, end = (near, middle) if is_above(middle, side) else (middle, end)
        ranks = sorted(seen)
        bounds = [seen[rank][0] for rank in ranks]
        for u, v in pairwise(ranks):
            if v - u == 1:
                continue
            lines = [-math.inf]
            for w in ranks:
                near, reach = (u, self._width(w, u)) if w < u else (v, self._width(v, w) if w > v else 0.0)
                if reach > 0:
                    fall = max(seen[w][1] - seen[near][0], 0.0)
                    lines.append(seen[near][0] - fall * self._width(u, v) / reach * (1 + _NEAR))
            bounds.append(max(lines))
        return min(bounds)

    def _costs(self, column: Column, rank: int) -> tuple[float, float]:
        """Return bounds of what the column costs at a place."""
        o, below, above = self._slices(rank, len(column.costs[0]), len(column.costs[1]))
        slack = (2 * self.n + 32) * UNIT
        low = column.of((self._low[0][o, below], self._low[1][o, above])) * (1 - slack)
        high = column.of((self._high[0][o, below], self._high[1][o, above])) * (1 + slack)
        if column.carried or column.held:
            at = self._at[rank]
            (x_low, g_low), (x_high, g_high) = ((x[o, at], x[o, at - 1]) for x in (self._low[0], self._high[0]))
            size = 8 * UNIT * (abs(low) + abs(high) + column.carried + column.held)
            low += column.carried * g_low - column.held * x_high - size
            high += column.carried * g_high - column.held * x_low + size
        return float(low), float(high)

    # Chains.

    def chain(self, x: Floats, rest: Floats) -> Chain:
        values = np.where(x <= 0.5, x, np.where(rest > 0, -rest, 1.0)).tolist()
        for j in range(len(values) - 1):
            (y, z), (following, _) = _pair(values[j]), _pair(values[j + 1])
            least, left = (
                float(part[0]) for part in self.lines.upper(np.array([y * (1 + UNIT)]), np.array([z * (1 - UNIT)]))
            )
            if least > LEAST and following < least + _MARGIN:
                raised = least if least <= 0.5 else -left if left > 0 else 1.0
                values[j + 1] = max(values[j + 1], raised, key=_order)
        return GivenPointChain(self.n, self.promise, tuple(values))

    def chain_at(self, places: Sequence[int]) -> Chain:
        at = np.array(places, dtype=np.int64)
        o, m = self._orbit[at], self._at[at]
        return self.chain(self._x[o, m], self._rest[o, m])

    def upper_tails(self, chain: Chain) -> tuple[Iterator[Floats], Iterator[Floats]]:
        assert isinstance(chain, PointChain)
        x, rest = chain.points.pairs(np.arange(self.n))
        return self._upper_run(x, rest), self._upper_run(rest, x, is_above=True)

    def _upper_run(self, y: Floats, rest: Floats, *, is_above: bool = False) -> Iterator[Floats]:
        y, rest = np.minimum(y * (1 + UNIT), 1.0), rest * (1 - UNIT)
        if is_above:
            yield y
            y, rest = y[1:], rest[1:]
        while len(y) and y.max() > _VISIBLE:
            y, rest = self.lines.upper(y, rest)
            yield y
            y, rest = (y[1:], rest[1:]) if is_above else (y[:-1], rest[:-1])

    def centre(self) -> int:
        x = self._x[self._orbit, self._at]
        g = self._x[self._orbit, self._at - 1]
        return int(np.searchsorted(x + g, 1 - _NEAR))

    def beside(self, place: float, width: float, *, is_last: bool) -> list[float]:
        last = float(len(self._orbit) - 1)
        reach = max(1, round(width))
        near = (-4 * reach, -reach - 1, -1, 0, 1, reach + 1, 4 * reach)
        around = (round(place) + step for step in near) if is_last else (place + step * width for step in _OFFSETS)
        return sorted({min(max(float(at), 0.0), last) for at in around})

    def in_widths(self, difference: float) -> float:
        return difference

    def is_settled(self, places: list[float], found: float) -> bool:
        rank, last = round(found), len(self._orbit) - 1
        return all(rank + side in places or not 0 <= rank + side <= last for side in (-1, 0, 1))


def _pair(value: float) -> tuple[float, float]:
    """Return x and 1 - x of a value that is x, or x - 1 if below 0."""
    return (value, 1 - value) if value >= 0 else (1 + value, -value)


def _order(value: float) -> tuple[float, float]:
    x, rest = _pair(value)
    return x, -rest


def _kinks(curve: PiecewiseLinear) -> list[tuple[arb, arb]]:
    """Return all y in (0, 1) at which g has a kink, with 1 - y; also g(1), where f has one, and y* with g(y*) = 1 -
    y*."""
    forms = [line.slope_and_value_at_1() for line in curve.lines()]
    found: list[tuple[arb, arb]] = []

    def add(y: arb, rest: arb) -> None:
        if y > 0 and rest > 0 and not any(abs(y - other) < 1e-40 * y for other, _ in found):
            found.append((y, rest))

    for (s, v), (t, w) in combinations(forms, 2):
        rest = (v - w) / (s - t)
        if rest.is_finite() and rest > 0:
            y = 1 - rest
            value = v - s * rest
            if value > 0 and all(value >= other - slope * rest - 1e-30 for slope, other in forms):
                add(y, rest)
    if not any(pair.epsilon == pair.delta == 0 for pair in curve.all_pairs()):
        star = curve.fixed_point()
        add(star, 1 - star)  # need be no kink, but is where canonical noise and the middle of a mirror image are
    delta = 1 - curve.least_after(arb(1), arb(0), 1)  # f(0)
    add(delta, 1 - delta)
    add(1 - delta, delta)
    return found


def _orbits(
    lines: DirectedLines, bases: list[tuple[arb, arb]], size: int
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Return (x, 1 - x) of the orbits of the bases, rounded down and rounded up."""
    count, middle = len(bases), size
    starts = [*bases, *((rest, y) for y, rest in bases)]  # below, g of x follows; above, g of 1 - x
    low_x, high_x = np.zeros((count, 2 * size + 1)), np.full((count, 2 * size + 1), LEAST)
    low_rest, high_rest = np.zeros((count, 2 * size + 1)), np.full((count, 2 * size + 1), LEAST)
    low_x[:, middle + 1 :] = low_rest[:, :middle] = 1 - UNIT
    high_x[:, middle + 1 :] = high_rest[:, :middle] = 1.0
    lower = np.array([down(y) for y, _ in starts]), np.array([up(rest) for _, rest in starts])
    upper = np.array([up(y) for y, _ in starts]), np.array([down(rest) for _, rest in starts])
    for k in range(size + 1):
        (y_low, rest_high), (y_high, rest_low) = lower, upper
        if k and not (y_high > LEAST).any():
            break
        up_at, down_at = middle + k, middle - k
        low_rest[:, up_at], high_rest[:, up_at] = y_low[count:], y_high[count:]
        low_x[:, up_at], high_x[:, up_at] = rest_low[count:], rest_high[count:]
        low_x[:, down_at], high_x[:, down_at] = y_low[:count], y_high[:count]
        low_rest[:, down_at], high_rest[:, down_at] = rest_low[:count], rest_high[:count]
        lower, upper = lines.lower(*lower), lines.upper(*upper)
    for array in (high_x, high_rest):
        np.minimum(array, 1.0, out=array)
    return (low_x, low_rest), (high_x, high_rest)
