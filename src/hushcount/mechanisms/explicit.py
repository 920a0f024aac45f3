"""Any row-stochastic matrix as a mechanism."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb, fmpq
from numpy.typing import ArrayLike

from hushcount.inputs.stochastic import stochastic_rows
from hushcount.mechanisms.base import Mechanism
from hushcount.numbers.arrays import Floats, Integers

__all__ = ["Explicit", "as_mechanism", "from_matrix"]


@dataclass(frozen=True, eq=False)
class Explicit(Mechanism):
    """A mechanism held as a matrix; the floats of each row are taken as exact rationals, over their exact sum."""

    entries: Floats

    name = "explicit"

    @property
    def n(self) -> int:  # type: ignore[override]
        return len(self.entries) - 1

    @property
    def epsilon(self) -> Fraction | None:
        return None

    @property
    def delta(self) -> Fraction | None:
        return None

    def _weights(self, true: int) -> Iterator[int]:
        """Yield the row's entries as integers over 2**1074."""
        for numerator, denominator in map(float.as_integer_ratio, self.entries[true].tolist()):
            yield numerator << (1075 - denominator.bit_length())

    def _share(self, true: int, part: int) -> arb:
        return arb(fmpq(part, sum(self._weights(true))))

    def _upto(self, true: int, released: int, precision: int) -> arb:
        return self._share(true, sum(w for j, w in enumerate(self._weights(true)) if j <= released))

    def _above(self, true: int, released: int, precision: int) -> arb:
        return self._share(true, sum(w for j, w in enumerate(self._weights(true)) if j > released))

    def _probability(self, true: int, released: int, precision: int) -> arb:
        return self._share(true, list(self._weights(true))[released])

    def _moments(self, true: int, precision: int) -> tuple[arb, arb, arb]:
        weighted = [(j - true, w) for j, w in enumerate(self._weights(true))]
        return (
            self._share(true, sum(abs(d) * w for d, w in weighted)),
            self._share(true, sum(d * d * w for d, w in weighted)),
            self._share(true, sum(d * w for d, w in weighted)),
        )

    def _worst_candidates(self) -> list[int]:
        return list(range(self.n + 1))

    def _row(self, true: int) -> Floats:
        total = sum(self._weights(true))
        return np.array([w / total for w in self._weights(true)])

    @cached_property
    def _cumulative(self) -> Floats:
        return np.cumsum(self.entries, axis=1)

    @property
    def _margin(self) -> float:
        # Running sums of M positive floats below 1 are off by at most M 2**-53, the row sum by M 2**-52, u by 2**-53.
        return (len(self.entries) + 1) * 2.0**-51

    def _locate(self, true: int, u: float) -> int:
        return int(self._locate_many(np.array([true]), np.array([u]))[0])

    def _locate_many(self, true: Integers, u: Floats) -> Integers:
        found = np.full(u.shape, -1, dtype=np.int64)
        for row in np.unique(true):
            of_row = np.flatnonzero(true == row)
            steps = self._cumulative[row]
            low, high = (
                np.searchsorted(steps, u[of_row] + side, side="right") for side in (-self._margin, self._margin)
            )
            found[of_row] = np.where(low == high, low, -1)
        return np.where(found > self.n, -1, found)


def from_matrix(matrix: ArrayLike) -> Explicit:
    """Return a mechanism from its matrix: entry (i, j) is Pr(output = j | true count i), rows and columns 0..n.

    Nothing is claimed about its privacy (`epsilon` and `delta` are None).

    Args:
        matrix: real numbers, shape (n + 1, n + 1), no entry below 0, each row summing to 1 up to the rounding of
            its entries (`hushcount.inputs.stochastic.ROW_SUM_TOLERANCE` times n + 1); copied.

    Raises:
        InvalidParameter: not a square matrix of finite numbers >= 0.
        BadUse: a row whose sum is not 1, naming row and sum; the message says so where the columns sum to 1 instead.
        TooLarge: more than 4,096 outcomes.
    """
    return Explicit(stochastic_rows(matrix))


def as_mechanism(mechanism_or_matrix: Mechanism | ArrayLike) -> Mechanism:
    """Return a mechanism as it is, or the one that a matrix is (`from_matrix`)."""
    return mechanism_or_matrix if isinstance(mechanism_or_matrix, Mechanism) else from_matrix(mechanism_or_matrix)
