"""Frames of pandas, polars, pyarrow and DuckDB: what counts in them counts in a Parquet file of the same table."""

from __future__ import annotations

import gc
import math
import subprocess
import sys
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from hushcount import release_count, release_table
from hushcount.counting import ReadOptions, check_source, count_matching, read_schema
from hushcount.counting.engines.duckdb import KeptEngine
from hushcount.counting.tally import OpenTable
from hushcount.errors import BadData, HushcountError, InvalidParameter, NoSuchColumn, PredicateRefused
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.release.count.preview import preview
from hushcount.release.count.question import CountQuestion
from hushcount.release.subject import Subject

from .reference import Part, matching, predicates, rows

Table = list[dict[str, Any]]

_SCHEMA = pa.schema([("i", pa.int64()), ("x", pa.float64()), ("s", pa.string()), ("b", pa.bool_()), ("d", pa.date32())])
_NULLABLE = {"i": "Int64", "s": "string", "b": "boolean", "d": "date32[pyarrow]"}


def _arrow(table: Table) -> pa.Table:
    return pa.Table.from_pylist(table, _SCHEMA)


def _pandas(table: Table) -> pd.DataFrame:
    columns = {name: pd.array([row[name] for row in table], dtype=kind) for name, kind in _NULLABLE.items()}
    floats = np.array([math.nan if row["x"] is None else row["x"] for row in table], dtype="float64")
    return pd.DataFrame({**columns, "x": floats}, index=[f"row {at}" for at in range(len(table))])


def _in_chunks(table: Table) -> pa.Table:
    return pa.concat_tables([_arrow(table[:1]), _arrow([]), _arrow(table[1:])])


def _with_dictionary(table: Table) -> pa.Table:
    found = _in_chunks(table)
    return found.set_column(2, "s", pa.chunked_array([c.dictionary_encode() for c in found["s"].chunks]))


_FRAMES: dict[str, Callable[[Table], Any]] = {
    "pandas": _pandas,
    "pandas on arrow": lambda table: _arrow(table).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas categorical": lambda table: _pandas(table).astype({"s": "category", "i": "category", "x": "Float64"}),
    "pandas objects": lambda table: _pandas(table).assign(
        s=pd.Series([r["s"] for r in table], dtype=object).to_numpy()
    ),
    "polars": lambda table: pl.DataFrame(_arrow(table)),
    "polars categorical": lambda table: pl.DataFrame(_arrow(table)).with_columns(pl.col("s").cast(pl.Categorical)),
    "pyarrow": _arrow,
    "pyarrow in chunks": _in_chunks,
    "pyarrow dictionary": _with_dictionary,
    "duckdb": lambda table: duckdb.connect().from_arrow(_arrow(table)),
}


def _counted(source: Any, where: str) -> tuple[int, int]:
    tally = count_matching(source, where)
    return tally.rows, tally.matching


@pytest.mark.slow
@given(rows, predicates)
@settings(max_examples=40, deadline=None)
def test_every_frame_equals_plain_python(table: Table, predicate: Part) -> None:
    expected = (len(table), matching(table, predicate))
    found = {name: _counted(make(table), predicate.sql) for name, make in _FRAMES.items()}
    assert found == dict.fromkeys(_FRAMES, expected)


_MIXED: Table = [
    {"i": number, "x": value, "s": text, "b": None, "d": date(2024, 1, number)}
    for number, value, text in [(1, 1.0, "a"), (2, math.nan, ""), (3, None, None), (4, math.inf, "B"), (5, -2.5, "é")]
]


@pytest.mark.parametrize("name", _FRAMES)
def test_what_is_missing(name: str) -> None:
    frame = _FRAMES[name](_MIXED)
    for where, expected in [("x > 0", 2), ("not x > 0", 1), ("x is null", 2), ("x - x = 0", 2), ("s is null", 1)]:
        assert _counted(frame, where) == (5, expected), where
    assert _counted(frame, "coalesce(x, 0) = 0 and s < 'a'") == (5, 1)
    assert _counted(frame, "b is null and d < DATE '2024-01-03'") == (5, 2)


