"""Which privacy constraints a mechanism meets with equality (the paper calls them active or tight)."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from flint import arb, ctx

from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.explicit import Explicit
from hushcount.numbers.enclosure import TooCoarse, ball
from hushcount.numbers.exact import LARGEST_BITS
from hushcount.privacy.entries import ENTRY_TOLERANCE
from hushcount.privacy.row_pairs import Rows
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["ActiveConstraints"]

_BITS = 192
_FINE_BITS = 4 * LARGEST_BITS


class ActiveConstraints:
    """The constraints P_k(U) <= e^epsilon P_i(U) + delta of adjacent true counts k, i, for intervals U of outcomes.

    **Equality.** In closed form, two sides count as equal if they agree to 16,384 bits, four times what epsilon and
    delta may have. The floats of a matrix are taken as exact rationals, each row over its exact sum. Their sides count
    as equal if they agree to twice the relative `ENTRY_TOLERANCE` (1e-12), since they may be equal in the matrix that
    was rounded to this one.
    """

    def __init__(self, mechanism: Mechanism, privacy: EpsilonDelta) -> None:
        self._mechanism, self._privacy = mechanism, privacy
        self._slack, self._precisions = 0.0, [_BITS, _FINE_BITS]
        if isinstance(mechanism, Explicit):
            self._slack, self._precisions = 2 * ENTRY_TOLERANCE, [_BITS]
        self._kept: dict[tuple[int, int], list[arb]] = {}

    def is_active(self, k: int, i: int, first: int, last: int) -> bool:
        """Return whether P_k(U) = e^epsilon P_i(U) + delta for U = {first..last}."""
        return all(self._may_be_equal(k, i, first, last, bits) for bits in self._precisions)

    def _may_be_equal(self, k: int, i: int, first: int, last: int, bits: int) -> bool:
        with ctx.workprec(bits):
            mine, theirs = (sum(self._row(row, bits)[first : last + 1], arb(0)) for row in (k, i))
            allowed = ball(self._privacy.epsilon).exp() * theirs + ball(self._privacy.delta)
            return bool(abs(mine - allowed).lower() <= self._slack * (mine + allowed))

    def _row(self, row: int, bits: int) -> list[arb]:
        """Return the enclosed entries of a row, each computed by itself so that sums of tiny ones are right too."""
        if (row, bits) not in self._kept:
            self._kept[row, bits] = [self._entry(row, released, bits) for released in range(self._mechanism.n + 1)]
        return self._kept[row, bits]

    def _entry(self, row: int, released: int, bits: int) -> arb:
        if isinstance(self._mechanism, Explicit):
            return ball(Fraction(float(self._mechanism.entries[row, released])) / self._sums[row])
        try:
            return self._mechanism._probability(row, released, bits)
        except TooCoarse:
            with ctx.workprec(_FINE_BITS):
                return self._mechanism._probability(row, released, _FINE_BITS)

    @cached_property
    def _sums(self) -> list[Fraction]:
        assert isinstance(self._mechanism, Explicit)
        return Rows(self._mechanism.entries).sums
