"""What an audit finds: a number in an interval, the witness that attains it, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, NamedTuple

from hushcount.numbers.intervals import Interval, outwards
from hushcount.numbers.text import nearest_text

__all__ = [
    "BY_ROUNDING",
    "AuditVerdict",
    "Finding",
    "Gap",
    "Interval",
    "Witness",
    "as_ranges",
]


class Gap(NamedTuple):
    """By how much a claimed delta is exceeded: exact bounds of a number of either sign."""

    exact_lower: Fraction
    exact_upper: Fraction

    @property
    def lower(self) -> float:
        return outwards(self.exact_lower, -math.inf)

    @property
    def upper(self) -> float:
        return outwards(self.exact_upper, math.inf)

    def to_dict(self) -> dict[str, float]:
        """Return the gap, ready for JSON."""
        return {"lower": self.lower, "upper": self.upper}

    def __str__(self) -> str:
        """Return the upper end to two digits."""
        return nearest_text(self.exact_upper, 2)


@dataclass(frozen=True)
class Witness:
    """Where the worst is attained: P(outcomes | true) exceeds e^epsilon P(outcomes | other) by delta.

    Attributes:
        true, other: true counts, 0 for the first row.
        outcomes: inclusive ranges of released counts, in order.
        probability: P(outcomes | true); None where it is unknown (from draws), or was not asked for.
        other_probability: P(outcomes | other), or None as above.
    """

    true: int
    other: int
    outcomes: tuple[tuple[int, int], ...]
    probability: Interval | None = None
    other_probability: Interval | None = None

    def __contains__(self, released: int) -> bool:
        return any(first <= released <= last for first, last in self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        """Return the witness, ready for JSON; `outcomes` is a list of [first, last]. Unknown probabilities are left
        out."""
        both = {"probability": self.probability, "other_probability": self.other_probability}
        return {
            "true": self.true,
            "other": self.other,
            "outcomes": [list(span) for span in self.outcomes],
            **{name: chance.to_dict() for name, chance in both.items() if chance is not None},
        }

    def __str__(self) -> str:
        spans = ", ".join(str(first) if first == last else f"{first}..{last}" for first, last in self.outcomes)
        text = f"true count {self.true} against {self.other}, outcomes {{{spans}}}"
        if self.probability is None or self.other_probability is None:
            return text
        return f"{text}, of chance {self.probability.to_text()} against {self.other_probability.to_text()}"


@dataclass(frozen=True)
class Finding:
    """A number with the witness that attains its lower bound; None where nothing exceeds (the number is 0)."""

    interval: Interval
    witness: Witness | None

    def to_dict(self) -> dict[str, Any]:
        return {**self.interval.to_dict(), "witness": None if self.witness is None else self.witness.to_dict()}


class AuditVerdict(Enum):
    """What an audit says of a claim (epsilon, delta); the value is the sentence for people."""

    PRIVATE = "The claim holds: no pair of true counts and no set of outcomes exceeds it."
    NOT_PRIVATE = (
        "The claim does not hold: the witness exceeds it by the gap. Claim what is found to hold instead, or change "
        "the mechanism."
    )
    UNDECIDED = (
        "The claim could not be decided: the least delta lies in an interval that holds the claimed one. Claim what is "
        "found to hold instead."
    )


BY_ROUNDING = (
    "The claim does not hold for these floats, but they exceed it by no more than rounding explains: a change of each "
    "entry by 1e-12 of itself. Claim the delta that covers it, or audit the mechanism in closed form."
)
"""Replaces the sentence of NOT_PRIVATE where only rounding fails."""


def as_ranges(outcomes: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return increasing outcomes as inclusive ranges."""
    spans: list[tuple[int, int]] = []
    for outcome in outcomes:
        if spans and spans[-1][1] == outcome - 1:
            spans[-1] = (spans[-1][0], outcome)
        else:
            spans.append((outcome, outcome))
    return tuple(spans)
