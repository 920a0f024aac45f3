"""Square matrices of balls, as the statements about media need them: any one, or a circulant one by its eigenvalues.

A circulant matrix is its first row r turned on and on: A_ij = r_(j - i). Its eigenvalues are the discrete Fourier
transform of r, whatever the matrix, so that a product multiplies them and an inverse divides 1 by them: M log M
operations where another matrix takes M^3. Sums of rows and columns are all alike, and so are the rows but for their
order; what is asked of all entries is asked of r.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self

from flint import acb, arb, arb_mat

from hushcount.mechanisms.optima.kernel import Kernel
from hushcount.medium.medium import circulant
from hushcount.medium.theorem_2.balls import (
    absolute,
    column_sums,
    cyclic,
    cyclic_row,
    identity,
    middle,
    middles,
    row_sums,
)
from hushcount.numbers.arrays import Floats

__all__ = ["Circulant", "Dense", "Enclosed"]


class Enclosed(ABC):
    """A square matrix of balls. Each method computes at the working precision of its caller."""

    @abstractmethod
    def entries(self) -> list[arb]:
        """Return every different entry at least once."""

    @abstractmethod
    def column_sums(self) -> list[arb]:
        """Return every different sum of a column."""

    @abstractmethod
    def row_sums(self) -> list[arb]:
        """Return every different sum of a row."""

    @abstractmethod
    def absolute(self) -> Self:
        """Return the matrix with the absolute values of its entries."""

    @abstractmethod
    def less_identity(self) -> Self:
        """Return A - I."""

    @abstractmethod
    def behind_canonical(self, K: Kernel) -> Self:
        """Return P* A."""

    @abstractmethod
    def dense(self) -> arb_mat:
        """Return all entries."""

    @abstractmethod
    def floats(self) -> Floats:
        """Return the floats nearest to the midpoints of the balls."""


@dataclass(frozen=True, eq=False)
class Dense(Enclosed):
    """Any matrix."""

    matrix: arb_mat

    def entries(self) -> list[arb]:
        found: list[arb] = self.matrix.entries()
        return found

    def column_sums(self) -> list[arb]:
        return column_sums(self.matrix)

    def row_sums(self) -> list[arb]:
        return row_sums(self.matrix)

    def absolute(self) -> Self:
        return type(self)(absolute(self.matrix))

    def less_identity(self) -> Self:
        return type(self)(self.matrix - identity(self.matrix.nrows()))

    def behind_canonical(self, K: Kernel) -> Self:
        return type(self)(cyclic(K) * self.matrix)

    def dense(self) -> arb_mat:
        return self.matrix

    def floats(self) -> Floats:
        return middles(self.matrix)


@dataclass(frozen=True, eq=False)
class Circulant(Enclosed):
    """A circulant matrix of real numbers.

    Attributes:
        row: its first row.
        eigenvalues: those of the vectors e^(-2 pi i j k / M), in the order of k.
    """

    row: list[arb]
    eigenvalues: list[acb]

    @classmethod
    def of_row(cls, row: list[arb]) -> Self:
        return cls(row, acb.dft(row))

    @classmethod
    def of_eigenvalues(cls, eigenvalues: list[acb]) -> Self:
        return cls([entry.real for entry in acb.dft(eigenvalues, inverse=True)], eigenvalues)

    def inverse(self) -> Self | None:
        """Return the inverse; None where an eigenvalue is 0, or not told from 0."""
        if any(value.contains(0) for value in self.eigenvalues):
            return None
        return self.of_eigenvalues([1 / value for value in self.eigenvalues])

    def entries(self) -> list[arb]:
        return self.row

    def column_sums(self) -> list[arb]:
        return [sum(self.row, arb(0))]

    def row_sums(self) -> list[arb]:
        return self.column_sums()

    def absolute(self) -> Self:
        return self.of_row([abs(entry) for entry in self.row])

    def less_identity(self) -> Self:
        first, *others = self.row
        return self.of_row([first - 1, *others])

    def behind_canonical(self, K: Kernel) -> Self:
        before = acb.dft(cyclic_row(K))
        return self.of_eigenvalues([one * other for one, other in zip(before, self.eigenvalues, strict=True)])

    def dense(self) -> arb_mat:
        M = len(self.row)
        return arb_mat(M, M, [self.row[(j - i) % M] for i in range(M) for j in range(M)])

    def floats(self) -> Floats:
        return circulant(middle(self.row))
