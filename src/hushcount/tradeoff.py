"""The (epsilon, delta) trade-off curve: what a neighbour's probability says about mine.

For a mechanism that is (epsilon, delta)-DP (after Kairouz, Oh and Viswanath 2015; Dong, Roth and Su 2022), if an
event has probability x under one true count, its probability under an adjacent count is at most `largest(x)` and at
least `least(x)`:

    largest(x) = min(1, e^epsilon x + delta, 1 - e^-epsilon (1 - delta - x))
    least(y)   = max(0, e^-epsilon (y - delta), 1 - delta - e^epsilon (1 - y))

`least(y)` is the least x with `largest(x) >= y`. A mechanism here asks nothing of a curve but that it is symmetric,
increasing and concave, so another f-DP curve can stand in its place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from hushcount.errors import InvalidParameter
from hushcount.exact import Number, exact, exact_text

__all__ = ["EpsilonDelta", "TradeOff"]


class TradeOff(Protocol):
    """A privacy constraint between adjacent true counts, as a pair of curves on [0, 1]."""

    def largest(self, x: float) -> float:
        """The largest probability an event may have where an adjacent count gives it x."""
        ...

    def least(self, y: float) -> float:
        """The least probability an event may have where an adjacent count gives it y."""
        ...


@dataclass(frozen=True)
class EpsilonDelta:
    """Approximate differential privacy with exact parameters.

    Attributes:
        epsilon: >= 0, in nats; bounds the likelihood ratio by e**epsilon.
        delta: 0 <= delta < 1; the excess probability (2) of [RV26] allows.
    """

    epsilon: Fraction
    delta: Fraction

    @classmethod
    def of(cls, epsilon: Number, delta: Number = 0) -> EpsilonDelta:
        """Check and keep exactly; see `hushcount.exact` for what is accepted.

        Raises:
            InvalidParameter: not a number, epsilon < 0, or delta outside [0, 1).
        """
        kept = cls(exact(epsilon, "epsilon"), exact(delta, "delta"))
        if not kept.epsilon >= 0:
            raise InvalidParameter("epsilon", epsilon, "a finite number >= 0")
        if not 0 <= kept.delta < 1:
            raise InvalidParameter("delta", delta, "a number >= 0 and < 1")
        return kept

    def largest(self, x: float) -> float:
        """`largest(x)` of the module's head, in floats; x in [0, 1]."""
        growth, delta = self._growth, float(self.delta)
        return min(1.0, growth * x + delta if x > 0 else delta, 1 - (1 - delta - x) / growth)

    def least(self, y: float) -> float:
        """`least(y)` of the module's head, in floats; y in [0, 1]."""
        growth, delta = self._growth, float(self.delta)
        return max(0.0, (y - delta) / growth, 1 - delta - growth * (1 - y) if y < 1 else 1 - delta)

    @property
    def _growth(self) -> float:
        try:
            return math.exp(self.epsilon)
        except OverflowError:
            return math.inf

    def __str__(self) -> str:
        return f"({exact_text(self.epsilon)}, {exact_text(self.delta)})"
