"""Whether a mechanism is one of the optima, and if not, what fails and by how much.

P is an optimum of (n, epsilon, delta) iff

- its worst-case error probability is at most p_e* (so every diagonal entry is at least gamma, and hence equal), and
- it is (epsilon, delta)-DP.

A mechanism in closed form is judged exactly.

**Rounding.** gamma is transcendental for rational epsilon > 0 and M >= 2, so no matrix of floats is an optimum exactly.
A matrix counts as a member *but for rounding* iff, with t = `ENTRY_TOLERANCE` = 1e-12,

- its worst-case error probability exceeds p_e* by at most t min(gamma, 2 p_e*), and
- it is (epsilon + 2 t, delta (1 + 2 t))-DP.

If each entry is that of an optimum times a factor between e^-t and e^t, both hold: the diagonal is at least gamma
(1 - t), the rest of a row at most e^t p_e*, and P_k(U) <= e^t (e^(epsilon + t) P_i(U) + delta). So what fails is no
optimum rounded to relative precision t, and what passes is as private and as accurate as an optimum, up to that
precision. (Optima with entries below the least float have no such rounding.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Any

from flint import arb
from numpy.typing import ArrayLike

from hushcount.errors import InvalidParameter
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.explicit import Explicit, as_mechanism
from hushcount.mechanisms.optima.optimum import Optimum
from hushcount.numbers.enclosure import ENOUGH_BITS, ball, refinements
from hushcount.numbers.intervals import lower_fraction, upper_fraction
from hushcount.privacy.auditing import audit
from hushcount.privacy.entries import ENTRY_TOLERANCE
from hushcount.privacy.findings import Gap, Witness
from hushcount.privacy.row_pairs import Rows

__all__ = ["Condition", "Membership", "MembershipVerdict", "contains"]

_TOLERANCE = Fraction(ENTRY_TOLERANCE)
_RESOLVED = 2**15 * 0.69
"""ln of 2^(2^15), the last precision of `refinements`."""


class MembershipVerdict(Enum):
    """Whether a mechanism is an optimum; the value is the sentence for people."""

    MEMBER = "It is an optimum, exactly."
    WITHIN_ROUNDING = (
        "It is an optimum but for rounding: it exceeds what an optimum may by no more than a relative error of 1e-12 "
        "in each entry can."
    )
    NOT_A_MEMBER = (
        "It is not an optimum: it fails by more than rounding explains. Use `nearest` or `canonical`, or ask about "
        "the optima of another epsilon and delta."
    )
    UNDECIDED = (
        "It could not be decided whether it is an optimum: the bounds of what it exceeds are too wide. Ask about its "
        "matrix()."
    )


class Condition(Enum):
    """What an optimum must satisfy; the value is the sentence for people when it fails."""

    ERROR_PROBABILITY = "Its worst-case error probability is above the least possible one."
    PRIVACY = "It is not (epsilon, delta)-DP."


@dataclass(frozen=True)
class Membership:
    """The result of `contains`; true for a member, exactly or but for rounding.

    Attributes:
        verdict: the answer.
        fails: the conditions that fail by more than rounding explains.
        worst_row: a true count with the largest error probability.
        error_excess: exact bounds of that error probability less p_e*; positive where it is too large.
        privacy_excess: exact bounds of the least delta at epsilon less delta.
        witness: where privacy fails, a pair of true counts and outcomes whose excess is more than rounding explains;
            otherwise those of the least delta at epsilon, if any.
    """

    verdict: MembershipVerdict
    fails: tuple[Condition, ...]
    worst_row: int
    error_excess: Gap = field(repr=False)
    privacy_excess: Gap = field(repr=False)
    witness: Witness | None

    def __bool__(self) -> bool:
        return self.verdict in {MembershipVerdict.MEMBER, MembershipVerdict.WITHIN_ROUNDING}

    def to_dict(self) -> dict[str, Any]:
        """Return the result, ready for JSON; bounds are rounded outward to floats."""
        return {
            "member": bool(self),
            "verdict": self.verdict.name,
            "explanation": self.verdict.value,
            "fails": [condition.name for condition in self.fails],
            "worst_row": self.worst_row,
            "error_excess": self.error_excess.to_dict(),
            "privacy_excess": self.privacy_excess.to_dict(),
            "witness": None if self.witness is None else self.witness.to_dict(),
        }

    def __str__(self) -> str:
        lines = [self.verdict.value]
        for condition in self.fails:
            is_error = condition is Condition.ERROR_PROBABILITY
            excess = (self.error_excess if is_error else self.privacy_excess).upper
            place = f"true count {self.worst_row}" if is_error else self.witness
            lines.append(f"{condition.value} The excess is {excess:.3g} ({place}).")
        return "\n".join(lines)


def contains(optimum: Optimum[Any], mechanism_or_matrix: Mechanism | ArrayLike) -> Membership:
    """Return whether a mechanism or a matrix is one of the optima of the (n, epsilon, delta) of `optimum`.

    The optima in closed form of the same parameters are members by proof (docs/theory.md). The error probability of
    another mechanism in closed form is compared in enclosures of up to 2^15 bits. Where these do not part, the two
    count as equal for n epsilon < 5000, and the answer is UNDECIDED beyond. Its privacy is audited (`hushcount.audit`).
    The floats of a matrix are taken as exact rationals, each row over its exact sum.

    Args:
        optimum: any optimum of the set in closed form.
        mechanism_or_matrix: a mechanism on 0..n, or a stochastic matrix of shape (n + 1, n + 1).

    Raises:
        InvalidParameter, BadUse: another size, or a matrix that is not row-stochastic.
        TooLarge: a mechanism of which too little is proved to audit it at its size.
    """
    subject = as_mechanism(mechanism_or_matrix)
    if subject.n != optimum.n:
        raise InvalidParameter("n of the mechanism", subject.n, f"that of the set of optima, {optimum.n}")
    if isinstance(subject, Optimum) and (subject.epsilon, subject.delta) == (optimum.epsilon, optimum.delta):
        return _by_theorem(optimum)

    row, error_excess = _error_excess(optimum, subject)
    judged = audit(subject, epsilon=optimum.epsilon, delta=optimum.delta)
    gap, least_delta = judged.gap, judged.least_delta
    assert gap is not None
    assert least_delta is not None

    tolerance = _TOLERANCE if isinstance(subject, Explicit) else Fraction(0)
    (relaxed,) = judged.profile([optimum.epsilon + 2 * tolerance])

    def found(verdict: MembershipVerdict, *fails: Condition) -> Membership:
        worst = relaxed.least_delta if Condition.PRIVACY in fails else least_delta
        return Membership(verdict, fails, row, error_excess, gap, worst.witness)

    if error_excess[1] <= 0 and gap[1] <= 0:
        return found(MembershipVerdict.MEMBER)
    beyond = [end - optimum.delta * (1 + 2 * tolerance) for end in relaxed.least_delta.interval.known]
    slack = tolerance * _error_scale(optimum)
    conditions = (Condition.ERROR_PROBABILITY, error_excess[0] - slack), (Condition.PRIVACY, beyond[0])
    fails = [condition for condition, least in conditions if least > 0]
    if fails:
        return found(MembershipVerdict.NOT_A_MEMBER, *fails)
    if error_excess[1] <= slack and beyond[1] <= 0:
        return found(MembershipVerdict.WITHIN_ROUNDING)
    return found(MembershipVerdict.UNDECIDED)


def _by_theorem(optimum: Optimum[Any]) -> Membership:
    """Return what holds of every optimum: Pr(0 | 0) = gamma = e^epsilon Pr(0 | 1) + delta, so its least delta at
    epsilon is delta."""
    nothing, witness = Gap(Fraction(0), Fraction(0)), Witness(0, 1, ((0, 0),))
    if optimum.n == 0:
        return Membership(MembershipVerdict.MEMBER, (), 0, nothing, Gap(-optimum.delta, -optimum.delta), None)
    return Membership(MembershipVerdict.MEMBER, (), 0, nothing, nothing, witness)


def _error_excess(optimum: Optimum[Any], subject: Mechanism) -> tuple[int, Gap]:
    """Return the true count of the largest error probability, and by how much that exceeds p_e*."""
    if isinstance(subject, Explicit):
        sums = Rows(subject.entries).sums
        kept = [Fraction(float(entry)) / total for entry, total in zip(subject.entries.diagonal(), sums, strict=True)]
        least = min(kept)
        row = kept.index(least)
        if optimum.epsilon == 0:  # rational
            excess = (1 - optimum.delta) / (optimum.n + 1) + optimum.delta - least
            return row, Gap(excess, excess)
        return row, _signed(lambda precision: ball(1 - least) - optimum._kernel(precision).error)
    found = {i: _signed(partial(_excess_at, optimum, subject, i)) for i in subject._worst_candidates()}
    row = max(found, key=lambda i: found[i])
    low, high = found[row][0], max(high for _, high in found.values())
    if low < 0 < high and 4 * optimum.n * optimum.epsilon <= _RESOLVED:
        # Different functions of q of degree about n differ by a similar power of q, which the last precision would
        # show.
        return row, Gap(Fraction(0), Fraction(0))
    return row, Gap(low, high)


def _excess_at(optimum: Optimum[Any], subject: Mechanism, row: int, precision: int) -> arb:
    return subject._beyond(row, 0, precision) - optimum._kernel(precision).error


def _error_scale(optimum: Optimum[Any]) -> Fraction:
    """Return min(gamma, 2 p_e*), rounded down."""

    def scale(precision: int) -> arb:
        K = optimum._kernel(precision)
        return K.gamma.min(2 * K.error)

    return lower_fraction(next(refinements(scale)))


def _signed(evaluate: Callable[[int], arb]) -> Gap:
    """Return bounds of a real number: to 62 bits, or around 0 where it cannot be told from 0."""
    for value in refinements(evaluate):
        bounds = Gap(lower_fraction(value) - upper_fraction(-value), upper_fraction(value) - lower_fraction(-value))
        if value.rel_accuracy_bits() >= ENOUGH_BITS:
            break
    return bounds
