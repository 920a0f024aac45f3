"""What a statement about a medium says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

__all__ = ["AppliedStatement", "Conclusion"]


class Conclusion(Enum):
    """What a statement concludes; the value is the sentence for people."""

    LOSSLESS = "The medium costs nothing: some mechanism in front of it is wrong as rarely as without it."
    LOSSY = "The medium costs something: no mechanism in front of it is wrong as rarely as without it."
    LOSSLESS_WHEN_SMALL = "The medium costs nothing at this delta and epsilon, nor at smaller ones."
    LOSSY_WHEN_SMALL = "The medium costs something at all small enough epsilon and delta."
    NOTHING = "The statement does not apply, or concludes nothing here."


@dataclass(frozen=True)
class AppliedStatement:
    """What one statement says of a medium.

    Attributes:
        name: "statement 1 (25)" and so on.
        conclusion: see `Conclusion`.
        comparison: what is compared, as a formula, or the condition that does not hold.
        quantity, threshold: both sides of the comparison, to the nearest float; None where nothing was compared.
        epsilon: for LOSSLESS_WHEN_SMALL, an epsilon up to which it is proved, at the delta asked about.
        reason: why, in words; empty where nothing is concluded.
    """

    name: str
    conclusion: Conclusion
    comparison: str
    quantity: float | None = None
    threshold: float | None = None
    epsilon: Fraction | None = None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the statement, ready for JSON."""
        return {
            "name": self.name,
            "conclusion": self.conclusion.name,
            "explanation": self.conclusion.value,
            "reason": self.reason or None,
            "comparison": self.comparison,
            "quantity": self.quantity,
            "threshold": self.threshold,
            "epsilon": None if self.epsilon is None else float(self.epsilon),
        }
