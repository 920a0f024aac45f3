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
            self._table = pa.RecordBatchReader.from_stream(frame).read_all()
            is_over = self._table.num_rows > 0 and not _gives_rows(frame)
        if is_over:
            raise InvalidParameter("source", type_of(frame), NOT_ONCE)
        self.columns = [frame_column(field.name, field.type) for field in self._table.schema]
        if type(frame).__module__.startswith(_DUCKDB):
            self.columns = [
                Column.of(column.name, _WRAPPED, None, "") if str(kind) == _WRAPPED else column
                for column, kind in zip(self.columns, frame.types, strict=True)
            ]
        self.rows = self._table.num_rows

    def column(self, at: int) -> pa.ChunkedArray:
        """Return a column."""
        return self._table.column(at)


def _gives_rows(frame: Any) -> bool:
    """Return whether a frame that was read gives rows again."""
    try:
        return any(batch.num_rows for batch in pa.RecordBatchReader.from_stream(frame))
    except Exception:
        return False
