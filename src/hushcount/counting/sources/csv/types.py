"""The type of a CSV column, from all of its values, by one stated rule.

What is missing is told field by field: the declared null spelling or nan (`MISSING`), without quotes. A type is taken
if every other value fits it, the first of these that does:

- integer: `[+-]` and digits without leading zeros, at most 38 of them (`007` is an identifier, so it makes text);
- number: also with a fraction or an exponent, within the range of a double, or one of inf, infinity; then no integer
  may be beyond 2**53, which a double would round;
- boolean: true or false; date: as declared; timestamp: ISO, with an offset on all values or on none;
- text otherwise. Spaces are part of a value. A column without any value is of unknown type.

A pinned or listed number may also be a quoted nan, and its integers are rounded to the nearest double. A pinned or
listed integer is any whole number of up to 38 digits, however small all of them are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.types import EXACT_IN_DOUBLE, ColumnType, Kind
from hushcount.counting.predicate.moments import TIMESTAMP_PATTERN, read_day
from hushcount.files.arrow_arrays import arrow_array, arrow_scalar, cast_or_none, matching

__all__ = ["first_misfit", "infer", "odd_texts", "pinned", "read_as", "rounds_integers", "sized"]

_WHOLE = "[+-]?(0|[1-9][0-9]*)"
_INTEGER = "[+-]?(0|[1-9][0-9]{0,37})"
_SPECIAL = "nan|[+-]?inf|[+-]?infinity"

_FEW = 10

_Typed = tuple[pa.ChunkedArray, ColumnType]


def infer(column: pa.ChunkedArray, options: ReadOptions) -> _Typed:
    """Return the column in the first type that all of its values fit, and that type."""
    if column.null_count == len(column):
        return pa.chunked_array([pa.nulls(len(column), pa.bool_())]), replace(t.UNKNOWN, loose=True)
    for kind in ("integer", "number", "boolean", "date", "timestamp"):
        typed = _inferred_integer(column, options) if kind == "integer" else pinned(column, kind, options)
        if kind == "number" and (_all_match(column, _WHOLE) or _any_match(column, "(?i:nan)")):
            continue  # integers too long to be held, or a nan that quotes make a text
        if typed is not None:
            return typed[0], replace(typed[1], open=True, loose=typed[1].numeric)
    return column, replace(t.TEXT, open=True)


def rounds_integers(column: pa.ChunkedArray, numbers: pa.ChunkedArray) -> bool:
    """Return whether a column of doubles holds an integer beyond 2**53, told by its spelling in `column`."""
    end = str(EXACT_IN_DOUBLE)
    far = pc.greater_equal(pc.abs(numbers), arrow_scalar(float(EXACT_IN_DOUBLE), pa.float64()))
    whole, at_end = matching(column, _WHOLE), matching(column, f"[+-]?{end}")
    return bool(pc.any(pc.and_(far, pc.and_not(whole, at_end))).as_py())


def pinned(column: pa.ChunkedArray, kind: str, options: ReadOptions) -> _Typed | None:
    """Return the column in one type, or None if a value does not fit it."""
    head = column.drop_null().slice(0, 1)
    reader = _READERS[kind]
    return None if reader(head, options) is None else reader(column, options)


def read_as(column: pa.ChunkedArray, kind: ColumnType, options: ReadOptions) -> _Typed | None:
    """Return the column in a declared type, or None if a value does not fit it."""
    is_empty = column.null_count == len(column)
    if kind.kind is Kind.UNKNOWN:
        return (pa.chunked_array([pa.nulls(len(column), pa.bool_())]), kind) if is_empty else None
    typed = pinned(column, kind.kind.value, options)
    return (typed[0], kind) if typed is not None and (is_empty or typed[1].zoned == kind.zoned) else None


def odd_texts(texts: pa.ChunkedArray, options: ReadOptions) -> tuple[int, int] | None:
    """Return how many of a column's present values are no numbers, and the position of the first, if they are few among
    numbers: one in `_FEW` or less. Else None.
    """
    is_number = matching(texts, _number_pattern(options))
    numbers = pc.sum(is_number, min_count=0).as_py()
    odd = len(texts) - texts.null_count - numbers
    return (
        (odd, pc.index(is_number, arrow_scalar(False, pa.bool_())).as_py()) if 0 < odd * _FEW <= numbers + odd else None
    )


def first_misfit(column: pa.ChunkedArray, reader: Callable[[pa.ChunkedArray], object | None]) -> int:
    """Return the position of the first value that does not fit, given that there is one: by halving.

    Args:
        reader: gives None for columns that do not fit.
    """
    fits, misfits = 0, len(column)
    while misfits - fits > 1:
        middle = (fits + misfits) // 2
        if reader(column.slice(0, middle)) is None:
            misfits = middle
        else:
            fits = middle
    return misfits - 1


def _text(column: pa.ChunkedArray, options: ReadOptions) -> _Typed | None:
    return column, t.TEXT


def _integer(column: pa.ChunkedArray, options: ReadOptions) -> _Typed | None:
    if not _all_match(column, _INTEGER):
        return None
    return _without_plus(column).cast(pa.decimal128(38, 0)), t.WHOLE


def _inferred_integer(column: pa.ChunkedArray, options: ReadOptions) -> _Typed | None:
    """Return integers, in the type that the values need."""
    if not _all_match(column, _INTEGER):
        return None
    whole = cast_or_none(_without_plus(column), pa.int64())
    if whole is not None:
        return whole, sized(whole)
    return _without_plus(column).cast(pa.decimal128(38, 0)), replace(t.WHOLE, loose=True, large=True)


def sized(whole: pa.ChunkedArray) -> ColumnType:
    """Return the type of a column of 64-bit integers, to which larger numbers might have been added."""
    ends = pc.min_max(whole).as_py()
    low, high = ends["min"] or 0, ends["max"] or 0
    return replace(t.INTEGER, loose=True, large=not -EXACT_IN_DOUBLE <= low <= high <= EXACT_IN_DOUBLE)


def _number_pattern(options: ReadOptions) -> str:
    mark = "[.]" if options.decimal == "." else options.decimal
    plain = rf"[+-]?((0|[1-9][0-9]*)({mark}[0-9]*)?|{mark}[0-9]+)([eE][+-]?[0-9]+)?"
    return f"(?i:{plain}|{_SPECIAL})"


def _number(column: pa.ChunkedArray, options: ReadOptions) -> _Typed | None:
    if not _all_match(column, _number_pattern(options)):
        return None
    spelled = pc.utf8_lower(_without_plus(column))
    spelled = pc.replace_substring(spelled, options.decimal, ".")
    numbers = cast_or_none(spelled, pa.float64())
    if numbers is None:
        return None
    overflow = pc.and_(pc.is_inf(numbers), pc.invert(pc.match_substring(spelled, "inf")))
    return None if pc.any(overflow).as_py() else (numbers, t.DOUBLE)


def _boolean(column: pa.ChunkedArray, options: ReadOptions) -> _Typed | None:
    if not _all_match(column, "(?i:true|false)"):
        return None
    return matching(column, "(?i:true)"), t.BOOLEAN


def _date(column: pa.ChunkedArray, options: ReadOptions) -> _Typed | None:
    spellings = pc.unique(column.drop_null())
    days: list[str] = []
    for spelling in spellings:
        day = read_day(spelling.as_py(), options.date_format)
        if day is None:
            return None
        days.append(day.isoformat())
    places = pc.index_in(column, value_set=spellings)
    return pc.take(arrow_array(days, pa.string()).cast(pa.date32()), places), t.DATE


def _timestamp(column: pa.ChunkedArray, options: ReadOptions) -> _Typed | None:
    if not _all_match(column, TIMESTAMP_PATTERN):
        return None
    zoned = column.null_count < len(column) and _all_match(column, ".*(Z|[+-][0-9]{2}:?[0-9]{2})")
    moments = cast_or_none(column, pa.timestamp("us", "UTC" if zoned else None))
    if moments is None:
        return None
    return moments.cast(pa.timestamp("us")), t.TIMESTAMP_UTC if zoned else t.TIMESTAMP


def _all_match(column: pa.ChunkedArray, pattern: str) -> bool:
    return bool(pc.all(matching(column, pattern), min_count=0).as_py())


def _any_match(column: pa.ChunkedArray, pattern: str) -> bool:
    return bool(pc.any(matching(column, pattern)).as_py())


def _without_plus(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.replace_substring_regex(column, r"\A\+", "")


_READERS: dict[str, Callable[[Any, ReadOptions], _Typed | None]] = {
    "text": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
    "timestamp": _timestamp,
}
