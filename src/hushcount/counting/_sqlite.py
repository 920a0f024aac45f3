"""SQLite files: the needed columns are copied into Arrow, so that the same engine judges the predicate as for any file.

SQLite types values, not columns, so a column has a type only if all of its values agree:

- integer: all are integers; with a column declared BOOLEAN and no value but 0 and 1, boolean;
- number: all are numbers, some of them real; then no integer may be beyond 2**53, which a double would round;
- text: all are texts; with a column declared DATE, DATETIME or TIMESTAMP whose texts are all ISO, date or timestamp.

Any other mix, and any blob, is an error of the data. A column without any value is of unknown type.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import quote

from hushcount.counting import _types as t
from hushcount.counting._csv_types import pinned
from hushcount.counting._engine import Engine, foreign_errors, quoted
from hushcount.counting._tables import chosen_table
from hushcount.counting._types import ColumnType
from hushcount.counting.options import ReadOptions
from hushcount.errors import BadData

__all__ = ["SqliteSource"]

_CHUNK_ROWS = 100_000
_EXACT_IN_DOUBLE = 2**53


class SqliteSource:
    """One table of a SQLite file, opened read-only."""

    def __init__(self, path: str, options: ReadOptions) -> None:
        self._path = path
        with self._open() as connection:
            tables = [
                str(row[0])
                for row in connection.execute(
                    "SELECT CAST(name AS TEXT) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' "
                    "ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
                )
            ]
        self._table = chosen_table(path, options.table, tables)
        with self._open() as connection:
            described = connection.execute(f"PRAGMA table_info({quoted(self._table)})").fetchall()
        self._declared = {str(name): str(kind).upper() for _, name, kind, *_ in described}
        self.columns = tuple(self._declared)

    def load(self, engine: Engine, names: Sequence[str]) -> Mapping[str, ColumnType]:
        """Copy the columns `names` into the engine and return their types."""
        import pyarrow as pa

        engine.lock()
        with self._open() as connection, foreign_errors(f"{self._path} holds text that is not valid"):
            connection.text_factory = bytes  # a faulty text would else be quoted in the error
            connection.execute("BEGIN")  # one state of the file for all that is read
            kinds = {name: self._storage(connection, name) for name in names}
            columns = self._read(connection, kinds)
            typed = {name: self._typed(name, columns[name], kinds[name]) for name in names}
            table = pa.table([column for column, _ in typed.values()], names=list(typed)) if names else columns["one"]
            engine.arrow(table)
        return {name: kind for name, (_, kind) in typed.items()}

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        address = f"file:{quote(os.path.abspath(self._path))}?mode=ro"
        with (
            foreign_errors(f"{self._path} cannot be read as a SQLite file"),
            closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection,
        ):
            yield connection

    def _storage(self, connection: sqlite3.Connection, name: str) -> str:
        """The one storage class of a column: integer, real, text or null."""
        column, table = quoted(name), quoted(self._table)
        found = {
            kind.decode() if isinstance(kind, bytes) else str(kind): (low, high)
            for kind, low, high in connection.execute(
                f"SELECT typeof({column}), "
                f"min(CASE WHEN typeof({column}) = 'integer' THEN {column} END), "
                f"max(CASE WHEN typeof({column}) = 'integer' THEN {column} END) FROM {table} GROUP BY 1"
            )
        }
        classes = set(found) - {"null"}
        if "blob" in classes:
            raise BadData(f"{self._path}: column {name!r} holds binary values, which no predicate can use")
        if "text" in classes and len(classes) > 1:
            raise BadData(f"{self._path}: column {name!r} holds both texts and numbers, so it has no type")
        if classes == {"integer", "real"}:
            low, high = found["integer"]
            if not -_EXACT_IN_DOUBLE <= low <= high <= _EXACT_IN_DOUBLE:
                raise BadData(
                    f"{self._path}: column {name!r} mixes fractions with an integer beyond 2**53, so it has no type"
                )
            return "real"
        return classes.pop() if classes else "null"

    def _read(self, connection: sqlite3.Connection, kinds: Mapping[str, str]) -> dict[str, Any]:
        """The columns as Arrow arrays, one chunk at a time."""
        import pyarrow as pa

        held = {"integer": pa.int64(), "real": pa.float64(), "text": pa.binary(), "null": pa.bool_()}
        if not kinds:
            ((rows,),) = connection.execute(f"SELECT count(*) FROM {quoted(self._table)}").fetchall()
            return {"one": pa.table({"one": pa.nulls(rows, pa.bool_())})}
        chunks: dict[str, list[Any]] = {name: [] for name in kinds}
        cursor = connection.execute(f"SELECT {', '.join(map(quoted, kinds))} FROM {quoted(self._table)}")
        while rows := cursor.fetchmany(_CHUNK_ROWS):
            for (name, kind), values in zip(kinds.items(), zip(*rows, strict=True), strict=True):
                numbers = [None if value is None else float(value) for value in values] if kind == "real" else values
                array = pa.array(numbers, held[kind])
                chunks[name].append(array.cast(pa.string()) if kind == "text" else array)
        final = {**held, "text": pa.string()}
        return {name: pa.chunked_array(chunks[name], final[kind]) for name, kind in kinds.items()}

    def _typed(self, name: str, column: Any, storage: str) -> tuple[Any, ColumnType]:
        declared = self._declared[name].partition("(")[0].strip()
        if storage == "null":
            return column, t.UNKNOWN
        if storage == "real":
            return column, t.DOUBLE
        if storage == "text":
            kind = {"DATE": "date", "DATETIME": "timestamp", "TIMESTAMP": "timestamp"}.get(declared)
            typed = pinned(column, kind, ReadOptions()) if kind else None
            return typed or (column, t.TEXT)
        if declared in ("BOOL", "BOOLEAN") and _zero_or_one(column):
            return column.cast("bool"), t.BOOLEAN
        return column, t.INTEGER


def _zero_or_one(column: Any) -> bool:
    import pyarrow.compute as pc

    ends = pc.min_max(column).as_py()
    return bool(ends["min"] >= 0 and ends["max"] <= 1)
