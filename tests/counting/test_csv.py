"""CSV files that must be read right."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from hushcount.counting import ReadOptions, count_matching
from hushcount.errors import BadData, NoSuchColumn

from .conftest import Count, Write


def test_a_byte_order_mark_is_not_part_of_the_first_name(count: Count) -> None:
    assert count("\ufeffage\n70\n", "age = 70").matching == 1
    with pytest.raises(NoSuchColumn):
        count("\ufeffage\n70\n", '"\ufeffage" = 70')


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "utf-7"])
def test_a_declared_unicode_encoding(count: Count, encoding: str) -> None:
    content = ("\ufeff" if encoding[-2:] in ("le", "be") else "") + "größe,n\nfünf,5\nsechs,6\n"
    assert count(content.encode(encoding), "\"größe\" = 'fünf' and n = 5", encoding=encoding).matching == 1


def test_a_declared_latin_1(count: Count) -> None:
    assert count("name\nJosé\n".encode("latin-1"), "name = 'José'", encoding="latin-1").matching == 1


def test_another_delimiter_in_the_data_is_data(count: Count) -> None:
    tally = count("c0\nv0\na;b\n", "c0 = 'a;b'")
    assert (tally.rows, tally.matching) == (2, 1)


def test_types_are_inferred_from_the_whole_file(count: Count) -> None:
    rows = "".join(f"{code},1\n" for code in range(30_000))
    tally = count(f"code,qty\n{rows}007,2.6\n", "qty = 2.6")
    assert (tally.rows, tally.matching) == (30_001, 1)
    assert count(f"code,qty\n{rows}007,2.6\n", "code = '007'").matching == 1


def test_no_header(count: Count) -> None:
    tally = count("a\nb\nc\n", "c0 in ('a', 'c')", header=False)
    assert (tally.rows, tally.matching) == (3, 2)
    assert count("1,2\n3,4\n", "c1 > c0 + 0", header=False).matching == 2


def test_a_header_alone_is_a_table_of_no_rows(count: Count) -> None:
    for content in ("age,name\n", "age,name", "age,name\n\n\n"):
        tally = count(content, "age > 5 and name = 'x'")
        assert (tally.rows, tally.matching) == (0, 0)


def test_a_name_with_wildcards_is_one_file(write: Write) -> None:
    path = write("a\n1\n", "data[1].csv")
    write("a\n2\n3\n", "data1.csv")
    assert count_matching(path, "a = 1").rows == 1


def test_null_spellings(count: Count) -> None:
    content = 'k,s\n1,NA\n2,NULL\n3,\n4,""\n5,"NA"\n6,x\n'
    by_default = {"s is null": 1, "s = ''": 1, "s = 'NA'": 2, "s = 'NULL'": 1}
    declared = {"s is null": 1, "s = ''": 2, "s = 'NA'": 1, "s = 'NULL'": 1}
    assert {where: count(content, where).matching for where in by_default} == by_default
    assert {where: count(content, where, null="NA").matching for where in declared} == declared


def test_a_null_spelling_leaves_the_type_of_the_others(count: Count) -> None:
    content = "k,age\n1,70\n2,NA\n3,5\n"
    assert count(content, "age >= 65", null="NA").matching == 1
    assert count(content, "age is null", null="NA").matching == 1


def test_line_ends_of_all_kinds(count: Count) -> None:
    for end in ("\n", "\r\n", "\r"):
        tally = count(end.join(["a,b", "1,x", "2,y"]) + end, "a = 2 and b = 'y'")
        assert (tally.rows, tally.matching) == (2, 1)


def test_quoted_fields_hold_anything(count: Count) -> None:
    content = 'a,b\n"x,""y""\r\n\nz",1\n" ",2\nin"ner,3\n'
    assert count(content, "a = 'x,\"y\"\r\n\nz' and b = 1").matching == 1
    assert count(content, "a = ' ' or a = 'in\"ner'").matching == 2


def test_a_header_may_be_quoted_and_broken(count: Count) -> None:
    assert count('"a\nb","c,d"\n1,2\n', '"a\nb" = 1 and "c,d" = 2').matching == 1


def test_a_blank_line_in_one_column_is_a_row(count: Count) -> None:
    tally = count("a\n1\n\n3\n", "a is null")
    assert (tally.rows, tally.matching) == (3, 1)
    assert count("a\n1\n\n\n", "a is null").matching == 2


def test_blank_lines_at_the_end_are_nothing_in_two_columns(count: Count) -> None:
    assert count("a,b\n1,2\n\n\r\n", "a = 1").rows == 1


def test_gzip_is_told_by_its_bytes(write: Write) -> None:
    packed = gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4\n")
    assert count_matching(write(packed, "table.csv.gz"), "a > 0").matching == 2
    assert count_matching(write(packed, "table.data"), "a > 0").matching == 2


def test_records_longer_than_a_block(count: Count) -> None:
    wide = ",".join(["x" * 100_000] * 80)
    names = ",".join(f"n{place}" for place in range(80))
    tally = count(f"{names}\n{wide}\n{wide}\n", "n79 like 'x%' and length(n0) = 100000")
    assert (tally.rows, tally.matching) == (2, 2)


def test_another_delimiter_and_decimal_mark(count: Count) -> None:
    content = "a;x\n1;1,5\n2;-2,25e1\n"
    assert count(content, "x = 1.5 or x = -22.5", delimiter=";", decimal=",").matching == 2


def test_a_predicate_without_columns(count: Count) -> None:
    assert count("a\n1\n2\n", "TRUE").matching == 2
    assert count("a\n1\n2\n", "1 > 2 or NULL").matching == 0


def test_source_may_be_a_path_or_text(write: Write) -> None:
    path = write("a\n1\n")
    assert count_matching(path, "a = 1") == count_matching(str(path), "a = 1", ReadOptions(format="csv"))


def test_nothing_is_written_beside_the_file(write: Write, tmp_path: Path) -> None:
    count_matching(write("a\n1\n"), "a = 1")
    assert [entry.name for entry in tmp_path.iterdir()] == ["table.csv"]


def test_quoted_decimal_commas_beside_commas(count: Count) -> None:
    content = 'x,y\n"1,5",2\n"-22,5",3\n4,5\n'
    assert count(content, "x = 1.5 or y = 3 or x = 4", decimal=",").matching == 3
    with pytest.raises(BadData, match="line 2 has 3 fields, and 2 fields are expected"):
        count("x,y\n1,5,2\n", "y = 2", decimal=",")


def test_a_delimiter_at_each_line_end(count: Count) -> None:
    for end in ("", "\n", "\r\n"):
        tally = count("x,y,\n1,,\n" + '2,"b\n,",' + end, "x = 2 and y = 'b\n,' or y is null", trailing_delimiter=True)
        assert (tally.rows, tally.matching) == (2, 2)
    assert count("x;\n1;\n;\n", "x is null", trailing_delimiter=True, delimiter=";").matching == 1
    assert count("1,\n2,\n", "c0 = 2", trailing_delimiter=True, header=False).matching == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x,y\n1,2,\n", "line 1 does not end with a delimiter"),
        ("x,y,\n1,2\n", "line 2 does not end with a delimiter"),
        ("x,y,\n1,2,3\n", "line 2 does not end with a delimiter"),
        ("x,y,\n1,2,,\n", "line 2 has 4 fields"),
        ("x,\n\n1,\n", "line 2 is blank"),
        ("x,,\n1,,\n", "the header has no name for column 2"),
    ],
)
def test_a_line_that_does_not_end_as_declared(count: Count, content: str, message: str) -> None:
    with pytest.raises(BadData, match=message):
        count(content, "x = 1", trailing_delimiter=True)
