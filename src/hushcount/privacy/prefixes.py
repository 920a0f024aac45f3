"""The worst event between two true counts whose likelihood ratio is monotone, without listing the outcomes.

For i < k and a ratio p(i, j) / p(k, j) that does not increase with j, the outcomes with p(i, j) > E p(k, j) are a
prefix 0..j (Neyman and Pearson), and the terms p(i, j) - E p(k, j) are first >= 0, then <= 0. Bisection finds a last
term that is surely > 0 and a first one that is surely <= 0; terms between them are too near 0 to tell and are bounded
by their ratio. For the pair (k, i) the same holds from the other end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flint import arb

from hushcount.mechanisms.base import Mechanism

__all__ = ["worst_prefix"]


@dataclass(frozen=True)
class _Reading:
    """The outcomes of a mechanism read from 0 upwards, or from n downwards, without those that are never released."""

    mechanism: Mechanism
    is_downwards: bool
    precision: int

    @property
    def last(self) -> int:
        return self.mechanism.n - len(self.mechanism.never_released)

    def outcome(self, place: int) -> int:
        if self.is_downwards:
            place = self.last - place
        gap = self.mechanism.never_released
        return place + len(gap) if gap and place >= gap.start else place

    def mass(self, true: int, last: int) -> arb:
        """Return the probability of the outcomes at places 0..last."""
        if self.is_downwards:
            return self.mechanism.enclosed_above(true, self.outcome(last) - 1, self.precision)
        return self.mechanism.enclosed_cdf(true, self.outcome(last), self.precision)

    def single(self, true: int, place: int) -> arb:
        return self.mechanism.enclosed_pmf(true, self.outcome(place), self.precision)


def worst_prefix(
    mechanism: Mechanism, true: int, other: int, growth: arb, precision: int
) -> tuple[arb, arb, int | None]:
    """Return bounds of the excess of `true` over `other` at a growth, under the working precision.

    Returns:
        An enclosure of the excess of one event, a ball whose upper end bounds the excess of all, and the last outcome
        of that event (0..last if true < other, else last..n); None for the empty event.
    """
    view = _Reading(mechanism, true > other, precision)
    n = view.last
    silent = _first(lambda j: bool(view.mass(true, j) > 0), 0, n)  # all places before have almost no mass

    def term(place: int) -> arb:
        return view.single(true, place) - growth * view.single(other, place)

    after = _first(lambda j: not term(j) > 0, silent, n + 1)
    if after > silent:
        last: int | None = view.outcome(after - 1)
        surely = view.mass(true, after - 1) - growth * view.mass(other, after - 1)
        missed = arb(0)
    else:
        last, surely = None, arb(0)
        missed = view.mass(true, silent - 1).nonnegative_part() if silent > 0 else arb(0)
    if after <= n and not term(after) <= 0:
        end = _first(lambda j: bool(term(j) <= 0), after, n + 1)
        between = view.mass(true, end - 1) - (view.mass(true, after - 1) if after > 0 else arb(0))
        share = 1 - growth * view.single(other, after) / view.single(true, after)
        share = share.nonnegative_part() if share.is_finite() else arb(1)
        missed += share * between.nonnegative_part()
    return surely, surely + missed, last


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the least place in low..high at which a condition holds that, once true, stays true; high is not
    tested."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
