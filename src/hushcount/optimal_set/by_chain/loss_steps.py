"""A loss that does not fall away from the truth, as what each threshold costs each true count.

With N_i(j) = Pr(output <= j | i), summation by parts gives the expected loss of true count i as

    l(i, i) + sum_{j < i} (l(i, j) - l(i, j + 1)) N_i(j) + sum_{i <= j < n} (l(i, j + 1) - l(i, j)) (1 - N_i(j)).

All factors are >= 0. Threshold j is on the far side with the chance N_i(j) from i > j, and 1 - N_i(j) from i <= j; its
*tails* are these chances by the distance of i.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushcount.numbers.arrays import Floats, Integers

__all__ = ["LossSteps", "StepsByDistance", "StepsOfMatrix", "Tails", "mirrored"]

Tails = tuple[Floats, Floats]
"""Of a threshold j: one number for i = j + 1, j + 2, ..., n, and one for i = j, j - 1, ..., 0."""


class LossSteps(ABC):
    """See the module. Every float is within 2^-52 of the true factor, relative to it."""

    n: int
    base: Floats
    """l(i, i)."""

    @abstractmethod
    def of_threshold(self, j: int) -> Tails:
        """Return the factors of threshold j."""

    @abstractmethod
    def between(self, i: Integers, j: Integers) -> Floats:
        """Return the factors of some true counts, one row each, and some thresholds."""

    @abstractmethod
    def at_distance(self, k: int) -> Tails:
        """Return l(j + k, j) - l(j + k, j + 1) for j = 0..n - k, where k >= 1, and l(j - k, j + 1) - l(j - k, j) for
        j = k..n - 1, where k >= 0; arrays, or of one number for all."""


@dataclass(frozen=True, eq=False)
class StepsByDistance(LossSteps):
    """Of a loss that depends on the distance only; `rises[k]` is by how much it is larger at k + 1 than at k."""

    n: int
    rises: Floats

    @cached_property
    def base(self) -> Floats:  # type: ignore[override]
        return np.zeros(self.n + 1)

    def of_threshold(self, j: int) -> Tails:
        return self.rises[: self.n - j], self.rises[: j + 1]

    def between(self, i: Integers, j: Integers) -> Floats:
        away = i[:, None] - j
        return self.rises[np.where(away > 0, away - 1, -away)]

    def at_distance(self, k: int) -> Tails:
        return self.rises[k - 1 : k], self.rises[k : k + 1]


@dataclass(frozen=True, eq=False)
class StepsOfMatrix(LossSteps):
    """Of a matrix; `rises[i, j]` is the factor of true count i and threshold j."""

    base: Floats
    rises: Floats

    @property
    def n(self) -> int:  # type: ignore[override]
        return int(self.rises.shape[1])

    def of_threshold(self, j: int) -> Tails:
        return self.rises[j + 1 :, j], self.rises[j::-1, j]

    def between(self, i: Integers, j: Integers) -> Floats:
        return self.rises[np.ix_(i, j)]

    def at_distance(self, k: int) -> Tails:
        return np.diagonal(self.rises, -k), np.diagonal(self.rises, k)


def mirrored(half: Floats, n: int) -> Floats:
    """Return weights of 0..n from those of 0..n // 2, each shared with its mirror image."""
    whole = np.zeros(n + 1)
    whole[: len(half)] += half / 2
    whole[n + 1 - len(half) :] += half[::-1] / 2
    return whole
