"""A frame that gives itself through the Arrow PyCapsule interface."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from hushcount.counting.declared.place import NOT_ONCE
from hushcount.counting.faults import foreign_code
from hushcount.counting.sources.frames.arrow_types import frame_column
from hushcount.counting.sources.source import Column
from hushcount.errors import InvalidParameter, type_of

__all__ = ["ArrowFrame"]

_DUCKDB, _WRAPPED = ("duckdb.", "_duckdb"), "UHUGEINT"
"""Relations of DuckDB give such a column as decimals, which are below zero where its numbers have no room."""


class ArrowFrame:
    """A table that was read once, to its end; what is in memory already is not copied.

    Attributes:
        columns: its columns, in order.
        rows: the number of rows.

    Raises:
        InvalidParameter: it gives its rows only once, so that the next count would find none.
        BadData: it gives no table, or not to its end.
    """

    def __init__(self, frame: Any, shown: str) -> None:
        how = "give a whole table, and cast columns of a type that Arrow does not have"
        with foreign_code(f"{shown} cannot be read through Arrow; {how}"):
            self._table, unread = _read(frame)
            is_over = self._table.num_rows > 0 and not unread and not _gives_rows(frame)
        if is_over:
            raise InvalidParameter("source", type_of(frame), NOT_ONCE)
        self.columns = [
            Column.of(field.name, unread[field.name], None, "")
            if field.name in unread
            else frame_column(field.name, field.type)
            for field in self._table.schema
        ]
        if type(frame).__module__.startswith(_DUCKDB):
            self.columns = [
                Column.of(column.name, _WRAPPED, None, "") if str(kind) == _WRAPPED else column
                for column, kind in zip(self.columns, frame.types, strict=True)
            ]
        self.rows = self._table.num_rows

    def column(self, at: int) -> pa.ChunkedArray:
        """Return a column."""
        return self._table.column(at)


def _read(frame: Any) -> tuple[pa.Table, dict[str, str]]:
    """Return the table of a frame; and of its columns that Arrow has no type for, which are null there, their types.

    Only frames that have `get_columns`, as those of polars, give their columns one by one.
    """
    try:
        return pa.RecordBatchReader.from_stream(frame).read_all(), {}
    except pa.ArrowInvalid:
        if not hasattr(frame, "get_columns"):
            raise
    columns, unread = {}, {}
    for column in frame.get_columns():
        try:
            columns[column.name] = pa.chunked_array(column)
        except pa.ArrowInvalid:
            columns[column.name] = pa.chunked_array([pa.nulls(len(column))])
            unread[column.name] = str(column.dtype)
    return pa.table(columns), unread


def _gives_rows(frame: Any) -> bool:
    """Return whether a frame that was read gives rows again."""
    try:
        return any(batch.num_rows for batch in pa.RecordBatchReader.from_stream(frame))
    except Exception:
        return False
