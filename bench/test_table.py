"""A table of 10^6 cells from a Parquet file, whole: keys, counting, draws and receipt."""

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from peers import opendp_vector
from rows import Peer

CELLS, ROWS, MANY_ROWS, EPSILON, DELTA = 10**6, 5 * 10**6, 10**8, 0.5, "1e-6"
WHERE = "age >= 65"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The rows, the keys, and a public total for each of them, of 45 different ones."""
    rng = np.random.default_rng(1)
    folder = tmp_path_factory.mktemp("table")
    paths = {name: folder / f"{name}.parquet" for name in ("people", "keys", "totals")}
    people = {"cell": rng.integers(0, CELLS, ROWS), "age": rng.integers(0, 100, ROWS)}
    pq.write_table(pa.table(people), paths["people"])
    pq.write_table(pa.table({"cell": np.arange(CELLS)}), paths["keys"])
    pq.write_table(pa.table({"cell": np.arange(CELLS), "total": rng.integers(5, 50, CELLS)}), paths["totals"])
    yield paths
    for path in paths.values():
        path.unlink()


@pytest.fixture
def by_hand(files):
    """What one would write with other packages: counts from bare DuckDB, with zeros where there are no rows, and exact
    geometric noise from OpenDP, which leaves the range of the counts and promises nothing for the table."""
    noisy = opendp_vector(EPSILON)
    query = f"""
        SELECT coalesce(counted, 0) AS counted FROM '{files["keys"]}' LEFT JOIN
        (SELECT cell, count(*) AS counted FROM '{files["people"]}' WHERE {WHERE} GROUP BY cell) USING (cell)
    """

    def released():
        with duckdb.connect() as fresh:
            return noisy(fresh.execute(query).fetchnumpy()["counted"].astype(np.int64))

    return released


@pytest.mark.parametrize(
    ("case", "options"),
    [
        ("one maximum", {"max_count": 50}),
        ("45 different totals", {"totals": True, "undeclared": "left-out"}),
        ("one maximum, delta = 1e-6", {"max_count": 50, "delta": DELTA}),
    ],
)
def test_a_million_cells(side_by_side, files, by_hand, case, options):
    from hushcount import release_table

    declared = {**options, "totals": files["totals"]} if "totals" in options else options

    def released():
        return release_table(files["people"], "cell", files["keys"], EPSILON, where=WHERE, **declared)

    assert len(released().released) == CELLS + ("totals" not in options)
    side_by_side(
        f"table of 10^6 cells from 5 * 10^6 rows in Parquet, {case}",
        released,
        Peer("DuckDB and OpenDP make_geometric, vector", by_hand, limit=1, rounds=2),
        rounds=5,
    )


def test_groups_from_the_data_beside_declared_ones(side_by_side, files):
    from hushcount import release_table
    from hushcount.release import FROM_DATA

    promised = {"epsilon": EPSILON, "delta": DELTA, "where": WHERE, "max_count": 50, "adjacency": "add-remove"}
    side_by_side(
        "table of 10^6 groups from the data, 5 * 10^6 rows in Parquet, delta = 1e-6",
        lambda: release_table(files["people"], "cell", FROM_DATA, **promised),
        Peer("the same groups, declared", lambda: release_table(files["people"], "cell", files["keys"], **promised), 2),
        rounds=5,
    )


@pytest.fixture
def many_rows(tmp_path):
    """10^8 rows of 10^6 groups: 400 MB."""
    path = tmp_path / "people.parquet"
    with duckdb.connect() as connection:
        rows = f"SELECT (hash(i) % {CELLS})::INTEGER AS cell FROM range({MANY_ROWS}) AS r(i)"
        connection.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")
    yield path
    path.unlink()


def test_groups_from_very_many_rows(side_by_side, many_rows):
    from hushcount import release_table
    from hushcount.release import FROM_DATA

    promised = {"epsilon": EPSILON, "delta": DELTA, "max_count": 1000, "adjacency": "add-remove"}

    def plain():
        with duckdb.connect() as fresh:
            return fresh.execute(f"SELECT cell, count(*) FROM '{many_rows}' GROUP BY cell").fetchnumpy()["cell"]

    def released():
        return release_table(many_rows, "cell", FROM_DATA, **promised)

    assert len(released().released) == len(plain()) == CELLS  # of about 100 rows each: none is hidden
    side_by_side(
        "table of 10^6 groups from the data, 10^8 rows in Parquet, delta = 1e-6",
        released,
        Peer("bare DuckDB GROUP BY, in a new connection", plain, limit=2),
        rounds=3,
    )


def test_totals_that_all_differ(found, tmp_path):
    """Each total is a mechanism of its own: its figures and its draw are computed one by one."""
    from time import perf_counter

    from rows import Row

    from hushcount import release_table

    cells = 2 * 10**4
    path = tmp_path / "people.csv"
    path.write_text("cell\n1\n")

    def seconds():
        start = perf_counter()
        options = {"adjacency": "add-remove", "undeclared": "left-out"}
        release_table(path, "cell", range(cells), EPSILON, totals=range(1, cells + 1), **options)
        return perf_counter() - start

    found(seconds, lambda told: [Row("table of 2 * 10^4 cells, all totals different", min(told), "s")], rounds=2)
