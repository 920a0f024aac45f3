"""What a mechanism or a matrix really guarantees, rigorously."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from numpy.typing import ArrayLike

from hushcount.errors import BadUse, InvalidParameter
from hushcount.inputs.arguments import integer, listed
from hushcount.inputs.stochastic import stochastic_rows
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.explicit import Explicit
from hushcount.mechanisms.peers.geometric_rows import RedrawnGeometric
from hushcount.numbers.arrays import Floats
from hushcount.numbers.exact import Number, exact, exact_text
from hushcount.numbers.intervals import Interval
from hushcount.numbers.text import DIGITS, rounded_up
from hushcount.privacy.closed_form_audit import ClosedFormAudit
from hushcount.privacy.entries import ENTRY_TOLERANCE
from hushcount.privacy.findings import BY_ROUNDING, AuditVerdict, Finding, Gap, Witness
from hushcount.privacy.matrix_audit import MatrixAudit
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["Audit", "ProfilePoint", "audit"]

LARGEST_EPSILON = 10**9
"""Far beyond any privacy, and within what enclosures of e^epsilon hold."""

ROUNDING = Fraction(ENTRY_TOLERANCE)
"""Relative: how far an entry may be from the number that it was rounded from, to call a gap one of rounding only."""

UNDERFLOW = Fraction(1, 2**1022)
"""The least normal float: a smaller entry, 0 too, may be off by as much whatever it is."""

Subject = MatrixAudit | ClosedFormAudit


@dataclass(frozen=True)
class ProfilePoint:
    """One point of the privacy profile: the least delta at an epsilon."""

    epsilon: Fraction
    least_delta: Finding

    def to_dict(self) -> dict[str, Any]:
        return {"epsilon": exact_text(self.epsilon), "least_delta": self.least_delta.to_dict()}


@dataclass(frozen=True)
class Audit:
    """The result of `audit`; `print` it for a table.

    Attributes:
        epsilon, delta: the claim that was judged, exactly; epsilon is None where none was made.
        distance: between the true counts of each pair.
        pairs: how many ordered pairs of true counts there are at that distance; of none, every claim is true.
        least_delta: at `epsilon`, with its witness; None without one.
        least_epsilon: at `delta`, with its witness; its bounds are infinite where no epsilon is enough.
        finite_from: where `least_epsilon` is infinite, the least delta at epsilon = 10^9: what outcomes that the other
            row (next to) never has make up. From its upper end on some finite epsilon is enough. None elsewhere.
        verdict: on the claim; None without one.
        gap: `least_delta` less `delta` as exact bounds: positive is by how much the claim fails, negative how much is
            to spare; None without a claim.
        by_rounding: whether the claim fails by no more than the rounding of a matrix to floats explains; see `audit`.
    """

    epsilon: Fraction | None
    delta: Fraction
    distance: int
    pairs: int
    least_delta: Finding | None
    least_epsilon: Finding
    finite_from: Finding | None
    verdict: AuditVerdict | None
    gap: Gap | None = field(repr=False)
    by_rounding: bool
    _subject: Subject = field(repr=False, compare=False)

    @property
    def explanation(self) -> str | None:
        """The verdict as a sentence for people."""
        if self.verdict is None:
            return None
        return BY_ROUNDING if self.by_rounding else self.verdict.value

    @property
    def sufficient(self) -> tuple[EpsilonDelta, ...]:
        """Claims of few digits that surely hold: the claimed epsilon with a larger delta (unless the claim itself
        holds), and the least epsilon, rounded up, with the claimed delta. One that is not found is left out."""
        found = []
        if self.epsilon is not None and self.gap is not None and self.verdict is not AuditVerdict.PRIVATE:
            exceeded, digits = self.gap.exact_upper, 1 if self.by_rounding else DIGITS
            delta = rounded_up(self.delta + exceeded, digits)
            while delta - self.delta > 2 * exceeded:  # 0.01 and a gap of 4e-17 must not become 0.02
                digits += 1
                delta = rounded_up(self.delta + exceeded, digits)
            if delta < 1:
                found.append(EpsilonDelta(self.epsilon, delta))
        least = self.least_epsilon.interval.exact_upper
        if least is not None:
            found.append(EpsilonDelta(rounded_up(least), self.delta))
        return tuple(found)

    def profile(self, epsilons: Iterable[Number]) -> tuple[ProfilePoint, ...]:
        """The privacy profile: the least delta at each epsilon >= 0, with its witness.

        Raises:
            InvalidParameter: no list, or an epsilon that is no number >= 0.
        """
        rule = "a list of numbers >= 0"
        kept = [checked_epsilon(epsilon, "epsilons") for epsilon in listed(epsilons, "epsilons", rule)]
        return tuple(ProfilePoint(epsilon, _least_delta(self._subject, epsilon)) for epsilon in kept)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: exact numbers are text, infinity and what was not asked are null."""
        return {
            "epsilon": None if self.epsilon is None else exact_text(self.epsilon),
            "delta": exact_text(self.delta),
            "distance": self.distance,
            "pairs": self.pairs,
            "least_delta": None if self.least_delta is None else self.least_delta.to_dict(),
            "least_epsilon": self.least_epsilon.to_dict(),
            "finite_from": None if self.finite_from is None else self.finite_from.to_dict(),
            "verdict": None if self.verdict is None else self.verdict.name,
            "by_rounding": self.by_rounding,
            "explanation": self.explanation,
            "gap": None if self.gap is None else self.gap.to_dict(),
            "sufficient": [
                {"epsilon": exact_text(claim.epsilon), "delta": exact_text(claim.delta)} for claim in self.sufficient
            ],
        }

    def __str__(self) -> str:
        from hushcount.privacy.report import audit_text

        return audit_text(self)


