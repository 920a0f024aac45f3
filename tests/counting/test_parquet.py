"""Parquet sources."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushcount.counting import ReadOptions, Schema, count_matching, read_schema
from hushcount.errors import BadData, InvalidParameter, NoSuchColumn, PredicateRefused


def _written(path: Path, **columns: Any) -> Path:
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize(
    "name",
    ["data[1].parquet", "a*b.parquet", "a?b.parquet", "{x,y}.parquet", "it's.parquet", "no ending", "back\\slash"],
)
def test_a_name_is_no_pattern(tmp_path: Path, name: str) -> None:
    for other in ("data1.parquet", "axb.parquet", "x.parquet"):
        _written(tmp_path / other, a=[1, 1, 1])
    assert count_matching(_written(tmp_path / name, a=[1]), "a = 1").rows == 1


def test_a_name_that_cannot_be_escaped_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="rename the file"):
        count_matching(_written(tmp_path / "a\\b[1].parquet", a=[1]), "a = 1")


def test_folder_names_make_no_columns(tmp_path: Path) -> None:
    path = _written(tmp_path / "year=2024" / "x.parquet", a=[1])
    assert count_matching(path, "a = 1").matching == 1
    with pytest.raises(NoSuchColumn):
        count_matching(path, "year = 2024")


def test_columns_that_differ_in_case(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="differ only in case"):
        count_matching(_written(tmp_path / "p.parquet", Age=[1], age=[2]), "age = 2")


def test_column_names_are_exact(tmp_path: Path) -> None:
    path = _written(tmp_path / "p.parquet", **{"Age": [1], 'we"ird': [2], "a.b": [3]})
    assert count_matching(path, 'Age = 1 and "we""ird" = 2 and "a.b" = 3').matching == 1
    with pytest.raises(NoSuchColumn, match="did you mean 'Age'"):
        count_matching(path, "age = 1")


def test_nested_columns_are_refused_only_if_used(tmp_path: Path) -> None:
    path = _written(tmp_path / "p.parquet", a=[1], s=[{"x": 1, "X": 2}], l=[[1, 2]], m=[b"x"])
    assert count_matching(path, "a = 1").matching == 1
    for column, kind in (("s", "STRUCT"), ("l", "INTEGER|BIGINT"), ("m", "BLOB")):
        with pytest.raises(PredicateRefused, match=rf"column '{column}' .*({kind})"):
            count_matching(path, f"{column} is null")


def test_types_of_arrow(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    table = pa.table(
        {
            "u8": pa.array([200, 3], pa.uint8()),
            "u64": pa.array([2**64 - 1, 3], pa.uint64()),
            "f32": pa.array([0.5, None], pa.float32()),
            "dec": pa.array([Decimal("1.10"), Decimal("-2.00")], pa.decimal128(10, 2)),
            "cat": pa.array(["x", "y"]).dictionary_encode(),
            "ns": pa.array([1, 2], pa.timestamp("ns")),
            "ms": pa.array([0, None], pa.timestamp("ms", "Europe/Paris")),
            "none": pa.nulls(2),
        }
    )
    pq.write_table(table, path)
    expected = {
        "u8 = 200": 1,
        "u64 = 18446744073709551615": 1,
        "f32 = 0.5": 1,
        "dec = 1.1": 1,
        "dec < 1.105": 2,
        "cat = 'x'": 1,
        "ns = '1970-01-01'": 2,  # to the microsecond
        "ms = '1970-01-01 01:00:00+01:00'": 1,
        "none is null": 2,
    }
    assert {where: count_matching(path, where).matching for where in expected} == expected


_NEW_YEAR = 1_704_067_200_000_000_000
_NANOSECONDS = [_NEW_YEAR + step for step in (-1, -501, -500, 1, 0)]
_BEFORE_1970 = [-1, -500, -1500]
_ENDS = [-(2**63), -(2**63) + 1, 2**63 - 2, 2**63 - 1]
"""The second and the last are pandas' first and last moment, and DuckDB's infinities."""
_ABOUT_NEW_YEAR = {
    "t < timestamp '2024-01-01 00:00:00'": 3,
    "t = timestamp '2024-01-01 00:00:00'": 2,
    "t >= timestamp '2024-01-01 00:00:00'": 2,
    "t in (timestamp '2023-12-31 23:59:59.999999')": 3,
    "extract(year from t) = 2023": 3,
    "coalesce(t, timestamp '2000-01-01 00:00:00') < date '2024-01-01'": 3,
}
_ABOUT_1970 = {
    "t < timestamp '1970-01-01 00:00:00'": 3,
    "t = timestamp '1969-12-31 23:59:59.999999'": 2,
    "t <= timestamp '1969-12-31 23:59:59.999998'": 1,
    "extract(year from t) = 1969": 3,
}
_ABOUT_THE_ENDS = {
    "t = timestamp '1677-09-21 00:12:43.145224'": 2,
    "t = timestamp '2262-04-11 23:47:16.854775'": 2,
    "t between date '1677-09-21' and date '2262-04-12'": 4,
    "extract(year from t) = 2262": 2,
    "t is null": 0,
}


_CUT = [(_NANOSECONDS, _ABOUT_NEW_YEAR), (_BEFORE_1970, _ABOUT_1970), (_ENDS, _ABOUT_THE_ENDS)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("format", "moments", "expected"),
    [(format, *case) for format in ("ns", "ns with a zone", "int96", "us") for case in _CUT],
)
def test_nanoseconds_are_cut_and_not_rounded(
    tmp_path: Path, format: str, moments: list[int], expected: dict[str, int]
) -> None:
    kind = {"ns with a zone": pa.timestamp("ns", "UTC"), "us": pa.timestamp("us")}.get(format, pa.timestamp("ns"))
    held = [moment // 1000 if format == "us" else moment for moment in moments]
    path = tmp_path / "p.parquet"
    pq.write_table(pa.table({"t": pa.array(held, kind)}), path, use_deprecated_int96_timestamps=format == "int96")
    assert {where: count_matching(path, where).matching for where in expected} == expected


@pytest.mark.slow
@pytest.mark.parametrize("kind", [pa.float32(), pa.float16()])
def test_a_literal_means_the_nearest_number_of_the_column(tmp_path: Path, kind: pa.DataType) -> None:
    given = pa.array(numpy.array([2.1, 0.1, 2.5], kind.to_pandas_dtype()))
    path = _written(tmp_path / "p.parquet", x=given, y=[2.1, 0.1, 2.5], b=[True, False, None])
    expected = {
        "x = 2.1": 1,
        "x > 0.1": 2,
        "x < 2.1": 1,
        "x in (2.1, 2.5)": 2,
        "x not between 0.1 and 2.1": 1,
        "coalesce(null, x, 7) <= 2.1": 2,
        "case when b then x end = 2.1": 1,
        "case x when 2.1 then b end": 1,
        "x = case when b then 2.1 when not b then 0.1 end": 2,
        "coalesce(case when b then x else 2.1 end, 0.1) = 2.1": 3,
        "x = y": 1,
        "x - 0 = 2.1": 0,
        "abs(x) = 2.1": 0,
    }
    assert {where: count_matching(path, where).matching for where in expected} == expected
    for number in ("16777217", "1e39", "-1e-46"):
        assert count_matching(path, f"x = {number}").matching == 0
        for where in (f"coalesce(x, {number}) > 1", f"x > case when b then {number} else 1 end"):
            with pytest.raises(PredicateRefused, match=f"{number} cannot stand in"):
                count_matching(path, where)
    assert count_matching(path, "x < 1e39").matching == count_matching(path, "x > 1e-46").matching == 3


def test_a_schema_keeps_the_size_of_numbers(tmp_path: Path) -> None:
    sizes = {"a": pa.float16(), "b": pa.float32(), "c": pa.float64()}
    path = _written(tmp_path / "p.parquet", **{name: pa.array(numpy.ones(1), kind) for name, kind in sizes.items()})
    schema = read_schema(path)
    assert Schema.from_dict(json.loads(json.dumps(schema.to_dict()))) == schema
    assert [column.type.bits for column in schema.columns] == [11, 24, 53]
    assert len({column.type for column in schema.columns}) == 3


def test_milliseconds_that_cannot_be_read_are_found_when_a_source_is_listed(tmp_path: Path) -> None:
    path = _written(tmp_path / "p.parquet", t=pa.array([0, 2**62], pa.timestamp("ms")), i=[1, 2])
    for read in (lambda: read_schema(path), lambda: count_matching(path, "t is null")):
        with pytest.raises(BadData, match="could not be read to the end") as caught:
            read()
        assert str(2**62) not in str(caught.value)
    assert count_matching(path, "i = 1").matching == 1


def test_decimals_that_would_be_rounded_are_refused(tmp_path: Path) -> None:
    number = Decimal("9007199254740993.1")
    path = _written(tmp_path / "p.parquet", m=pa.array([number], pa.decimal256(39, 1)), i=[1])
    with pytest.raises(PredicateRefused, match=r"'m' of .* has the type DECIMAL\(39, 1\), which no predicate can use"):
        count_matching(path, "m = 9007199254740993.1")
    with pytest.raises(PredicateRefused, match="which no predicate can use"):
        count_matching(path, "i = 1", unit="m")
    assert count_matching(path, "i = 1").matching == 1
    path = _written(tmp_path / "p.parquet", m=pa.array([number], pa.decimal256(38, 1)))
    assert count_matching(path, "m = 9007199254740993.1").matching == 1


def test_half_floats_deep_inside_are_not_meant(tmp_path: Path) -> None:
    halves = pa.array([[{"x": 2.1}]], pa.list_(pa.struct([("x", pa.float16())])))
    path = _written(tmp_path / "p.parquet", deep=halves, x=pa.array([2.1], pa.float32()))
    assert count_matching(path, "x = 2.1").matching == 1


def test_a_choice_of_literals_is_of_the_type_it_meets(tmp_path: Path) -> None:
    path = _written(tmp_path / "p.parquet", x=[2.0**53, 0.1], i=[2**53 + 1, 2], b=[True, False])
    expected = {
        "i = case when b then 9007199254740993 else 2.5 end": 1,
        "x = case when b then 1e300 else 0.1 end": 1,
        "case when b then 2.5 else 2 end = coalesce(i, null)": 1,
    }
    assert {where: count_matching(path, where).matching for where in expected} == expected
    for where in ("x = coalesce(null, 9007199254740993)", "coalesce(x, 9007199254740993) = 9007199254740992"):
        with pytest.raises(PredicateRefused, match="9007199254740993 cannot stand in"):
            count_matching(path, where)


def test_a_damaged_file(tmp_path: Path) -> None:
    whole = _written(tmp_path / "p.parquet", a=["secret"] * 100).read_bytes()
    for name, content in {
        "short": whole[:-30],
        "head": b"PAR1",
        "middle": whole[:40] + b"\xff" * 40 + whole[80:],
    }.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(BadData) as caught:
            count_matching(path, "a = 'x'")
        assert "\n" not in str(caught.value)
        assert "secret" not in str(caught.value)


def test_options_of_other_formats_are_refused(tmp_path: Path) -> None:
    path = _written(tmp_path / "p.parquet", a=[1])
    for options in ({"table": "t"}, {"delimiter": ";"}, {"header": False}, {"types": {"a": "text"}}, {"null": "NA"}):
        with pytest.raises(InvalidParameter, match="left out"):
            count_matching(path, "a = 1", ReadOptions(**options))


def test_a_predicate_without_columns(tmp_path: Path) -> None:
    assert count_matching(_written(tmp_path / "p.parquet", a=[1, 2]), "true").matching == 2
