"""From a place to a source: which format a file has, by its first bytes, and what cannot be a source at all."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from typing import Any

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.declared.place import Place
from hushcount.counting.engines.choice import engine_of
from hushcount.counting.engines.duckdb import KeptEngine
from hushcount.counting.engines.engine import Engine
from hushcount.counting.sources.duckdb import DuckdbSource
from hushcount.counting.sources.parquet import ParquetSource
from hushcount.counting.sources.signatures import check_is_file, is_opened_by_duckdb, told_format
from hushcount.counting.sources.source import Source
from hushcount.errors import BadData, InvalidParameter
from hushcount.files.data_files import DataFile

__all__ = ["engine_for", "open_source"]

_NAMES = {
    "frame": "a frame",
    "postgresql": "a table in PostgreSQL",
    "spark": "a table in Spark",
    "csv": "a CSV file",
    "parquet": "a Parquet file",
    "duckdb": "a DuckDB file",
    "sqlite": "a SQLite file",
    "json": "a file of JSON lines",
    "arrow": "an Arrow file",
    "stata": "a Stata file",
    "spss": "an SPSS file",
    "sas": "a SAS file",
    "xport": "a SAS transport file",
    "excel": "an Excel file",
}
_OPTIONS = {
    "frame": set[str](),
    "postgresql": {"table"},
    "spark": {"table"},
    "csv": {"header", "delimiter", "encoding", "null", "decimal", "date_format", "types", "trailing_delimiter"},
    "parquet": set[str](),
    "duckdb": {"table"},
    "sqlite": {"table"},
    "json": {"date_format", "types"},
    "arrow": set[str](),
    "stata": {"types"},
    "spss": {"types"},
    "sas": {"types"},
    "xport": {"types"},
    "excel": {"header", "table", "date_format", "types"},
}
"""The options of each format, besides the format."""


_STATISTICAL = ("stata", "spss", "sas", "xport")
_SEVERAL = ("csv", "json", "parquet")
"""The formats of which several files can be one table."""

_FOR_TABLES = KeptEngine()
"""What counts in Arrow tables, made of frames and of all files that DuckDB need not open: a new connection would take
as long as the count. It can open no file."""
_NO_FILE = Place("named", "", "", "", "")


def engine_for(place: Place, kept: KeptEngine | None = None) -> AbstractContextManager[Engine]:
    """Return the engine that judges the rows of a place, once its file is seen to be there, whatever it holds.

    Args:
        kept: what keeps an engine of a file or frame for the next count; None opens one for a file alone, if DuckDB is
            to open it, and otherwise has the one that all share.

    Raises:
        BadData: there is no such file, or no right to read it; or the database cannot be reached.
        BadUse: a package that the engine needs is not installed, or it cannot be started.
    """
    opens = place.kind == "file" and is_opened_by_duckdb(check_is_file(place.text, place.shown))
    # Of several files, each count sees those that are there then
    if place.kind not in ("file", "frame") or (opens and kept is None):
        return engine_of(place.kind)(place)
    return _FOR_TABLES.engine(_NO_FILE) if kept is None else kept.engine(place)


def open_source(place: Place, options: ReadOptions, engine: Any) -> Source:
    """Open the table at a place.

    Raises:
        BadData: there is no such file or table, or it is not in the declared format.
        InvalidParameter: an option does not go with the format, or the table is not named well.
    """
    if place.kind not in ("file", "files"):
        if options.format != "auto":
            raise InvalidParameter("format", options.format, f"left out for {_NAMES[place.kind]}; it is for files only")
        _refuse_others(options, place.kind)
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
    if place.kind == "file":
        files, shown, path = (DataFile(os.path.abspath(place.text)),), place.shown, place.text
    else:
        files, shown, path = engine.files, place.shown, ""
    named = [(path, shown)] if path else [(file.path, file.path) for file in files]
    format, *others = (_format(*each, options.format) for each in named)
    if any(other != format for other in others) or (not path and format not in _SEVERAL):
        raise BadData(f"{shown}: several files must all be of one format: {', '.join(_SEVERAL)}")
    _refuse_others(options, format)
    if format == "parquet":
        return ParquetSource(shown, files, engine)
    if files[0].keys:
        raise BadData(f"{shown}: only for Parquet files may the names of folders be columns (NAME=VALUE)")
    if format == "duckdb":
        return DuckdbSource(path, shown, options, engine)
    if format == "sqlite":
        from hushcount.counting.sources.sqlite import SqliteSource

        return SqliteSource(path, shown, options)
    if format == "json":
        from hushcount.counting.sources.json.source import JsonSource

        return JsonSource(shown, named, options)
    if format == "excel":
        from hushcount.counting.sources.excel import ExcelSource

        return ExcelSource(path, shown, options)
    if format in _STATISTICAL:
        from hushcount.counting.sources.statistical import StatisticalSource

        return StatisticalSource(path, shown, format, options)
    if format == "arrow":
        from hushcount.counting.sources.arrow import ArrowSource

        return ArrowSource(path, shown)
    from hushcount.counting.sources.csv.source import CsvSource

    return CsvSource(shown, named, options)


def _refuse_others(options: ReadOptions, format: str) -> None:
    """Refuse options for other formats, since they would be ignored."""
    if "label" in options.types.values() and format not in _STATISTICAL:
        raise InvalidParameter("types", "label", f"another type for {_NAMES[format]}, which has no value labels")
    defaults = dict(ReadOptions().pairs())
    for name, shown in options.pairs():
        if name == "format" or name in _OPTIONS[format] or shown == defaults[name]:
            continue
        if name == "table":
            raise InvalidParameter(name, options.table, f"left out for {_NAMES[format]}, which is one table")
        users = [_NAMES[other].split(" ", 1)[1] for other, names in _OPTIONS.items() if name in names]
        where = "CSV only" if users == ["CSV file"] else ", ".join(users)
        raise InvalidParameter(name, shown, f"left out for {_NAMES[format]}; it is for {where}")


def _format(path: str, shown: str, declared: str) -> str:
    found = told_format(path, shown, may_be_text=declared == "csv")
    if declared in ("auto", found):
        return found or "csv"
    if declared == "json" and found is None:  # whose first line says what is wrong
        return declared
    if declared != "csv":
        raise BadData(f"{shown} is not {_NAMES[declared]}")
    if found is not None:
        raise BadData(f"{shown} is {_NAMES[found]}, not a CSV")
    return declared