def audit(
    mechanism_or_matrix: Mechanism | ArrayLike,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    distance: int = 1,
    normalise: bool = False,
) -> Audit:
    """Least delta for an epsilon, least epsilon for a delta, and the privacy profile, each with its witness.

    For an ordered pair of true counts (k, i), the set of outcomes U that exceeds the most is {j : p(k, j) > e^epsilon
    p(i, j)}, so the least delta at epsilon is

        max over |k - i| = distance of sum_j (p(k, j) - e^epsilon p(i, j))^+,

    and the least epsilon at delta is the least one at which this is <= delta (proofs: docs/theory.md,
    "Auditing"). All reported bounds are rigorous: floats of a matrix are the exact rationals they are, divided by the
    exact sum of their row; e^epsilon is enclosed; floats are rounded outward. A matrix takes O(M^2) time and O(M)
    memory beyond itself.

    **Rounding.** The floats of a private matrix usually exceed its claim by about 1e-17, and the verdict is on the
    floats: NOT_PRIVATE. It is *by rounding only* if with t = 1e-12 (`ROUNDING`) the matrix is (epsilon + 2 t, delta
    (1 + 2 t) + N 2^-1022)-DP, N outcomes. Were every entry that of a private matrix times a factor between e^-t and e^t
    it would be, since then P_k(U) <= e^t (e^(epsilon + t) P_i(U) + delta); entries below the least normal float may be
    anything below it. So what does not pass was not made by rounding.

    Args:
        mechanism_or_matrix: a mechanism, or a matrix of real numbers, shape (true counts, outcomes), one row per true
            count, each summing to 1 (`hushcount.inputs.stochastic`). A matrix to audit need not be square: released
            values may be fewer or more than the true counts. A mechanism (`from_matrix`) must be.
        epsilon, delta: the claim to judge, in nats and as a probability; exactly as written (`numbers.exact`). By
            default those of the mechanism; where there are none, delta is 0 and only the least epsilon is found.
        distance: of the true counts in each pair, >= 1. The guarantee for all pairs at distance <= s is the worst of
            the audits at 1..s; it is not always the one at s. Where no two true counts are so far apart, nothing
            exceeds anything and both least numbers are 0.
        normalise: of a matrix, first divide each row by its sum, whatever that is. What is audited is the result.

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it; for matrices see `hushcount.inputs.stochastic`.
        TooLarge: a mechanism of which too little is proven to be audited without a matrix at its size.
    """
    distance = integer(distance, "distance", least=1)
    subject: Subject
    own_epsilon = own_delta = None
    if isinstance(mechanism_or_matrix, Mechanism) and normalise:
        raise BadUse("normalise is for a matrix; the rows of a mechanism sum to 1")
    if isinstance(mechanism_or_matrix, Mechanism) and not isinstance(mechanism_or_matrix, Explicit):
        _check_own_epsilon(mechanism_or_matrix)
        subject, true_counts = ClosedFormAudit(mechanism_or_matrix, distance), mechanism_or_matrix.n + 1
        own_epsilon, own_delta = mechanism_or_matrix.epsilon, mechanism_or_matrix.delta
    else:
        given = mechanism_or_matrix
        rows = given.entries if isinstance(given, Explicit) else _rows(given, normalise)
        subject, true_counts = MatrixAudit(rows, distance), len(rows)
    asked = own_epsilon if epsilon is None else epsilon
    claimed = None if asked is None else checked_epsilon(asked)
    excused = (own_delta or Fraction(0)) if delta is None else exact(delta, "delta")
    if not 0 <= excused < 1:
        raise InvalidParameter("delta", delta, "a number >= 0 and < 1")

    least_epsilon, least_delta = _witnessed(subject, subject.least_epsilon(excused)), None
    gap, verdict, by_rounding, finite_from = None, None, False, None
    if claimed is not None:
        least_delta = _least_delta(subject, claimed)
        gap = Gap(*(bound - excused for bound in least_delta.interval.known))
        verdict = _verdict(gap)
        if verdict is AuditVerdict.PRIVATE:
            least_epsilon = _at_most(least_epsilon, claimed)
        if verdict is AuditVerdict.NOT_PRIVATE and isinstance(subject, MatrixAudit):
            by_rounding = _is_by_rounding(subject, claimed, excused)
    if least_epsilon.interval.is_infinite:
        finite_from = _least_delta(subject, Fraction(LARGEST_EPSILON))
    return Audit(
        epsilon=claimed,
        delta=excused,
        distance=distance,
        pairs=2 * max(0, true_counts - distance),
        least_delta=least_delta,
        least_epsilon=least_epsilon,
        finite_from=finite_from,
        verdict=verdict,
        gap=gap,
        by_rounding=by_rounding,
        _subject=subject,
    )


