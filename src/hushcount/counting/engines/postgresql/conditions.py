"""Predicates put to PostgreSQL so that its answers follow the one rule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from hushcount.counting.engines.postgresql.arithmetic import Operand, added, divided, multiplied
from hushcount.counting.engines.postgresql.reach import ANY, LOWEST, TO_INFINITY, Reach, reach_of
from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.case_mapping import case_mapping
from hushcount.counting.meaning.conditions import Conditions
from hushcount.counting.meaning.expression import Dialect, Expression, call, cases, constant, null
from hushcount.counting.meaning.types import ColumnType, Kind
from hushcount.counting.meaning.values import Value, said
from hushcount.counting.predicate import nodes as n
from hushcount.errors import PredicateRefused

__all__ = ["PostgresqlConditions"]

_ROUNDED_UP = 2**63 - 512
_LAST_MIDNIGHT = "294247-01-10"
"""Of the last day that begins within what DuckDB's timestamps hold; PostgreSQL's go on for thirty years."""


@dataclass(frozen=True)
class Calculated(Value):
    """A double that was calculated, and how small and large it can be."""

    reach: Reach = ANY


class PostgresqlConditions(Conditions):
    """What PostgreSQL does otherwise, corrected, or refused where that is impossible."""

    dialect = Dialect("postgres", {"DOUBLE": "DOUBLE PRECISION"}, collation=' COLLATE "C"')
    backslash = "\\\\"

    def text(self, text: str) -> Expression:
        if "\0" in text:
            raise PredicateRefused("a text of PostgreSQL cannot hold the character NUL")
        return super().text(text)

    def is_nan(self, number: Expression) -> Expression:
        return number.equals(constant("NaN", t.DOUBLE))

    def in_case(self, text: Expression, case: str) -> Expression:
        mapped = call("TRANSLATE", text, *map(self.text, case_mapping(case)))
        if text.form != "COLUMN":  # which would be written three times here, and its parts in turn
            return mapped
        # Of ASCII alone, which is most texts, "C" makes the same by itself, a hundred times faster
        is_ascii = call("OCTET_LENGTH", text).equals(call("LENGTH", text))
        return cases([(is_ascii, super().in_case(text, case))], mapped)

    def spelled(self, value: Expression, kind: ColumnType) -> Expression:
        text = super().spelled(value, kind)
        if kind.kind is Kind.DATE:
            return call("REPLACE", text, self.text(" BC"), self.text(" (BC)"))
        return call("WITHOUT LAST ZEROS", text) if kind == t.NUMERIC else text  # equal ones may have more or fewer

    def digest(self, text: Expression) -> Expression:
        return call("SHA256 OF UTF8", text)

    def part_of(self, moment: Expression, part: str, kind: ColumnType) -> Expression:
        finite = (moment > constant("-infinity", kind)) & (moment < constant("infinity", kind))
        found = super().part_of(moment, part, kind)
        if part == "year":  # here the year before 1 is -1
            found = cases([(found < self.step(t.INTEGER, 0), found + self.step(t.INTEGER, 1))], found)
        return cases([(finite, found)], null(t.INTEGER)).cast(t.INTEGER)

    def midnight(self, day: Expression) -> Expression:
        held = (day <= constant(_LAST_MIDNIGHT, t.DATE)) | day.equals(constant("infinity", t.DATE))
        return cases([(held, day.cast(t.TIMESTAMP))], null(t.TIMESTAMP))

    def as_double(self, value: Value) -> Expression:
        number = super().as_double(value)
        if value.type != t.NUMERIC:
            return number
        # PostgreSQL stops where the nearest double is infinity, or 0 of what is not 0
        size, zero = abs(value.expression), self.step(t.NUMERIC, 0)
        to_zero = self.step(replace(t.NUMERIC, scale=1 - LOWEST), 5 ** (1 - LOWEST))  # 2**(LOWEST - 1)
        branches = [
            (size <= to_zero, self.double(Fraction(0))),
            (size < self.step(t.NUMERIC, int(TO_INFINITY)), number),
            (value.expression > zero, constant("inf", t.DOUBLE)),
            (value.expression < zero, constant("-inf", t.DOUBLE)),
        ]
        return cases(branches, null(t.DOUBLE))

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
                result = Operand(abs(a.expression), a.reach)
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
        return Calculated(t.DOUBLE, result.expression, nan=True, reach=result.reach)

    def _operand(self, node: n.Node) -> Operand | None:
        expression = self._number(node)
        if expression is None:
            return None
        value = self.value(node)
        if isinstance(value.literal, n.Number):
            literal = float(value.literal.value)
            return Operand(expression, _reach_of_literal(literal), literal)
        if isinstance(value, Calculated):
            return Operand(expression, value.reach)
        # What is chosen from several doubles may be any
        is_chosen = value.kind is Kind.DOUBLE and not isinstance(node, n.Column)
        return Operand(expression, ANY if is_chosen else reach_of(value.type))

    def _remainder(self, left: n.Node, right: n.Node) -> Value:
        """Return the remainder of a double that is a whole number, which PostgreSQL can divide exactly only as an
        integer."""
        value, divisor = self.value(left), self.value(right).literal
        if value.kind is Kind.UNKNOWN:
            return self.missing(t.DOUBLE)
        assert isinstance(divisor, n.Number)
        if value.kind is not Kind.INTEGER or divisor.value.denominator != 1 or abs(divisor.value) > t.EXACT_IN_DOUBLE:
            raise PredicateRefused(
                f"PostgreSQL has no remainder in double precision, so % takes an integer column and a whole number "
                f"there, not {said(left, value)} and {divisor.text[:60]}"
            )
        by = self.step(t.INTEGER, int(divisor.value))
        whole = value.expression.cast(t.INTEGER)
        rest = (whole.cast(t.DOUBLE).cast(t.INTEGER) % by).cast(t.DOUBLE)
        # The largest integers are 2**63 as doubles, which no integer is
        end = self.double(Fraction(2**63 % abs(int(divisor.value))))
        rounded_up = whole >= self.step(t.INTEGER, _ROUNDED_UP)
        return Calculated(t.DOUBLE, cases([(rounded_up, end)], rest), reach=Reach(0, 54))


def _reach_of_literal(number: float) -> Reach:
    numerator, denominator = number.as_integer_ratio()
    high = Fraction(abs(numerator), denominator)
    return Reach(-(denominator.bit_length() - 1), (high.numerator // high.denominator).bit_length())