# --- types ------------------------------------------------------------------------------------------------------------

_MOMENTS = [0, -1, 1_700_000_000, None, -1_700_000_000]


def _moments(unit: str, zone: str | None) -> pa.Array:
    return pa.array(_MOMENTS, pa.int64()).cast(pa.timestamp(unit, zone))


_COLUMNS = {
    **{str(kind): pa.array([1, None, 3], kind) for kind in (pa.int8(), pa.uint16(), pa.int32(), pa.uint64())},
    **{str(kind): pa.array(["a", None, "é"], kind) for kind in (pa.string(), pa.large_string(), pa.string_view())},
    **{str(k): pa.array([Decimal("1.25"), None], k) for k in (pa.decimal32(5, 2), pa.decimal128(38, 2))},
    "decimal256(38, 2)": pa.array([Decimal("1.25"), None], pa.decimal256(38, 2)),
    "halffloat": pa.array([2.1, 0.1, math.nan, None], pa.float16()),
    "float": pa.array([2.1, 0.1, math.nan, None], pa.float32()),
    "date64": pa.array([86_400_000, None, -86_400_000], pa.int64()).cast(pa.date64()),
    "null": pa.nulls(2),
    **{f"timestamp[{u}, {z}]": _moments(u, z) for u in ("s", "ms", "us", "ns") for z in (None, "Europe/Oslo")},
    "pandas' last moment": pa.array([2**63 - 1, -(2**63), None], pa.int64()).cast(pa.timestamp("ns")),
    "dictionary of numbers": pa.array([5, 6, 5, None]).dictionary_encode(),
}
_ASKED = {
    "integer": ["a > 1", "a = 3", "a + 0 = 1"],
    "text": ["a = 'a'", "a < 'é'", "length(a) = 1", "a like 'a%'"],
    "decimal": ["a = 1.25", "a > 1"],
    "number": ["a = 2.1", "a > 0.1", "a is null"],
    "date": ["a = DATE '1970-01-02'", "a < DATE '1970-01-01'"],
    "timestamp": [
        "a < TIMESTAMP '1970-01-01 00:00:00'",
        "a > TIMESTAMP '2262-01-01 00:00:00'",
        "extract(year from a) > 2000",
    ],
    "timestamp with offset": ["a < TIMESTAMP '1970-01-01 00:00:00'", "extract(year from a) > 2000"],
    "empty": ["a is null", "a = 5", "a = 'x'"],
}


@pytest.mark.parametrize("name", _COLUMNS)
def test_a_type_means_what_it_means_in_parquet(name: str, tmp_path: Path) -> None:
    table = pa.table({"a": _COLUMNS[name]})
    pq.write_table(table, tmp_path / "a.parquet")
    schema = read_schema(tmp_path / "a.parquet")
    assert read_schema(table).columns == schema.columns
    for where in ["a is null", *_ASKED[schema.columns[0].word]]:
        assert _counted(table, where) == _counted(tmp_path / "a.parquet", where), where


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_no_moment_makes_a_count_fail(unit: str) -> None:
    far = pa.array([2**63 - 1, -(2**63) + 1, 0], pa.int64())
    for zone in (None, "Europe/Oslo"):
        frame = pa.table({"a": far.cast(pa.timestamp(unit, zone))})
        assert _counted(frame, "a > TIMESTAMP '2100-01-01 00:00:00'") == (3, 1)


