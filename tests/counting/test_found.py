"""Faults that were found by trying to break it, each kept as a test."""

import sqlite3
import time
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushcount.counting import ReadOptions, count_matching, parse_predicate
from hushcount.errors import BadData, PredicateRefused


@pytest.mark.parametrize("header", ["x,x", "é,é", "xx,xx", "x,X"])
def test_a_name_that_is_there_twice(tmp_path: Path, header: str) -> None:
    """One-character strings are the same object in CPython, so identity does not tell a repetition."""
    path = tmp_path / "t.csv"
    path.write_text(f"{header}\n1,2\n", encoding="utf-8")
    with pytest.raises(BadData, match=r"the header names column .* (twice|differ only in case)"):
        count_matching(path, "1 = 1")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize(
    ("where", "matching"),
    [
        ("x = x", 2),
        ("x <= x", 2),
        ("x BETWEEN x AND x", 2),
        ("x = coalesce(x, 0)", 2),
        ("x >= coalesce(x, 0)", 2),
        ("x = +x", 2),
        ("x IS NOT NULL", 2),
        ("NOT x <> x", 2),
        ("x IN (1, 3)", 2),
    ],
)
def test_nan_is_missing_in_every_comparison_with_itself(tmp_path: Path, kind: str, where: str, matching: int) -> None:
    given = pa.table({"x": pa.array([1.0, float("nan"), None, 3.0, float("nan")], kind)})
    pq.write_table(given, tmp_path / "t.parquet")
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS FROM given")
    for name in ("t.parquet", "t.duckdb"):
        try:
            assert count_matching(tmp_path / name, where).matching == matching
        except PredicateRefused:
            assert where == "x = +x"


def test_nested_cases_and_comparisons_take_no_more_time_than_they_are_long(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,true\n2,false\n")
    with pytest.raises(PredicateRefused, match="CASE between CASE and WHEN"):
        parse_predicate("case " * 12 + "a" + " when 1 then 1 when 2 then 2 when 3 then 3 end" * 12 + " = 1")
    started = time.process_time()
    nested = "(" * 15 + "a = 1" + ") = b" * 15
    assert count_matching(path, nested).matching in (0, 1, 2)
    assert time.process_time() - started < 60


def test_trim_takes_spaces_only(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT unnest([E'\\tx\\n', '  x ', 'x', ' x y ']) s")
    assert count_matching(tmp_path / "t.duckdb", "trim(s) = 'x'").matching == 2
    assert count_matching(tmp_path / "t.duckdb", "length(trim(s)) = 3").matching == 2


def test_exact_or_refused(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT 1.00000000000000000001::decimal(38,20) a, 1::bigint b, "
            "9007199254740993::hugeint h, 9007199254740992.00::decimal(38,2) m"
        )
    for where in ("a = b", "h = m", "h > m", "coalesce(h, 0.5) = 9007199254740992"):
        with pytest.raises(PredicateRefused, match="more than 38 digits"):
            count_matching(tmp_path / "t.duckdb", where)


def test_two_texts_are_no_condition(tmp_path: Path) -> None:
    with pytest.raises(PredicateRefused, match="a column name goes in double quotes"):
        parse_predicate("'Straße' = 'München'")


def test_an_error_about_the_data_keeps_no_data(tmp_path: Path) -> None:
    """Error collectors walk __context__, where the failing block of the file would be."""
    path = tmp_path / "t.csv"
    path.write_bytes(b"name,x\nSECRETBOB,1\nSECRETAL\xe9,2\n")
    with pytest.raises(BadData) as caught:
        count_matching(path, "x = 1")
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    frames, step = [], caught.value.__traceback__
    while step is not None:
        frames.append(step.tb_frame)
        step = step.tb_next
    ours = [frame for frame in frames if frame.f_code.co_filename != __file__]
    assert not any("SECRET" in repr(value) for frame in ours for value in frame.f_locals.values())


def test_a_sqlite_file_with_a_log_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (x INTEGER)")
    connection.execute("INSERT INTO t VALUES (1), (2)")
    connection.commit()
    connection.close()
    assert count_matching(path, "x = 1").matching == 1
    assert [file.name for file in tmp_path.iterdir()] == ["t.db"]


def test_dates_and_numbers_left_as_texts_are_not_put_in_alphabetical_order(tmp_path: Path) -> None:
    """A forgotten --date-format or --decimal would otherwise silently release a wrong count."""
    path = tmp_path / "t.csv"
    path.write_text("born;earns;name\n31.12.1959;1000,50;Ann\n01.01.1990;900,00;Bob\n")
    options = ReadOptions(delimiter=";")
    for where in (
        "born < '1960-01-01'",
        "earns > '1000'",
        "born BETWEEN '1950-01-01' AND '1960-01-01'",
        "'1000' < earns",
    ):
        with pytest.raises(PredicateRefused, match="letter by letter; declare its dates "):
            count_matching(path, where, options)
    assert count_matching(path, "name < 'B'", options).matching == 1
    assert count_matching(path, "earns = '900,00'", options).matching == 1
    assert count_matching(path, "earns > '1000'", ReadOptions(delimiter=";", types={"earns": "text"})).matching == 2
    declared = ReadOptions(delimiter=";", decimal=",", date_format="%d.%m.%Y")
    assert count_matching(path, "born < DATE '1960-01-01' AND earns > 1000", declared).matching == 1


def test_a_wrong_delimiter_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Geschlecht;Alter\nw;30\n")
    with pytest.raises(PredicateRefused, match=r"one column, 'Geschlecht;Alter'; is the delimiter right\?"):
        count_matching(path, "Geschlecht = 'w'")
