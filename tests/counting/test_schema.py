"""A listed source: its schema decides whether a question fits, and anything wrong with its data is one error."""

from __future__ import annotations

import gzip
import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from pyarrow import parquet

from hushcount.counting import OpenTable, ReadOptions, Schema, check_source, judge, parse_predicate, read_schema
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.keys import Keys
from hushcount.counting.declared.units import Unit
from hushcount.counting.meaning.types import EXACT_IN_DOUBLE
from hushcount.errors import BadData, HushcountError, InvalidParameter, NoSuchColumn, PredicateRefused

from .conftest import Write
from .test_one_row import Case, Row, csv_cases, date_formats, sqlite_cases

PEOPLE = (
    "who,code,got,price,born,seen,zoned,ok,none\n"
    "ann,007,1,1.5,2001-02-03,2024-01-01 05:06,2024-01-01 05:06Z,true,\n"
    "bob,x,2,2,2001-02-04,2024-01-02 05:06,2024-01-01 05:06+01:00,false,\n"
    "bob,,,,,,,,\n"
)
WORDS = {
    "who": "text",
    "code": "text",
    "got": "integer",
    "price": "number",
    "born": "date",
    "seen": "timestamp",
    "zoned": "timestamp with offset",
    "ok": "boolean",
    "none": "empty",
}


@pytest.fixture
def people(write: Write) -> Path:
    return write(PEOPLE, "people.csv")


@pytest.mark.parametrize("kind", ["frame", "parquet", "json"])
def test_a_column_without_a_name_is_never_asked_about(tmp_path: Path, kind: str) -> None:
    """It is no word of SQL. Pandas gives such a name to the first column of many a file."""
    table = pa.table({"": [1, 2], "b": [3, 4]})
    path = tmp_path / "t"
    if kind == "parquet":
        parquet.write_table(table, path)
    elif kind == "json":
        path.write_text('{"": 1, "b": 3}\n{"": 2, "b": 4}\n')
    source: Any = table if kind == "frame" else path
    schema = read_schema(source)
    assert schema.names == ("", "b")
    check_source(source, schema)
    assert count(source, "b = 3", schema) == 1


def count(path: Path, where: str, schema: Schema, options: ReadOptions | None = None) -> int:
    with OpenTable(path, where, options, schema=schema) as table:
        table.check_fits()
        assert table.count_rows() >= 0
        return table.tally().matching


def test_the_type_of_every_column_in_a_word(people: Path) -> None:
    schema = read_schema(people)
    assert schema.format == "csv"
    assert schema.shown() == WORDS
    assert schema.names == tuple(WORDS)


def test_types_are_declarations(people: Path) -> None:
    for kind in read_schema(people).usable.values():
        assert (kind.open, kind.loose, kind.large) == (False, False, False)


def made(path: Path, sql: str) -> Path:
    """A table of a SQLite, DuckDB or Parquet file, as its name says."""
    if path.suffix == ".sqlite":
        with closing(sqlite3.connect(path)) as lite:
            lite.executescript(sql)
        return path
    with duckdb.connect(str(path) if path.suffix == ".duckdb" else ":memory:") as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(sql)
        if path.suffix == ".parquet":
            connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")
    return path


DECLARED = (
    "CREATE TABLE t (small TINYINT, big BIGINT, unsigned UBIGINT, money DECIMAL(18, 3), single FLOAT, double DOUBLE, "
    "word VARCHAR, kind ENUM('x', 'it''s'), day DATE, us TIMESTAMP, tz TIMESTAMPTZ, flag BOOLEAN, list INTEGER[]); "
    "INSERT INTO t VALUES (1, 2, 3, 4.5, 2.1, 0.1, 'a', 'x', '2024-01-01', '2024-01-01', '2024-01-01', true, [1])"
)


