"""Several (epsilon, delta) at once: the promise is all of them, and its curve is the least of theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import listed
from hushcount.numbers.exact import Number
from hushcount.numbers.text import plain
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.piecewise_linear import PiecewiseLinear

__all__ = ["SeveralPairs"]

_RULE = "one or more pairs (epsilon, delta)"


@dataclass(frozen=True)
class SeveralPairs(PiecewiseLinear):
    """At least one (epsilon, delta), each once and in order of epsilon; some may follow from the others."""

    pairs: tuple[EpsilonDelta, ...]

    def __post_init__(self) -> None:
        if not (isinstance(self.pairs, tuple) and all(isinstance(pair, EpsilonDelta) for pair in self.pairs)):
            raise InvalidParameter("pairs", self.pairs, "a tuple of EpsilonDelta; SeveralPairs.of takes other numbers")
        if not self.pairs:
            raise InvalidParameter("pairs", None, _RULE)
        ordered = sorted(set(self.pairs), key=lambda pair: (pair.epsilon, pair.delta))
        object.__setattr__(self, "pairs", tuple(ordered))

    @classmethod
    def of(cls, pairs: Iterable[tuple[Number, Number]]) -> SeveralPairs:
        """Check the pairs and keep them exactly; see `EpsilonDelta.of`.

        Raises:
            InvalidParameter: no pair, something other than pairs, or an epsilon or delta out of range.
        """
        kept = []
        for pair in listed(pairs, "pairs", _RULE):
            try:
                epsilon, delta = pair
            except (TypeError, ValueError):
                raise InvalidParameter("pairs", pair, _RULE) from None
            kept.append(EpsilonDelta.of(epsilon, delta))
        return cls(tuple(kept))

    def all_pairs(self) -> tuple[EpsilonDelta, ...]:
        return self.pairs

    def of_cells(self, changed: int) -> SeveralPairs:
        """Return what each of them comes to for so many cells."""
        return SeveralPairs(tuple(pair.of_cells(changed) for pair in self.pairs))

    def per_row(self, rows: int) -> SeveralPairs:
        """Return what each of them comes to for one row."""
        return SeveralPairs(tuple(pair.per_row(rows) for pair in self.pairs))

    def to_fields(self, prefix: str = "") -> dict[str, Any]:
        return {f"{prefix}pairs": tuple(pair.to_fields() for pair in self.pairs)}

    def in_words(self, spelled: Callable[[Fraction], str] = plain, link: str = ", ") -> str:
        return " and ".join(f"({pair.in_words(spelled, link)})" for pair in self.pairs)

    def to_options(self) -> str:
        """Return the options of the first pair; no command takes several."""
        return self.pairs[0].to_options()

    def protection(self, released: str, truth: str) -> str:
        """Return that of each of them, since all of them hold."""
        return " And ".join(pair.protection(released, truth) for pair in self.pairs)

    @property
    def adding_up(self) -> str:
        return "its own, and all of them together promise only the sum of one pair of each"

    @property
    def of_least_delta(self) -> EpsilonDelta:
        """The pair that a budget is charged: the one with the least delta, and of those with the least epsilon.

        All pairs are promised, so that any one of them may be charged that is told by them alone.
        """
        return min(self.pairs, key=lambda pair: (pair.delta, pair.epsilon))

    def given_away(self, draws: int, kind: str) -> list[str]:
        """Return that of the pair with the least delta."""
        return self.of_least_delta.given_away(draws, kind)

    def __str__(self) -> str:
        return " and ".join(map(str, self.pairs))
