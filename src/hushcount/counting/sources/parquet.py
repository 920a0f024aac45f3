"""A Parquet file, read by the engine itself."""

from __future__ import annotations

import os
from collections.abc import Sequence
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
        relation = f"read_parquet({quoted_text(pattern)}, hive_partitioning = false)"
        failed = f"{path} cannot be read as Parquet"
        with foreign_errors(failed):
            described = engine.rows(f"DESCRIBE SELECT * FROM {relation}")
            schema = engine.rows(
                f"SELECT name, num_children, logical_type, precision, scale FROM parquet_schema({quoted_text(pattern)})"
            )
        found = _top_level(schema)
        if len({name.casefold() for name, *_ in found}) < len(found):  # the engine would rename the second one
            raise BadData(f"{path} holds columns whose names are the same or differ only in case")
        columns = [
            column_of(str(name), _in_parquet(str(kind), logical, precision, scale))
            for (name, kind, *_), (_, logical, precision, scale) in zip(described, found, strict=True)
        ]
        super().__init__(path, columns, relation, failed)


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


def _top_level(schema: Sequence[tuple[Any, ...]]) -> list[tuple[str, str, int | None, int | None]]:
    """Of each column of a Parquet schema, which lists the root and then every branch before the next: its name, logical
    type, and precision and scale of a decimal."""
    columns, open_branches = [], 0
    for name, children, logical, precision, scale in schema[1:]:
        if open_branches == 0:
            columns.append((str(name), str(logical), precision, scale))
        else:
            open_branches -= 1
        open_branches += children or 0
    return columns
