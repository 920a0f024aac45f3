"""`hushcount table --by` with bands, years and groups of values; epsilon 1000 releases the true counts."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

PEOPLE = """age,region,born,weight
5,N1,2019-01-02,20.5
17,N2,2007-02-28,60
18,S1,2006-12-31,70.25
70,ZZ,1954-01-01,80
,N1,,
"""


@pytest.fixture
def people(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "regions.csv").write_text("region,part\nN1,north\nN2,north\nS1,south\n")
    return tmp_path / "people.csv"


@pytest.fixture
def cells(run: Any, people: Path, tmp_path: Path) -> Any:
    """The keys and counts that a table has."""

    def cells(by: str, *arguments: object) -> list[list[str]]:
        outcome = run("table", people, "--by", by, "--epsilon", "1000", "--output", tmp_path / "t.csv", *arguments)
        assert outcome.code == 0, outcome
        with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file))

    return cells


def test_bands(cells: Any) -> None:
    assert cells("age: 0-17, 18-64, 65+, missing") == [
        ["age", "is_other", "released"],
        *[["0-17", "false", "2"], ["18-64", "false", "1"], ["65+", "false", "1"], ["", "false", "1"]],
        ["", "true", "0"],
    ]
    assert [row[2] for row in cells("weight: [0, 60), [60, 70.25)")] == ["released", "1", "1", "3"]
    assert [row[0] for row in cells("age by 50 from 0 to 100")] == ["age", "[0, 50)", "[50, 100)", ""]


def test_years_and_months(cells: Any) -> None:
    assert cells("year(born)", "--keys", "2006,2007,nan")[1:] == [
        *[["2006", "false", "1"], ["2007", "false", "1"], ["", "false", "1"], ["", "true", "2"]]
    ]
    assert [row[2] for row in cells("month(born)")[1:]] == ["2", "1", *["0"] * 9, "1", "1"]


def test_groups_of_values(cells: Any, people: Path) -> None:
    by = f"region from {people.parent / 'regions.csv'}"
    assert cells(by)[:3] == [["part", "is_other", "released"], ["north", "false", "3"], ["south", "false", "1"]]
    assert cells(by, "--keys", "south,nan")[1:] == [["south", "false", "1"], ["", "false", "0"], ["", "true", "4"]]
    found = cells(f"{by}, age: 0-17, 18+", "--where", "year(born) > 1960")
    assert found[0] == ["part", "age", "is_other", "released"]
    assert [row[3] for row in found[1:]] == ["2", "0", "0", "1", "0"]


def test_columns_beside_bands_need_their_keys_alone(cells: Any, tmp_path: Path) -> None:
    assert [row[3] for row in cells("region, age: 0-17, 18+", "--keys", "N1,S1")[1:]] == ["1", "0", "0", "1", "3"]
    (tmp_path / "k.csv").write_text("region\nN1\n")
    assert [row[3] for row in cells("age: 0-17, 18+,region", "--keys", tmp_path / "k.csv")[1:]] == ["1", "0", "4"]
    (tmp_path / "k.csv").write_text("region,age\nN1,18+\nN2,0-17\n")
    assert [row[3] for row in cells("age: 0-17, 18+,region", "--keys", tmp_path / "k.csv")[1:]] == ["0", "1", "4"]
    (tmp_path / "totals.csv").write_text("age,total\n0-17,1\n65+,3\n")
    totals = ("--totals", tmp_path / "totals.csv", "--undeclared", "left-out")
    assert [row[2] for row in cells("age: 0-17, 18-64, 65+", *totals)[1:]] == ["1", "1"]


def test_types_in_parquet(run: Any, people: Path, tmp_path: Path) -> None:
    by = "age: 0-17, 7, year(born)".replace(", 7", ", 70")
    run("table", people, "--by", by, "--keys", "2019", "--epsilon", "1000", "--output", tmp_path / "t.parquet")
    table = pq.read_table(tmp_path / "t.parquet")
    assert [(name, str(table.schema.field(name).type)) for name in table.column_names[:2]] == [
        ("age", "string"),
        ("year(born)", "int64"),
    ]
    assert table["age"].to_pylist() == ["0-17", "70", None]


def test_gaps_are_noted(run: Any, people: Path) -> None:
    arguments = ("table", people, "--epsilon", "1", "--explain", "--by")
    outcome = run(*arguments, "age: 0-17, 20-64, 66+")
    assert outcome.err == (
        "hushcount: note: Between the bands of age is [18, 20), [65, 66), which counts as an undeclared key does.\n"
    )
    assert "Keys        0-17; 20-64; 66+\n" in outcome.out
    assert ", and 2 more ranges, which" in run(*arguments, "age: 0, 2, 4, 6, 8, 10").err
    assert "by age (0-17, 18+)" in run(*arguments, "age: 0-17, 18+").succeeds()


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("age: 0-17, 17-20", "--by must be bands of 'age' that do not overlap: 0-17 and 17-20 do"),
        ("weight: 0-17", "--by must be half-open bands, such as [0, 18) for 0-17: 'weight' holds doubles"),
        ("born: 0-17", "--by must be bands of numbers: 'born' holds dates; of its years, write year(born)"),
        ("weight", "or take bands of them, such as --by 'weight by 10 from 0 to 100'"),
        (
            "year(region)",
            "if it holds dates, declare that: --type region=date; in a CSV file also how they are written",
        ),
        ("region from people.csv", "--by must be another file than the sources"),
        ("year(born)", "--keys must be given"),
        ("region, age: 0-17", "--keys must be given"),
    ],
)
def test_what_is_refused(run: Any, people: Path, monkeypatch: pytest.MonkeyPatch, by: str, message: str) -> None:
    monkeypatch.chdir(people.parent)
    keys = ("--keys", "1") if by == "weight" else ("--keys", "2020") if by == "year(region)" else ()
    assert message in run("table", people, "--by", by, *keys, "--epsilon", "1").fails_with(2)


def test_the_file_of_groups_is_not_written_over(run: Any, people: Path) -> None:
    file = people.parent / "regions.csv"
    outcome = run("table", people, "--by", f"region from {file}", "--epsilon", "1", "--output", file)
    assert outcome.fails_with(2).startswith("--output must be another file than those that are read")


def test_a_column_of_such_a_name(run: Any, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('year(d),"age: 0-1"\n1,2\n1,3\n')
    for by, keys in (('"year(d)"', "1"), ('"age: 0-1"', "2")):
        outcome = run("table", tmp_path / "x.csv", "--by", by, "--keys", keys, "--epsilon", "1000")
        assert f", by {by}\n" in outcome.succeeds()
