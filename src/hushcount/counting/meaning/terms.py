"""The parts of a predicate that have a value, as typed expressions that cannot fail on any row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.common import common_type
from hushcount.counting.meaning.expression import Dialect, Expression, call, cases, column, constant, null, truth
from hushcount.counting.meaning.floats import meant
from hushcount.counting.meaning.types import ColumnType, Kind
from hushcount.counting.meaning.values import Value, if_dates, if_labels, if_missing, instant, moment_of, said
from hushcount.counting.predicate import nodes as n
from hushcount.errors import PredicateRefused

__all__ = ["Terms"]


class Terms(ABC):
    """Compiles terms over columns of the given types; conditions inside them are left to a subclass.

    Every method raises `PredicateRefused` where the types do not fit.

    Attributes:
        dialect: the dialect of the engine.
        backslash: a backslash in a pattern, where it stands for itself.
    """

    dialect = Dialect("duckdb")
    backslash = "\\"

    def __init__(self, types: Mapping[str, ColumnType]) -> None:
        self._types = types
        # By identity, with the node, which must live as long as its number is that of no other. Without it a comparison
        # would compile its sides twice, and those theirs, and so on.
        self._known: dict[int, tuple[n.Node, Value]] = {}

    @abstractmethod
    def filter(self, node: n.Node, negated: bool = False) -> Expression:
        """Return a boolean that is true exactly where the condition `node` is (or, `negated`, where it is false)."""

    @abstractmethod
    def test(self, node: n.Node) -> Expression:
        """Return a boolean that is true, false or NULL as the test `node` is."""

    def value(self, node: n.Node) -> Value:
        """Return `node` as a typed value."""
        if id(node) not in self._known:
            self._known[id(node)] = node, self._value(node)
        return self._known[id(node)][1]

    def _value(self, node: n.Node) -> Value:
        match node:
            case n.Column(name):
                kind = self._types[name]
                return Value(kind, column(name), nan=kind.kind is Kind.DOUBLE)
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
        """Return a value of a type that is missing from every row; the type is the one it has where there are
        values."""
        return Value(kind, null(kind))

    def double(self, number: Fraction) -> Expression:
        """Return a number literal as the nearest double."""
        return constant(repr(float(number)), t.DOUBLE)

    def text(self, text: str) -> Expression:
        """Return a text literal."""
        return constant(text, t.TEXT)

    def like(self, text: Expression, pattern: str) -> Expression:
        """Return whether a text is like a pattern, in which nothing but % and _ is special."""
        return call("LIKE", text, self.text(pattern.replace("\\", self.backslash)))

    def in_case(self, text: Expression, case: str) -> Expression:
        """Return a text in lower or upper case: character by character, as Unicode's simple mapping says."""
        return call(case.upper(), text)

    def trimmed(self, text: Expression) -> Expression:
        """Return a text without spaces at its ends; tabs and line breaks stay."""
        return call("TRIM", text)

    def part_of(self, moment: Expression, part: str, kind: ColumnType) -> Expression:
        """Return the year, month or day of a date or timestamp; NULL of an infinite one. The year before 1 is 0."""
        return call(part.upper(), moment)

    def midnight(self, day: Expression) -> Expression:
        """Return the timestamp at which a date begins; NULL for a date after the year 294,000, never a failure."""
        return day.try_cast(t.TIMESTAMP)

    def step(self, kind: ColumnType, steps: int) -> Expression:
        """Return a literal of an integer or decimal type, given in units of its last digit."""
        return constant(f"{Decimal(f'{steps}e-{kind.scale}'):f}", kind)

    def exact(self, kind: ColumnType, number: n.Number) -> Expression:
        """Return a literal in an integer or decimal type that holds it."""
        if kind == t.NUMERIC:
            return constant(f"{Decimal(number.text):f}", kind)
        return self.step(kind, int(number.value * 10**kind.scale))

    def as_double(self, value: Value) -> Expression:
        """Return an integer or decimal as the nearest double."""
        return value.expression.cast(t.DOUBLE)

    def is_nan(self, number: Expression) -> Expression:
        """Return whether a double is NaN; anything but true where it is NULL."""
        return call("ISNAN", number)

    def clean(self, value: Value) -> Value:
        """Return the value with NaN turned into NULL."""
        if not value.nan:
            return value
        # Not NULLIF: DuckDB takes NULLIF(x, NaN) = NULLIF(x, NaN) for x IS NOT NULL, which is true of NaN.
        kept = cases([(self.is_nan(value.expression), null(value.type))], value.expression)
        return replace(value, expression=kept, nan=False)

    def of_kind(self, node: n.Node, kind: Kind, user: str) -> Value:
        """Return `node` as a value of one kind, or without any."""
        value = self.value(node)
        if value.kind not in (kind, Kind.UNKNOWN):
            hint = if_labels(node, value.type) if kind is Kind.TEXT else ""
            raise PredicateRefused(f"{said(node, value)} is not {kind.value}, which {user} needs{hint}")
        return value

    def unified(self, nodes: Sequence[n.Node]) -> tuple[ColumnType, list[Expression]]:
        """Return the common type of several parts, and each part in it; NaN is turned into NULL."""
        values = [self.clean(self.value(node)) for node in nodes]
        kind = common_type(nodes, values)
        return kind, [self._turned(value, kind) for value in values]

    def _turned(self, value: Value, kind: ColumnType) -> Expression:
        if value.kind is Kind.UNKNOWN:
            return null(kind)
        if isinstance(value.literal, n.Number):
            if kind.kind is Kind.DOUBLE:
                return self.double(Fraction(meant(value.literal, kind.format)[0]))
            return self.exact(kind, value.literal)
        if value.turned is not None and kind.numeric:
            return value.turned(kind)
        if isinstance(value.literal, n.Text) and kind.temporal:
            moment = moment_of(value.literal.value, kind)
            return constant(str(moment if kind.kind is Kind.DATE else instant(moment)), kind)
        if kind.kind is Kind.TIMESTAMP and value.kind is Kind.DATE:
            return self.midnight(value.expression)
        if kind.numeric and value.type.sql != kind.sql:
            is_rounded = kind.kind is Kind.DOUBLE
            return self.as_double(value) if is_rounded else value.expression.cast(kind)
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
                return Value(kind, constant(str(moment), kind), node)
            case n.Truth(bool(is_true)):
                return Value(t.BOOLEAN, truth(is_true), node)
        return replace(self.missing(t.UNKNOWN), literal=node)

    def _number(self, node: n.Node) -> Expression | None:
        """Return `node` as a double, or None if it is missing; NaN is left in, since it passes through arithmetic."""
        value = self.value(node)
        if value.kind is Kind.UNKNOWN:
            return None
        if not value.type.numeric:
            hint = if_missing(value.type)
            raise PredicateRefused(f"{said(node, value)} is not a number, so it cannot be calculated with{hint}")
        if isinstance(value.literal, n.Number):
            return self.double(value.literal.value)
        return value.expression if value.kind is Kind.DOUBLE else self.as_double(value)

    def _calculated(self, operation: str, *operands: n.Node) -> Value:
        numbers = [self._number(operand) for operand in operands]
        found = [number for number in numbers if number is not None]
        if len(found) < len(numbers):
            return self.missing(t.DOUBLE)
        match operation, found:
            case "abs", [number]:
                result = abs(number)
            case "-", [number]:
                result = -number
            case "/", [left, right]:
                result = left / call("NULLIF", right, self.double(Fraction(0)))
            case _:
                result = call(operation, *found)
        return Value(t.DOUBLE, result, nan=True)

    def _call(self, name: str, arguments: Sequence[n.Node]) -> Value:
        if name == "coalesce":
            return self._chosen(arguments, lambda parts: call("COALESCE", *parts))
        if name == "abs":
            return self._calculated("abs", arguments[0])
        value = self.of_kind(arguments[0], Kind.TEXT, f"{name}()")
        kind = t.INTEGER if name == "length" else t.TEXT
        if value.kind is Kind.UNKNOWN:
            return self.missing(kind)
        match name:
            case "length":
                return Value(kind, call("LENGTH", value.expression))
            case "trim":
                return Value(kind, self.trimmed(value.expression))
        return Value(kind, self.in_case(value.expression, name))

    def _extract(self, part: str, operand: n.Node) -> Value:
        value = self.value(operand)
        if value.kind is Kind.UNKNOWN:
            return self.missing(t.INTEGER)
        if not value.type.temporal:
            hint = if_dates(operand, value.type)
            raise PredicateRefused(f"{said(operand, value)} is not a date, so {part}(...) has no meaning{hint}")
        return Value(t.INTEGER, self.part_of(value.expression, part, value.type))

    def _case(self, branches: Sequence[tuple[n.Node, n.Node]], otherwise: n.Node) -> Value:
        conditions = [self.filter(when) for when, _ in branches]
        return self._chosen(
            [*(then for _, then in branches), otherwise],
            lambda parts: cases(list(zip(conditions, parts[:-1], strict=True)), parts[-1]),
        )

    def _chosen(self, nodes: Sequence[n.Node], choose: Callable[[list[Expression]], Expression]) -> Value:
        """Return one of several parts, which `choose` picks from their expressions in one type."""
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