@pytest.mark.parametrize("form", ["duckdb", "parquet"])
def test_a_file_is_taken_at_its_word(tmp_path: Path, form: str) -> None:
    path = made(tmp_path / f"t.{form}", DECLARED)
    schema = read_schema(path)
    assert list(schema.shown().values()) == (
        ["integer"] * 3 + ["decimal", "number", "number", "text", "text", "date", "timestamp", "timestamp with offset"]
    ) + ["boolean", "unusable"]
    assert count(path, "single = 2.1 and money = 4.5 and word = 'a'", schema) == 1
    with pytest.raises(PredicateRefused, match=r"^column 'list' has the type INTEGER\[\], which no predicate can use$"):
        OpenTable(path, "list = 1", schema=schema)


def sources(tmp_path: Path) -> Iterator[tuple[Path, Schema]]:
    people = tmp_path / "people.csv"
    people.write_text(PEOPLE)
    yield people, read_schema(people)
    for form in ("duckdb", "parquet"):
        path = made(tmp_path / f"t.{form}", DECLARED)
        yield path, read_schema(path)
    path = made(tmp_path / "t.sqlite", "CREATE TABLE t (a INTEGER, b, d DATE); INSERT INTO t VALUES (1, 2.5, NULL)")
    yield path, read_schema(path)


@pytest.mark.slow
def test_a_schema_survives_json(tmp_path: Path) -> None:
    for path, schema in sources(tmp_path):
        again = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
        assert again == schema
        assert again.usable == schema.usable
        with OpenTable(path, "TRUE", schema=again) as table:
            table.check_fits()


def test_types_that_are_held_alike_are_not_one_in_a_schema(tmp_path: Path) -> None:
    kinds = ("FLOAT", "DOUBLE", "VARCHAR", "ENUM('x')", "ENUM('x', 'y')")
    found = [
        read_schema(made(tmp_path / f"{at}.duckdb", f"CREATE TABLE t (x {kind})")) for at, kind in enumerate(kinds)
    ]
    assert len({json.dumps(schema.to_dict()) for schema in found}) == len(kinds)
    for one in found:
        assert [one == other for other in found].count(True) == 1


@pytest.mark.parametrize(
    "broken",
    [
        None,
        [],
        {},
        {"format": "csv"},
        {"format": "csv", "columns": None},
        {"format": "csv", "columns": [], "more": 1},
        {"format": 1, "columns": []},
        {"format": "csv", "columns": [1]},
        {"format": "csv", "columns": [{"name": "x"}]},
        {"format": "csv", "columns": [{"name": "x", "type": {}}]},
        {"format": "csv", "columns": [{"name": "x", "type": {"kind": "blob"}}]},
        {"format": "csv", "columns": [{"name": "x", "type": {"kind": "text", "colour": 1}}]},
        {"format": "csv", "columns": [{"name": "x", "type": {"kind": "text", "loose": True}}]},
        {"format": "csv", "columns": [{"name": "x", "type": {"kind": "text"}, "more": 1}]},
        {"format": "csv", "columns": [{"name": "x", "type": {"kind": "text", "labels": 1}}]},
    ],
)
def test_what_is_no_schema(broken: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"^schema must be what Schema\.to_dict returned$"):
        Schema.from_dict(broken)


