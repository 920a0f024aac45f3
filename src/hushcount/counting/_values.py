"""Typed values inside a predicate: the common type of several, and how a message speaks of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any

from hushcount.counting import _nodes as n
from hushcount.counting import _types as t
from hushcount.counting._moments import read_date, read_timestamp
from hushcount.counting._types import ColumnType, Kind
from hushcount.errors import PredicateRefused

__all__ = ["Value", "common_type", "instant", "mismatch", "moment_of", "said"]

_LITERALS = (n.Number, n.Text, n.Truth, n.Moment)
_MIDNIGHT = datetime.min.time()


@dataclass(frozen=True)
class Value:
    """A compiled part: its type, its expression, and the literal it is, if it is one; `nan` if it may hold NaN."""

    type: ColumnType
    expression: Any
    literal: n.Node | None = None
    nan: bool = False

    @property
    def kind(self) -> Kind:
        return self.type.kind


def common_type(nodes: Sequence[n.Node], values: Sequence[Value]) -> ColumnType:
    known = [value for value in values if value.kind is not Kind.UNKNOWN]
    if not known:
        return t.UNKNOWN
    if all(value.type.numeric or isinstance(value.literal, n.Number) for value in known):
        return _common_number(known)
    kinds = {value.kind for value in known}
    if len(kinds) == 1 and (kinds != {Kind.TIMESTAMP} or len({value.type.zoned for value in known}) == 1):
        return known[0].type
    texts = [value for value in known if value.kind is Kind.TEXT]
    if kinds <= {Kind.DATE, Kind.TIMESTAMP, Kind.TEXT} and all(value.literal is not None for value in texts):
        zoned = any(value.type.zoned for value in known)
        return replace(t.TIMESTAMP, zoned=zoned) if Kind.TIMESTAMP in kinds else t.DATE
    first = next(at for at, value in enumerate(values) if value.kind is not Kind.UNKNOWN)
    other = next(at for at, value in enumerate(values) if value.kind not in (Kind.UNKNOWN, values[first].kind))
    raise PredicateRefused(
        f"{said(nodes[first], values[first])} and {said(nodes[other], values[other])} do not go together"
    )


def _common_number(values: Sequence[Value]) -> ColumnType:
    """An exact type that holds all of them if there is one of up to 38 digits, else double."""
    if any(value.kind is Kind.DOUBLE and not isinstance(value.literal, n.Number) for value in values):
        return t.DOUBLE
    whole, scale, fits = 0, 0, True
    for value in values:
        if isinstance(value.literal, n.Number):
            number, digits = value.literal.value, _digits_after_point(value.literal.value)
            low = high = int(number)
        else:
            low, high = (int(Fraction(end, 10**value.type.scale)) for end in (value.type.low, value.type.high))
            digits = value.type.scale
        fits = fits and t.INTEGER.low <= low and high <= t.INTEGER.high and digits == 0
        whole, scale = max(whole, len(str(max(abs(low), abs(high))))), max(scale, digits)
    if fits:
        return t.INTEGER
    return t.decimal(38, scale) if whole + scale <= 38 else t.DOUBLE


def _digits_after_point(number: Fraction) -> int:
    digits = 0
    while number.denominator != 1 and digits <= 38:
        number, digits = number * 10, digits + 1
    return digits


def instant(moment: date) -> datetime:
    return moment if isinstance(moment, datetime) else datetime.combine(moment, _MIDNIGHT)


def moment_of(text: str, kind: ColumnType) -> date:
    found = read_date(text) if kind.kind is Kind.DATE else read_timestamp(text)
    if isinstance(found, datetime) and found.tzinfo is not None:
        try:
            found = found.astimezone(UTC).replace(tzinfo=None) if kind.zoned else None
        except OverflowError:
            found = None
    if found is None:
        shape = "'YYYY-MM-DD'" if kind.kind is Kind.DATE else "'YYYY-MM-DD hh:mm:ss'"
        raise PredicateRefused(f"{text[:60]!r} is compared with a {kind.kind.value}, so it must be written as {shape}")
    return found


def said(node: n.Node, value: Value) -> str:
    if isinstance(node, n.Column):
        return f"column {node.name!r} ({value.kind.value})"
    if isinstance(node, _LITERALS):
        return f"the literal {_spelled(node)}"
    return f"an expression of type {value.kind.value}"


def _spelled(literal: n.Node) -> str:
    match literal:
        case n.Number(_, text):
            return text[:60]
        case n.Text(value):
            return repr(value[:60])
        case n.Moment(value):
            return repr(str(value))
        case n.Truth(value):
            return str(value).upper()
    return type(literal).__name__


def mismatch(node: n.Node, value: Value, literal: n.Node) -> PredicateRefused:
    hint = ""
    if value.kind is Kind.TEXT and isinstance(literal, n.Number):
        hint = "; texts are compared with a quoted literal"
    elif value.type.numeric and isinstance(literal, n.Text):
        hint = "; numbers are compared with a literal without quotes"
    return PredicateRefused(f"{said(node, value)} cannot be compared with {_spelled(literal)}{hint}")
