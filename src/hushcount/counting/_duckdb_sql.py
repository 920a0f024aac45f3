"""Ibis expressions as DuckDB's SQL."""

from __future__ import annotations

from typing import Any

from ibis.backends.sql.compilers.duckdb import DuckDBCompiler
from ibis.backends.sql.datatypes import DuckDBType
from ibis.expr.datatypes import DataType, dtype
from sqlglot import exp

from hushcount.counting._types import HUGE

__all__ = ["duckdb_sql"]

_HUGE = dtype(HUGE.ibis)


class _Types(DuckDBType):  # type: ignore[misc]
    """Ibis's names of types, but for the integers of 128 bits."""

    @classmethod
    def from_ibis(cls, kind: DataType) -> Any:
        if kind == _HUGE:
            return exp.DataType(this=exp.DataType.Type.INT128)
        return super().from_ibis(kind)


class _Compiler(DuckDBCompiler):  # type: ignore[misc]
    type_mapper = _Types


def duckdb_sql(question: Any) -> str:
    """An Ibis table expression as DuckDB's SQL."""
    compiler = _Compiler()
    return str(compiler.to_sqlglot(question.unbind()).sql(dialect=compiler.dialect))
