"""The mechanisms that a user can choose from, measured in the same way."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np

from hushcount.errors import TooLarge
from hushcount.inputs.arguments import integer
from hushcount.mechanisms import Mechanism
from hushcount.mechanisms.by_name import MECHANISMS, NEEDS_DELTA
from hushcount.numbers.exact import Number
from hushcount.numbers.intervals import Interval
from hushcount.privacy.auditing import audit
from hushcount.privacy.findings import AuditVerdict
from hushcount.privacy.matrix_properties import Properties, properties
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["LARGEST_COMPARED", "ComparisonRow", "compare"]

LARGEST_COMPARED = 200
"""The largest n of a comparison: every true count of every mechanism is evaluated, half a minute's work at this n."""

_LARGEST_EXACT = 10
"""The largest n at which properties are decided in closed form; it takes n^2 enclosures of each mechanism."""

_NEGLIGIBLE = 1e-290
"""Smaller probabilities count as 0 where properties are decided from floats: near the least float they lose digits."""


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


def compare(n: int, epsilon: Number, delta: Number = 0) -> tuple[ComparisonRow, ...]:
    """Measure the mechanisms for (epsilon, delta) side by side, `nearest` first.

    They are nearest, canonical, explicit_fair, truncated_geometric, folded_geometric, exponential, randomized_response,
    uniform and redrawn_geometric, which for n >= 2 is not private at its epsilon. At delta > 0 there are also
    clamped_canonical_noise and clamped_gaussian. Of the others only nearest, canonical and randomized_response use
    delta; the rest are what they are at delta 0.

    Args:
        n: the largest count, an integer from 0 to 200.
        epsilon: >= 0, in nats; float, int, Fraction, Decimal or decimal string, kept exactly.
        delta: 0 <= delta < 1, kept exactly.

    Returns:
        One row per mechanism; each float is right to 1e-12 relative, each interval rigorous.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
        TooLarge: n above 200.
    """
    n, privacy = integer(n, "n", least=0), EpsilonDelta.of(epsilon, delta)
    if not n <= LARGEST_COMPARED:
        raise TooLarge(
            f"mechanisms are compared up to n = {LARGEST_COMPARED} (got {n:,}); beyond, ask each mechanism for the "
            "figures you need"
        )
    return tuple(_measured(mechanism, privacy) for mechanism in _mechanisms(n, privacy))


def _mechanisms(n: int, privacy: EpsilonDelta) -> list[Mechanism]:
    names = (name for name in MECHANISMS if privacy.delta or name not in NEEDS_DELTA)
    return [MECHANISMS[name](n, privacy.epsilon, privacy.delta) for name in names]


def _measured(mechanism: Mechanism, privacy: EpsilonDelta) -> ComparisonRow:
    counts = range(mechanism.n + 1)
    found = audit(mechanism, epsilon=privacy.epsilon, delta=privacy.delta)
    assert found.verdict is not None
    assert found.least_delta is not None
    return ComparisonRow(
        mechanism=mechanism.name,
        worst_error_probability=mechanism.error_probability,
        mean_error_probability=fsum(mechanism.probability_beyond(0, true) for true in counts) / len(counts),
        worst_absolute_error=mechanism.expected_absolute_error(),
        mean_absolute_error=fsum(mechanism.expected_absolute_error(true) for true in counts) / len(counts),
        worst_bias=mechanism.bias(),
        within_1=mechanism.probability_within(1),
        within_2=mechanism.probability_within(2),
        within_5=mechanism.probability_within(5),
        uses_delta=bool(mechanism.delta),
        properties=_properties(mechanism),
        verdict=found.verdict,
        least_epsilon=found.least_epsilon.interval,
        least_delta=found.least_delta.interval,
    )


def _properties(mechanism: Mechanism) -> Properties:
    if mechanism.n <= _LARGEST_EXACT:
        return properties(mechanism)
    matrix = mechanism.matrix()
    return properties(np.where(matrix < _NEGLIGIBLE, 0.0, matrix))
