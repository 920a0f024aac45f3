"""The least error that any private mechanism has where one change may move a count by more than one.

Let true counts at distance s or less be neighbors. With M = n + 1 outcomes and d the distance around the circle Z_M,

    least error = (1 - delta) (1 - 1 / sum over k in Z_M of q^ceil(d(0, k) / s)).

It is attained by (1 - delta) times the circulant of that kernel plus delta times the identity, and s = 1 is [RV26]
Theorem 1 (10) (docs/theory.md, "More than one row per unit").
"""

from __future__ import annotations

from flint import arb

from hushcount.inputs.arguments import integer
from hushcount.numbers.enclosure import ball, nearest_float
from hushcount.numbers.exact import Number
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["least_error_probability"]


def least_error_probability(n: int, epsilon: Number, delta: Number = 0, *, sensitivity: int = 1) -> float:
    """Return the least worst-case error probability of all mechanisms on 0..n that are private between counts as near
    as `sensitivity`.

    Args:
        n: the largest count, an integer >= 0.
        epsilon, delta: the promise, as for `nearest`.
        sensitivity: s >= 1, how far one change may move the count.

    Returns:
        The error probability, right to one unit in the last place.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
    """
    n, s = integer(n, "n", least=0), integer(sensitivity, "sensitivity", least=1)
    promise = EpsilonDelta.of(epsilon, delta)
    both_ways, blocks = n // 2, n // 2 // s

    def error(precision: int) -> arb:
        e = ball(promise.epsilon)
        q = (-e).exp()
        series = arb(blocks) if promise.epsilon == 0 else (-e * blocks).expm1() / (-e).expm1()
        one_way = s * q * series + (both_ways - s * blocks) * (-e * (blocks + 1)).exp()
        others = 2 * one_way
        if n % 2:  # M even: one count is opposite
            others += (-e * -(-(n + 1) // (2 * s))).exp()
        return ball(1 - promise.delta) * others / (1 + others)

    return nearest_float(error)
