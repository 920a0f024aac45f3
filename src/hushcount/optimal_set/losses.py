"""A loss for each true and released count, exact: by its distance, as floats, or as rationals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from hushcount.errors import InvalidParameter, Told, TooLarge
from hushcount.inputs.arguments import nearest_name
from hushcount.inputs.arrays import array
from hushcount.inputs.stochastic import LARGEST_MATRIX
from hushcount.numbers.arrays import Floats
from hushcount.numbers.exact import Number, exact
from hushcount.optimal_set.by_chain.loss_steps import LossSteps, StepsByDistance, StepsOfMatrix

__all__ = ["LOSSES", "ExactLosses", "FloatLosses", "Loss", "Losses", "LossesByDistance", "losses_of"]

Loss = str | ArrayLike | Callable[[int, int], float]
"""A name in `LOSSES`, a matrix or a function of the true and the released count."""

Rows = tuple[tuple[Fraction, ...], ...]

LARGEST_NUMBER = 10**300
"""The largest size of a loss: within what floats hold, with room for sums."""

_LARGEST_WHOLE = 2**53

LOSSES: dict[str, Callable[[int], int]] = {
    "absolute": lambda distance: distance,
    "squared": lambda distance: distance**2,
    "zero-one": lambda distance: int(distance > 0),
}
"""Losses by name, as functions of |released - true|."""


class Losses(ABC):
    """L(i, j) for true counts i and released counts j, 0..n."""

    n: int

    @property
    @abstractmethod
    def exact(self) -> Rows:
        """The M rows of M losses."""

    @property
    @abstractmethod
    def diagonal(self) -> tuple[Fraction, ...]:
        """L(i, i)."""

    @property
    @abstractmethod
    def largest(self) -> Fraction:
        """The largest |L(i, j)|."""

    @property
    @abstractmethod
    def is_mirrored(self) -> bool:
        """Whether they stay the same when 0..n is counted from the other end."""

    @property
    @abstractmethod
    def grows_with_distance(self) -> bool:
        """Whether no loss falls as the released count moves away from the true one, on either side."""

    @property
    @abstractmethod
    def is_error(self) -> bool:
        """Whether they are 0 where the released count is the true one, and 1 elsewhere."""

    @abstractmethod
    def steps(self, scale: Fraction) -> LossSteps:
        """Return what thresholds cost, in losses divided by a power of two."""


@dataclass(frozen=True, eq=False)
class LossesByDistance(Losses):
    """L(i, j) = values[|j - i|]."""

    n: int
    values: tuple[int, ...]

    @cached_property
    def exact(self) -> Rows:
        values = tuple(map(Fraction, self.values))
        return tuple(tuple(values[abs(j - i)] for j in range(self.n + 1)) for i in range(self.n + 1))

    @property
    def diagonal(self) -> tuple[Fraction, ...]:
        return (Fraction(self.values[0]),) * (self.n + 1)

    @property
    def largest(self) -> Fraction:
        return Fraction(max(map(abs, self.values)))

    @property
    def is_mirrored(self) -> bool:
        return True

    @property
    def grows_with_distance(self) -> bool:
        return list(self.values) == sorted(self.values)

    @property
    def is_error(self) -> bool:
        return self.values[0] == 0 and all(value == 1 for value in self.values[1:])

    def steps(self, scale: Fraction) -> LossSteps:
        rises = np.diff(np.array(self.values, dtype=np.float64)) / float(scale)  # both exact
        return StepsByDistance(self.n, np.append(rises, 0.0))


@dataclass(frozen=True, eq=False)
class FloatLosses(Losses):
    """Of a matrix of floats, which are exact."""

    table: Floats

    @property
    def n(self) -> int:  # type: ignore[override]
        return len(self.table) - 1

    @cached_property
    def exact(self) -> Rows:
        return tuple(tuple(map(Fraction, row)) for row in self.table.tolist())

    @property
    def diagonal(self) -> tuple[Fraction, ...]:
        return tuple(map(Fraction, np.diagonal(self.table).tolist()))

    @property
    def largest(self) -> Fraction:
        return Fraction(float(np.abs(self.table).max()))

    @property
    def is_mirrored(self) -> bool:
        return bool(np.array_equal(self.table, self.table[::-1, ::-1]))

    @property
    def grows_with_distance(self) -> bool:
        return bool((self._away >= 0).all())

    @property
    def is_error(self) -> bool:
        return bool(np.array_equal(self.table, 1 - np.eye(self.n + 1)))

    @property
    def _away(self) -> Floats:
        """L(i, j) - L(i, j + 1) for j < i, L(i, j + 1) - L(i, j) for j >= i; rounded, hence of the right sign."""
        rises = np.diff(self.table, axis=1)
        return np.where(np.arange(self.n) < np.arange(self.n + 1)[:, None], -rises, rises)

    def steps(self, scale: Fraction) -> LossSteps:
        power = scale.denominator.bit_length() - scale.numerator.bit_length()  # 1 / scale may be no float
        return StepsOfMatrix(np.ldexp(np.diagonal(self.table), power), np.asfortranarray(np.ldexp(self._away, power)))


@dataclass(frozen=True, eq=False)
class ExactLosses(Losses):
    """Of rationals."""

    exact: Rows

    @property
    def n(self) -> int:  # type: ignore[override]
        return len(self.exact) - 1

    @property
    def diagonal(self) -> tuple[Fraction, ...]:
        return tuple(row[i] for i, row in enumerate(self.exact))

    @property
    def largest(self) -> Fraction:
        return max(map(abs, {value for row in self.exact for value in row}))

    @property
    def is_mirrored(self) -> bool:
        return tuple(tuple(reversed(row)) for row in reversed(self.exact)) == self.exact

    @property
    def grows_with_distance(self) -> bool:
        return all(rise >= 0 for row in self._away for rise in row)

    @property
    def is_error(self) -> bool:
        return all(value == (i != j) for i, row in enumerate(self.exact) for j, value in enumerate(row))

    @property
    def _away(self) -> Rows:
        return tuple(
            tuple(row[j] - row[j + 1] if j < i else row[j + 1] - row[j] for j in range(self.n))
            for i, row in enumerate(self.exact)
        )

    def steps(self, scale: Fraction) -> LossSteps:
        base = np.array([float(value / scale) for value in self.diagonal])
        rises = np.array([[float(rise / scale) for rise in row] for row in self._away])
        return StepsOfMatrix(base, rises.reshape(self.n + 1, self.n))


def losses_of(n: int, loss: Loss) -> Losses:
    """Check what a user passed; see `hushcount.design`.

    Raises:
        InvalidParameter: an unknown name, a matrix of another shape, or a value that is no finite number.
        TooLarge: a matrix or a function for more than 4,096 outcomes.
    """
    if isinstance(loss, str):
        if loss not in LOSSES:
            raise InvalidParameter(
                "loss", loss, f"one of {', '.join(LOSSES)}, a matrix or a function", nearest_name(loss, LOSSES)
            )
        return LossesByDistance(n, tuple(map(LOSSES[loss], range(n + 1))))
    if not n < LARGEST_MATRIX:
        raise TooLarge(f"a loss for {n + 1:,} x {n + 1:,} counts is above the limit of {LARGEST_MATRIX:,}; name one")
    if callable(loss):
        values = [[loss(i, j) for j in range(n + 1)] for i in range(n + 1)]
        if all(
            type(value) in (int, float) and -_LARGEST_WHOLE <= value <= _LARGEST_WHOLE
            for row in values
            for value in row
        ):
            return FloatLosses(np.array(values, dtype=np.float64))
    else:
        given = array(loss, "loss", "a matrix of numbers")
        if given.shape != (n + 1, n + 1):
            raise InvalidParameter(
                "loss", Told(given.shape), f"a matrix of shape ({n + 1}, {n + 1}), one row per true count"
            )
        if given.dtype.kind in "iuf" and given.dtype.itemsize <= 8:
            limit = LARGEST_NUMBER if given.dtype.kind == "f" else _LARGEST_WHOLE
            if bool(((given <= limit) & (given >= -limit)).all()):
                return FloatLosses(given.astype(np.float64))
        values = given.tolist()
    return ExactLosses(
        tuple(tuple(_loss(value, f"loss({i}, {j})") for j, value in enumerate(row)) for i, row in enumerate(values))
    )


def _loss(value: Number, argument: str) -> Fraction:
    kept = exact(value, argument)
    if not abs(kept) <= LARGEST_NUMBER:
        raise InvalidParameter(argument, None, "a number of at most 1e300 in size")
    return kept
