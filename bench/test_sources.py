"""Counting in each kind of source beside what one would write with the package that reads it."""

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv, feather
from rows import Peer

ROWS, SHEET = 3 * 10**5, 3 * 10**4
WHERE = "age >= 65"
QUERY = f"SELECT count(*), count(*) FILTER (WHERE {WHERE}) FROM {{}}"


@pytest.fixture(scope="module")
def table():
    """A whole number, a double, a text; no nulls."""
    rng = np.random.default_rng(1)
    towns = np.array(["Aarau", "Basel", "Bern", "Chur", "Genf", "Lausanne", "Luzern", "Zug"])
    return pa.table(
        {
            "age": rng.integers(0, 100, ROWS),
            "weight": rng.normal(70, 15, ROWS),
            "town": towns[rng.integers(0, len(towns), ROWS)],
        }
    )


def in_duckdb(relation):
    """A bare query of DuckDB, in an open connection."""
    connection = duckdb.connect()
    return lambda: connection.execute(QUERY.format(relation)).fetchall()[0]


def held_in_duckdb(read):
    """A bare query of DuckDB on what another package reads."""
    connection = duckdb.connect()

    def counted():
        connection.register("held", read())
        return connection.execute(QUERY.format("held")).fetchall()[0]

    return counted


def of_csv(table, folder):
    path = str(folder / "people.csv")
    csv.write_csv(table, path)
    return path, "DuckDB", in_duckdb(f"read_csv('{path}')")


def of_json_lines(table, folder):
    path = folder / "people.jsonl"
    with path.open("w") as file:
        file.writelines(json.dumps(row) + "\n" for row in table.to_pylist())
    return str(path), "DuckDB", in_duckdb(f"read_json('{path}')")


def of_parquet(table, folder):
    path = str(folder / "people.parquet")
    pq.write_table(table, path)
    return path, "DuckDB", in_duckdb(f"read_parquet('{path}')")


def of_several_files(table, folder):
    for part in range(10):
        pq.write_table(table.slice(part * ROWS // 10, ROWS // 10), folder / f"part-{part}.parquet")
    return f"files:{folder}/*.parquet", "DuckDB", in_duckdb(f"read_parquet('{folder}/*.parquet')")


def of_partitions(table, folder):
    for year in range(10):
        (folder / f"year={year}").mkdir()
        pq.write_table(table.slice(year * ROWS // 10, ROWS // 10), folder / f"year={year}" / "people.parquet")
    relation = f"read_parquet('{folder}/*/*.parquet', hive_partitioning = true)"
    return f"files:{folder}", "DuckDB", in_duckdb(relation)


def of_arrow(table, folder):
    path = str(folder / "people.arrow")
    feather.write_feather(table, path)
    return path, "pyarrow and DuckDB", held_in_duckdb(lambda: feather.read_table(path))


def of_duckdb(table, folder):
    path = str(folder / "people.duckdb")
    with duckdb.connect(path) as connection:
        connection.register("held", table)
        connection.execute("CREATE TABLE people AS FROM held")

    def counted():
        with duckdb.connect(path, read_only=True) as connection:
            return connection.execute(QUERY.format("people")).fetchall()[0]

    return path, "DuckDB, in a new connection", counted


def of_sqlite(table, folder):
    path = str(folder / "people.sqlite")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE people (age INTEGER, weight REAL, town TEXT)")
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
        connection.commit()

    def counted():
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute(QUERY.format("people")).fetchall()[0]

    return path, "sqlite3, in a new connection", counted


def of_excel(table, folder):
    fastexcel, openpyxl = pytest.importorskip("fastexcel"), pytest.importorskip("openpyxl")
    path, book = str(folder / "people.xlsx"), openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("people")
    sheet.append(table.column_names)
    for row in zip(*(column.to_pylist() for column in table.slice(0, SHEET).columns), strict=True):
        sheet.append(row)
    book.save(path)
    return path, "fastexcel and DuckDB", held_in_duckdb(lambda: fastexcel.read_excel(path).load_sheet(0).to_arrow())


def of_statistical_package(suffix, writer, reader):
    """A file that pyreadstat writes and reads."""

    def made(table, folder):
        pyreadstat, pandas = pytest.importorskip("pyreadstat"), pytest.importorskip("pandas")
        path = str(folder / f"people{suffix}")
        columns = {name: column.to_pylist() for name, column in zip(table.column_names, table.columns, strict=True)}
        frame = pandas.DataFrame(columns).astype({"age": float, "town": object})
        getattr(pyreadstat, writer)(frame, path)

        def read():
            found, _ = getattr(pyreadstat, reader)(path, output_format="dict", usecols=["age"])
            return pa.table(found)

        return path, "pyreadstat and DuckDB", held_in_duckdb(read)

    return made


FILES = {
    "a CSV file": of_csv,
    "JSON lines": of_json_lines,
    "a Parquet file": of_parquet,
    "ten Parquet files": of_several_files,
    "ten partitions of Parquet": of_partitions,
    "an Arrow file": of_arrow,
    "a DuckDB file": of_duckdb,
    "a SQLite file": of_sqlite,
    "an Excel file": of_excel,
    "a Stata file": of_statistical_package(".dta", "write_dta", "read_dta"),
    "an SPSS file": of_statistical_package(".sav", "write_sav", "read_sav"),
    "a SAS transport file": of_statistical_package(".xpt", "write_xport", "read_xport"),
}


@pytest.mark.parametrize("kind", FILES)
def test_count_in_a_file(side_by_side, table, tmp_path, kind):
    source, package, bare = FILES[kind](table, tmp_path)
    compare(side_by_side, kind, source, package, bare, SHEET if kind == "an Excel file" else ROWS)


@pytest.fixture(scope="module")
def database(table):
    """The URL of a database of PostgreSQL with the rows, and a view of them."""
    psycopg = pytest.importorskip("psycopg")
    sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))
    from postgresql_server import NotThere, running_server

    try:
        with running_server() as server:
            url = f"{server}postgres"
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("CREATE TABLE people (age int8, weight float8, town text)")
                with connection.cursor().copy("COPY people FROM STDIN") as copy:
                    for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                        copy.write_row(row)
                connection.execute("CREATE VIEW seen AS SELECT town, age FROM people")
                connection.execute("VACUUM ANALYZE people")
            yield url
    except NotThere as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize(("kind", "name"), [("a table of PostgreSQL", "people"), ("a view of PostgreSQL", "seen")])
def test_count_in_postgresql(side_by_side, database, kind, name):
    import psycopg

    def bare():
        with psycopg.connect(database) as connection:
            return connection.execute(QUERY.format(name)).fetchall()[0]

    compare(side_by_side, kind, database, "psycopg, in a new connection", bare, ROWS, table=name)


def compare(side_by_side, kind, source, package, bare, rows, **options):
    """Measure one kind, after a look whether both count the same."""
    from hushcount.counting import ReadOptions, count_matching

    tally = count_matching(source, WHERE, ReadOptions(**options))
    assert (tally.rows, tally.matching) == bare()
    assert tally.rows == rows
    side_by_side(
        f"count in {kind}, {rows:,} rows, {WHERE}",
        lambda: count_matching(source, WHERE, ReadOptions(**options)),
        Peer(package, bare),
        rounds=5,
    )
