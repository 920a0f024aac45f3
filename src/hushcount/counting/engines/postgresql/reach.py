"""How small and how large the results of double arithmetic can be, for an engine that stops where they do not fit.

The largest double is 2**1024 - 2**971, and 2**1024 - 2**970 is the first number that rounds to infinity. The smallest
is 2**-1074, and 2**-1075 is the last that rounds to 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hushcount.counting.meaning.types import NUMERIC, ColumnType, Kind

__all__ = [
    "ANY",
    "HIGHEST",
    "LOWEST",
    "TO_INFINITY",
    "TO_ZERO",
    "Reach",
    "reach_of",
]

LOWEST, HIGHEST = -1074, 1024
TO_INFINITY = Fraction(2) ** HIGHEST - Fraction(2) ** 970
TO_ZERO = Fraction(2) ** (LOWEST - 1)


@dataclass(frozen=True)
class Reach:
    """The finite values that a result can have.

    Attributes:
        low: all are multiples of 2**low.
        high: all are smaller than 2**high in size.
        special: whether there may also be infinities and NaN.
        weight: about how often a column is read to find the value; guards multiply it.
    """

    low: int
    high: int
    special: bool = False
    weight: int = 1

    @property
    def fits(self) -> bool:
        """Whether all of them are doubles, so that no operation that led here can have stopped."""
        return self.low >= LOWEST and self.high <= HIGHEST

    def plus(self, other: Reach) -> Reach:
        """Return the reach of sums and differences."""
        return self._with(other, min(self.low, other.low), max(self.high, other.high) + 1)

    def times(self, other: Reach) -> Reach:
        """Return the reach of products."""
        return self._with(other, self.low + other.low, self.high + other.high)

    def over(self, other: Reach) -> Reach:
        """Return the reach of quotients, rounded to 53 bits unless they are below the smallest double."""
        smallest = self.low - other.high
        low = smallest if smallest < LOWEST else max(smallest - 52, LOWEST)
        return self._with(other, low, self.high - other.low)

    def _with(self, other: Reach, low: int, high: int) -> Reach:
        return Reach(low, high, self.special or other.special, self.weight + other.weight)


ANY = Reach(LOWEST, HIGHEST, special=True)


def reach_of(kind: ColumnType) -> Reach:
    """Return the reach of a numeric type, read as doubles."""
    if kind.kind is Kind.DOUBLE:
        return Reach(kind.format.low, kind.format.high, special=True)
    if kind == NUMERIC:  # its conversion looks at it five times
        return Reach(LOWEST, HIGHEST, special=True, weight=5)
    high = max(abs(kind.low), abs(kind.high)).bit_length() + 1
    if kind.scale == 0:
        return Reach(0, high)
    # 10**-scale is above 2**-(4 * scale), and the double nearest to a multiple of it has 53 bits
    return Reach(-4 * kind.scale - 53, high)
