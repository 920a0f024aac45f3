"""What is settled of a release before any data is seen: the mechanism, and the figures it guarantees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from hushcount.counting.declared.units import Unit
from hushcount.errors import InvalidParameter
from hushcount.numbers.exact import Number, exact_text
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.release.audited import Audited, AuditFigures

if TYPE_CHECKING:
    from hushcount.mechanisms import Mechanism

__all__ = [
    "DISTANCES",
    "PROVEN",
    "Drawing",
    "Figures",
    "Findings",
    "Guarantee",
    "Law",
    "figures",
    "neighbours",
    "offered",
]

PROVEN = ("nearest", "canonical")
"""The mechanisms that go by name: private by proof, at any n."""

DISTANCES = (1, 2, 5)
"""The distances between released and true count whose chance of being exceeded is always stated."""


class Drawing(Protocol):
    """What a release needs of a mechanism. Nothing here takes a seed or a generator."""

    @property
    def n(self) -> int: ...
    @property
    def epsilon(self) -> Fraction: ...
    @property
    def delta(self) -> Fraction: ...
    @property
    def name(self) -> str: ...
    @property
    def error_probability(self) -> float: ...
    def probability_beyond(self, t: int) -> float: ...
    def draw(self, true: Any) -> Any: ...


Law = Callable[[int], Drawing]
"""From the largest count n to the mechanism that draws from 0..n."""


def offered(mechanism: str | Mechanism, epsilon: Number, delta: Number) -> Law:
    """The law that `mechanism` stands for at (epsilon, delta); everything but n is judged at once.

    Args:
        mechanism: "nearest" or "canonical", which are private by proof at any n, or a mechanism of one n, which is
            audited here and refused for another n.

    Raises:
        InvalidParameter: none of these, a bad epsilon or delta, or a mechanism that is not (epsilon, delta)-DP.
        TooLarge: a mechanism in closed form that is too large for an audit.
    """
    from hushcount import mechanisms

    if isinstance(mechanism, mechanisms.Mechanism):
        from hushcount.release.admission import admitted

        return admitted(mechanism, epsilon, delta).for_counts
    if not isinstance(mechanism, str) or mechanism not in PROVEN:
        raise InvalidParameter("mechanism", mechanism, f"one of {', '.join(PROVEN)}, or a saved mechanism")
    make, promise = getattr(mechanisms, mechanism), EpsilonDelta.of(epsilon, delta)
    return lambda n: make(n, promise.epsilon, promise.delta)


def neighbours(adjacency: str) -> Adjacency:
    """The adjacency of that name.

    Raises:
        InvalidParameter: neither "replace-one" nor "add-remove".
    """
    try:
        return Adjacency(adjacency)
    except (TypeError, ValueError):
        names = ", ".join(member.value for member in Adjacency)
        raise InvalidParameter("adjacency", adjacency, f"one of {names}") from None


class Findings(Protocol):
    """What an audit found; `AuditFigures` and the receipt's have it."""

    @property
    def name(self) -> str: ...
    @property
    def matrix_sha256(self) -> str | None: ...
    @property
    def least_delta(self) -> float: ...


class OfUnits(Protocol):
    """Whom a row belongs to; `Unit` and the receipt's facts say it."""

    @property
    def column(self) -> str: ...


class Guarantee(Protocol):
    """The figures the words are made of; `Figures` and `Receipt` both have them."""

    @property
    def maximum(self) -> int: ...
    @property
    def epsilon(self) -> str: ...
    @property
    def delta(self) -> str: ...
    @property
    def adjacency(self) -> str: ...
    @property
    def adjacency_meaning(self) -> str: ...
    @property
    def mechanism(self) -> str: ...
    @property
    def audit(self) -> Findings | None: ...
    @property
    def unit(self) -> OfUnits | None: ...
    @property
    def error_probability(self) -> float: ...
    @property
    def chance_off_by_more_than(self) -> Mapping[int, float]: ...


@dataclass(frozen=True)
class Figures:
    """What is known of a release before any data is seen. The names are those of the receipt."""

    minimum: int
    maximum: int
    epsilon: str
    delta: str
    adjacency: str
    adjacency_meaning: str
    mechanism: str
    audit: AuditFigures | None
    unit: Unit | None
    error_probability: float
    chance_off_by_more_than: Mapping[int, float]


def figures(mechanism: Drawing, adjacency: Adjacency, unit: Unit | None = None) -> Figures:
    """The figures of `mechanism`; every chance is the worst case over the true counts 0..n, of rows or of units."""
    return Figures(
        minimum=0,
        maximum=mechanism.n,
        epsilon=exact_text(mechanism.epsilon),
        delta=exact_text(mechanism.delta),
        adjacency=adjacency.value,
        adjacency_meaning=adjacency.meaning if unit is None else adjacency.meaning_for_units,
        mechanism=mechanism.name,
        audit=mechanism.audit if isinstance(mechanism, Audited) else None,
        unit=unit,
        error_probability=mechanism.error_probability,
        chance_off_by_more_than={distance: mechanism.probability_beyond(distance) for distance in DISTANCES},
    )
