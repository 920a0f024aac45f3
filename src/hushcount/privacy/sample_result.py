"""What draws say about a claim, as an object, as JSON and as text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from hushcount.numbers.exact import exact_text
from hushcount.numbers.text import lower_text, nearest_text, short, typed
from hushcount.privacy.findings import Witness
from hushcount.privacy.report import NO_CLAIM, chance_text, claim_line, page, row
from hushcount.privacy.sample_table import Frequency
from hushcount.words.paragraphs import labelled

__all__ = ["SampleAudit", "SampleVerdict"]


class SampleVerdict(Enum):
    """What draws say about a claim; the value is the sentence for people."""

    REJECTED = (
        "The claim does not hold, with the stated confidence: the witness occurs too often. Claim more than the "
        "certified epsilon, or look for the mistake in the mechanism."
    )
    NOT_REJECTED = (
        "The draws do not contradict the claim. No number of draws can prove it: audit the matrix or the mechanism."
    )


@dataclass(frozen=True)
class SampleAudit:
    """The result of `audit_samples`; `print` it for a table.

    Attributes:
        epsilon: the claim, exactly; None where there was none.
        delta, confidence, distance: as given to `audit_samples`.
        epsilon_at_least: certified and rounded down: with chance >= `confidence`, the mechanism is not (epsilon',
            delta)-DP for any smaller epsilon'. 0.0 where nothing was found.
        witness: the pair and the event that certify it; None where nothing was found.
        frequencies: how often the event was released under `witness.true` and under `witness.other`, in the testing
            half of the draws; None without a witness.
        estimate: ln((f(true) - delta) / f(other)) of these frequencies f, infinite where the second is 0. It is likely
            near the epsilon that this event needs, but not certified. None without a witness.
        verdict: the verdict on the claim; None without a claim.
        draws: how many were used.
        pairs: how many ordered pairs of true counts were examined.
    """

    epsilon: Fraction | None
    delta: Fraction
    confidence: Fraction
    distance: int
    epsilon_at_least: float
    witness: Witness | None
    frequencies: tuple[Frequency, Frequency] | None
    estimate: float | None
    verdict: SampleVerdict | None
    draws: int
    pairs: int

    def to_dict(self) -> dict[str, Any]:
        """Return the audit, ready for JSON; infinity and what was not found are null."""
        is_finite = self.estimate is not None and math.isfinite(self.estimate)
        return {
            "epsilon": None if self.epsilon is None else exact_text(self.epsilon),
            "delta": exact_text(self.delta),
            "confidence": exact_text(self.confidence),
            "distance": self.distance,
            "epsilon_at_least": self.epsilon_at_least,
            "witness": None if self.witness is None else self.witness.to_dict(),
            "frequencies": None if self.frequencies is None else [found.to_dict() for found in self.frequencies],
            "estimate": self.estimate if is_finite else None,
            "verdict": None if self.verdict is None else self.verdict.name,
            "explanation": None if self.verdict is None else self.verdict.value,
            "draws": self.draws,
            "pairs": self.pairs,
        }

    def __str__(self) -> str:
        chances: list[str] = []
        head = [claim_line(self.epsilon, self.delta, self.distance)]
        if self.verdict is not None:
            head.append(labelled("Verdict", self.verdict.name.lower().replace("_", " ")))
        head.append(labelled("Confidence", f"{typed(100 * self.confidence)}%"))
        if self.frequencies is not None:
            chances = [chance_text(seen.share) for seen in self.frequencies]
            mine, theirs = (f"{f.hits:,} of {f.draws:,}" for f in self.frequencies)
            guess = "infinite"
            if self.estimate is not None and math.isfinite(self.estimate):
                guess = nearest_text(Fraction(self.estimate), 4)
            counts = f"the outcomes were released {mine} times, against {theirs}, in the draws set apart to test them"
            head.append(labelled("Estimate", f"epsilon {guess}: {counts}"))
        least = lower_text(Fraction(self.epsilon_at_least))
        line = row(f"epsilon at delta {short(self.delta)}", least, self.witness, *chances)
        return page(head, "at least", [line], [NO_CLAIM if self.verdict is None else self.verdict.value])
