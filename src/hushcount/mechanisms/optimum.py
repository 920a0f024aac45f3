"""What the closed-form optima share: the same diagonal in every row, 1 less the least error probability."""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb

from hushcount.enclosure import nearest_float
from hushcount.mechanisms.two_tailed import PrivateTwoTailed

__all__ = ["Optimum"]


@dataclass(frozen=True)
class Optimum(PrivateTwoTailed):
    """An optimal mechanism in closed form."""

    @property
    def error_probability(self) -> float:
        """p_e* = (1 - delta)(1 - alpha_M(epsilon)), the same for every true count ([RV26] Theorem 1 (10))."""
        return nearest_float(lambda p: self._kernel(p).error)

    def _diagonal(self, row: int, precision: int) -> arb:
        return self._kernel(precision).gamma
