"""Parquet tables in which something is no UTF-8, so that nobody can spell it."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

NOT_UTF_8 = b"caf\xe9"


def column_name() -> pa.Table:
    return pa.Table.from_arrays([pa.array([1.0])], schema=pa.schema([pa.field(NOT_UTF_8, pa.float64())]))


def nested_name() -> pa.Table:
    inner = pa.StructArray.from_arrays([pa.array([1])], fields=[pa.field(NOT_UTF_8, pa.int64())])
    return pa.table({"k": inner})


def text() -> pa.Table:
    return pa.table({"k": pa.array([NOT_UTF_8]).view(pa.string())})


TABLES: list[Callable[[], pa.Table]] = [column_name, nested_name, text]
