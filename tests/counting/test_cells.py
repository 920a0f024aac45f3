"""Counts by declared cell and of units: the same from every format, and what plain Python finds."""

from __future__ import annotations

import csv
import sqlite3
import tempfile
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st
from plain_tables import Row, plain_table

from hushcount.counting import OpenTable, ReadOptions, count_matching
from hushcount.counting.cells.cells import Cells, CellTally
from hushcount.counting.cells.key_files import read_keys
from hushcount.counting.cells.keys import Keys
from hushcount.counting.declared.units import Unit
from hushcount.errors import BadData, InvalidParameter, NoSuchColumn, PredicateRefused

Table = list[dict[str, Any]]
NAMES = ("region", "year", "person", "age")
PINNED = ReadOptions(types={"region": "text", "year": "integer", "person": "text", "age": "integer"})
SCHEMA = pa.schema([("region", pa.string()), ("year", pa.int16()), ("person", pa.string()), ("age", pa.int64())])

REGIONS = st.sampled_from(["north", "south", "east", "", "other", "North", "süd", "a,b", 'q"q'])
tables = st.lists(
    st.fixed_dictionaries(
        {
            "region": st.none() | REGIONS,
            "year": st.none() | st.integers(2019, 2021),
            "person": st.none() | st.sampled_from(["1", "01", "ann", "Ann", ""]),
            "age": st.integers(0, 2),
        }
    ),
    max_size=12,
)


def _csv(table: Table, path: Path) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        file.write(",".join(NAMES) + "\n")
        for row in table:
            cells = (row[name] for name in NAMES)
            file.write(",".join("" if c is None else '"' + str(c).replace('"', '""') + '"' for c in cells) + "\n")
    return path


def _parquet(table: Table, path: Path) -> Path:
    pq.write_table(pa.Table.from_pylist(table, SCHEMA), path)
    return path


def _duckdb(table: Table, path: Path) -> Path:
    with duckdb.connect(str(path)) as connection:
        connection.register("given", pa.Table.from_pylist(table, SCHEMA))
        connection.execute("CREATE TABLE people AS SELECT * FROM given")
    return path


