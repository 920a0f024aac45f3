"""What a designer wants to be small: a loss for each true and released count, averaged or at its worst."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from operator import mul

import numpy as np
from flint import arb
from numpy.typing import ArrayLike

from hushcount.errors import BadUse, InvalidParameter, Told
from hushcount.inputs.arrays import array
from hushcount.linear_program.model import ModelBuilder
from hushcount.linear_program.polytope import Columns
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.chain.chain import Chain
from hushcount.numbers.arrays import UNIT, Floats
from hushcount.numbers.enclosure import ball, nearest_float
from hushcount.numbers.exact import exact
from hushcount.numbers.intervals import outwards
from hushcount.optimal_set.by_chain.best import best_for_prior, best_for_worst
from hushcount.optimal_set.losses import LARGEST_NUMBER, Loss, Losses, losses_of
from hushcount.promise.curve import Curve

__all__ = ["Objective", "Prior"]

Prior = str | ArrayLike
"""\"worst\", \"uniform\" or weights; numbers may be written as texts."""


@dataclass(frozen=True, eq=False)
class Objective:
    """sum_i w_i sum_j L_ij p_ij, or the largest of sum_j L_ij p_ij over i; exactly.

    Attributes:
        losses: L.
        weights: w, which sum to 1; None for the worst case.
    """

    losses: Losses
    weights: tuple[Fraction, ...] | None

    @classmethod
    def of(cls, n: int, loss: Loss, prior: Prior) -> Objective:
        """Check what a user passed; see `hushcount.design`.

        Raises:
            InvalidParameter: an unknown name, a matrix of another shape, a value that is no finite number, a weight
                below 0, weights that do not sum to 1 (up to rounding to floats: they are then divided by their sum).
            TooLarge: a matrix or a function for more than 4,096 outcomes.
        """
        return cls(losses_of(n, loss), _weights(n, prior))

    @property
    def size(self) -> int:
        return self.losses.n + 1

    @property
    def is_mirrored(self) -> bool:
        """Whether it stays the same when 0..n is counted from the other end."""
        return self.losses.is_mirrored and (self.weights is None or self.weights == self.weights[::-1])

    @property
    def is_nothing(self) -> bool:
        """Whether every loss is 0."""
        return not self.losses.largest

    @property
    def is_worst_error_probability(self) -> bool:
        """Whether it is the worst-case error probability."""
        return self.weights is None and self.losses.is_error

    @cached_property
    def scale(self) -> Fraction:
        """A power of two that is about the largest |L_ij|; 1 if all are 0."""
        largest = self.losses.largest
        exponent = largest.numerator.bit_length() - largest.denominator.bit_length()
        return Fraction(2) ** exponent if largest else Fraction(1)

    @cached_property
    def _floats(self) -> Floats:
        """L / scale."""
        nearest = cache(lambda value: float(value / self.scale))  # there are few different values
        return np.array([[nearest(value) for value in row] for row in self.losses.exact])

    @cached_property
    def _weights(self) -> Floats:
        assert self.weights is not None
        return np.array([float(weight) for weight in self.weights])

    @property
    def least_conceivable(self) -> float:
        """Return what no mechanism at all can undercut, rounded down."""
        least = self._floats.min(axis=1)
        value = float(least.max() if self.weights is None else self._weights @ least)
        return self.unscaled(value - (self.size + 8) * UNIT * float(np.abs(least).max()), -np.inf)

    @cached_property
    def _diagonal(self) -> Fraction:
        """The value where every count is released as it is."""
        diagonal = self.losses.diagonal
        return max(diagonal) if self.weights is None else sum(map(mul, self.weights, diagonal), Fraction(0))

    @property
    def least_of_diagonal(self) -> float:
        """The same rounded down: what no mechanism can undercut if losses grow with distance."""
        return outwards(self._diagonal, -np.inf)

    def unscaled(self, value: float | Fraction, towards: float) -> float:
        """Return value * scale, rounded toward -inf or inf."""
        return outwards(Fraction(value) * self.scale, towards) if math.isfinite(value) else float(value)

    def add_to(self, builder: ModelBuilder, entries: Columns, lift: float) -> None:
        """Add the objective over `scale`, times `lift`, as costs of a linear program; the worst case takes one more
        column and M rows.

        A power of two that brings the optimum near 1 keeps it above a solver's tolerance.
        """
        costs = self._floats
        if self.weights is not None:
            builder.add_cost(entries, lift * self._weights[:, None] * costs)
            return
        worst = builder.columns(1, costs.min(), costs.max(), cost=lift, size=1 / lift)
        builder.rows([(entries, costs), (np.repeat(worst, self.size), -1.0)], upper=0.0)

    def value_of_matrix(self, entries: Floats) -> float:
        """Return the objective of a matrix of floats whose rows sum to 1 up to rounding, taken as exact rationals
        over their sums; rounded up.

        A sum of M products is off by (M + 4) u of the sum of absolute values, as are the rows' sums from 1; u = 2^-52
        covers the weights and losses too, and 2^-900 covers what underflows.
        """
        rows, sizes = (self._floats * entries).sum(axis=1), (np.abs(self._floats) * entries).sum(axis=1)
        errors = (4 * self.size + 16) * UNIT * sizes
        if self.weights is None:
            value = float((rows + errors).max())
        else:
            slack = (self.size + 4) * UNIT * float(self._weights @ sizes)
            value = float(self._weights @ (rows + errors)) + slack
        return self.unscaled(value if not sizes.any() else np.nextafter(value, np.inf) + 2.0**-900, np.inf)

    def best_chain(self, promise: Curve) -> tuple[Chain, float, float]:
        """Return the best chain, its value rounded up, and a bound that no private mechanism is below; for losses that
        grow with distance."""
        steps = self.losses.steps(self.scale)
        if self.weights is None:
            found = best_for_worst(promise, steps, is_mirrored=self.is_mirrored)
            base = Fraction(0)
        else:
            found = best_for_prior(promise, steps, self._weights)
            base = self._diagonal / self.scale
        ends = ((found.lower_bound, -np.inf), (found.loss, np.inf))
        lower, upper = (self.unscaled(Fraction(end) + base, towards) for end, towards in ends)
        return found.mechanism, upper, lower

    def value_of_mechanism(self, mechanism: Mechanism) -> float:
        """Return the objective of a mechanism in closed form, to one unit in the last place."""
        if self.weights is not None:
            used = [i for i, weight in enumerate(self.weights) if weight]
            weights = self.weights
            return nearest_float(lambda p: _sum(ball(weights[i]) * self._row_value(mechanism, i, p) for i in used))
        return max(nearest_float(lambda p, i=i: self._row_value(mechanism, i, p)) for i in range(self.size))  # type: ignore[misc]

    def _row_value(self, mechanism: Mechanism, true: int, precision: int) -> arb:
        return _sum(
            ball(loss) * mechanism.enclosed_pmf(true, j, precision)
            for j, loss in enumerate(self.losses.exact[true])
            if loss
        )


def _sum(terms: object) -> arb:
    return sum(terms, arb(0))  # type: ignore[call-overload, no-any-return]


def _weights(n: int, prior: Prior) -> tuple[Fraction, ...] | None:
    if isinstance(prior, str):
        if prior == "worst":
            return None
        if prior == "uniform":
            return (Fraction(1, n + 1),) * (n + 1)
        raise InvalidParameter("prior", prior, "'worst', 'uniform' or one weight per true count")
    given = array(prior, "prior", "'worst', 'uniform' or weights")
    if given.shape != (n + 1,):
        raise InvalidParameter("prior", Told(given.shape), f"'worst', 'uniform' or {n + 1} weights, one per true count")
    weights = [exact(weight, f"prior[{i}]") for i, weight in enumerate(given)]
    for i, weight in enumerate(weights):
        if not weight >= 0:
            raise InvalidParameter(f"prior[{i}]", given[i], "a number >= 0")
    total = sum(weights, Fraction(0))
    if not abs(total - 1) <= Fraction(n + 1, 2**52):
        raise BadUse(
            f"the weights of the prior must sum to 1 (their sum is {float(min(total, Fraction(LARGEST_NUMBER))):.12g})"
        )
    return tuple(weight / total for weight in weights)
