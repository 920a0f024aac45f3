"""Estimates that are right on average, whatever the true count is, and how far they scatter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeGuard

import numpy as np

from hushcount.mechanisms import Canonical, Explicit, Mechanism, Nearest, nearest
from hushcount.numbers.arrays import Floats
from hushcount.reading.inverse import Inverse, NoInverse, inverse

__all__ = ["Estimate", "Estimator", "estimator", "released_errors"]

_EDGE = 64
"""Rows at an edge whose variance is looked at, in a range of twice as many or more.

There `nearest` with delta 0 has an inverse only for e^-epsilon below 0.6181, and its estimates differ from the released
count within some 20 of the edge.
"""

_LIMIT = 4 * _EDGE
"""From this range up one edge does not affect the other: 0.6181^128 < 2^-88 changes no float."""


@dataclass(frozen=True)
class Estimate:
    """An unbiased estimate.

    Attributes:
        value: the estimate in floats, with a bias from rounding below 1e-7 of the range.
        standard_error: an upper bound on its standard deviation, whatever the true counts are; the square bounds the
            mean squared error.
    """

    value: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class Estimator:
    """t = P^-1 (0, 1, ..., n): the one function of a released count with E t(J) = true count, for every true count."""

    mechanism: Mechanism
    inverse: Inverse
    values: Floats
    standard_error: float
    """sqrt of max over i of E (t(J) - i)^2."""

    @property
    def histogram_error(self) -> float:
        """The root of the maximum over i and l of sum_j p(i, j) Q(j, l)^2 - [i = l], the variance that one release
        adds at l."""
        worst = 0.0
        for true in _rows(self.mechanism, self.values - self.mechanism.n / 2):
            variances = self.inverse.squares(_chances(self.mechanism, true))
            variances[true] -= 1.0
            worst = max(worst, float(variances.max()))
        return math.sqrt(worst)


def estimator(mechanism: Mechanism) -> Estimator | NoInverse:
    """Return the unbiased estimator of one true count, or why there is none."""
    found = inverse(mechanism)
    if isinstance(found, NoInverse):
        return found
    n = mechanism.n
    # About the middle of the range, since rows of the inverse sum to 1.
    centred = found.solve(np.arange(n + 1, dtype=np.float64) - n / 2)
    values = centred + n / 2
    values.setflags(write=False)
    if _is_edged(mechanism) and n > _LIMIT:
        return Estimator(mechanism, found, values, _limit_error(mechanism.epsilon))
    worst = 0.0
    for i in _rows(mechanism, centred):
        worst = max(worst, float(_chances(mechanism, i) @ (centred - (i - n / 2)) ** 2))
    return Estimator(mechanism, found, values, math.sqrt(worst))


@lru_cache(maxsize=64)
def _limit_error(epsilon: Fraction) -> float:
    """Return the standard error in all larger ranges of `nearest` with delta 0."""
    found = estimator(nearest(_LIMIT, epsilon))
    assert isinstance(found, Estimator)
    return found.standard_error


def _is_edged(mechanism: Mechanism) -> TypeGuard[Nearest]:
    """Return whether estimates differ from the released count only at the edges."""
    return isinstance(mechanism, Nearest) and mechanism.delta == 0 and mechanism.n >= 2 * _EDGE


def released_errors(mechanism: Mechanism) -> tuple[float, float]:
    """Return the largest |bias| and the largest root mean squared error of the released count itself."""
    if not isinstance(mechanism, Explicit):
        return mechanism.bias(), math.sqrt(mechanism.expected_squared_error())
    counts, bias, squared = np.arange(mechanism.n + 1, dtype=np.float64), 0.0, 0.0
    for i in range(mechanism.n + 1):
        chances = _chances(mechanism, i)
        bias = max(bias, abs(float(chances @ (counts - i))))
        squared = max(squared, float(chances @ (counts - i) ** 2))
    return bias, math.sqrt(squared)


def _chances(mechanism: Mechanism, true: int) -> Floats:
    if isinstance(mechanism, Explicit):
        row = mechanism.entries[true]
        return np.asarray(row / math.fsum(row))
    return mechanism.pmf(true)


def _rows(mechanism: Mechanism, centred: Floats) -> list[int]:
    """Return true counts among which the variance is largest.

    A row of `nearest` is the mirror image of that of n - i, and in large ranges estimates differ from the released
    count only near the edges. For a circulant matrix, all variances are known to a few digits.
    """
    n = mechanism.n
    if isinstance(mechanism, Nearest):
        lower = range(n // 2 + 1)
        return [*lower[:_EDGE], n // 2] if _is_edged(mechanism) else [*lower]
    if isinstance(mechanism, Canonical) and n >= 2 * _EDGE:
        roughly = mechanism.product(centred**2) - (np.arange(n + 1) - n / 2) ** 2
        return sorted({0, n // 2, int(roughly.argmax())})
    return [*range(n + 1)]
