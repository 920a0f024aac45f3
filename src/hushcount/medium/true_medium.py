"""What a mechanism for the observed frequencies is worth behind the true medium (`measured`)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hushcount.exact import exact_text
from hushcount.medium.measured import MeasuredMedium
from hushcount.medium.optimum import MediumOptimum
from hushcount.number_text import upper_text

__all__ = ["TrueMedium"]


@dataclass(frozen=True)
class TrueMedium:
    """What holds, with the stated confidence, of what arrives behind the true medium.

    Attributes:
        confidence: of the bounds, and whether these are of all rows at once.
        distance: `MeasuredMedium.distance`.
        delta: at this delta, and the epsilon asked for, it is private; rounded up; no promise from 1 on.
        error_probability: at most with this chance it is wrong; rounded up.
    """

    confidence: Fraction
    distance: float
    delta: float
    error_probability: float

    @classmethod
    def of(cls, measured: MeasuredMedium, best: MediumOptimum) -> TrueMedium:
        """For the mechanism of an optimum behind `measured`, whose bounds are of all rows at once."""
        assert measured.is_of_all_rows
        delta = measured.true_delta(best.privacy.epsilon, best.privacy.delta)
        error = math.nextafter(best.upper + measured.distance, math.inf)
        return cls(measured.confidence, measured.distance, delta, min(1.0, error))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; a delta that promises nothing is null."""
        return {
            "confidence": exact_text(self.confidence),
            "distance": self.distance,
            "delta": self.delta if self.delta < 1 else None,
            "error_probability": self.error_probability,
        }

    def __str__(self) -> str:
        kept = f"at delta {upper_text(Fraction(self.delta))}" if self.delta < 1 else "at no delta below 1"
        percent = f"{100 * float(self.confidence):.6g}%"
        distance, error = (upper_text(Fraction(part)) for part in (self.distance, self.error_probability))
        return (
            f"These are observed frequencies. With {percent} confidence every row of the true medium is at most "
            f"{distance} from them in total variation: behind it, what arrives is private at this epsilon {kept}, and "
            f"wrong with chance at most {error}."
        )
