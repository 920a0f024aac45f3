"""Counting in a Parquet file and in frames of 10^7 rows, beside the bare DuckDB query in the same process."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rows import Peer

ROWS = 10**7
PREDICATES = ["age >= 65", "weight < 60.5", "age >= 65 AND weight < 60.5", "age >= 65 AND town = 'Bern'"]


@pytest.fixture(scope="module")
def table():
    """A whole number, a double without NaN, a text; no nulls."""
    rng = np.random.default_rng(1)
    towns = pa.array(["Aarau", "Basel", "Bern", "Chur", "Genf", "Lausanne", "Luzern", "Zug"])
    return pa.table(
        {
            "age": rng.integers(0, 100, ROWS),
            "weight": rng.normal(70, 15, ROWS),
            "town": towns.take(pa.array(rng.integers(0, len(towns), ROWS))),
        }
    )


@pytest.fixture(scope="module")
def people(table, tmp_path_factory):
    """The file."""
    path = tmp_path_factory.mktemp("counting") / "people.parquet"
    pq.write_table(table, path)
    yield path
    path.unlink()


@pytest.mark.parametrize("where", PREDICATES)
def test_count_in_parquet(side_by_side, people, where):
    from hushcount.counting import ReadOptions, count_matching

    connection = duckdb.connect()
    query = f"SELECT count(*), count(*) FILTER (WHERE {where}) FROM '{people}'"

    def in_a_new_connection():
        with duckdb.connect() as fresh:
            return fresh.execute(query).fetchone()

    def in_an_open_connection():
        return connection.execute(query).fetchone()

    tally = count_matching(people, where, ReadOptions())
    assert (tally.rows, tally.matching) == in_an_open_connection()
    side_by_side(
        f"count in Parquet, 10^7 rows, {where}",
        lambda: count_matching(people, where, ReadOptions()),
        Peer("bare DuckDB query, in a new connection", in_a_new_connection, limit=1.5),
        Peer("bare DuckDB query, in an open connection", in_an_open_connection, limit=1.5),
        rounds=15,
    )


def _of_pandas(table):
    """As pandas itself holds them: numbers in NumPy, texts as its own type."""
    numbers = {name: np.array(table[name]) for name in ("age", "weight")}
    return pd.DataFrame({**numbers, "town": pd.array(table["town"].combine_chunks(), dtype="str")})


FRAMES = {"pandas": _of_pandas, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.mark.parametrize("where", PREDICATES)
@pytest.mark.parametrize("kind", FRAMES)
def test_count_in_a_frame(side_by_side, table, kind, where):
    from hushcount.counting import count_matching

    frame, connection = FRAMES[kind](table), duckdb.connect()
    connection.register("people", frame)
    query = f"SELECT count(*), count(*) FILTER (WHERE {where}) FROM people"

    def bare():
        return connection.execute(query).fetchone()

    tally = count_matching(frame, where)
    assert (tally.rows, tally.matching) == bare()
    side_by_side(
        f"count in a frame of {kind}, 10^7 rows, {where}",
        lambda: count_matching(frame, where),
        Peer("bare DuckDB query on it, in an open connection", bare, limit=1.5),
        rounds=15,
    )


def test_count_in_a_session(side_by_side, people):
    from hushcount.counting import OpenTable, read_schema
    from hushcount.counting.engines.duckdb import KeptEngine

    connection, kept, schema = duckdb.connect(), KeptEngine(), read_schema(people)
    query = f"SELECT count(*), count(*) FILTER (WHERE {PREDICATES[0]}) FROM '{people}'"

    def counted():
        with OpenTable(people, PREDICATES[0], schema=schema, kept=kept) as table:
            return table.tally()

    side_by_side(
        f"count in Parquet as a session does, 10^7 rows, {PREDICATES[0]}",
        counted,
        Peer("bare DuckDB query, in an open connection", lambda: connection.execute(query).fetchone(), limit=1.2),
        rounds=15,
    )
