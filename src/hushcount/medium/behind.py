"""What lies behind a fixed medium, as one object: T at one promise, with all that is found there kept.

Theorem2     T^-1 and P* T^-1, enclosed, and what the statements of Theorem 2 conclude
Bounds       l and u0 to u5, each with its mechanism
Certified    p_e*(T) between proved bounds, with a mechanism that reaches it
Behind       all of them, and whether the medium costs anything
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from hushcount.medium.certified.exact_member import inner_member, mixed_member
from hushcount.medium.certified.optimum import Certified
from hushcount.medium.channels.measured import MeasuredMedium
from hushcount.medium.medium import Medium
from hushcount.medium.theorem_2.inverse import LARGEST_INVERTED, is_invertible_size
from hushcount.medium.theorem_2.lossless import Losslessness, Verdict
from hushcount.medium.theorem_2.statement import AppliedStatement, Conclusion
from hushcount.medium.theorem_2.theorem_2 import Theorem2
from hushcount.numbers.arrays import Floats
from hushcount.numbers.exact import Number

__all__ = ["Behind", "is_lossless", "upward"]

_MOST_FOR_RADIUS = 9
"""The most symbols for which the exact radius is asked for as a last resort; it takes two linear programs for each
entry."""

_SEARCHES = {
    "a mixture of optima in closed form that comes out of the medium": mixed_member,
    "an optimum that comes out of the medium, inside the set of optima": inner_member,
}


def is_lossless(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> Losslessness:
    """Return whether p_e*(T) = p_e*, by the cheapest argument that decides.

    First come the statements of Theorem 2 of [RV26] that may prove it: (27), (28), and P* T^-1 >= 0. Then come those
    that may refute it: 5, (25) with R_M, and 6. Then the question is decided exactly: T is lossless iff some optimum is
    G T with G stochastic. A mixture of optima in closed form, or a point inside the set of optima, may prove that
    (`exact_member`). The certified optimum behind T may refute it, and so, up to 9 symbols, may (25) with the exact
    radius.

    A medium with outputs of its own (`DecidedMedium`) is never proved to cost nothing: UNDECIDED, with a gap.

    Args:
        medium: a medium, or its matrix (`from_matrix`). Above 256 symbols only the bounds are left, and the statements
            if it is circulant.
        epsilon, delta: >= 0 in nats, and 0 <= delta < 1; kept exactly.

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it.
        TooLarge: more than 4,096 symbols.
        SolverFailed: see `OptimalSet.ranges`.
    """
    return Behind.of(medium, epsilon, delta).losslessness


@dataclass(frozen=True)
class _Decision:
    """A verdict, and G in floats where an argument for LOSSLESS left it."""

    verdict: Verdict
    decided_by: str
    tried: tuple[AppliedStatement, ...]
    matrix: Floats | None = None


@dataclass(frozen=True, eq=False)
class Behind(Theorem2, Certified):
    """All that is known behind one medium at one promise; each part is computed when it is first asked for."""

    @property
    def verdict(self) -> Verdict:
        """The verdict of `losslessness` alone, which may be cheaper."""
        return self._decision.verdict

    @cached_property
    def losslessness(self) -> Losslessness:
        """The answer of `is_lossless`.

        Raises:
            SolverFailed: see `is_lossless`.
        """
        found, mechanism = self._decision, None
        if found.matrix is not None:
            used = self.received(found.matrix)
            mechanism, gap = used.mechanism, upward(used.error_probability - self.without.lower)
        elif found.verdict is Verdict.LOSSY:
            gap = -upward(self.without.upper - self.optimum.lower)
        else:
            mechanism, gap = self.optimum.mechanism, upward(self.optimum.upper - self.without.lower)
        is_observed = isinstance(self.medium, MeasuredMedium)
        return Losslessness(found.verdict, found.decided_by, found.tried, mechanism, max(0.0, gap), is_observed)

    @cached_property
    def _decision(self) -> _Decision:
        tried: list[AppliedStatement] = []
        for criterion in self._criteria():
            tried.append(criterion)
            if criterion.conclusion is Conclusion.LOSSLESS:  # every statement that concludes so has P* T^-1 >= 0
                assert self.moved is not None
                return _Decision(Verdict.LOSSLESS, criterion.name, tuple(tried), self.moved.floats())
            if criterion.conclusion is Conclusion.LOSSY:
                return _Decision(Verdict.LOSSY, criterion.name, tuple(tried))
        is_searched = self.medium.order <= LARGEST_INVERTED and not self.medium.is_decided
        for words, search in _SEARCHES.items() if is_searched else ():
            if (matrix := search(self)) is not None:
                return _Decision(Verdict.LOSSLESS, words, tuple(tried), matrix)
        if self.optimum.lower > self.without.upper:
            return _Decision(Verdict.LOSSY, "the certified optimum behind the medium", tuple(tried))
        if self.medium.order <= _MOST_FOR_RADIUS:
            tried.append(self.statement_1_with_radius)
            if tried[-1].conclusion is Conclusion.LOSSY:
                return _Decision(Verdict.LOSSY, tried[-1].name, tuple(tried))
        return _Decision(Verdict.UNDECIDED, "nothing", tuple(tried))

    def _criteria(self) -> Iterator[AppliedStatement]:
        """Yield the applied statements, cheapest first; none where they ask for more than can be inverted."""
        if not is_invertible_size(self.medium):
            return
        yield self.statement_2_row_norm
        yield self.statement_2_max_norm
        yield self.canonical_fits
        yield self.statement_5
        yield self.statement_1
        yield self.statement_6


def upward(difference: float) -> float:
    """Return a difference of floats, rounded up."""
    return float(np.nextafter(difference, math.inf)) if difference else difference
