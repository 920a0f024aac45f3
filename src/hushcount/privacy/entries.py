"""Exact comparison of the entries of a matrix, be they floats or in closed form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from hushcount.errors import TooLarge
from hushcount.mechanisms.base import Mechanism
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import refinements
from hushcount.privacy.row_pairs import Rows

__all__ = ["ENTRY_TOLERANCE", "BallTable", "FloatTable", "Holding"]

ENTRY_TOLERANCE = 1e-12
"""The relative accuracy of every probability returned as a float (`hushcount.Mechanism`)."""

_LARGEST_CLOSED_FORM = 256
_BITS = 256
_FINE_BITS = 4096

Cells = tuple[NDArray[np.intp], NDArray[np.intp]]


class Holding(Enum):
    """Whether a property holds; the value is the sentence for people."""

    HOLDS = "It holds, exactly."
    WITHIN_ROUNDING = "It holds up to the rounding of the entries to floats, but not exactly."
    FAILS = "It does not hold."


class FloatTable:
    """Entries that are floats, over the exact sums of their rows."""

    def __init__(self, entries: Floats) -> None:
        self._entries, self.size = entries, len(entries)
        self._rows = Rows(entries)
        sums = self._rows.sums
        distinct = {total: place for place, total in enumerate(dict.fromkeys(sums))}
        self._class_of = np.array([distinct[total] for total in sums])
        self._excess = np.array([float(total - 1) for total in sums])

    def decide(self, comparisons: Iterable[tuple[Cells, Cells, bool]]) -> Holding:
        """Decide all the comparisons together; the first clear failure decides."""
        worst = Holding.HOLDS
        for (i, j), (k, m), is_equality in comparisons:
            x, y = self._entries[i, j], self._entries[k, m] * self._ratio(i, k)
            short = np.abs(x - y) if is_equality else y - x
            if np.any(short > ENTRY_TOLERANCE * np.maximum(x, y)):
                return Holding.FAILS
            if worst is Holding.HOLDS and not self._exactly(i, j, k, m, is_equality):
                worst = Holding.WITHIN_ROUNDING
        return worst

    def decide_diagonal_share(self) -> Holding:
        """Return whether each diagonal entry is at least 1 / size."""
        M = self.size
        shares = np.diagonal(self._entries) * M / (1 + self._excess)
        if np.any(shares < 1 - ENTRY_TOLERANCE):
            return Holding.FAILS
        near = np.flatnonzero(shares < 1 + ENTRY_TOLERANCE)
        exact = all(Fraction(float(self._entries[i, i])) * M >= self._rows.sums[i] for i in near.tolist())
        return Holding.HOLDS if exact else Holding.WITHIN_ROUNDING

    def _ratio(self, i: NDArray[np.intp], k: NDArray[np.intp]) -> Floats:
        """Return the sum of row i over that of row k, to a few 2^-53: with M entries they may differ by 2 M 2^-52."""
        ratio: Floats = 1 + (self._excess[i] - self._excess[k])
        return ratio

    def _exactly(
        self, i: NDArray[np.intp], j: NDArray[np.intp], k: NDArray[np.intp], m: NDArray[np.intp], eq: bool
    ) -> bool:
        """Decide with nothing rounded; called where nothing fails clearly."""
        x, y = self._entries[i, j], self._entries[k, m]
        same = self._class_of[i] == self._class_of[k]
        if not np.all((x == y)[same] if eq else (x >= y)[same]):
            return False
        unclear = ~same if eq else ~same & (x - y * self._ratio(i, k) <= ENTRY_TOLERANCE * x)
        sums = self._rows.sums
        for place in np.flatnonzero(unclear & ((x > 0) | (y > 0))).tolist():
            left = Fraction(float(x[place])) * sums[k[place]]
            right = Fraction(float(y[place])) * sums[i[place]]
            if left < right or (eq and left > right):
                return False
        return True


class BallTable:
    """Entries in closed form."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism, self.size = mechanism, mechanism.n + 1
        if not self.size <= _LARGEST_CLOSED_FORM:
            raise TooLarge(
                f"properties are decided in closed form up to {_LARGEST_CLOSED_FORM} outcomes (got {self.size:,}); "
                "use the matrix()"
            )
        self._kept: dict[tuple[int, int, int], arb] = {}

    def decide(self, comparisons: Iterable[tuple[Cells, Cells, bool]]) -> Holding:
        for (i, j), (k, m), is_equality in comparisons:
            for a, b, c, d in zip(i.tolist(), j.tolist(), k.tolist(), m.tolist(), strict=True):
                sign = self._difference(a, b, c, d)
                if sign < 0 or (is_equality and sign > 0):
                    return Holding.FAILS
        return Holding.HOLDS

    def decide_diagonal_share(self) -> Holding:
        """Return whether each diagonal entry is at least 1 / size."""
        for i in range(self.size):
            if self._sign(lambda bits, i=i: self._entry(i, i, bits) * self.size - 1) < 0:  # type: ignore[misc]
                return Holding.FAILS
        return Holding.HOLDS

    def _difference(self, i: int, j: int, k: int, m: int) -> int:
        """Return the sign of p(i, j) - p(k, m)."""
        return 0 if (i, j) == (k, m) else self._sign(lambda bits: self._entry(i, j, bits) - self._entry(k, m, bits))

    @staticmethod
    def _sign(evaluate: Callable[[int], arb]) -> int:
        """Return the sign of an enclosed number; 0 where it cannot be told from 0 at the last precision."""
        for value in refinements(evaluate, _BITS, _FINE_BITS, times=16):
            if value > 0 or value < 0:
                return 1 if value > 0 else -1
        return 0

    def _entry(self, i: int, j: int, bits: int) -> arb:
        key = (i, j, bits)
        if key not in self._kept:
            self._kept[key] = self._mechanism._probability(i, j, bits)
        return self._kept[key]
