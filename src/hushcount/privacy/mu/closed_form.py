"""The least mu of a mechanism in closed form with monotone likelihood ratios: prefixes ask for the most.

For i < k the ratio p(i, j) / p(k, j) does not increase with j, so the events 0..j of i against k are all that matter.
Where one pair is worst at every epsilon, by proof, it is worst here too: mu is no more than an epsilon for each delta
([DRS22] Corollary 2.13). All prefixes are enclosed up to 128 outcomes, or 16,384 where the worst pair is known. Beyond,
those near the true counts and at the ends, in pairs at both edges and in the middle, give a lower end, if their chances
can be told from 0 and 1; the upper one is the promise that is proven: mu itself, or that of a pure epsilon,
2 Phi^-1(1 / (1 + e^-epsilon)). No mu holds where delta > 0 lets an outcome be possible for one of the two only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from flint import ctx

from hushcount.errors import BadUse, TooLarge
from hushcount.mechanisms.base import Mechanism
from hushcount.numbers.enclosure import TooCoarse, ball
from hushcount.numbers.intervals import Interval, upper_fraction
from hushcount.privacy.closed_form_audit import ClosedFormAudit
from hushcount.privacy.findings import Finding, Witness
from hushcount.privacy.mu.events import NOTHING, Asked, Chances, asked_by
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP, mu_squared_of_pure_epsilon

__all__ = ["ClosedFormMu"]

_MOST_LISTED = 128
_MOST_OF_ONE_PAIR = _MOST_LISTED**2
_NEAR = 4


class ClosedFormMu:
    """The least mu between true counts at one distance.

    Raises:
        BadUse: nothing is proven about the likelihood ratios.
        TooLarge: too many outcomes, and no promise of mu follows from what is proven.
    """

    def __init__(self, mechanism: Mechanism, distance: int) -> None:
        self._mechanism, self._distance = mechanism, distance
        if not mechanism.has_monotone_ratios:
            raise BadUse(
                f"an audit against mu in closed form needs monotone likelihood ratios, which {mechanism.name!r} is not "
                "proven to have; audit its matrix(), rounded to floats"
            )
        known = mechanism.worst_pairs(distance) if distance <= mechanism.n else []
        self._known = None if known is None else sorted({min(pair) for pair in known})
        most = _MOST_LISTED if known is None else _MOST_OF_ONE_PAIR
        self._is_complete = mechanism.n < most
        self.promise = self._promised()
        if self.promise is None and not self._is_complete:
            raise TooLarge(
                f"nothing is proven of {mechanism.name!r} that promises a mu; more than {most:,} outcomes are not "
                "audited in closed form"
            )

    def _promised(self) -> GaussianDP | None:
        kept = self._mechanism.proven_privacy
        if isinstance(kept, EpsilonDelta) and kept.delta == 0:
            squared = mu_squared_of_pure_epsilon(kept.epsilon * self._distance)
            return GaussianDP(squared) if squared else None
        return kept.at_distance(self._distance) if isinstance(kept, GaussianDP) else None

    def least_mu(self) -> Finding:
        """Return the least mu, with the prefix that asks for it."""
        found = NOTHING
        for i in self._starts():
            for j in self._ends(i):
                found |= self._prefix(i, i + self._distance, j, found)
                if found.lower is None:
                    return Finding(Interval(None, None), found.witness)
        upper = found.upper if self._is_complete else None
        if self.promise is not None:
            with_promise = _upper_mu(self.promise)
            assert found.lower is not None
            if with_promise >= found.lower and (upper is None or with_promise < upper):
                upper = with_promise
        return Finding(Interval(found.lower, upper), found.witness)

    def probability(self, true: int, outcomes: Iterable[tuple[int, int]]) -> Interval:
        """Return the probability of a prefix."""
        return ClosedFormAudit(self._mechanism, self._distance).probability(true, tuple(outcomes))

    def _prefix(self, i: int, k: int, j: int, best: Asked) -> Asked:
        m = self._mechanism

        def chances(precision: int) -> Chances:
            mine, theirs = m.enclosed_cdf(i, j, precision), m.enclosed_cdf(k, j, precision)
            return Chances(mine, m.enclosed_above(i, j, precision), theirs, m.enclosed_above(k, j, precision))

        try:
            return asked_by(Witness(i, k, ((0, j),)), chances, best.lower or Fraction(0))
        except TooCoarse:  # a chance nearer to 0 or 1 than enclosures tell: the promise alone bounds what it asks for
            return Asked(Fraction(0), None, None)

    def _starts(self) -> Iterator[int]:
        """Yield the smaller true counts of the pairs: of the worst, if known; half of all, if mirrored."""
        if self._known is not None:
            yield from self._known
            return
        last = self._mechanism.n - self._distance
        if last < 0:
            return
        end = last // 2 if self._mechanism.is_mirrored else last
        if self._is_complete:
            yield from range(end + 1)
            return
        middle = last // 2
        chosen = {*range(_NEAR), *range(middle - _NEAR, middle + 1), *range(end - _NEAR, end + 1)}
        yield from sorted(i for i in chosen if 0 <= i <= end)

    def _ends(self, i: int) -> Iterator[int]:
        """Yield the last outcomes of the prefixes."""
        n = self._mechanism.n
        if self._is_complete:
            yield from range(n)
            return
        chosen = {*range(_NEAR), *range(i - _NEAR, i + self._distance + _NEAR), *range(n - _NEAR, n)}
        yield from sorted(j for j in chosen if 0 <= j < n)


def _upper_mu(promise: GaussianDP) -> Fraction:
    """Return the mu of a promise, exactly or rounded up."""
    exactly = promise.exact_mu
    if exactly is not None:
        return exactly
    with ctx.workprec(256):
        return upper_fraction(ball(promise.mu_squared).sqrt())
