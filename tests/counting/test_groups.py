"""What tells the cell of a row beside a column itself: parts of dates, bands, groups of values from a file."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st

from hushcount.counting import OpenTable, ReadOptions
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.completion import completed, keys_of, undeclared_names
from hushcount.counting.cells.group_files import read_group
from hushcount.counting.cells.keys import group_list
from hushcount.counting.declared.units import Unit
from hushcount.counting.meaning.groups import check_group
from hushcount.counting.meaning.types import decimal
from hushcount.counting.predicate.bands import MOST_BANDS
from hushcount.counting.predicate.groups import (
    Banded,
    FromFile,
    Group,
    Part,
    Steps,
    by_words,
    group_name,
    parse_group,
    parse_groups,
)
from hushcount.errors import BadData, HushcountError, InvalidParameter, NoSuchColumn

NAN, INF = math.nan, math.inf


def counted(source: Any, by: Any, keys: Any = None, options: ReadOptions | None = None, **given: Any) -> list[int]:
    """The true counts of the cells, and of the other one."""
    groups = tuple(read_group(group) if isinstance(group, FromFile) else group for group in group_list(by))
    alone = undeclared_names(groups)
    found = None if keys is None and not alone else keys_of([group.name for group in groups], alone, keys)
    cells = Cells(completed(found, groups), groups=groups, **given)
    with OpenTable(source, "TRUE", options, cells=cells) as opened:
        return [int(count) for count in opened.tally_cells().matching]


def table(path: Path, kind: str, values: list[Any]) -> Path:
    """A DuckDB file with one column `x`."""
    with duckdb.connect(str(path / "t.duckdb")) as connection:
        connection.execute(f"CREATE OR REPLACE TABLE t (x {kind})")
        if values:
            connection.executemany("INSERT INTO t VALUES (?)", [[value] for value in values])
    return path / "t.duckdb"


# --- how they are written ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("age: 0-17, 18-64, 65+", ["age: 0-17, 18-64, 65+"]),
        ("age:0-17,018-64,65 +,region", ["age: 0-17, 18-64, 65+", "region"]),
        ("x: -10--1, 0-5, missing", ["x: -10 to -1, 0-5, missing"]),
        ("x: (-inf, 0), [0, 18.50), [18.5, inf)", ["x: <0, [0, 18.5), 18.5+"]),
        ("x: 7, 3 to 5", ["x: 7, 3-5"]),
        ("age by 10 from 0 to 100", ["age by 10 from 0 to 100"]),
        ("age BY 0.5 FROM -1 TO 1, missing, sex", ["age by 0.5 from -1 to 1, missing", "sex"]),
        ('year(date),month("my date")', ["year(date)", 'month("my date")']),
        ('"a: b": 0-1', ['"a: b": 0-1']),
        ("Body Mass (g): [0, 10)", ['"Body Mass (g)": [0, 10)']),
    ],
)
def test_one_spelling(text: str, written: list[str]) -> None:
    groups = parse_groups(text)
    assert groups is not None
    assert [group.text for group in groups] == written
    assert [group.text for group in parse_groups(", ".join(written)) or ()] == written


@pytest.mark.parametrize(
    "text",
    [
        "a,b",
        '"age: 0-17"',
        "Q1: 5 points",
        "rate (1/year)",
        '"week(d)"',
        "income from work",
        '"year(date)",b',
        "age: ten, 20",
        "a by b from c",
        "x: ",
        "a:b",
    ],
)
def test_other_texts_name_columns(text: str) -> None:
    assert parse_groups(text) is None
    assert type(parse_group(text.split(",", maxsplit=1)[0])) is Group


def test_a_column_whose_name_looks_computed_is_in_quotes() -> None:
    assert parse_group('"year(date)"') == Group("year(date)")
    assert parse_group("year(date)") == Part("date", "year")
    assert parse_group('"odd"') == Group('"odd"')
    assert Group("year(date)").text == '"year(date)"'  # so that a ledger tells it from the year
    assert Group("age").text == "age"


@pytest.mark.parametrize(
    "text",
    ["a", "a,b", "year(d)", 'month("a b")', "x: 0-17, 18+", "x by 5 from 0 to 10, missing", '"a b": <0', '"odd"'],
)
def test_the_name_follows_from_the_text(text: str) -> None:
    group = parse_group(text)
    assert group_name(group.text) == group.name


@pytest.mark.parametrize(
    "name",
    [
        "x: 0-17, 17-20",
        "x: 0\u201317",
        "week(d)",
        "x: 0-17, sex",
        "year(d)",
        "x by 0 from 1 to 2",
        "c from a.csv",
        "x: 0-17,",
        '"year(d)"',
    ],
)
def test_any_column_has_a_text_of_its_own(name: str) -> None:
    assert group_name(Group(name).text) == name
    assert Group(name).text != parse_group("year(d)").text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x: 0-17, 17-20", "bands of 'x' that do not overlap: 0-17 and 17-20 do"),
        ("x: 0-17, [17.5, 20)", "that do not overlap"),
        ("x: 65+, 70+", "that do not overlap"),
        ("x: <5, <3", "that do not overlap"),
        ("x: 3, 3", "that do not overlap"),
        ("x: <1,000, 1,000+", "that do not overlap.*no commas in it, 1000 and not 1,000"),
        ("x: 0-999,1,000+", "that do not overlap.*no commas in it"),
        (" : [0, 18)", "bands such as 0-17"),
        ("x, : 0-17", "bands such as 0-17"),
        ("year( )", "groups of columns that each have a name"),
        ("x: 5-2", "a band that ends where it begins, or later"),
        ("x: [5, 5)", "a band that ends after it begins"),
        ("x: (0, 5)", "a half-open band"),
        ("x: (-inf, inf)", "a band with an end"),
        ("x: 0.5-2", r"or half-open: write \[0.5, 2\)"),
        ("x: missing", "of which the last alone may be 'missing'"),
        ("x: missing, 0-5", "of which the last alone may be 'missing'"),
        ("x: 0-17, 18-x", "bands such as 0-17"),
        ("x: 0-17, not stated", "'missing' is the last"),
        ("x by 10 from 0 to 100, NA", "'missing' is the last"),
        ("x: 0\u201317, 18\u201364, 65+", "a plain hyphen"),
        ('"my x": 0\u201317', "a plain hyphen"),
        ("region, x: 0\u201317", "a plain hyphen"),
        ("x: <=17, 18+", "bands such as 0-17"),
        ("x: 0-17, 18-64, >64", "bands such as 0-17"),
        ("x: <18, \u226518", "bands such as 0-17"),
        ("x: 0..17, 18+", "bands such as 0-17"),
        ("x: under 18, 18+", "bands such as 0-17"),
        ("x: 0-17; 18-64; 65+", "bands such as 0-17"),
        ("x: [0, 18], (18, 65]", "bands such as 0-17"),
        ("x by 10", "steps such as age by 10 from 0 to 100"),
        ("x by 10 from 0", "steps such as"),
        ("week(x)", r"year\(...\), quarter\(...\), month\(...\), day\(...\)"),
        ("floor(x/10)", "bands of a number"),
        ("x from groups.xlsx", "a file that ends in .csv or .parquet"),
        ("x by 0 from 0 to 10", "a whole number of steps upward"),
        ("x by 3 from 0 to 10", "a whole number of steps upward"),
        ("x by 1 from 5 to 5", "a whole number of steps upward"),
        ("x by 1 from 0 to 1000001", "at most 1,000,000 bands"),
    ],
)
def test_bands_that_are_none(text: str, message: str) -> None:
    with pytest.raises(InvalidParameter, match=f"^by must be .*{message}"):
        parse_groups(text)


@pytest.mark.parametrize("text", [" : [0, 18)", ": 0-17", " : 0-17, 18+", "month( )"])
def test_a_group_has_a_column_with_a_name(text: str) -> None:
    for parse in (parse_group, parse_groups):
        with pytest.raises(InvalidParameter, match=r"^by must be (groups of columns that each have a name|bands such)"):
            parse(text)
    assert parse_group(f'"{text}"') == Group(text)


def test_groups_of_one_name_are_refused() -> None:
    for by in (["age", "age: 0-17"], ["age: 0-17", "age by 10 from 0 to 10"], ["year(d)", "year( d )"]):
        with pytest.raises(InvalidParameter, match="each once"):
            group_list(by)


def test_gaps_are_told() -> None:
    group = parse_group("x: 30-40, 0-17, 50+, 18-20, [41.5, 42)")
    assert isinstance(group, Banded)
    assert group.gaps == ("[21, 30)", "[41, 41.5)", "[42, 50)")
    assert parse_group("x: 0-17, 18+").gaps == ()  # type: ignore[attr-defined]
    assert parse_group("x: [-9, -5), 0-17").gaps == ("[-5, 0)",)  # type: ignore[attr-defined]
    assert parse_group("x: <0, 1+").gaps == ("[0, 1)",)  # type: ignore[attr-defined]


# --- what they mean ---------------------------------------------------------------------------------------------------

_NUMBERS: list[tuple[str, list[Any]]] = [
    ("DOUBLE", [0.0, -0.0, 17.999, 18, 64.5, 65, 1e308, INF, -INF, NAN, None, -1e-300, 2.0**53]),
    ("FLOAT", [0.0, -0.0, 17.5, 18, 64.5, 65, INF, -INF, NAN, None, 2.0**24]),
    ("BIGINT", [0, 17, 18, 64, 65, -1, -(2**63), 2**63 - 1, None]),
    ("UTINYINT", [0, 17, 18, 64, 65, 255, None]),
    ("TINYINT", [0, 17, 18, 64, 65, 127, -128, None]),
    ("UBIGINT", [0, 17, 18, 65, 2**64 - 1, None]),
    ("HUGEINT", [0, 17, 18, 65, 10**30, -(10**30), None]),
    ("DECIMAL(6,2)", ["0.00", "17.99", "18.00", "-0.01", "9999.99", None]),
    ("DECIMAL(6,0)", [0, 17, 18, 65, -1, 999999, None]),
]


def known(value: Any) -> Any:
    return None if value is None or (isinstance(value, float) and math.isnan(value)) else value


@pytest.mark.parametrize(("kind", "values"), _NUMBERS, ids=[kind for kind, _ in _NUMBERS])
def test_bands_of_numbers(tmp_path: Path, kind: str, values: list[Any]) -> None:
    path = table(tmp_path, kind, values)
    held = [known(value) for value in values]
    numbers = [Decimal(value) if isinstance(value, str) else value for value in held if value is not None]
    bands = [(0, 18), (18, 65), (65, INF)]
    inside = [sum(low <= number and (number < high or high == INF) for number in numbers) for low, high in bands]
    for by in ("x: [0, 18), [18, 65), 65+, missing", "x: [0, 18), [18, 65), [65, inf), missing"):
        found = counted(path, by)
        assert found == [*inside, held.count(None), sum(number < 0 for number in numbers)]
    steps = [sum(low <= number < low + 9 for number in numbers) for low in range(-18, 90, 9)]
    rest = len(numbers) - sum(steps)
    assert counted(path, "x by 9 from -18 to 90, missing") == [*steps, held.count(None), rest]
    assert counted(path, "x by 9 from -18 to 90") == [*steps, held.count(None) + rest]
    assert counted(path, "x: <0, [0.5, 17.5)") == [
        sum(number < 0 for number in numbers),
        sum(Decimal("0.5") <= Decimal(number) < Decimal("17.5") for number in numbers),
        len(values) - sum(number < 0 or Decimal("0.5") <= Decimal(number) < Decimal("17.5") for number in numbers),
    ]


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(-30, 30), max_size=30),
    st.integers(-(2**40), 2**40) | st.integers(-40, 40),
    st.integers(1, 2**40) | st.integers(1, 9),
    st.integers(1, 20),
)
def test_steps_are_the_bands_that_they_say(values: Any, low: int, width: int, many: int) -> None:
    held = pa.table({"x": pa.array(values, pa.int64())})
    edges = [low + width * at for at in range(many + 1)]
    bands = ", ".join(f"[{first}, {last})" for first, last in pairwise(edges))
    by = f"x by {width} from {low} to {edges[-1]}"
    found = counted(held, by)
    assert found == counted(held, f"x: {bands}")
    assert found[:-1] == [
        sum(value is not None and first <= value < last for value in values) for first, last in pairwise(edges)
    ]
    assert sum(found) == len(values)


def test_a_hundred_thousand_bands(tmp_path: Path) -> None:
    for kind in ("BIGINT", "HUGEINT", "DECIMAL(9,0)"):
        path = table(tmp_path, kind, [0, 1, 99_999, 100_000, -1, 50_000, 50_000, None])
        found = counted(path, "x by 1 from 0 to 100000")
        assert len(found) == 100_001
        assert {at: count for at, count in enumerate(found) if count} == {0: 1, 1: 1, 50_000: 2, 99_999: 1, 100_000: 3}
    with pytest.raises(InvalidParameter, match="at most 1,000 bands of 'x'"):
        counted(table(tmp_path, "DOUBLE", [1.0]), "x by 1 from 0 to 1001")
    assert sum(counted(table(tmp_path, "DOUBLE", [1.0, 999.5]), "x by 1 from 0 to 1000")) == 2


def test_the_most_bands_are_as_many_as_they_say() -> None:
    group = parse_group(f"x by 1 from 0 to {MOST_BANDS}")
    assert isinstance(group, Steps)
    assert len(group.bands) == MOST_BANDS


@pytest.mark.parametrize("kind", ["BIGINT", "DOUBLE", "DATE", "TIMESTAMP"])
def test_an_empty_table(tmp_path: Path, kind: str) -> None:
    path = table(tmp_path, kind, [])
    for by in ("month(x)",) if kind in ("DATE", "TIMESTAMP") else ("x: [0, 1), missing", "x by 1 from 0 to 9"):
        assert set(counted(path, by)) == {0}


def test_a_column_without_values(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("x,y\n,1\n,2\n")
    assert counted(tmp_path / "e.csv", "x: 0-17, missing") == [0, 2, 0]
    assert counted(tmp_path / "e.csv", "x by 5 from 0 to 10") == [0, 0, 2]
    assert counted(tmp_path / "e.csv", "year(x)", [2020, None]) == [0, 2, 0]


_DAYS = [date(2024, 2, 29), date(2023, 2, 28), date(1969, 12, 31), date(1, 1, 1), date(9999, 12, 31), None]


@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP", "TIMESTAMPTZ"])
def test_years_and_months(tmp_path: Path, kind: str) -> None:
    days = [None if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC) for day in _DAYS[:3]] + [None]
    path = table(tmp_path, kind, _DAYS if kind == "DATE" else days)
    assert counted(path, "year(x)", [2024, 2023, 1969, 1970, None]) == [1, 1, 1, 0, 1, 2 if kind == "DATE" else 0]
    assert counted(path, "month(x)")[1] == 2
    assert counted(path, "day(x)")[28:] == [1, 0, 2 if kind == "DATE" else 1, 1]
    assert counted(path, ["year(x)", "month(x)"], [2024, 1969])[:24] == [0, 1, *[0] * 21, 1]


def test_a_moment_with_a_zone_is_of_the_year_in_utc(tmp_path: Path) -> None:
    (tmp_path / "z.csv").write_text("t\n2024-01-01T01:30:00+02:00\n2023-12-31T23:30:00-02:00\n")
    assert counted(tmp_path / "z.csv", "year(t)", [2023, 2024]) == [1, 1, 0]


def test_infinite_dates_have_no_year_and_are_missing(tmp_path: Path) -> None:
    path = table(tmp_path, "DATE", ["infinity", "-infinity", "2020-01-01"])
    assert counted(path, "year(x)", [2020, None]) == [1, 2, 0]


@pytest.mark.parametrize(
    ("by", "kind", "message"),
    [
        ("x: 0-17", "DOUBLE", r"half-open bands, such as \[0, 18\) for 0-17: 'x' holds doubles"),
        ("x: 0-17", "DECIMAL(6,2)", "'x' holds decimals"),
        ("x: 0-17", "DATE", r"bands of numbers: 'x' holds dates; of its years, write year\(x\)"),
        ("x: 0-17", "VARCHAR", "bands of numbers: 'x' holds texts"),
        ("x by 1 from 0 to 2", "BOOLEAN", "bands of numbers: 'x' holds booleans"),
        ("year(x)", "BIGINT", "a part of dates or timestamps: 'x' holds integers"),
        ("x", "DOUBLE", "or take bands of them, such as --by 'x by 10 from 0 to 100'"),
        ("x", "TIMESTAMP", r"or take their years, months or days: --by 'year\(x\)'"),
    ],
)
def test_groups_that_do_not_fit_are_refused_unread(tmp_path: Path, by: str, kind: str, message: str) -> None:
    path = table(tmp_path, kind, [])
    groups = group_list(by)
    alone = undeclared_names(groups)
    cells = Cells(completed(keys_of(["x"], alone, [1]) if alone else None, groups), groups=groups)
    with pytest.raises(InvalidParameter, match=f"^by must be .*{message}"):
        OpenTable(path, "TRUE", cells=cells)


def test_a_type_that_only_the_data_show(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("x\n1\n17\n")
    assert counted(tmp_path / "x.csv", "x: 0-17") == [2, 0]
    (tmp_path / "x.csv").write_text("x\n1\n17.5\n")
    assert counted(tmp_path / "x.csv", "x: [0, 18)") == [2, 0]
    with pytest.raises(InvalidParameter, match="half-open"):
        counted(tmp_path / "x.csv", "x: 0-17")
    assert counted(tmp_path / "x.csv", "x by 1 from 0 to 20", options=ReadOptions(types={"x": "number"}))[17] == 1
    (tmp_path / "x.csv").write_text("x\n1\n17\n")
    pinned = ReadOptions(types={"x": "integer"})
    assert counted(tmp_path / "x.csv", "x by 1 from 0 to 20", options=pinned)[17] == 1
    (tmp_path / "x.csv").write_text("x\nNA\n17\n")
    with pytest.raises(InvalidParameter, match="holds texts"):
        counted(tmp_path / "x.csv", "x: 0-17")
    assert counted(tmp_path / "x.csv", "x: 0-17, missing", options=ReadOptions(null="NA")) == [1, 1, 0]


def test_no_such_column(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("age\n1\n")
    with pytest.raises(NoSuchColumn, match="did you mean 'age'"):
        counted(tmp_path / "x.csv", "agee: 0-17")


# --- keys -------------------------------------------------------------------------------------------------------------


def test_keys_of_bands_may_be_chosen(tmp_path: Path) -> None:
    path = table(tmp_path, "BIGINT", [5, 70, None, 200])
    assert counted(path, "x: 0-17, 18-64, 65-99", ["65-99", None]) == [1, 1, 2]
    for keys, shown in ((["0-18"], "'0-18'"), (["x"], "'x'")):
        with pytest.raises(InvalidParameter, match=f"^keys must be those of 'x', 0-17, 65\\+ \\(got {shown}\\)"):
            counted(path, "x: 0-17, 65+", keys)
    with pytest.raises(InvalidParameter, match=r"^keys must be those of 'month\(x\)', 1, 2"):
        counted(table(tmp_path, "DATE", []), "month(x)", [13])


def test_other_keys_are_combined_with_those_that_follow(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("age,sex,y\n5,m,1\n70,f,1\n5,f,2\n,m,1\n")
    groups = group_list(["sex", "age: 0-17, 65+, missing"])
    keys = completed(keys_of(["sex", "age"], ["sex"], ["f", "m"]), groups)
    assert [keys.row(cell) for cell in range(len(keys))] == [
        *(("f", "0-17"), ("f", "65+"), ("f", None)),
        *(("m", "0-17"), ("m", "65+"), ("m", None)),
    ]
    by = ["sex", "age: 0-17, 65+, missing"]
    assert counted(tmp_path / "x.csv", by, ["f", "m"]) == [1, 1, 0, 1, 0, 1, 0]
    assert counted(tmp_path / "x.csv", by, [("m", "65+"), ("f", "65+")]) == [0, 1, 3]
    both = [*by, "y"]
    assert counted(tmp_path / "x.csv", both, [("f", 2)]) == [1, 0, 0, 3]
    assert counted(tmp_path / "x.csv", both, [("f", "0-17", 2)]) == [1, 3]
    with pytest.raises(InvalidParameter, match="groups with at most 10,000,000 cells together"):
        counted(tmp_path / "x.csv", ["age by 1 from 0 to 10000", "y by 1 from 0 to 10000"])


@pytest.mark.parametrize("most", [1, 2])
def test_units_count_in_the_first_bands_that_they_reach(tmp_path: Path, most: int) -> None:
    (tmp_path / "x.csv").write_text("age,id\n5,a\n70,a\n70,a\n,a\n70,b\n5,c\n")
    found = counted(tmp_path / "x.csv", "age: 65+, 0-17", unit=Unit("id"), max_cells=most)
    assert found == ([2, 1, 0] if most == 1 else [2, 2, 0])


# --- groups of values from a file -------------------------------------------------------------------------------------


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    (tmp_path / "visits.csv").write_text("code,n,id\nN1,1,a\nN2,2,a\nS1,3,b\nZZ,4,b\n,5,c\nn1,1,c\n")
    (tmp_path / "codes.csv").write_text("code,part\nS1,south\nN1,north\nN2,north\n")
    return tmp_path / "visits.csv"


def test_values_are_grouped_by_a_file(visits: Path) -> None:
    by = f"code from {visits.parent / 'codes.csv'}"
    assert counted(visits, by) == [1, 2, 3]
    assert counted(visits, by, ["north", None]) == [2, 1, 3]
    assert counted(visits, by, unit=Unit("id"), max_cells=2) == [1, 1, 2]
    assert counted(visits, [by, "n: 1-2, 3+"]) == [0, 1, 2, 0, 3]
    assert counted(visits, [by, "n"], [1, 2]) == [0, 1, 0, 1, 4]
    (visits.parent / "codes.csv").write_text('part,code\nnorth,N1\nnorth,n1\nunknown,\n"",S1\n')
    assert counted(visits, by) == [2, 1, 1, 2]
    with pytest.raises(InvalidParameter, match="without the missing key: the file of 'part' has a text for it"):
        counted(visits, by, ["north", None])
    with pytest.raises(InvalidParameter, match="keys must be those of 'part', north, unknown"):
        counted(visits, by, ["south"])


def test_groups_of_whole_numbers(visits: Path) -> None:
    for values, expected in (("1,low\n2,low\n5,high\n", [3, 1, 2]), ("5,high\n", [1, 5])):
        (visits.parent / "n.csv").write_text(f"n,level\n{values}")
        assert counted(visits, f"n from {visits.parent / 'n.csv'}") == expected
    pq.write_table(pa.table({"n": [1, 2], "level": ["a", "b"]}), visits.parent / "n.parquet")
    assert counted(visits, f"n from {visits.parent / 'n.parquet'}") == [2, 1, 3]


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        ("code,part,more\nN1,a,b\n", BadData, "its columns must be 'code' and one other"),
        ("codes,part\nN1,a\n", BadData, "its columns must be 'code' and one other"),
        ("code\nN1\n", BadData, "its columns must be"),
        ("code,part\nN1,a\nN1,b\n", BadData, "this one is declared twice"),
        ("code,part\n", BadData, "at least one key"),
        ("code,part\nN1,\n", BadData, "column 'part' lacks a value"),
        ("code,part\n1,a\n2,b\n", InvalidParameter, "by must be mapped from what column 'code' can hold"),
    ],
)
def test_files_that_do_not_say_it(visits: Path, content: str, kind: type[HushcountError], message: str) -> None:
    (visits.parent / "codes.csv").write_text(content)
    with pytest.raises(kind, match=message):
        counted(visits, f"code from {visits.parent / 'codes.csv'}")


def test_values_that_mean_the_same(visits: Path) -> None:
    (visits.parent / "n.csv").write_text("n,level\n1,a\n01,b\n")
    with pytest.raises(InvalidParameter, match="no two of which mean the same"):
        counted(visits, f"n from {visits.parent / 'n.csv'}", options=ReadOptions(types={"n": "integer"}))


def test_what_is_asked_of_a_ledger_tells_mappings_apart(visits: Path) -> None:
    path = visits.parent / "codes.csv"
    texts = set()
    for content in ("code,part\nN1,a\nN2,b\n", "code,part\nN1,b\nN2,a\n", "code,port\nN1,a\nN2,b\n"):
        path.write_text(content)
        (group,) = group_list(f"code from {path}")
        assert isinstance(group, FromFile)
        texts.add(read_group(group).text)
    (visits.parent / "again.csv").write_text(content)
    again = read_group(FromFile("code", str(visits.parent / "again.csv")))
    assert again.text in texts
    assert group_name(again.text) == "port"
    assert len(texts) == 3


def test_a_group_fits_decimals_that_are_whole() -> None:
    check_group(parse_group("x: 0-17"), decimal(6, 0))
    with pytest.raises(InvalidParameter):
        check_group(parse_group("x: 0-17"), decimal(6, 1))


def test_groups_in_words() -> None:
    texts = ["age: 0-17, 18+, missing", "region"]
    assert by_words(texts) == "by age (0-17, 18+, missing) and by region"
    assert by_words(["income by 10 from 0 to 100, missing"]) == "by income (by 10 from 0 to 100, missing)"
    assert by_words(["year(born)", "a, b", '"age: 1-2"']) == 'by year(born), by a, b and by "age: 1-2"'
    assert by_words(['"Body Mass (g)": 0-9, 10+']) == "by Body Mass (g) (0-9, 10+)"
