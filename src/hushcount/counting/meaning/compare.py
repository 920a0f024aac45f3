"""Comparisons of a typed expression with a literal, mathematically right whatever the type can hold.

Integers, decimals, dates and timestamps are points on a line with equal steps. A literal between two points, or
beyond the ends of the type, is never rounded: `qty = 2.6` is false of every integer, and `qty < 2.6` is `qty <= 2`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor
from operator import eq, ge, gt, le, lt, ne

from hushcount.counting.meaning.expression import Expression, call

__all__ = ["FLIPPED", "OPPOSITE", "always", "decided", "with_point"]

# a operator b is b FLIPPED a, and NOT (a operator b) is a OPPOSITE b, NULL included
OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
FLIPPED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def with_point(
    operator: str,
    expression: Expression,
    place: Fraction,
    ends: tuple[int, int] | None,
    point: Callable[[int], Expression],
) -> Expression:
    """Return `expression operator place` where the expression holds whole steps only.

    Args:
        operator: = <> < <= > or >=.
        expression: the typed side.
        place: the literal, in steps of the type.
        ends: the smallest and the largest step the type can hold; None where every literal is inside.
        point: makes the literal of a step between the ends.
    """
    below = floor(place)
    if place != below:
        # strictly between `below` and the next step
        if operator in ("=", "<>"):
            return always(operator == "<>", expression)
        operator = "<=" if operator in ("<", "<=") else ">"
    if ends is not None and not ends[0] <= below <= ends[1]:
        if operator in ("=", "<>"):
            return always(operator == "<>", expression)
        return always((operator in ("<", "<=")) == (below > ends[1]), expression)
    return call(operator, expression, point(below))


def always(answer: bool, expression: Expression) -> Expression:
    """Return the answer wherever the expression has a value, NULL where it has none."""
    return call("=" if answer else "<>", expression, expression)


def decided(operator: str, left: Fraction, right: Fraction) -> bool:
    """Return `left operator right` for two literals."""
    return _DECIDED[operator](left, right)


_DECIDED: dict[str, Callable[[Fraction, Fraction], bool]] = {"=": eq, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