def _sqlite(table: Table, path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE people (region TEXT, year INTEGER, person TEXT, age INTEGER)")
    connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", [[row[name] for name in NAMES] for row in table])
    connection.commit()
    connection.close()
    return path


WRITERS: dict[str, Callable[[Table, Path], Path]] = {
    "csv": _csv,
    "parquet": _parquet,
    "duckdb": _duckdb,
    "sqlite": _sqlite,
}


def counted(table: Table, format: str, cells: Cells, where: str = "TRUE") -> tuple[int, list[int]]:
    with tempfile.TemporaryDirectory() as folder:
        path = WRITERS[format](table, Path(folder) / f"people.{format}")
        with OpenTable(path, where, PINNED if format == "csv" else None, cells=cells) as opened:
            before = opened.count_units() if cells.unit else opened.count_rows()
            tally = opened.tally_cells()
    assert before == tally.everything
    return tally.everything, tally.matching.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("format", WRITERS)
@settings(max_examples=15, deadline=None)
@given(
    tables,
    st.lists(REGIONS, min_size=1, max_size=4, unique=True),
    st.sampled_from(["other", "left-out"]),
    st.sampled_from([None, 1, 2, 9]),
    st.randoms(use_true_random=False),
)
def test_it_is_what_plain_python_finds(format, table, regions, undeclared, max_cells, random):
    unit = None if max_cells is None else Unit("person", "one-unit")
    cells = Cells(Keys.of(["region"], regions), undeclared, unit, max_cells or 1)
    rows = [Row((row["region"],), row["person"], row["age"] >= 1) for row in table]
    expected = plain_table(
        rows,
        [(region,) for region in regions],
        undeclared=undeclared,
        counts_units=unit is not None,
        max_cells=max_cells or 1,
    )
    everything = len(table) if unit is None else len({row["person"] for row in table})
    assert counted(table, format, cells, "age >= 1") == (everything, expected)
    random.shuffle(table)
    assert counted(table, format, cells, "age >= 1") == (everything, expected)


@pytest.mark.slow
@pytest.mark.parametrize("format", WRITERS)
@settings(max_examples=10, deadline=None)
@given(tables, st.sampled_from(["other", "left-out"]), st.sampled_from([None, 1, 3]))
def test_two_key_columns(format, table, undeclared, max_cells):
    keys = [("north", 2020), ("south", 2019), ("north", 2019), ("", 2021)]
    unit = None if max_cells is None else Unit("person", "one-unit")
    cells = Cells(Keys.of(["region", "year"], keys), undeclared, unit, max_cells or 1)
    rows = [Row((row["region"], row["year"]), row["person"]) for row in table]
    expected = plain_table(rows, keys, undeclared=undeclared, counts_units=unit is not None, max_cells=max_cells or 1)
    assert counted(table, format, cells)[1] == expected


@pytest.mark.slow
@pytest.mark.parametrize("format", WRITERS)
@settings(max_examples=10, deadline=None)
@given(tables)
def test_one_count_of_units(format, table):
    with tempfile.TemporaryDirectory() as folder:
        path = WRITERS[format](table, Path(folder) / f"people.{format}")
        options = PINNED if format == "csv" else None
        tally = count_matching(path, "age >= 1", options, unit="person", without_unit="one-unit")
    assert tally.rows == len({row["person"] for row in table})
    assert tally.matching == len({row["person"] for row in table if row["age"] >= 1})


@pytest.mark.slow
@pytest.mark.parametrize("format", WRITERS)
def test_no_row_at_all(format):
    cells = Cells(Keys.of(["region"], ["north", "south"]))
    assert counted([], format, cells) == (0, [0, 0, 0])
    assert counted([], format, Cells(Keys.of(["region"], ["north"]), "left-out", Unit("person"), 2)) == (0, [0])


@pytest.mark.slow
@pytest.mark.parametrize("format", WRITERS)
def test_a_row_without_a_unit_is_an_error_that_tells_no_number(format):
    table = [{"region": "north", "year": 2020, "person": person, "age": 3} for person in ("ann", None, "bob", None)]
    with pytest.raises(BadData) as caught:
        counted(table, format, Cells(Keys.of(["region"], ["north"]), unit=Unit("person")))
    assert str(caught.value).partition(": ")[2] == (
        "column 'person' is empty in some row, which then has no unit; all such rows can be declared to be one unit "
        "(--without-unit one-unit)"
    )
    # also where that row does not match
    with pytest.raises(BadData):
        counted(table, format, Cells(Keys.of(["region"], ["north"]), unit=Unit("person")), "age > 100")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "values", "keys", "expected"),
    [
        ("BIGINT", [1, 2, 2, None], ["2", "+1", "99999999999999999999999"], [2, 1, 0, 1]),
        ("TINYINT", [1, 2, 2, None], ["02", "1000"], [2, 0, 2]),
        ("UBIGINT", [2**64 - 1, 0, 0], [2**64 - 1, 0], [1, 2, 0]),
        ("HUGEINT", [10**20, 5], [10**20], [1, 1]),
        ("DECIMAL(6,2)", ["1.50", "1.05", "2.00", None], ["1.5", "2", "-0.00"], [1, 1, 0, 2]),
        ("DECIMAL(6,2)", ["1.50", "1.05"], [Decimal("1.05"), Decimal(3)], [1, 0, 1]),
        ("VARCHAR", ["a", "A", "a ", "", None], ["a", ""], [1, 1, 3]),
        ("VARCHAR", ["a", "A", "a ", "", None], ["a", "", None], [1, 1, 1, 2]),
        ("BIGINT", [1, 0, None, None], [0, None], [1, 2, 1]),
        ("BIGINT", [1, 0, None, None], [None], [2, 2]),
        ("DECIMAL(6,2)", ["0.00", None], [Decimal(0), None], [1, 1, 0]),
        ("BOOLEAN", [False, None, True], [None, False], [1, 1, 1]),
        ("DATE", ["1970-01-01", None], [None, date(1970, 1, 1)], [1, 1, 0]),
        ("ENUM('x', 'y')", ["x", None, "x"], [None, "y"], [1, 0, 2]),
        ("VARCHAR COLLATE NOCASE", ["a", "A"], ["a"], [1, 1]),
        ("ENUM('x', 'y')", ["x", "y", "x"], ["x"], [2, 1]),
        ("BOOLEAN", [True, False, True, None], ["TRUE", "false"], [2, 1, 1]),
        ("BOOLEAN", [True, False, True, None], [True], [2, 2]),
        ("DATE", ["2020-01-02", "2020-01-03", None], ["2020-01-02"], [1, 2]),
        ("DATE", ["2020-01-02", "2020-01-03", None], [date(2020, 1, 3)], [1, 2]),
    ],
)
def test_a_key_means_what_a_literal_means(tmp_path, kind, values, keys, expected):
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE people (k {kind})")
        connection.executemany("INSERT INTO people VALUES (?)", [[value] for value in values])
    texts = all(isinstance(key, str) for key in keys)
    declared = Keys(("k",), (pa.array(keys),), (None,)) if texts else Keys.of(["k"], keys)
    with OpenTable(path, "TRUE", cells=Cells(declared)) as opened:
        assert opened.tally_cells().matching.tolist() == expected


