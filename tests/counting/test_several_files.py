"""Several files that are one table: patterns, lists, folders, and columns that the names of folders say."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushcount.counting import OpenTable, ReadOptions, check_source, count_matching, read_schema
from hushcount.errors import BadData, InvalidParameter, NoSuchColumn, PredicateRefused
from hushcount.ledger import Ledger, add_source, create_budget
from hushcount.release import release_count


def _parquet(path: Path, **columns: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


def _csv(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def _counted(source: str, where: str, **options: object) -> tuple[int, int]:
    tally = count_matching(source, where, ReadOptions(**options))
    return tally.rows, tally.matching


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """A folder with partitions, below a folder that would be one, and with what is no data."""
    root = tmp_path / "clinic=1" / "visits"
    for year, town in (("2023", "Bern"), ("2024", "Z%C3%BCrich%2F"), ("__HIVE_DEFAULT_PARTITION__", "Bern")):
        folder = root / f"year={year}" / f"town={town}"
        _parquet(folder / "part-0.parquet", age=[1, 2, 3], name=["a", "b", None])
        _parquet(folder / "part-1.parquet", name=["a"], age=[4])
        (folder / "_SUCCESS").touch()
        (folder / ".part-0.parquet.crc").write_bytes(b"secret")
    _parquet(root / "_temporary" / "x.parquet", other=[1])
    return root


@pytest.mark.parametrize(
    ("where", "matching"),
    [
        ("age > 1", 9),
        ("name = 'a' and age = 4", 3),
        ("year = '2023'", 4),
        ("year is null", 4),
        ("town = 'Zürich/'", 4),
        ("year < '2024' and town = 'Bern' or age = 1", 6),
    ],
)
def test_folders_name_columns(visits: Path, where: str, matching: int) -> None:
    for source in (f"files:{visits}", f"files:{visits}/", f"files:{visits}/**/*.parquet", f"files:{visits}/*/*/*"):
        assert _counted(source, where) == (12, matching)


def test_names_of_folders_are_texts(visits: Path) -> None:
    with pytest.raises(PredicateRefused, match="column 'year' \\(text\\) cannot be compared with 2023"):
        _counted(f"files:{visits}", "year = 2023")
    with pytest.raises(NoSuchColumn):  # it is above the folder
        _counted(f"files:{visits}", "clinic = '1'")
    assert _counted(f"files:{visits.parent.parent}", "clinic = '1'")[1] == 12
    assert read_schema(f"files:{visits}").shown() == {
        "age": "integer",
        "name": "text",
        "year": "text",
        "town": "text",
    }


@pytest.mark.spark
def test_spark_counts_the_same(visits: Path, spark: object) -> None:
    with pytest.raises(BadData, match="an escape beyond ASCII"):  # it would make mojibake of it
        count_matching(f"spark:{visits}", "age > 1")
    # As Spark spells it
    (visits / "year=2024" / "town=Z%C3%BCrich%2F").rename(visits / "year=2024" / "town=Zürich%2F")
    for where in ("age > 1", "year = '2023'", "year is null", "town = 'Zürich/'", "town <> 'Bern' or name is null"):
        ours, theirs = (count_matching(f"{kind}:{visits}", where) for kind in ("files", "spark"))
        assert (ours.rows, ours.matching) == (theirs.rows, theirs.matching)


@pytest.mark.parametrize(
    ("folder", "columns", "message"),
    [
        (
            "year=2025/town=Bern",
            {"age": [1.5], "name": ["a"]},
            "not all of its files have the same columns, of the same",
        ),
        ("year=2025/town=Bern", {"age": [1]}, "not all of its files have the same columns"),
        ("year=2025/town=Bern", {"age": [1], "name": ["a"], "more": [1]}, "not all of its files have the same columns"),
        ("year=2025/town=Bern", {"age": [1], "name": ["a"], "Age": [1]}, "names column .* (twice|differ only in case)"),
        ("year=2025", {"age": [1], "name": ["a"]}, "in folders that do not all name the same columns"),
        ("town=Bern/year=2025", {"age": [1], "name": ["a"]}, "in folders that do not all name the same columns"),
        ("year=2025/Year=2/town=Bern", {"age": [1], "name": ["a"]}, "the folders of a file name a column twice"),
        ("year=/town=Bern", {"age": [1], "name": ["a"]}, "names no column or no value"),
    ],
)
def test_files_that_do_not_fit(visits: Path, folder: str, columns: dict[str, object], message: str) -> None:
    _parquet(visits / folder / "new.parquet", **columns)
    with pytest.raises(BadData, match=message):
        _counted(f"files:{visits}", "age = 1")


def test_a_column_may_not_be_in_the_files_too(tmp_path: Path) -> None:
    _parquet(tmp_path / "t" / "year=1" / "x.parquet", age=[1], YEAR=["2"])
    with pytest.raises(BadData, match=r"names column .* (twice|which differ only in case)"):
        _counted(f"files:{tmp_path / 't'}", "age = 1")
    # Above the folder it names nothing
    assert _counted(f"files:{tmp_path / 't' / 'year=1'}", "YEAR = '2'") == (1, 1)


def test_all_files_tell_types(tmp_path: Path) -> None:
    a, b = _csv(tmp_path / "a.csv", "x,s\n1,u\n2,v\n"), _csv(tmp_path / "b.csv", "x,s\n1.5,u\n")
    for source in (f"files:{tmp_path}", f"files:{tmp_path}/?.csv", f"files:{a}{os.pathsep}{b}"):
        assert _counted(source, "x > 1") == (3, 2)
    with pytest.raises(BadData, match=r"b\.csv: line 2 does not hold an integer in column 'x', as was declared"):
        _counted(f"files:{tmp_path}", "x > 1", types={"x": "integer"})
    _csv(tmp_path / "c.csv", "s,x\nu,1\n")
    with pytest.raises(BadData, match="not all of its files have the same columns, in the same order"):
        _counted(f"files:{tmp_path}/*.csv", "x > 1")


def test_json_lines_of_several_files(tmp_path: Path) -> None:
    _csv(tmp_path / "a.json", '{"x": 1}\n')
    _csv(tmp_path / "b.json", '{"x": 2.5, "y": "u"}\n')
    assert _counted(f"files:{tmp_path}", "x > 1 and y = 'u'") == (2, 1)
    _csv(tmp_path / "c.json", '{"x": "3"}\n')
    with pytest.raises(BadData, match="column 'x' holds texts, numbers or truths"):
        _counted(f"files:{tmp_path}", "x > 1")
    _csv(tmp_path / "c.json", "x\n1\n")
    with pytest.raises(BadData, match="several files must all be of one format"):
        _counted(f"files:{tmp_path}", "x > 1")


def test_only_for_parquet_do_folders_name_columns(tmp_path: Path) -> None:
    _csv(tmp_path / "t" / "year=1" / "a.csv", "x\n1\n")
    with pytest.raises(BadData, match="only for Parquet files may the names of folders be columns"):
        _counted(f"files:{tmp_path / 't'}", "x = 1")


def test_no_file_counts_twice(tmp_path: Path) -> None:
    a = _csv(tmp_path / "a.csv", "x\n1\n")
    with pytest.raises(BadData, match="names a file twice"):
        _counted(f"files:{a}{os.pathsep}{tmp_path}/*.csv", "x = 1")
    (tmp_path / "b.csv").symlink_to(a)
    for source in (f"files:{tmp_path}/*.csv", f"files:{tmp_path}"):
        with pytest.raises(BadData, match=r"names a file twice|holds a file or a folder twice"):
            _counted(source, "x = 1")


def test_nothing_is_several_by_accident(tmp_path: Path) -> None:
    _csv(tmp_path / "a.csv", "x\n1\n")
    odd = _csv(tmp_path / "files:a[1].csv", "x\n1\n2\n")
    with pytest.raises(BadData, match="does not exist"):
        _counted(f"{tmp_path}/*.csv", "x = 1")
    with pytest.raises(BadData, match="is a directory; give one file, or files:FOLDER for all files in it"):
        _counted(str(tmp_path), "x = 1")
    assert _counted(odd, "x = 1") == (2, 1)
    assert _counted(f"files:{tmp_path}/*[[]1].csv", "x = 1") == (2, 1)
    for text in ("files:", f"files:a{os.pathsep}", "files:a\nb"):
        with pytest.raises(InvalidParameter, match="source must be"):
            _counted(text, "x = 1")
    for pattern, message in (("b*.csv", "matches no file"), ("none", "No such file")):
        with pytest.raises(BadData, match=message):
            _counted(f"files:{tmp_path}/{pattern}", "x = 1")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadData, match="no file is there"):
        _counted(f"files:{tmp_path}/empty", "x = 1")


def test_a_pattern_leaves_out_no_file_of_a_folder_that_it_matches(tmp_path: Path) -> None:
    _parquet(tmp_path / "a.parquet", x=[1])
    _parquet(tmp_path / "b.parquet" / "part-0.parquet", x=[1])
    for pattern in ("*.parquet", "*", "[ab]*", "b*"):
        with pytest.raises(BadData, match="matches a folder, but not the files in it"):
            _counted(f"files:{tmp_path}/{pattern}", "x = 1")
    assert _counted(f"files:{tmp_path}/b*/*", "x = 1") == (1, 1)
    for pattern in ("**", "**/*", "**/*.parquet"):
        assert _counted(f"files:{tmp_path}/{pattern}", "x = 1") == (2, 2)
    (tmp_path / "empty.parquet").mkdir()
    _parquet(tmp_path / "_old.parquet" / "part-0.parquet", x=[1])
    assert _counted(f"files:{tmp_path}/**/*.parquet", "x = 1") == (2, 2)


def test_a_file_that_comes_later_does_not_count(visits: Path) -> None:
    with OpenTable(f"files:{visits}", "age > 0") as table:
        assert table.count_rows() == 12
        _parquet(visits / "year=2025" / "town=Bern" / "x.parquet", age=[1], name=["a"])
        assert table.tally().rows == 12


def test_a_budget_lists_the_pattern(tmp_path: Path) -> None:
    _csv(tmp_path / "data" / "a.csv", "x\n1\n2\n")
    source = f"files:{tmp_path / 'data'}/*.csv"
    ledger = tmp_path / "ledger.db"
    create_budget(ledger, "b", epsilon=10, protects="row", adjacency="replace-one")
    listed = add_source(ledger, "b", source)
    assert (listed.name, listed.address, listed.stamp) == ("files:*.csv", "files:./data/*.csv", None)
    assert Ledger(ledger).source_paths() == (str(tmp_path / "data"),)
    receipt = release_count(source, "x = 1", epsilon=1, ledger=ledger, budget="b")
    assert (receipt.source, receipt.maximum) == ("files:*.csv", 2)
    # A file more is another state of the same table
    _csv(tmp_path / "data" / "b.csv", "x\n3\n")
    assert release_count(None, "x = 1", epsilon=1, ledger=ledger, budget="b").maximum == 3
    _csv(tmp_path / "data" / "b.csv", "y\n3\n")
    with pytest.raises(BadData, match="cannot be read as its columns are listed"):
        release_count(None, "x = 1", epsilon=1, ledger=ledger, budget="b")


def test_a_schema_holds_for_all_files(visits: Path) -> None:
    schema = read_schema(f"files:{visits}")
    check_source(f"files:{visits}", schema)
    (visits / "year=2023" / "town=Bern" / "part-1.parquet").write_bytes(b"PAR1damaged")
    with pytest.raises(BadData, match="cannot be read as Parquet"):
        check_source(f"files:{visits}", schema)
