"""Arrow files and streams: the types are those of the columns, and no value makes reading fail."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, ipc

from hushcount.counting import OpenTable, ReadOptions, count_matching, read_schema
from hushcount.errors import BadData, InvalidParameter, PredicateRefused


def _file(table: pa.Table, path: Path, make: Callable[..., Any] = ipc.new_file) -> Path:
    with make(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return path


_TEXTS = pa.array(["b", None, "a"])
_COLUMNS = {
    "i8": (pa.array([1, None, -3], pa.int8()), "i8 < 0", 1),
    "u64": (pa.array([2**64 - 1, None, 1], pa.uint64()), "u64 = 18446744073709551615", 1),
    "half": (pa.array(np.array([1.5, np.nan, 2.1], dtype=np.float16)), "half = 2.1 or half is null", 2),
    "single": (pa.array([2.1, None, 3.0], pa.float32()), "single = 2.1", 1),
    "double": (pa.array([2.1, float("nan"), None]), "double is null", 2),
    "decimal": (pa.array([Decimal("1.10"), None, Decimal("2.20")], pa.decimal128(38, 2)), "decimal = 1.1", 1),
    "small": (pa.array([Decimal("1.10"), None, Decimal("2.20")], pa.decimal32(5, 2)), "small = 1.1", 1),
    "truth": (pa.array([True, None, False]), "truth", 1),
    "text": (_TEXTS, "text < 'b'", 1),
    "large": (_TEXTS.cast(pa.large_string()), "large < 'b'", 1),
    "view": (_TEXTS.cast(pa.string_view()), "view < 'b'", 1),
    "coded": (_TEXTS.dictionary_encode(), "coded < 'b'", 1),
    "day": (pa.array([date(2024, 1, 2), None, date(1899, 1, 1)]), "day < DATE '2024-01-01'", 1),
    "day64": (pa.array([date(2024, 1, 2), None, date(1899, 1, 1)], pa.date64()), "day64 < DATE '2024-01-01'", 1),
    "us": (pa.array([2**62, None, -(2**62)], pa.timestamp("us")), "us > TIMESTAMP '2024-01-01 00:00:00'", 1),
    "s": (pa.array([2**62, None, -(2**62)], pa.timestamp("s")), "s > TIMESTAMP '2024-01-01 00:00:00'", 1),
    "ns": (pa.array([2**63 - 1, None, -1], pa.timestamp("ns")), "extract(year from ns) in (2262, 1969)", 2),
    "zoned": (
        pa.array([datetime(2024, 1, 1, tzinfo=UTC), None, None], pa.timestamp("ms", "Europe/Zurich")),
        "zoned = TIMESTAMP '2024-01-01 00:00:00'",
        1,
    ),
    "none": (pa.nulls(3), "none is null", 3),
}
_REFUSED = {
    "bytes": pa.array([b"a", None, b"b"]),
    "list": pa.array([[1], None, []]),
    "record": pa.array([{"a": 1}, None, {"a": 2}]),
    "time": pa.array([1, None, 2], pa.time64("us")),
    "wide": pa.array([1, None, 2], pa.decimal256(40, 0)),
    "span": pa.array([1, None, 2], pa.duration("s")),
}


@pytest.fixture(scope="module", params=["file", "stream", "packed"])
def everything(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    table = pa.table({**{name: column for name, (column, _, _) in _COLUMNS.items()}, **_REFUSED})
    path = tmp_path_factory.mktemp("arrow") / "t"
    if request.param == "packed":
        feather.write_feather(table, str(path), compression="zstd")
        return path
    return _file(table, path, ipc.new_file if request.param == "file" else ipc.new_stream)


@pytest.mark.parametrize("name", _COLUMNS)
def test_types_are_as_declared(everything: Path, name: str) -> None:
    _, where, matching = _COLUMNS[name]
    tally = count_matching(everything, where)
    assert (tally.rows, tally.matching) == (3, matching)


@pytest.mark.parametrize("name", _REFUSED)
def test_other_types_are_refused(everything: Path, name: str) -> None:
    with pytest.raises(PredicateRefused, match=f"column '{name}' .* has the type .*, which no predicate can use"):
        count_matching(everything, f"{name} is null")


def test_a_schema_is_read_of_any_file(everything: Path) -> None:
    schema = read_schema(everything)
    assert {name for name, word in schema.shown().items() if word == "unusable"} == set(_REFUSED)
    with OpenTable(everything, "i8 = 1", schema=schema) as table:
        table.check_fits()
        assert (table.count_rows(), table.tally().matching) == (3, 1)


def test_a_file_without_rows(tmp_path: Path) -> None:
    path = _file(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "t")
    assert count_matching(path, "a = 1").rows == 0
    with pytest.raises(BadData, match="holds no column"):
        count_matching(_file(pa.table({}), tmp_path / "u"), "a = 1")
    with pytest.raises(BadData, match="differ only in case"):
        count_matching(_file(pa.table({"a": [1], "A": [2]}), tmp_path / "v"), "a = 1")


def test_damaged_files(tmp_path: Path) -> None:
    path = _file(pa.table({"a": ["x" * 100] * 100}), tmp_path / "t")
    content = path.read_bytes()
    for cut in (8, 50, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:cut])
        with pytest.raises(BadData, match="cannot be read as an Arrow file"):
            count_matching(path, "a = 'x'")
    broken = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")])
    with pytest.raises(BadData, match="cannot be read as an Arrow file"):
        count_matching(_file(pa.table({"a": broken}), path), "a = 'x'")


@pytest.mark.parametrize("make", [ipc.new_file, ipc.new_stream])
def test_names_that_are_no_text(tmp_path: Path, make: Callable[..., Any]) -> None:
    """Arrow writes and reads them as they are."""
    table = pa.Table.from_arrays([pa.array([1])] * 2, schema=pa.schema([("x", pa.int64()), (b"\xff", pa.int64())]))
    with pytest.raises(BadData, match="cannot be read as an Arrow file"):
        count_matching(_file(table, tmp_path / "t", make), "x = 1")
    with pytest.raises(BadData, match="a frame cannot be read through Arrow"):
        count_matching(table, "x = 1")


def test_moments_beyond_microseconds_are_infinitely_far_away(tmp_path: Path) -> None:
    path = _file(pa.table({"a": pa.array([2**62, -(2**62)], pa.timestamp("s", "UTC"))}), tmp_path / "t")
    assert count_matching(path, "a > TIMESTAMP '2024-01-01 00:00:00'").matching == 1


def test_it_has_no_options(everything: Path) -> None:
    with pytest.raises(InvalidParameter, match="types must be left out for an Arrow file"):
        count_matching(everything, "i8 = 1", ReadOptions(types={"i8": "integer"}))
    assert count_matching(everything, "i8 = 1", ReadOptions(format="arrow")).matching == 1
