"""Declared cells: in a line, one by one, in files; and what is refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from hashlib import sha256

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushcount.counting import OpenTable, ReadOptions
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.key_files import LARGEST_TOTAL, is_key_file, read_keys, read_totals
from hushcount.counting.cells.key_types import spelled_kind
from hushcount.counting.cells.keys import Keys, column_list
from hushcount.counting.meaning.types import Kind
from hushcount.errors import BadData, InvalidParameter


def rows(keys):
    return [keys.row(cell) for cell in range(len(keys))]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a", ["a"]),
        ("a,b", ["a", "b"]),
        ("a, b,  c", ["a", "b", "c"]),
        ('"a,b", "c ""d""", e f', ["a,b", 'c "d"', "e f"]),
        ("süd,1.5,-3", ["süd", "1.5", "-3"]),
        ('" a",b ', [" a", "b "]),
    ],
)
def test_in_a_line(line, expected):
    keys = Keys.listed(["k"], line)
    assert rows(keys) == [(text,) for text in expected]
    assert keys.kinds == (None,)


@pytest.mark.parametrize(
    ("line", "null", "expected"),
    [
        ("a,nan", "", ["a", None]),
        ('a,"nan"', "", ["a", "nan"]),
        ("a, NA", "NA", ["a", None]),
        ('"NA",NA,NA ', "NA", ["NA", None, "NA "]),
        ('"NA, NA",  NA,"a ""NA"""', "NA", ["NA, NA", None, 'a "NA"']),
        ('a"NA,NA', "NA", ['a"NA', None]),
        ("NA,NAN", "NA", [None, None]),
        ("NA", "", ["NA"]),
        ("NA", "NA", [None]),
    ],
)
def test_a_missing_key_in_a_line(line, null, expected):
    if expected == [None, None]:
        with pytest.raises(InvalidParameter, match=r"declared twice \(got '\(missing\)'"):
            Keys.listed(["k"], line, null)
    else:
        assert rows(Keys.listed(["k"], line, null)) == [(text,) for text in expected]


@pytest.mark.parametrize("line", ["", ",", "a,,b", "a,", 'a,"b', 'a,"b"c', "a\nb"])
def test_no_list_of_keys(line):
    with pytest.raises(InvalidParameter, match=r"^keys must be"):
        Keys.listed(["k"], line)


def test_bytes_of_a_command_line_that_are_no_text():
    with pytest.raises(InvalidParameter, match=r"^keys must be texts that UTF-8 can encode"):
        Keys.listed(["k"], "a,\udcff")


def test_several_columns_take_a_file():
    with pytest.raises(InvalidParameter, match=r"^keys must be a file \(.csv or .parquet\) for several columns, a, b"):
        Keys.listed(["a", "b"], "1,2")


@pytest.mark.parametrize(
    ("values", "kind", "spelled"),
    [
        ([1, 2**80, np.int8(-3)], Kind.INTEGER, ["1", str(2**80), "-3"]),
        (["a", ""], Kind.TEXT, ["a", ""]),
        (["NA", None, "", "nan"], Kind.TEXT, ["NA", None, "", "nan"]),
        ([None, 3], Kind.INTEGER, [None, "3"]),
        ([Decimal(1), None, 2], Kind.DECIMAL, ["1", None, "2"]),
        ([None], None, [None]),
        ([True, False], Kind.BOOLEAN, ["true", "false"]),
        ([date(2020, 1, 2)], Kind.DATE, ["2020-01-02"]),
        ([Decimal("1.50"), 2], Kind.DECIMAL, ["1.50", "2"]),
        ([Decimal("1E+2")], Kind.DECIMAL, ["100"]),
        ([("a",)], Kind.TEXT, ["a"]),
        (iter(range(2)), Kind.INTEGER, ["0", "1"]),
    ],
)
def test_one_by_one(values, kind, spelled):
    keys = Keys.of(["k"], values)
    assert (keys.kinds, rows(keys)) == ((kind,), [(text,) for text in spelled])


