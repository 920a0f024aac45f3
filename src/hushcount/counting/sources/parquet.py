"""A Parquet file, read by the engine itself."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from hushcount.counting.engines.duckdb import DuckdbEngine, as_pattern
from hushcount.counting.faults import foreign_errors
from hushcount.counting.predicate.quoting import quoted_text
from hushcount.counting.sources.duckdb import column_of
from hushcount.counting.sources.source import DeclaredSource
from hushcount.errors import BadData

__all__ = ["ParquetSource"]


class ParquetSource(DeclaredSource):
    """One Parquet file."""

    format = "parquet"

    def __init__(self, path: str, engine: DuckdbEngine) -> None:
        absolute = os.path.abspath(path)
        pattern = as_pattern(absolute)
        if "\\" in absolute and pattern != absolute:
            raise BadData(f"{path}: a name with a backslash and one of [ * ? cannot be read; rename the file")
        with foreign_errors(f"{path} cannot be read as Parquet"):
            schema = engine.rows(
                "SELECT name, num_children, duckdb_type, logical_type, precision, scale "
                f"FROM parquet_schema({quoted_text(pattern)})"
            )
        columns = [column_of(str(name), _in_parquet(*told)) for name, _, *told in _top_level(schema)]
        if len({column.name.casefold() for column in columns}) < len(columns):  # the engine would rename the second one
            raise BadData(f"{path} holds columns whose names are the same or differ only in case")
        super().__init__(path, columns, f"read_parquet({quoted_text(pattern)}, hive_partitioning = false)")


def _in_parquet(kind: str, logical: str, precision: int | None, scale: int | None) -> str:
    """What a column of a Parquet file is, which the engine reads as `kind`.

    It reads half floats as singles, of which most literals mean another number; decimals of more digits than it has as
    doubles, which rounds them; and the ends of nanoseconds as infinity.
    """
    if logical == "Float16Type()":
        return "FLOAT16"
    if kind == "DOUBLE" and precision:
        return f"DECIMAL({precision}, {scale or 0})"
    return f"FINITE {kind}" if kind in ("TIMESTAMP_NS", "TIMESTAMPTZ_NS") else kind


def _top_level(schema: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Of a Parquet schema, which lists the root and then every branch before the next, what is right below the root."""
    open_branches = 0
    for row in schema[1:]:
        if open_branches == 0:
            yield row
        else:
            open_branches -= 1
        open_branches += row[1] or 0