@pytest.mark.parametrize(
    ("column", "shown"),
    [
        (pa.array([[1]]), "list<item: int64>"),
        (pa.array([{"a": 1}]), "struct<a: int64>"),
        (pa.array([timedelta(1)]), "duration[us]"),
        (pa.array([time(1)]), "time64[us]"),
        (pa.array([b"a"]), "binary"),
        (pa.array([Decimal(1)], pa.decimal256(50, 2)), "DECIMAL(50, 2)"),
        (pa.array([Decimal(100)], pa.decimal128(5, -2)), "decimal128(5, -2)"),
        (pd.Series(pd.to_timedelta([1])), "duration[ns]"),
        (pd.Series(pd.period_range("2020", periods=1)), "extension<"),
        (pd.Series([1j]), "complex128"),
        (pd.Series(pd.arrays.SparseArray([1])), "Sparse[int64, 0]"),
        (pd.Series(pd.Categorical([1, "geheim"])), None),
    ],
    ids=str,
)
def test_other_types_are_refused_and_do_not_disturb(column: Any, shown: str | None) -> None:
    of_pandas = isinstance(column, pd.Series)
    frame = pd.DataFrame({"a": column, "n": [1] * len(column)}) if of_pandas else pa.table({"a": column, "n": [1]})
    assert _counted(frame, "n = 1") == (len(column), len(column))
    with pytest.raises(HushcountError) as caught:
        count_matching(frame, "a IS NULL")
    if shown is None:
        assert "column 'a' holds Python objects that are not all texts" in str(caught.value)
        assert "geheim" not in str(caught.value)
    else:
        assert str(caught.value).startswith(f"column 'a' of a frame has the type {shown}")
        assert str(caught.value).endswith(", which no predicate can use")


@pytest.mark.parametrize(
    "values",
    [
        [1, "geheim"],
        [1, None],
        [b"geheim"],
        ["geheim", b"x"],
        [date(2024, 1, 1)],
        [True],
        [Decimal(1)],
        [["geheim"]],
        [1.5],
    ],
    ids=str,
)
def test_objects_are_texts_or_an_error(values: list[Any]) -> None:
    frame = pd.DataFrame({"o": pd.Series(values, dtype=object), "n": 1})
    for where in ("o = 'x'", "o is null"):
        with pytest.raises(BadData) as caught:
            count_matching(frame, where)
        assert str(caught.value).startswith(
            "a frame: column 'o' holds Python objects that are not all texts; give it a type: Int64, date32[pyarrow], "
            "boolean or str by astype, or a date by pd.to_datetime; or leave it out"
        )
        assert "geheim" not in str(caught.value)
        assert caught.value.__context__ is None
    with pytest.raises(PredicateRefused):
        count_matching(frame, "o = 5")
    assert _counted(frame, "n = 1") == (len(values), len(values))


def test_texts_among_objects_may_be_missing_in_any_way() -> None:
    values = ["a", None, math.nan, pd.NA, pd.NaT, np.str_("b")]
    frame = pd.DataFrame({"o": pd.Series(values, dtype=object)})
    assert _counted(frame, "o is null") == (6, 4)
    assert _counted(frame, "o >= 'b'") == (6, 1)
    for empty in (pd.Series([None, math.nan], dtype=object), pd.Series(pd.Categorical([None, None]), dtype="category")):
        assert _counted(pd.DataFrame({"o": empty}), "o is null") == (2, 2)


def test_labels_declare_nothing() -> None:
    """They are often found in the data: an error for what is no label would tell that."""
    for frame in (
        pd.DataFrame({"c": pd.Categorical(["a", "b"])}),
        pl.DataFrame({"c": ["a", "b"]}, schema={"c": pl.Enum(["a", "b"])}),
        duckdb.sql("SELECT 'a'::ENUM('a', 'b') AS c UNION ALL SELECT 'b'"),
    ):
        assert _counted(frame, "c = 'a'") == (2, 1)
        assert _counted(frame, "c = 'nowhere'") == (2, 0)


# --- what a frame looks like ------------------------------------------------------------------------------------------


def test_the_index_is_ignored() -> None:
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.Index(["x", "y"], name="person"))
    assert read_schema(frame).names == ("a",)
    with pytest.raises(NoSuchColumn):
        count_matching(frame, "person = 'x'")
    assert _counted(frame.reset_index(), "person = 'x'") == (2, 1)


