"""The mechanisms that a user can choose from, measured in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from typing import Any

import numpy as np

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.inputs.arguments import integer, listed
from hushcount.mechanisms import Mechanism
from hushcount.mechanisms.by_name import GAUSSIAN, MECHANISMS, NEEDS_DELTA, check_name, implied_epsilon, named
from hushcount.mechanisms.names import distance_of
from hushcount.numbers.exact import Number
from hushcount.privacy.auditing import audit
from hushcount.privacy.comparison.row import ComparisonRow
from hushcount.privacy.comparison.text import comparison_text, remarks
from hushcount.privacy.matrix_properties import Properties, properties
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.given import promise_of

__all__ = ["LARGEST_COMPARED", "Comparison", "compare"]

LARGEST_COMPARED = 200
"""The largest n of a comparison: every true count of every mechanism is evaluated, half a minute's work at this n."""

DISTANCES = (1, 2, 5)
"""The distances within which chances are always stated."""

_LARGEST_EXACT = 10
"""The largest n at which properties are decided in closed form; it takes n^2 enclosures of each mechanism."""

_NEGLIGIBLE = 1e-290
"""Smaller probabilities count as 0 where properties are decided from floats: near the least float they lose digits."""


class Comparison(tuple[ComparisonRow, ...]):
    """The result of `compare`, a row for each mechanism; printed, it is what the command prints.

    Attributes:
        n: the largest count.
        privacy: the promise asked for, exactly: epsilon and delta, or mu.
    """

    n: int
    privacy: EpsilonDelta | GaussianDP

    @classmethod
    def of(cls, n: int, privacy: EpsilonDelta | GaussianDP, names: Sequence[str] | None = None) -> Comparison:
        """Return the comparison of the mechanisms of these names, or of all, for the counts 0..n."""
        made = _all(n, privacy) if names is None else [named(name, n, privacy) for name in names]
        further = {t for name in names or () if (t := distance_of(name)) is not None}
        found = cls(_measured(mechanism, privacy, sorted(further.union(DISTANCES))) for mechanism in made)
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


def compare(
    n: int,
    epsilon: Number | Curve | None = None,
    delta: Number = 0,
    *,
    mu: Number | None = None,
    rho: Number | None = None,
    mechanisms: Iterable[str] | None = None,
) -> Comparison:
    """Measure the mechanisms for one promise side by side, `nearest` first.

    For epsilon and delta they are nearest, canonical, explicit_fair, truncated_geometric, folded_geometric,
    exponential, randomized_response, uniform and redrawn_geometric, which for n >= 2 is not private at its epsilon. At
    delta > 0 there are also clamped_canonical_noise and clamped_gaussian. Of the others only nearest, canonical and
    randomized_response use delta; the rest are what they are at delta 0.

    For mu or rho they are nearest and the Gaussian mechanisms: rounded_gaussian, which is mu-GDP; zcdp_gaussian, which
    keeps rho-zCDP alone and needs a larger mu; and analytic_gaussian for the epsilon that mu implies at delta 1e-6,
    rounded down to six digits, where that is above 0: up to this rounding it is rounded_gaussian.

    Args:
        n: the largest count, an integer from 0 to 200.
        epsilon: >= 0, in nats; float, int, Fraction, Decimal or decimal string, kept exactly.
        delta: 0 <= delta < 1, kept exactly.
        mu, rho: in place of epsilon and delta; > 0, kept exactly.
        mechanisms: the names of those to compare with nearest, in place of all: also within:T, which is off by more
            than T as rarely as can be, and at delta > 0 analytic-gaussian and never-invented.

    Returns:
        One row per mechanism; each float is right to 1e-12 relative, each interval rigorous. `print` shows the tables
        and remarks of `hushcount compare`.

    Raises:
        InvalidParameter: naming the argument, its value and the rule; also several pairs at once.
        TooLarge: n above 200.
    """
    n, privacy = integer(n, "n", least=0), promise_of(epsilon, delta, mu=mu, rho=rho)
    if not isinstance(privacy, EpsilonDelta | GaussianDP):
        raise InvalidParameter("promise", None, "one epsilon and delta, mu or rho")
    names = None if mechanisms is None else _checked(mechanisms, privacy)
    if not n <= LARGEST_COMPARED:
        raise TooLarge(
            f"mechanisms are compared up to n = {LARGEST_COMPARED} (got {n:,}); beyond, ask each mechanism for the "
            "figures you need"
        )
    return Comparison.of(n, privacy, names)


def _checked(mechanisms: Iterable[str], privacy: Curve) -> list[str]:
    """Return the names, nearest before all others, each once."""
    found = ["nearest", *listed(mechanisms, "mechanisms", "a list of names")]
    for name in found:
        check_name(name, privacy)
    return list(dict.fromkeys(found))


def _all(n: int, privacy: EpsilonDelta | GaussianDP) -> list[Mechanism]:
    if isinstance(privacy, EpsilonDelta):
        names = [name for name in MECHANISMS if privacy.delta or name not in NEEDS_DELTA]
    else:
        names = [name for name in GAUSSIAN if implied_epsilon(privacy) or name != "analytic-gaussian"]
    return [named(name, n, privacy) for name in names]


def _measured(mechanism: Mechanism, privacy: EpsilonDelta | GaussianDP, distances: Sequence[int]) -> ComparisonRow:
    counts = range(mechanism.n + 1)
    return ComparisonRow(
        mechanism=mechanism.name,
        worst_error_probability=mechanism.error_probability,
        mean_error_probability=fsum(mechanism.probability_beyond(0, true) for true in counts) / len(counts),
        worst_absolute_error=mechanism.expected_absolute_error(),
        mean_absolute_error=fsum(mechanism.expected_absolute_error(true) for true in counts) / len(counts),
        worst_bias=mechanism.bias(),
        within={t: mechanism.probability_within(t) for t in distances},
        uses_delta=isinstance(privacy, EpsilonDelta) and bool(mechanism.delta),
        properties=_properties(mechanism),
        **_needed(mechanism, privacy),
    )


def _needed(mechanism: Mechanism, privacy: EpsilonDelta | GaussianDP) -> dict[str, Any]:
    """Return what an audit finds: the verdict, and the least promise that holds."""
    if isinstance(privacy, GaussianDP):
        against_mu = audit(mechanism, mu=privacy)
        return {"verdict": against_mu.verdict, "least_mu": against_mu.least_mu.interval}
    found = audit(mechanism, epsilon=privacy.epsilon, delta=privacy.delta)
    assert found.least_delta is not None
    return {
        "verdict": found.verdict,
        "least_epsilon": found.least_epsilon.interval,
        "least_delta": found.least_delta.interval,
    }


def _properties(mechanism: Mechanism) -> Properties:
    if mechanism.n <= _LARGEST_EXACT:
        return properties(mechanism)
    matrix = mechanism.matrix()
    return properties(np.where(matrix < _NEGLIGIBLE, 0.0, matrix))
