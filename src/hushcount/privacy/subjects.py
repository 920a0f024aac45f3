"""What can be audited, and what is found about it at one epsilon."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hushcount.errors import InvalidParameter
from hushcount.numbers.exact import Number, exact
from hushcount.privacy.closed_form_audit import ClosedFormAudit
from hushcount.privacy.findings import Finding, Witness
from hushcount.privacy.matrix_audit import MatrixAudit

__all__ = ["LARGEST_EPSILON", "Subject", "checked_epsilon", "least_delta", "witnessed"]

LARGEST_EPSILON = 10**9
"""Far beyond any privacy, and within what enclosures of e^epsilon hold."""

Subject = MatrixAudit | ClosedFormAudit


def checked_epsilon(epsilon: Number, argument: str = "epsilon") -> Fraction:
    """Return an epsilon, exactly, if an audit can answer for it."""
    kept = exact(epsilon, argument)
    if not 0 <= kept <= LARGEST_EPSILON:
        raise InvalidParameter(argument, epsilon, f"a finite number >= 0, at most {LARGEST_EPSILON:,} for an audit")
    return kept


def least_delta(subject: Subject, epsilon: Fraction) -> Finding:
    """Return the least delta at an epsilon, with its witness."""
    return witnessed(subject, subject.least_delta(epsilon))


def witnessed(subject: Subject, found: Finding) -> Finding:
    """Return the finding with the probabilities of the witness's outcomes in both rows."""
    if found.witness is None:
        return found
    true, other, outcomes = found.witness.true, found.witness.other, found.witness.outcomes
    chances = (subject.probability(row, outcomes) for row in (true, other))
    return replace(found, witness=Witness(true, other, outcomes, *chances))
