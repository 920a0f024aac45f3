"""What several releases cost together."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hushcount.numbers.text import plain_at_most
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.mu_delta import MuDelta

__all__ = ["sum_of_prices"]


def sum_of_prices(prices: Sequence[Curve]) -> str | None:
    """Return the sums of epsilon and of delta in words, or where some promise mu those of mu^2 and of delta, as budgets
    add them up.

    None where no sum promises anything: of several pairs at once, or of deltas that come to 1.
    """
    if all(isinstance(price, EpsilonDelta) for price in prices):
        parts = [(price.epsilon, price.delta) for price in prices if isinstance(price, EpsilonDelta)]
        first, delta = (sum(each, Fraction(0)) for each in zip(*parts, strict=True))
        return EpsilonDelta(first, delta).in_words(plain_at_most) if delta < 1 else None
    if not all(isinstance(price, (EpsilonDelta, GaussianDP)) for price in prices):
        return None
    charged = [MuDelta.covering(price) for price in prices]
    mu_squared, delta = (
        sum(each, Fraction(0)) for each in ([c.mu_squared for c in charged], [c.delta for c in charged])
    )
    return MuDelta(mu_squared, delta).in_words(plain_at_most) if delta < 1 else None
