"""The audit of a mechanism in closed form, in balls and without a matrix (docs/theory.md, "Auditing").

What is proved of the mechanism (`Mechanism.proven_privacy` and what follows it there) decides how:

- the worst pair is known: that pair alone, at any n;
- likelihood ratios are monotone: one bisection for each pair, and all pairs up to 1,024 outcomes;
- nothing is proved: all probabilities of all pairs, up to 128 outcomes (beyond, three simple events from below).

Beyond these sizes a mechanism that keeps its promise has a lower end from the pairs at both edges and in the middle,
and an upper end from the promise (`promise`); at the promised epsilon the two meet. Any other is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from flint import arb

from hushcount.errors import TooLarge
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.peers.randomized_response import RandomizedResponse
from hushcount.numbers.enclosure import ENOUGH_BITS, LAST_PRECISION, TooCoarse, ball, refinements
from hushcount.numbers.intervals import Interval, interval_of, lower_fraction, upper_fraction
from hushcount.privacy.findings import Finding, Witness, as_ranges
from hushcount.privacy.prefixes import worst_prefix
from hushcount.promise.at_distance import AtDistance
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP

__all__ = ["ClosedFormAudit"]

_BITS = 256
_CLOSE = Fraction(1, 2**60)
_MOST_SEARCHED = 1024
_MOST_LISTED = 128
_NEAR = 4
_EDGE_WITH_DELTA = 32
"""How many outcomes from the edge are looked at where delta cuts tails off: they end some way from it."""
_ZERO = Fraction(0)
_TINY = Fraction(1, 2**1100)

Pair = tuple[int, int]
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class _Excess:
    """Bounds of the excess of one pair, with the event of the lower one.

    `value` encloses the excess of the event, which may be above 0 where `lower` is 0: fractions end at 2^-1100.
    """

    lower: Fraction
    upper: Fraction
    pair: Pair
    event: tuple[tuple[int, int], ...]
    value: arb

    @property
    def is_fine(self) -> bool:
        """Whether more precision would add nothing: 62 bits, or all below what fractions resolve."""
        return self.upper <= _TINY or self.upper - self.lower <= self.upper / 2**ENOUGH_BITS

    def exceeds(self, delta: Fraction) -> bool:
        return self.lower > delta or bool(self.value > ball(delta))


class ClosedFormAudit:
    """The least delta and the least epsilon between true counts at one distance."""

    def __init__(self, mechanism: Mechanism, distance: int) -> None:
        self._mechanism, self._distance = mechanism, distance
        kept = mechanism.proven_privacy
        # Randomized response keeps its promise between any two counts, however far apart.
        reach = 1 if isinstance(mechanism, RandomizedResponse) else distance
        self._promise = _promised(kept, reach)
        self._known = mechanism.worst_pairs(distance) if distance <= mechanism.n else []

    def least_delta(self, epsilon: Fraction) -> Finding:
        """Return max over ordered pairs (k, i) of sum_j (p(k, j) - e^epsilon p(i, j))^+."""
        found = self._worst(epsilon)
        return Finding(Interval(found.lower, found.upper), _witness(found))

    def least_epsilon(self, delta: Fraction) -> Finding:
        """Return the least epsilon >= 0 with least_delta(epsilon) <= delta.

        From below: any event gives e^epsilon >= (P(U | k) - delta) / P(U | i), and Newton's method with the worst event
        at the last epsilon finds the best. From above: an epsilon at which the least delta is surely <= delta.
        """
        epsilon, witness = _ZERO, None
        for worst in (self._worst_of_first, self._worst):
            while True:
                found = worst(epsilon)
                if not found.exceeds(delta):
                    break
                better = self._needed(found, delta)
                witness = _witness(found)
                if better is None:
                    return Finding(Interval(None, None), witness)
                if better <= epsilon * (1 + _CLOSE):
                    break
                epsilon = better
        return Finding(Interval(epsilon, self._enough(epsilon, delta)), witness)

    def probability(self, true: int, outcomes: tuple[Pair, ...]) -> Interval:
        """Return the probability of inclusive ranges of outcomes, to 62 bits."""
        found = Interval(_ZERO, Fraction(1))
        for value in refinements(lambda bits: self._mass(true, outcomes, bits)):
            if not value.is_finite():
                continue
            found = interval_of(value)
            if value.is_exact() or value.rel_accuracy_bits() >= ENOUGH_BITS:
                break
        return found

    def _needed(self, found: _Excess, delta: Fraction) -> Fraction | None:
        """Return a lower bound of the epsilon that the event of a finding asks for; None for infinity."""

        def needed(bits: int) -> Fraction | None:
            mine, theirs = (self._mass(true, found.event, bits) for true in found.pair)
            if theirs == 0:
                return None
            least = ((mine - ball(delta)) / theirs).log()
            if not least.is_finite():
                raise TooCoarse
            return lower_fraction(least)

        return next(_told_apart(needed))

    def _enough(self, epsilon: Fraction, delta: Fraction) -> Fraction | None:
        """Return an epsilon, at or above the given one, at which the least delta is surely <= delta; None where none
        is found."""
        if self._worst(epsilon).upper <= delta:
            return epsilon
        promised = None if self._promise is None else self._promise.least_epsilon(delta)
        for bits in (60, 50, 40, 30, 20, 10, 0):
            larger = epsilon * (1 + Fraction(1, 2**bits)) + Fraction(1, 2 ** (bits + 60))
            if promised is not None and promised <= larger:
                return promised
            if self._is_complete and self._worst(larger).upper <= delta:
                return larger
        return promised

    @property
    def _is_complete(self) -> bool:
        """Whether all pairs that matter are looked at."""
        outcomes = self._mechanism.n + 1
        largest = _MOST_SEARCHED if self._mechanism.has_monotone_ratios else _MOST_LISTED
        return self._known is not None or outcomes <= largest

    def _worst(self, epsilon: Fraction) -> _Excess:
        promised = Fraction(1) if self._promise is None else self._promise.least_delta(epsilon)
        if not self._is_complete and self._promise is None:
            limit = _MOST_SEARCHED if self._mechanism.has_monotone_ratios else _MOST_LISTED
            raise TooLarge(
                f"nothing is proven of the privacy of {self._mechanism.name!r} that would allow an audit of more than "
                f"{limit} outcomes in closed form; audit its matrix(), rounded to floats"
            )
        best = self._worst_of_first(epsilon)
        if best.lower < promised * (1 - _CLOSE) and self._is_complete and self._known is None:
            best = self._worst_of(self._all_pairs(), epsilon)
        upper = min(best.upper, promised) if self._is_complete else promised
        if self._is_complete and self._known is None and best.lower >= promised * (1 - _CLOSE):
            upper = promised
        return replace(best, lower=min(best.lower, upper), upper=upper)

    def _worst_of_first(self, epsilon: Fraction) -> _Excess:
        return self._worst_of(self._first_pairs(), epsilon)

    def _worst_of(self, pairs: Iterable[Pair], epsilon: Fraction) -> _Excess:
        """Return the worst excess: all pairs at the first precision, then finely those that may be the worst."""
        best, upper = _Excess(_ZERO, _ZERO, (0, 0), (), arb(0)), _ZERO
        coarse = [next(self._excesses(pair, epsilon)) for pair in pairs]
        surely = max((excess.lower for excess in coarse), default=_ZERO)
        for found in coarse:
            excess = self._finely(found, epsilon) if found.upper >= surely else found
            upper = max(upper, excess.upper)
            if excess.value.lower() > best.value.lower():
                best = excess
        return replace(best, upper=upper)

    def _finely(self, found: _Excess, epsilon: Fraction) -> _Excess:
        m = self._mechanism
        is_bounded = self._known is not None or m.has_monotone_ratios or m.n < _MOST_LISTED
        if is_bounded and not found.is_fine:
            for finer in self._excesses(found.pair, epsilon, 2 * _BITS):
                if finer.is_fine:
                    break
            return finer
        return found

    def _excesses(self, pair: Pair, epsilon: Fraction, first: int = _BITS) -> Iterator[_Excess]:
        return _told_apart(lambda bits: self._excess(pair, epsilon, bits), first)

    def _excess(self, pair: Pair, epsilon: Fraction, bits: int) -> _Excess:
        """Return the excess of a pair at the working precision of so many bits."""
        (true, other), m, n = pair, self._mechanism, self._mechanism.n
        growth = ball(epsilon).exp()
        event = None if self._known is None else m.worst_event(true, other, epsilon)
        if event is not None:
            low = high = self._mass(true, event, bits) - growth * self._mass(other, event, bits)
        elif m.has_monotone_ratios:
            low, high, last = worst_prefix(m, true, other, growth, bits)
            event = [] if last is None else [(0, last) if true < other else (last, n)]
        elif n < _MOST_LISTED:
            terms = [m.enclosed_pmf(true, j, bits) - growth * m.enclosed_pmf(other, j, bits) for j in range(n + 1)]
            low = high = sum((term.nonnegative_part() for term in terms), arb(0))
            event = list(as_ranges(j for j, term in enumerate(terms) if term > 0))
        else:  # the likeliest of three simple events; nothing from above
            values = [
                (self._mass(true, [span], bits) - growth * self._mass(other, [span], bits), span)
                for span in ((true, true), (0, true), (true, n))
            ]
            low, span = max(values, key=lambda value: float(value[0].mid()))
            high, event = arb(1), [span]
        if not (low.is_finite() and high.is_finite()):
            raise TooCoarse
        upper = upper_fraction(high) if high < 1 else Fraction(1)
        return _Excess(lower_fraction(low), upper, pair, tuple(event), low)

    def _mass(self, true: int, event: Iterable[Pair], bits: int) -> arb:
        """Return the probability of ranges of outcomes, from the end that each reaches; a range that reaches neither
        is short."""
        total, n, m = arb(0), self._mechanism.n, self._mechanism
        for first, last in event:
            if first == 0:
                total += m.enclosed_cdf(true, last, bits)
            elif last == n:
                total += m.enclosed_above(true, first - 1, bits)
            else:
                total += sum((m.enclosed_pmf(true, j, bits) for j in range(first, last + 1)), arb(0))
        return total

    def _first_pairs(self) -> list[Pair]:
        """Return the worst pairs where known; otherwise those at both edges and in the middle."""
        if self._known is not None:
            return self._known
        n, s = self._mechanism.n, self._distance
        middle, edge = (n + 1 - s) // 2, _EDGE_WITH_DELTA if self._mechanism.delta else _NEAR
        starts = {*range(edge), *range(middle - _NEAR, middle + _NEAR), *range(n + 1 - s - edge, n + 1 - s)}
        return self._both_ways(sorted(k for k in starts if 0 <= k <= n - s))

    def _all_pairs(self) -> list[Pair]:
        return self._both_ways(range(self._mechanism.n + 1 - self._distance))

    def _both_ways(self, starts: Iterable[int]) -> list[Pair]:
        ups = [(k, k + self._distance) for k in starts]
        return ups if self._mechanism.is_mirrored else ups + [(i, k) for k, i in ups]


def _promised(kept: Curve | None, distance: int) -> AtDistance | Curve | None:
    """Return what is proven at a distance; None where nothing is, and for several pairs at once beyond 1."""
    if isinstance(kept, EpsilonDelta):
        return AtDistance(kept, distance)
    if isinstance(kept, GaussianDP):
        return kept.at_distance(distance)
    return kept if distance == 1 else None


def _told_apart(evaluate: Callable[[int], _Result], first: int = _BITS) -> Iterator[_Result]:
    """Yield the values at growing working precisions, from the one at which the formulas can be told apart."""
    try:
        yield from refinements(evaluate, first)
    except TooCoarse:
        raise TooLarge(
            f"the probabilities cannot be told apart with {LAST_PRECISION:,} bits; ask for fewer counts or a smaller "
            "distance"
        ) from None


def _witness(found: _Excess) -> Witness | None:
    return Witness(*found.pair, found.event) if found.event else None
