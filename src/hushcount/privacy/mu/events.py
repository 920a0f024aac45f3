"""The mu that one event asks for, enclosed: Phi^-1(P(U | i)) - Phi^-1(P(U | k)).

A mechanism is mu-GDP iff no event of neighbors asks for more. One direction is enough: the complement of an event asks
for as much of (k, i) as the event of (i, k). Where likelihood ratios fall with some order of the outcomes, prefixes of
that order ask for the most: the points (P(U | k), P(U | i)) of all tests lie on or below the broken line through those
of the prefixes (Neyman and Pearson), and the curve of mu is concave, so that it is above the line where it is above
its corners (docs/theory.md, "Auditing").
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from hushcount.numbers.enclosure import ENOUGH_BITS, TooCoarse, refinements
from hushcount.numbers.intervals import lower_fraction, upper_fraction
from hushcount.privacy.findings import Witness
from hushcount.promise.normal import normal_quantile

__all__ = ["NOTHING", "Asked", "Chances", "asked_by"]

_TINY = Fraction(1, 2**1000)


@dataclass(frozen=True)
class Chances:
    """Enclosures of an event's chance under i and under k, each with its complement."""

    mine: arb
    rest: arb
    theirs: arb
    their_rest: arb

    def mu(self) -> arb | None:
        """Return what the event asks for, 0 if that is negative; None for infinity.

        Raises:
            TooCoarse: a chance cannot be told from 0 or 1.
        """
        if self.mine.is_zero() or self.their_rest.is_zero():
            return arb(0)
        if self.theirs.is_zero() or self.rest.is_zero():
            return None
        if not (self.mine > 0 and self.rest > 0 and self.theirs > 0 and self.their_rest > 0):
            raise TooCoarse
        value = normal_quantile(self.mine, self.rest) - normal_quantile(self.theirs, self.their_rest)
        if not value.is_finite():
            raise TooCoarse
        return value


@dataclass(frozen=True)
class Asked:
    """Bounds of what some events ask for, None for infinity, and the event of the lower one."""

    lower: Fraction | None
    upper: Fraction | None
    witness: Witness | None

    def __or__(self, other: Asked) -> Asked:
        """Return what they ask for together."""
        first = self.lower is None or (other.lower is not None and self.lower >= other.lower)
        above = None if self.upper is None or other.upper is None else max(self.upper, other.upper)
        best = self if first else other
        return Asked(best.lower, above, best.witness)


NOTHING = Asked(Fraction(0), Fraction(0), None)


def asked_by(witness: Witness, chances: object, enough: Fraction = Fraction(0)) -> Asked:
    """Return what one event asks for, to 62 bits, or as soon as it is surely less than `enough`.

    Args:
        chances: precision in bits -> `Chances`.
    """
    found = NOTHING
    last: list[arb | None] = [arb(0)]

    def evaluate(precision: int) -> arb:
        last[0] = chances(precision).mu()  # type: ignore[operator]
        return arb(0) if last[0] is None else last[0]

    for value in refinements(evaluate):
        if last[0] is None:
            return Asked(None, None, witness)
        found = Asked(lower_fraction(value), upper_fraction(value), witness)
        assert found.upper is not None
        if value.rel_accuracy_bits() >= ENOUGH_BITS or found.upper <= max(enough, _TINY):
            break
    return found
