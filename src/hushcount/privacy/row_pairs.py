"""Two rows of a matrix of floats compared at a growth E = e^epsilon, at three levels of certainty.

For true counts k and i with rows a and b of exact sums A and B, the excess is

    excess(k, i) = sum_j (a_j / A - E b_j / B)^+,

the least delta of this ordered pair. `coarse` and `fine` bound their own errors; `settled` encloses it in balls.
u = 2^-53, N columns.

**coarse**, in floats, without the sums: A and B are within 2 N u of 1, E within u, the products and differences within
u each, and terms that matter have E b_j <= a_j up to such factors, so each is off by at most (4 N + 4) u a_j; adding N
of them in any order costs N u more. All a_j add up to 1: the error is below (8 N + 32) u.

**fine**, in pairs of floats: 1 / A and the mantissa of E / B are held to 2^-105, the two products are exact ([D71]),
and what is rounded afterwards is below 2^-101 a_j in each term; 2^-98 a_j stands for it, and 2^-1060 for what
underflows. Terms that are surely <= 0 add no error. The terms are added by `math.fsum`, which rounds once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from hushcount.numbers.arrays import UNIT, Floats
from hushcount.numbers.enclosure import ball
from hushcount.numbers.intervals import Interval, enclosing

__all__ = ["Growth", "Rows"]

_FINE_BITS = 160
_FINE_ERROR = 2.0**-98
_FINE_UNDERFLOW = 2.0**-1060
_SURELY_BELOW = 1 - 2.0**-30
"""Above (1 + 2 N u)^2 / (1 - 2 N u)^2 for all N <= 2^16, inverted."""
_LARGEST_SHIFT = 1100
"""2^1100 times the least positive float is above 1, so that no larger growth differs from it."""
_SPLITTER = 2.0**27 + 1

Enclosure = Callable[[int], arb]


@dataclass(frozen=True)
class Growth:
    """E = e^epsilon >= 1, as an enclosure at any precision, and its mantissa in [1, 2) and exponent of two."""

    enclose: Enclosure

    @classmethod
    def of_epsilon(cls, epsilon: Fraction) -> Growth:
        return cls(lambda precision: ball(epsilon).exp())

    @classmethod
    def exactly(cls, value: Fraction) -> Growth:
        return cls(lambda precision: ball(value))

    @cached_property
    def shift(self) -> int:
        with ctx.workprec(_FINE_BITS):
            mantissa, exponent = self.enclose(_FINE_BITS).mid().man_exp()
            return min(int(mantissa).bit_length() - 1 + int(exponent), _LARGEST_SHIFT)

    @cached_property
    def mantissa(self) -> arb:
        """E 2^-shift; 1 where the shift is the largest."""
        with ctx.workprec(_FINE_BITS):
            value = self.enclose(_FINE_BITS) * arb(2) ** -self.shift
            return value if value < 4 else arb(1)

    @cached_property
    def mantissa_float(self) -> float:
        return float(self.mantissa.mid())


class Rows:
    """The rows of a matrix, its floats taken as exact rationals over their exact row sums."""

    def __init__(self, entries: Floats) -> None:
        self.entries = entries
        self.count, self.width = entries.shape
        self.coarse_error = (8 * self.width + 32) * 2.0**-53

    @cached_property
    def sums(self) -> list[Fraction]:
        """The exact sum of each row."""
        return [_exact_sum(row) for row in self.entries]

    def mass(self, k: int, outcomes: Iterable[tuple[int, int]]) -> Fraction:
        """Return the exact probability of inclusive ranges of outcomes."""
        parts = (_exact_sum(self.entries[k, first : last + 1]) for first, last in outcomes)
        return sum(parts, Fraction(0)) / self.sums[k]

    @cached_property
    def _reciprocals(self) -> list[tuple[float, float]]:
        return [_pair(1 / total) for total in self.sums]

    def coarse(self, k: int, i: int, growth: Growth) -> float:
        """Return the excess within `coarse_error`."""
        with np.errstate(over="ignore"):  # E b_j may become infinite, which is surely above a_j
            terms = self.entries[k] - self._lifted(i, growth) * growth.mantissa_float
        np.maximum(terms, 0, out=terms)
        return float(terms.sum())

    def fine(
        self, k: int, i: int, growth: Growth, scaled: tuple[float, float], target: Fraction
    ) -> tuple[float, float]:
        """Return the excess less `target`, and a bound of its error.

        Args:
            scaled: the mantissa of E / B as a pair of floats, from `scaled`.
        """
        x, y = self.entries[k], self._lifted(i, growth)
        active = self._possible(x, y, growth)
        x, y = x[active], y[active]
        (head, tail), (scale, scale_tail) = self._reciprocals[k], scaled
        p, p_error = _product(x, head)
        r, r_error = _product(y, scale)
        high, low = _difference(p, r)
        low += (p_error + x * tail) - (r_error + y * scale_tail)
        value = high + low
        unsure = x * _FINE_ERROR + _FINE_UNDERFLOW
        positive = value > 0
        goal, goal_tail = _pair(target)
        total = math.fsum([*high[positive].tolist(), *low[positive].tolist(), -goal, -goal_tail])
        doubt = float(unsure[value > -unsure].sum())
        return total, 2 * doubt + abs(total) * UNIT + float(target) * 2.0**-104

    def scaled(self, growth: Growth) -> list[tuple[float, float]]:
        """Return for each row the mantissa of E / B as a pair of floats."""
        with ctx.workprec(_FINE_BITS):
            return [_arb_pair(growth.mantissa / ball(total)) for total in self.sums]

    def content(self, k: int, i: int) -> bytes:
        """Return what is the same for pairs of rows that are rearrangements of one another, which have the same
        excess (SHA-256)."""
        x, y = self.entries[k], self.entries[i]
        order = np.lexsort((y, x))
        return sha256(x[order].tobytes() + y[order].tobytes()).digest()

    def settled(self, k: int, i: int, growth: Growth) -> tuple[Interval, NDArray[np.intp]]:
        """Return the excess to 62 bits, or exactly; and the outcomes where row k surely exceeds E times row i."""
        columns = np.flatnonzero(self._possible(self.entries[k], self._lifted(i, growth), growth))
        a, b = self.entries[k][columns].tolist(), self.entries[i][columns].tolist()

        terms: list[arb] = []

        def excess(precision: int) -> arb:
            nonlocal terms
            mine, theirs = ball(self.sums[k]), ball(self.sums[i])
            slope = growth.enclose(precision) * mine
            terms = [arb(x) * theirs - slope * y for x, y in zip(a, b, strict=True)]
            return sum((term.nonnegative_part() for term in terms), arb(0)) / (mine * theirs)

        interval = enclosing(excess)
        event = [column for column, term in zip(columns.tolist(), terms, strict=True) if term > 0]
        return interval, np.array(event, dtype=np.intp)

    @staticmethod
    def _possible(x: Floats, y: Floats, growth: Growth) -> NDArray[np.bool_]:
        """Return where x / A > E y / B is not surely false; y is lifted."""
        with np.errstate(over="ignore"):
            return (x > y * (growth.mantissa_float * _SURELY_BELOW)) | ((y < 2.0**-1000) & (x > 0))

    def _lifted(self, i: int, growth: Growth) -> Floats:
        """Return row i times 2^shift: exact, or infinite where E b_j is surely above 1."""
        row: Floats = self.entries[i]
        if growth.shift <= 1000:
            return row * 2.0**growth.shift
        with np.errstate(over="ignore"):
            lifted: Floats = np.ldexp(row, growth.shift)
            return lifted


def _exact_sum(row: Floats) -> Fraction:
    """Return the sum, by exponent: the two halves of the mantissas add up exactly in floats."""
    mantissas, exponents = np.frexp(row)
    lowest = int(exponents.min())
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    bins = exponents - lowest
    highs = np.bincount(bins, weights=(whole >> 27).astype(np.float64))
    lows = np.bincount(bins, weights=(whole & (2**27 - 1)).astype(np.float64))
    total = sum(
        ((int(high) << 27) + int(low)) << place for place, (high, low) in enumerate(zip(highs, lows, strict=True))
    )
    return Fraction(total) * Fraction(2) ** (lowest - 53)


def _pair(number: Fraction) -> tuple[float, float]:
    head = float(number)
    return head, float(number - Fraction(head))


def _arb_pair(value: arb) -> tuple[float, float]:
    head = float(value.mid())
    return head, float((value - arb(head)).mid())


def _split(x: Floats) -> tuple[Floats, Floats]:
    c = x * _SPLITTER
    high = c - (c - x)
    return high, x - high


def _product(x: Floats, y: float) -> tuple[Floats, Floats]:
    """Return x y as an exact sum of two floats (but for underflow)."""
    product = x * y
    (a, b), c = _split(x), y * _SPLITTER
    c -= c - y
    d = y - c
    return product, ((a * c - product) + a * d + b * c) + b * d


def _difference(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return x - y as an exact sum of two floats."""
    total = x - y
    back = total - x
    return total, (x - (total - back)) - (y + back)
