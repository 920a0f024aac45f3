"""DuckDB and SQLite sources."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from hushcount.counting import OpenTable, ReadOptions, count_matching
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.keys import Keys
from hushcount.errors import BadData, InvalidParameter, NoSuchColumn, PredicateRefused


def _duckdb(path: Path, *statements: str) -> Path:
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


def _sqlite(path: Path, *statements: str, rows: Sequence[Sequence[object]] = ()) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        for row in rows:
            connection.execute(f"INSERT INTO t VALUES ({', '.join('?' * len(row))})", row)
        connection.commit()
    return path


_MAKERS = [_duckdb, _sqlite]


def test_the_length_of_a_varchar_is_nothing_to_sqlite(tmp_path: Path) -> None:
    path = _sqlite(tmp_path / "db", "CREATE TABLE t (v VARCHAR(3), c CHAR(3))", rows=[("longer", "a "), ("b", "b")])
    assert count_matching(path, "v = 'longer' and c = 'a '").matching == 1
    assert count_matching(path, "v = 'none so long'").matching == 0
    with OpenTable(path, "TRUE", cells=Cells(Keys.of(["v"], ["longer"]))) as table:
        assert table.tally_cells().matching.tolist() == [1, 1]


@pytest.mark.parametrize("make", _MAKERS)
def test_an_unknown_column_is_no_string(tmp_path: Path, make: type) -> None:
    path = make(tmp_path / "db", "CREATE TABLE t (status TEXT)", "INSERT INTO t VALUES ('active')")
    with pytest.raises(NoSuchColumn, match=r"no such column: 'statsu'; did you mean 'status'\?"):
        count_matching(path, "\"statsu\" = 'active'")
    assert count_matching(path, "\"status\" = 'active'").matching == 1
    with pytest.raises(NoSuchColumn, match="did you mean 'status'"):
        count_matching(path, "STATUS = 'active'")


@pytest.mark.parametrize("make", _MAKERS)
def test_which_table(tmp_path: Path, make: type) -> None:
    path = make(
        tmp_path / "it's a[b]?&#%41.db",
        "CREATE TABLE people (a INT)",
        'CREATE TABLE "Other ""one""" (a INT)',
        "CREATE VIEW seen AS SELECT * FROM people",
        "INSERT INTO people VALUES (1)",
    )
    with pytest.raises(InvalidParameter, match="holds 2 tables"):
        count_matching(path, "a = 1")
    assert count_matching(path, "a = 1", ReadOptions(table="people")).matching == 1
    assert count_matching(path, "a = 1", ReadOptions(table='Other "one"')).rows == 0
    with pytest.raises(InvalidParameter, match=r"did you mean 'people'\?"):
        count_matching(path, "a = 1", ReadOptions(table="pepole"))
    with pytest.raises(InvalidParameter, match="views are not"):
        count_matching(path, "a = 1", ReadOptions(table="seen"))


@pytest.mark.parametrize("make", _MAKERS)
def test_a_file_without_tables(tmp_path: Path, make: type) -> None:
    path = make(tmp_path / "db", "CREATE TABLE t (a INT)", "CREATE VIEW v AS SELECT 1 AS a", "DROP TABLE t")
    with pytest.raises(BadData, match="holds no table"):
        count_matching(path, "a = 1")


@pytest.mark.parametrize("make", _MAKERS)
def test_a_damaged_file(tmp_path: Path, make: type) -> None:
    path = make(tmp_path / "db", "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)")
    content = path.read_bytes()
    path.write_bytes(content[:100] + b"\xff" * (len(content) - 100))
    with pytest.raises(BadData) as caught:
        count_matching(path, "a = 1")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("make", _MAKERS)
def test_the_file_is_left_as_it_was(tmp_path: Path, make: type) -> None:
    path = make(tmp_path / "db", "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)")
    path.chmod(0o444)
    before = path.read_bytes()
    assert count_matching(path, "a = 1").matching == 1
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["db"]


