"""Parquet data sets and tables, which Spark counts.

What can be a source are files whose rows are all there is to them: a Parquet file or folder, or a table of the catalog
that Spark keeps as Parquet or ORC files. A view may compute its rows from other rows, and what a CSV or JSON file means
depends on how Spark was asked to read it, so neither can. The types are those of the files; a column that Spark finds
in the names of folders only is a text, since another folder could change what it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.declared.place import Place
from hushcount.counting.engines.spark.engine import SparkEngine, quiet
from hushcount.counting.faults import foreign_errors
from hushcount.counting.meaning import types as t
from hushcount.counting.sources.source import Column, DeclaredSource, check_distinct
from hushcount.counting.sources.spark.files import check_columns, check_files, has_partitions, held_files, local_path
from hushcount.errors import BadData, InvalidParameter

__all__ = ["SparkSource"]

_NAME = re.compile(r"[A-Za-z0-9_]+(\.[A-Za-z0-9_]+){0,2}")
_VARCHAR = re.compile(r"varchar\(([0-9]+)\)")
_DECIMAL = re.compile(r"decimal\(([0-9]+),([0-9]+)\)")
_WRITTEN_TYPE = "__CHAR_VARCHAR_TYPE_STRING"
"""Where Spark keeps how a text was declared."""

_PLAIN_PLANS = {"SubqueryAlias", "LogicalRelation"}
_FILES = {"Parquet", "ORC"}
_AS_IT_IS = "{}"
_SIMPLE = {
    "tinyint": (t.integer(8, signed=True), _AS_IT_IS),
    "smallint": (t.integer(16, signed=True), _AS_IT_IS),
    "int": (t.integer(32, signed=True), _AS_IT_IS),
    "bigint": (t.INTEGER, _AS_IT_IS),
    "float": (t.SINGLE, "CAST({} AS DOUBLE)"),
    "double": (t.DOUBLE, _AS_IT_IS),
    "boolean": (t.BOOLEAN, _AS_IT_IS),
    "string": (t.TEXT, _AS_IT_IS),
    "date": (t.DATE, _AS_IT_IS),
    "timestamp": (t.TIMESTAMP_UTC, _AS_IT_IS),
    "timestamp_ntz": (t.TIMESTAMP, "CAST({} AS TIMESTAMP)"),
}


class SparkSource(DeclaredSource):
    """A Parquet data set, or a table of Spark's catalog."""

    format = "spark"

    def __init__(self, place: Place, options: ReadOptions, engine: SparkEngine) -> None:
        shown = place.shown
        if options.table is not None:
            raise InvalidParameter("table", options.table, "left out for Spark: write spark:TABLE as the source")
        is_name = "/" not in place.text
        hint = f"; a folder or file needs a slash, as in spark:./{place.text}" if is_name else ""
        with foreign_errors(f"{shown}: no such table, or one that Spark cannot read{hint}"), quiet():
            frame = _frame(place, engine.session, is_name)
            # A text that was declared as a char, which Spark pads with spaces, or as a varchar
            columns = [
                _column(field.name, field.dataType.simpleString(), str(field.metadata.get(_WRITTEN_TYPE, "")))
                for field in frame.schema.fields
            ]
        check_distinct(shown, [column.name for column in columns])
        relation = _files_behind(frame, shown)
        with foreign_errors(f"{shown}: its files cannot be listed, or disagree on its columns"), quiet():
            files = check_files(relation, engine.session, shown, is_name)
            found = _columns_of(files, relation, engine.session) if is_name else relation.dataSchema().fieldNames()
            check_columns(relation, shown, [*map(str, found)])
        super().__init__(shown, columns, frame)


def _column(name: str, kind: str, written: str) -> Column:
    match = _DECIMAL.fullmatch(kind)
    known = (t.decimal(int(match[1]), int(match[2])), _AS_IT_IS) if match else _SIMPLE.get(kind)
    limited = _VARCHAR.fullmatch(written)
    if known is not None and limited is not None:
        known = replace(t.TEXT, length=int(limited[1])), known[1]
    if known is not None and written.startswith("char"):
        kind, known = "char", None
    return Column.of(name, kind, known, "`" + name.replace("`", "``") + "`")


def _frame(place: Place, session: Any, is_name: bool) -> Any:
    if is_name:
        if not _NAME.fullmatch(place.text):
            raise InvalidParameter("source", place.shown, "spark: and a table, as [CATALOG.][DATABASE.]TABLE")
        return session.table(place.text)
    path = local_path(place.text)
    address = place.text if path is None else f"file://{path}"
    # Without partitions Spark goes into no folder below, unless it is told to
    is_plain = not has_partitions(held_files(address, session, place.shown), place.shown)
    return session.read.option("recursiveFileLookup", is_plain).parquet(_escaped(address))


def _files_behind(frame: Any, shown: str) -> Any:
    """Return the `HadoopFsRelation` of a frame that is one."""
    plan = frame._jdf.queryExecution().analyzed()
    while True:
        kind = str(plan.nodeName())
        if kind not in _PLAIN_PLANS:
            raise BadData(f"{shown} is not a table kept in files: a view may compute rows from other rows")
        if kind == "LogicalRelation":
            break
        plan = plan.children().head()
    relation = plan.relation()
    if str(relation.getClass().getSimpleName()) != "HadoopFsRelation" or str(relation.fileFormat()) not in _FILES:
        raise BadData(f"{shown} is not kept in Parquet or ORC files")
    return relation


def _columns_of(files: Sequence[str], relation: Any, session: Any) -> list[str]:
    """Return the columns of the files of a table themselves; the table may say of them what it likes."""
    reader = session.read.format(str(relation.fileFormat()).lower()).option("mergeSchema", True)
    reader = reader.option("recursiveFileLookup", True)  # no column from the names of folders
    return reader.load([*map(_escaped, files)]).columns if files else []


def _escaped(path: str) -> str:
    """Return an address of which Spark takes no character for a pattern."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", path)