@pytest.mark.parametrize(
    ("by", "values", "message"),
    [
        (["k"], None, "keys must be given: which groups there are in the data is private"),
        (["k"], "abc", "keys must be given"),
        (["k"], [], "keys must be at least one key"),
        (["k"], [1.5], "keys must be ints, texts"),
        (["k"], [1, "a"], "keys must be ints, texts"),
        (["k"], [True, 1], "keys must be ints, texts"),
        (["k"], [float("nan")], "keys must be ints, texts, .* of one type; a missing value is None"),
        (["k"], [1, None, 1], "keys must be different from each other: this one is declared twice"),
        (["k"], [None, None], r"keys must be different from each other: this one is declared twice \(got '\(missing"),
        (["k"], [datetime(2020, 1, 1)], "keys must be ints, texts"),
        (["k"], [Decimal("NaN")], "keys must be ints, texts"),
        (["k"], ["\ud800"], "keys must be texts that UTF-8 can encode"),
        (["k"], [10**38], "keys must be numbers of at most 38 digits"),
        (["k"], [1, -(10**5000)], "keys must be numbers of at most 38 digits"),
        (["k"], [Decimal("1E+999999999")], "keys must be numbers of at most 38 digits"),
        (["k"], [Decimal("1E-999999999")], "keys must be numbers of at most 38 digits"),
        (["k"], [5, 5], "keys must be different from each other: this one is declared twice"),
        (["a", "b"], [(1, 2), (1, 2)], "keys must be different from each other"),
        (["a", "b"], [1, 2], "keys must be tuples of 2 values, for a, b"),
        (["a", "b"], [(1, 2), (1,)], "keys must be tuples of 2 values"),
    ],
)
def test_no_keys(by, values, message):
    with pytest.raises(InvalidParameter, match=f"^{message}"):
        Keys.of(by, values)


@pytest.mark.parametrize("by", [[], "", ["a", "a"], [1], None, 5, ["a", ""]])
def test_no_key_columns(by):
    with pytest.raises(InvalidParameter, match=r"^by must be"):
        column_list(by)
    assert column_list("a,b") == ("a,b",)


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "-2", "+3", "0"], Kind.INTEGER),
        (["1", "01"], Kind.TEXT),
        (["1", "1.5"], Kind.TEXT),
        (["true", "FALSE"], Kind.BOOLEAN),
        (["2020-02-29"], Kind.DATE),
        (["2021-02-29"], Kind.TEXT),
        (["1" * 38], Kind.INTEGER),
        (["1" * 39], Kind.TEXT),
        (["1\n"], Kind.TEXT),
    ],
)
def test_what_a_spelling_means(texts, kind):
    assert spelled_kind(pa.array(texts)) is kind


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    def write(content, name="keys.csv"):
        path = tmp_path / name
        if isinstance(content, pa.Table):
            pq.write_table(content, path)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("k\na\nb\n", ["a", "b"]),
        ("k\r\na\r\n b\r\n", ["a", " b"]),
        ("\ufeffk\na", ["a"]),
        ('k\n""\n"nan"\nNULL\n', ["", "nan", "NULL"]),
        ('k\n""\nnan\nNULL\n', ["", None, "NULL"]),
        ("k\na\n\nb\n", ["a", None, "b"]),
        ('"k"\n"a,b"\n"c\nd"\n', ["a,b", "c\nd"]),
        ("k\n1\n01\n", ["1", "01"]),
    ],
)
def test_a_csv_file(file, content, expected):
    keys = read_keys(file(content), ["k"])
    assert (rows(keys), keys.kinds) == ([(text,) for text in expected], (None,))


def test_columns_in_any_order(file):
    keys = read_keys(file("b,a\n1,x\n2,y\n"), ["a", "b"])
    assert rows(keys) == [("x", "1"), ("y", "2")]


def test_decimals_of_a_parquet_file_are_in_plain_digits(file):
    small = [Decimal("0.000000001"), Decimal(0), None, Decimal("-0.5")]
    keys = read_keys(file(pa.table({"k": pa.array(small, pa.decimal128(9, 9))}), "keys.parquet"), ["k"])
    assert keys.texts[0].to_pylist() == ["0.000000001", "0.000000000", None, "-0.500000000"]
    assert keys.natives({})["k"].to_pylist() == small


def test_a_parquet_file(file):
    table = pa.table(
        {
            "t": pa.array(["a", "b"]).dictionary_encode(),
            "n": pa.array([1, 2], pa.uint8()),
            "d": pa.array([date(2020, 1, 2)] * 2),
            "x": pa.array([Decimal("1.50"), Decimal("2.00")]),
            "b": pa.array([True, False]),
        }
    )
    keys = read_keys(file(table, "keys.parquet"), list("tndxb"))
    assert rows(keys) == [("a", "1", "2020-01-02", "1.50", "true"), ("b", "2", "2020-01-02", "2.00", "false")]
    assert keys.kinds == (Kind.TEXT, Kind.INTEGER, Kind.DATE, Kind.DECIMAL, Kind.BOOLEAN)


