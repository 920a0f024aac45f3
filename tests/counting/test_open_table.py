"""Opening and checking apart from judging: what is told before any value is looked at, in every format."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from hushcount.counting import OpenTable, ReadOptions, Tally
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.keys import Keys
from hushcount.counting.declared.units import Unit
from hushcount.counting.engines.duckdb import DuckdbEngine
from hushcount.errors import BadData, InvalidParameter, NoSuchColumn, PredicateRefused

from .conftest import Write

FORMATS = ("csv", "csv.gz", "parquet", "duckdb", "sqlite")
ROWS = [(70, "Ann"), (30, "Bob"), (65, "Cid")]


@pytest.fixture(params=FORMATS)
def people(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return made(tmp_path / f"people.{request.param}")


def made(path: Path, rows: list[tuple[int, str]] = ROWS) -> Path:
    """A table of age and name in the format that the name of the file says."""
    if path.name.endswith((".csv", ".csv.gz")):
        text = "age,name\n" + "".join(f"{age},{name}\n" for age, name in rows)
        path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    elif path.suffix == ".sqlite":
        lite = sqlite3.connect(path)
        lite.execute("CREATE TABLE people (age INTEGER, name TEXT)")
        lite.executemany("INSERT INTO people VALUES (?, ?)", rows)
        lite.commit()
        lite.close()
    else:
        with duckdb.connect(str(path) if path.suffix == ".duckdb" else ":memory:") as connection:
            connection.execute("CREATE TABLE people (age BIGINT, name VARCHAR)")
            for row in rows:
                connection.execute("INSERT INTO people VALUES (?, ?)", row)
            if path.suffix == ".parquet":
                connection.execute(f"COPY people TO '{path}' (FORMAT parquet)")
    return path


def test_rows_and_then_the_tally(people: Path) -> None:
    with OpenTable(people, "age>=65") as table:
        assert table.count_rows() == table.count_rows() == 3
        assert table.tally() == Tally(3, 2, "age >= 65")


def test_the_tally_alone(people: Path) -> None:
    with OpenTable(people, "name = 'Bob'") as table:
        assert table.tally() == Tally(3, 1, "name = 'Bob'")


def test_a_predicate_without_columns(people: Path) -> None:
    with OpenTable(people, "TRUE") as table:
        assert (table.count_rows(), table.tally().matching) == (3, 3)


@pytest.mark.parametrize("form", FORMATS)
def test_no_rows(tmp_path: Path, form: str) -> None:
    with OpenTable(made(tmp_path / f"none.{form}", []), "age > 1") as table:
        assert (table.count_rows(), table.tally().matching) == (0, 0)


def test_names_are_checked_at_the_door(people: Path) -> None:
    with pytest.raises(NoSuchColumn, match="did you mean 'age'"):
        OpenTable(people, "agee > 1")


def test_types_are_checked_where_the_file_declares_them(people: Path) -> None:
    """In a CSV file the values tell them, and they are looked at only by `tally`."""
    if people.suffix in (".parquet", ".duckdb", ".sqlite"):
        with pytest.raises(PredicateRefused, match="cannot be compared"):
            OpenTable(people, "name > 65")
    else:
        with OpenTable(people, "name > 65") as table:
            assert table.count_rows() == 3
            with pytest.raises(PredicateRefused, match="cannot be compared"):
                table.tally()


def test_no_value_is_loaded_before_the_tally(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("a value was looked at")

    def of_no_column(engine: DuckdbEngine, columns: Sequence[str], relation: str) -> None:
        assert not columns, "a value was looked at"
        view(engine, columns, relation)

    view = DuckdbEngine.view
    monkeypatch.setattr(DuckdbEngine, "view", of_no_column)
    for name in ("arrow", "count"):
        monkeypatch.setattr(DuckdbEngine, name, never)
    with OpenTable(people, "age >= 65") as table:
        assert table.count_rows() == 3
        with pytest.raises(AssertionError, match="a value was looked at"):
            table.tally()


ROW = "island,got,price,seen\nBiscoe,1,1.5,2024-01-01 05:06\n"
PINNED = {"island": "text", "got": "integer", "price": "number", "seen": "timestamp"}


@pytest.mark.parametrize(
    ("pinned", "where"),
    [
        ("island", "island = 5"),
        ("island", "island = 5 and got = 1"),
        ("island", "got = 1 or lower(island) = 'x' or island + 1 > 2"),
        ("island", "coalesce(got, island) = 5"),
        ("island", "case when got = 1 then island else 5 end = 'x'"),
        ("got", "got = 'x'"),
        ("got", "coalesce(got, 2.5) > 1"),
        ("got", "coalesce(got, price, 2.5) > 1"),
        ("price", "price between 1 and 'x'"),
        ("seen", "seen = '2024-01-32 00:00'"),
        ("seen", "extract(year from seen) = 'x'"),
        ("", "1 = 'x' or got = 1"),
    ],
)
def test_what_a_pin_shows_to_be_wrong_is_refused_at_the_door(write: Write, pinned: str, where: str) -> None:
    path = write(ROW)
    with pytest.raises(PredicateRefused):
        OpenTable(path, where, ReadOptions(types={pinned: PINNED[pinned]} if pinned else {}))


@pytest.mark.parametrize("where", ["got = 1", "got > 0.5", "coalesce(got, 2.5) = 1", "coalesce(got, price, 2.5) = 1"])
def test_nothing_is_refused_for_want_of_a_pin(write: Write, where: str) -> None:
    with OpenTable(write(ROW), where) as table:
        assert table.tally().matching == 1


def test_keys_and_unit_of_pinned_columns_are_judged_at_the_door(write: Write) -> None:
    path = write(ROW)
    with pytest.raises(InvalidParameter, match="keys must be what column 'got' can hold"):
        OpenTable(path, "TRUE", ReadOptions(types={"got": "integer"}), cells=Cells(Keys.listed(["got"], "x")))
    with pytest.raises(InvalidParameter, match="by must be columns of whole numbers"):
        OpenTable(path, "TRUE", ReadOptions(types={"price": "number"}), cells=Cells(Keys.listed(["price"], "1")))
    with pytest.raises(InvalidParameter, match="unit must be a column of whole numbers"):
        OpenTable(path, "TRUE", ReadOptions(types={"price": "number"}), unit=Unit("price"))


@pytest.mark.slow
@pytest.mark.parametrize("value", ["1", str(2**53 + 1), str(2**63), "9" * 38])
def test_a_pinned_integer_is_any_of_up_to_38_digits(write: Write, value: str) -> None:
    """Whether a condition fits does not depend on the values, and comparisons are exact."""
    path, options = write(f"n\n{value}\n-{value}\n"), ReadOptions(types={"n": "integer"})
    for where, matching in ((f"n = {value}", 1), (f"n > {int(value) - 1}", 1), (f"n in (-{value}, 0)", 1)):
        with OpenTable(path, where, options) as table:
            assert table.tally().matching == matching
    for where, matching in (("n > 0.5", 1), ("n < -0.5", 1), ("n = 2.5", 0), ("coalesce(n, 0) <> 0", 2), ("n = n", 2)):
        with OpenTable(path, where, options) as table:
            assert table.tally().matching == matching
    with pytest.raises(PredicateRefused, match="any whole number of up to 38 digits"):
        OpenTable(path, "coalesce(n, 2.5) > 1", options)
    cells = Cells(Keys.listed(["n"], f"{value},7"))
    with OpenTable(path, "TRUE", options, cells=cells) as table:
        assert table.tally_cells().matching.tolist() == [1, 0, 1]


@pytest.mark.parametrize("value", ["1", str(2**53 + 1), str(2**63 - 1)])
def test_a_declared_sqlite_integer_has_64_bits_whatever_it_holds(tmp_path: Path, value: str) -> None:
    path = tmp_path / "t.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"CREATE TABLE t (n INTEGER); INSERT INTO t VALUES ({value}), (NULL)")
    with OpenTable(path, f"coalesce(n, 2.5) = {value}") as table:
        assert table.tally().matching == 1
    with pytest.raises(PredicateRefused):
        OpenTable(path, "n = 'x'")


def test_a_pinned_type_is_judged_by_the_tally(write: Write) -> None:
    with OpenTable(write("age\n70\nold\n"), "age > 1", ReadOptions(types={"age": "integer"})) as table:
        assert table.count_rows() == 2
        with pytest.raises(BadData, match="line 3 does not hold an integer"):
            table.tally()


def test_a_file_that_cannot_be_read_to_its_end(write: Write) -> None:
    with (
        OpenTable(write("age,name\n70,Ann\n30\n"), "age > 1") as table,
        pytest.raises(BadData, match="line 3 has 1 field"),
    ):
        table.count_rows()


@pytest.mark.parametrize("form", ["csv", "sqlite"])
def test_a_file_that_changes_in_between(tmp_path: Path, form: str) -> None:
    path = made(tmp_path / f"people.{form}")
    with OpenTable(path, "age >= 65") as table:
        assert table.count_rows() == 3
        path.unlink()
        made(path, [*ROWS, (1, "Dan")])
        with pytest.raises(BadData, match=r"was changed while it was read|disagree on this file"):
            table.tally()


def test_it_is_closed(people: Path) -> None:
    with OpenTable(people, "age >= 65") as table:
        pass
    with pytest.raises(Exception, match=r"[Cc]onnection"):
        table.tally()
