"""Rows of units, at most so many of each: the same from every engine, and what plain Python finds."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st
from plain_tables import Row, plain_rows

from hushcount.counting import OpenTable, ReadOptions, count_matching
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.found import FoundCells
from hushcount.counting.cells.keys import Keys, group_list
from hushcount.counting.declared.units import Unit
from hushcount.counting.judging import judge
from hushcount.counting.meaning import types as t
from hushcount.counting.predicate.predicate import parse_predicate
from hushcount.errors import BadData, InvalidParameter

SALT = "0123456789abcdef" * 2
SALTS = (SALT, "f" * 32)
KEYS = ["a", "é", "", "10"]
SCHEMA = pa.schema([("k", pa.string()), ("d", pa.date32()), ("who", pa.string()), ("ok", pa.bool_())])
DAYS = [date(2024, 2, 29), date(1, 1, 1), None]
ROWS = [
    (
        [*KEYS, "x", None][(at * at + at // 5) % 6],
        DAYS[at % 3],
        ["u", "v", "é", "", "12", "v"][at % 11 % 6],
        at % 7 != 0,
    )
    for at in range(90)
]


def arrow(rows: list[tuple[Any, ...]]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [[]] * len(SCHEMA)
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, SCHEMA, strict=True)], schema=SCHEMA)


def one(source: Any, most: int, options: ReadOptions | None = None, without: str = "error", where: str = "ok") -> int:
    with OpenTable(source, where, options, unit=Unit("who", without, most)) as opened:
        return opened.tally().matching


def declared(source: Any, most: int, salt: str | None, options: ReadOptions | None = None, **given: Any) -> list[int]:
    unit = Unit("who", given.pop("without", "error"), most)
    cells = Cells(Keys.of(["k"], KEYS), unit=unit, salt=salt, **given)
    with OpenTable(source, "ok", options, cells=cells) as opened:
        return [int(count) for count in opened.tally_cells().matching]


def found(
    source: Any, by: Any, most: int, salt: str | None, options: ReadOptions | None = None, without: str = "error"
) -> Counter[tuple[Any, ...]]:
    cells = FoundCells(group_list(by), Unit("who", without, most), salt=salt)
    with OpenTable(source, "ok", options, cells=cells) as opened:
        tally = opened.tally_found()
    keys = list(zip(*(column.to_pylist() for column in tally.keys), strict=True))
    assert len(set(keys)) == len(keys)
    return Counter(dict(zip(keys, map(int, tally.matching), strict=True)))


def plain(rows: list[tuple[Any, ...]], *columns: int) -> list[Row]:
    def spelled(value: Any) -> str | None:
        return value.isoformat() if isinstance(value, date) else value

    return [Row(tuple(spelled(row[at]) for at in columns), row[2], row[3]) for row in rows]


def expected_of_cells(rows: list[tuple[Any, ...]], most: int, salt: str, other: bool = True) -> list[int]:
    counts = plain_rows(plain(rows, 0), most, salt, [(key,) for key in KEYS], other)
    return [counts[(cell,)] for cell in range(len(KEYS) + other)]


def check_all(source: Any, options: ReadOptions | None = None) -> None:
    of_units = Counter(who for _, _, who, ok in ROWS if ok)
    for most in (1, 2, 7, 10**9):
        assert one(source, most, options) == sum(min(most, many) for many in of_units.values())
        for salt in SALTS:
            assert declared(source, most, salt, options) == expected_of_cells(ROWS, most, salt)
            left_out = declared(source, most, salt, options, undeclared="left-out")
            assert left_out == expected_of_cells(ROWS, most, salt, other=False)
            assert found(source, "k", most, salt, options) == plain_rows(plain(ROWS, 0), most, salt)
    two = plain_rows(plain(ROWS, 0, 1), 3, SALT)
    assert found(source, ["k", "d"], 3, SALT, options) == two


def test_in_parquet_frames_and_duckdb(tmp_path: Path) -> None:
    pq.write_table(arrow(ROWS), tmp_path / "t.parquet")
    check_all(tmp_path / "t.parquet")
    check_all(arrow(ROWS))
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.register("given", arrow(ROWS))
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
    check_all(tmp_path / "t.duckdb")


def test_in_sqlite(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "t.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE t (k TEXT, d DATE, who TEXT, ok BOOLEAN)")
        told = [(k, None if d is None else d.isoformat(), who, ok) for k, d, who, ok in ROWS]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", told)
    check_all(tmp_path / "t.sqlite")


def test_in_postgresql(server: str) -> None:
    with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
        connection.execute("CREATE TABLE rows_of_units (k text, d date, who varchar(9), ok boolean)")
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO rows_of_units VALUES (%s, %s, %s, %s)", ROWS)
        try:
            check_all(f"{server}postgres", ReadOptions(table="rows_of_units"))
        finally:
            connection.execute("DROP TABLE rows_of_units")


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_in_spark(spark: Any, tmp_path: Path) -> None:
    pq.write_table(arrow(ROWS), tmp_path / "rows.parquet")
    check_all(f"spark:{tmp_path}")


keys = st.sampled_from([*KEYS, "x", None])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(keys, st.none(), st.none() | st.sampled_from(["u", "v", "-", "1:u"]), st.booleans()), max_size=16
    ),
    st.integers(1, 4),
    st.text("0123456789abcdef", min_size=32, max_size=32),
)
def test_it_is_what_plain_python_finds(rows: list[tuple[Any, ...]], most: int, salt: str) -> None:
    """Rows without a unit are one more unit, as for counts of units."""
    frame = arrow(rows)
    of_units = Counter(who for _, _, who, ok in rows if ok)
    assert one(frame, most, None, "one-unit") == sum(min(most, many) for many in of_units.values())
    assert declared(frame, most, salt, without="one-unit") == expected_of_cells(rows, most, salt)
    assert found(frame, "k", most, salt, without="one-unit") == plain_rows(plain(rows, 0), most, salt)


def test_one_row_of_each_counts_units() -> None:
    with OpenTable(arrow(ROWS), "ok", unit=Unit("who")) as opened:
        tally = opened.tally()
    assert one(arrow(ROWS), 1) == tally.matching


def test_rows_of_units_are_counted_at_once() -> None:
    tally = count_matching(arrow(ROWS), "ok", unit="who", rows_per_unit=2)
    assert (tally.matching, tally.rows) == (one(arrow(ROWS), 2), len({row[2] for row in ROWS}))
    with pytest.raises(InvalidParameter, match="rows_per_unit must be left out without a unit"):
        count_matching(arrow(ROWS), "ok", rows_per_unit=2)


def test_rows_without_a_unit() -> None:
    rows = [("a", None, None, True), ("a", None, "u", True), ("é", None, None, True), ("a", None, None, True)]
    assert [one(arrow(rows), most, None, "one-unit") for most in (1, 2, 3, 4)] == [2, 3, 4, 4]
    for count in (lambda: one(arrow(rows), 2), lambda: declared(arrow(rows), 2, SALT)):
        with pytest.raises(BadData, match="column 'who' is empty in some row"):
            count()


def test_no_rows_at_all() -> None:
    assert one(arrow([]), 3) == 0
    assert one(arrow(ROWS), 3, where="false") == 0
    assert declared(arrow([]), 3, SALT) == [0] * 5
    assert found(arrow([]), "k", 3, SALT) == {}


def test_which_rows_count_follows_from_the_unit_alone() -> None:
    """Whatever other units do and whatever the order is; a new salt chooses anew, and each row as likely as another."""
    own = [("a", None, "u", True)] * 9 + [("10", None, "u", True)] * 3

    def chosen(others: list[tuple[Any, ...]], salt: str | None = SALT) -> list[int]:
        alone = declared(arrow(others), 4, salt)
        return [a - b for a, b in zip(declared(arrow([*others, *own]), 4, salt), alone, strict=True)]

    first = chosen([])
    assert sum(first) == 4
    for others in ([("10", None, "v", True)], [(key, None, f"w{at}", True) for at in range(9) for key in KEYS * 3]):
        assert chosen(others) == first
    own.reverse()
    assert chosen([]) == first
    drawn = [declared(arrow(own), 4, None) for _ in range(100)]
    assert len({tuple(each) for each in drawn}) > 2
    # 300 of 400 expected in the first cell; of so many without replacement the standard deviation is below 9
    assert abs(sum(each[0] for each in drawn) - 300) < 55


def test_the_salt_is_fresh_and_shown_nowhere() -> None:
    cells, types = Cells(Keys.of(["k"], KEYS), unit=Unit("who", rows_per_unit=2)), {"k": t.TEXT, "who": t.TEXT}
    judged = [judge(parse_predicate("TRUE"), types, cells=cells) for _ in range(2)]
    assert judged[0].sql != judged[1].sql
    assert "SELECT" not in repr(judged[0])
    assert SALT not in repr(Cells(Keys.of(["k"], KEYS), unit=Unit("who"), salt=SALT))


@pytest.mark.parametrize("most", [0, -1, 1.5, "2", True, 10**9 + 1], ids=repr)
def test_bad_numbers(most: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"rows_per_unit must be an integer"):
        Unit("who", rows_per_unit=most)


def test_what_does_not_go_together() -> None:
    with pytest.raises(InvalidParameter, match="rows_per_unit must be left out without a unit"):
        Unit.of(None, rows_per_unit=2)
    with pytest.raises(InvalidParameter, match="max_cells must be left out where rows are counted"):
        Cells(Keys.of(["k"], KEYS), unit=Unit("who", rows_per_unit=2), max_cells=3)