REFUSED = [
    ("code = 5", "column 'code' (text) cannot be compared with 5"),
    ("got = 'x'", "column 'got' (integer) cannot be compared with 'x'"),
    ("coalesce(got, 2.5) > 1", "may be any whole number of up to 38 digits"),
    ("case when ok then got else price end = 1", "may be any whole number of up to 38 digits"),
    ("got = price", "may be any whole number of up to 38 digits"),
    ("got between 1 and price", "may be any whole number of up to 38 digits"),
    ("coalesce(coalesce(got, 1), price) = 1", "may be any whole number of up to 38 digits"),
    (f"coalesce(got, 1{'0' * 38}) > 1", "may be any whole number of up to 38 digits"),
    ("born = '2024-02-30'", "must be written as 'YYYY-MM-DD'"),
    ("seen = '2024-01-01 05:06Z'", "must be written as 'YYYY-MM-DD hh:mm:ss'"),
    ("ok > false", "have no order"),
    ("lower(got) = 'x'", "is not text"),
    ("who", "is not a condition"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("where", "message"), REFUSED)
def test_what_does_not_fit_is_refused_before_the_source_is_opened(people: Path, where: str, message: str) -> None:
    schema = read_schema(people)
    people.unlink()
    for ask in (
        lambda: OpenTable(people, where, schema=schema),
        lambda: judge(parse_predicate(where), schema),
        lambda: judge(parse_predicate(where), schema, Unit("who")),
        lambda: judge(parse_predicate(where), schema, cells=Cells(Keys.listed(["code"], "a,b"))),
    ):
        with pytest.raises(PredicateRefused) as caught:
            ask()
        assert message in str(caught.value)


def test_names_keys_and_units_are_judged_by_the_schema_too(people: Path) -> None:
    schema, anything = read_schema(people), parse_predicate("TRUE")
    people.unlink()
    with pytest.raises(NoSuchColumn, match="did you mean 'price'"):
        OpenTable(people, "prise > 1", schema=schema)
    with pytest.raises(NoSuchColumn, match="'nosuch'"):
        judge(anything, schema, Unit("nosuch"))
    for column in ("price", "seen"):
        with pytest.raises(InvalidParameter, match="unit must be a column of whole numbers"):
            judge(anything, schema, Unit(column))
    for column, keys in (("got", "1,x"), ("born", "2024-02-30"), ("price", "1,2"), ("ok", "yes"), ("got", "1,+1")):
        with pytest.raises(InvalidParameter, match=r"^(keys|by) must be"):
            judge(anything, schema, cells=Cells(Keys.listed([column], keys)))


FITTING = [
    ("got = 1", 1),
    ("got > 1.5", 1),
    ("got + 0 = price", 1),
    ("coalesce(got, 0) in (0, 2)", 2),
    ("code = '007'", 1),
    ("born < '2001-02-04'", 1),
    ("seen >= TIMESTAMP '2024-01-02 00:00:00'", 1),
    ("zoned = '2024-01-01 06:06+01:00'", 1),
    ("zoned < '2024-01-01 05:00:00'", 1),
    ("ok", 1),
    ("none is null", 3),
    ("none = 5 or none = 'x'", 0),
]


@pytest.mark.slow
@pytest.mark.parametrize(("where", "matching"), FITTING)
def test_what_fits_is_counted(people: Path, where: str, matching: int) -> None:
    assert count(people, where, read_schema(people)) == matching


def test_keys_and_units_of_a_listed_source(people: Path) -> None:
    schema = read_schema(people, unit=Unit("who"))
    with OpenTable(people, "TRUE", cells=Cells(Keys.listed(["got"], "1,2")), schema=schema) as table:
        assert table.tally_cells().matching.tolist() == [1, 1, 1]
    with OpenTable(people, "got = 2 or who = 'bob'", unit=Unit("who"), schema=schema) as table:
        table.check_fits()
        assert (table.count_units(), table.tally().matching) == (2, 1)


def test_the_unit_of_a_csv_is_a_text_unless_it_is_pinned(write: Write) -> None:
    path = write("id,x\n1,1\n+1,1\n2,1\n")
    text, whole = (
        read_schema(path, unit=Unit("id")),
        read_schema(path, ReadOptions(types={"id": "integer"}), Unit("id")),
    )
    assert (text.shown()["id"], whole.shown()["id"]) == ("text", "integer")
    for schema, units in ((text, 3), (whole, 2)):
        with OpenTable(path, "x = 1", unit=Unit("id"), schema=schema) as table:
            assert table.count_units() == units


def same_error(path: Path, where: str, schema: Schema, unit: Unit | None = None) -> None:
    """A source that does not fit is refused by an error that names it, and tells no more."""
    with pytest.raises(BadData) as caught, OpenTable(path, where, unit=unit, schema=schema) as table:
        table.check_fits()
    assert str(caught.value) == (
        f"{path} cannot be read as its columns are listed; hushcount budget source check tells its owner where"
    )
    assert caught.value.__cause__ is caught.value.__context__ is None


ROW = "cyd,y,3,1.5,2001-02-03,2024-01-01 05:06,2024-01-01 05:06Z,true,\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "told"),
    [
        (PEOPLE.replace("who", "whom", 1), "other columns"),
        (PEOPLE.replace("who,code", "code,who", 1), "other columns"),
        (PEOPLE.replace("none\n", "none,more\n", 1), "other columns"),
        (PEOPLE + "dan\n", "line 5 has 1 field"),
        (PEOPLE + ROW.replace(",3,", ",2.5,"), "line 5 does not hold an integer in column 'got'"),
        (PEOPLE + ROW.replace(",3,", ",07,"), "line 5 does not hold an integer in column 'got'"),
        (PEOPLE + ROW.replace(",3,", f",{'9' * 39},"), "line 5 does not hold an integer in column 'got'"),
        (PEOPLE + ROW.replace("1.5", "x"), "line 5 does not hold a number in column 'price'"),
        (PEOPLE + ROW.replace("2001-02-03", "3.2.2001"), "line 5 does not hold a date in column 'born'"),
        (PEOPLE + ROW.replace("05:06,", "05:06Z,"), "line 5 does not hold a timestamp in column 'seen'"),
        (PEOPLE + ROW.replace("05:06Z", "05:06"), "line 5 does not hold a timestamp with offset in column 'zoned'"),
        (PEOPLE + ROW.replace("true", "yes"), "line 5 does not hold a boolean in column 'ok'"),
        (PEOPLE + ROW.replace("true,", "true,1"), "line 5 holds a value in column 'none', which was declared empty"),
        (PEOPLE + '"', "line 5"),
        ("", "is empty"),
        (PEOPLE.encode() + b"\xff" + ROW.encode(), "line 5"),
        (gzip.compress(PEOPLE.encode())[:-9], "people.csv"),
    ],
)
def test_a_misfit_is_one_error_for_who_asks_and_a_place_for_the_owner(
    people: Path, content: str | bytes, told: str
) -> None:
    schema = read_schema(people)
    people.write_bytes(content.encode() if isinstance(content, str) else content)
    same_error(people, "TRUE", schema)
    with pytest.raises(BadData) as caught:
        check_source(people, schema)
    assert told in str(caught.value)


