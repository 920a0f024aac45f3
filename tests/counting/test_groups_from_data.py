"""Groups that come from the data: the same from every engine, and what plain Python finds; no value is an error."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st
from plain_tables import Row, plain_groups

from hushcount.counting import OpenTable, ReadOptions
from hushcount.counting.cells.found import FoundCells, FoundTally
from hushcount.counting.cells.key_types import typed_keys
from hushcount.counting.cells.keys import group_list
from hushcount.counting.declared.units import Unit
from hushcount.counting.judging import judge
from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.types import Kind
from hushcount.counting.predicate.predicate import parse_predicate
from hushcount.errors import BadData, InvalidParameter, NoSuchColumn

SALT = "0123456789abcdef" * 2
TEXTS = ["a", "b", "A", "é", "e\u0301", "", " a", "10", "9", "\x1b[31m", "x\ny", "🙂z", "(missing)", "a" * 1000, None]
SCHEMA = pa.schema(
    [
        ("s", pa.string()),
        ("i", pa.int64()),
        ("m", pa.decimal128(18, 3)),
        ("f", pa.decimal128(9, 9)),
        ("b", pa.bool_()),
        ("d", pa.date32()),
        ("who", pa.string()),
    ]
)
KINDS = {"s": Kind.TEXT, "i": Kind.INTEGER, "m": Kind.DECIMAL, "f": Kind.DECIMAL, "b": Kind.BOOLEAN, "d": Kind.DATE}


def value_of(name: str, at: int) -> Any:
    values: dict[str, list[Any]] = {
        "s": TEXTS,
        "i": [0, -3, 2**63 - 1, -(2**63), None, 10],
        "m": [Decimal("0.100"), Decimal("-1.250"), Decimal("0"), None, Decimal("999999999999999.999")],
        "f": [Decimal("0.5"), Decimal("-0.25"), Decimal(0), Decimal("1e-9"), None],
        "b": [True, False, None],
        "d": [date(2024, 2, 29), date(1, 1, 1), date(9999, 12, 31), None],
        "who": ["u", "v", "w", "é", "", "12"],
    }
    return values[name][at * (3 + len(name)) % len(values[name])]


TABLE = [{name: value_of(name, at + at // 7) for name in SCHEMA.names} for at in range(60)]


def spelled(name: str, value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:.{SCHEMA.field(name).type.scale}f}"
    return None if value is None else value.isoformat() if isinstance(value, date) else str(value)


def tallied(source: Any, by: Any, options: ReadOptions | None = None, where: str = "TRUE", **given: Any) -> FoundTally:
    with OpenTable(source, where, options, cells=FoundCells(group_list(by), **given)) as opened:
        return opened.tally_found()


def groups_of(tally: FoundTally) -> Counter[tuple[Any, ...]]:
    keys = list(zip(*(column.to_pylist() for column in tally.keys), strict=True))
    assert len(set(keys)) == len(keys), "no group is there twice"
    return Counter(dict(zip(keys, map(int, tally.matching), strict=True)))


def expected(by: list[str], max_cells: int | None = None, salt: str = SALT) -> Counter[tuple[Any, ...]]:
    rows = [Row(tuple(spelled(name, row[name]) for name in by), row["who"], row["i"] != 10) for row in TABLE]
    return plain_groups(rows, counts_units=max_cells is not None, max_cells=max_cells or 1, salt=salt)


def check_all(source: Any, columns: str, options: ReadOptions | None = None) -> None:
    """Compare every column, some together, rows and units."""
    for by in ([name] for name in columns.split()):
        tally = tallied(source, by, options, "i <> 10 OR i IS NULL")
        assert groups_of(tally) == expected(by), by
        assert tally.everything == len(TABLE)
        assert tally.kinds == tuple(KINDS[name] for name in by)
    for max_cells, salt in ((1, SALT), (2, SALT), (2, "f" * 32), (100, SALT)):
        unit = {"unit": Unit("who"), "max_cells": max_cells, "salt": salt}
        for by in (["s"], columns.split()):
            found = groups_of(tallied(source, by, options, "i <> 10 OR i IS NULL", **unit))
            assert found == expected(by, max_cells, salt), (by, max_cells)


# As everywhere 9999-12-31, -infinity and infinity are what they are; of these, engines have spellings of their own
FAR = {"0001-01-01": -719162, "0001-12-31 (BC)": -719163, "0044-03-15 (BC)": -735160, "12345-06-07": 3789548}
DAYS = pa.table({"d": pa.array(list(FAR.values()), pa.int32()).cast(pa.date32())})


# --- every source -----------------------------------------------------------------------------------------------------


def parquet(path: Path, rows: list[dict[str, Any]], schema: pa.Schema = SCHEMA) -> Path:
    pq.write_table(pa.Table.from_pylist(rows, schema), path)
    return path


@pytest.mark.slow
def test_parquet_frames_and_duckdb(tmp_path: Path) -> None:
    check_all(parquet(tmp_path / "t.parquet", TABLE), "s i m b d f")
    check_all(pa.Table.from_pylist(TABLE, SCHEMA), "s i m b d f")
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.register("given", pa.Table.from_pylist(TABLE, SCHEMA))
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
    check_all(tmp_path / "t.duckdb", "s i m b d f")
    pq.write_table(DAYS, tmp_path / "days.parquet")
    assert {key for (key,) in groups_of(tallied(tmp_path / "days.parquet", "d"))} == FAR.keys()


@pytest.mark.slow
def test_csv_and_json_lines(tmp_path: Path) -> None:
    import csv
    import json

    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        file.write(",".join(SCHEMA.names) + "\n")
        for row in TABLE:
            cells = [spelled(name, row[name]) for name in SCHEMA.names]
            file.write(",".join("" if c is None else '"' + c.replace('"', '""') + '"' for c in cells) + "\n")
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        assert len(list(csv.reader(file))) == len(TABLE) + 1
    # Without a pin, keys are texts as they are spelled there
    check_all(tmp_path / "t.csv", "s", ReadOptions(types={"i": "integer"}))
    check_all(tmp_path / "t.csv", "s i b d", ReadOptions(types={"i": "integer", "b": "boolean", "d": "date"}))
    with (tmp_path / "t.json").open("w", encoding="utf-8") as file:
        for row in TABLE:
            file.write(json.dumps({**row, "d": spelled("d", row["d"]), "m": None, "f": None}) + "\n")
    pinned = ReadOptions(types={"s": "text", "i": "integer", "b": "boolean", "d": "date", "who": "text"})
    check_all(tmp_path / "t.json", "s i b d", pinned)


def test_sqlite(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "t.sqlite")) as connection:
        connection.execute("CREATE TABLE t (s TEXT, i INTEGER, d DATE, who TEXT)")
        rows = [(row["s"], row["i"], spelled("d", row["d"]), row["who"]) for row in TABLE]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        connection.commit()
    check_all(tmp_path / "t.sqlite", "s i d")


@pytest.fixture
def people(server: str) -> Iterator[str]:
    with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS found")
        connection.execute(
            "CREATE TABLE found (s text, i bigint, m numeric(18, 3), f numeric(9, 9), b boolean, d date, who text, "
            "x numeric)"
        )
        with connection.cursor() as cursor:
            rows = [[*row.values(), Decimal("1.50") if at % 2 else Decimal("1.5")] for at, row in enumerate(TABLE)]
            cursor.executemany(f"INSERT INTO found VALUES ({', '.join(['%s'] * 8)})", rows)
        yield f"{server}postgres"
        connection.execute("DROP TABLE found")


@pytest.mark.slow
def test_postgresql(people: str) -> None:
    options = ReadOptions(table="found")
    check_all(f"{people}?options=-cDateStyle%3DGerman", "s i m b d f", options)
    # Which of two equal numbers is spelled is not told
    assert groups_of(tallied(people, "x", options)) == {("1.5",): len(TABLE)}
    with psycopg.connect(people, autocommit=True) as connection:
        connection.execute("UPDATE found SET x = 100 WHERE i IS NULL")
        connection.execute("UPDATE found SET x = 0.00 WHERE i = 0")
    assert {key for (key,) in groups_of(tallied(people, "x", options))} == {"1.5", "100", "0"}
    with psycopg.connect(people, autocommit=True) as connection:
        connection.execute("DELETE FROM found")
        days = ", ".join(f"(DATE '1970-01-01' + {day})" for day in FAR.values())
        connection.execute(f"INSERT INTO found (d) VALUES {days}")
    assert {key for (key,) in groups_of(tallied(people, "d", options))} == FAR.keys()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_spark(spark: Any, tmp_path: Path) -> None:
    check_all(f"spark:{parquet(tmp_path / 't.parquet', TABLE)}", "s i m b d f")
    pq.write_table(DAYS, tmp_path / "days.parquet")
    assert {key for (key,) in groups_of(tallied(f"spark:{tmp_path / 'days.parquet'}", "d"))} == FAR.keys()
    bytes_of = pa.array([b"a\xff", b"a\xfe", b"a\\xff", b"a", None])
    table = pa.table({"s": pa.Array.from_buffers(pa.string(), len(bytes_of), bytes_of.buffers())})
    pq.write_table(table, tmp_path / "bad.parquet")
    tally = tallied(f"spark:{tmp_path / 'bad.parquet'}", "s")
    assert sorted(tally.keys[0].to_pylist(), key=str) == [None, "a", "a\\xfe", "a\\xff", "a\\xff"]


# --- what they are ----------------------------------------------------------------------------------------------------

keys = st.none() | st.sampled_from(["a", "b", "ab", "1:a", "-", "", "é"])


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(keys, keys, st.none() | st.sampled_from(["u", "v", "-", "1:u", ""]), st.booleans()), max_size=14
    ),
    st.integers(1, 3),
    st.text("0123456789abcdef", min_size=32, max_size=32),
)
def test_it_is_what_plain_python_finds(given: Any, max_cells: int, salt: str) -> None:
    columns = list(zip(*given, strict=True)) or [[], [], [], []]
    kinds = [pa.string(), pa.string(), pa.string(), pa.bool_()]
    frame = pa.table([pa.array(c, k) for c, k in zip(columns, kinds, strict=True)], names=["x", "y", "who", "ok"])
    rows = [Row((x, y), who, ok) for x, y, who, ok in given]
    assert groups_of(tallied(frame, ["x", "y"], where="ok")) == plain_groups(rows)
    unit = {"unit": Unit("who", "one-unit"), "max_cells": max_cells, "salt": salt}
    found = groups_of(tallied(frame, ["x", "y"], where="ok", **unit))
    assert found == plain_groups(rows, counts_units=True, max_cells=max_cells, salt=salt)


def test_which_groups_a_unit_counts_in_follows_from_its_own_rows() -> None:
    """Whatever other units do, and whatever the order is; a new salt chooses anew."""
    own = [{"k": f"k{at}", "who": "u"} for at in range(9)]

    def chosen(others: list[dict[str, str]], salt: str | None = SALT) -> set[tuple[Any, ...]]:
        frame = pa.Table.from_pylist([*others, *own])
        unit = {"unit": Unit("who"), "max_cells": 3, "salt": salt}
        alone = Counter(groups_of(tallied(pa.Table.from_pylist(others), "k", **unit)) if others else {})
        return set(groups_of(tallied(frame, "k", **unit)) - alone)

    first = chosen([])
    assert len(first) == 3
    for others in ([{"k": "k1", "who": "v"}], [{"k": key["k"], "who": f"w{at}"} for at in range(20) for key in own]):
        assert chosen(others) == first
    own.reverse()
    assert chosen([]) == first
    own += own
    assert chosen([]) == first
    assert len({frozenset(chosen([], None)) for _ in range(20)}) > 5


def test_the_salt_is_fresh_and_shown_nowhere() -> None:
    cells, types = FoundCells(group_list("k"), Unit("who"), 2), {"k": t.TEXT, "who": t.TEXT}
    judged = [judge(parse_predicate("TRUE"), types, cells=cells) for _ in range(2)]
    assert judged[0].sql != judged[1].sql
    assert "SELECT" not in repr(judged[0])
    assert SALT not in repr(FoundCells(group_list("k"), Unit("who"), 2, SALT))


def test_bands_and_parts_of_dates(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE t (x DOUBLE, n INT, ts TIMESTAMP, d DATE)")
        rows = [
            (0.5, 5, datetime(2024, 2, 29, 1), date(2024, 1, 2)),
            (math.nan, 17, None, None),
            (17.999, 17, datetime(1999, 1, 1), date(2024, 12, 2)),
            (18.0, -1, datetime(2024, 5, 5), date(1, 1, 1)),
        ]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    path = tmp_path / "t.duckdb"
    assert groups_of(tallied(path, "x: [0, 18), [20, 30)")) == {("[0, 18)",): 2, (None,): 1}
    assert groups_of(tallied(path, ["n by 10 from 0 to 100", "year(ts)"])) == {
        ("[0, 10)", "2024"): 1,
        ("[10, 20)", None): 1,
        ("[10, 20)", "1999"): 1,
    }
    assert groups_of(tallied(path, "month(d)")) == {("1",): 2, (None,): 1, ("12",): 1}
    assert tallied(path, ["x: [0, 18)", "year(ts)"]).kinds == (Kind.TEXT, Kind.INTEGER)


def test_no_rows(tmp_path: Path) -> None:
    path = parquet(tmp_path / "t.parquet", [])
    for unit in ({}, {"unit": Unit("who"), "max_cells": 2}):
        tally = tallied(path, ["s", "i"], **unit)
        assert (tally.everything, groups_of(tally)) == (0, {})


# --- no value is an error ---------------------------------------------------------------------------------------------

HOSTILE = [
    *("'; DROP TABLE t; --", '"', "\\", "%s", "{}", "${x}", "<script>", "=cmd|' /C calc'!A0"),
    *("\x00", "\x07\x1b]0;x\x07", "\r\n", "\u202e", "\ufeff", "\U0010ffff"),
    *("nan", "NaN", "NULL", "(missing)", "(other)", "-1", "1e309", "0" * 400, "x" * 100_000),
]


def test_hostile_texts_are_groups_like_any_other(tmp_path: Path) -> None:
    rows = [{"s": text, "who": f"u{at}"} for at, text in enumerate(HOSTILE)]
    path = parquet(tmp_path / "t.parquet", rows, pa.schema([("s", pa.string()), ("who", pa.string())]))
    assert groups_of(tallied(path, "s")) == {(text,): 1 for text in HOSTILE}
    assert groups_of(tallied(path, "s", unit=Unit("who"), max_cells=1)) == {(text,): 1 for text in HOSTILE}


def test_bytes_that_are_not_utf_8_are_escaped() -> None:
    from hushcount.counting.engines.engine import in_utf8

    assert in_utf8([b"a\xff", None, "b", b"\xc3\xa9"]).to_pylist() == ["a\\xff", None, "b", "é"]


def test_units_are_missed_as_in_any_table() -> None:
    frame = pa.table({"k": ["a", "b"], "who": ["u", None]})
    with pytest.raises(BadData, match="is empty in some row"):
        tallied(frame, "k", unit=Unit("who"))
    assert groups_of(tallied(frame, "k", unit=Unit("who", "one-unit"))) == {("a",): 1, ("b",): 1}


# --- what is refused, by the types alone ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "hint"),
    [("DOUBLE", "--by 'x by 10 from 0 to 100'"), ("REAL", "doubles|numbers"), ("TIMESTAMP", r"--by 'year\(x\)'")],
)
def test_doubles_and_timestamps_are_refused_by_type(tmp_path: Path, kind: str, hint: str) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t (x {kind})")
    with pytest.raises(InvalidParameter, match=hint):
        OpenTable(tmp_path / "t.duckdb", "TRUE", cells=FoundCells(group_list("x")))


def test_types_that_values_tell_are_refused_before_any_is_read(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('{"k": 1}\n{"k": "never read"}\n')
    with pytest.raises(InvalidParameter, match=r"whose type is declared.*--type k=\.\.\."):
        OpenTable(tmp_path / "t.json", "TRUE", cells=FoundCells(group_list("k")))
    with closing(sqlite3.connect(tmp_path / "t.sqlite")) as connection:
        connection.execute("CREATE TABLE t (k BOOLEAN, n NUMERIC, i INTEGER)")
        connection.commit()
    for name in ("k", "n"):
        with pytest.raises(InvalidParameter, match="one row could change how the keys of all others are spelled"):
            OpenTable(tmp_path / "t.sqlite", "TRUE", cells=FoundCells(group_list(name)))
    OpenTable(tmp_path / "t.sqlite", "TRUE", cells=FoundCells(group_list("i"))).__exit__(None, None, None)


def test_csv_keys_are_texts_unless_pinned(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("k,n\n01,1\n1,2\n1.0,x\n,y\n")
    path = tmp_path / "t.csv"
    assert groups_of(tallied(path, "k")) == {("01",): 1, ("1",): 1, ("1.0",): 1, (None,): 1}
    with pytest.raises(InvalidParameter, match=r"--type k=text.* where the condition names them too"):
        tallied(path, "k", where="k = '1'")
    assert groups_of(tallied(path, "k", ReadOptions(types={"k": "text"}), "k = '1'")) == {("1",): 1}
    (tmp_path / "t.csv").write_text("k,n\n+1,1\n1,2\n10,x\n,y\n")
    assert groups_of(tallied(path, "k", ReadOptions(types={"k": "integer"}))) == {("1",): 2, ("10",): 1, (None,): 1}
    with pytest.raises(InvalidParameter, match="whose type is declared"):
        tallied(path, "year(k)")


def test_groups_of_a_file_and_columns_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="the groups of a file declare their keys"):
        FoundCells(group_list("k from codes.csv"))
    with pytest.raises(NoSuchColumn):
        tallied(pa.table({"k": ["a"]}), "j")


def test_true_groups_are_not_shown() -> None:
    assert repr(tallied(pa.table({"k": ["secret"]}), "k")) == "FoundTally(<hidden>, predicate='TRUE')"


@pytest.mark.parametrize("kind", [t.DOUBLE, t.TIMESTAMP, t.DATE], ids=["double", "timestamp", "date"])
def test_what_cannot_be_a_key_is_said_as_of_declared_keys(kind: t.ColumnType) -> None:
    said = []
    for check in (
        lambda: FoundCells(group_list(["my x"])).check_types({"my x": kind}),
        lambda: typed_keys("my x", pa.array(["2024-01-02"]), None, kind),
    ):
        try:
            check()
        except InvalidParameter as error:
            said.append(str(error))
    assert len(set(said)) == (kind is not t.DATE)
    assert all("--by " in each and '"my x"' in each for each in said)
    assert len(said) in (0, 2)