def test_labels_that_are_no_texts_are_as_they_are_printed() -> None:
    assert _counted(pd.DataFrame({2024: [1, 2]}), '"2024" = 1') == (2, 1)
    assert _counted(pd.DataFrame({("a", 1): [1, 2]}), "\"('a', 1)\" = 1") == (2, 1)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pd.DataFrame([[1, 2]], columns=[1, "1"]),
        pd.DataFrame([[1, 2]], columns=["a", "A"]),
        pa.table([[1], [2]], names=["a", "a"]),
        pl.DataFrame({"straße": [1], "STRASSE": [2]}),
    ],
)
def test_names_that_cannot_be_told_apart(frame: Any) -> None:
    with pytest.raises(BadData, match=r"^a frame names column .* (twice|which differ only in case)$"):
        count_matching(frame, "TRUE")


def test_empty_frames() -> None:
    for frame in (pa.table({"a": pa.array([], pa.int64())}), pl.DataFrame({"a": []}, schema={"a": pl.Int64})):
        assert _counted(frame, "a > 1") == (0, 0)
        assert release_count(frame, "a > 1", 1).released == 0
    assert _counted(pd.DataFrame({"a": np.array([], dtype="int64")}), "a > 1") == (0, 0)
    for empty in (pd.DataFrame(index=range(3)), pl.DataFrame(), pa.table({})):
        with pytest.raises(BadData, match=r"^a frame has no columns$"):
            count_matching(empty, "TRUE")


def test_a_condition_without_columns() -> None:
    for make in _FRAMES.values():
        assert _counted(make(_MIXED), "TRUE") == (5, 5)


def test_options_for_files_are_refused() -> None:
    frame = pa.table({"a": [1]})
    for options, name in [
        (ReadOptions(format="csv"), "format"),
        (ReadOptions(table="t"), "table"),
        (ReadOptions(null="NA"), "null"),
        (ReadOptions(types={"a": "text"}), "types"),
    ]:
        with pytest.raises(InvalidParameter, match=f"^{name} must be left out for a frame"):
            count_matching(frame, "a = 1", options)


# --- read twice -------------------------------------------------------------------------------------------------------


