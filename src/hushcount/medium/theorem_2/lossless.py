"""Does a medium cost anything?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hushcount.mechanisms.explicit import Explicit
from hushcount.medium.certified.exact_member import inner_member, mixed_member
from hushcount.medium.certified.optimum import MediumOptimum, error_probability_without, optimum_behind
from hushcount.medium.channels.given import as_medium
from hushcount.medium.channels.measured import MeasuredMedium
from hushcount.medium.channels.received import received
from hushcount.medium.channels.true_medium import AS_OBSERVED
from hushcount.medium.medium import Medium
from hushcount.medium.theorem_2.balls import middles
from hushcount.medium.theorem_2.inverse import canonical_before
from hushcount.medium.theorem_2.statement import AppliedStatement, Conclusion
from hushcount.medium.theorem_2.theorem_2 import (
    canonical_fits,
    statement_1,
    statement_1_with_radius,
    statement_2_max_norm,
    statement_2_row_norm,
    statement_5,
    statement_6,
)
from hushcount.numbers.arrays import Floats
from hushcount.numbers.exact import Number
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["Losslessness", "Verdict", "is_lossless", "losslessness", "verdict_on"]

_MOST_FOR_RADIUS = 9
"""Symbols up to which the exact radius, two linear programs for each entry, is asked for at last."""


class Verdict(Enum):
    """Whether a medium costs anything; the value is the sentence for people."""

    LOSSLESS = "The medium costs nothing: the mechanism given, in front of it, is wrong as rarely as without a medium."
    LOSSY = "The medium costs something: no mechanism in front of it is wrong as rarely as without a medium."
    UNDECIDED = (
        "Whether the medium costs anything could not be proved; what it may cost at most is the gap. For all practical "
        "purposes take it as lossless if that is tiny."
    )


@dataclass(frozen=True, eq=False)
class Losslessness:
    """The result of `is_lossless`; true where the medium is lossless.

    Attributes:
        verdict: the answer.
        decided_by: the argument that decided, in words.
        statements: what was tried, in order, the last one that which decided (none if it was a linear program).
        mechanism: for LOSSLESS and UNDECIDED, to be used in front of the medium; private behind it by proof. Its error
            probability exceeds p_e* by at most `gap`, about 1e-14 for LOSSLESS, as its entries are rounded to floats.
        gap: the most that p_e*(T) can be above p_e*; for LOSSY, the least. Rounded outward.
        is_observed: whether all this is of observed frequencies (`MeasuredMedium`): of the true medium it says nothing.
    """

    verdict: Verdict
    decided_by: str
    statements: tuple[AppliedStatement, ...]
    mechanism: Explicit | None = field(repr=False)
    gap: float
    is_observed: bool = False

    def __bool__(self) -> bool:
        return self.verdict is Verdict.LOSSLESS

    @property
    def explanation(self) -> str:
        """The verdict for people, and what it is of."""
        return self._said(self.verdict.value)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "verdict": self.verdict.name,
            "explanation": self.explanation,
            "is_observed": self.is_observed,
            "decided_by": self.decided_by,
            "statements": [
                {**statement.to_dict(), "explanation": self._said(statement.conclusion.value)}
                for statement in self.statements
            ],
            "gap": self.gap,
        }

    def _said(self, sentence: str) -> str:
        return f"{AS_OBSERVED} {sentence}" if self.is_observed else sentence


def is_lossless(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> Losslessness:
    """Whether p_e*(T) = p_e*, by the cheapest argument that decides.

    First the statements of Theorem 2 of [RV26] that may prove it (27), (28), and P* T^-1 >= 0; then those that may
    refute it: 5, (25) with R_M, and 6. Then exactly: T is lossless iff some optimum is G T with G stochastic. A mixture
    of optima in closed form, or a point inside the set of optima, may prove that (`exact_member`); the certified
    optimum behind T may refute it, and so, up to 9 symbols, may (25) with the exact radius.

    Args:
        medium: a medium, or its matrix (`from_matrix`), of up to 256 symbols.
        epsilon, delta: >= 0 in nats, and 0 <= delta < 1; kept exactly.

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it.
        TooLarge: more than 256 symbols.
        SolverFailed: see `OptimalSet.ranges`.
    """
    return losslessness(as_medium(medium), EpsilonDelta.of(epsilon, delta))


def losslessness(T: Medium, privacy: EpsilonDelta, known: MediumOptimum | None = None) -> Losslessness:
    """The same for checked arguments, and with the optimum behind T where it is known already."""
    found = _Decision.on(T, privacy, known)
    least, most = error_probability_without(T.order, privacy)
    mechanism: Explicit | None
    if found.matrix is not None:
        used = received(found.matrix, T, privacy)
        mechanism, gap = used.mechanism, _upward(used.error_probability - least)
    else:
        best = found.optimum or optimum_behind(T, privacy)
        is_lossy = found.verdict is Verdict.LOSSY
        mechanism = None if is_lossy else best.mechanism
        gap = -_upward(most - best.lower) if is_lossy else _upward(best.upper - least)
    is_observed = isinstance(T, MeasuredMedium)
    return Losslessness(found.verdict, found.decided_by, found.statements, mechanism, max(0.0, gap), is_observed)


def verdict_on(medium: Medium, privacy: EpsilonDelta) -> Verdict:
    """The verdict of `is_lossless` alone, which may be cheaper."""
    return _Decision.on(medium, privacy).verdict


@dataclass(frozen=True)
class _Decision:
    """A verdict, and what it left.

    Attributes:
        matrix: for LOSSLESS, G in floats.
        optimum: where it was needed.
    """

    verdict: Verdict
    decided_by: str
    statements: tuple[AppliedStatement, ...]
    matrix: Floats | None = None
    optimum: MediumOptimum | None = None

    @classmethod
    def on(cls, T: Medium, privacy: EpsilonDelta, known: MediumOptimum | None = None) -> _Decision:
        tried: list[AppliedStatement] = []
        for statement in _statements(T, privacy):
            tried.append(statement)
            if statement.conclusion is Conclusion.LOSSLESS:
                before = canonical_before(T, privacy)
                assert before is not None
                return cls(Verdict.LOSSLESS, statement.name, tuple(tried), middles(before))
            if statement.conclusion is Conclusion.LOSSY:
                return cls(Verdict.LOSSY, statement.name, tuple(tried), optimum=known)
        for words, search in _SEARCHES.items():
            matrix = search(T, privacy)
            if matrix is not None:
                return cls(Verdict.LOSSLESS, words, tuple(tried), matrix)
        best = known or optimum_behind(T, privacy)
        if best.lower > error_probability_without(T.order, privacy)[1]:
            words = "the certified optimum behind the medium"
            return cls(Verdict.LOSSY, words, tuple(tried), optimum=best)
        if T.order <= _MOST_FOR_RADIUS:
            tried.append(statement_1_with_radius(T, privacy.epsilon, privacy.delta))
            if tried[-1].conclusion is Conclusion.LOSSY:
                return cls(Verdict.LOSSY, tried[-1].name, tuple(tried), optimum=best)
        return cls(Verdict.UNDECIDED, "nothing", tuple(tried), optimum=best)


_SEARCHES: dict[str, Callable[[Medium, EpsilonDelta], Floats | None]] = {
    "a mixture of optima in closed form that comes out of the medium": mixed_member,
    "an optimum that comes out of the medium, inside the set of optima": inner_member,
}


def _statements(T: Medium, privacy: EpsilonDelta) -> Iterator[AppliedStatement]:
    """Cheapest first. Those that conclude LOSSLESS have P* T^-1 >= 0."""
    at = T, privacy.epsilon, privacy.delta
    yield statement_2_row_norm(*at)
    yield statement_2_max_norm(*at)
    yield canonical_fits(*at)
    yield statement_5(*at)
    yield statement_1(*at)
    yield statement_6(*at)


def _upward(difference: float) -> float:
    """A difference of floats, rounded up."""
    return float(np.nextafter(difference, math.inf)) if difference else difference
