"""Double arithmetic in PostgreSQL, which stops at a result that does not fit, where the rule has infinity or 0.

No row may make an evaluation stop. So an operation is written as it is only where the types of its operands rule that
out (`Reach`); else it is put behind conditions that are true exactly where it would stop, and give what it rounds to.
Every power of two that is multiplied with is there to compare without rounding, and without stopping in its turn.
A detour by `numeric` would be shorter and wrong, since a double becomes one of 15 digits.
GREATEST and LEAST skip NULL, so each of their conditions also asks for something that NULL makes NULL.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, isinf

from hushcount.counting.engines.postgresql.reach import (
    ANY,
    LOWEST,
    TO_INFINITY,
    TO_ZERO,
    Reach,
    double_at_least,
    double_at_most,
)
from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.expression import Expression, call, cases, constant, null, truth
from hushcount.errors import PredicateRefused

__all__ = ["Operand", "added", "divided", "multiplied"]

_LARGEST = 2.0**1023 * (2 - 2.0**-52)
_MAX_WEIGHT = 6000
_SUM, _SCALED, _QUOTIENT, _PRODUCT, _TINY_PRODUCT = 7, 5, 15, 9, 40
"""How often a guard looks at each of its operands, or a few times more."""


@dataclass(frozen=True)
class Operand:
    """A double: its expression, what it can be, and its value if it is a literal."""

    expression: Expression
    reach: Reach
    literal: float | None = None

    def negated(self) -> Operand:
        """The same with the other sign."""
        return Operand(-self.expression, self.reach, None if self.literal is None else -self.literal)


def added(a: Operand, b: Operand) -> Operand:
    """a + b."""
    reach = a.reach.plus(b.reach)
    if reach.fits:
        return Operand(a.expression + b.expression, reach)
    x, y = a.expression, b.expression
    greater, smaller = call("GREATEST", abs(x), abs(y)), call("LEAST", abs(x), abs(y))
    # Both differences are exact wherever they are near each other, and neither can stop
    beyond = smaller - _number(2.0**970) >= _number(_LARGEST) - greater
    over = _same_sign(x, y) & (greater <= _number(_LARGEST)) & beyond
    return Operand(cases([(over, _infinity(x > _number(0.0)))], x + y), _guarded(a, b, _SUM))


def multiplied(a: Operand, b: Operand) -> Operand:
    """a * b."""
    reach = a.reach.times(b.reach)
    x, y = a.expression, b.expression
    if reach.fits:
        return Operand(x * y, reach)
    if a.literal is not None and b.literal is None:
        return multiplied(b, a)
    if b.literal is not None:
        size = abs(Fraction(b.literal))
        over, under = double_at_least(TO_INFINITY / size), double_at_most(TO_ZERO / size)
        return Operand(_within(x, under, over, x * y, (x > _number(0.0)).equals(truth(b.literal > 0))), _guarded(a, b))
    scaled = (_at_least(abs(x), 1.0) * _number(2.0**-512)) * (_at_least(abs(y), 1.0) * _number(2.0**-512))
    branches = [
        (x.is_null() | y.is_null(), null(t.DOUBLE)),
        (~_finite(x) | ~_finite(y), x * y),
        (scaled >= _number(1.0), _infinity(_same_sign(x, y))),
    ]
    if reach.low >= LOWEST:
        return Operand(cases(branches, x * y), _guarded(a, b, _PRODUCT))
    return Operand(cases(branches + _tiny_products(x, y), x * y), _guarded(a, b, _TINY_PRODUCT))


def _tiny_products(x: Expression, y: Expression) -> list[tuple[Expression, Expression]]:
    """0 for products up to half the smallest double, 2**-1075; for CASE, once there is no NULL and no infinity left."""
    far = (abs(x) < _number(2.0**-540)) & (abs(y) < _number(2.0**-540))
    u, v = _at_most(abs(x), 1.0) * _number(2.0**511), _at_most(abs(y), 1.0) * _number(2.0**511)
    half = _number(2.0 ** (LOWEST - 1 + 2 * 511))
    (u_high, u_low), (v_high, v_low) = _halves(u), _halves(v)
    # What rounding took from u * v, exactly (Dekker)
    rest = u_low * v_low - (((u * v - u_high * v_high) - u_low * v_high) - u_high * v_low)
    smallest = cases([(_same_sign(x, y), _number(2.0**LOWEST))], _number(-(2.0**LOWEST)))
    return [
        (far, _number(0.0)),
        (u * v < half, _number(0.0)),
        ((u * v).equals(half) & (rest <= _number(0.0)), _number(0.0)),
        ((u * v).equals(half), smallest),
    ]


def _halves(u: Expression) -> tuple[Expression, Expression]:
    """The upper and the lower 26 bits of a double (Veltkamp), which add up to it."""
    spread = u * _number(2.0**27 + 1)
    high = spread - (spread - u)
    return high, u - high


def divided(a: Operand, b: Operand) -> Operand:
    """a / b, NULL where b is 0."""
    x, y = a.expression, b.expression
    quotient = x / call("NULLIF", y, _number(0.0))
    reach = a.reach.over(b.reach)
    if reach.fits:
        return Operand(quotient, reach)
    if b.literal is not None and b.literal != 0:
        size = abs(Fraction(b.literal))
        over, under = double_at_least(TO_INFINITY * size), double_at_most(TO_ZERO * size)
        return Operand(
            _within(x, under, over, quotient, (x > _number(0.0)).equals(truth(b.literal > 0))), _guarded(a, b)
        )
    infinite, size_x, size_y = _infinity(_same_sign(x, y)), abs(x), abs(y)
    far = (size_y < _number(2.0**-500)) & (size_x > _number(2.0**600))
    scaled = (_at_least(size_x, 2.0**-51) * _number(2.0**-600)) / (_at_most(size_y, 1.0) * _number(2.0**400))
    tiny = _at_most(size_x, 1.0) * _number(2.0**1000) <= _at_least(size_y, 1.0) * _number(2.0**-75)
    # CASE looks at one condition after the other, so that each may rely on those before it
    branches = [
        (x.is_null() | y.is_null() | y.equals(_number(0.0)), null(t.DOUBLE)),
        (~_finite(x) | ~_finite(y), quotient),
        (x.equals(_number(0.0)), _number(0.0)),
        (far, infinite),
        (scaled >= _number(2.0**24), infinite),
        (tiny, _number(0.0)),
    ]
    return Operand(cases(branches, quotient), _guarded(a, b, _QUOTIENT))


def _within(x: Expression, under: float, over: float, result: Expression, positive: Expression) -> Expression:
    """`result` for sizes of x above `under` and below `over`; 0 from there down, infinity from there up."""
    branches = [(~_finite(x), result)]
    if not isinf(over):
        branches.append((abs(x) >= _number(over), _infinity(positive)))
    if under > 0:
        branches.append((abs(x) <= _number(under), _number(0.0)))
    return cases(branches, result)


def _guarded(a: Operand, b: Operand, times: int = _SCALED) -> Reach:
    weight = times * (a.reach.weight + b.reach.weight)
    if weight > _MAX_WEIGHT:
        raise PredicateRefused(
            "PostgreSQL stops at results that do not fit in double precision, and this calculation is too long to be "
            "guarded against that; write it as fewer or simpler parts"
        )
    return Reach(ANY.low, ANY.high, True, weight)


def _number(value: float) -> Expression:
    return constant(repr(value), t.DOUBLE)


def _infinity(positive: Expression) -> Expression:
    return cases([(positive, _number(inf))], _number(-inf))


def _finite(x: Expression) -> Expression:
    # NaN is above all numbers here
    return abs(x) <= _number(_LARGEST)


def _same_sign(x: Expression, y: Expression) -> Expression:
    return (x > _number(0.0)).equals(y > _number(0.0))


def _at_least(x: Expression, bound: float) -> Expression:
    return call("GREATEST", x, _number(bound))


def _at_most(x: Expression, bound: float) -> Expression:
    return call("LEAST", x, _number(bound))
