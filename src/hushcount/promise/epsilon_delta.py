"""The (epsilon, delta) trade-off curve: what a neighbour's probability says about mine.

For a mechanism that is (epsilon, delta)-DP ([KOV15], [DRS22]), if an
event has probability x under one true count, its probability under an adjacent count is at most `largest(x)` and at
least `least(x)`:

    largest(x) = min(1, e^epsilon x + delta, 1 - e^-epsilon (1 - delta - x))
    least(y)   = max(0, e^-epsilon (y - delta), 1 - delta - e^epsilon (1 - y))

`least(y)` is the least x with `largest(x) >= y`. Both are all that the nearest optimum's construction asks of a privacy
constraint (docs/theory.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from hushcount.errors import InvalidParameter
from hushcount.numbers.enclosure import ball, nearest_float
from hushcount.numbers.exact import Number, exact, exact_text
from hushcount.promise.piecewise_linear import PiecewiseLinear

__all__ = ["EpsilonDelta"]


@dataclass(frozen=True)
class EpsilonDelta(PiecewiseLinear):
    """Approximate differential privacy with exact parameters.

    Attributes:
        epsilon: >= 0, in nats; bounds the likelihood ratio by e**epsilon.
        delta: 0 <= delta < 1; the excess probability (2) of [RV26] allows.
    """

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        for argument, value in (("epsilon", self.epsilon), ("delta", self.delta)):
            if not isinstance(value, Fraction):
                raise InvalidParameter(argument, value, "a Fraction; EpsilonDelta.of takes other numbers")
        if not self.epsilon >= 0:
            raise InvalidParameter("epsilon", self.epsilon, "a finite number >= 0")
        if not 0 <= self.delta < 1:
            raise InvalidParameter("delta", self.delta, "a number >= 0 and < 1")

    @classmethod
    def of(cls, epsilon: Number, delta: Number = 0) -> EpsilonDelta:
        """Check and keep exactly; see `hushcount.numbers.exact` for what is accepted.

        Raises:
            InvalidParameter: not a number, epsilon < 0, or delta outside [0, 1).
        """
        kept = exact(epsilon, "epsilon"), exact(delta, "delta")
        try:
            return cls(*kept)
        except InvalidParameter as error:  # say what the caller wrote
            written = {"epsilon": epsilon, "delta": delta}[error.argument]
            raise InvalidParameter(error.argument, written, error.rule) from None

    def all_pairs(self) -> tuple[EpsilonDelta, ...]:
        return (self,)

    def fields(self) -> dict[str, object]:
        return {"epsilon": exact_text(self.epsilon), "delta": exact_text(self.delta)}

    def largest(self, x: float) -> float:
        """`largest(x)` of the module's head, in floats; x in [0, 1]."""
        growth, delta = self._growth, float(self.delta)
        return min(1.0, growth * x + delta if x > 0 else delta, 1 - (1 - delta - x) / growth)

    def least(self, y: float) -> float:
        """`least(y)` of the module's head, in floats; y in [0, 1]."""
        growth, delta = self._growth, float(self.delta)
        return max(0.0, (y - delta) / growth, 1 - delta - growth * (1 - y) if y < 1 else 1 - delta)

    @property
    def shrinkage(self) -> float:
        """q = e^-epsilon, the nearest float."""
        return nearest_float(lambda precision: (-ball(self.epsilon)).exp())

    @property
    def _growth(self) -> float:
        try:
            return math.exp(self.epsilon)
        except OverflowError:
            return math.inf

    def __str__(self) -> str:
        return f"({exact_text(self.epsilon)}, {exact_text(self.delta)})"