def test_a_text_that_no_reader_can_spell_is_a_misfit_of_a_parquet_file(tmp_path: Path) -> None:
    """One row would make an error, or none, by which columns a question names."""
    path = tmp_path / "p.parquet"

    def write(text: bytes) -> None:
        names = pa.array([b"ann", text]).view(pa.string())
        parquet.write_table(pa.table({"x": [1, 0], "name": names}), path)

    write(b"bob")
    schema = read_schema(path)
    write(b"caf\xe9")
    for ask in (lambda: read_schema(path), lambda: check_source(path, schema)):
        with pytest.raises(BadData, match=r"p\.parquet: column 'name' could not be read to the end") as caught:
            ask()
        assert "caf" not in str(caught.value)
    errors = set()
    for where in ("x = 1", "name = 'ann'"):
        with OpenTable(path, where, schema=schema) as table, pytest.raises(BadData) as caught:
            table.check_fits()
        errors.add(str(caught.value))
    with OpenTable(path, "name = 'ann'", schema=schema) as table, pytest.raises(BadData) as caught:
        table.tally()  # without the check
    errors.add(str(caught.value))
    assert len(errors) == 1
    assert "cannot be read as its columns are listed" in errors.pop()


def test_a_misfit_in_a_column_that_is_asked_for_is_found_without_the_check(people: Path) -> None:
    schema = read_schema(people)
    people.write_text(PEOPLE + ROW.replace(",3,", ",2.5,"))
    with OpenTable(people, "got = 1", schema=schema) as table:
        table.count_rows()
        with pytest.raises(BadData, match=r"people\.csv cannot be read as its columns are listed"):
            table.tally()
    assert count_unchecked(people, "price = 1.5", schema) == 2


def count_unchecked(path: Path, where: str, schema: Schema) -> int:
    with OpenTable(path, where, schema=schema) as table:
        return table.tally().matching


