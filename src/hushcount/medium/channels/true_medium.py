"""What a mechanism for the observed frequencies is worth behind the true medium (`measured`)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hushcount.medium.channels.measured import MeasuredMedium
from hushcount.numbers.exact import exact_text
from hushcount.numbers.text import lower_text, short, upper_text
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["AS_OBSERVED", "TrueMedium"]

AS_OBSERVED = "This is about the observed frequencies, not the true medium."
"""Stands before whatever is said of a measured medium alone."""


@dataclass(frozen=True)
class TrueMedium:
    """What holds, with the stated confidence, of what arrives behind the true medium.

    Attributes:
        asked: the promise that holds behind the observed frequencies.
        confidence: the confidence in the bounds of all rows at once.
        distance: `MeasuredMedium.distance`.
        delta: what arrives is private at this delta and the epsilon asked for; rounded up, and no promise from 1 up.
        error_probability: what arrives is wrong with at most this chance, rounded up.
    """

    asked: EpsilonDelta
    confidence: Fraction
    distance: float
    delta: float
    error_probability: float

    @classmethod
    def of(cls, measured: MeasuredMedium, asked: EpsilonDelta, error_probability: float) -> TrueMedium:
        """Return it for a mechanism that keeps the promise asked for behind `measured`, and is wrong with at most
        that chance."""
        delta = measured.true_delta(asked.epsilon, asked.delta)
        error = min(1.0, math.nextafter(error_probability + measured.distance, math.inf))
        return cls(asked, measured.confidence_in_all_rows, measured.distance, delta, error)

    @property
    def is_private(self) -> bool:
        """Whether anything is promised at all."""
        return self.delta < 1 and self.confidence > 0

    @property
    def claim(self) -> str:
        """delta, rounded up to a short decimal below 1, where there is a promise."""
        text = upper_text(Fraction(self.delta))
        return text if Fraction(text) < 1 else exact_text(Fraction(self.delta))

    @property
    def certainty(self) -> str:
        """The confidence in words, rounded down."""
        return f"with {lower_text(100 * self.confidence)}% confidence"

    def promise(self) -> str:
        """What is promised of what arrives, in words."""
        if not self.is_private:
            return "none behind the true medium: so few trials leave no delta below 1"
        return f"epsilon {short(self.asked.epsilon)}, delta {self.claim}, behind the true medium, {self.certainty}"

    def to_dict(self) -> dict[str, Any]:
        """Return it, ready for JSON; a delta that promises nothing is null."""
        return {
            "confidence": exact_text(self.confidence),
            "distance": self.distance,
            "delta": self.delta if self.is_private else None,
            "error_probability": self.error_probability,
        }

    def __str__(self) -> str:
        kept = f"at delta {self.claim}" if self.is_private else "at no delta below 1"
        distance, error = (upper_text(Fraction(part)) for part in (self.distance, self.error_probability))
        certainty = self.certainty.capitalize()
        return (
            f"These are observed frequencies. {certainty} every row of the true medium is at most {distance} from them "
            f"in total variation: behind it, what arrives is private at this epsilon {kept}, and wrong with "
            f"probability at most {error}."
        )
