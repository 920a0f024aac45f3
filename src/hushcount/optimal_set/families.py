"""All optima with three outcomes, and all with four at delta = 0, by their free parameters ([RV26] (18), (19)).

The letters are the paper's: k = e^epsilon, delta' = (k + 2) delta / (1 - delta), and with 1..M for rows and columns

    M = 3:  (1 - delta) / (k + 2)  [ k + delta'    2 - u       u        ]
                                   [ 1             k + delta'  1        ]
                                   [ v             2 - v       k + delta' ]

    M = 4:  1 / (k + 1)^2  [ k^2  x1   x2   x3  ]     x1 = 2 k + 1 - x2 - x3
                           [ k    k^2  k    1   ]
                           [ 1    k    k^2  k   ]
                           [ y3   y2   y1   k^2 ]     y1 = 2 k + 1 - y2 - y3

The canonical optimum has u = v = 1, and x2 = y2 = 1, x3 = y3 = k; the nearest one has all of them least. Privacy and
row sums together leave exactly

    (1 - delta')^+ / k <= u, v <= 1;      1 <= x2,  1/k <= x3 <= k,  x2 + x3 <= k + 1,   and the same for y.

The upper limits k (k + delta') of 2 - u, k^3 of x1 and k^2 of x2 that the paper lists as well are never reached for k >
1: the row sum cuts at 2 - (1 - delta')^+ / k, 2 k - 1/k and k + 1 - 1/k (docs/theory.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from hushcount.errors import InvalidParameter
from hushcount.mechanisms.explicit import Explicit, from_matrix
from hushcount.mechanisms.optima.kernel import Kernel, kernel
from hushcount.numbers.enclosure import at_least, ball, nearest_float
from hushcount.numbers.exact import Number, exact
from hushcount.numbers.intervals import Interval, enclosing, outwards
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = [
    "FourOutcomeRanges",
    "four_outcome_optimum",
    "four_outcome_ranges",
    "three_outcome_determinant",
    "three_outcome_optimum",
    "three_outcome_range",
]

_LARGEST_EPSILON = 200

Range = tuple[float, float]


@dataclass(frozen=True)
class FourOutcomeRanges:
    """The values that the parameters of (19) take over all optima: the least rounded up, the largest rounded down.

    Attributes:
        x1: the range of x1 = 2 k + 1 - x2 - x3, which is at least k because x2 + x3 <= k + 1.
        x2, x3: each on its own; they are not independent, see `largest_sum`. The y have the same ranges.
        largest_sum: the largest x2 + x3, which is k + 1.
    """

    x1: Range
    x2: Range
    x3: Range
    largest_sum: float


def three_outcome_range(epsilon: Number, delta: Number = 0) -> Range:
    """Return the least u (or v) of (18), rounded up, and the largest, 1.

    Raises:
        InvalidParameter: see `three_outcome_optimum`.
    """
    family = _Family(3, epsilon, delta)
    return family.rounded_up(_least_u), 1.0


def three_outcome_optimum(epsilon: Number, delta: Number = 0, *, u: Number, v: Number) -> Explicit:
    """Return the optimum (18) with three outcomes, n = 2; there are no others.

    Args:
        epsilon: 0 <= epsilon <= 200, in nats (beyond, entries are too small for floats); float, int, Fraction, Decimal
            or decimal string, kept exactly.
        delta: 0 <= delta < 1, kept exactly.
        u, v: from (1 - delta')^+ / k to 1 (`three_outcome_range`), kept exactly.

    Returns:
        The matrix; each entry is right to one unit in the last place.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
    """
    family = _Family(3, epsilon, delta)
    corners = [family.checked_corner(name, value) for name, value in (("u", u), ("v", v))]

    def entries(K: Kernel) -> list[list[arb]]:
        unit = K.a * K.q
        (u, u_), (v, v_) = ((unit * ball(x), unit * ball(2 - x)) for x in corners)
        return [[K.gamma, u_, u], [unit, K.gamma, unit], [v, v_, K.gamma]]

    return family.matrix(entries)


def three_outcome_determinant(epsilon: Number, delta: Number = 0, *, u: Number, v: Number) -> float:
    """Return the determinant of (18), right to one unit in the last place ([RV26] Appendix D):

        ((1 - delta) / (k + 2))^3 ((k + delta')^3 - (k + delta') (u v + 4 - (u + v)) - 2 (u v - (u + v))),

    which does not fall in u and v, is positive for epsilon > 0, and at epsilon = 0 is 0 only at their least values.

    Arguments and errors are those of `three_outcome_optimum`.
    """
    family = _Family(3, epsilon, delta)
    first, second = (family.checked_corner(name, value) for name, value in (("u", u), ("v", v)))

    def determinant(K: Kernel) -> arb:
        unit, product, total = K.a * K.q, ball(first * second), ball(first + second)
        return K.gamma**3 - K.gamma * unit**2 * (product + 4 - total) - 2 * unit**3 * (product - total)

    return nearest_float(family.enclose(determinant))


def four_outcome_ranges(epsilon: Number) -> FourOutcomeRanges:
    """Return the ranges of the parameters of (19).

    Raises:
        InvalidParameter: see `four_outcome_optimum`.
    """
    family = _Family(4, epsilon, 0)
    return FourOutcomeRanges(
        x1=(family.rounded_up(_k), family.rounded_down(lambda K: 2 * _k(K) - K.q)),
        x2=(1.0, family.rounded_down(lambda K: _k(K) + 1 - K.q)),
        x3=(family.rounded_up(lambda K: K.q), family.rounded_down(_k)),
        largest_sum=family.rounded_down(lambda K: _k(K) + 1),
    )


def four_outcome_optimum(epsilon: Number, *, x2: Number, x3: Number, y2: Number, y3: Number) -> Explicit:
    """Return the optimum (19) with four outcomes, n = 3, and delta = 0; there are no others.

    Args:
        epsilon: 0 <= epsilon <= 200, in nats (beyond, entries are too small for floats); float, int, Fraction, Decimal
            or decimal string, kept exactly.
        x2, x3, y2, y3: x2 >= 1, 1/k <= x3 and x2 + x3 <= k + 1 (`four_outcome_ranges`), and the same for y; kept
            exactly.

    Returns:
        The matrix; each entry is right to one unit in the last place.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
    """
    family = _Family(4, epsilon, 0)
    edges = [family.checked_edge(name, *values) for name, values in (("x", (x2, x3)), ("y", (y2, y3)))]

    def entries(K: Kernel) -> list[list[arb]]:
        near, far = K.a * K.q, K.a * K.power(2)
        (x1, x2, x3), (y1, y2, y3) = (
            (2 * near + far - far * ball(second + third), far * ball(second), far * ball(third))
            for second, third in edges
        )
        return [[K.gamma, x1, x2, x3], [near, K.gamma, near, far], [far, near, K.gamma, near], [y3, y2, y1, K.gamma]]

    return family.matrix(entries)


class _Family:
    """The optima of (M, epsilon, delta), in terms of the kernel: (1 - delta) / (k + 2) is a q for M = 3, and
    1 / (k + 1)^2 is a q^2 for M = 4."""

    def __init__(self, M: int, epsilon: Number, delta: Number) -> None:
        self.M, self.privacy = M, EpsilonDelta.of(epsilon, delta)
        if not self.privacy.epsilon <= _LARGEST_EPSILON:
            raise InvalidParameter("epsilon", epsilon, f"a number >= 0, at most {_LARGEST_EPSILON} for a family")

    def enclose(self, evaluate: Callable[[Kernel], arb]) -> Callable[[int], arb]:
        return lambda precision: evaluate(kernel(self.M, self.privacy.epsilon, self.privacy.delta, precision))

    def matrix(self, entries: Callable[[Kernel], list[list[arb]]]) -> Explicit:
        def entry(i: int, j: int) -> float:
            return nearest_float(self.enclose(lambda K: entries(K)[i][j]))

        places = range(self.M)
        return from_matrix([[entry(i, j) for j in places] for i in places])

    def checked_corner(self, name: str, value: Number) -> Fraction:
        corner = exact(value, name)
        if not (0 <= corner <= 1 and self._is_not_negative(lambda K: ball(corner) - _least_u(K))):
            least = self.rounded_up(_least_u)
            raise InvalidParameter(name, value, f"a number from (1 - delta')^+ / e^epsilon = {least!r} to 1")
        return corner

    def checked_edge(self, name: str, second: Number, third: Number) -> tuple[Fraction, Fraction]:
        middle, far = exact(second, f"{name}2"), exact(third, f"{name}3")
        if not middle >= 1:
            raise InvalidParameter(f"{name}2", second, "a number >= 1")
        if not self._is_not_negative(lambda K: ball(far) - K.q):
            raise InvalidParameter(f"{name}3", third, f"a number >= e^-epsilon = {self.rounded_up(lambda K: K.q)!r}")
        if not self._is_not_negative(lambda K: _k(K) + 1 - ball(middle + far)):
            largest = self.rounded_down(lambda K: _k(K) + 1)
            raise InvalidParameter(f"{name}2 + {name}3", middle + far, f"at most e^epsilon + 1 = {largest!r}")
        return middle, far

    def rounded_up(self, evaluate: Callable[[Kernel], arb]) -> float:
        return outwards(self._interval(evaluate).exact_upper, math.inf)

    def rounded_down(self, evaluate: Callable[[Kernel], arb]) -> float:
        return outwards(self._interval(evaluate).exact_lower, -math.inf)

    def _interval(self, evaluate: Callable[[Kernel], arb]) -> Interval:
        return enclosing(self.enclose(evaluate))

    def _is_not_negative(self, evaluate: Callable[[Kernel], arb]) -> bool:
        return at_least(self.enclose(evaluate), Fraction(0), rational=self.privacy.epsilon == 0)


def _k(K: Kernel) -> arb:
    return K.power(-1)


def _least_u(K: Kernel) -> arb:
    """Return (1 - delta')^+ / k, with delta' = delta / (a q)."""
    return (K.q - K.delta / K.a).max(arb(0))
