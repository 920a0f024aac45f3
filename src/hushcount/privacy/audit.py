"""What a mechanism or a matrix really guarantees, rigorously."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from numpy.typing import ArrayLike

from hushcount.arguments import integer, listed
from hushcount.errors import InvalidParameter
from hushcount.exact import Number, exact, exact_text
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.explicit import Explicit
from hushcount.privacy.closed_form_audit import ClosedFormAudit
from hushcount.privacy.findings import Finding, Interval, Verdict, outwards
from hushcount.privacy.matrix_audit import MatrixAudit
from hushcount.stochastic import stochastic_rows

__all__ = ["Audit", "ProfilePoint", "audit"]

LARGEST_EPSILON = 10**9
"""Far beyond any privacy, and within what enclosures of e^epsilon hold."""


@dataclass(frozen=True)
class ProfilePoint:
    """One point of the privacy profile: the least delta at an epsilon."""

    epsilon: Fraction
    least_delta: Finding

    def to_dict(self) -> dict[str, Any]:
        return {"epsilon": exact_text(self.epsilon), "least_delta": self.least_delta.to_dict()}


@dataclass(frozen=True)
class Audit:
    """The result of `audit`.

    Attributes:
        epsilon, delta: the claim that was judged, exactly; epsilon is None where none was made.
        distance: between the true counts of each pair.
        pairs: how many ordered pairs of true counts there are at that distance; of none, every claim is true.
        least_delta: at `epsilon`, with its witness; None without one.
        least_epsilon: at `delta`, with its witness; its bounds are infinite where no epsilon is enough.
        verdict: on the claim; None without one.
        gap: `least_delta` less `delta` as exact bounds: positive is by how much the claim fails, negative how much is
            to spare; None without a claim.
    """

    epsilon: Fraction | None
    delta: Fraction
    distance: int
    pairs: int
    least_delta: Finding | None
    least_epsilon: Finding
    verdict: Verdict | None
    gap: tuple[Fraction, Fraction] | None = field(repr=False)
    _subject: MatrixAudit | ClosedFormAudit = field(repr=False, compare=False)

    def profile(self, epsilons: Iterable[Number]) -> tuple[ProfilePoint, ...]:
        """The privacy profile: the least delta at each epsilon >= 0, with its witness.

        Raises:
            InvalidParameter: no list, or an epsilon that is no number >= 0.
        """
        rule = "a list of numbers >= 0"
        kept = [checked_epsilon(epsilon, "epsilons") for epsilon in listed(epsilons, "epsilons", rule)]
        return tuple(ProfilePoint(epsilon, self._subject.least_delta(epsilon)) for epsilon in kept)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: exact numbers are text, infinity and what was not asked are null."""
        return {
            "epsilon": None if self.epsilon is None else exact_text(self.epsilon),
            "delta": exact_text(self.delta),
            "distance": self.distance,
            "pairs": self.pairs,
            "least_delta": None if self.least_delta is None else self.least_delta.to_dict(),
            "least_epsilon": self.least_epsilon.to_dict(),
            "verdict": None if self.verdict is None else self.verdict.name,
            "explanation": None if self.verdict is None else self.verdict.value,
            "gap": None if self.gap is None else _gap_dict(*self.gap),
        }


def audit(
    mechanism_or_matrix: Mechanism | ArrayLike,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    distance: int = 1,
) -> Audit:
    """Least delta for an epsilon, least epsilon for a delta, and the privacy profile, each with its witness.

    For an ordered pair of true counts (k, i), the set of outcomes U that exceeds the most is {j : p(k, j) > e^epsilon
    p(i, j)}, so the least delta at epsilon is

        max over |k - i| = distance of sum_j (p(k, j) - e^epsilon p(i, j))^+,

    and the least epsilon at delta is the least one at which this is <= delta (proofs: docs/theory.md,
    "Auditing"). All reported bounds are rigorous: floats of a matrix are the exact rationals they are, divided by the
    exact sum of their row; e^epsilon is enclosed; floats are rounded outward. A matrix takes O(M^2) time and O(M)
    memory beyond itself.

    Args:
        mechanism_or_matrix: a mechanism, or a matrix of real numbers, shape (true counts, outcomes), one row per true
            count, each summing to 1 (`hushcount.stochastic`). A matrix to audit need not be square: released values
            may be fewer or more than the true counts. A mechanism (`from_matrix`) must be.
        epsilon, delta: the claim to judge, in nats and as a probability; exactly as written (`hushcount.exact`). By
            default those of the mechanism; where there are none, delta is 0 and only the least epsilon is found.
        distance: of the true counts in each pair, >= 1. The guarantee for all pairs at distance <= s is the worst of
            the audits at 1..s; it is not always the one at s. Where no two true counts are so far apart, nothing
            exceeds anything and both least numbers are 0.

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it; see `hushcount.stochastic.stochastic_rows` for matrices.
        TooLarge: a mechanism of which too little is proven to be audited without a matrix at its size.
    """
    distance = integer(distance, "distance", least=1)
    subject: MatrixAudit | ClosedFormAudit
    own_epsilon = own_delta = None
    if isinstance(mechanism_or_matrix, Mechanism) and not isinstance(mechanism_or_matrix, Explicit):
        subject, true_counts = ClosedFormAudit(mechanism_or_matrix, distance), mechanism_or_matrix.n + 1
        own_epsilon, own_delta = mechanism_or_matrix.epsilon, mechanism_or_matrix.delta
    else:
        given = mechanism_or_matrix
        entries = given.entries if isinstance(given, Explicit) else stochastic_rows(given, square=False)
        subject, true_counts = MatrixAudit(entries, distance), len(entries)
    asked = own_epsilon if epsilon is None else epsilon
    claimed = None if asked is None else checked_epsilon(asked)
    excused = (own_delta or Fraction(0)) if delta is None else exact(delta, "delta")
    if not 0 <= excused < 1:
        raise InvalidParameter("delta", delta, "a number >= 0 and < 1")
    least_epsilon, pairs = subject.least_epsilon(excused), 2 * max(0, true_counts - distance)
    if claimed is None:
        return Audit(None, excused, distance, pairs, None, least_epsilon, None, None, subject)
    least_delta = subject.least_delta(claimed)
    low, high = _bounds(least_delta.interval)
    gap = low - excused, high - excused
    return Audit(claimed, excused, distance, pairs, least_delta, least_epsilon, _verdict(*gap), gap, subject)


def _verdict(low: Fraction, high: Fraction) -> Verdict:
    """On a claim that is exceeded by something between `low` and `high`."""
    if high <= 0:
        return Verdict.PRIVATE
    return Verdict.NOT_PRIVATE if low > 0 else Verdict.UNDECIDED


def _gap_dict(low: Fraction, high: Fraction) -> dict[str, float]:
    return {"lower": outwards(low, -math.inf), "upper": outwards(high, math.inf)}


def checked_epsilon(epsilon: Number, argument: str = "epsilon") -> Fraction:
    """An epsilon that an audit can answer for, exactly."""
    kept = exact(epsilon, argument)
    if not 0 <= kept <= LARGEST_EPSILON:
        raise InvalidParameter(argument, epsilon, f"a finite number >= 0, at most {LARGEST_EPSILON:,} for an audit")
    return kept


def _bounds(interval: Interval) -> tuple[Fraction, Fraction]:
    """A least delta is a probability: both bounds are finite."""
    assert interval.exact_lower is not None
    assert interval.exact_upper is not None
    return interval.exact_lower, interval.exact_upper
