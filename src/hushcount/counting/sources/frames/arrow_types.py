"""Which types of Arrow a predicate can speak of, and how a column of one is handed to DuckDB.

Types are taken as they are, and values have no say in them. The labels of a dictionary (a categorical of pandas or
polars) are often found in the data, so they declare nothing: such a column is what its labels are, as in Parquet. What
DuckDB would round, or could fail on for some row, is cast first, exactly.
"""

from __future__ import annotations

import pyarrow as pa
from pyarrow import types

from hushcount.counting.meaning.types import TIMESTAMP_UTC
from hushcount.counting.predicate.quoting import quoted_name
from hushcount.counting.sources.duckdb import column_of
from hushcount.counting.sources.source import Column

__all__ = ["frame_column", "handed", "is_text"]

_TEXTS = (pa.string(), pa.large_string(), pa.string_view())
_NAMES = {
    pa.int8(): "TINYINT",
    pa.int16(): "SMALLINT",
    pa.int32(): "INTEGER",
    pa.int64(): "BIGINT",
    pa.uint8(): "UTINYINT",
    pa.uint16(): "USMALLINT",
    pa.uint32(): "UINTEGER",
    pa.uint64(): "UBIGINT",
    pa.float16(): "FLOAT16",
    pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE",
    pa.bool_(): "BOOLEAN",
    **dict.fromkeys(_TEXTS, "VARCHAR"),
    pa.date32(): "DATE",
    pa.date64(): "DATE",
    pa.null(): '"NULL"',
}
_WIDER = {pa.float16(): pa.float32(), pa.date64(): pa.date32()}
_MOMENTS = {"s": "TIMESTAMP_S", "ms": "TIMESTAMP_MS", "us": "TIMESTAMP", "ns": "FINITE TIMESTAMP_NS"}
"""By unit. What Arrow holds is never infinite, as in Parquet."""


def frame_column(name: str, kind: pa.DataType) -> Column:
    """Return a column of a frame that has a type of Arrow."""
    held = _plain(kind)
    if types.is_timestamp(held):
        found = column_of(name, _MOMENTS[held.unit])
        return found if held.tz is None else Column(name, TIMESTAMP_UTC, found.read)
    if types.is_decimal(held) and 0 <= held.scale <= held.precision:
        return column_of(name, f"DECIMAL({held.precision}, {held.scale})")
    return column_of(name, _NAMES[held]) if held in _NAMES else Column.of(name, str(kind), None, quoted_name(name))


def is_text(kind: pa.DataType) -> bool:
    """Return whether the values of a type are texts."""
    return _plain(kind) in _TEXTS


def handed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of such a type as DuckDB is to read it: without a copy, unless it is of a rare type.

    Raises:
        pyarrow.ArrowInvalid: a decimal has more digits than its type, or a date64 is not a whole day.
    """
    held = _plain(column.type)
    if held != column.type and held not in _TEXTS:
        column = column.cast(held)
    if types.is_timestamp(held) and held.tz is not None:
        return column.cast(pa.timestamp(held.unit))  # the same numbers: Arrow keeps them in UTC
    if types.is_decimal(held):
        column.validate(full=True)  # a HUGEINT of DuckDB may have more digits than its type in Arrow
        return column.cast(pa.decimal128(held.precision, held.scale))
    return column.cast(_WIDER[held]) if held in _WIDER else column


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values of a dictionary, or any other type as it is."""
    return kind.value_type if types.is_dictionary(kind) else kind
