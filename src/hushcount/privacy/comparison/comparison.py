"""The mechanisms that a user can choose from, measured in the same way."""

from __future__ import annotations

from math import fsum

import numpy as np

from hushcount.errors import TooLarge
from hushcount.inputs.arguments import integer
from hushcount.mechanisms import Mechanism
from hushcount.mechanisms.by_name import MECHANISMS, NEEDS_DELTA
from hushcount.numbers.exact import Number
from hushcount.privacy.auditing import audit
from hushcount.privacy.comparison.row import ComparisonRow
from hushcount.privacy.comparison.text import comparison_text, remarks
from hushcount.privacy.matrix_properties import Properties, properties
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["LARGEST_COMPARED", "Comparison", "compare"]

LARGEST_COMPARED = 200
"""The largest n of a comparison: every true count of every mechanism is evaluated, half a minute's work at this n."""

_LARGEST_EXACT = 10
"""The largest n at which properties are decided in closed form; it takes n^2 enclosures of each mechanism."""

_NEGLIGIBLE = 1e-290
"""Smaller probabilities count as 0 where properties are decided from floats: near the least float they lose digits."""


class Comparison(tuple[ComparisonRow, ...]):
    """The result of `compare`, a row for each mechanism; printed, it is what the command prints.

    Attributes:
        n: the largest count.
        privacy: the epsilon and delta asked for, exactly.
    """

    n: int
    privacy: EpsilonDelta

    @classmethod
    def of(cls, n: int, privacy: EpsilonDelta) -> Comparison:
        """Return the comparison of all mechanisms for the counts 0..n."""
        found = cls(_measured(mechanism, privacy) for mechanism in _mechanisms(n, privacy))
        found.n, found.privacy = n, privacy
        return found

    @property
    def remarks(self) -> list[str]:
        """What the rows show, in sentences."""
        return remarks(self, self.privacy)

    def __repr__(self) -> str:
        return f"<Comparison of {len(self)} mechanisms for the counts 0 to {self.n}, {self.privacy.in_words()}>"

    def __str__(self) -> str:
        return comparison_text(self, self.n, self.privacy, self.remarks)


def compare(n: int, epsilon: Number, delta: Number = 0) -> Comparison:
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
        One row per mechanism; each float is right to 1e-12 relative, each interval rigorous. `print` shows the tables
        and remarks of `hushcount compare`.

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
    return Comparison.of(n, privacy)


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
