"""Several (epsilon, delta) at once: the promise is all of them, and the curve the least of theirs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import listed
from hushcount.numbers.exact import Number
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
        """Check and keep exactly; see `EpsilonDelta.of`.

        Raises:
            InvalidParameter: no pair, something else than pairs, or an epsilon or delta out of range.
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

    def fields(self) -> dict[str, object]:
        return {"pairs": [pair.fields() for pair in self.pairs]}

    def __str__(self) -> str:
        return " and ".join(map(str, self.pairs))
