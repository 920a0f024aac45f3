"""Linear programs as arrays, and the one way to build them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushcount.errors import InvalidParameter
from hushcount.numbers.arrays import Floats

__all__ = ["LinearModel", "ModelBuilder", "power_of_two"]

Indices = NDArray[np.int32]


@dataclass(frozen=True)
class LinearModel:
    """Minimize cost . x subject to row_lower <= A x <= row_upper and lower <= x <= upper.

    Every float is within 2 `UNIT` (relative) of the true number: q = e^-epsilon, gamma and delta are irrational or were
    typed as decimals, and some floats are products of two of them. What is certified (`certificates`) holds for the
    true numbers.

    Attributes:
        cost, lower, upper: one float per column; the bounds are finite, so that duals give bounds.
        row_lower, row_upper: one float per row; -inf or inf where there is none.
        starts, indices, values: A by rows (CSR), without duplicates.
        sizes: about how large each column is, as powers of two; a solver's tolerances are relative to them.

    Raises:
        InvalidParameter: an array that holds NaN, or infinity where it must be finite, or has the wrong length.
    """

    cost: Floats
    lower: Floats
    upper: Floats
    row_lower: Floats
    row_upper: Floats
    starts: Indices
    indices: Indices
    values: Floats
    sizes: Floats

    def __post_init__(self) -> None:
        columns, rows = len(self.cost), len(self.row_lower)
        for name in ("cost", "lower", "upper", "values", "sizes"):
            if not np.all(np.isfinite(getattr(self, name))):
                raise InvalidParameter(name, None, "finite numbers")
        lengths = {"lower": columns, "upper": columns, "sizes": columns, "row_upper": rows, "starts": rows + 1}
        for name, length in lengths.items():
            if len(getattr(self, name)) != length:
                raise InvalidParameter(name, len(getattr(self, name)), f"an array of {length:,} numbers")
        if not (np.all(self.row_lower <= self.row_upper) and np.all(self.lower <= self.upper)):
            raise InvalidParameter("bounds", None, "numbers with lower <= upper")  # NaN fails too
        if not (len(self.indices) == len(self.values) == self.starts[-1]):
            raise InvalidParameter("indices", len(self.indices), f"{self.starts[-1]:,} column numbers")
        if not (np.all(self.indices >= 0) and np.all(self.indices < columns)):
            raise InvalidParameter("indices", None, f"column numbers from 0 to {columns - 1:,}")
        if not (self.starts[0] == 0 and np.all(np.diff(self.starts) >= 0)):
            raise InvalidParameter("starts", None, "places in `indices` that do not fall, from 0 on")

    @property
    def columns(self) -> int:
        return len(self.cost)

    @property
    def rows(self) -> int:
        return len(self.row_lower)

    def activity(self, x: Floats) -> Floats:
        """Return A x."""
        return _sums(self.values * x[self.indices], self.starts)

    def pulled_back(self, y: Floats) -> tuple[Floats, Floats]:
        """Return (A^T y, |A|^T |y|)."""
        terms = self.values * np.repeat(y, np.diff(self.starts))
        pulled, sizes = (
            np.bincount(self.indices, weights=part, minlength=self.columns).astype(np.float64)
            for part in (terms, np.abs(terms))
        )
        return pulled, sizes

    def scaled(self, factors: Floats | None = None) -> tuple[LinearModel, Floats]:
        """Return the same program in columns of about size 1, and the factors of its rows.

        By default the factors make the largest coefficient of each row about 1. All are powers of two, so nothing is
        rounded.
        """
        values = self.values * self.sizes[self.indices]
        if factors is None:
            largest = np.ones(self.rows)
            filled = np.flatnonzero(np.diff(self.starts))
            largest[filled] = np.maximum.reduceat(np.abs(values), self.starts[filled]) if len(filled) else 1.0
            factors = 1 / power_of_two(np.where(largest == 0, 1.0, largest))  # a row may be all zeros
        return LinearModel(
            cost=self.cost * self.sizes,
            lower=self.lower / self.sizes,
            upper=self.upper / self.sizes,
            row_lower=self.row_lower * factors,
            row_upper=self.row_upper * factors,
            starts=self.starts,
            indices=self.indices,
            values=values * np.repeat(factors, np.diff(self.starts)),
            sizes=np.ones(self.columns),
        ), factors

    def violation(self, x: Floats) -> float:
        """Return by how much x breaks the worst constraint, in floats."""
        activity = self.activity(x)
        short = [self.row_lower - activity, activity - self.row_upper, self.lower - x, x - self.upper]
        return max(0.0, *(float(part.max(initial=0.0)) for part in short))


@dataclass
class ModelBuilder:
    """A collector of columns and rows, block by block.

    A block of rows is a list of terms (columns, coefficient): `columns` is an array of column numbers of shape (R,) or
    (R, K), `coefficient` a number or an array of that shape; row r is the sum over terms of coefficient * column.
    """

    _cost: list[Floats] = field(default_factory=list)
    _lower: list[Floats] = field(default_factory=list)
    _upper: list[Floats] = field(default_factory=list)
    _row_lower: list[Floats] = field(default_factory=list)
    _row_upper: list[Floats] = field(default_factory=list)
    _cells: list[tuple[NDArray[np.int64], NDArray[np.int64], Floats]] = field(default_factory=list)
    _sizes: list[Floats] = field(default_factory=list)
    _added: list[tuple[NDArray[np.int64], Floats]] = field(default_factory=list)
    _columns: int = 0
    _rows: int = 0

    def columns(
        self,
        shape: int | tuple[int, ...],
        lower: ArrayLike = 0.0,
        upper: ArrayLike = 1.0,
        cost: ArrayLike = 0.0,
        size: ArrayLike = 1.0,
    ) -> NDArray[np.int64]:
        """Add columns, and return their numbers in the shape asked for. `size` is rounded to a power of two."""
        numbers = self._columns + np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
        self._columns += numbers.size
        given_for = (self._lower, lower), (self._upper, upper), (self._cost, cost), (self._sizes, size)
        for kept, given in given_for:
            kept.append(_spread(given, numbers.shape))
        return numbers

    def add_cost(self, columns: NDArray[np.int64], cost: ArrayLike) -> None:
        """Add to the cost of columns, which may occur more than once."""
        self._added.append((columns.ravel(), _spread(cost, columns.shape)))

    def rows(
        self,
        terms: Sequence[tuple[NDArray[np.int64], ArrayLike]],
        lower: ArrayLike = -np.inf,
        upper: ArrayLike = np.inf,
    ) -> None:
        """Add rows, lower <= sum of terms <= upper."""
        count = len(terms[0][0])
        for columns, coefficient in terms:
            place = np.arange(self._rows, self._rows + count).reshape((count,) + (1,) * (columns.ndim - 1))
            places = np.broadcast_to(place, columns.shape).ravel()
            self._cells.append((places, columns.ravel(), _spread(coefficient, columns.shape)))
        self._row_lower.append(_spread(lower, (count,)))
        self._row_upper.append(_spread(upper, (count,)))
        self._rows += count

    def build(self) -> LinearModel:
        none = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))
        rows, columns, values = (np.concatenate(parts) for parts in zip(none, *self._cells, strict=True))
        places = rows * self._columns + columns
        order = np.argsort(places, kind="stable")
        places, values = places[order], values[order]
        first = np.flatnonzero(np.diff(places, prepend=-1))
        if len(first) < len(places):
            places, values = places[first], np.add.reduceat(values, first)
        cost = np.concatenate(self._cost)
        for added_to, added in self._added:
            np.add.at(cost, added_to, added)
        return LinearModel(
            cost=cost,
            lower=np.concatenate(self._lower),
            upper=np.concatenate(self._upper),
            row_lower=np.concatenate(self._row_lower or [np.empty(0)]),
            row_upper=np.concatenate(self._row_upper or [np.empty(0)]),
            starts=np.searchsorted(places, np.arange(self._rows + 1) * self._columns).astype(np.int32),
            indices=(places % max(self._columns, 1)).astype(np.int32),
            values=values,
            sizes=power_of_two(np.concatenate(self._sizes)),
        )


def _spread(given: ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Return what numpy makes of `given` in a shape, as one row; seven times as fast as its `broadcast_to`."""
    spread = np.empty(shape)
    spread[...] = given
    return spread.ravel()


def power_of_two(sizes: Floats) -> Floats:
    """Return the powers of two nearest to numbers > 0."""
    return np.asarray(np.exp2(np.round(np.log2(sizes))), dtype=np.float64)


def _sums(terms: Floats, starts: Indices) -> Floats:
    """Return sums of the runs between `starts`, some of which may be empty."""
    totals = np.zeros(len(starts) - 1)
    filled = np.flatnonzero(np.diff(starts))
    if len(filled):
        totals[filled] = np.add.reduceat(terms, starts[filled])
    return totals
