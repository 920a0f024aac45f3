"""Parquet and DuckDB files: read by the engine itself, through a view of the needed columns."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.declared.schema import SchemaColumn
from hushcount.counting.engines.engine import Engine, foreign_errors, quoted, quoted_text
from hushcount.counting.meaning.types import UNKNOWN, ColumnType, of_duckdb
from hushcount.counting.sources.tables import chosen_table
from hushcount.errors import BadData, PredicateRefused

__all__ = ["DuckdbSource", "ParquetSource"]

_WILDCARDS = re.compile(r"[\[*?]")
_ATTACHED = "file"
_COMPUTED = "is computed, and that may fail on some row"


class ParquetSource:
    """One Parquet file."""

    format = "parquet"
    values_tell = False

    def __init__(self, path: str, engine: Engine) -> None:
        self._path = path
        absolute = os.path.abspath(path)
        if "\\" in absolute and _WILDCARDS.search(absolute):
            raise BadData(f"{path}: a name with a backslash and one of [ * ? cannot be read; rename the file")
        # The engine takes a path for a pattern; one character in brackets stands for itself
        pattern = _WILDCARDS.sub(r"[\g<0>]", absolute)
        self._relation = f"read_parquet({quoted_text(pattern)}, hive_partitioning = false)"
        with foreign_errors(f"{path} cannot be read as Parquet"):
            engine.lock(absolute, pattern)
            described = engine.rows(f"DESCRIBE SELECT * FROM {self._relation}")
            schema = engine.rows(
                f"SELECT name, num_children, logical_type, precision, scale FROM parquet_schema({quoted_text(pattern)})"
            )
        columns = _top_level(schema)
        if len({name.casefold() for name, *_ in columns}) < len(columns):  # the engine would rename the second one
            raise BadData(f"{path} holds columns whose names are the same or differ only in case")
        self._types = {
            str(name): _in_parquet(str(kind), logical, precision, scale)
            for (name, kind, *_), (_, logical, precision, scale) in zip(described, columns, strict=True)
        }
        self.columns = tuple(self._types)

    def declared(self, names: Sequence[str]) -> Mapping[str, ColumnType]:
        """The types of the columns `names`."""
        return self._readable(names)[0]

    def count_rows(self, engine: Engine, names: Sequence[str]) -> int:
        """The number of rows, which the file states."""
        return _rows(self._path, engine, self._relation)

    def load(self, engine: Engine, names: Sequence[str]) -> Mapping[str, ColumnType]:
        """Point the engine at the columns `names` and return their types."""
        types, selected = self._readable(names)
        with foreign_errors(f"{self._path} cannot be read as Parquet"):
            engine.view(selected, self._relation)
        return types

    def described(self, engine: Engine) -> tuple[SchemaColumn, ...]:
        """All columns with the types that the file declares."""
        return tuple(_described(name, kind) for name, kind in self._types.items())

    def _readable(self, names: Sequence[str]) -> tuple[dict[str, ColumnType], list[str]]:
        return _readable(self._path, {name: self._types[name] for name in names})


class DuckdbSource:
    """One table of a DuckDB file, opened read-only."""

    format = "duckdb"
    values_tell = False

    def __init__(self, path: str, options: ReadOptions, engine: Engine) -> None:
        self._path = path
        with foreign_errors(f"{path} cannot be opened as a DuckDB file; is it damaged, or being written?"):
            engine.rows(f"ATTACH {quoted_text(os.path.abspath(path))} AS {_ATTACHED} (READ_ONLY)")
            engine.lock()
            found = engine.rows(
                f"SELECT schema_name, table_name FROM duckdb_tables() "
                f"WHERE database_name = '{_ATTACHED}' AND NOT internal ORDER BY ALL"
            )
        tables = {name if schema == "main" else f"{schema}.{name}": (schema, name) for schema, name in found}
        schema, name = tables[chosen_table(path, options.table, list(tables))]
        with foreign_errors(f"{path} cannot be read as a DuckDB file"):
            self._columns = _table_columns(engine, schema, name)
        self._relation = ".".join(map(quoted, (_ATTACHED, schema, name)))
        self.columns = tuple(self._columns)

    def declared(self, names: Sequence[str]) -> Mapping[str, ColumnType]:
        """The types of the columns `names`."""
        return self._readable(names)[0]

    def count_rows(self, engine: Engine, names: Sequence[str]) -> int:
        """The number of rows."""
        return _rows(self._path, engine, self._relation)

    def load(self, engine: Engine, names: Sequence[str]) -> Mapping[str, ColumnType]:
        """Point the engine at the columns `names` and return their types."""
        types, selected = self._readable(names)
        with foreign_errors(f"{self._path} cannot be read as a DuckDB file"):
            engine.view(selected, self._relation)
        return types

    def described(self, engine: Engine) -> tuple[SchemaColumn, ...]:
        """All columns with the types that the file declares."""
        return tuple(
            SchemaColumn(name, UNKNOWN, _COMPUTED) if computed else _described(name, kind)
            for name, (kind, computed) in self._columns.items()
        )

    def _readable(self, names: Sequence[str]) -> tuple[dict[str, ColumnType], list[str]]:
        for name in names:
            if self._columns[name][1]:
                raise PredicateRefused(f"column {name!r} of {self._path} {_COMPUTED}")
        return _readable(self._path, {name: self._columns[name][0] for name in names})


def _rows(path: str, engine: Engine, relation: str) -> int:
    with foreign_errors(f"{path}: the rows could not be counted"):
        ((rows,),) = engine.rows(f"SELECT count(*) FROM {relation}")
    return int(rows)


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


def _table_columns(engine: Engine, schema: str, table: str) -> dict[str, tuple[str, bool]]:
    """Type and whether it is computed, of every column of a table of the attached file."""
    rows: list[tuple[Any, ...]] = engine.rows(
        f"SELECT column_name, data_type, is_generated FROM information_schema.columns "
        f"WHERE table_catalog = '{_ATTACHED}' AND table_schema = {quoted_text(schema)} "
        f"AND table_name = {quoted_text(table)} ORDER BY ordinal_position"
    )
    return {str(name): (str(kind), generated != "NEVER") for name, kind, generated in rows}


def _described(name: str, kind: str) -> SchemaColumn:
    known = of_duckdb(kind)
    return SchemaColumn(name, UNKNOWN, _unknown(kind)) if known is None else SchemaColumn(name, known[0])


def _unknown(kind: str) -> str:
    return f"has the type {kind[:60]}, which no predicate can use"


def _readable(path: str, names: Mapping[str, str]) -> tuple[dict[str, ColumnType], list[str]]:
    """The type of each column, and the SQL that reads it; a type no predicate can speak of is refused."""
    types, selected = {}, []
    for name, kind in names.items():
        known = of_duckdb(kind)
        if known is None:
            raise PredicateRefused(f"column {name!r} of {path} {_unknown(kind)}")
        types[name] = known[0]
        selected.append(f"{known[1].format(quoted(name))} AS {quoted(name)}")
    return types, selected
