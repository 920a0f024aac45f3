"""SQLite files: the needed columns are copied into Arrow, so that the same engine judges the predicate as for any file.

SQLite types values, not columns, so a column has a type only if all of its values agree:

- integer: all are integers; with a column declared BOOLEAN and no value but 0 and 1, boolean;
- number: all are numbers, some of them real; then no integer may be beyond 2**53, which a double would round;
- text: all are texts; in a column declared DATE, DATETIME or TIMESTAMP, ISO dates or timestamps, read as such.

Any other mix, and any blob, is an error of the data. Where the usual words for integers, reals, texts and times declare
a column, a value that is none is an error too, so the declaration says what a predicate means. NUMERIC and DECIMAL
declare numbers, and the data tell whether they are whole. Under any other declaration, or none, the data tell, and the
predicate must say what it means. A column without any value is of the declared type, else unknown. A listed column is
read as it is listed, whatever declares it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.engines.duckdb import DuckdbEngine
from hushcount.counting.faults import foreign_errors
from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.types import ColumnType
from hushcount.counting.predicate.quoting import quoted_name
from hushcount.counting.sources.csv.types import pinned, sized
from hushcount.counting.sources.gathered import ROUNDED, Gathered
from hushcount.counting.sources.held import Values, held_as, told_by_values, zero_or_one
from hushcount.counting.sources.source import Source, chosen_table
from hushcount.errors import BadData

__all__ = ["SqliteSource"]

_CHUNK_ROWS = 5_000
_STORED = {
    "integer": ("integer",),
    "number": ("integer", "real"),
    "real": ("real",),
    **dict.fromkeys(("text", "date", "timestamp"), ("text",)),
}
_TYPES = {
    "integer": t.INTEGER,
    "number": replace(t.INTEGER, loose=True),  # until a value says otherwise
    "real": t.DOUBLE,
    **{family: t.PINNED[family] for family in ("text", "date", "timestamp")},
}
_DECLARED = {
    "integer": "INT INTEGER TINYINT SMALLINT MEDIUMINT BIGINT INT2 INT4 INT8",
    "number": "NUM NUMERIC DECIMAL",
    "real": "REAL FLOAT DOUBLE",  # SQLite turns an integer that is stored here into a real
    "text": "TEXT CHAR CHARACTER VARCHAR NCHAR NVARCHAR CLOB",
    "date": "DATE",
    "timestamp": "DATETIME TIMESTAMP",
}
_FAMILIES = {word: family for family, words in _DECLARED.items() for word in words.split()} | {
    "DOUBLE PRECISION": "real"
}
_FAULTS = {
    "binary": "holds binary values, which no predicate can use",
    "mixed": "holds both texts and numbers, so it has no type",
    "rounded": f"{ROUNDED}, so it has no type",
}


class SqliteSource(Source):
    """One table of a SQLite file, opened read-only."""

    format = "sqlite"

    def __init__(self, path: str, shown: str, options: ReadOptions) -> None:
        self._file, self._path = path, shown
        with self._open() as connection:
            tables = [
                str(row[0])
                for row in connection.execute(
                    "SELECT CAST(name AS TEXT) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' "
                    "ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
                )
            ]
        self._table = chosen_table(shown, options.table, tables)
        with self._open() as connection:
            described = connection.execute(f"PRAGMA table_info({quoted_name(self._table)})").fetchall()
        self._declared = {str(name): str(kind).upper().partition("(")[0].strip() for _, name, kind, *_ in described}
        self.columns = tuple(self._declared)

    def declared(self, names: Sequence[str]) -> Mapping[str, ColumnType]:
        return {name: _TYPES[family] for name in names if (family := _FAMILIES.get(self._declared[name])) is not None}

    def count_rows(self, engine: DuckdbEngine, names: Sequence[str]) -> int:
        with self._open() as connection:
            return self._rows(connection)

    def load(self, engine: DuckdbEngine, names: Sequence[str]) -> Mapping[str, ColumnType]:
        with (
            self._open() as connection,
            foreign_errors(f"{self._path} cannot be read: it is damaged, locked, or holds text that is not valid"),
        ):
            connection.text_factory = bytearray  # told from a blob; and a faulty text would be quoted in the error
            connection.execute("BEGIN")  # one state of the file for all that is read
            typed = {name: self._typed(name, *values) for name, values in self._read(connection, names).items()}
            if names:
                table = pa.table([column for column, _ in typed.values()], names=list(typed))
            else:
                table = pa.table({"one": pa.nulls(self._rows(connection), pa.bool_())})
            engine.arrow(table)
        return {name: kind for name, (_, kind) in typed.items()}

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        path = os.path.realpath(self._file)  # SQLite's own files are beside that one, not beside a link
        if os.path.exists(path) and os.stat(path).st_nlink > 1:
            raise BadData(
                f"{self._path} has a second name (a hard link), beside which its last changes may be; count a copy"
            )
        # Without a write-ahead log or a journal nobody is writing, nor was cut off, and immutable=1 keeps SQLite from
        # leaving files beside the data. With one it must not be there, since SQLite then looks at neither.
        beside = (path + "-wal", path + "-journal")
        idle = not any(os.path.exists(name) and os.path.getsize(name) > 0 for name in beside)
        address = f"file:{quote(os.fsencode(path))}?mode=ro{'&immutable=1' if idle else ''}"
        with (
            foreign_errors(
                f"{self._path} cannot be read as a SQLite file; is it damaged, or locked by another program?"
            ),
            closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection,
        ):
            yield connection

    def _rows(self, connection: sqlite3.Connection) -> int:
        ((rows,),) = connection.execute(f"SELECT count(*) FROM {quoted_name(self._table)}").fetchall()
        return int(rows)

    def _read(self, connection: sqlite3.Connection, names: Sequence[str]) -> dict[str, Values]:
        """Return the columns, with their classes.

        Raises:
            BadData: the values of one are not of one class.
        """
        if not names:
            return {}
        columns = {name: Gathered() for name in names}
        cursor = connection.execute(f"SELECT {', '.join(map(quoted_name, names))} FROM {quoted_name(self._table)}")
        while rows := cursor.fetchmany(_CHUNK_ROWS):
            for column, values in zip(columns.values(), zip(*rows, strict=True), strict=True):
                column.add(values)
        found = {}
        for name, column in columns.items():
            held = column.values()
            if isinstance(held, str):
                raise BadData(f"{self._path}: column {name!r} {_FAULTS[held]}")
            found[name] = held
        return found

    def _typed(self, name: str, column: Any, storage: str) -> tuple[Any, ColumnType]:
        if name in self.listed:
            held = held_as(column, storage, self.listed[name], ReadOptions())
            if held is None:
                word = self.listed[name].word
                raise BadData(f"{self._path}: column {name!r} holds a value that is not {word}, as was declared")
            return held, self.listed[name]
        declared, family = self._declared[name], _FAMILIES.get(self._declared[name])
        if family is not None:
            typed = _declared_type(column, family) if storage in (*_STORED[family], "null") else None
            if typed is None:
                raise BadData(f"{self._path}: column {name!r} is declared {declared} and holds a value that is none")
            return typed
        if storage == "integer" and declared in ("BOOL", "BOOLEAN") and zero_or_one(column):
            return column.cast("bool"), replace(t.BOOLEAN, open=True)
        return told_by_values(column, storage)


def _declared_type(column: Any, family: str) -> tuple[Any, ColumnType] | None:
    """Return the column in its declared type, or None if it holds a text that is no date or timestamp."""
    if family == "real":
        return column.cast("double"), t.DOUBLE
    if family == "integer":
        return column.cast("int64"), t.INTEGER
    if family == "number":
        if column.type == "double":
            return column, replace(t.DOUBLE, loose=True)
        whole = column.cast("int64")
        return whole, sized(whole)
    return pinned(column.cast("string"), family, ReadOptions())