def test_missing_keys_in_files(file):
    """They follow the rule of the data: what is declared as missing, or nan, without quotes."""
    content = 'i,s\nTorgersen,NA\nTorgersen,"NA"\nTorgersen,\n"",nan\n'
    expected = [("Torgersen", None), ("Torgersen", "NA"), ("Torgersen", ""), ("", None)]
    assert rows(read_keys(file(content), ["i", "s"], "NA")) == expected
    expected = [("Torgersen", "NA"), ("Torgersen", None), ("", "NA")]
    assert rows(read_keys(file('i,s\nTorgersen,NA\nTorgersen,\n"","NA"\n'), ["i", "s"])) == expected
    table = pa.table({"i": pa.array([None, "NA", ""]), "s": pa.array([1, None, None], pa.int16())})
    keys = read_keys(file(table, "keys.parquet"), ["i", "s"], "NA")
    assert (rows(keys), keys.kinds) == ([(None, "1"), ("NA", None), ("", None)], (Kind.TEXT, Kind.INTEGER))
    keys = read_keys(file(pa.table({"i": ["a"], "s": pa.nulls(1)}), "keys.parquet"), ["i", "s"])
    assert (rows(keys), keys.kinds) == ([("a", None)], (Kind.TEXT, None))
    with pytest.raises(InvalidParameter, match=r"declared twice \(got 'a, \(missing\)'\)"):
        read_keys(file("i,s\na,\na,nan\n"), ["i", "s"])
    declared, totals = read_totals(file('i,total\n"",5\n,6\n'), ["i"])
    assert (rows(declared), totals.tolist()) == ([("",), (None,)], [5, 6])
    assert read_totals(file('i,total\n,6\n"",5\n'), ["i"], declared)[1].tolist() == [5, 6]
    with pytest.raises(BadData, match="its keys are not the keys that are declared"):
        read_totals(file('i,total\n,6\n" ",5\n'), ["i"], declared)
    with pytest.raises(BadData, match="column 'total' lacks a value"):
        read_totals(file("i,total\na,0\nb,1\n"), ["i"], null="0")


def test_the_hash_and_what_is_shown_tell_a_missing_key_and_a_text_apart():
    missing, empty = Keys.of(["k"], [None, "a"]), Keys.of(["k"], ["", "a"])
    assert missing.sha256 == sha256(b'"k"\n\n"a"\n').hexdigest()
    assert empty.sha256 == sha256(b'"k"\n""\n"a"\n').hexdigest()
    keys = Keys.of(["k"], [None, "", "(missing)", "(other)", '"(missing)"', "a"])
    shown = [keys.shown(cell)[0] for cell in range(6)]
    assert shown == ["(missing)", '""', '"(missing)"', '"(other)"', '"""(missing)"""', "a"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "cannot be read as CSV"),
        ("j\na\n", "its columns must be 'k', each once"),
        ("k,j\na,b\n", "its columns must be 'k', each once"),
        ("k,k\na,b\n", "its columns must be 'k', each once"),
        ("k\na,b\n", "cannot be read as CSV in UTF-8"),
        (b"k\n\xff\n", "is not in UTF-8: save it in that encoding"),
        ('k\n"a\nb\n', "cannot be read as CSV in UTF-8"),
        ('k\n"a"b\n', "cannot be read as CSV in UTF-8"),
        ("k\na\0\n", "cannot be read as CSV in UTF-8"),
    ],
)
def test_no_csv_file_of_keys(file, content, message):
    with pytest.raises(BadData, match=message):
        read_keys(file(content), ["k"])


def test_files_that_are_refused(file, tmp_path):
    with pytest.raises(InvalidParameter, match=r"^keys must be at least one key"):
        read_keys(file("k\n"), ["k"])
    with pytest.raises(InvalidParameter, match=r"^keys must be different"):
        read_keys(file("k\na\na\n"), ["k"])
    with pytest.raises(InvalidParameter, match=r"^keys must be a file whose name ends in .csv or .parquet"):
        read_keys(file("k\na\n", "keys.txt"), ["k"])
    with pytest.raises(BadData, match="does not exist"):
        read_keys(tmp_path / "none.csv", ["k"])
    with pytest.raises(BadData, match="is not a Parquet file, or a damaged one"):
        read_keys(file("k\na\n", "keys.parquet"), ["k"])
    with pytest.raises(BadData, match="column 'k' holds double, and keys are"):
        read_keys(file(pa.table({"k": [1.5]}), "keys.parquet"), ["k"])


