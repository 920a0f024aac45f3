"""What an audit against Gaussian differential privacy finds (`audit(..., mu=)`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hushcount.numbers.exact import exact_text
from hushcount.numbers.intervals import Interval
from hushcount.numbers.text import DIGITS, nearest_text, rounded_down, rounded_up, typed
from hushcount.privacy.findings import AuditVerdict, Finding, Witness
from hushcount.privacy.mu.closed_form import ClosedFormMu
from hushcount.privacy.mu.matrix import MatrixMu
from hushcount.privacy.report import chance_text, page, row
from hushcount.promise.gaussian import GaussianDP
from hushcount.words.paragraphs import labelled

__all__ = ["MuAudit", "judged"]

_ROUNDING = Fraction(3, 10**12)
"""How far Phi^-1(P) - Phi^-1(Q) moves where entries are off by 1e-12 of themselves: each at most sqrt(pi / 2) 1e-12."""

_UNDERFLOW = Fraction(1, 2**1022)

_MOST_DIGITS = 40
"""More than the twice 53 bits of two floats need to be told apart."""

_SENTENCES = {
    AuditVerdict.PRIVATE: "The claim holds: no pair of true counts and no set of outcomes asks for a larger mu.",
    AuditVerdict.NOT_PRIVATE: (
        "The claim does not hold: the witness asks for a larger mu. Claim what is found to hold instead, or change the "
        "mechanism."
    ),
    AuditVerdict.UNDECIDED: (
        "The claim could not be decided: the least mu lies in an interval that holds the claimed one. Claim what is "
        "found to hold instead."
    ),
}
_BY_ROUNDING = (
    "The claim does not hold for these floats, but they exceed it by no more than rounding explains: a change of each "
    "entry by 1e-12 of itself, or of one below the least normal float. Claim what is found to hold instead, or audit "
    "the mechanism in closed form."
)


@dataclass(frozen=True)
class MuAudit:
    """The result of `audit` against mu; `print` it for a table.

    Attributes:
        claim: what was judged, between true counts at `distance`.
        distance: between the true counts of each pair.
        pairs: how many ordered pairs of true counts there are at that distance.
        least_mu: the least mu that holds, with the event that asks for it; infinite where none does.
        verdict: on the claim.
        by_rounding: whether the claim fails by no more than the rounding of a matrix to floats explains.
    """

    claim: GaussianDP
    distance: int
    pairs: int
    least_mu: Finding
    verdict: AuditVerdict
    by_rounding: bool

    @property
    def explanation(self) -> str:
        """Return the verdict as a sentence for people."""
        return _BY_ROUNDING if self.by_rounding else _SENTENCES[self.verdict]

    @property
    def sufficient(self) -> Fraction | None:
        """Return a mu of six digits that surely holds; None where none is found."""
        upper = self.least_mu.interval.exact_upper
        return None if upper is None or upper == 0 else rounded_up(upper)

    def to_dict(self) -> dict[str, Any]:
        """Return the audit, ready for JSON: exact numbers are text, infinity is null."""
        return {
            "mu_squared": exact_text(self.claim.mu_squared),
            "distance": self.distance,
            "pairs": self.pairs,
            "least_mu": self.least_mu.to_dict(),
            "verdict": self.verdict.name,
            "by_rounding": self.by_rounding,
            "explanation": self.explanation,
            "sufficient": None if self.sufficient is None else exact_text(self.sufficient),
        }

    def to_text(self) -> str:
        """Return the claim and verdict, a table of what is needed and what that means, without a newline at the end."""
        word = self.verdict.name.lower().replace("_", " ")
        if self.by_rounding:
            word += f", by rounding only{self._gap}"
        head = [
            labelled("Claim", f"{self.claim}, between true counts {self.distance:,} apart"),
            labelled("Verdict", word),
        ]
        if self.verdict is not AuditVerdict.PRIVATE and self.sufficient is not None:
            head.append(labelled("Private at", f"mu {typed(self.sufficient)}"))
        witness, chances = self.least_mu.witness, []
        if witness is not None and witness.probability and witness.other_probability:
            both = witness.probability.known, witness.other_probability.known
            chances = [chance_text((low + high) / 2) for low, high in both]
        line = row("mu", self._needed, witness, *chances)
        return page(head, "needs", [line], [self.explanation])

    @property
    def _gap(self) -> str:
        """Return by how much the claim is surely exceeded, in brackets; nothing where no finite mu holds."""
        lower = self.least_mu.interval.exact_lower
        if lower is None:
            return ""
        exceeded = (lower**2 - self.claim.mu_squared) / (2 * lower)  # of two numbers that agree in twelve digits
        return f" (mu exceeded by {nearest_text(exceeded, 2)})"

    @property
    def _needed(self) -> str:
        """Return the bounds of the least mu with so many digits that a lower one above the claim is seen to be so."""
        interval, digits = self.least_mu.interval, DIGITS
        lower, squared = interval.exact_lower, self.claim.mu_squared
        if lower is None or lower**2 <= squared:
            return interval.to_text()
        while digits < _MOST_DIGITS and rounded_down(lower, digits) ** 2 <= squared:
            digits += 1
        return interval.to_text(digits)

    def __str__(self) -> str:
        return self.to_text()


def judged(subject: ClosedFormMu | MatrixMu, claim: GaussianDP, distance: int, pairs: int) -> MuAudit:
    """Audit a subject."""
    found = subject.least_mu()
    lower, upper = found.interval.exact_lower, found.interval.exact_upper
    promised = subject.promise
    if lower is None or lower**2 > claim.mu_squared:
        verdict = AuditVerdict.NOT_PRIVATE
    elif (upper is not None and upper**2 <= claim.mu_squared) or (
        promised is not None and promised.mu_squared <= claim.mu_squared
    ):
        verdict = AuditVerdict.PRIVATE
    else:
        verdict = AuditVerdict.UNDECIDED
    by_rounding = False
    if verdict is AuditVerdict.NOT_PRIVATE and isinstance(subject, MatrixMu):
        most = subject.least_mu(excused=subject.outcomes * _UNDERFLOW).interval.exact_upper
        by_rounding = most is not None and (most <= _ROUNDING or (most - _ROUNDING) ** 2 <= claim.mu_squared)
    return MuAudit(claim, distance, pairs, _witnessed(subject, found), verdict, by_rounding)


def _witnessed(subject: ClosedFormMu | MatrixMu, found: Finding) -> Finding:
    if found.witness is None:
        return found
    true, other, outcomes = found.witness.true, found.witness.other, found.witness.outcomes
    chances: list[Interval] = [subject.probability(row, outcomes) for row in (true, other)]
    return replace(found, witness=Witness(true, other, outcomes, *chances))
