"""Keys in the type of the column they are compared with, so that equality means what it means in a predicate.

| column | keys |
|---|---|
| whole numbers | whole numbers, of any size up to 38 digits |
| decimals | decimals, with no more digits after the point than the column has |
| texts | texts, by code points; not those that the declared type excludes |
| dates | YYYY-MM-DD, or as the dates of the source are declared to be written |
| truths | true and false |

A missing key, null here, is one of any of these. Doubles are refused, since hardly any written number is one, and so
are timestamps. Where the data alone tell the type of a column, the keys say what they mean: whole numbers (without
leading zeros), dates or truths if all of them are spelled like that, else texts; and a column that holds something else
is an error.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from hushcount.counting.meaning.missing_codes import are_missing, why_missing
from hushcount.counting.meaning.text_limits import why_excluded
from hushcount.counting.meaning.types import BOOLEAN, DATE, INTEGER, NUMERIC, TEXT, ColumnType, Kind, decimal
from hushcount.counting.meaning.values import if_labels, if_missing
from hushcount.counting.predicate import nodes as n
from hushcount.counting.predicate.moments import ISO_DATE, read_day
from hushcount.counting.predicate.quoting import is_plain_name, quoted_name
from hushcount.errors import InvalidParameter
from hushcount.files.arrow_arrays import arrow_array, arrow_scalar, cast_or_none, matching
from hushcount.words.shell import as_option

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["KIND_WORDS", "MOST_DIGITS", "as_iso", "check_kind", "filled", "native", "spelled_kind", "typed_keys"]

MOST_DIGITS = 38

_WHOLE = "[+-]?(0|[1-9][0-9]{0,37})"
_ANY_WHOLE = "[+-]?[0-9]+"
_DECIMAL = r"[+-]?[0-9]+(\.[0-9]+)?"
_TRUTH, _TRUE = "(?i:true|false)", "(?i:true)"
_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
KIND_WORDS = {
    Kind.INTEGER: "whole numbers",
    Kind.DECIMAL: "decimals",
    Kind.TEXT: "texts",
    Kind.BOOLEAN: "true and false",
    Kind.DATE: "dates, YYYY-MM-DD",
}
_UNFIT = {
    Kind.DOUBLE: "doubles (numbers with a point or an exponent), of which hardly any equals a written number",
    Kind.TIMESTAMP: "timestamps",
}
_NUMBERS = (Kind.INTEGER, Kind.DECIMAL)


def spelled_kind(texts: pa.Array) -> Kind:
    """Return what keys are by their spelling alone; texts, if all are missing."""
    if texts.null_count == len(texts):
        return Kind.TEXT
    if _first_other(texts, _WHOLE) is None:
        return Kind.INTEGER
    if _first_other(texts, _TRUTH) is None:
        return Kind.BOOLEAN
    return Kind.DATE if _first_other(texts, _DATE) is None and _dates(texts) is not None else Kind.TEXT


def as_iso(texts: pa.Array, date_format: str) -> pa.Array:
    """Return texts that are all dates in a format as YYYY-MM-DD, and any others as they are; these too, if all are."""
    import pyarrow as pa

    if date_format == ISO_DATE or (_first_other(texts, _DATE) is None and _dates(texts) is not None):
        return texts
    spelled = texts.to_pylist()
    days = [None if text is None else read_day(text, date_format) for text in spelled]
    if any(day is None and text is not None for day, text in zip(days, spelled, strict=True)):
        return texts
    return arrow_array([None if day is None else day.isoformat() for day in days], pa.string())


def native(texts: pa.Array, kind: Kind) -> pa.Array:
    """Return the keys in an Arrow type of their kind: int64, decimal128, bool, date32 or string.

    Whole numbers beyond int64 are decimals; what no Arrow type holds stays a text.
    """
    import pyarrow as pa

    if kind is Kind.BOOLEAN:
        return matching(texts, _TRUE)
    if kind is Kind.DATE:
        days = _dates(texts)
        return texts if days is None else days
    if kind in _NUMBERS:
        plain = _plain(texts)
        whole = cast_or_none(plain, pa.int64()) if kind is Kind.INTEGER else None
        if whole is not None:
            return whole
        scale = _digits_after_point(plain)
        fitting = cast_or_none(plain, pa.decimal128(MOST_DIGITS, scale)) if scale <= MOST_DIGITS else None
        return texts if fitting is None else fitting
    return texts


def check_kind(name: str, column: ColumnType) -> None:
    """Check that values of a column can be keys.

    Raises:
        InvalidParameter: it holds doubles or timestamps.
    """
    if column.kind not in _UNFIT:
        return
    written = name if is_plain_name(name) else quoted_name(name)
    if column.kind is Kind.TIMESTAMP:
        hint = f"; or take their years, months or days: {as_option('by', f'year({written})')}"
    else:
        hint = f"; or take bands of them, such as {as_option('by', f'{written} by 10 from 0 to 100')}"
    hint += if_labels(n.Column(name), column)
    if column.open:
        hint += f"; in a CSV file, {as_option('type', f'{name}=text')} takes keys as they are spelled there"
    rule = f"columns of whole numbers, decimals, texts, dates or booleans: {name!r} holds {_UNFIT[column.kind]}"
    raise InvalidParameter("by", None, rule + hint)


def typed_keys(
    name: str, texts: pa.Array, given: Kind | None, column: ColumnType, date_format: str = ISO_DATE
) -> tuple[ColumnType, pa.Array]:
    """Return the type in which a column and its keys are compared, and the keys in it.

    Args:
        name: the name of the column.
        texts: the spellings of its keys.
        given: what the keys are, or None for what their spelling says.
        column: the type of the column.
        date_format: how the dates of the source are written; keys may be written so too, if `given` is None.

    Raises:
        InvalidParameter: the keys do not fit the column.
    """
    if given is None and column.kind in (Kind.DATE, Kind.UNKNOWN):
        texts = as_iso(texts, date_format)
    check_kind(name, column)
    told = column.open or column.kind is Kind.UNKNOWN
    says_nothing = not told or (given is None and texts.null_count == len(texts) and column.kind is not Kind.UNKNOWN)
    kind = given or (column.kind if says_nothing else spelled_kind(texts))
    if not _go_together(kind, column):
        hint = f"; pin its type ({as_option('type', f'{name}=...')} for a CSV file)" if told else ""
        hint += if_missing(column) if kind in _NUMBERS else if_labels(n.Column(name), column)
        hint += "; write the keys as texts" if column.kind is Kind.TEXT and not told else ""
        held = f"it holds {KIND_WORDS[column.kind]}, and the keys are {KIND_WORDS[kind]}"
        raise InvalidParameter("keys", None, f"what column {name!r} can hold: {held}{hint}")
    if kind is Kind.TEXT and column.kind is Kind.DATE:
        kind = Kind.DATE
    reader = {
        Kind.INTEGER: _numbers,
        Kind.DECIMAL: _numbers,
        Kind.TEXT: _as_they_are,
        Kind.BOOLEAN: _read_truths,
        Kind.DATE: _read_dates,
    }[kind]
    return reader(name, texts, column)


def filled(keys: pa.Array) -> pa.Array:
    """Return typed keys with some value of their type where they are missing."""
    import pyarrow as pa

    spelled = {pa.string(): "", pa.bool_(): "false", pa.date32(): "1970-01-01"}.get(keys.type, "0")
    return keys.fill_null(arrow_array([spelled], pa.string()).cast(keys.type)[0])


def _go_together(kind: Kind, column: ColumnType) -> bool:
    if column.kind is Kind.UNKNOWN:
        return True
    if column.kind in _NUMBERS:
        return kind in _NUMBERS
    # In a predicate too, a text is a date where a declaration makes the column one
    return kind is column.kind or (kind is Kind.TEXT and column.kind is Kind.DATE and not column.open)


def _numbers(name: str, texts: pa.Array, column: ColumnType) -> tuple[ColumnType, pa.Array]:
    import pyarrow as pa
    import pyarrow.compute as pc

    has_fractions = column == NUMERIC or column.scale > 0
    _check_all(name, texts, *((_DECIMAL, Kind.DECIMAL) if has_fractions else (_ANY_WHOLE, Kind.INTEGER)))
    plain = _plain(texts)
    for number in plain.drop_null().to_pylist() if column.missing else ():
        if are_missing(column, Fraction(number), Fraction(number)):
            raise InvalidParameter("keys", number, f"what column {name!r} can hold: it {why_missing(number)}")
    if has_fractions:
        plain = pc.replace_substring_regex(plain, r"(\.[0-9]*?)0*\z", r"\1")
        plain = pc.replace_substring_regex(plain, r"\.\z", "")
    scale = min(_digits_after_point(plain), MOST_DIGITS) if column == NUMERIC else column.scale
    _check_all(name, plain, _room(scale), None, f"a number that column {name!r} has the digits for")
    if column.kind is Kind.INTEGER and column.high <= INTEGER.high:
        whole = cast_or_none(plain, pa.int64())
        if whole is not None:
            return INTEGER, whole
    return NUMERIC if column == NUMERIC else decimal(MOST_DIGITS, scale), plain.cast(pa.decimal128(MOST_DIGITS, scale))


def _plain(texts: pa.Array) -> pa.Array:
    """Return numbers without leading zeros and plus."""
    import pyarrow.compute as pc

    plain = pc.replace_substring_regex(texts, r"\A([+-]?)0+([0-9])", r"\1\2")
    return pc.replace_substring_regex(plain, r"\A\+", "")


def _digits_after_point(numbers: pa.Array) -> int:
    return max((len(text.partition(".")[2]) for text in numbers.drop_null().to_pylist()), default=0)


def _room(scale: int) -> str:
    whole = MOST_DIGITS - scale
    return (f"-?[0-9]{{1,{whole}}}" if whole else "-?0") + (rf"(\.[0-9]{{1,{scale}}})?" if scale else "")


def _as_they_are(name: str, texts: pa.Array, column: ColumnType) -> tuple[ColumnType, pa.Array]:
    if column.limited or column.missing:
        for text in texts.drop_null().to_pylist():
            reason = why_excluded(column, text)
            if reason is not None:
                raise InvalidParameter("keys", text, f"what column {name!r} can hold: it {reason}")
    return TEXT, texts


def _read_truths(name: str, texts: pa.Array, column: ColumnType) -> tuple[ColumnType, pa.Array]:
    _check_all(name, texts, _TRUTH, Kind.BOOLEAN)
    return BOOLEAN, matching(texts, _TRUE)


def _read_dates(name: str, texts: pa.Array, column: ColumnType) -> tuple[ColumnType, pa.Array]:
    _check_all(name, texts, _DATE, Kind.DATE)
    days = _dates(texts)
    if days is None:
        at = next(at for at in range(len(texts)) if _dates(texts.slice(at, 1)) is None)
        raise InvalidParameter("keys", texts[at].as_py(), "a date of the calendar")
    return DATE, days


def _dates(texts: pa.Array) -> pa.Array | None:
    """Return the days; None if one is not in the calendar, which begins with the year 1 as in a predicate."""
    import pyarrow as pa
    import pyarrow.compute as pc

    begun = not pc.any(pc.starts_with(texts, "0000-"), min_count=0).as_py()
    return cast_or_none(texts, pa.date32()) if begun else None


def _check_all(name: str, texts: pa.Array, pattern: str, kind: Kind | None, rule: str = "") -> None:
    at = _first_other(texts, pattern)
    if at is not None:
        said = rule if kind is None else f"what column {name!r} can hold: {KIND_WORDS[kind]}"
        raise InvalidParameter("keys", texts[at].as_py(), said)


def _first_other(texts: pa.Array, pattern: str) -> int | None:
    """Return the place of the first text that does not match."""
    import pyarrow as pa
    import pyarrow.compute as pc

    at = pc.index(matching(texts, pattern), arrow_scalar(False, pa.bool_())).as_py()
    return None if at < 0 else int(at)
