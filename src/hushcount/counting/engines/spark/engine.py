"""Parquet data sets and tables, counted by Spark in a session of its own, whose settings are pinned.

What can be a source are files whose rows are all there is to them: a Parquet file or folder, or a table of the catalog
that Spark keeps as Parquet or ORC files. A view may compute its rows from other rows, and what a CSV or JSON file means
depends on how Spark was asked to read it, so neither can. The types are those of the files; a column that Spark finds
in the names of folders only is a text, since another folder could change what it looks like.
"""

from __future__ import annotations

import atexit
import logging
import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.declared.place import Place
from hushcount.counting.declared.schema import SchemaColumn
from hushcount.counting.engines.engine import Judge, foreign_errors
from hushcount.counting.engines.spark.conditions import SparkConditions
from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.query import KEYS, SOURCE
from hushcount.counting.meaning.types import ColumnType
from hushcount.counting.sources.spark.files import check_columns, check_files, has_partitions, held_files, local_path
from hushcount.errors import BadData, BadUse, InvalidParameter, PredicateRefused

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SparkEngine", "SparkSource"]

_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.variable.substitute": "false",  # a text with ${...} in it is a text
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.parquet.mergeSchema": "true",
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.legacy.parquet.nanosAsLong": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.legacy.charVarcharAsString": "false",
    "spark.sql.readSideCharPadding": "false",  # a computed column; a char is refused by itself
}
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


class SparkEngine(Judge):
    """A session of its own, in the Spark that runs in this process, or else in one that is started now.

    Spark's own words go to standard error, and may hold cells of the data; what is started here is kept silent.
    """

    conditions = SparkConditions

    def __init__(self, place: Place) -> None:
        try:
            from pyspark.sql import SparkSession
        except ImportError:
            raise BadUse("a source in Spark needs the package pyspark: pip install 'hushcount[pyspark]'") from None
        if "SPARK_REMOTE" in os.environ or "SPARK_CONNECT_MODE_ENABLED" in os.environ:
            raise BadUse("Spark Connect cannot be used: what a table is kept in cannot be seen through it")
        running = SparkSession.getActiveSession() or SparkSession._instantiatedSession
        try:
            self.session: Any = (running or _started()).newSession()
            for name, value in _SETTINGS.items():
                self.session.conf.set(name, value)
        except Exception:  # whatever kept the JVM from starting
            raise BadUse(
                "Spark cannot be started: it needs Java 17 or newer (JAVA_HOME, or java on the path)"
            ) from None

    def close(self) -> None:
        for name in (SOURCE, KEYS):
            self.session.catalog.dropTempView(name)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with quiet():
            return [tuple(row) for row in self.session.sql(sql).collect()]

    def view(self, frame: Any, columns: Sequence[str]) -> None:
        """Define the relation `source` as columns, given as SQL, of a frame."""
        frame.selectExpr(*(columns or ["1 AS one"])).createOrReplaceTempView(SOURCE)

    def keys(self, table: pa.Table) -> None:
        self.session.createDataFrame(table).createOrReplaceTempView(KEYS)


@contextmanager
def quiet() -> Iterator[None]:
    """Keeps pyspark from writing an error, with what it quotes of the data, to standard error before it is raised."""
    logger = logging.getLogger("SQLQueryContextLogger")
    before, logger.disabled = logger.disabled, True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # the socket of an answer is left to be collected
            yield
    finally:
        logger.disabled = before


