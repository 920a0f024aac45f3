"""Randomized response on n + 1 answers: the truth with one probability, every other count with another.

p(i, i) = delta + (1 - delta) / (1 + n q) and p(i, j) = (1 - delta) q / (1 + n q) for j != i, q = e^-epsilon. Only
outcome k is likelier under k than under i, so the worst subset is {k} and

    p(k, k) - e^epsilon p(i, k) = delta + (1 - delta)(1 - e^epsilon q) / (1 + n q) = delta:

private, and active, for *every* pair of counts and not only for adjacent ones. Under that stronger demand it has the
least worst-case error. Averaging any mechanism over all relabelings of the counts keeps the demand and does not lower
its least diagonal entry. It leaves one number on the diagonal and one off it, which are bounded by the equation above.
Between adjacent counts only, as here, it wastes what distance is worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb, ctx

from hushcount.mechanisms.peers.float_tailed import FloatTailed
from hushcount.mechanisms.two_tailed import PrivateTwoTailed
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import FIRST_PRECISION, ball, nearest_float
from hushcount.numbers.exact import Number
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["RandomizedResponse", "Uniform", "randomized_response", "uniform"]


@dataclass(frozen=True)
class RandomizedResponse(FloatTailed, PrivateTwoTailed):
    """Randomized response; see the module and `randomized_response`."""

    name = "randomized-response"

    def _other(self, precision: int) -> arb:
        """Return p(i, j) for j != i."""
        K = self._kernel(precision)
        return (1 - K.delta) * K.q / (1 + self.n * K.q)

    def _diagonal(self, row: int, precision: int) -> arb:
        K = self._kernel(precision)
        return K.delta + (1 - K.delta) / (1 + self.n * K.q)

    def _tail(self, row: int, k: int, precision: int) -> arb:
        return (row - k) * self._other(precision)

    def _tail_sums(self, row: int, precision: int) -> tuple[arb, arb]:
        other = self._other(precision)
        return other * (row * (row - 1)) / 2, other * (row * (row - 1) * (2 * row - 1)) / 6

    def _worst_candidates(self) -> list[int]:
        # All other counts are equally likely, and from an edge they are farthest.
        return [0]

    # All pairs are alike, and only the true count can be likelier under itself than under another.

    def _worst_pairs(self, distance: int) -> list[tuple[int, int]]:
        return [(0, distance)]

    def _worst_event(self, true: int, other: int, epsilon: Fraction) -> list[tuple[int, int]]:
        if self.delta == 0:
            is_covered = epsilon >= self.epsilon
        else:
            with ctx.workprec(FIRST_PRECISION):
                growth = ball(epsilon).exp()
                is_covered = bool(self._diagonal(true + 1, FIRST_PRECISION) <= growth * self._other(FIRST_PRECISION))
        return [] if is_covered else [(true, true)]

    @cached_property
    def _float_other(self) -> float:
        return nearest_float(self._other)

    def _float_tail(self, row: Floats, k: Floats) -> Floats:
        """Return the tail in floats, a correctly rounded constant and one product: error 2."""
        return (row - k) * self._float_other

    def _cells(self, row: int) -> Floats:
        return np.full(row - 1, self._float_other)


@dataclass(frozen=True)
class Uniform(RandomizedResponse):
    """The uniform mechanism; see `uniform`."""

    name = "uniform"


def randomized_response(n: int, epsilon: Number, delta: Number = 0) -> RandomizedResponse:
    """Return randomized response over 0..n ([W65], in the form of [KOV16]): the truth with probability delta + (1 -
    delta) / (1 + n e^-epsilon), otherwise any other count with equal probability.

    It is private between any two counts, adjacent or not, and the best mechanism that is; see the module.

    Args:
        n: the largest count, an integer >= 0.
        epsilon: >= 0, in nats; float, int, Fraction, Decimal or decimal string, kept exactly.
        delta: 0 <= delta < 1, kept exactly.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
    """
    return RandomizedResponse(n, EpsilonDelta.of(epsilon, delta))


def uniform(n: int) -> Uniform:
    """Return the mechanism that releases each count of 0..n with probability 1 / (n + 1), whatever the data: epsilon
    = delta = 0, the floor of every comparison.

    Args:
        n: the largest count, an integer >= 0.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
    """
    return Uniform(n, EpsilonDelta.of(0))