# Of 344 penguins; those of Torgersen whose sex is missing are 5
_PENGUINS = "island,sex\n" + "Torgersen,NA\n" * 5 + 'Torgersen,"NA"\n' + "Torgersen,male\n" * 2 + "NA,male\nNA,\n"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("Torgersen,NA\nTorgersen,male\n", [5, 2, 3]),
        ('Torgersen,"NA"\nTorgersen,male\n', [1, 2, 7]),
        ('Torgersen,NA\nNA,""\nNA,nan\nTorgersen,"NA"\nNA,male\n', [5, 1, 0, 1, 1, 2]),
    ],
)
def test_the_declared_spelling_of_a_missing_value_is_a_missing_key(tmp_path, keys, expected):
    (tmp_path / "penguins.csv").write_text(_PENGUINS)
    (tmp_path / "keys.csv").write_text(f"island,sex\n{keys}")
    declared = read_keys(tmp_path / "keys.csv", ["island", "sex"], "NA")
    for types in ({}, {"island": "text", "sex": "text"}):
        options = ReadOptions(null="NA", types=types)
        with OpenTable(tmp_path / "penguins.csv", "TRUE", options, cells=Cells(declared)) as opened:
            assert opened.tally_cells().matching.tolist() == expected


@pytest.mark.slow
@pytest.mark.parametrize("format", WRITERS)
@settings(max_examples=10, deadline=None)
@given(tables, st.sampled_from(["other", "left-out"]), st.sampled_from([None, 1, 3]))
def test_missing_keys_of_two_columns(format, table, undeclared, max_cells):
    keys = [(None, 2020), ("south", None), (None, None), ("", 2021), ("north", 2019), ("", None)]
    unit = None if max_cells is None else Unit("person", "one-unit")
    cells = Cells(Keys.of(["region", "year"], keys), undeclared, unit, max_cells or 1)
    rows = [Row((row["region"], row["year"]), row["person"]) for row in table]
    expected = plain_table(rows, keys, undeclared=undeclared, counts_units=unit is not None, max_cells=max_cells or 1)
    assert counted(table, format, cells)[1] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("k,j\n1,1\n,2\n", 1), ("k,j\nx,1\n,2\n", 1), ("k,j\ntrue,1\n,2\nnan,3\n", 2), ("k,j\n,1\n,2\n", 2)],
)
def test_the_missing_key_alone_says_nothing_of_the_type(tmp_path, text, expected):
    assert csv_cells(tmp_path, text, "k", "nan").matching[0] == expected


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT", "TIMESTAMP"])
def test_columns_that_are_no_keys_and_no_units(tmp_path, kind):
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE people (k {kind}, n INTEGER)")
    with pytest.raises(InvalidParameter, match=r"^by must be columns of whole numbers"):
        OpenTable(path, "TRUE", cells=Cells(Keys.listed(["k"], "1")))
    with pytest.raises(InvalidParameter, match=r"^unit must be a column of whole numbers"):
        OpenTable(path, "TRUE", unit=Unit("k"))