def test_totals(file):
    keys, totals = read_totals(file("total,k\n5,a\n07,b\n"), ["k"])
    assert (rows(keys), totals.tolist()) == ([("a",), ("b",)], [5, 7])
    declared = Keys.listed(["k"], "b,a")
    again, totals = read_totals(file("total,k\n5,a\n7,b\n"), ["k"], declared)
    assert (again, totals.tolist()) == (declared, [7, 5])
    table = pa.table({"k": ["a"], "total": [LARGEST_TOTAL]})
    assert read_totals(file(table, "totals.parquet"), ["k"])[1].tolist() == [LARGEST_TOTAL]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("k,total\na,-1\n", "column 'total' holds something that is not a whole number >= 0"),
        ("k,total\na,1.5\n", "not a whole number"),
        ("k,total\na,\n", "column 'total' lacks a value"),
        (f"k,total\na,{2**62}\n", r"2\*\*62 or more"),
        ("k\na\n", "its columns must be 'k', 'total'"),
    ],
)
def test_no_totals(file, content, message):
    with pytest.raises(BadData, match=message):
        read_totals(file(content), ["k"])


@pytest.mark.parametrize("content", ["k,total\na,1\n", "k,total\na,1\nb,2\nc,3\n", "k,total\na,1\nx,2\n"])
def test_totals_of_other_keys(file, content):
    with pytest.raises(BadData, match="its keys are not the keys that are declared"):
        read_totals(file(content), ["k"], Keys.listed(["k"], "a,b"))


def test_a_key_column_called_total(file):
    with pytest.raises(InvalidParameter, match=r"^by must be other columns where totals are given"):
        read_totals(file("total\n1\n"), ["total"])


def test_what_is_a_file():
    assert is_key_file("x/keys.CSV")
    assert is_key_file("keys.parquet")
    assert not is_key_file("a,b")
    assert not is_key_file("keys.txt")


