"""The one type of several parts that are compared with each other, or one of which is chosen.

Where the data showed a type, the answer must not depend on which row showed it. So the predicate fixes numbers, texts,
times or booleans, and among numbers a double stands in for an integer only where it holds it exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.floats import meant
from hushcount.counting.meaning.text_limits import joined
from hushcount.counting.meaning.types import EXACT_IN_DOUBLE, ColumnType, Kind
from hushcount.counting.meaning.values import Value, apart, needs_time, said
from hushcount.counting.predicate import nodes as n
from hushcount.errors import BadData, PredicateRefused

__all__ = ["common_type"]


def common_type(nodes: Sequence[n.Node], values: Sequence[Value]) -> ColumnType:
    """Return the type that holds all of the values.

    Raises:
        PredicateRefused: there is none.
        BadData: integers beyond 2**53 would be rounded because some other row holds a fraction.
    """
    loose = any(value.type.loose for value in values)
    pairs = [(node, value) for node, value in zip(nodes, values, strict=True) if value.kind is not Kind.UNKNOWN]
    if not pairs:
        return replace(t.UNKNOWN, loose=loose)
    known = [value for _, value in pairs]
    kind = _common_number(pairs, loose) if all(value.type.numeric for value in known) else _common_other(pairs)
    return replace(kind, open=all(value.type.open for value in known), loose=loose)


def _common_other(pairs: Sequence[tuple[n.Node, Value]]) -> ColumnType:
    known = [value for _, value in pairs]
    kinds = {value.kind for value in known}
    zoned = any(value.type.zoned for value in known)
    if kinds == {Kind.TEXT}:
        literals = [value.literal.value for value in known if isinstance(value.literal, n.Text)]
        return joined([value.type for value in known if not isinstance(value.literal, n.Text)], literals)
    if len(kinds) == 1:
        return replace(known[0].type, zoned=zoned)
    texts = [(node, value) for node, value in pairs if value.kind is Kind.TEXT]
    if kinds <= {Kind.DATE, Kind.TIMESTAMP, Kind.TEXT} and all(value.literal is not None for _, value in texts):
        times = [(node, value) for node, value in pairs if value.type.temporal]
        if texts and all(value.type.open for _, value in times):
            raise needs_time(*times[0], texts[0][0])
        return replace(t.TIMESTAMP, zoned=zoned) if Kind.TIMESTAMP in kinds else t.DATE
    first = pairs[0]
    other = next(pair for pair in pairs if pair[1].kind is not first[1].kind)
    raise apart(*first, *other)


def _common_number(pairs: Sequence[tuple[n.Node, Value]], loose: bool) -> ColumnType:
    """Return an exact type of up to 38 digits that holds all of them if there is one, else double."""
    literals = [literal for _, value in pairs for literal in value.numbers or ()]
    parts = [(node, value) for node, value in pairs if value.numbers is None]
    whole = next((part for part in parts if part[1].type == t.WHOLE and not part[1].type.large), None)
    if whole is not None:
        return _common_whole(whole, pairs)
    if any(value.kind is Kind.DOUBLE and not value.type.loose for _, value in parts):
        return _floating([value.type for _, value in parts], literals)
    beyond = [literal for literal in literals if abs(literal.value) > EXACT_IN_DOUBLE]
    large = [node for node, value in parts if value.type.large]
    # Among loose numbers a fraction makes a double whatever they are: a decimal has no room beside 38 digits
    fractions = any(literal.value.denominator != 1 for literal in literals) or any(v.type.scale for _, v in parts)
    exact = None
    if not (loose and fractions) and all(value.type.exact for _, value in parts):
        exact = _exact_type([value for _, value in pairs])
    if exact is not None:
        return replace(exact, large=bool(beyond or large))
    if not loose and parts and all(value.type.exact for _, value in parts):
        raise PredicateRefused(
            f"{said(*parts[0])} and what it is used with need more than 38 digits together; write + 0 to "
            "take it as a double"
        )
    if loose and large:
        names = ", ".join(repr(name) for name in n.column_names(large[0])) or "of the predicate"
        raise BadData(
            f"column {names} is used with fractions here and holds integers beyond 2**53, which would be rounded; "
            f"pin its type as number (or text)"
        )
    if loose and beyond:
        raise PredicateRefused(
            f"{beyond[0].text[:60]} cannot stand in for a value of a column whose type only the data show: it is "
            "beyond 2**53; pin the type of the column"
        )
    return _floating([value.type for _, value in parts], literals)


def _floating(kinds: Sequence[ColumnType], literals: Sequence[n.Number]) -> ColumnType:
    """Return double, in the format of all parts that are not literals; the literals mean numbers of that format."""
    bits = max((kind.bits for kind in kinds), default=t.DOUBLE.bits)  # all other numbers have those of a double
    wanted = replace(t.DOUBLE, bits=bits)
    for literal in literals:
        if meant(literal, wanted.format)[1] != 0:
            raise PredicateRefused(
                f"{literal.text[:60]} cannot stand in for a value of a floating-point column, which has no such number"
            )
    return wanted


def _common_whole(whole: tuple[n.Node, Value], pairs: Sequence[tuple[n.Node, Value]]) -> ColumnType:
    """Return the whole numbers that a declaration makes of any size, which nothing but whole numbers can meet
    unrounded."""
    if not all(value.type.exact or value.numbers is not None for _, value in pairs) or (
        _exact_type([value for _, value in pairs]) is None
    ):
        raise PredicateRefused(
            f"{said(*whole)} may be any whole number of up to 38 digits, and what it is used with here would round it; "
            "write + 0 to take it as a double"
        )
    return t.WHOLE


def _exact_type(values: Sequence[Value]) -> ColumnType | None:
    if any(value.type == t.NUMERIC for value in values):
        return t.NUMERIC
    whole, scale, fits, is_huge = 0, 0, True, any(value.type == t.HUGE for value in values)
    for value in values:
        if value.numbers is not None:
            ends = [literal.value for literal in value.numbers]
            digits = max(map(_digits_after_point, ends))
        else:
            ends = [Fraction(end, 10**value.type.scale) for end in (value.type.low, value.type.high)]
            digits = value.type.scale
        is_huge = is_huge and t.HUGE.low <= min(ends) and max(ends) <= t.HUGE.high and digits == 0
        fits = fits and t.INTEGER.low <= min(ends) and max(ends) <= t.INTEGER.high and digits == 0
        whole, scale = max(whole, *(len(str(int(abs(end)))) for end in ends)), max(scale, digits)
    if fits:
        return t.INTEGER
    if is_huge:
        return t.HUGE
    return t.decimal(38, scale) if whole + scale <= 38 else None


def _digits_after_point(number: Fraction) -> int:
    digits = 0
    while number.denominator != 1 and digits <= 38:
        number, digits = number * 10, digits + 1
    return digits