def _check_own_epsilon(mechanism: Mechanism) -> None:
    own = mechanism.nominal_epsilon if isinstance(mechanism, RedrawnGeometric) else mechanism.epsilon
    if own is not None and own > LARGEST_EPSILON:
        raise InvalidParameter(
            f"the epsilon of the mechanism {mechanism.name!r}", None, f"at most {LARGEST_EPSILON:,} for an audit"
        )


def _rows(matrix: ArrayLike, normalise: bool) -> Floats:
    return stochastic_rows(matrix, square=False, normalise=normalise)


def _verdict(gap: Gap) -> AuditVerdict:
    """On a claim that is exceeded by the gap."""
    if gap.exact_upper <= 0:
        return AuditVerdict.PRIVATE
    return AuditVerdict.NOT_PRIVATE if gap.exact_lower > 0 else AuditVerdict.UNDECIDED


def _at_most(least_epsilon: Finding, claimed: Fraction) -> Finding:
    """A claim that holds bounds the least epsilon."""
    upper = least_epsilon.interval.exact_upper
    if upper is not None and upper <= claimed:
        return least_epsilon
    return replace(least_epsilon, interval=Interval(least_epsilon.interval.exact_lower, claimed))


def _is_by_rounding(subject: MatrixAudit, epsilon: Fraction, delta: Fraction) -> bool:
    _, upper = subject.least_delta(epsilon + 2 * ROUNDING).interval.known
    return upper <= delta * (1 + 2 * ROUNDING) + subject.outcomes * UNDERFLOW


def _least_delta(subject: Subject, epsilon: Fraction) -> Finding:
    return _witnessed(subject, subject.least_delta(epsilon))


def _witnessed(subject: Subject, found: Finding) -> Finding:
    """With what the witness's outcomes have in both rows."""
    if found.witness is None:
        return found
    true, other, outcomes = found.witness.true, found.witness.other, found.witness.outcomes
    chances = (subject.probability(row, outcomes) for row in (true, other))
    return replace(found, witness=Witness(true, other, outcomes, *chances))


def checked_epsilon(epsilon: Number, argument: str = "epsilon") -> Fraction:
    """An epsilon that an audit can answer for, exactly."""
    kept = exact(epsilon, argument)
    if not 0 <= kept <= LARGEST_EPSILON:
        raise InvalidParameter(argument, epsilon, f"a finite number >= 0, at most {LARGEST_EPSILON:,} for an audit")
    return kept
