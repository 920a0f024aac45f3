"""What an audit against Gaussian differential privacy finds (`audit(..., mu=)`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hushcount.numbers.exact import exact_text
from hushcount.numbers.intervals import Interval
from hushcount.numbers.text import rounded_up, typed
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
    "The claim does not hold for these floats, by no more than the rounding of a matrix to floats explains: each entry "
    "1e-12 of itself, or below the least normal float."
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
        word = self.verdict.name.lower().replace("_", " ") + (", by rounding only" if self.by_rounding else "")
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
        line = row("mu", self.least_mu.interval.to_text(), witness, *chances)
        return page(head, "needs", [line], [self.explanation])

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
