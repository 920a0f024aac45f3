"""The audit of an explicit matrix: screened in floats with proven bounds, settled exactly (`row_pairs`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

import numpy as np

from hushcount.numbers.arrays import UNIT, Floats
from hushcount.numbers.enclosure import ball
from hushcount.numbers.intervals import Interval, enclosing
from hushcount.privacy.findings import Finding, Witness, as_ranges
from hushcount.privacy.pair_growth import least_growth
from hushcount.privacy.row_pairs import Growth, Rows

__all__ = ["MatrixAudit", "log_interval"]

_SETTLED = 32
"""How many leading pairs are settled exactly; where more pairs tie, the others are bounded by `Rows.fine`."""
_LIFT = 64

Pair = tuple[int, int]
Leader = tuple[float, float, int, int]
"""An excess, the bound of its error, and the ordered pair."""


class MatrixAudit:
    """The least delta and the least epsilon between rows at one distance; O(M^2) time, O(M) memory beyond the
    matrix."""

    def __init__(self, entries: Floats, distance: int) -> None:
        self._rows = Rows(entries)
        self._distance = distance
        self.outcomes: int = entries.shape[1]

    def probability(self, true: int, outcomes: Iterable[tuple[int, int]]) -> Interval:
        """Return the exact probability of inclusive ranges of outcomes."""
        total = self._rows.mass(true, outcomes)
        return Interval(total, total)

    def least_delta(self, epsilon: Fraction) -> Finding:
        """Return max over ordered pairs (k, i) of sum_j (p_kj - e^epsilon p_ij)^+."""
        rows, growth = self._rows, Growth.of_epsilon(epsilon)
        pairs = list(self._pairs())
        if not pairs:
            return _NOTHING
        coarse = [rows.coarse(k, i, growth) for k, i in pairs]
        cut = max(coarse) - 2 * rows.coarse_error
        scaled = rows.scaled(growth)
        fine = [
            (*rows.fine(k, i, growth, scaled[i], Fraction(0)), k, i)
            for value, (k, i) in zip(coarse, pairs, strict=True)
            if value >= cut
        ]
        surely = max(value - error for value, error, _, _ in fine)
        leaders = self._distinct(sorted((pair for pair in fine if pair[0] + pair[1] >= surely), reverse=True))
        rest = max(
            (Fraction(value) + Fraction(error) for value, error, _, _ in leaders[_SETTLED:]), default=Fraction(0)
        )
        best = _NOTHING
        upper = rest
        for _, _, k, i in leaders[:_SETTLED]:
            interval, event = rows.settled(k, i, growth)
            low, high = interval.known
            upper = max(upper, high)
            if low > best.interval.known[0]:
                best = Finding(interval, Witness(k, i, as_ranges(event.tolist())))
        return Finding(Interval(best.interval.exact_lower, upper), best.witness)

    def least_epsilon(self, delta: Fraction) -> Finding:
        """Return the least epsilon >= 0 with least_delta(epsilon) <= delta; infinite where outcomes that one row
        never has exceed delta in the other."""
        best, witness = Fraction(1), None
        solved: set[bytes] = set()
        # Floats may see no pair above a delta just below the excess; only the exact audit may say that there is none.
        waiting = self._likely_worst(delta) or self._exceeding(best, delta, self._pairs())
        while waiting and len(solved) < _SETTLED:
            for k, i in waiting[: _SETTLED - len(solved)]:
                solved.add(self._rows.content(k, i))
                growth, event = least_growth(self._rows, k, i, delta, best)
                if growth is None:
                    return Finding(Interval(None, None), Witness(k, i, as_ranges(event)))
                if growth > best:
                    best, witness = growth, Witness(k, i, as_ranges(event))
            above = self._exceeding(best, delta, self._pairs())
            waiting = [(k, i) for k, i in above if self._rows.content(k, i) not in solved]
        interval = log_interval(best)
        if not waiting:
            return Finding(interval, witness)
        enough = self._sufficient(best, delta, waiting)
        if isinstance(enough, Finding):
            return enough
        return Finding(Interval(interval.exact_lower, log_interval(enough).exact_upper), witness)

    def _distinct(self, leaders: list[Leader]) -> list[Leader]:
        """Return one of each set of pairs that have the same excess at every growth (all pairs, in a circulant
        matrix)."""
        kept: dict[bytes, Leader] = {}
        for leader in leaders:
            kept.setdefault(self._rows.content(*leader[2:]), leader)
        return list(kept.values())

    def _pairs(self) -> Iterator[Pair]:
        s = self._distance
        for k in range(self._rows.count - s):
            yield k, k + s
            yield k + s, k

    def _exceeding(self, growth: Fraction, delta: Fraction, pairs: Iterable[Pair]) -> list[Pair]:
        """Return the pairs whose excess at a growth is not surely <= delta, largest first."""
        rows, E = self._rows, Growth.exactly(growth)
        scaled = rows.scaled(E)
        ceiling = float(delta) * (1 - UNIT) - rows.coarse_error
        found = []
        for k, i in pairs:
            if ceiling > 0 and rows.coarse(k, i, E) <= ceiling:
                continue
            value, error = rows.fine(k, i, E, scaled[i], delta)
            if value + error > 0:
                found.append((value, k, i))
        return [(k, i) for _, k, i in sorted(found, reverse=True)]

    def _sufficient(self, growth: Fraction, delta: Fraction, pairs: list[Pair]) -> Fraction | Finding:
        """Return a growth slightly above the given one at which no pair exceeds delta, or a finding where it is
        infinite after all.

        This is for more ties than are settled one by one.
        """
        larger = growth
        for bits in (90, 75, 60, 45, 30, 15):
            larger = growth * (1 + Fraction(1, 2**bits))
            pairs = self._exceeding(larger, delta, pairs)
            if not pairs:
                return larger
        for k, i in pairs:
            found, event = least_growth(self._rows, k, i, delta, larger)
            if found is None:
                return Finding(Interval(None, None), Witness(k, i, as_ranges(event)))
            larger = max(larger, found)
        return larger

    def _likely_worst(self, delta: Fraction) -> list[Pair]:
        """Return the pair that needs the largest growth, as far as floats can tell; at most one."""
        goal = float(delta) * (1 + 2.0**-40)
        best, slope = [], 2.0**-_LIFT  # slope = E 2^-64, which never overflows
        for k, i in self._pairs():
            a, b = self._rows.entries[k], self._rows.entries[i] * 2.0**_LIFT
            while True:
                with np.errstate(over="ignore"):
                    positive = a - slope * b > 0
                mine, theirs = float(a[positive].sum()), float(b[positive].sum())
                if not mine - slope * theirs > goal:
                    break
                best = [(k, i)]
                if theirs == 0:
                    return best
                steeper = (mine - float(delta)) / theirs
                if not steeper > slope:
                    break
                slope = steeper
        return best


_NOTHING = Finding(Interval(Fraction(0), Fraction(0)), None)


def log_interval(growth: Fraction) -> Interval:
    """Return ln of an exact growth >= 1, to 62 bits."""
    return enclosing(lambda precision: ball(growth).log())