def test_keys_that_do_not_fit_are_found_before_a_row_is_read(tmp_path):
    path = _parquet([], tmp_path / "people.parquet")
    for by, keys, message in [
        ("year", "2020,x", "keys must be what column 'year' can hold: whole numbers"),
        ("year", "2020,02020", "keys must be different from each other: this one means the same as another"),
        ("region", [1, 2], "keys must be what column 'region' can hold: it holds texts"),
        ("year", ["2020"], "keys must be what column 'year' can hold: it holds whole numbers, and the keys are texts"),
    ]:
        declared = Keys.listed([by], keys) if isinstance(keys, str) else Keys.of([by], keys)
        with pytest.raises(InvalidParameter, match=f"^{message}"):
            OpenTable(path, "TRUE", cells=Cells(declared))
    with pytest.raises(NoSuchColumn, match="did you mean 'region'"):
        OpenTable(path, "TRUE", cells=Cells(Keys.listed(["Region"], "a")))
    with pytest.raises(NoSuchColumn):
        OpenTable(path, "TRUE", unit=Unit("persn"))


def test_pinned_types_of_a_csv_are_used_before_a_row_is_read(tmp_path):
    path = _csv([], tmp_path / "people.csv")
    with pytest.raises(InvalidParameter, match="means the same as another"):
        OpenTable(path, "TRUE", PINNED, cells=Cells(Keys.listed(["year"], "1,01")))


# --- columns whose type only the data tell: no row may have a say in what another row means ---------------------------


def csv_cells(tmp_path: Path, text: str, by: str, keys: str, **options: Any) -> CellTally:
    path = tmp_path / "open.csv"
    path.write_text(text)
    with OpenTable(path, "TRUE", ReadOptions(**options), cells=Cells(Keys.listed([by], keys))) as opened:
        return opened.tally_cells()


def test_keys_say_what_they_mean(tmp_path):
    numbers, texts = "k\n1\n+1\n2\n", "k\n1\n+1\nx\n"
    assert csv_cells(tmp_path, numbers, "k", "1").matching.tolist() == [2, 1]
    assert csv_cells(tmp_path, texts, "k", "x,+x").matching.tolist() == [1, 0, 2]
    # One changed row turned the numbers into texts, among which +1 is another: an error, not another count
    with pytest.raises(InvalidParameter, match="it holds texts, and the keys are whole numbers; pin its type"):
        csv_cells(tmp_path, texts, "k", "1")
    with pytest.raises(InvalidParameter, match="it holds whole numbers, and the keys are texts"):
        csv_cells(tmp_path, numbers, "k", "x")
    assert csv_cells(tmp_path, texts, "k", "1", types={"k": "text"}).matching.tolist() == [1, 2]
    assert csv_cells(tmp_path, "k\n007\n7\n", "k", "007").matching.tolist() == [1, 1]
    assert csv_cells(tmp_path, "k\ntrue\nFALSE\n", "k", "true").matching.tolist() == [1, 1]
    assert csv_cells(tmp_path, "k\n2020-01-02\n", "k", "2020-01-02").matching.tolist() == [1, 0]
    assert csv_cells(tmp_path, 'k\n\n"nan"\nnan\n', "k", '"nan"').matching.tolist() == [1, 2]
    assert csv_cells(tmp_path, 'k\n\n"nan"\nnan\n', "k", "nan").matching.tolist() == [2, 1]
    assert csv_cells(tmp_path, "k,j\n,1\n,2\n", "k", "5").matching.tolist() == [0, 2]
    with pytest.raises(InvalidParameter, match="holds doubles"):
        csv_cells(tmp_path, "k\n1\n1.5\n", "k", "1")