@pytest.mark.parametrize("make", _MAKERS)
def test_a_predicate_without_columns(tmp_path: Path, make: type) -> None:
    path = make(tmp_path / "db", "CREATE TABLE t (a BLOB)", "INSERT INTO t VALUES (NULL), (NULL)")
    assert count_matching(path, "1 < 2").matching == 2


def test_duckdb_tables_of_other_schemas(tmp_path: Path) -> None:
    path = _duckdb(tmp_path / "db", "CREATE TABLE t (a INT)", "CREATE SCHEMA s", "CREATE TABLE s.t AS SELECT 1 AS a")
    assert count_matching(path, "a = 1", ReadOptions(table="t")).matching == 0
    assert count_matching(path, "a = 1", ReadOptions(table="s.t")).matching == 1


def test_duckdb_computed_columns_are_refused(tmp_path: Path) -> None:
    path = _duckdb(tmp_path / "db", "CREATE TABLE t (a INT, b INT AS (a + 1))", "INSERT INTO t VALUES (1)")
    assert count_matching(path, "a = 1").matching == 1
    with pytest.raises(PredicateRefused, match=r"'b' .* is computed"):
        count_matching(path, "a = 1 or b = 1")


_LONGEST = 2**127 - 1


@pytest.mark.slow
def test_duckdb_integers_of_128_bits_are_compared_exactly_and_stop_nothing(tmp_path: Path) -> None:
    held = [_LONGEST, -_LONGEST - 1, 10**38, 10**38 - 1, 5, 0, None]
    rows = ", ".join(f"({'NULL' if value is None else value}, 5, 1, 0.5, 1e38, 5)" for value in held)
    path = _duckdb(
        tmp_path / "db",
        "CREATE TABLE t (h HUGEINT, i BIGINT, u UBIGINT, m DECIMAL(18, 3), x DOUBLE, n DECIMAL(18, 0))",
        f"INSERT INTO t VALUES {rows}",
    )
    expected = {
        f"h = {_LONGEST}": 1,
        f"h >= {-_LONGEST - 1}": 6,
        f"h > {_LONGEST}": 0,
        f"h = {_LONGEST + 1}": 0,
        "h = 1e38": 1,
        f"h in (5, {10**38}, 0.5)": 2,
        "h > 99999999999999999999999999999999999998.5": 3,
        "h > i": 3,
        "h <= u": 2,
        "h = n": 1,
        "coalesce(h, i) = n": 2,
        "case when h > 0 then h else 5 end = 5": 4,
        "h = x": 2,  # as doubles
        "h * h > 1": 5,
        "-h > 1": 1,
        "h is null": 1,
    }
    assert {where: count_matching(path, where).matching for where in expected} == expected
    for where in ("h < m", "coalesce(h, 0.5) = 1", f"coalesce(h, {10**39}) = 1"):
        with pytest.raises(PredicateRefused, match="need more than 38 digits together"):
            count_matching(path, where)
    keys = Keys.of(["h"], [5, 0, 10**38 - 1, None])
    with OpenTable(path, "TRUE", cells=Cells(keys)) as table:
        assert table.tally_cells().matching.tolist() == [1, 1, 1, 1, 3]
    assert count_matching(path, "TRUE", unit="h", without_unit="one-unit").rows == 7


