"""Comparing the entries of a matrix exactly, be they floats or in closed form."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from fractions import Fraction

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from hushcount.errors import TooLarge
from hushcount.mechanisms.base import Mechanism
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import TooCoarse
from hushcount.privacy.row_pairs import Rows

__all__ = ["ENTRY_TOLERANCE", "BallTable", "FloatTable", "Holding"]

ENTRY_TOLERANCE = 1e-12
"""Relative: what every probability returned as a float is good for (`hushcount.Mechanism`)."""

_LARGEST_CLOSED_FORM = 256
_BITS = 192
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
        """All the comparisons together; the first clear failure decides."""
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
        """Whether each diagonal entry is at least 1 / size."""
        M = self.size
        shares = np.diagonal(self._entries) * M / (1 + self._excess)
        if np.any(shares < 1 - ENTRY_TOLERANCE):
            return Holding.FAILS
        near = np.flatnonzero(shares < 1 + ENTRY_TOLERANCE)
        exact = all(Fraction(float(self._entries[i, i])) * M >= self._rows.sums[i] for i in near.tolist())
        return Holding.HOLDS if exact else Holding.WITHIN_ROUNDING

    def _ratio(self, i: NDArray[np.intp], k: NDArray[np.intp]) -> Floats:
        """The sum of row i over that of row k, to a few 2^-53: with M entries they may differ by 2 M 2^-52."""
        ratio: Floats = 1 + (self._excess[i] - self._excess[k])
        return ratio

    def _exactly(
        self, i: NDArray[np.intp], j: NDArray[np.intp], k: NDArray[np.intp], m: NDArray[np.intp], eq: bool
    ) -> bool:
        """The same with nothing rounded; called where nothing fails clearly."""
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
                sign = 0 if (a, b) == (c, d) else self._sign(a, b, c, d)
                if sign < 0 or (is_equality and sign > 0):
                    return Holding.FAILS
        return Holding.HOLDS

    def decide_diagonal_share(self) -> Holding:
        """Whether each diagonal entry is at least 1 / size."""
        for i in range(self.size):
            for bits in (_BITS, _FINE_BITS):
                with ctx.workprec(bits):
                    share = self._entry(i, i, bits) * self.size
                    if share < 1:
                        return Holding.FAILS
                    if share > 1:
                        break
        return Holding.HOLDS

    def _sign(self, i: int, j: int, k: int, m: int) -> int:
        """Of p(i, j) - p(k, m); 0 where they agree to the last precision."""
        for bits in (_BITS, _FINE_BITS):
            with ctx.workprec(bits):
                x, y = self._entry(i, j, bits), self._entry(k, m, bits)
                if x < y:
                    return -1
                if x > y:
                    return 1
        return 0

    def _entry(self, i: int, j: int, bits: int) -> arb:
        key = (i, j, bits)
        if key not in self._kept:
            try:
                self._kept[key] = self._mechanism._probability(i, j, bits)
            except TooCoarse:
                if bits >= _FINE_BITS:
                    raise
                with ctx.workprec(_FINE_BITS):
                    self._kept[key] = self._entry(i, j, _FINE_BITS)
        return self._kept[key]
