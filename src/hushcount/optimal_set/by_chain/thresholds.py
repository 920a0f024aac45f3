"""Where thresholds may lie, and what they give and cost.

A *place* is where one threshold x in [0, 1] lies: a rank among the kinks of the curve's iterates (`kinks`), or a normal
quantile (`quantiles`). Places are ordered as their x, and g carries places to places.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hushcount.mechanisms.chain.chain import Chain
from hushcount.numbers.arrays import Floats
from hushcount.optimal_set.by_chain.loss_steps import Tails

__all__ = ["Column", "Thresholds"]


@dataclass(frozen=True, eq=False)
class Column:
    """What one threshold x costs: sum of `costs` times its tails, + `carried` g(x) - `held` x."""

    costs: Tails
    carried: float = 0.0
    held: float = 0.0

    def of(self, tails: Tails) -> float:
        """Return the sum."""
        return float(self.costs[0] @ tails[0] + self.costs[1] @ tails[1])


class Thresholds(ABC):
    """The places for thresholds 0..n - 1 on a promise's curve."""

    n: int
    has_middle: bool = True
    """Whether y* with g(y*) = 1 - y* is a place; not where g is the identity."""

    @abstractmethod
    def tails(self, place: float, j: int) -> Tails:
        """Return the chances of being on the far side of threshold j at a place (`loss_steps`), nearest floats; between
        two ranks, on straight lines."""

    def many_tails(self, places: Sequence[float], j: int) -> Tails:
        """Return the tails at several places, one row each."""
        below, above = zip(*(self.tails(place, j) for place in places), strict=True)
        return np.array(below), np.array(above)

    @abstractmethod
    def least(self, columns: Sequence[Column], low: Any = None, near: Any = None) -> Any:
        """Return the place x at which neighbouring thresholds x, g(x), g(g(x)), ... cost least together, from `low` on;
        the search starts near another one."""

    @abstractmethod
    def carried(self, place: Any, steps: int) -> Any:
        """Return the place that g, applied so often, carries a place to."""

    @abstractmethod
    def first_above(self, place: Any, steps: int) -> Any:
        """Return the least place that g, applied so often, carries to a place or beyond."""

    @abstractmethod
    def multipliers(self, columns: Sequence[Column], place: Any) -> Floats:
        """Return multipliers of the conditions that join neighbouring thresholds x, g(x), ... where they cost least."""

    @abstractmethod
    def lower_bound(self, column: Column, place: Any) -> float:
        """Return a lower bound of what the column costs at any x in [0, 1]; near the truth if `place` is the best."""

    @abstractmethod
    def points(self, place: float) -> tuple[float, float, float]:
        """Return x, 1 - x and g(x), nearest floats."""

    @abstractmethod
    def chain(self, x: Floats, rest: Floats) -> Chain:
        """Return the mechanism whose thresholds are x, with 1 - x, up to rounding; where g(x_j) > x_(j+1) by rounding,
        x_(j+1) is raised."""

    @abstractmethod
    def chain_at(self, places: Sequence[Any]) -> Chain:
        """Return the mechanism whose thresholds are at these places, as near as floats come."""

    @abstractmethod
    def upper_tails(self, chain: Chain) -> tuple[Iterator[Floats], Iterator[Floats]]:
        """Yield upper bounds of the tails of all thresholds of a chain at once: from i = j + k for k = 1, 2, ..., and
        from i = j - k for k = 0, 1, ...; thresholds for which there is no such i are left out."""

    @abstractmethod
    def centre(self) -> Any:
        """Return the place where the canonical noise has its thresholds."""

    @abstractmethod
    def beside(self, place: float, width: float, *, is_last: bool) -> list[Any]:
        """Return a few places around one, up to about 16 widths away, between which straight lines are tried; if
        `is_last`, the next ones only, where all lines are what they stand for or as good."""

    @abstractmethod
    def in_widths(self, difference: float) -> float:
        """Return the difference of two places in the unit of widths."""

    @abstractmethod
    def is_settled(self, places: list[Any], found: float) -> bool:
        """Return whether a threshold found among such last places is where it costs least."""