def test_a_row_without_its_unit(people: Path) -> None:
    with pytest.raises(BadData, match=r"line 4 has nothing in column 'code', and so no unit"):
        read_schema(people, unit=Unit("code"))
    schema = read_schema(people, unit=Unit("code", "one-unit"))
    check_source(people, schema, unit=Unit("code", "one-unit"))
    same_error(people, "TRUE", schema, Unit("code"))
    with pytest.raises(BadData, match="line 4 has nothing in column 'code'"):
        check_source(people, schema, unit=Unit("code"))
    with (
        OpenTable(people, "TRUE", unit=Unit("code"), schema=schema) as table,
        pytest.raises(BadData, match="cannot be read as its columns are listed"),
    ):
        table.tally()


def test_another_format_of_the_same_columns_is_another_source(tmp_path: Path) -> None:
    sql = "CREATE TABLE t (a VARCHAR); INSERT INTO t VALUES ('x')"
    path = tmp_path / "t.data"
    path.write_text("a\nx\n")
    schema = read_schema(path)
    path.unlink()
    made(tmp_path / "t.parquet", sql).rename(path)
    same_error(path, "a = 'x'", schema)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["duckdb", "parquet", "sqlite"])
@pytest.mark.parametrize(
    "other",
    [
        "CREATE TABLE t (a BIGINT, b TEXT, c INT)",
        "CREATE TABLE t (b TEXT, a BIGINT)",
        "CREATE TABLE t (a BIGINT)",
        "CREATE TABLE t (a TEXT, b TEXT); INSERT INTO t VALUES ('x', 'x')",
        "CREATE TABLE t (a BIGINT, b REAL); INSERT INTO t VALUES (1, 2.5)",
    ],
)
def test_a_file_with_other_columns(tmp_path: Path, form: str, other: str) -> None:
    path = made(tmp_path / f"t.{form}", "CREATE TABLE t (a BIGINT, b TEXT); INSERT INTO t VALUES (1, 'x')")
    schema = read_schema(path)
    assert count(path, "a = 1 and b = 'x'", schema) == 1
    path.unlink()
    same_error(made(path, other), "TRUE", schema)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("listed", "misfit"),
    [
        ("1", "2.5"),
        ("1", "'x'"),
        ("2.5", str(EXACT_IN_DOUBLE + 1)),
        ("2.5", "'x'"),
        ("'x'", "1"),
        ("'x'", "x'00'"),
        ("NULL", "1"),
    ],
)
def test_a_sqlite_column_is_read_as_it_was_listed(tmp_path: Path, listed: str, misfit: str) -> None:
    path = made(tmp_path / "t.sqlite", f"CREATE TABLE t (a); INSERT INTO t VALUES ({listed})")
    schema = read_schema(path)
    made(path, f"INSERT INTO t VALUES ({listed}), (NULL)")
    assert count(path, "a is null", schema) == (3 if listed == "NULL" else 1)
    made(path, f"INSERT INTO t VALUES ({misfit})")
    same_error(path, "TRUE", schema)
    with pytest.raises(BadData, match="column 'a'"):
        check_source(path, schema)


def test_sqlite_numbers_may_turn_out_whole(tmp_path: Path) -> None:
    path = made(tmp_path / "t.sqlite", "CREATE TABLE t (a); INSERT INTO t VALUES (2.5), (2)")
    schema = read_schema(path)
    path.unlink()
    assert count(made(path, "CREATE TABLE t (a); INSERT INTO t VALUES (2), (3)"), "a = 2", schema) == 1


def test_what_cannot_be_reached_is_said(people: Path) -> None:
    schema = read_schema(people)
    people.unlink()
    with pytest.raises(BadData, match="does not exist"):
        OpenTable(people, "got = 1", schema=schema)
    people.mkdir()
    with pytest.raises(BadData, match="is a directory"):
        OpenTable(people, "got = 1", schema=schema)


