"""Spark, which judges rows where they are, in a session of its own, whose settings are pinned."""

from __future__ import annotations

import atexit
import logging
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from hushcount.counting.declared.place import Place
from hushcount.counting.engines.engine import Engine
from hushcount.counting.engines.spark.conditions import SparkConditions
from hushcount.counting.meaning.query import KEYS, SOURCE
from hushcount.errors import BadUse

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SparkEngine", "quiet"]

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


class SparkEngine(Engine):
    """A session of its own, in the Spark that runs in this process or else in a new one.

    Spark's own messages go to standard error, and may hold cells of the data; a Spark that is started here is kept
    silent.
    """

    conditions = SparkConditions

    def __init__(self, place: Place) -> None:
        super().__init__(place)
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

    def view(self, columns: Sequence[str], relation: Any) -> None:
        """Define the relation `source` as columns, given as SQL, of a data frame."""
        with quiet():
            relation.selectExpr(*(columns or ["1 AS one"])).createOrReplaceTempView(SOURCE)

    def found(self, sql: str, by: int) -> pa.Table:
        # As bytes: of what is not UTF-8, Java would tell no two apart
        keys = ", ".join(f"CAST(key_{at} AS BINARY)" for at in range(by))
        return super().found(f"SELECT cell, {keys}, counted FROM ({sql})", by)

    def keys(self, table: pa.Table) -> None:
        self.session.createDataFrame(table).createOrReplaceTempView(KEYS)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep pyspark from writing an error, with what it quotes of the data, to standard error before it is raised."""
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
    """Send standard error nowhere, for this process and for those that it starts meanwhile, for which it stays so."""
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
    """Return an empty folder that is removed when this process ends."""
    folder = mkdtemp(prefix="hushcount-")
    atexit.register(rmtree, folder, ignore_errors=True)
    return folder
