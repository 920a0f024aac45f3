"""Columns held as Arrow arrays, whose values tell their types: the rule of SQLite, JSON lines and Excel.

Values are of one class: integers, reals, texts, truths, dates or timestamps. A column without any is of class "null".
What the values tell is open (another row might have said otherwise), so the predicate must say what it means.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.declared.schema import SchemaColumn
from hushcount.counting.engines.duckdb import DuckdbEngine
from hushcount.counting.faults import foreign_errors
from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.types import EXACT_IN_DOUBLE, ColumnType, Kind
from hushcount.counting.sources.csv.types import pinned, read_as, sized
from hushcount.counting.sources.source import Source, check_distinct, check_types
from hushcount.errors import BadData
from hushcount.files.arrow_arrays import arrow_scalar

__all__ = ["HeldSource", "Typed", "Values", "held_as", "told_by_values", "whole", "zero_or_one"]

Typed = tuple[Any, ColumnType]

Values = tuple[Any, str]
"""A column and its class: integer (int64, or decimal128 of 38 digits), real, text, boolean, date, timestamp or null."""

_ARROW = {
    Kind.INTEGER: pa.int64(),
    Kind.DOUBLE: pa.float64(),
    Kind.TEXT: pa.string(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.DATE: pa.date32(),
    Kind.TIMESTAMP: pa.timestamp("us"),
    Kind.UNKNOWN: pa.bool_(),
}
_TOLD = {
    "text": replace(t.TEXT, open=True),
    "real": replace(t.DOUBLE, open=True, loose=True),
    "boolean": replace(t.BOOLEAN, open=True),
    "date": replace(t.DATE, open=True),
    "timestamp": replace(t.TIMESTAMP, open=True),
    "null": replace(t.UNKNOWN, loose=True),
}
_WHOLE = pa.decimal128(38, 0)


class HeldSource(Source):
    """A table of a file whose needed columns are read whole into Arrow arrays.

    Args:
        shown: what errors call it.
        options: how it is read.
        columns: the names of its columns.
        rows: how many rows it has.

    Raises:
        BadData: two names are the same, or differ only in case.
        InvalidParameter: a type is pinned of a column that is not there.
    """

    def __init__(self, shown: str, options: ReadOptions, columns: Sequence[str], rows: int) -> None:
        self._path, self._options, self._rows, self.columns = shown, options, rows, tuple(columns)
        check_distinct(shown, columns)
        check_types(options, self.columns)

    @abstractmethod
    def values(self, names: Sequence[str]) -> Mapping[str, Values | str]:
        """Read columns; one that holds what no predicate can use is told by the reason, such as "holds ..."."""

    def declared(self, names: Sequence[str]) -> Mapping[str, ColumnType]:
        return {name: t.PINNED[kind] for name, kind in self._options.types.items() if name in names}

    def described(self, engine: DuckdbEngine) -> tuple[SchemaColumn, ...]:
        with self._readable():
            found = self.values(self.columns)
        told = []
        for name, held in found.items():
            if isinstance(held, str):
                told.append(SchemaColumn(name, t.UNKNOWN, f"{held}, which no predicate can use"))
                continue
            kind = self.typed(name, held)[1]
            told.append(SchemaColumn(name, t.WHOLE if kind.kind is Kind.INTEGER and kind.open else kind))
        return tuple(told)

    def count_rows(self, engine: DuckdbEngine, names: Sequence[str]) -> int:
        return self._rows

    def load(self, engine: DuckdbEngine, names: Sequence[str]) -> Mapping[str, ColumnType]:
        with self._readable():
            found = self.values(names)
            typed: dict[str, Typed] = {}
            for name, held in found.items():
                if isinstance(held, str):
                    raise BadData(f"{self._path}: column {name!r} {held}, so it has no type")
                typed[name] = self.typed(name, held)
            columns = [column for column, _ in typed.values()]
            engine.arrow(
                pa.table(columns, names=list(typed)) if names else pa.table({"one": pa.nulls(self._rows, pa.bool_())})
            )
        return {name: kind for name, (_, kind) in typed.items()}

    def typed(self, name: str, values: Values) -> Typed:
        """Return a column in its type: as listed, or as pinned, or as its values tell.

        Raises:
            BadData: a value does not fit a type that is declared.
        """
        if name in self.listed:
            kind = self.listed[name]
            held = held_as(*values, kind, self._options)
            if held is None:
                raise BadData(f"{self._path}: column {name!r} holds a value that is not {kind.word}, as was declared")
            return held, kind
        if name in self._options.types:
            word = self._options.types[name]
            typed = _pinned(values, word, self._options)
            if typed is None:
                raise BadData(f"{self._path}: column {name!r} holds a value that is not {word}, as was declared")
            return typed
        return told_by_values(*values)

    def _readable(self) -> Any:
        return foreign_errors(f"{self._path} cannot be read: it is damaged, or was changed while it was read")


def told_by_values(column: Any, storage: str) -> Typed:
    """Return a column in the type that its values tell."""
    if storage != "integer":
        return (pa.chunked_array([pa.nulls(len(column), pa.bool_())]) if storage == "null" else column), _TOLD[storage]
    if column.type == _WHOLE:
        return column, replace(t.WHOLE, open=True, loose=True, large=True)
    return column, replace(sized(column), open=True)


def held_as(column: Any, storage: str, kind: ColumnType, options: ReadOptions) -> Any:
    """Return a column in a declared type, or None if a value does not fit it."""
    arrow = _WHOLE if kind == t.WHOLE else _ARROW[kind.kind]
    if storage == "null":
        return pa.chunked_array([pa.nulls(len(column), arrow)])
    match kind.kind, storage:
        case (
            (Kind.DOUBLE, "real") | (Kind.BOOLEAN, "boolean") | (Kind.DATE, "date") | (Kind.TIMESTAMP, "timestamp")
        ) if not kind.zoned:
            return column
        case (Kind.INTEGER, "integer"):
            return column if column.type in (arrow, _WHOLE) else column.cast(arrow)
        case (Kind.BOOLEAN, "integer"):
            return column.cast(arrow) if zero_or_one(column) else None
        case (Kind.DOUBLE, "integer"):
            return None if column.type == _WHOLE or sized(column).large else column.cast(arrow)
        case (Kind.TIMESTAMP, "date") if not kind.zoned:
            return column.cast(arrow)
        case (Kind.TEXT | Kind.DATE | Kind.TIMESTAMP, "text"):
            typed = read_as(column, kind, options)
            return None if typed is None else typed[0]
    return None


def _pinned(values: Values, word: str, options: ReadOptions) -> Typed | None:
    column, storage = values
    if storage == "text":
        return pinned(column, word, options) if word in ("text", "date", "timestamp") else None
    kind = replace(t.PINNED[word], zoned=False)
    held = held_as(column, storage, kind, options)
    return None if held is None else (held, kind)


def whole(column: Any) -> Any:
    """Return doubles as whole numbers; None if one is a fraction, infinite, or so large that it may be rounded."""
    numbers = pc.if_else(pc.is_nan(column), arrow_scalar(None, pa.float64()), column)
    fits = pc.and_(
        pc.equal(pc.floor(numbers), numbers),
        pc.less_equal(pc.abs(numbers), arrow_scalar(float(EXACT_IN_DOUBLE), pa.float64())),
    )
    if not pc.all(fits, min_count=0).as_py():
        return None
    return numbers.cast(pa.int64())


def zero_or_one(column: Any) -> bool:
    """Return whether a column of integers, one of them at least, holds none but 0 and 1."""
    ends = pc.min_max(column).as_py()
    return bool(ends["min"] >= 0 and ends["max"] <= 1)
