"""The least mu of a matrix of floats, taken as the exact rationals that they are over their exact sums.

For each pair of rows the outcomes are ordered by their likelihood ratio; all prefixes are screened in floats, and those
that may ask for the most are enclosed, for at most `SETTLED` pairs; the others are bounded by the screening and slack.

**Screening.** Chances of prefixes, and of what remains, are sums of non-negative floats: off by at most (N + 4) 2^-53
of themselves, also by ratios that rounding has put out of order. Phi^-1 of the smaller of a chance and its complement
moves by at most sqrt(pi / 2) times a relative error. `quantiles` are right to 2^-46 of themselves, which are at most
36: what is asked for is off by at most 2 sqrt(pi / 2) (N + 4) 2^-53 + 72 2^-46, below `_slack`: 1.9e-12 for N = 100,
less than what rounding explains (`audit_result`). Events with less than 2^-900 on a side are not screened but enclosed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cmp_to_key

import numpy as np
from numpy.typing import NDArray

from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import ball
from hushcount.numbers.intervals import Interval
from hushcount.privacy.findings import Finding, Witness, as_ranges
from hushcount.privacy.mu.events import NOTHING, Asked, Chances, asked_by
from hushcount.privacy.row_pairs import Rows
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.normal_floats import quantiles

__all__ = ["SETTLED", "MatrixMu"]

SETTLED = 32
"""The most pairs whose events are enclosed."""
_LEAST = 2.0**-900


def _slack(outcomes: int) -> float:
    """Return by how much floats may be wrong about what an event asks for."""
    return 2.0**-39 + (outcomes + 4) * 2.0**-51


@dataclass(frozen=True)
class _Screened:
    """A pair of rows: its outcomes in order, and what each prefix asks for by floats (infinite where not screened)."""

    pair: tuple[int, int]
    order: NDArray[np.intp]
    asked: Floats


class MatrixMu:
    """The least mu between rows at one distance."""

    promise = None

    def __init__(self, entries: Floats, distance: int) -> None:
        self._rows, self._distance = Rows(entries), distance
        self.outcomes: int = entries.shape[1]
        self._slack = _slack(self.outcomes)

    def probability(self, true: int, outcomes: Iterable[tuple[int, int]]) -> Interval:
        """Return the exact probability of inclusive ranges of outcomes."""
        total = self._rows.mass(true, outcomes)
        return Interval(total, total)

    def least_mu(self, excused: Fraction = Fraction(0)) -> Finding:
        """Return the least mu, with the event that asks for it.

        Args:
            excused: how much is taken from the chance under the one count and given to that under the other.
        """
        screened = [self._screened(i, i + self._distance) for i in range(self._rows.count - self._distance)]
        best = NOTHING
        if not screened:
            return Finding(Interval(best.lower, best.upper), None)
        screened.sort(key=lambda pair: -float(pair.asked.max()))
        # What is screened finitely is within the slack; from the second list on nothing is infinite.
        surely = max((float(pair.asked[np.isfinite(pair.asked)].max(initial=0.0)) for pair in screened), default=0.0)
        for place, pair in enumerate(screened):
            most = float(pair.asked.max())
            if most < surely - 2 * self._slack:
                break
            if place >= SETTLED and np.isfinite(most):
                best |= Asked(Fraction(0), Fraction(most + self._slack), None)
                break
            best |= self._settled(pair, surely - 2 * self._slack, best, excused)
            if best.lower is None:
                break
        return Finding(Interval(best.lower, best.upper), best.witness)

    def surely_keeps(self, promise: GaussianDP) -> bool:
        """Return whether the screening alone proves that the rows keep mu; then `least_mu` finds so too."""
        most = 0.0
        for i in range(self._rows.count - self._distance):
            most = max(most, float(self._screened(i, i + self._distance).asked.max()))
        return most < np.inf and Fraction(most + self._slack) ** 2 <= promise.mu_squared

    def _screened(self, i: int, k: int) -> _Screened:
        a, b = self._rows.entries[i], self._rows.entries[k]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratio = np.where(b > 0, a / b, np.where(a > 0, np.inf, -1.0))
        order = np.argsort(-ratio, kind="stable")
        mine, theirs = np.cumsum(a[order]), np.cumsum(b[order])
        rest, their_rest = (np.cumsum(row[order][::-1])[::-1] for row in (a, b))
        rest, their_rest = (np.append(part[1:], 0.0) for part in (rest, their_rest))
        z = [
            np.where(low <= high, quantiles(low), -quantiles(high))
            for low, high in ((mine, rest), (theirs, their_rest))
        ]
        with np.errstate(invalid="ignore"):
            asked = z[0] - z[1]
        low = np.minimum.reduce([mine, rest, theirs, their_rest]) < _LEAST
        asked = np.where(low, np.inf, asked)
        asked[(mine == 0) | (their_rest == 0)] = 0.0  # no event, or all that the other one can be
        return _Screened((i, k), order, asked)

    def _settled(self, pair: _Screened, least: float, best: Asked, excused: Fraction) -> Asked:
        """Return what those prefixes of a pair ask for that may ask for the most of all."""
        i, k = pair.pair
        rows, found = self._rows, best
        wanted = np.flatnonzero(pair.asked >= least)
        order = self._exact_order(i, k, pair.order)
        a, b = (list(map(Fraction, rows.entries[row][order].tolist())) for row in (i, k))
        mine = theirs = Fraction(0)
        total, their_total, place = rows.sums[i], rows.sums[k], 0
        for end in wanted.tolist():
            mine += sum(a[place : end + 1], Fraction(0))
            theirs += sum(b[place : end + 1], Fraction(0))
            place = end + 1
            event = Witness(i, k, ((0, end),))  # places in the order, until it is the last word
            found |= self._event(event, mine / total - excused, theirs / their_total + excused, found)
            if found.lower is None:
                break
        if found.witness is None or found.witness is best.witness:
            return found
        end = found.witness.outcomes[0][1]
        return replace(found, witness=Witness(i, k, as_ranges(sorted(order[: end + 1]))))

    @staticmethod
    def _event(witness: Witness, mine: Fraction, theirs: Fraction, best: Asked) -> Asked:
        if mine <= max(theirs, Fraction(0)) or theirs >= 1:
            return NOTHING

        def chances(precision: int) -> Chances:
            return Chances(ball(mine), ball(1 - mine), ball(theirs), ball(1 - theirs))

        return asked_by(witness, chances, best.lower or Fraction(0))

    def _exact_order(self, i: int, k: int, order: NDArray[np.intp]) -> list[int]:
        """Order by falling ratio, exactly: what floats have put next to each other is compared by products."""
        a, b = (list(map(Fraction, self._rows.entries[row].tolist())) for row in (i, k))

        def compare(x: int, y: int) -> int:
            left, right = a[x] * b[y], a[y] * b[x]
            return (left < right) - (left > right)

        possible = [j for j in order.tolist() if a[j] or b[j]]
        return [*sorted(possible, key=cmp_to_key(compare)), *(j for j in order.tolist() if not (a[j] or b[j]))]
