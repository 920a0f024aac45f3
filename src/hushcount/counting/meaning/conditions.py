"""A predicate over typed columns as an expression that cannot fail on any row.

The rules, where SQL engines differ: arithmetic and abs() are done in double precision and NaN is a missing value; a
division by zero is NULL; comparisons of integers and decimals are exact; a double is compared with the double nearest
to a literal, and a 32-bit column with the nearest 32-bit number, but never equals an integer that it is not; texts are
compared by code points and never turned into numbers; a date is its midnight; timestamps are held in UTC to the
microsecond. A type error is found here, from the column types.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from math import inf

from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.compare import FLIPPED, OPPOSITE, always, decided, with_point
from hushcount.counting.meaning.expression import Expression, call, constant, null, truth
from hushcount.counting.meaning.floats import meant
from hushcount.counting.meaning.missing_codes import are_missing, why_missing
from hushcount.counting.meaning.terms import Terms
from hushcount.counting.meaning.text_limits import why_excluded
from hushcount.counting.meaning.types import ColumnType, Kind
from hushcount.counting.meaning.values import (
    Value,
    instant,
    letter_by_letter,
    mismatch,
    moment_of,
    needs_time,
    needs_type,
    said,
)
from hushcount.counting.predicate import nodes as n
from hushcount.errors import PredicateRefused
from hushcount.numbers.exact import exact_text

__all__ = ["Conditions", "compile_predicate"]

_MOST_PARTS = 200_000
_DAY = timedelta(days=1)
_MICROSECOND = timedelta(microseconds=1)


_ORDER = ("<", "<=", ">", ">=")
_FIGURES = re.compile(r"[+-]?[0-9][0-9.,:/TZ+ -]*")
"""What looks like a date or a number; a text ordered against it was hardly meant."""


class Conditions(Terms):
    """Two readings of a condition: `filter` where only "is it true?" matters, `condition` where NULL does too.

    In a filter NOT is pushed down to the comparisons, where SQL's three-valued logic is the same on both sides. What
    is left above them is AND and OR, and to those a false is as good as a NULL; that makes numbers with NaN cheap.
    """

    def filter(self, node: n.Node, negated: bool = False) -> Expression:
        match node:
            case n.Not(operand):
                return self.filter(operand, not negated)
            case n.Junction(operator, operands):
                flipped = {"AND": "OR", "OR": "AND"}[operator] if negated else operator
                return self._join(flipped, [self.filter(part, negated) for part in operands])
            case n.Between(operand, low, high):
                self._check_between(node)
                ends = (n.Compare(">=", operand, low), n.Compare("<=", operand, high))
                return self.filter(n.Junction("AND", ends), negated)
            case n.Compare(operator, left, right):
                return self._compare(OPPOSITE[operator] if negated else operator, left, right, filtering=True)
        condition = self.condition(node)
        return ~condition if negated else condition

    def condition(self, node: n.Node) -> Expression:
        """Return a boolean that is true, false or NULL as the condition `node` is."""
        value = self.value(node)
        if value.kind is Kind.UNKNOWN:
            return null(t.BOOLEAN)
        if value.kind is not Kind.BOOLEAN:
            raise PredicateRefused(f"{said(node, value)} is not a condition: it must be true or false of a row")
        return value.expression

    def test(self, node: n.Node) -> Expression:
        match node:
            case n.Junction(operator, operands):
                return self._join(operator, [self.condition(part) for part in operands])
            case n.Not(operand):
                return ~self.condition(operand)
            case n.Compare(operator, left, right):
                return self._compare(operator, left, right)
            case n.Between(operand, low, high):
                self._check_between(node)
                return self._compare(">=", operand, low) & self._compare("<=", operand, high)
            case n.Among(operand, items):
                return self._among(operand, items)
            case n.Like(operand, pattern):
                value = self.of_kind(operand, Kind.TEXT, "LIKE")
                return null(t.BOOLEAN) if value.kind is Kind.UNKNOWN else self.like(value.expression, pattern)
            case n.IsNull(operand):
                value = self.clean(self.value(operand))
                return truth(True) if value.kind is Kind.UNKNOWN else value.expression.is_null()
            case n.IsTruth(operand, answer):
                return call("COALESCE", self.filter(operand, not answer), truth(False))
        raise AssertionError(f"a predicate cannot hold {type(node).__name__}")

    def spelled(self, value: Expression, kind: ColumnType) -> Expression:
        """Return a whole number, decimal, text, date or truth as a text, which equal values have in common and
        different ones do not."""
        text = value if kind.kind is Kind.TEXT else value.cast(t.TEXT)
        if kind.kind is Kind.DECIMAL and 0 < kind.high < 10**kind.scale:  # DuckDB then writes no 0 before the point
            for before, after in ((".", "0."), ("00.", "0.")):
                text = call("REPLACE", text, constant(before, t.TEXT), constant(after, t.TEXT))
        return text

    def digest(self, text: Expression) -> Expression:
        """Return the SHA-256 of a text, by which rows can be ordered as by its bytes."""
        return call("SHA256", text)

    def _join(self, operator: str, parts: list[Expression]) -> Expression:
        # Pairs of pairs: a tree as deep as the logarithm of the number of parts, however long the chain
        while len(parts) > 1:
            pairs = [parts[start : start + 2] for start in range(0, len(parts), 2)]
            parts = [call(operator, *pair) if len(pair) > 1 else pair[0] for pair in pairs]
        return parts[0]

    def _compare(self, operator: str, left: n.Node, right: n.Node, filtering: bool = False) -> Expression:
        a, b = self.value(left), self.value(right)
        if Kind.UNKNOWN in (a.kind, b.kind):
            return null(t.BOOLEAN)
        if a.type.open and b.type.open:
            raise needs_type(left, a, right, b)
        if a.literal is not None and b.literal is None:
            operator, left, right, a, b = FLIPPED[operator], right, left, b, a
        if Kind.BOOLEAN in (a.kind, b.kind) and operator not in ("=", "<>"):
            raise PredicateRefused(f"{said(left, a)} and {said(right, b)} have no order; use = or <>")
        if isinstance(b.literal, n.Number) and isinstance(a.literal, n.Number):
            return truth(decided(operator, a.literal.value, b.literal.value))
        if b.literal is not None and a.literal is None:
            if isinstance(b.literal, n.Number) and a.type.missing:
                at = b.literal.value
                low, high = -inf if operator in ("<", "<=") else at, inf if operator in (">", ">=") else at
                _check_held(left, a, low, high)
            if isinstance(b.literal, n.Number) and a.kind is Kind.DOUBLE:
                return self._double_with_literal(operator, a, b.literal, filtering)
            return self._with_literal(operator, left, a, b.literal)
        if (a.type.exact and a.type == b.type) or a.kind is b.kind is Kind.INTEGER:
            return call(operator, a.expression, b.expression)
        _, (first, second) = self.unified([left, right])
        return call(operator, first, second)

    def _double_with_literal(self, operator: str, value: Value, literal: n.Number, filtering: bool) -> Expression:
        nearest, side = meant(literal, value.type.format)
        if side != 0:  # between two numbers of the format, so it equals none
            if operator in ("=", "<>"):
                return always(operator == "<>", self.clean(value).expression)
            below = operator in ("<", "<=")
            operator = {(True, 1): "<=", (True, -1): "<", (False, 1): ">", (False, -1): ">="}[below, side]
        number = self.double(Fraction(nearest))
        if not (filtering and value.nan):
            return call(operator, self.clean(value).expression, number)
        # To the engine NaN is above all numbers and equal to itself, so = < <= of a number are false of it already
        compared = call(operator, value.expression, number)
        if operator in ("=", "<", "<="):
            return compared
        return compared & (value.expression <= constant("inf", t.DOUBLE))

    def _with_literal(self, operator: str, node: n.Node, value: Value, literal: n.Node) -> Expression:
        kind = value.type
        match literal:
            case n.Number() if kind == t.NUMERIC:
                return call(operator, value.expression, self.exact(kind, literal))
            case n.Number(number) if kind.exact:
                place, ends = number * 10**kind.scale, (kind.low, kind.high)
                return with_point(operator, value.expression, place, ends, lambda steps: self.step(kind, steps))
            case n.Text(text) if (
                kind.kind is Kind.TEXT and kind.open and operator in _ORDER and _FIGURES.fullmatch(text)
            ):
                raise letter_by_letter(node, value, literal)
            case n.Text(text) if kind.kind is Kind.TEXT:
                if operator in ("=", "<>"):
                    _check_possible(node, value, text)
                return call(operator, value.expression, self.text(text))
            case n.Truth(bool(is_true)) if kind.kind is Kind.BOOLEAN:
                return call(operator, value.expression, truth(is_true))
            case n.Text() if kind.temporal and kind.open:
                raise needs_time(node, value, literal)
            case n.Text(text) if kind.temporal:
                return self._with_moment(operator, value, moment_of(text, kind))
            case n.Moment(moment) if kind.temporal:
                return self._with_moment(operator, value, moment)
        raise mismatch(node, value, literal)

    def _check_between(self, node: n.Between) -> None:
        low, high = self.value(node.low).literal, self.value(node.high).literal
        if isinstance(low, n.Number) and isinstance(high, n.Number):
            _check_held(node.operand, self.value(node.operand), low.value, high.value)

    def _with_moment(self, operator: str, value: Value, moment: date) -> Expression:
        at = instant(moment)
        if value.kind is Kind.TIMESTAMP:
            return call(operator, value.expression, constant(str(at), t.TIMESTAMP))
        part = Fraction((at - datetime.combine(at, datetime.min.time())) // _MICROSECOND, _DAY // _MICROSECOND)

        def day(ordinal: int) -> Expression:
            return constant(date.fromordinal(ordinal).isoformat(), t.DATE)

        return with_point(operator, value.expression, at.toordinal() + part, None, day)

    def _among(self, operand: n.Node, items: Sequence[n.Node]) -> Expression:
        value = self.value(operand)
        if value.literal is None:
            if value.kind is Kind.TEXT and all(isinstance(item, n.Text) for item in items):
                texts = [item.value for item in items if isinstance(item, n.Text)]
                for text in texts:
                    _check_possible(operand, value, text)
                return call("IN", value.expression, *[self.text(text) for text in texts])
            if value.type.numeric and all(isinstance(item, n.Number) for item in items):
                numbers = [item for item in items if isinstance(item, n.Number)]
                for number in numbers:
                    _check_held(operand, value, number.value, number.value)
                return self._among_numbers(value, numbers)
        return self._join("OR", [self._compare("=", operand, item) for item in items])

    def _among_numbers(self, value: Value, numbers: Sequence[n.Number]) -> Expression:
        kind, expression = value.type, self.clean(value).expression
        if kind.kind is Kind.DOUBLE:
            pairs = [meant(number, kind.format) for number in numbers]
            doubles = [self.double(Fraction(nearest)) for nearest, side in pairs if side == 0]
            return call("IN", expression, *doubles) if doubles else always(False, expression)
        if kind == t.NUMERIC:
            return call("IN", expression, *[self.exact(kind, number) for number in numbers])
        steps = [number.value * 10**kind.scale for number in numbers]
        held = [int(step) for step in steps if step.denominator == 1 and kind.low <= step <= kind.high]
        return call("IN", expression, *[self.step(kind, step) for step in held]) if held else always(False, expression)


def _check_possible(node: n.Node, value: Value, text: str) -> None:
    """Refuse to ask whether something is a text that its declared type excludes, since that is the same for every
    row."""
    reason = why_excluded(value.type, text)
    if reason is not None:
        raise PredicateRefused(f"{said(node, value)} {reason}: no row can have {text[:60]!r}")


def _check_held(node: n.Node, value: Value, low: Fraction | float, high: Fraction | float) -> None:
    """Refuse to ask whether a column is among numbers that its file declares missing, as for texts."""
    if isinstance(node, n.Column) and are_missing(value.type, low, high):
        ends = [exact_text(end) for end in (low, high) if isinstance(end, Fraction)]
        shown = " to ".join(dict.fromkeys(ends)) + (" or less" if low == -inf else " or more" if high == inf else "")
        raise PredicateRefused(f"{said(node, value)} {why_missing(shown)}")


def compile_predicate(tree: n.Node, types: Mapping[str, ColumnType], conditions: type[Conditions] = Conditions) -> str:
    """Return the SQL of a boolean over columns of the given types that is true of the rows to count.

    Args:
        conditions: the conditions of the engine that is to judge it.

    Raises:
        PredicateRefused: the types do not fit the predicate; the message names the column. Or the engine cannot judge
            it by the rule, or it would become too long.
    """
    condition = conditions(types).filter(tree)
    if condition.parts > _MOST_PARTS:
        raise PredicateRefused("predicate is too complex to be evaluated; write it as fewer or simpler parts")
    return conditions.dialect.sql(condition)
