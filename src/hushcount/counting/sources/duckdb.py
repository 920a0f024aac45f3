"""A table of a DuckDB file, read by the engine itself; and what DuckDB's types mean, also when it reads Parquet."""

from __future__ import annotations

import os
import re
from dataclasses import replace

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.engines.duckdb import ATTACHED, DuckdbEngine
from hushcount.counting.faults import foreign_errors
from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.floats import BINARY16
from hushcount.counting.meaning.types import ColumnType
from hushcount.counting.predicate.quoting import quoted_name, quoted_text
from hushcount.counting.sources.source import COMPUTED, Column, DeclaredSource, chosen_table

__all__ = ["DuckdbSource", "column_of"]

_MOST_DIGITS = 38
_DECIMAL = re.compile(r"DECIMAL\(([0-9]+),\s*([0-9]+)\)")
_LABEL = re.compile("'((?:[^']|'')*)'")

# A type, and the SQL that reads a column of it ({} is the quoted name) without a chance to fail on any row.
_AS_IT_IS = "{}"
_IN_UTC = "TRY_CAST({} AS TIMESTAMP)"
# Beyond what microseconds can hold (after the year 294,000) it is as far off as can be.
_OF_LARGER_STEPS = (
    "coalesce(TRY_CAST({{0}} AS TIMESTAMP), CASE WHEN {{0}} > {type} '1970-01-01' THEN TIMESTAMP 'infinity' "
    "WHEN {{0}} < {type} '1970-01-01' THEN TIMESTAMP '-infinity' END)"
)
# A cast would round. The division goes toward 0, hence the step down before 1970. An infinite one has no nanoseconds.
_MICROSECONDS = "make_timestamp(epoch_ns({0}) // 1000 - CAST(epoch_ns({0}) % 1000 < 0 AS BIGINT))"
_FLOORED = f"coalesce({_MICROSECONDS}, TRY_CAST({{0}} AS TIMESTAMP))"
# Parquet has no infinity: what DuckDB takes for it are the first and the last moment, as those of pandas are.
_FLOORED_FINITE = (
    f"coalesce({_MICROSECONDS}, CASE {{0}} WHEN 'infinity' THEN TIMESTAMP '2262-04-11 23:47:16.854775' "
    "WHEN '-infinity' THEN TIMESTAMP '1677-09-21 00:12:43.145224' END)"
)
_SIMPLE = {
    "TINYINT": (t.integer(8, signed=True), _AS_IT_IS),
    "SMALLINT": (t.integer(16, signed=True), _AS_IT_IS),
    "INTEGER": (t.integer(32, signed=True), _AS_IT_IS),
    "BIGINT": (t.INTEGER, _AS_IT_IS),
    "UTINYINT": (t.integer(8, signed=False), _AS_IT_IS),
    "USMALLINT": (t.integer(16, signed=False), _AS_IT_IS),
    "UINTEGER": (t.integer(32, signed=False), _AS_IT_IS),
    "UBIGINT": (t.integer(64, signed=False), _AS_IT_IS),
    "HUGEINT": (t.HUGE, _AS_IT_IS),
    "FLOAT": (t.SINGLE, "CAST({} AS DOUBLE)"),
    "FLOAT16": (replace(t.DOUBLE, bits=BINARY16.bits), "CAST({} AS DOUBLE)"),
    "DOUBLE": (t.DOUBLE, _AS_IT_IS),
    "BOOLEAN": (t.BOOLEAN, _AS_IT_IS),
    "DATE": (t.DATE, _AS_IT_IS),
    "TIMESTAMP": (t.TIMESTAMP, _AS_IT_IS),
    "TIMESTAMP_S": (t.TIMESTAMP, _OF_LARGER_STEPS.format(type="TIMESTAMP_S")),
    "TIMESTAMP_MS": (t.TIMESTAMP, _OF_LARGER_STEPS.format(type="TIMESTAMP_MS")),
    "TIMESTAMP_NS": (t.TIMESTAMP, _FLOORED),
    "TIMESTAMP WITH TIME ZONE": (t.TIMESTAMP_UTC, _IN_UTC),
    "TIMESTAMPTZ_NS": (t.TIMESTAMP_UTC, _FLOORED),
    "FINITE TIMESTAMP_NS": (t.TIMESTAMP, _FLOORED_FINITE),
    "FINITE TIMESTAMPTZ_NS": (t.TIMESTAMP_UTC, _FLOORED_FINITE),
    '"NULL"': (t.UNKNOWN, "CAST(NULL AS BOOLEAN)"),
}


class DuckdbSource(DeclaredSource):
    """One table of a DuckDB file, opened read-only."""

    format = "duckdb"

    def __init__(self, path: str, shown: str, options: ReadOptions, engine: DuckdbEngine) -> None:
        with foreign_errors(f"{shown} cannot be opened as a DuckDB file; is it damaged, or being written?"):
            engine.rows(f"ATTACH {quoted_text(os.path.abspath(path))} AS {ATTACHED} (READ_ONLY)")
            found = engine.rows(
                f"SELECT schema_name, table_name FROM duckdb_tables() "
                f"WHERE database_name = '{ATTACHED}' AND NOT internal ORDER BY ALL"
            )
        tables = {name if schema == "main" else f"{schema}.{name}": (schema, name) for schema, name in found}
        schema, name = tables[chosen_table(shown, options.table, list(tables))]
        with foreign_errors(f"{shown} cannot be read as a DuckDB file"):
            columns = _columns(engine, schema, name)
        super().__init__(shown, columns, ".".join(map(quoted_name, (ATTACHED, schema, name))))


def _columns(engine: DuckdbEngine, schema: str, table: str) -> list[Column]:
    rows = engine.rows(
        f"SELECT column_name, data_type, is_generated, is_nullable FROM information_schema.columns "
        f"WHERE table_catalog = '{ATTACHED}' AND table_schema = {quoted_text(schema)} "
        f"AND table_name = {quoted_text(table)} ORDER BY ordinal_position"
    )
    return [
        column_of(str(name), str(kind), required=nullable == "NO")
        if generated == "NEVER"
        else Column(str(name), t.UNKNOWN, "", COMPUTED)
        for name, kind, generated, nullable in rows
    ]


def column_of(name: str, kind: str, *, required: bool = False) -> Column:
    """Return a column of the type that DuckDB calls `kind`; `required` as in `Column.of`."""
    return Column.of(name, kind, _known(kind), quoted_name(name), required=required)


def _known(name: str) -> tuple[ColumnType, str] | None:
    """Return what the type that DuckDB calls `name` means, and the SQL that reads a column of it."""
    if name == "VARCHAR":
        # A declared collation would make 'a' equal 'A' in one format and not in another.
        return t.TEXT, '{} COLLATE "binary"'
    if name.startswith("ENUM("):
        labels = tuple(label.replace("''", "'") for label in _LABEL.findall(name))
        return replace(t.TEXT, labels=labels), "CAST({} AS VARCHAR)"
    match = _DECIMAL.fullmatch(name)
    if match and int(match[1]) <= _MOST_DIGITS:
        return t.decimal(int(match[1]), int(match[2])), _AS_IT_IS
    return _SIMPLE.get(name)
