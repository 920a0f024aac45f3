"""One predicate, one count: from files of every format, and the same as plain Python finds."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from pyarrow import feather

from hushcount.counting import ReadOptions, count_matching
from hushcount.errors import PredicateRefused

from .reference import Part, matching, predicates, rows

Table = list[dict[str, Any]]

_TYPES = {"i": "integer", "x": "number", "s": "text", "b": "boolean", "d": "date"}
_SCHEMA = pa.schema([("i", pa.int64()), ("x", pa.float64()), ("s", pa.string()), ("b", pa.bool_()), ("d", pa.date32())])
_PINNED = ReadOptions(types=_TYPES)


def _csv(table: Table, path: Path) -> Path:
    def cell(value: Any) -> str:
        return "" if value is None else '"' + str(value).replace('"', '""') + '"'

    lines = [",".join(_TYPES), *(",".join(cell(row[name]) for name in _TYPES) for row in table)]
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return path


def _csv_untyped(table: Table, path: Path) -> Path:
    def cell(value: Any) -> str:
        return "" if value is None else f'"{value}"' if isinstance(value, str) else str(value)

    path.write_text("i,x,s\n" + "".join(",".join(cell(row[name]) for name in "ixs") + "\n" for row in table), "utf-8")
    return path


def _parquet(table: Table, path: Path) -> Path:
    pq.write_table(pa.Table.from_pylist(table, _SCHEMA), path)
    return path


def _duckdb(table: Table, path: Path) -> Path:
    arrow = pa.Table.from_pylist(table, _SCHEMA)
    with duckdb.connect(str(path)) as connection:
        connection.register("given", arrow)
        connection.execute("CREATE TABLE people AS SELECT * FROM given")
    return path


def _sqlite(table: Table, path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE people (i INTEGER, x REAL, s TEXT, b BOOLEAN, d DATE)")
    values = [[str(row["d"]) if name == "d" and row["d"] else row[name] for name in _TYPES] for row in table]
    connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", values)
    connection.commit()
    connection.close()
    return path


def _json(table: Table, path: Path) -> Path:
    """A missing value is left out in every other row."""
    rows = [
        row if at % 2 == 0 else {name: value for name, value in row.items() if value is not None}
        for at, row in enumerate(table)
    ]
    path.write_text("".join(json.dumps(row, default=str) + "\n" for row in rows), "utf-8")
    return path


def _arrow(table: Table, path: Path) -> Path:
    feather.write_feather(pa.Table.from_pylist(table, _SCHEMA), str(path))
    return path


_WRITERS: dict[str, Callable[[Table, Path], Path]] = {
    "csv": _csv,
    "parquet": _parquet,
    "duckdb": _duckdb,
    "sqlite": _sqlite,
    "json": _json,
    "arrow": _arrow,
}
_UNTYPED = ("csv", "json")
"""Formats whose types are pinned, and whose whole numbers may have 38 digits."""
_ALL_WRITERS = {**_WRITERS, "csv without types": _csv_untyped}


def _counted(table: Table, where: str, format: str) -> tuple[int, int]:
    """The number of rows, and of those that match."""
    with tempfile.TemporaryDirectory() as folder:
        path = _ALL_WRITERS[format](table, Path(folder) / f"people.{format}")
        tally = count_matching(path, where, _PINNED if format in _UNTYPED else None)
    return tally.rows, tally.matching


def _counted_or_refused(table: Table, where: str, format: str) -> tuple[int, int] | None:
    """The same; None where a whole number that may have 38 digits would be rounded to a double, and for JSON lines of
    no row, which have no column."""
    if format == "json" and not table:
        return None
    try:
        return _counted(table, where, format)
    except PredicateRefused as refused:
        if format in _UNTYPED and "'i' (integer) may be any whole number of up to 38 digits" in str(refused):
            return None
        raise


@pytest.mark.slow
@given(rows, predicates)
@settings(max_examples=150, deadline=None)
def test_csv_equals_plain_python(table: Table, predicate: Part) -> None:
    assert _counted_or_refused(table, predicate.sql, "csv") in (None, (len(table), matching(table, predicate)))


@pytest.mark.slow
@given(rows, predicates)
@settings(max_examples=40, deadline=None)
def test_every_format_equals_plain_python(table: Table, predicate: Part) -> None:
    expected = (len(table), matching(table, predicate))
    found = {format: _counted_or_refused(table, predicate.sql, format) for format in _WRITERS}
    refused = {format: None for format in _UNTYPED if found[format] is None}
    assert found == {**dict.fromkeys(_WRITERS, expected), **refused}


def test_whole_numbers_of_a_csv_meet_fractions_as_doubles_where_it_is_said() -> None:
    table: Table = [
        {"i": 1, "x": 1.5, "s": "", "b": None, "d": None},
        {"i": 2, "x": 1.5, "s": "", "b": None, "d": None},
    ]
    assert _counted_or_refused(table, "i < x", "csv") is None
    assert _counted(table, "i + 0 < x", "csv") == (2, 1)


_NAN = float("nan")
_MIXED: Table = [
    {"i": number, "x": value, "s": text, "b": None, "d": None}
    for number, value, text in [(1, 1.0, "a"), (2, _NAN, ""), (3, None, None), (4, float("inf"), "B"), (5, -2.5, "é")]
]


@pytest.mark.slow
@pytest.mark.parametrize("format", _ALL_WRITERS)
@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("x > 0", 2),  # the engine itself would put NaN above all numbers
        ("not x > 0", 1),
        ("x <= 0 or x > 0", 3),
        ("x is null", 2),
        ("x = x + 0", 3),
        ("x = 9007199254740993", 0),
        ("x <> 1", 2),
        ("x in (1, -2.5)", 2),
        ("x not in (1)", 2),
        ("x - x = 0", 2),  # infinity less infinity is NaN, hence missing
        ("coalesce(x, 0) = 0", 2),
        ("case when x > 0 then 'y' else 'n' end = 'n'", 3),
        ("(x > 0) is null", 2),
        ("x / 0 is null", 5),
        ("s < 'a'", 2),
        ("s is null", 1),
    ],
)
def test_nan_is_a_missing_value_in_every_format(format: str, where: str, expected: int) -> None:
    assert _counted(_MIXED, where, format) == (5, expected)