def test_duckdb_integers_of_128_bits_without_a_sign_are_refused(tmp_path: Path) -> None:
    path = _duckdb(tmp_path / "db", "CREATE TABLE t (a UHUGEINT, b INT)", "INSERT INTO t VALUES (1, 1)")
    assert count_matching(path, "b = 1").matching == 1
    with pytest.raises(PredicateRefused, match="has the type UHUGEINT, which no predicate can use"):
        count_matching(path, "a = 1")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("declared", "values", "where", "matching"),
    [
        ("INTEGER", [1, None, 2**63 - 1], "v = 9223372036854775807", 1),
        ("REAL", [1, 2.5, None], "v in (1, 2.5)", 2),
        ("", [1, 2.5, None], "v in (1, 2.5)", 2),
        ("NUMERIC", [2**53, 0.5], "v = 9007199254740992", 1),
        ("TEXT", ["1", "x"], "v = '1'", 1),
        ("BOOLEAN", [0, 1, None, 1], "v", 2),
        ("BOOLEAN", [0, 2], "v = 2", 1),
        ("DATE", ["2024-01-31", None], "extract(year from v) = 2024", 1),
        ("VARCHAR(9)", ["31.01.2024", None], "v = '31.01.2024'", 1),
        ("DATETIME", ["2024-01-31 05:06:07", None], "v > timestamp '2024-01-31 05:00:00'", 1),
        ("TIMESTAMP", ["2024-01-31 05:06:07Z"], "v = '2024-01-31 06:06:07+01:00'", 1),
        ("DATE", ["2024-01-31", None], "v = '2024-01-31'", 1),
        ("", [20240131], "v = 20240131", 1),
        ("TEXT", ["é\0b", ""], "length(v) = 3", 1),
        ("BLOB", [None, None], "v is null", 2),
    ],
)
def test_sqlite_types_come_from_all_values(
    tmp_path: Path, declared: str, values: list[object], where: str, matching: int
) -> None:
    path = _sqlite(tmp_path / "db", f"CREATE TABLE t (v {declared})", rows=[[value] for value in values])
    tally = count_matching(path, where)
    assert (tally.rows, tally.matching) == (len(values), matching)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, "secret"], "column 'v' holds both texts and numbers"),
        ([0.5, "secret"], "column 'v' holds both texts and numbers"),
        ([b"secret"], "column 'v' holds binary values"),
        ([1, b"secret"], "column 'v' holds binary values"),
        ([2**53 + 1, 0.5], "column 'v' mixes fractions with an integer beyond 2**53"),
        ([-(2**63), 0.5], "column 'v' mixes fractions with an integer beyond 2**53"),
    ],
)
def test_sqlite_mixes_without_a_type(tmp_path: Path, values: list[object], message: str) -> None:
    path = _sqlite(tmp_path / "db", "CREATE TABLE t (v, w)", rows=[[value, 1] for value in values])
    assert count_matching(path, "w = 1").matching == len(values)
    with pytest.raises(BadData) as caught:
        count_matching(path, "v = 1")
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


def test_sqlite_text_that_is_not_utf_8(tmp_path: Path) -> None:
    path = _sqlite(tmp_path / "db", "CREATE TABLE t (v)", "INSERT INTO t VALUES (CAST(X'736563726574FF' AS TEXT))")
    with pytest.raises(BadData, match="text that is not valid") as caught:
        count_matching(path, "v = 'x'")
    assert "secret" not in str(caught.value)


@pytest.mark.slow
def test_sqlite_reads_in_chunks(tmp_path: Path) -> None:
    path = _sqlite(
        tmp_path / "db",
        "CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 250000) "
        "SELECT i, CASE WHEN i % 2 THEN 'odd' END AS s FROM n",
    )
    tally = count_matching(path, "i >= 200000 and s = 'odd'")
    assert (tally.rows, tally.matching) == (250_001, 25_000)


@pytest.mark.parametrize("kind", ["TIMESTAMP_NS", "TIMESTAMPTZ_NS"])
def test_nanoseconds_are_cut_and_not_rounded(tmp_path: Path, kind: str) -> None:
    moments = ", ".join(f"(make_timestamp_ns({1_704_067_200_000_000_000 + step}))" for step in (-1, -501, -500, 1, 0))
    path = _duckdb(
        tmp_path / "db",
        "SET TimeZone = 'UTC'",
        f"CREATE TABLE t (t {kind})",
        f"INSERT INTO t VALUES {moments}, ('infinity'), ('-infinity'), (NULL)",
    )
    expected = {
        "t < timestamp '2024-01-01 00:00:00'": 4,
        "t = timestamp '2024-01-01 00:00:00'": 2,
        "extract(year from t) = 2023": 3,
        "t > date '9999-12-31'": 1,
        "t is null": 1,
    }
    assert {where: count_matching(path, where).matching for where in expected} == expected


