"""What an audit finds: intervals that surely hold a number, the witness that attains it, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb

from hushcount.numbers.enclosure import ENOUGH_BITS, refinements
from hushcount.numbers.text import lower_text, nearest_text, upper_text

__all__ = [
    "BY_ROUNDING",
    "Finding",
    "Gap",
    "Interval",
    "Verdict",
    "Witness",
    "as_ranges",
    "enclosing",
    "interval_of",
    "lower_fraction",
    "outwards",
    "upper_fraction",
]

SAME = Fraction(2, 10**12)
"""Relative: ends of an interval this near to one another need not both be shown to people."""

_TINY_BITS = 1100
_TINY = arb(2) ** -_TINY_BITS
"""Below the least positive float. e^(-epsilon n) can be so far below that its fraction would not fit in memory."""


@dataclass(frozen=True, repr=False)
class Interval:
    """Two exact bounds between which a number >= 0 surely lies; None is infinity.

    `lower` and `upper` are the same bounds as floats, rounded down and up.
    """

    exact_lower: Fraction | None
    exact_upper: Fraction | None

    @property
    def lower(self) -> float:
        return outwards(self.exact_lower, -math.inf)

    @property
    def upper(self) -> float:
        return outwards(self.exact_upper, math.inf)

    @property
    def is_infinite(self) -> bool:
        """Whether the number itself is infinite, for sure."""
        return self.exact_lower is None

    @property
    def known(self) -> tuple[Fraction, Fraction]:
        """The bounds of a number that cannot be infinite, such as a probability."""
        assert self.exact_lower is not None
        assert self.exact_upper is not None
        return self.exact_lower, self.exact_upper

    def __contains__(self, number: float | Fraction) -> bool:
        """Whether the number may be the one enclosed."""
        return self.lower <= number <= self.upper

    def to_dict(self) -> dict[str, float | None]:
        """JSON-ready; null is infinity."""
        return {
            "lower": None if self.exact_lower is None else self.lower,
            "upper": None if self.exact_upper is None else self.upper,
        }

    def to_text(self) -> str:
        """To six digits, rounded outward; where the ends agree up to `SAME`, the upper one: it can be claimed."""
        if self.exact_lower is None:
            return "infinite"
        if self.exact_upper is None:
            return f"at least {lower_text(self.exact_lower)}"
        if self.exact_upper - self.exact_lower <= SAME * self.exact_upper:
            return upper_text(self.exact_upper)
        return f"{lower_text(self.exact_lower)} to {upper_text(self.exact_upper)}"

    def __repr__(self) -> str:
        return f"Interval({self})"

    def __str__(self) -> str:
        if self.lower == self.upper:
            return "infinite" if self.is_infinite else repr(self.lower)
        return f"[{self.lower!r}, {self.upper!r}]"


class Gap(NamedTuple):
    """By how much a claimed delta is exceeded, as exact bounds of a number of either sign."""

    exact_lower: Fraction
    exact_upper: Fraction

    @property
    def lower(self) -> float:
        return outwards(self.exact_lower, -math.inf)

    @property
    def upper(self) -> float:
        return outwards(self.exact_upper, math.inf)

    def to_dict(self) -> dict[str, float]:
        """JSON-ready."""
        return {"lower": self.lower, "upper": self.upper}

    def __str__(self) -> str:
        """The upper end to two digits."""
        return nearest_text(self.exact_upper, 2)


@dataclass(frozen=True)
class Witness:
    """Where the worst is attained: P(outcomes | true) exceeds e^epsilon P(outcomes | other) by delta.

    Attributes:
        true, other: true counts, 0 for the first row.
        outcomes: inclusive ranges of released counts, in order.
        probability: P(outcomes | true); None where it is not known (from draws), or was not asked for.
        other_probability: P(outcomes | other), likewise.
    """

    true: int
    other: int
    outcomes: tuple[tuple[int, int], ...]
    probability: Interval | None = None
    other_probability: Interval | None = None

    def __contains__(self, released: int) -> bool:
        return any(first <= released <= last for first, last in self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; `outcomes` is a list of [first, last]. Probabilities that are not known are left out."""
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


class Verdict(Enum):
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
"""In place of the sentence of NOT_PRIVATE, where it is so."""


def as_ranges(outcomes: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Increasing outcomes as inclusive ranges."""
    spans: list[tuple[int, int]] = []
    for outcome in outcomes:
        if spans and spans[-1][1] == outcome - 1:
            spans[-1] = (spans[-1][0], outcome)
        else:
            spans.append((outcome, outcome))
    return tuple(spans)


def lower_fraction(value: arb) -> Fraction:
    """A lower bound of the number >= 0 that a ball encloses."""
    end = _finite(value).lower()
    return Fraction(0) if end < _TINY else _exactly(end)


def upper_fraction(value: arb) -> Fraction:
    """An upper bound of the number >= 0 that a ball encloses; 0 only where it is 0 for sure."""
    end = _finite(value).upper()
    if end <= 0:
        return Fraction(0)
    return Fraction(1, 2**_TINY_BITS) if end < _TINY else _exactly(end)


def interval_of(value: arb) -> Interval:
    """A ball of a number that is known to be >= 0."""
    return Interval(lower_fraction(value), upper_fraction(value))


def enclosing(evaluate: Callable[[int], arb], is_enough: Callable[[arb], bool] = arb.is_exact) -> Interval:
    """Around a number that is known to be >= 0: to 62 bits, or as soon as a ball `is_enough`, or as far as it goes.

    Args:
        evaluate: precision in bits -> ball; run under that working precision.
    """
    for value in refinements(evaluate):
        found = interval_of(value)  # under the precision of `value`: ends taken outside would be rounded further
        if value.rel_accuracy_bits() >= ENOUGH_BITS or is_enough(value):
            break
    return found


def _finite(value: arb) -> arb:
    if not value.is_finite():
        raise ArithmeticError("an enclosure is not finite; a fault of the formula, never of the data")
    return value


def _exactly(end: arb) -> Fraction:
    mantissa, exponent = (int(part) for part in end.man_exp())
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def outwards(bound: Fraction | None, towards: float) -> float:
    """The float next to an exact bound on the side of `towards`, -inf or inf, or equal to it; None is infinity."""
    if bound is None:
        return math.inf
    try:
        nearest = float(bound)
    except OverflowError:
        nearest = math.inf if bound > 0 else -math.inf
    is_past = nearest <= bound if towards < 0 else nearest >= bound
    return nearest if is_past else math.nextafter(nearest, towards)
