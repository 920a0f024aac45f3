"""CSV files that do not parse under what was declared: one clear line that names the line, and no cell."""

from __future__ import annotations

import gzip
import traceback

import pytest

from hushcount.counting import ReadOptions, count_matching
from hushcount.errors import BadData, InvalidParameter

from .conftest import Count, Write

_FAULTS = [
    ("a,b\n1,2\n3\n", {}, "line 3 has 1 field, and 2 fields are expected by the header"),
    ("a,b\n1,2\n\n3,4,5\n", {}, "line 3 is blank, and rows follow it"),
    ("a,b\n1,2\n3,4,secret\n", {}, "line 3 has 3 fields"),
    ('a,b\n"1\n1",2\n3,secret,5\n', {}, "line 4 has 3 fields"),
    ("1,2\n3,4,secret\n", {"header": False}, "line 2 has 3 fields, and 2 fields are expected by line 1"),
    ("a,b\n1,2\n\n3,4\n", {}, "line 3 is blank, and rows follow it"),
    ('a,b\n1,"se"cret\n', {}, "line 2 has text after a closing quote"),
    ('a,b\n1,2\n3,"secret\n4,5\n', {}, "a quote opened in the record that starts on line 3 is never closed"),
    (b"a,b\n1,2\n3,Jos\xe9\n", {}, "line 3 is not valid utf-8; declare the encoding"),
    (b"a\n" + b"x\n" * 9000 + b"\xff\n", {}, "line 9002 is not valid utf-8"),
    ("a,b\n1,2\n".encode("utf-16"), {}, "line 1 is not valid utf-8; the file starts like UTF-16"),
    ("a,b\n1,2\n".encode("utf-16-le"), {}, "line 1 holds a NUL character; is the file UTF-16?"),
    (b"a,b\n1,2\n3,\0\n", {}, "line 3 holds a NUL character"),
    (b"\xff\xfea\0\n\0\x00", {"encoding": "utf-16"}, "line 2 is not valid utf-16"),
    ("a,b\n1,2\n", {"encoding": "utf-16"}, "is not valid utf-16"),
    ("a,b\n1,\x81\n".encode("latin-1"), {"encoding": "cp1252"}, "line 2 is not valid cp1252"),
    (gzip.compress(b"a,b\n1,2\n" * 1000, mtime=0)[:-20], {}, "gzip data is damaged or cut off"),
    (gzip.compress(b"a,b\n1,2\n", mtime=0)[:-8] + b"12345678", {}, "gzip data is damaged or cut off"),
    ("", {}, "is empty"),
    ("\ufeff", {}, "is empty"),
    ("", {"header": False}, "is empty"),
    ("Age,age\n1,2\n", {}, "'age' and 'Age', which differ only in case"),
    ("age,x,age\n1,2,3\n", {}, "'age' twice"),
    ("age,,x\n1,2,3\n", {}, "no name for column 2"),
    ("\n1\n", {}, "no name for column 1"),
    ("a\n" + '"' + "x" * 200_000 + '"\n', {}, "line 2 starts a field of more than 131072 characters"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("content", "options", "message"), _FAULTS)
def test_a_fault_names_the_line(count: Count, content: str | bytes, options: dict[str, object], message: str) -> None:
    with pytest.raises(BadData) as caught:
        count(content, "c0 = 1" if "header" in options else "a = 1", **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "secret" not in "".join(traceback.format_exception(caught.value)).replace("secret = ", "")


def test_latin_1_without_being_told_is_refused_even_far_down(count: Count) -> None:
    with pytest.raises(BadData, match=r"line 50002 is not valid utf-8; declare the encoding"):
        count(b"a\n" + b"x\n" * 50_000 + "é\n".encode("latin-1"), "a = 'x'")


@pytest.mark.parametrize(
    ("kind", "column", "line"),
    [
        ("integer", ["1", "2", "007"], 4),
        ("integer", ["1", "2", "3.5", "4"], 4),
        ("number", ["1", "x"], 3),
        ("boolean", ["true", "1"], 3),
        ("date", ["2024-01-31", "2024-02-30"], 3),
        ("timestamp", ["2024-01-31 25:00", "2024-01-31 05:00"], 2),
        ("timestamp", ["2024-01-31 05:00Z", "2024-01-31 05:00"], 3),
    ],
)
def test_a_pinned_type_that_does_not_fit_names_the_line(count: Count, kind: str, column: list[str], line: int) -> None:
    with pytest.raises(BadData) as caught:
        count("a,b\n" + "".join(f"{cell},\n" for cell in column), "a is null", types={"a": kind})
    article = "an" if kind == "integer" else "a"
    assert f"line {line} does not hold {article} {kind} in column 'a'" in str(caught.value)
    assert all(cell not in str(caught.value) for cell in column if len(cell) > 1)


def test_a_pinned_column_must_exist(count: Count) -> None:
    with pytest.raises(InvalidParameter, match=r"did you mean 'zip'\?"):
        count("zip,b\n1,2\n", "b = 1", types={"zipp": "text"})


def test_what_cannot_be_a_source(write: Write) -> None:
    path = write("a\n1\n")
    for source, message in [
        (path.parent / "nosuch.csv", "does not exist"),
        (path.parent, "is a directory"),
        ("https://example.org/people.csv", "only local files"),
        ("s3://bucket/people.parquet", "only local files"),
        ("/dev/null", "not a regular file"),
        ("a\0b", "cannot be opened"),
        ("", "does not exist"),
    ]:
        with pytest.raises(BadData, match=message):
            count_matching(source, "a = 1")


def test_a_declared_format_must_be_true(write: Write) -> None:
    path = write("a\n1\n")
    for format, name in [("parquet", "Parquet"), ("duckdb", "DuckDB"), ("sqlite", "SQLite")]:
        with pytest.raises(BadData, match=f"is not a {name} file"):
            count_matching(path, "a = 1", ReadOptions(format=format))
    with pytest.raises(BadData, match="is a Parquet file, not a CSV"):
        count_matching(write(b"PAR1xxxx", "p"), "a = 1", ReadOptions(format="csv"))
    with pytest.raises(BadData, match="zip archive"):
        count_matching(write(b"PK\x03\x04xxxx", "p.xlsx"), "a = 1")


def test_a_csv_has_no_tables(count: Count) -> None:
    with pytest.raises(InvalidParameter, match="table must be left out"):
        count("a\n1\n", "a = 1", table="t")
