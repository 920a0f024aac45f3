"""Which engine judges the rows of a place."""

from __future__ import annotations

from hushcount.counting.engines.duckdb import DuckdbEngine
from hushcount.counting.engines.engine import Engine

__all__ = ["engine_of"]


def engine_of(kind: str) -> type[Engine]:
    """What judges the rows of a kind of place, as in `Place.kind`: the database itself, or Spark, or else DuckDB.

    Raises:
        BadUse: what drives it is not installed.
    """
    # Inside, since psycopg and pyspark are optional
    if kind == "postgresql":
        from hushcount.counting.engines.postgresql.engine import PostgresqlEngine

        return PostgresqlEngine
    if kind == "spark":
        from hushcount.counting.engines.spark.engine import SparkEngine

        return SparkEngine
    return DuckdbEngine
