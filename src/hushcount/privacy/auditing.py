"""What a mechanism or a matrix really guarantees, rigorously."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import overload

from numpy.typing import ArrayLike

from hushcount.errors import BadUse, InvalidParameter
from hushcount.inputs.arguments import integer
from hushcount.inputs.stochastic import stochastic_rows
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.explicit import Explicit
from hushcount.mechanisms.peers.geometric_rows import RedrawnGeometric
from hushcount.numbers.arrays import Floats
from hushcount.numbers.exact import Number, exact
from hushcount.numbers.intervals import Interval
from hushcount.privacy.audit_result import Audit
from hushcount.privacy.closed_form_audit import ClosedFormAudit
from hushcount.privacy.entries import ENTRY_TOLERANCE
from hushcount.privacy.findings import AuditVerdict, Finding, Gap
from hushcount.privacy.matrix_audit import MatrixAudit
from hushcount.privacy.mu.audit_result import MuAudit, judged
from hushcount.privacy.mu.closed_form import ClosedFormMu
from hushcount.privacy.mu.matrix import MatrixMu
from hushcount.privacy.subjects import LARGEST_EPSILON, Subject, checked_epsilon, least_delta, witnessed
from hushcount.promise.gaussian import GaussianDP

__all__ = ["audit"]

ROUNDING = Fraction(ENTRY_TOLERANCE)
"""How far an entry may be from the number that it was rounded from, relatively, for a gap to count as rounding only."""

UNDERFLOW = Fraction(1, 2**1022)
"""The least normal float: a smaller entry, even 0, may be off by as much whatever it is."""


@overload
def audit(
    mechanism_or_matrix: Mechanism | ArrayLike,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    mu: None = None,
    distance: int = 1,
    normalise: bool = False,
) -> Audit: ...


@overload
def audit(
    mechanism_or_matrix: Mechanism | ArrayLike,
    *,
    mu: Number | GaussianDP,
    distance: int = 1,
    normalise: bool = False,
) -> MuAudit: ...


def audit(
    mechanism_or_matrix: Mechanism | ArrayLike,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    mu: Number | GaussianDP | None = None,
    distance: int = 1,
    normalise: bool = False,
) -> Audit | MuAudit:
    """Find the least delta for an epsilon, the least epsilon for a delta, and the privacy profile, each with its
    witness.

    For an ordered pair of true counts (k, i), the set of outcomes U that exceeds the most is {j : p(k, j) > e^epsilon
    p(i, j)}, so the least delta at epsilon is

        max over |k - i| = distance of sum_j (p(k, j) - e^epsilon p(i, j))^+,

    and the least epsilon at delta is the least one at which this is <= delta (proofs: docs/theory.md, "Auditing"). All
    reported bounds are rigorous. The floats of a matrix are taken as exact rationals, divided by the exact sum of their
    row; e^epsilon is enclosed; floats are rounded outward. A matrix takes O(M^2) time and O(M) memory beyond itself.

    **Rounding.** The floats of a private matrix usually exceed its claim by about 1e-17, and the verdict is on the
    floats: NOT_PRIVATE. It is *by rounding only* if with t = 1e-12 (`ROUNDING`) the matrix is (epsilon + 2 t, delta
    (1 + 2 t) + N 2^-1022)-DP, N outcomes. If every entry is that of a private matrix times a factor between e^-t and
    e^t, the matrix passes, since then P_k(U) <= e^t (e^(epsilon + t) P_i(U) + delta); entries below the least normal
    float may be anything below it. So a matrix that fails was not made by rounding.

    Args:
        mechanism_or_matrix: a mechanism, or a matrix of real numbers, shape (true counts, outcomes), one row per true
            count, each summing to 1 (`hushcount.inputs.stochastic`). A matrix to audit need not be square: there may be
            fewer or more released values than true counts. A mechanism (`from_matrix`) must be square.
        epsilon, delta: the claim to judge, epsilon >= 0 in nats and 0 <= delta < 1; kept exactly as written. By default
            those of the mechanism; where it has none, delta is 0 and only the least epsilon is found.
        mu: in place of epsilon and delta: judge Gaussian differential privacy between true counts at the distance. The
            least mu is sup over pairs and events U of Phi^-1(P(U | k)) - Phi^-1(P(U | i)), both ways. A mechanism needs
            likelihood ratios that are proved to be monotone (nearest of every promise, and every chain).
        distance: the distance of the true counts in each pair, >= 1. The guarantee for all pairs at distance <= s is
            the worst of the audits at 1..s, which is not always the one at s. Where no two true counts are so far
            apart, both least numbers are 0.
        normalise: whether to divide each row of a matrix by its sum first, whatever that is; the result is audited.

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it; for matrices see `hushcount.inputs.stochastic`.
        TooLarge: a mechanism of which too little is proved to audit it without a matrix at its size.
    """
    distance = integer(distance, "distance", least=1)
    if mu is not None:
        if epsilon is not None or delta is not None:
            raise InvalidParameter("mu", None, "left out beside epsilon or delta: an audit judges one claim")
        return _against_mu(mechanism_or_matrix, mu, distance, normalise)
    subject: Subject
    own_epsilon = own_delta = None
    _check_normalise(mechanism_or_matrix, normalise)
    if isinstance(mechanism_or_matrix, Mechanism) and not isinstance(mechanism_or_matrix, Explicit):
        _check_own_epsilon(mechanism_or_matrix)
        subject, true_counts = ClosedFormAudit(mechanism_or_matrix, distance), mechanism_or_matrix.n + 1
        own_epsilon, own_delta = mechanism_or_matrix.epsilon, mechanism_or_matrix.delta
    else:
        rows = _entries(mechanism_or_matrix, normalise)
        subject, true_counts = MatrixAudit(rows, distance), len(rows)
    asked = own_epsilon if epsilon is None else epsilon
    claimed = None if asked is None else checked_epsilon(asked)
    excused = (own_delta or Fraction(0)) if delta is None else exact(delta, "delta")
    if not 0 <= excused < 1:
        raise InvalidParameter("delta", delta, "a number >= 0 and < 1")

    least_epsilon, found_delta = witnessed(subject, subject.least_epsilon(excused)), None
    gap, verdict, by_rounding, finite_from = None, None, False, None
    if claimed is not None:
        found_delta = least_delta(subject, claimed)
        gap = Gap(*(bound - excused for bound in found_delta.interval.known))
        verdict = _verdict(gap)
        if verdict is AuditVerdict.PRIVATE:
            least_epsilon = _at_most(least_epsilon, claimed)
        if verdict is AuditVerdict.NOT_PRIVATE and isinstance(subject, MatrixAudit):
            by_rounding = _is_by_rounding(subject, claimed, excused)
    if least_epsilon.interval.is_infinite:
        finite_from = least_delta(subject, Fraction(LARGEST_EPSILON))
    return Audit(
        epsilon=claimed,
        delta=excused,
        distance=distance,
        pairs=2 * max(0, true_counts - distance),
        least_delta=found_delta,
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


def _against_mu(given: Mechanism | ArrayLike, mu: Number | GaussianDP, distance: int, normalise: bool) -> MuAudit:
    claim = mu if isinstance(mu, GaussianDP) else GaussianDP.of(mu)
    _check_normalise(given, normalise)
    subject: ClosedFormMu | MatrixMu
    if isinstance(given, Mechanism) and not isinstance(given, Explicit):
        subject, true_counts = ClosedFormMu(given, distance), given.n + 1
    else:
        rows = _entries(given, normalise)
        subject, true_counts = MatrixMu(rows, distance), len(rows)
    return judged(subject, claim, distance, 2 * max(0, true_counts - distance))


def _check_normalise(given: Mechanism | ArrayLike, normalise: bool) -> None:
    if isinstance(given, Mechanism) and normalise:
        raise BadUse("normalise is for a matrix; the rows of a mechanism sum to 1")


def _entries(given: Mechanism | ArrayLike, normalise: bool) -> Floats:
    if isinstance(given, Explicit):
        return given.entries
    return stochastic_rows(given, square=False, normalise=normalise)  # type: ignore[arg-type]


def _verdict(gap: Gap) -> AuditVerdict:
    """Return the verdict on a claim that is exceeded by the gap."""
    if gap.exact_upper <= 0:
        return AuditVerdict.PRIVATE
    return AuditVerdict.NOT_PRIVATE if gap.exact_lower > 0 else AuditVerdict.UNDECIDED


def _at_most(least_epsilon: Finding, claimed: Fraction) -> Finding:
    """Return the finding with the claim as upper end: a claim that holds bounds the least epsilon."""
    upper = least_epsilon.interval.exact_upper
    if upper is not None and upper <= claimed:
        return least_epsilon
    return replace(least_epsilon, interval=Interval(least_epsilon.interval.exact_lower, claimed))


def _is_by_rounding(subject: MatrixAudit, epsilon: Fraction, delta: Fraction) -> bool:
    _, upper = subject.least_delta(epsilon + 2 * ROUNDING).interval.known
    return upper <= delta * (1 + 2 * ROUNDING) + subject.outcomes * UNDERFLOW