def test_rows_in_a_log_beside_a_sqlite_file_are_counted_through_a_link_too(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "db")) as connection:
        connection.execute("PRAGMA journal_mode = wal")
        connection.execute("CREATE TABLE t (x INTEGER)")
        connection.execute("INSERT INTO t VALUES (1)")
        connection.commit()
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "link").symlink_to(tmp_path / "db")
        assert (tmp_path / "db-wal").stat().st_size > 0
        for path in (tmp_path / "db", tmp_path / "other" / "link"):
            assert count_matching(path, "x = 1").matching == 1


@pytest.mark.parametrize("name", [b"\xff.db", "ü%41?#.db".encode()])
def test_a_sqlite_file_of_any_name_is_read(tmp_path: Path, name: bytes) -> None:
    made = _sqlite(tmp_path / "db", "CREATE TABLE t (x INTEGER)", rows=[(1,)])
    path = made.rename(tmp_path / os.fsdecode(name))
    assert count_matching(path, "x = 1").matching == 1


def test_a_sqlite_file_with_two_names_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "db")) as connection:
        connection.execute("PRAGMA journal_mode = wal")
        connection.execute("CREATE TABLE t (x INTEGER)")
        connection.execute("INSERT INTO t VALUES (1)")
        connection.commit()
        (tmp_path / "again").hardlink_to(tmp_path / "db")
        for name in ("db", "again"):  # rows in db-wal would be no rows of `again`
            with pytest.raises(BadData, match=r"has a second name \(a hard link\)"):
                count_matching(tmp_path / name, "x = 1")
        (tmp_path / "again").unlink()
        assert count_matching(tmp_path / "db", "x = 1").matching == 1


@pytest.mark.slow
def test_a_change_that_is_half_written_to_a_sqlite_file_is_not_counted(tmp_path: Path) -> None:
    """Its journal has what was there before: a reader that ignored it found rows of both."""
    path = _sqlite(tmp_path / "db", "CREATE TABLE t (x INTEGER, s TEXT)", rows=[(1, "a" * 500) for _ in range(1000)])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA cache_size = 5")
        connection.execute("BEGIN")
        connection.execute("UPDATE t SET x = 2")
        (tmp_path / "crashed").mkdir()
        for name in ("db", "db-journal"):
            (tmp_path / "crashed" / name).write_bytes((tmp_path / name).read_bytes())
        with pytest.raises(BadData, match="locked by another program"):
            count_matching(path, "x = 1")
        connection.rollback()
    with pytest.raises(BadData, match="cannot be read as a SQLite file"):
        count_matching(tmp_path / "crashed" / "db", "x = 1")
    assert count_matching(path, "x = 1").matching == 1000
    with closing(sqlite3.connect(tmp_path / "crashed" / "db")) as connection:
        connection.execute("SELECT count(*) FROM t")  # whoever may write plays it back
    assert count_matching(tmp_path / "crashed" / "db", "x = 1").matching == 1000


def test_a_journal_that_is_kept_between_changes_is_none(tmp_path: Path) -> None:
    path = _sqlite(tmp_path / "db", "PRAGMA journal_mode = persist", "CREATE TABLE t (x INTEGER)", rows=[(1,)])
    assert (tmp_path / "db-journal").stat().st_size > 0
    assert count_matching(path, "x = 1").matching == 1


@pytest.mark.parametrize(("unit", "far"), [("s", 2**45), ("ms", 2**56)])
def test_moments_beyond_microseconds_are_far_off_and_not_missing(tmp_path: Path, unit: str, far: int) -> None:
    moments = pa.table({"t": pa.array([far, -far, 0, None], pa.timestamp(unit))})
    path = tmp_path / "db"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", moments)
        connection.execute(f"CREATE TABLE t (t TIMESTAMP_{unit.upper()})")
        connection.execute("INSERT INTO t SELECT * FROM given")
        connection.execute("INSERT INTO t VALUES ('infinity'), ('-infinity')")
    expected = {
        "t > timestamp '9999-12-31 00:00:00'": 2,
        "t < date '0001-01-01'": 2,
        "t = timestamp '1970-01-01 00:00:00'": 1,
        "t is null": 1,
        "extract(year from t) = 1970": 1,
    }
    assert {where: count_matching(path, where).matching for where in expected} == expected