def test_units_of_a_csv_are_texts_unless_pinned(tmp_path):
    path = tmp_path / "open.csv"
    path.write_text("u,x\n1,1\n+1,1\n01,1\n1,1\n")
    assert count_matching(path, "x = 1", unit="u").matching == 3
    path.write_text("u,x\n1,1\n+1,1\n1,1\n")
    assert count_matching(path, "x = 1", unit="u").matching == 2
    assert count_matching(path, "x = 1", ReadOptions(types={"u": "integer"}), unit="u").matching == 1
    assert count_matching(path, "u = 1", ReadOptions(types={"u": "integer"}), unit="u").matching == 1
    with pytest.raises(InvalidParameter, match=r"^unit must be a column whose type is pinned"):
        count_matching(path, "u = 1", unit="u")
    with pytest.raises(InvalidParameter, match=r"^unit must be a column whose type is pinned"):
        OpenTable(path, "TRUE", cells=Cells(Keys.listed(["u"], "1"), unit=Unit("u")))


def test_units_of_a_sqlite_file_without_declared_types(tmp_path):
    connection = sqlite3.connect(tmp_path / "loose.sqlite")
    connection.execute("CREATE TABLE people (u, x)")
    connection.executemany("INSERT INTO people VALUES (?, ?)", [(1, 1), (1, 2), (2, 1), (None, 1)])
    connection.commit()
    connection.close()
    tally = count_matching(tmp_path / "loose.sqlite", "x = 1", unit="u", without_unit="one-unit")
    assert (tally.rows, tally.matching) == (3, 3)


def test_nothing_but_the_needed_columns_is_read(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("region,person,broken\nnorth,1,5\nsouth,2,oops\n")
    cells = Cells(Keys.listed(["region"], "north"), unit=Unit("person"))
    with OpenTable(path, "TRUE", ReadOptions(types={"broken": "integer"}), cells=cells) as opened:
        assert opened.count_units() == 2
        assert opened.tally_cells().matching.tolist() == [1, 1]


def test_counting_units_first_looks_at_their_column_alone(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("region,person,age\nnorth,1,5\nsouth,2,oops\n")
    with OpenTable(path, "age = 5", ReadOptions(types={"age": "integer"}), unit=Unit("person")) as opened:
        assert opened.count_units() == 2
        with pytest.raises(BadData, match="line 3"):
            opened.tally()


def test_a_file_that_changes_is_noticed(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("u\n1\n2\n")
    with OpenTable(path, "TRUE", unit=Unit("u")) as opened:
        assert opened.count_units() == 2
        path.write_text("u\n1\n1\n")
        with pytest.raises(BadData, match=r"changed while it was read|disagree"):
            opened.tally()


def test_true_counts_are_not_shown():
    tally = CellTally(1234, np.array([567, 89]), "TRUE")
    assert not {"1234", "567", "89"} & set(repr(tally).replace(",", " ").split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"undeclared": "drop"}, "undeclared must be one of other, left-out"),
        ({"max_cells": 2}, "max_cells must be left out without a unit"),
        ({"unit": Unit("u"), "max_cells": 0}, "max_cells must be an integer >= 1"),
    ],
)
def test_bad_cells(arguments, message):
    with pytest.raises(InvalidParameter, match=f"^{message}"):
        Cells(Keys.of(["k"], [1]), **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("",), "unit must be the name of a column"),
        ((5,), "unit must be the name of a column"),
        (("u", "drop"), "without_unit must be one of error, one-unit"),
        ((None, "one-unit"), "without_unit must be left out where rows are counted"),
    ],
)
def test_bad_units(arguments, message):
    with pytest.raises(InvalidParameter, match=f"^{message}"):
        Unit.of(*arguments)
    assert Unit.of(None) is None


def test_the_predicate_is_still_judged(tmp_path):
    path = _parquet([], tmp_path / "people.parquet")
    with pytest.raises(PredicateRefused):
        OpenTable(path, "region > 5", cells=Cells(Keys.listed(["region"], "a")))


def test_csv_module_agrees_on_the_hash_of_the_keys(tmp_path):
    import hashlib

    rows = [("a,b", "1"), ('q"q', "2"), ("süd\n", "3")]
    path = tmp_path / "keys.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(["x", "y z"])
        writer.writerows(rows)
    assert Keys.of(["x", "y z"], rows).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
