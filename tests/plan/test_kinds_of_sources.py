"""A plan over each kind of source: the same rows, wherever they are, are counted alike."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from pyarrow import feather

from hushcount.ledger import Basis, Ledger, create_budget

pytestmark = pytest.mark.slow

EXACT = 50_000
"""An epsilon at which a count is released as it is."""

REGIONS = ["n", "s", "e"]
PEOPLE = pa.table(
    {
        "age": pa.array([number % 60 for number in range(60)], pa.int64()),
        "region": [REGIONS[number % 3] for number in range(60)],
        "person": [f"p{number % 20}" for number in range(60)],
    }
)
OLD = {region: sum(at % 60 >= 30 and REGIONS[at % 3] == region for at in range(60)) for region in REGIONS}


def parts(folder: Path, write: Callable[[pa.Table, Path], object], end: str) -> None:
    """Two files."""
    folder.mkdir()
    write(PEOPLE.slice(0, 25), folder / f"1.{end}")
    write(PEOPLE.slice(25), folder / f"2.{end}")


def lines(table: pa.Table, path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


def csv(table: pa.Table, path: Path) -> None:
    pyarrow.csv.write_csv(table, path)


def parquet(table: pa.Table, path: Path) -> None:
    pyarrow.parquet.write_table(table, path)


def excel(folder: Path) -> str:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "people"
    for row in [PEOPLE.column_names, *(list(row.values()) for row in PEOPLE.to_pylist())]:
        book.active.append(row)
    book.create_sheet("other")
    book.save(folder / "people.xlsx")
    return 'source = "people.xlsx"\ntable = "people"'


def statistical(end: str) -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        import pandas as pd
        import pyreadstat

        writer = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta, "xpt": pyreadstat.write_xport}[end]
        writer(pd.DataFrame(PEOPLE.to_pydict()), str(folder / f"people.{end}"))
        return f'source = "people.{end}"\ntypes = {{ age = "integer" }}'

    return write


def sqlite(folder: Path) -> str:
    import sqlite3

    connection = sqlite3.connect(folder / "people.sqlite")
    connection.execute("CREATE TABLE people (age INTEGER, region TEXT, person TEXT)")
    connection.execute("CREATE TABLE other (age INTEGER)")
    connection.executemany("INSERT INTO people VALUES (?, ?, ?)", [tuple(row.values()) for row in PEOPLE.to_pylist()])
    connection.commit()
    connection.close()
    return 'source = "people.sqlite"\ntable = "people"'


def duckdb(folder: Path) -> str:
    import duckdb

    with duckdb.connect(str(folder / "people.duckdb")) as connection:
        connection.register("given", PEOPLE)
        connection.execute("CREATE TABLE people AS SELECT * FROM given")
    return 'source = "people.duckdb"'


def one(name: str, write: Callable[[pa.Table, Path], object], more: str = "") -> Callable[[Path], str]:
    def written(folder: Path) -> str:
        write(PEOPLE, folder / name)
        return f'source = "{name}"{more}'

    return written


def several(
    write: Callable[[pa.Table, Path], object], end: str, text: str = "files:data/*.{}"
) -> Callable[[Path], str]:
    def written(folder: Path) -> str:
        parts(folder / "data", write, end)
        return f'source = "{text.format(end)}"'

    return written


def hive(folder: Path) -> str:
    for region in REGIONS:
        part = folder / "data" / f"region={region}"
        part.mkdir(parents=True)
        parquet(PEOPLE.filter(pa.compute.equal(PEOPLE["region"], region)).drop_columns("region"), part / "0.parquet")
    return 'source = "files:data"'


KINDS: dict[str, Callable[[Path], str]] = {
    "csv": one("people.csv", csv),
    "csv with its types": one("people.csv", csv, '\ntypes = { age = "integer" }'),
    "parquet": one("people.parquet", parquet),
    "arrow": one("people.arrow", lambda table, path: feather.write_feather(table, str(path))),
    "json lines": one("people.jsonl", lines),
    "excel": excel,
    "stata": statistical("dta"),
    "spss": statistical("sav"),
    "sas": statistical("xpt"),
    "sqlite": sqlite,
    "duckdb": duckdb,
    "csv files": several(csv, "csv"),
    "two csv files": several(csv, "csv", f"files:data/1.{{0}}{os.pathsep}data/2.{{0}}"),
    "json files": several(lines, "jsonl"),
    "parquet files": several(parquet, "parquet"),
    "hive": hive,
}

RELEASES = """
[defaults]
epsilon = 50000

[[release]]
name = "old"
where = "age >= 30"

[[release]]
name = "north"
where = "region = 'n'"

[[release]]
name = "regions"
by = "region"
keys = ["n", "s", "e"]
where = "age >= 30"

[[release]]
name = "bands"
by = "age: 0-17, 18+"
"""


def published(plan, folder: Path, source: str, found: dict[str, object], of_tables: str = "") -> None:
    """A plan is checked for nothing, gives what is expected, and again for nothing."""
    create_budget(folder / "exact.ledger", "people", 20 * EXACT)
    head = 'ledger = "exact.ledger"\nbudget = "people"\noutputs = "out"\nreport = "out/page.html"\n'
    made = plan(f"[sources.people]\n{source}\n{RELEASES.replace('by =', f'{of_tables}by =')}", head)
    assert made.check().is_covered
    assert Ledger(folder / "exact.ledger").history("people") == ()
    done = made.run()
    assert {name: receipt.released for name, receipt in done.receipts.items()} == found
    assert [release.basis for release in made.run()] == [Basis.STORED] * 4


COUNTED = {"old": 30, "north": 20, "regions": (*OLD.values(), 0), "bands": (18, 42, 0)}


@pytest.mark.parametrize("kind", KINDS)
def test_counted_alike(plan, folder, kind):
    published(plan, folder, KINDS[kind](folder), COUNTED)


@pytest.mark.parametrize("kind", ["csv", "parquet", "json lines"])
def test_units_are_counted_alike(plan, folder, kind):
    """20 people with 3 rows each, one of each region, 20 years apart."""
    found = {"old": 20, "north": 20, "regions": (10, 10, 10, 0), "bands": (18, 20, 0)}
    published(plan, folder, f'{KINDS[kind](folder)}\nunit = "person"', found, "max_cells = 3\n")


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_counted_alike_in_spark(plan, folder, spark):
    KINDS["parquet files"](folder)
    published(plan, folder, 'source = "spark:./data"', COUNTED)


def test_counted_alike_in_postgresql(plan, folder, database):
    import psycopg

    with psycopg.connect(database, autocommit=True) as connection:
        ((schema,),) = connection.execute("SELECT current_schema()").fetchall()
        connection.execute("CREATE TABLE people (age int, region text, person text)")
        rows = [tuple(row.values()) for row in PEOPLE.to_pylist()]
        connection.cursor().executemany("INSERT INTO people VALUES (%s, %s, %s)", rows)
    published(plan, folder, f'source = "{database}"\ntable = "{schema}.people"', COUNTED)
