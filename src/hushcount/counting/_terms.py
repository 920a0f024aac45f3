"""The parts of a predicate that have a value, as typed Ibis expressions that cannot fail on any row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from hushcount.counting import _nodes as n
from hushcount.counting import _types as t
from hushcount.counting._common import common_type
from hushcount.counting._floats import meant
from hushcount.counting._types import ColumnType, Kind
from hushcount.counting._values import Value, instant, moment_of, said
from hushcount.errors import PredicateRefused

if TYPE_CHECKING:
    from ibis.expr.types import Table

__all__ = ["Terms"]


class Terms(ABC):
    """Compiles terms over `table`, whose columns have the given types; conditions inside them are left to a subclass.

    Every method raises `PredicateRefused` where the types do not fit.
    """

    def __init__(self, table: Table, types: Mapping[str, ColumnType]) -> None:
        import ibis

        self.ibis: Any = ibis
        self._table = table
        self._types = types
        # By identity: the tree lives as long as this object. Without it a comparison would compile its sides twice, and
        # those theirs, and so on.
        self._known: dict[int, Value] = {}

    @abstractmethod
    def filter(self, node: n.Node, negated: bool = False) -> Any:
        """A boolean that is true exactly where the condition `node` is (or, `negated`, where it is false)."""

    @abstractmethod
    def test(self, node: n.Node) -> Any:
        """A boolean that is true, false or NULL as the test `node` is."""

    def value(self, node: n.Node) -> Value:
        """`node` as a typed value."""
        if id(node) not in self._known:
            self._known[id(node)] = self._value(node)
        return self._known[id(node)]

    def _value(self, node: n.Node) -> Value:
        match node:
            case n.Column(name):
                kind = self._types[name]
                return Value(kind, self._table[name], nan=kind.kind is Kind.DOUBLE)
            case n.Number() | n.Text() | n.Truth() | n.Moment():
                return self._literal(node)
            case n.Arithmetic(operator, left, right):
                return self._calculated(operator, left, right)
            case n.Negate(operand):
                return self._calculated("-", operand)
            case n.Call(name, arguments):
                return self._call(name, arguments)
            case n.Extract(part, operand):
                return self._extract(part, operand)
            case n.Case(branches, otherwise):
                return self._case(branches, otherwise)
        return Value(t.BOOLEAN, self.test(node))

    def missing(self, kind: ColumnType) -> Value:
        """A value of a type that is missing from every row; the type is the one it has where there are values."""
        return Value(kind, self.null(kind))

    def null(self, kind: ColumnType) -> Any:
        """NULL of a type."""
        return self.ibis.null(kind.ibis)

    def typed(self, text: str, kind: str) -> Any:
        """A literal of a type, written as text: the engine would round a bare 0.1 twice on its way to a double."""
        return self.ibis.literal(text).cast(kind)

    def double(self, number: Fraction) -> Any:
        """A number literal as the nearest double."""
        return self.typed(repr(float(number)), "float64")

    def text(self, text: str) -> Any:
        """A text literal."""
        return self.ibis.literal(text)

    def like(self, text: Any, pattern: str) -> Any:
        """Whether a text is like a pattern, in which nothing but % and _ is special."""
        return text.like(pattern)

    def in_case(self, text: Any, case: str) -> Any:
        """A text in lower or upper case: character by character, as Unicode's simple mapping says."""
        return getattr(text, case)()

    def trimmed(self, text: Any) -> Any:
        """A text without spaces at its ends; Ibis's strip() takes tabs and line breaks as well."""
        return text.re_replace("^ +| +$", "")

    def part_of(self, moment: Any, part: str, kind: ColumnType) -> Any:
        """Year, month or day of a date or timestamp; NULL of an infinite one. The year before 1 is 0."""
        return getattr(moment, part)()

    def midnight(self, day: Any) -> Any:
        """The timestamp at which a date begins; NULL for a date after the year 294,000, never a failure."""
        return day.try_cast(t.TIMESTAMP.ibis)

    def step(self, kind: ColumnType, steps: int) -> Any:
        """A literal of an integer or decimal type, given in units of its last digit."""
        if "int" in kind.ibis:
            return self.ibis.literal(steps, type=kind.ibis)
        digits = str(abs(steps)).rjust(kind.scale + 1, "0")
        point = len(digits) - kind.scale
        return self.typed(f"{'-' if steps < 0 else ''}{digits[:point]}.{digits[point:]}", kind.ibis)

    def exact(self, kind: ColumnType, literal: n.Number) -> Any:
        """A literal in an integer or decimal type that holds it."""
        if kind == t.NUMERIC:
            return self.typed(f"{Decimal(literal.text):f}", kind.ibis)
        return self.step(kind, int(literal.value * 10**kind.scale))

    def as_double(self, value: Value) -> Any:
        """An integer or decimal as the nearest double."""
        return value.expression.cast("float64")

    def clean(self, value: Value) -> Value:
        """The value with NaN turned into NULL."""
        if not value.nan:
            return value
        # Not NULLIF: DuckDB takes NULLIF(x, NaN) = NULLIF(x, NaN) for x IS NOT NULL, which is true of NaN.
        kept = self.ibis.cases((value.expression.isnan(), self.null(value.type)), else_=value.expression)
        return replace(value, expression=kept, nan=False)

    def of_kind(self, node: n.Node, kind: Kind, user: str) -> Value:
        """`node` as a value of one kind, or without any."""
        value = self.value(node)
        if value.kind not in (kind, Kind.UNKNOWN):
            raise PredicateRefused(f"{said(node, value)} is not {kind.value}, which {user} needs")
        return value

    def unified(self, nodes: Sequence[n.Node]) -> tuple[ColumnType, list[Any]]:
        """The common type of several parts, and each part in it; NaN is turned into NULL."""
        values = [self.clean(self.value(node)) for node in nodes]
        kind = common_type(nodes, values)
        return kind, [self._turned(value, kind) for value in values]

    def _turned(self, value: Value, kind: ColumnType) -> Any:
        if value.kind is Kind.UNKNOWN:
            return self.null(kind)
        if isinstance(value.literal, n.Number):
            if kind.kind is Kind.DOUBLE:
                return self.double(Fraction(meant(value.literal, kind.format)[0]))
            return self.exact(kind, value.literal)
        if value.turned is not None and kind.numeric:
            return value.turned(kind)
        if isinstance(value.literal, n.Text) and kind.temporal:
            moment = moment_of(value.literal.value, kind)
            return self.typed(str(moment if kind.kind is Kind.DATE else instant(moment)), kind.ibis)
        if kind.kind is Kind.TIMESTAMP and value.kind is Kind.DATE:
            return self.midnight(value.expression)
        if kind.numeric and value.type.ibis != kind.ibis:
            is_rounded = kind.kind is Kind.DOUBLE
            return self.as_double(value) if is_rounded else value.expression.cast(kind.ibis)
        return value.expression

    def _literal(self, node: n.Node) -> Value:
        match node:
            case n.Number(value):
                whole = value.denominator == 1 and t.INTEGER.low <= value <= t.INTEGER.high
                expression = self.step(t.INTEGER, int(value)) if whole else self.double(value)
                return Value(t.INTEGER if whole else t.DOUBLE, expression, node, numbers=(node,))
            case n.Text(text):
                return Value(t.TEXT, self.text(text), node)
            case n.Moment(moment):
                kind = t.TIMESTAMP if isinstance(moment, datetime) else t.DATE
                return Value(kind, self.typed(str(moment), kind.ibis), node)
            case n.Truth(bool(truth)):
                return Value(t.BOOLEAN, self.ibis.literal(truth), node)
        return replace(self.missing(t.UNKNOWN), literal=node)

    def _number(self, node: n.Node) -> Any:
        """`node` as a double, or None if it is missing; NaN is left in, since it passes through arithmetic."""
        value = self.value(node)
        if value.kind is Kind.UNKNOWN:
            return None
        if not value.type.numeric:
            raise PredicateRefused(f"{said(node, value)} is not a number, so it cannot be calculated with")
        if isinstance(value.literal, n.Number):
            return self.double(value.literal.value)
        return value.expression if value.kind is Kind.DOUBLE else self.as_double(value)

    def _calculated(self, operation: str, *operands: n.Node) -> Value:
        numbers = [self._number(operand) for operand in operands]
        if any(number is None for number in numbers):
            return self.missing(t.DOUBLE)
        match operation, *numbers:
            case "abs", number:
                result = number.abs()
            case "-", number:
                result = -number
            case "+", left, right:
                result = left + right
            case "-", left, right:
                result = left - right
            case "*", left, right:
                result = left * right
            case "/", left, right:
                result = left / right.nullif(self.double(Fraction(0)))
            case _, left, right:
                result = left % right
        return Value(t.DOUBLE, result, nan=True)

    def _call(self, name: str, arguments: Sequence[n.Node]) -> Value:
        if name == "coalesce":
            return self._chosen(arguments, lambda parts: self.ibis.coalesce(*parts))
        if name == "abs":
            return self._calculated("abs", arguments[0])
        value = self.of_kind(arguments[0], Kind.TEXT, f"{name}()")
        kind = t.INTEGER if name == "length" else t.TEXT
        if value.kind is Kind.UNKNOWN:
            return self.missing(kind)
        match name:
            case "length":
                return Value(kind, value.expression.length())
            case "trim":
                return Value(kind, self.trimmed(value.expression))
        return Value(kind, self.in_case(value.expression, name))

    def _extract(self, part: str, operand: n.Node) -> Value:
        value = self.value(operand)
        if value.kind is Kind.UNKNOWN:
            return self.missing(t.INTEGER)
        if not value.type.temporal:
            raise PredicateRefused(f"{said(operand, value)} is not a date, so extract({part} ...) has no meaning")
        return Value(t.INTEGER, self.part_of(value.expression, part, value.type))

    def _case(self, branches: Sequence[tuple[n.Node, n.Node]], otherwise: n.Node) -> Value:
        conditions = [self.filter(when) for when, _ in branches]
        return self._chosen(
            [*(then for _, then in branches), otherwise],
            lambda parts: self.ibis.cases(*zip(conditions, parts[:-1], strict=True), else_=parts[-1]),
        )

    def _chosen(self, nodes: Sequence[n.Node], choose: Callable[[list[Any]], Any]) -> Value:
        """One of several parts, which `choose` picks from their expressions in one type."""
        kind, parts = self.unified(nodes)
        known = [value for value in map(self.value, nodes) if value.kind is not Kind.UNKNOWN]
        numbers = [number for value in known for number in value.numbers or ()]
        if not known or any(value.numbers is None for value in known):
            return Value(kind, choose(parts))
        return Value(
            kind,
            choose(parts),
            numbers=tuple(numbers),
            turned=lambda other: choose([self._turned(self.value(node), other) for node in nodes]),
        )
