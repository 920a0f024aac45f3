"""Predicates as PostgreSQL has to be asked them, so that its answers are those of the one rule."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import ibis
from ibis.backends.sql.compilers.postgres import PostgresCompiler
from ibis.expr.operations import Field
from ibis.expr.operations import Node as Operation
from sqlglot import exp

from hushcount.counting import _nodes as n
from hushcount.counting import _types as t
from hushcount.counting._case_mapping import case_mapping
from hushcount.counting._compile import Conditions
from hushcount.counting._postgresql_arithmetic import Operand, added, divided, multiplied
from hushcount.counting._reach import ANY, LOWEST, TO_INFINITY, Reach, reach_of
from hushcount.counting._spelling import spelled
from hushcount.counting._types import ColumnType, Kind
from hushcount.counting._values import Value, said
from hushcount.errors import PredicateRefused

__all__ = ["PostgresqlConditions", "postgresql_sql"]

_ROUNDED_UP = 2**63 - 512
_LAST_MIDNIGHT = "294247-01-10"
"""Of the last day that begins within what DuckDB's timestamps hold; PostgreSQL's go on for thirty years."""


class _CodePoints(PostgresCompiler):  # type: ignore[misc]
    """Ibis's compiler, but for texts, which compare by code points even where no column is among them."""

    def visit_NonNullLiteral(self, op: Operation, *, value: Any, dtype: Any) -> Any:  # noqa: N802
        if dtype.is_string():
            return exp.Collate(this=exp.Literal.string(value), expression=exp.to_identifier("C", quoted=True))
        return super().visit_NonNullLiteral(op, value=value, dtype=dtype)


@ibis.udf.scalar.builtin(name="octet_length")  # type: ignore[untyped-decorator]
def _octet_length(text: str) -> int:
    """The number of bytes of a text in UTF-8."""
    raise NotImplementedError  # PostgreSQL's own is called


def postgresql_sql(question: Any) -> str:
    """An Ibis table expression as PostgreSQL's SQL."""
    return spelled(_CodePoints(), question)


class PostgresqlConditions(Conditions):
    """What PostgreSQL does otherwise, put right; or refused where that cannot be done."""

    def text(self, text: str) -> Any:
        if "\0" in text:
            raise PredicateRefused("a text of PostgreSQL cannot hold the character NUL")
        return super().text(text)

    def like(self, text: Any, pattern: str) -> Any:
        self.text(pattern)
        return text.like(pattern.replace("\\", "\\\\"))

    def in_case(self, text: Any, case: str) -> Any:
        if not isinstance(text.op(), Field):  # which would be written three times here, and its parts in turn
            return text.translate(*case_mapping(case))
        # Of ASCII alone, which is most texts, "C" makes the same by itself, a hundred times faster
        is_ascii = _octet_length(text) == text.length()
        return self.ibis.cases((is_ascii, super().in_case(text, case)), else_=text.translate(*case_mapping(case)))

    def part_of(self, moment: Any, part: str, kind: ColumnType) -> Any:
        name = "date" if kind.kind is Kind.DATE else t.TIMESTAMP.ibis
        finite = (moment > self.typed("-infinity", name)) & (moment < self.typed("infinity", name))
        found = super().part_of(moment, part, kind)
        if part == "year":  # here the year before 1 is -1
            found = self.ibis.cases((found < 0, found + 1), else_=found)
        return self.ibis.cases((finite, found), else_=self.null(t.INTEGER)).cast("int64")

    def midnight(self, day: Any) -> Any:
        held = (day <= self.typed(_LAST_MIDNIGHT, "date")) | (day == self.typed("infinity", "date"))
        return self.ibis.cases((held, day.cast(t.TIMESTAMP.ibis)), else_=self.null(t.TIMESTAMP))

    def as_double(self, value: Value) -> Any:
        number = super().as_double(value)
        if value.type != t.NUMERIC:
            return number
        # PostgreSQL stops where the nearest double is infinity, or 0 of what is not 0
        size, zero = value.expression.abs(), self.step(t.NUMERIC, 0)
        to_zero = self.step(replace(t.NUMERIC, scale=1 - LOWEST), 5 ** (1 - LOWEST))  # 2**(LOWEST - 1)
        return self.ibis.cases(
            (size <= to_zero, self.double(Fraction(0))),
            (size < self.step(t.NUMERIC, int(TO_INFINITY)), number),
            (value.expression > zero, self.typed("inf", "float64")),
            (value.expression < zero, self.typed("-inf", "float64")),
        )

    def _calculated(self, operation: str, *operands: n.Node) -> Value:
        if operation == "%":
            return self._remainder(*operands)
        numbers = [self._operand(node) for node in operands]
        found = [number for number in numbers if number is not None]
        if len(found) < len(numbers):
            return self.missing(t.DOUBLE)
        a, *rest = found
        match operation, rest:
            case "abs", _:
                result = Operand(a.expression.abs(), a.reach)
            case "-", []:
                result = a.negated()
            case "+", [b]:
                result = added(a, b)
            case "-", [b]:
                result = added(a, b.negated())
            case "*", [b]:
                result = multiplied(a, b)
            case _:
                result = divided(a, rest[0])
        return Value(t.DOUBLE, result.expression, nan=True, reach=result.reach)

    def _operand(self, node: n.Node) -> Operand | None:
        expression = self._number(node)
        if expression is None:
            return None
        value = self.value(node)
        if isinstance(value.literal, n.Number):
            literal = float(value.literal.value)
            return Operand(expression, _reach_of_literal(literal), literal)
        if isinstance(node, n.Column):
            return Operand(expression, reach_of(value.type))
        return Operand(expression, value.reach or (ANY if value.kind is Kind.DOUBLE else reach_of(value.type)))

    def _remainder(self, left: n.Node, right: n.Node) -> Value:
        """Of a double that is a whole number, which PostgreSQL can divide exactly as an integer only."""
        value, divisor = self.value(left), self.value(right).literal
        if value.kind is Kind.UNKNOWN:
            return self.missing(t.DOUBLE)
        assert isinstance(divisor, n.Number)
        if value.kind is not Kind.INTEGER or divisor.value.denominator != 1 or abs(divisor.value) > t.EXACT_IN_DOUBLE:
            raise PredicateRefused(
                f"PostgreSQL has no remainder in double precision, so % takes an integer column and a whole number "
                f"there, not {said(left, value)} and {divisor.text[:60]}"
            )
        by = self.ibis.literal(int(divisor.value), type="int64")
        if isinstance(value.literal, n.Number):
            whole = self.ibis.literal(int(value.literal.value), type="int64")
        else:
            whole = value.expression.cast("int64")
        rest = (whole.cast("float64").cast("int64") % by).cast("float64")
        # The largest integers are 2**63 as doubles, which no integer is
        end = self.double(Fraction(2**63 % abs(int(divisor.value))))
        rounded_up = whole >= self.ibis.literal(_ROUNDED_UP, type="int64")
        return Value(t.DOUBLE, self.ibis.cases((rounded_up, end), else_=rest), reach=Reach(0, 54))


def _reach_of_literal(number: float) -> Reach:
    numerator, denominator = number.as_integer_ratio()
    high = Fraction(abs(numerator), denominator)
    return Reach(-(denominator.bit_length() - 1), (high.numerator // high.denominator).bit_length())
