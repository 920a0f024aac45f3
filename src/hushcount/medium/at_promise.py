"""A medium at one promise: what every part of `Behind` starts from."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from hushcount.mechanisms.explicit import Explicit
from hushcount.mechanisms.optima.canonical import Canonical
from hushcount.mechanisms.optima.nearest import Nearest
from hushcount.medium.channels.given import as_medium
from hushcount.medium.medium import Medium
from hushcount.medium.mixture import best_mixture
from hushcount.numbers.arrays import UNIT, Floats
from hushcount.numbers.enclosure import refinements
from hushcount.numbers.exact import Number
from hushcount.numbers.intervals import Interval, interval_of
from hushcount.privacy.made_private import made_private
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["AtPromise", "Received", "best_constant"]

_HARDLY = 2.0**-10
"""The share of its largest chance below which an output hardly arrives."""


@dataclass(frozen=True, eq=False)
class Received:
    """A mechanism G to be used in front of a medium T, and what it is worth there.

    Attributes:
        mechanism: G, a matrix of floats. G T is (epsilon, delta)-DP by proof, where the floats of both matrices are
            taken as exact rationals over the sums of their rows; with `Medium.outputs` for T, before any decision.
        error_probability: the largest 1 - [G T]_ii over true counts i, rounded up.
        absolute_error: the largest sum_j |j - i| [G T]_ij over true counts i, rounded up.
    """

    mechanism: Explicit = field(repr=False)
    error_probability: float
    absolute_error: float


@dataclass(frozen=True, eq=False)
class AtPromise:
    """A medium T, and the epsilon and delta that what arrives must keep.

    Attributes:
        medium: T.
        privacy: the promise, kept exactly.
    """

    medium: Medium
    privacy: EpsilonDelta

    @classmethod
    def of(cls, medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> Self:
        """Return the object for the arguments of a public function.

        Args:
            medium: a medium, or its matrix (`from_matrix`).
            epsilon, delta: >= 0 in nats, and 0 <= delta < 1; kept exactly.

        Raises:
            InvalidParameter, BadUse, TooLarge: a bad argument, naming it.
        """
        return cls(as_medium(medium), EpsilonDelta.of(epsilon, delta))

    @cached_property
    def canonical(self) -> Canonical:
        """P*, the canonical optimum without a medium."""
        return Canonical(self.medium.n, self.privacy)

    @cached_property
    def nearest(self) -> Nearest:
        """The nearest optimum without a medium."""
        return Nearest(self.medium.n, self.privacy)

    @cached_property
    def without(self) -> Interval:
        """p_e*, the least error probability without a medium, rounded down and up."""
        return interval_of(next(refinements(lambda precision: self.nearest.kernel(precision).error)))

    def received(self, matrix: Floats) -> Received:
        """Return a matrix in front of the medium, mixed with identical rows as little as it takes to prove privacy
        (`made_private`).

        Both errors are sums of terms >= 0, over the N outputs that are read wrong. With u = 2^-52, each term is known
        within (M + 3) u (`surely_private`), the sum and the distances add (N + 1) u / 2; underflow takes less than
        M N 2^-1074.

        Args:
            matrix: shape (M, M); entries below 0 count as 0, and rows are divided by their sums.
        """
        T, read = self.medium.outputs, self.medium.decisions
        M, N = T.shape
        made = made_private(matrix, self.privacy, best_constant(self.medium), through=T)
        made.setflags(write=False)
        distances = np.abs(np.subtract.outer(np.arange(M), read))
        wrong = np.where(distances > 0, made @ T, 0.0)
        error, absolute = (
            float(weighed.sum(axis=1).max()) * (1 + (2 * N + 8) * UNIT) + (M - 1) * M * N * 2.0**-1074
            for weighed in (wrong, distances * wrong)
        )
        return Received(Explicit(made), min(error, 1.0), min(absolute, M - 1.0))


@lru_cache(maxsize=4)
def best_constant(medium: Medium) -> Floats | None:
    """Return the distribution r that makes min_j [r T]_j largest; None if its linear program fails.

    It is the best mechanism that ignores the true count, and so the one to mix with where little privacy may be lost.
    Columns of zeros are left out, so that every other one has its share; half of it is spread over all inputs where
    some output would hardly arrive otherwise.
    """
    T = medium.shares
    row = best_mixture(T[:, T.any(axis=0)])
    if row is None:
        return None
    best: Floats = row / row.sum()
    if medium.is_decided and (best @ medium.outputs < _HARDLY * medium.outputs.max(axis=0)).any():
        best = (best + 1 / len(best)) / 2
    best.setflags(write=False)
    return best