@pytest.mark.parametrize("delimiter", [";", "\t", "|", " "])
def test_a_declared_delimiter(file, delimiter):
    """It is neither guessed nor mixed with another: a comma is then part of a key."""
    content = f'b{delimiter}a\n1,5{delimiter}x\n{delimiter}"y{delimiter}"\n'
    expected = [("x", "1,5"), (f"y{delimiter}", None)]
    assert rows(read_keys(file(content), ["a", "b"], delimiter=delimiter)) == expected
    totals = file(f"total{delimiter}k\n5{delimiter}a,b\n")
    declared, known = read_totals(totals, ["k"], delimiter=delimiter)
    assert (rows(declared), known.tolist()) == ([("a,b",)], [5])
    with pytest.raises(BadData):
        read_totals(totals, ["k"])
    with pytest.raises(BadData, match=r"\(it has 'k,j'\); if ',' separates the fields, declare it: keys_delimiter"):
        read_keys(file("k,j\na,1\n"), ["k"], delimiter=delimiter)
    assert rows(read_keys(file("k\na\n\n"), ["k"], delimiter=delimiter)) == [("a",), (None,)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\nb\n", r"its columns must be 'k', each once \(it has 'a'\); the first line is the header"),
        (
            "k;j\na;1\n",
            r"\(it has 'k;j'\); if ';' separates the fields, declare it: keys_delimiter \(--keys-delimiter\)$",
        ),
        ("k;j\na;1,5\n", r"no character NUL; if ';' separates the fields, declare it: keys_delimiter"),
        ('"k";"j"\n"a";"1"\n', r"no character NUL; if ';' separates the fields, declare it: keys_delimiter"),
        ("k,j\na;b\n", r"no character NUL$"),
        ("k\tj\na\t1\n", r"\(it has 'k\\tj'\); if tab separates the fields, declare it: "),
        ("k,j\na,b\n", r"\(it has 'k', 'j'\)$"),
        (b"k\nM\xfcller\n", r"keys.csv is not in UTF-8: save it in that encoding$"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(file, content, message):
    with pytest.raises(BadData, match=message):
        read_keys(file(content), ["k"])


class Frame:
    columns = ("k",)


@pytest.mark.parametrize(
    ("by", "values", "message"),
    [
        (["k"], Frame(), r"keys must be a list, not a data frame: frame\['k'\]"),
        (["k", "j"], Frame(), r"keys must be a list, not a data frame: frame\[\['k', 'j'\]\].itertuples"),
        (["k"], [datetime(2020, 1, 1)], r"one type; of a datetime, take .date\(\)"),
    ],
)
def test_what_to_give_in_place_of_it(by, values, message):
    with pytest.raises(InvalidParameter, match=message):
        Keys.of(by, values)


def test_a_text_is_no_list_of_keys():
    with pytest.raises(InvalidParameter, match=r"or a list of keys such as \['a', 'b'\] \(got 'A,B'\)"):
        read_keys("A,B", ["k"])


@pytest.mark.parametrize(
    ("keys", "pinned", "expected"),
    [
        ("1,-2,+3", {}, pa.array([1, -2, 3])),
        ("1,01", {}, pa.array(["1", "01"])),
        ("1,02", {"k": "integer"}, pa.array([1, 2])),
        ("1,2", {"k": "text"}, pa.array(["1", "2"])),
        ("TRUE,false", {}, pa.array([True, False])),
        ("2020-02-29", {}, pa.array([date(2020, 2, 29)])),
        ("2021-02-29", {}, pa.array(["2021-02-29"])),
        (f"{2**63},1", {}, pa.array([Decimal(2**63), Decimal(1)], pa.decimal128(38, 0))),
        ([Decimal("1.50"), 2], {}, pa.array([Decimal("1.50"), Decimal("2.00")], pa.decimal128(38, 2))),
        (["1"], {}, pa.array(["1"])),
        ("1,nan,2", {}, pa.array([1, None, 2])),
        ("nan,1.50", {}, pa.array([None, "1.50"])),
        ("nan", {}, pa.array([None], pa.string())),
        ("nan", {"k": "integer"}, pa.array([None], pa.int64())),
        ([Decimal("1.5"), None], {}, pa.array([Decimal("1.5"), None], pa.decimal128(38, 1))),
        ("true,nan", {}, pa.array([True, None])),
        ("2020-02-29,nan", {}, pa.array([date(2020, 2, 29), None])),
    ],
)
def test_the_arrow_type_of_keys(keys, pinned, expected):
    declared = Keys.listed(["k"], keys) if isinstance(keys, str) else Keys.of(["k"], keys)
    assert declared.natives(pinned)["k"].equals(expected)


@pytest.mark.parametrize("types", [{}, {"d": "date"}])
def test_keys_in_the_declared_format_of_dates(tmp_path, types):
    options = ReadOptions(date_format="%d.%m.%Y", types=types)
    (tmp_path / "d.csv").write_text("d\n31.12.2020\n01.02.2021\n01.02.2021\n\n")
    for text, expected in (
        ("01.02.2021,31.12.2020", [2, 1, 1]),
        ("2021-02-01", [2, 2]),
        ("01.02.2021,nan", [2, 1, 1]),
    ):
        keys = replace(Keys.listed(["d"], text), date_format=options.date_format)
        with OpenTable(tmp_path / "d.csv", "TRUE", options, cells=Cells(keys)) as opened:
            assert opened.tally_cells().matching.tolist() == expected
        assert str(keys.natives(types)["d"].type) == "date32[day]"
    twice = replace(Keys.of(["d"], [date(2021, 2, 1)]), date_format=options.date_format)
    with OpenTable(tmp_path / "d.csv", "TRUE", options, cells=Cells(twice)) as opened:
        assert opened.tally_cells().matching.tolist() == [2, 2]


def test_a_text_is_no_date_in_a_column_of_texts(tmp_path):
    options = ReadOptions(date_format="%d.%m.%Y", types={"d": "text"})
    (tmp_path / "d.csv").write_text("d\n31.12.2020\n2020-12-31\n")
    keys = replace(Keys.listed(["d"], "31.12.2020"), date_format=options.date_format)
    with OpenTable(tmp_path / "d.csv", "TRUE", options, cells=Cells(keys)) as opened:
        assert opened.tally_cells().matching.tolist() == [1, 1]
    assert str(keys.natives(options.types)["d"].type) == "string"


def test_keys_that_are_all_iso_are_read_so_in_any_format(tmp_path):
    options = ReadOptions(date_format="%Y-%d-%m")
    (tmp_path / "d.csv").write_text("d\n2020-02-01\n")
    for text, expected in (("2020-02-01", [0, 1]), ("2020-01-02", [1, 0]), ("2020-02-01,2020-31-12", [1, 0, 0])):
        keys = replace(Keys.listed(["d"], text), date_format=options.date_format)
        with OpenTable(tmp_path / "d.csv", "TRUE", options, cells=Cells(keys)) as opened:
            assert opened.tally_cells().matching.tolist() == expected


def test_what_is_missing_in_a_frame_is_told_to_be_none():
    for value in (pd.NA, pd.NaT, float("nan")):
        with pytest.raises(InvalidParameter, match="; a missing value is None "):
            Keys.of(["k"], ["a", value])
    with pytest.raises(InvalidParameter, match=r"tuples of 2 values, for a, b \(got tuple of 1\)"):
        Keys.of(["a", "b"], [("x",)])