@contextmanager
def _silent() -> Iterator[None]:
    """Standard error led nowhere, for this process and for those it starts meanwhile, which keep it so."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _started() -> Any:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    settings = SparkConf().setAppName("hushcount")
    settings.set("spark.ui.enabled", "false").set("spark.ui.showConsoleProgress", "false")
    is_new = SparkContext._active_spark_context is None
    with _silent():
        context = SparkContext.getOrCreate(settings)
        builder, given = SparkSession.builder, context.getConf()
        has_metastore = given.get("spark.sql.catalogImplementation") == "hive"
        if is_new and not has_metastore and not given.contains("spark.sql.warehouse.dir"):
            # Else Spark makes a folder for tables in the current one, though none is ever written
            builder = builder.config("spark.sql.warehouse.dir", f"file://{_folder_for_this_process()}")
        return builder.getOrCreate()


@cache
def _folder_for_this_process() -> str:
    """An empty folder that is removed in the end."""
    folder = mkdtemp(prefix="hushcount-")
    atexit.register(rmtree, folder, ignore_errors=True)
    return folder


class SparkSource:
    """A Parquet data set, or a table of Spark's catalog."""

    format = "spark"
    values_tell = False

    def __init__(self, place: Place, options: ReadOptions, engine: SparkEngine) -> None:
        self._shown = place.shown
        if options.table is not None:
            raise InvalidParameter("table", options.table, "left out for Spark: write spark:TABLE as the source")
        is_name = "/" not in place.text
        hint = f"; a folder or file needs a slash, as in spark:./{place.text}" if is_name else ""
        with foreign_errors(f"{self._shown}: no such table, or one that Spark cannot read{hint}"), quiet():
            frame = self._frame(place, engine.session, is_name)
            self._types = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
            # A text that was declared as a char, which Spark pads with spaces, or as a varchar
            self._written = {field.name: str(field.metadata.get(_WRITTEN_TYPE, "")) for field in frame.schema.fields}
            self.columns = tuple(field.name for field in frame.schema.fields)
        if len({name.casefold() for name in self.columns}) < len(self.columns):
            raise BadData(f"{self._shown} holds columns whose names are the same or differ only in case")
        relation = self._files_behind(frame)
        with foreign_errors(f"{self._shown}: its files cannot be listed, or disagree on its columns"), quiet():
            files = check_files(relation, engine.session, self._shown, is_name)
            found = _columns_of(files, relation, engine.session) if is_name else relation.dataSchema().fieldNames()
            check_columns(relation, self._shown, [*map(str, found)])
        self._frame_read = frame

    def _frame(self, place: Place, session: Any, is_name: bool) -> Any:
        if is_name:
            if not _NAME.fullmatch(place.text):
                raise InvalidParameter("source", place.shown, "spark: and a table, as [CATALOG.][DATABASE.]TABLE")
            return session.table(place.text)
        path = local_path(place.text)
        address = place.text if path is None else f"file://{path}"
        # Without partitions Spark goes into no folder below, unless it is told to
        is_plain = not has_partitions(held_files(address, session, self._shown), self._shown)
        return session.read.option("recursiveFileLookup", is_plain).parquet(_escaped(address))

    def _files_behind(self, frame: Any) -> Any:
        """The `HadoopFsRelation` of a frame that is one."""
        plan = frame._jdf.queryExecution().analyzed()
        while True:
            kind = str(plan.nodeName())
            if kind not in _PLAIN_PLANS:
                raise BadData(f"{self._shown} is not a table kept in files: a view may compute rows from other rows")
            if kind == "LogicalRelation":
                break
            plan = plan.children().head()
        relation = plan.relation()
        if str(relation.getClass().getSimpleName()) != "HadoopFsRelation" or str(relation.fileFormat()) not in _FILES:
            raise BadData(f"{self._shown} is not kept in Parquet or ORC files")
        return relation

    def declared(self, names: Sequence[str]) -> Mapping[str, ColumnType]:
        """The types of the columns `names`."""
        return self._readable(names)[0]

    def count_rows(self, engine: SparkEngine, names: Sequence[str]) -> int:
        """The number of rows."""
        engine.view(self._frame_read, [])
        with foreign_errors(f"{self._shown}: the rows could not be counted"):
            ((rows,),) = engine.rows(f"SELECT count(*) FROM {SOURCE}")
        return int(rows)

    def load(self, engine: SparkEngine, names: Sequence[str]) -> Mapping[str, ColumnType]:
        """Point the engine at the columns `names` and return their types."""
        types, selected = self._readable(names)
        with foreign_errors(f"{self._shown}: the columns could not be read"), quiet():
            engine.view(self._frame_read, selected)
        return types

    def described(self, engine: SparkEngine) -> tuple[SchemaColumn, ...]:
        """All columns with the types that Spark declares."""
        return tuple(self._described(name)[0] for name in self.columns)

    def _described(self, name: str) -> tuple[SchemaColumn, str]:
        """A column, and the SQL that reads one of its type."""
        kind = self._types[name]
        match = _DECIMAL.fullmatch(kind)
        known = (t.decimal(int(match[1]), int(match[2])), _AS_IT_IS) if match else _SIMPLE.get(kind)
        written = _VARCHAR.fullmatch(self._written[name])
        if known is not None and written is not None:
            known = replace(t.TEXT, length=int(written[1])), known[1]
        if known is None or self._written[name].startswith("char"):
            shown = "char" if known else kind[:60]
            return SchemaColumn(name, t.UNKNOWN, f"has the type {shown}, which no predicate can use"), ""
        return SchemaColumn(name, known[0]), known[1]

    def _readable(self, names: Sequence[str]) -> tuple[dict[str, ColumnType], list[str]]:
        types, selected = {}, []
        for name in names:
            described, read = self._described(name)
            if described.refused:
                raise PredicateRefused(f"column {name!r} of {self._shown} {described.refused}")
            types[name] = described.type
            column = "`" + name.replace("`", "``") + "`"
            selected.append(f"{read.format(column)} AS {column}")
        return types, selected


def _columns_of(files: Sequence[str], relation: Any, session: Any) -> list[str]:
    """The columns of the files of a table themselves; the table may say of them what it likes."""
    reader = session.read.format(str(relation.fileFormat()).lower()).option("mergeSchema", True)
    reader = reader.option("recursiveFileLookup", True)  # no column from the names of folders
    return reader.load([*map(_escaped, files)]).columns if files else []


def _escaped(path: str) -> str:
    """An address of which Spark takes no character for a pattern."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", path)
