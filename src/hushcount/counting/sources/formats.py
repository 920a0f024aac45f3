"""From a place to a source: which format a file has, by its first bytes, and what cannot be a source at all."""

from __future__ import annotations

import os
import stat
from contextlib import AbstractContextManager
from typing import Any

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.declared.place import Place
from hushcount.counting.engines.choice import engine_of
from hushcount.counting.engines.duckdb import DuckdbEngine, KeptEngine
from hushcount.counting.engines.engine import Engine
from hushcount.counting.sources.duckdb import DuckdbSource
from hushcount.counting.sources.parquet import ParquetSource
from hushcount.counting.sources.source import Source
from hushcount.errors import BadData, InvalidParameter

__all__ = ["engine_for", "open_source"]

_NAMES = {
    "frame": "a frame",
    "postgresql": "a table in PostgreSQL",
    "spark": "a table in Spark",
    "parquet": "a Parquet file",
    "duckdb": "a DuckDB file",
    "sqlite": "a SQLite file",
}

_FOR_FRAMES = KeptEngine()
"""What counts in frames, for which a new connection would take as long as the count."""


def engine_for(place: Place, kept: KeptEngine | None = None) -> AbstractContextManager[Engine]:
    """Return the engine that judges the rows of a place, once its file is seen to be there, whatever it holds.

    Args:
        kept: what keeps an engine of a file or frame for the next count; None opens one for a file alone.

    Raises:
        BadData: there is no such file, or no right to read it; or the database cannot be reached.
        BadUse: a package that the engine needs is not installed, or it cannot be started.
    """
    if place.kind == "file":
        _first_bytes(place.text, place.shown)
    elif place.kind == "frame":
        kept = kept or _FOR_FRAMES
    if kept is not None and engine_of(place.kind) is DuckdbEngine:
        return kept.engine(place)
    return engine_of(place.kind)(place)


def open_source(place: Place, options: ReadOptions, engine: Any) -> Source:
    """Open the table at a place.

    Raises:
        BadData: there is no such file or table, or it is not in the declared format.
        InvalidParameter: an option does not go with the format, or the table is not named well.
    """
    if place.kind != "file":
        if options.format != "auto":
            raise InvalidParameter("format", options.format, f"left out for {_NAMES[place.kind]}; it is for files only")
        _refuse_csv_only(options, _NAMES[place.kind])
    # Inside, since psycopg and pyspark are optional, and pyarrow takes its time
    if place.kind == "postgresql":
        from hushcount.counting.sources.postgresql.table import PostgresqlSource

        return PostgresqlSource(place, options, engine)
    if place.kind == "frame":
        if options.table is not None:
            raise InvalidParameter("table", options.table, "left out for a frame, which is one table")
        from hushcount.counting.sources.frames.source import FrameSource

        return FrameSource(place)
    if place.kind == "spark":
        from hushcount.counting.sources.spark.data_set import SparkSource

        return SparkSource(place, options, engine)
    path = place.text
    format = _format(path, options.format)
    if format in ("csv", "parquet") and options.table is not None:
        shown = "a CSV file" if format == "csv" else _NAMES[format]
        raise InvalidParameter("table", options.table, f"left out for {shown}, which is one table")
    if format == "csv":
        from hushcount.counting.sources.csv.source import CsvSource

        return CsvSource(path, options)
    _refuse_csv_only(options, _NAMES[format])
    if format == "sqlite":
        from hushcount.counting.sources.sqlite import SqliteSource

        return SqliteSource(path, options)
    return ParquetSource(path, engine) if format == "parquet" else DuckdbSource(path, options, engine)


def _refuse_csv_only(options: ReadOptions, format: str) -> None:
    """Refuse options for CSV alone, since they would be ignored."""
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
