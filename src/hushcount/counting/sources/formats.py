"""From a place to a source: which format a file has, told by its first bytes, and what cannot be a source at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.declared.place import Place
from hushcount.counting.declared.schema import SchemaColumn
from hushcount.counting.engines.engine import Engine, Judge
from hushcount.counting.meaning.types import ColumnType
from hushcount.counting.sources.csv.source import CsvSource
from hushcount.counting.sources.parquet import DuckdbSource, ParquetSource
from hushcount.counting.sources.sqlite import SqliteSource
from hushcount.errors import BadData, InvalidParameter

__all__ = ["Source", "check_reachable", "engine_for", "engine_of", "open_source"]

_NAMES = {
    "postgresql": "a table in PostgreSQL",
    "spark": "a table in Spark",
    "parquet": "a Parquet file",
    "duckdb": "a DuckDB file",
    "sqlite": "a SQLite file",
}


class Source(Protocol):
    """A table that was opened: its column names are known, nothing else of it was read.

    Attributes:
        format: as of `Schema`.
        values_tell: whether values have a say in the types of columns. Then it can also be told to `read_as`.
        columns: the names of the columns, in order.
    """

    format: str
    values_tell: bool
    columns: tuple[str, ...]

    def declared(self, names: Sequence[str]) -> Mapping[str, ColumnType]:
        """The types of those columns among `names` of which values can say no more."""

    def described(self, engine: Any) -> tuple[SchemaColumn, ...]:
        """All columns with their types; where values have a say, after reading all of them.

        Raises:
            BadData: the values of a column have no type.
        """

    def count_rows(self, engine: Any, names: Sequence[str]) -> int:
        """The number of rows, on the way to loading the columns `names`."""

    def load(self, engine: Any, names: Sequence[str]) -> Mapping[str, ColumnType]:
        """Make the columns `names` the relation of the engine, and return their types."""


def engine_of(kind: str) -> type[Judge]:
    """What judges the rows of a kind of place, as of `Place.kind`: its words, without a connection.

    Raises:
        BadUse: what drives it is not installed.
    """
    if kind == "postgresql":
        from hushcount.counting.engines.postgresql.engine import PostgresqlEngine

        return PostgresqlEngine
    if kind == "spark":
        from hushcount.counting.engines.spark.engine import SparkEngine

        return SparkEngine
    return Engine


def engine_for(place: Place) -> Judge:
    """The engine that judges the rows of a place: the database itself, or Spark, or else DuckDB.

    Raises:
        BadData: the database cannot be reached.
        BadUse: what drives it is not installed, or cannot be started.
    """
    return engine_of(place.kind)(place)


def check_reachable(place: Place) -> None:
    """See that the file at a place can be opened, whatever it holds; the engine has seen to anything else.

    Raises:
        BadData: there is none, or no right to read it.
    """
    if place.kind == "file":
        _first_bytes(place.text, place.shown)


def open_source(place: Place, options: ReadOptions, engine: Any) -> Source:
    """Open the table at a place.

    Raises:
        BadData: there is no such file or table, or it is not in the declared format.
        InvalidParameter: an option does not go with the format, or the table is not named well.
    """
    if place.kind != "file":
        _refuse_format(options, place)
        _refuse_csv_only(options, _NAMES[place.kind])
    if place.kind == "postgresql":
        from hushcount.counting.engines.postgresql.engine import PostgresqlSource

        return PostgresqlSource(place, options, engine)
    if place.kind == "spark":
        from hushcount.counting.engines.spark.engine import SparkSource

        return SparkSource(place, options, engine)
    path = place.text
    format = _format(path, options.format)
    if format == "csv":
        if options.table is not None:
            raise InvalidParameter("table", options.table, "left out for a CSV file, which is one table")
        return CsvSource(path, options)
    _refuse_csv_only(options, _NAMES[format])
    if format == "parquet":
        if options.table is not None:
            raise InvalidParameter("table", options.table, "left out for a Parquet file, which is one table")
        return ParquetSource(path, engine)
    return DuckdbSource(path, options, engine) if format == "duckdb" else SqliteSource(path, options)


def _refuse_format(options: ReadOptions, place: Place) -> None:
    if options.format != "auto":
        raise InvalidParameter("format", options.format, f"left out for {_NAMES[place.kind]}; it is for files only")


def _refuse_csv_only(options: ReadOptions, format: str) -> None:
    """Refuse what is declared for a CSV alone, since it would be ignored."""
    defaults = dict(ReadOptions().pairs())
    for name, shown in options.pairs():
        if name not in ("format", "table") and shown != defaults[name]:
            raise InvalidParameter(name, shown, f"left out for {format}; it is for CSV only")


def _format(path: str, declared: str) -> str:
    head = _first_bytes(path, path)
    if not head:
        raise BadData(f"{path} is empty: it holds no header and no row")
    found = _known_format(head)
    if declared in ("auto", found):
        if head.startswith(b"PK\x03\x04"):
            raise BadData(f"{path} is a zip archive (a spreadsheet, perhaps); export it as CSV")
        return found or "csv"
    if declared == "csv":
        if found is not None:
            raise BadData(f"{path} is {_NAMES[found]}, not a CSV")
        return declared
    raise BadData(f"{path} is not {_NAMES[declared]}")


def _known_format(head: bytes) -> str | None:
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"SQLite format 3\0"):
        return "sqlite"
    return "duckdb" if head[8:12] == b"DUCK" else None


def _first_bytes(path: str, shown: str) -> bytes:
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise BadData(f"{shown} is a directory; give one file")
        if not stat.S_ISREG(mode):
            raise BadData(f"{shown} is not a regular file; it is read twice, so a pipe cannot be a source")
        with open(path, "rb") as file:
            return file.read(16)
    except FileNotFoundError:
        raise BadData(f"{shown} does not exist") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) else "it is no path"
        raise BadData(f"{shown!r} cannot be opened: {reason}") from None
