"""A point of a sweep without a medium, and what is known there."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from flint import arb

from hushcount._version import __version__
from hushcount.mechanisms import Mechanism
from hushcount.mechanisms.by_name import MECHANISMS
from hushcount.numbers.enclosure import FIRST_PRECISION, refinements
from hushcount.numbers.intervals import Interval, interval_of
from hushcount.privacy import audit
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.sweeps.columns import nearest

__all__ = ["MechanismPoint", "MechanismRow", "error_interval", "measures"]

_ENOUGH_BITS = FIRST_PRECISION // 2
"""The relative accuracy of an enclosure at which its floats are as close together as floats can be."""
_TINY = arb(2) ** -1080
"""Below the least positive float."""


@dataclass(frozen=True, slots=True)
class MechanismPoint:
    """One mechanism, n, epsilon and delta; the texts are exact numbers."""

    mechanism: str
    n: int
    epsilon: str
    delta: str

    def row(self) -> MechanismRow:
        """Return what is known there."""
        privacy = EpsilonDelta.of(self.epsilon, self.delta)
        law = MECHANISMS[self.mechanism](self.n, privacy.epsilon, privacy.delta)
        found = audit(law, epsilon=privacy.epsilon, delta=privacy.delta)
        assert found.verdict is not None
        assert found.least_delta is not None
        best = MECHANISMS["nearest"](self.n, privacy.epsilon, privacy.delta)
        least = error_interval(best)
        needs, excess = found.least_epsilon.interval, found.least_delta.interval
        return MechanismRow(
            **{field.name: getattr(self, field.name) for field in fields(self)},
            epsilon_float=nearest(privacy.epsilon),
            delta_float=nearest(privacy.delta),
            least_lower=least.lower,
            least_upper=least.upper,
            **measures(law),
            verdict=found.verdict.name,
            by_rounding=found.by_rounding,
            needs_epsilon_lower=needs.lower,
            needs_epsilon_upper=needs.upper,
            needs_delta_lower=excess.lower,
            needs_delta_upper=excess.upper,
            hushcount_version=__version__,
        )


@dataclass(frozen=True, slots=True)
class MechanismRow:
    """One row of a sweep without a medium. All measures are worst cases over the true counts 0..n.

    Attributes:
        mechanism ... delta: the point.
        epsilon_float, delta_float: the nearest floats.
        least_lower, least_upper: bounds on p_e*, the least error probability of any private mechanism.
        lower, upper: certified bounds, lower <= Pr(released != true) <= upper.
        absolute_error, squared_error: E|released - true| and E(released - true)^2, right to 1e-12 relative.
        bias: the largest |E(released - true)|, right to 1e-12 relative.
        within_1: the least Pr(|released - true| <= 1), right to 1e-12 relative.
        verdict: of the audit at epsilon and delta: PRIVATE, NOT_PRIVATE or UNDECIDED.
        by_rounding: whether the verdict may be due to the rounding of a matrix alone.
        needs_epsilon_lower, needs_epsilon_upper: bounds on the least epsilon that it keeps at delta; infinite if none.
        needs_delta_lower, needs_delta_upper: bounds on the least delta that it keeps at epsilon.
        hushcount_version: the version that computed the row.
    """

    mechanism: str
    n: int
    epsilon: str
    delta: str
    epsilon_float: float
    delta_float: float
    least_lower: float
    least_upper: float
    lower: float
    upper: float
    absolute_error: float
    squared_error: float
    bias: float
    within_1: float
    verdict: str
    by_rounding: bool
    needs_epsilon_lower: float
    needs_epsilon_upper: float
    needs_delta_lower: float
    needs_delta_upper: float
    hushcount_version: str
    point_class: ClassVar[type[MechanismPoint]] = MechanismPoint

    @property
    def point(self) -> MechanismPoint:
        return MechanismPoint(self.mechanism, self.n, self.epsilon, self.delta)


def measures(mechanism: Mechanism) -> dict[str, Any]:
    """Return the columns that are about the error of a mechanism."""
    error = error_interval(mechanism)
    return {
        "lower": error.lower,
        "upper": min(error.upper, 1.0),
        "absolute_error": mechanism.expected_absolute_error(),
        "squared_error": mechanism.expected_squared_error(),
        "bias": mechanism.bias(),
        "within_1": mechanism.probability_within(1),
    }


def error_interval(mechanism: Mechanism) -> Interval:
    """Return bounds of the worst-case Pr(released != true)."""
    found = [_chance(mechanism, true) for true in mechanism.worst_candidates()]
    worst = [max(ends) for ends in zip(*(each.known for each in found), strict=True)]
    return Interval(worst[0], worst[1])


def _chance(mechanism: Mechanism, true: int) -> Interval:
    def wrong(precision: int) -> arb:
        return mechanism.enclosed_beyond(true, 0, precision)

    value = arb(0)
    for value in refinements(wrong):
        if value.rel_accuracy_bits() >= _ENOUGH_BITS or value.abs_upper() < _TINY:
            break
    return interval_of(value)
