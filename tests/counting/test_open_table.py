"""Opening and checking apart from judging: what is told before any value is looked at, in every format."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path

import duckdb
import pytest

from hushcount.counting import OpenTable, ReadOptions, Tally
from hushcount.counting._engine import Engine
from hushcount.errors import BadData, NoSuchColumn, PredicateRefused

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

    for name in ("arrow", "view", "count"):
        monkeypatch.setattr(Engine, name, never)
    with OpenTable(people, "age >= 65") as table:
        assert table.count_rows() == 3
        with pytest.raises(AssertionError, match="a value was looked at"):
            table.tally()


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