def test_arguments_of_the_wrong_type(people: Path) -> None:
    with pytest.raises(InvalidParameter, match=r"^schema must be a Schema"):
        OpenTable(people, "got = 1", schema={})
    with pytest.raises(InvalidParameter, match=r"^unit must be a Unit \(got a str\)$"):
        read_schema(people, unit="who")
    with pytest.raises(InvalidParameter, match=r"^options must be a ReadOptions \(got a dict\)$"):
        read_schema(people, {})
    with pytest.raises(NoSuchColumn, match="'whom'"):
        read_schema(people, unit=Unit("whom"))
    with pytest.raises(InvalidParameter, match="unit must be a column of whole numbers"):
        read_schema(people, ReadOptions(types={"price": "number"}), Unit("price"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other", "where"),
    [
        ("code\n007\nx\n", "code\n7x\nx\n", "code = 'x'"),
        ("x\n1\n9007199254740993\n", "x\n1\n2\n", "coalesce(x, 2.5) > 1"),
        ("x\n1\n9007199254740993\n", "x\n1\n2\n", "x > 2.5"),
        (f"x\n1\n{'9' * 38}\n", "x\n1\n2\n", "x + 1 > 2"),
        (f"x\n1\n{'9' * 38}\n", "x\n1\n2\n", "coalesce(x, 0) = 2"),
        ("t\n2024-01-01 00:00\n2024-01-01 00:01\n", "t\n2024-01-01 00:00\nnan\n", "t = '2024-01-01 00:00Z'"),
    ],
)
def test_no_row_decides_whether_a_question_fits(write: Write, one: str, other: str, where: str) -> None:
    schema = read_schema(write(one))
    found = []
    for content in (one, other):
        path = write(content)
        check_source(path, schema)
        found.append(outcome(lambda path=path: count(path, where, schema)))
    assert found[0] == found[1] or all(isinstance(answer, int) for answer in found)


def outcome(ask: Callable[[], int]) -> int | tuple[type[HushcountError], str]:
    try:
        return ask()
    except HushcountError as error:
        return type(error), str(error)


def settled(schema: Schema, tables: Sequence[Path], where: str, options: ReadOptions | None) -> None:
    """Of all tables that fit the schema, the question is refused in the same words, or answered within 1.

    The first is the one that the schema is of, so it fits.
    """
    check_source(tables[0], schema, options)
    found = []
    for path in tables:
        try:
            check_source(path, schema, options)
        except BadData:
            assert outcome(lambda path=path: count(path, "TRUE", schema, options))[0] is BadData
            continue
        answer = outcome(lambda path=path: count(path, where, schema, options))
        found.append(answer if isinstance(answer, int) else (answer[0], answer[1].replace(str(path), "PATH")))
    counts = [answer for answer in found if isinstance(answer, int)]
    assert len(counts) in (0, len(found))
    assert len({answer for answer in found if not isinstance(answer, int)}) <= 1
    assert not counts or max(counts) - min(counts) <= 1


@pytest.mark.slow
@given(csv_cases, date_formats)
@settings(max_examples=60, deadline=None)
def test_one_row_of_a_listed_csv_changes_no_error(case: Case, date_format: str) -> None:
    options = ReadOptions(types=case.types, date_format=date_format)
    with tempfile.TemporaryDirectory() as folder:
        tables = []
        for at, other in enumerate([case.rows[0], *case.others]):
            tables.append(Path(folder) / f"{at}.csv")
            rows = [*case.rows, *case.rows, other]
            tables[-1].write_text("k,u,v\n" + "".join(f"1,{u},{v}\n" for u, v in rows), encoding="utf-8")
        try:
            schema = read_schema(tables[0], options)
        except BadData:
            return
        settled(schema, tables, case.where, options)


@pytest.mark.slow
@given(sqlite_cases)
@settings(max_examples=40, deadline=None)
def test_one_row_of_a_listed_sqlite_table_changes_no_error(case: Case) -> None:
    declared = {"u": "", "v": "", **case.types}
    with tempfile.TemporaryDirectory() as folder:
        tables = []
        for at, other in enumerate([case.rows[0], *case.others]):
            tables.append(Path(folder) / f"{at}.db")
            written(tables[-1], declared, [*case.rows, *case.rows, other])
        try:
            schema = read_schema(tables[0])
        except BadData:
            return
        settled(schema, tables, case.where, None)


def written(path: Path, declared: dict[str, str], rows: Sequence[Row]) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(f"CREATE TABLE t (u {declared['u']}, v {declared['v']})")
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        connection.commit()
