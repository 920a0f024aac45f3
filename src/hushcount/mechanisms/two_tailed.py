"""Mechanisms given by one tail.

All closed forms here satisfy p(n - i, n - j) = p(i, j). So Pr(output <= i - k | i) for k >= 1, the *lower tail*, says
everything; the upper tail of i is the lower tail of n - i. Rows here are numbered 1..M as in the paper (row = true
+ 1).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.optima.kernel import Kernel, kernel
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["PrivateTwoTailed", "TwoTailed"]


@dataclass(frozen=True)
class TwoTailed(Mechanism):
    """A mechanism with mirror symmetry in closed form: O(1) memory at any n."""

    n: int

    is_mirrored = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", integer(self.n, "n", least=0))

    @abstractmethod
    def _tail(self, row: int, k: int, precision: int) -> arb:
        """Enclose Pr(output <= row - k | row), 1 <= row <= M, 1 <= k < row."""

    @abstractmethod
    def _tail_sums(self, row: int, precision: int) -> tuple[arb, arb]:
        """Return the sums of tail(k) and of (2k - 1) tail(k) over k >= 1: E (row - output)^+ and its square."""

    def _cell(self, row: int, k: int, precision: int) -> arb:
        """Enclose Pr(output = row - k | row), 1 <= k < row."""
        return self._lower(row, k, precision) - self._lower(row, k + 1, precision)

    def _diagonal(self, row: int, precision: int) -> arb:
        """Enclose Pr(output = row | row)."""
        return 1 - self._lower(row, 1, precision) - self._lower(self.n + 2 - row, 1, precision)

    def _lower(self, row: int, k: int, precision: int) -> arb:
        return self._tail(row, k, precision) if k < row else arb(0)

    def _upto(self, true: int, released: int, precision: int) -> arb:
        if released < true:
            return self._lower(true + 1, true - released, precision)
        return 1 - self._above(true, released, precision)

    def _above(self, true: int, released: int, precision: int) -> arb:
        if released >= true:
            return self._lower(self.n - true + 1, released + 1 - true, precision)
        return 1 - self._upto(true, released, precision)

    def _probability(self, true: int, released: int, precision: int) -> arb:
        if released == true:
            return self._diagonal(true + 1, precision)
        row, k = (true, true - released) if released < true else (self.n - true, released - true)
        return self._cell(row + 1, k, precision)

    def _moments(self, true: int, precision: int) -> tuple[arb, arb, arb]:
        down, down_squared = self._tail_sums(true + 1, precision)
        up, up_squared = self._tail_sums(self.n - true + 1, precision)
        return down + up, down_squared + up_squared, arb(0) if 2 * true == self.n else up - down

    def _worst_candidates(self) -> list[int]:
        return sorted({0, self.n // 2})


@dataclass(frozen=True)
class PrivateTwoTailed(TwoTailed):
    """A two-tailed mechanism with a promise, whose q = e^-epsilon and S(k) make up its formulas."""

    privacy: EpsilonDelta

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.privacy, EpsilonDelta):
            raise InvalidParameter("privacy", self.privacy, "an EpsilonDelta")

    @property
    def epsilon(self) -> Fraction:
        return self.privacy.epsilon

    @property
    def delta(self) -> Fraction:
        return self.privacy.delta

    @property
    def proven_privacy(self) -> EpsilonDelta:
        return self.privacy

    def _kernel(self, precision: int) -> Kernel:
        return kernel(self.n + 1, self.epsilon, self.delta, precision)