class _Once:
    """Something that gives the rows of a stream, and does not look like one."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.stream.__arrow_c_stream__(requested_schema)


class _Capsule:
    def __init__(self, stream: Any) -> None:
        self.capsule = stream.__arrow_c_stream__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.capsule


class _Failing:
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        raise RuntimeError("geheim")


@pytest.mark.parametrize(
    "wrap", [lambda reader: reader, _Once, _Capsule, duckdb.from_arrow], ids=["reader", "once", "capsule", "relation"]
)
def test_a_stream_is_refused(wrap: Callable[[Any], Any]) -> None:
    """Otherwise the next count in it would find no rows, and say so without an error."""
    frame = wrap(pa.table({"a": [1, 2, 3]}).to_reader())
    with pytest.raises(InvalidParameter, match=r"^source must be a table: this gives its rows only once"):
        release_count(frame, "a > 1", 1)


def test_a_stream_that_is_known_is_not_used_up() -> None:
    reader = pa.table({"a": [1, 2, 3]}).to_reader()
    with pytest.raises(InvalidParameter):
        release_count(reader, "a > 1", 1)
    assert _counted(reader.read_all(), "a > 1") == (3, 2)


@pytest.mark.parametrize(
    "frame",
    [
        _Failing(),
        duckdb.sql("SELECT CAST(a AS INTEGER) AS a FROM (VALUES ('1'), ('geheim')) AS t(a)"),
    ],
    ids=lambda frame: type(frame).__name__,
)
def test_what_gives_no_table_says_no_value(frame: Any) -> None:
    with pytest.raises(BadData, match=r"^a frame cannot be read through Arrow; give a whole table, and cast") as caught:
        count_matching(frame, "a = 1")
    assert "geheim" not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    "source",
    [7, None, object(), [1], {"a": [1]}, b"people.csv"],
    ids=["number", "none", "object", "list", "dict", "bytes"],
)
def test_what_is_no_source(source: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"^source must be the path of a file, an address, or a frame"):
        count_matching(source, "a = 1")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (pl.Series("a", [1]), "give column.to_frame()"),
        (pd.Series([1], name="a"), "give column.to_frame()"),
        (pa.chunked_array([[1]]), "or pyarrow.table({'name': column})"),
        (pl.LazyFrame({"a": [1]}), "source.collect() makes one"),
        ({"a": [1]}, "pyarrow.table(source) makes one"),
        ([{"a": 1}], "pyarrow.Table.from_pylist(source) makes one"),
    ],
    ids=lambda given: type(given).__name__,
)
def test_what_a_frame_can_be_made_of(source: Any, told: str) -> None:
    with pytest.raises(InvalidParameter, match=r"^source must be ") as caught:
        count_matching(source, "a = 1")
    assert told in str(caught.value)


def test_a_relation_that_calls_a_column_as_the_interface() -> None:
    relation = duckdb.sql("SELECT 1 AS __arrow_c_stream__, 2 AS __next__")
    assert _counted(relation, "__next__ = 2") == (1, 1)


def test_a_text_that_is_not_utf_8_is_an_error_and_the_next_count_is_right() -> None:
    broken = pa.table({"s": pa.array([b"\xff\xfe"], pa.binary()).view(pa.string())})
    kept = KeptEngine()

    def counted(frame: Any) -> int:
        with OpenTable(frame, "lower(s) = 'a'", kept=kept) as table:
            return table.tally().matching

    with pytest.raises(BadData, match=r"^a frame: the rows could not be read to the end"):
        counted(broken)
    assert counted(pa.table({"s": ["A"]})) == 1
    kept.close()


def test_one_count_sees_one_state() -> None:
    """The rows that are counted, and those that are judged, are of the table that was there first."""
    relation = duckdb.connect()
    relation.execute("CREATE TABLE t AS SELECT 1 AS a")
    with OpenTable(relation.table("t"), "a = 1") as table:
        assert table.count_rows() == 1
        relation.execute("INSERT INTO t VALUES (1)")
        assert (table.tally().rows, table.tally().matching) == (1, 1)
    assert _counted(relation.table("t"), "a = 1") == (2, 2)


def test_what_is_assigned_to_a_frame_meanwhile_is_not_seen() -> None:
    frame = pd.DataFrame({"a": np.zeros(1000), "b": 1})
    with OpenTable(frame, "a = 0") as table:
        assert table.count_rows() == 1000
        frame["a"] = 1.0
        frame.loc[:, "a"] = 2.0
        frame.pop("a")
        assert table.tally().matching == 1000
    with pytest.raises(NoSuchColumn):
        count_matching(frame, "a = 0")


def test_more_digits_than_a_decimal_has() -> None:
    """DuckDB gives its largest integers as decimals of 38 digits, and those without a sign below zero."""
    with pytest.raises(BadData, match=r"^a frame: column 'h' cannot be read \(ArrowInvalid\)$"):
        count_matching(duckdb.sql(f"SELECT {2**127 - 1}::HUGEINT AS h"), "h > 0")
    assert _counted(duckdb.sql("SELECT sum(i) AS h FROM range(5) AS t(i)"), "h = 10") == (1, 1)
    relation = duckdb.sql(f"SELECT {2**128 - 1}::UHUGEINT AS h, 1 AS i")
    with pytest.raises(PredicateRefused, match=r"^column 'h' of a frame has the type UHUGEINT, which no predicate"):
        count_matching(relation, "h > 0")
    assert _counted(relation, "i = 1") == (1, 1)


def test_nothing_is_copied_or_kept() -> None:
    numbers = np.arange(2_000_000)
    frame, table = pd.DataFrame({"a": numbers}), pa.table({"a": numbers})
    gc.collect()
    before = pa.total_allocated_bytes()
    for source in (frame, table, pl.DataFrame({"a": numbers})):
        with OpenTable(source, "a >= 1000000") as opened:
            assert opened.count_rows() == 2_000_000
            assert pa.total_allocated_bytes() - before < numbers.nbytes / 8
            assert opened.tally().matching == 1_000_000
    gc.collect()
    assert pa.total_allocated_bytes() - before < numbers.nbytes / 8


# --- releases ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", _FRAMES)
def test_releases(name: str) -> None:
    frame = _FRAMES[name](_MIXED)
    receipt = release_count(frame, "x > 0", 1000)
    assert (receipt.released, receipt.maximum, receipt.source) == (2, 5, "a frame")
    assert type(receipt).from_json(receipt.to_json()) == receipt
    assert "rows of a frame where x > 0" in str(receipt)
    assert release_count(frame, "x > 0", 1000, source_name="visits").source == "visits"
    table = release_table(frame, "s", ["a", "é", None], 1000, max_count=5)
    assert list(table.released) == [1, 1, 1, 2]
    assert release_count(frame, "TRUE", 1000, unit="s", without_unit="one-unit").maximum == 5


@pytest.mark.parametrize("name", ["pandas", "polars", "duckdb"])
def test_a_release_is_shown_before(name: str) -> None:
    frame = _FRAMES[name](_MIXED)
    shown = preview(CountQuestion.of(Subject.of(frame, source_name="visits"), "x > 0", EpsilonDelta.of(1)))
    assert "Question    rows of visits where x > 0\nCharge      epsilon 1, delta 0\nRange       0 to 5" in shown
    with pytest.raises(NoSuchColumn):
        preview(CountQuestion.of(Subject.of(frame), "y > 0", EpsilonDelta.of(1)))


def test_a_schema_is_read_and_checked(tmp_path: Path) -> None:
    frame = _pandas(_MIXED)
    schema = read_schema(frame)
    assert schema.format == "frame"
    assert schema.shown() == {"i": "integer", "s": "text", "b": "boolean", "d": "date", "x": "number"}
    check_source(_pandas([]), schema)
    with pytest.raises(BadData, match=r"^a frame: column 'x' is integer, and was listed as number$"):
        check_source(frame.assign(x=1), schema)
    frame.to_parquet(tmp_path / "people.parquet", index=False)
    with pytest.raises(BadData, match="of another format than was listed"):
        check_source(tmp_path / "people.parquet", schema)


def test_a_type_that_arrow_does_not_have_is_that_of_its_column_alone() -> None:
    frame = pl.DataFrame({"a": [1, 2, None], "s": ["x", None, "y"]}).with_columns(b=pl.col("a").cast(pl.Int128))
    assert _counted(frame, "a > 1") == (3, 1)
    assert _counted(frame.select("b", "s"), "s = 'x'") == (3, 1)
    assert read_schema(frame).shown() == {"a": "integer", "s": "text", "b": "unusable"}
    with pytest.raises(PredicateRefused, match="column 'b' of a frame has the type Int128, which no predicate can use"):
        _counted(frame, "b > 1")
    assert _counted(frame.select("b"), "TRUE") == (3, 3)


@pytest.mark.slow
def test_pandas_is_not_imported() -> None:
    program = (
        "import sys, polars; from hushcount.counting import count_matching; "
        "print(count_matching(polars.DataFrame({'a': [1, 2]}), 'a > 1').matching, 'pandas' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert run.stdout == "1 False\n"


def test_a_year_of_a_moment() -> None:
    frame = pd.DataFrame({"t": pd.to_datetime(["2024-05-01 12:00", None]).tz_localize("Europe/Oslo")})
    assert _counted(frame, "t = TIMESTAMP '2024-05-01 10:00:00'") == (2, 1)
    assert _counted(pl.DataFrame({"t": [datetime(2024, 5, 1)]}), "extract(month FROM t) = 5") == (1, 1)
