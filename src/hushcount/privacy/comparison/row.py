"""One mechanism in a comparison."""

from __future__ import annotations

from collections.abc import Mapping
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
        within: the least Pr(|output - true| <= t), by t: 1, 2, 5 and each T of a within:T that is compared.
        uses_delta: whether its law depends on the delta asked for.
        properties: the properties of [CKS18], decided in closed form up to n = 10, and beyond from floats, up to their
            rounding.
        verdict: the verdict of the audit on the promise asked for.
        least_epsilon: the least epsilon that it really keeps, at the delta asked for.
        least_delta: the least delta that it really keeps, at the epsilon asked for.
        least_mu: in place of these two, the least mu that it really keeps, where mu was asked for.
    """

    mechanism: str
    worst_error_probability: float
    mean_error_probability: float
    worst_absolute_error: float
    mean_absolute_error: float
    worst_bias: float
    within: Mapping[int, float]
    uses_delta: bool
    properties: Properties
    verdict: AuditVerdict
    least_epsilon: Interval | None = None
    least_delta: Interval | None = None
    least_mu: Interval | None = None

    @property
    def figures(self) -> dict[str, float]:
        """The measures of the error, by name: "worst_bias", "within_5"."""
        named = {name: value for name, value in vars(self).items() if name.startswith(("worst_", "mean_"))}
        return named | {f"within_{t}": chance for t, chance in self.within.items()}

    @property
    def within_1(self) -> float:
        """The least Pr(|output - true| <= 1)."""
        return self.within[1]

    @property
    def within_2(self) -> float:
        """The least Pr(|output - true| <= 2)."""
        return self.within[2]

    @property
    def within_5(self) -> float:
        """The least Pr(|output - true| <= 5)."""
        return self.within[5]

    def to_dict(self) -> dict[str, Any]:
        """Return the row, ready for JSON; in an interval, null is infinity."""
        needed = {"least_epsilon": self.least_epsilon, "least_delta": self.least_delta, "least_mu": self.least_mu}
        return {
            "mechanism": self.mechanism,
            **self.figures,
            "uses_delta": self.uses_delta,
            "properties": self.properties.to_dict(),
            "verdict": self.verdict.name,
            **{name: interval.to_dict() for name, interval in needed.items() if interval is not None},
        }
