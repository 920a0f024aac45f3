"""One mechanism in a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hushcount.numbers.intervals import Interval
from hushcount.privacy.findings import AuditVerdict
from hushcount.privacy.matrix_properties import Properties

__all__ = ["ComparisonRow"]


@dataclass(frozen=True)
class ComparisonRow:
    """One mechanism in a comparison. "Worst" is over the true counts 0..n, "mean" is their plain average.

    Attributes:
        mechanism: the name of the mechanism.
        worst_error_probability, mean_error_probability: Pr(output != true).
        worst_absolute_error, mean_absolute_error: E|output - true|.
        worst_bias: the largest |E(output - true)|.
        within_1, within_2, within_5: the least Pr(|output - true| <= t).
        uses_delta: whether its law depends on the delta asked for.
        properties: the properties of [CKS18], decided in closed form up to n = 10, and beyond from floats, up to their
            rounding.
        verdict: the verdict of the audit on the (epsilon, delta) asked for.
        least_epsilon: the least epsilon that it really keeps, at the delta asked for.
        least_delta: the least delta that it really keeps, at the epsilon asked for.
    """

    mechanism: str
    worst_error_probability: float
    mean_error_probability: float
    worst_absolute_error: float
    mean_absolute_error: float
    worst_bias: float
    within_1: float
    within_2: float
    within_5: float
    uses_delta: bool
    properties: Properties
    verdict: AuditVerdict
    least_epsilon: Interval
    least_delta: Interval

    def to_dict(self) -> dict[str, Any]:
        """Return the row, ready for JSON; in an interval, null is infinity."""
        return {
            **vars(self),
            "properties": self.properties.to_dict(),
            "verdict": self.verdict.name,
            "least_epsilon": self.least_epsilon.to_dict(),
            "least_delta": self.least_delta.to_dict(),
        }
