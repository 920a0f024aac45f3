"""What the closed-form optima share: the same diagonal in every row, 1 less the least error probability; and how
their formulas become floats."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from flint import arb

from hushcount.mechanisms.optima.kernel_floats import KernelFloats
from hushcount.mechanisms.two_tailed import PrivateTwoTailed
from hushcount.numbers.enclosure import nearest_float

__all__ = ["Optimum"]

_Floats = TypeVar("_Floats", bound=KernelFloats)


@dataclass(frozen=True)
class Optimum(PrivateTwoTailed, Generic[_Floats]):
    """An optimal mechanism in closed form, whose formulas in floats are a `_Floats`."""

    @property
    def error_probability(self) -> float:
        """p_e* = (1 - delta)(1 - alpha_M(epsilon)), the same for every true count ([RV26] Theorem 1 (10))."""
        return nearest_float(lambda p: self._kernel(p).error)

    def _diagonal(self, row: int, precision: int) -> arb:
        return self._kernel(precision).gamma

    @staticmethod
    @abstractmethod
    def _formulas() -> type[_Floats]: ...

    @cached_property
    def _floats(self) -> _Floats:
        """The formulas for arrays."""
        return self._formulas().of(self._kernel(256))

    @cached_property
    def _scalars(self) -> _Floats:
        """The formulas for single draws."""
        return self._formulas().of(self._kernel(256), scalar=True)
