"""What is settled of a release before any data is seen: the mechanism, by name, and the figures it guarantees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from hushcount.counting import Adjacency
from hushcount.errors import InvalidParameter
from hushcount.exact import Number, exact_text

__all__ = ["DISTANCES", "Drawing", "Figures", "Guarantee", "figures", "neighbours", "offered"]

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
    def draw(self, true: int) -> Any: ...


def offered(name: str) -> Callable[[int, Number, Number], Drawing]:
    """The function (n, epsilon, delta) -> mechanism that `name` stands for.

    Raises:
        InvalidParameter: neither "nearest" nor "canonical".
    """
    from hushcount.mechanisms import canonical, nearest

    functions: dict[str, Callable[[int, Number, Number], Drawing]] = {"nearest": nearest, "canonical": canonical}
    if not isinstance(name, str) or name not in functions:
        raise InvalidParameter("mechanism", name, f"one of {', '.join(functions)}")
    return functions[name]


def neighbours(adjacency: str) -> Adjacency:
    """The adjacency of that name.

    Raises:
        InvalidParameter: neither "replace-one" nor "add-remove".
    """
    try:
        return Adjacency(adjacency)
    except ValueError:
        names = ", ".join(member.value for member in Adjacency)
        raise InvalidParameter("adjacency", adjacency, f"one of {names}") from None


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
    error_probability: float
    chance_off_by_more_than: Mapping[int, float]


def figures(mechanism: Drawing, adjacency: Adjacency) -> Figures:
    """The figures of `mechanism`; every chance is the worst case over the true counts 0..n."""
    return Figures(
        minimum=0,
        maximum=mechanism.n,
        epsilon=exact_text(mechanism.epsilon),
        delta=exact_text(mechanism.delta),
        adjacency=adjacency.value,
        adjacency_meaning=adjacency.meaning,
        mechanism=mechanism.name,
        error_probability=mechanism.error_probability,
        chance_off_by_more_than={distance: mechanism.probability_beyond(distance) for distance in DISTANCES},
    )
