"""Numbers in CSV, read strictly; `privacy/test_tables.py` and `mechanisms/test_files.py` see the errors in context."""

import gzip

import pytest

from hushcount.errors import BadData
from hushcount.files import csv_numbers
from hushcount.files.csv_numbers import INTEGER, csv_lines, leading_comments, number_rows


def rows(path, *arguments, **options):
    with csv_lines(path) as lines:
        return list(number_rows(path, lines, *arguments, **options))


@pytest.fixture
def file(tmp_path):
    def file(content):
        path = tmp_path / "t.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return file


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_rows_with_the_numbers_of_their_lines(file, mark, end):
    path = file(mark + end.join(['1,"2"', "", " .5 ,-1e-3", ""]))
    assert rows(path) == [(1, [1.0, 2.0]), (3, [0.5, -0.001])]


def test_integers_keep_every_digit(file):
    ((line, (number,)),) = rows(file("count\n999999999999999999\n"), INTEGER, ["count"])
    assert (line, number, type(number)) == (2, 10**18 - 1, int)


@pytest.mark.parametrize("blank", ["\x1c", "\x1d", "\x1e", "\x1f", "\v", "\xa0", "\u2003"])
def test_white_space_around_a_number_is_taken_off_before_it_is_read(file, blank):
    """`float` does not know U+001C to U+001F as white space, where `str.strip` does."""
    assert rows(file(f"{blank}1{blank},{blank}2\n")) == [(1, [1.0, 2.0])]
    assert rows(file(f"{blank}1{blank},2{blank}\n"), INTEGER) == [(1, [1, 2])]


@pytest.mark.parametrize("bad", ["nan", "inf", "1_0", "\uff11", "0x1", "1e", "", "1 2", "--1"])
def test_what_is_not_a_number_names_its_line(file, bad):
    with pytest.raises(BadData, match=r"t\.csv: line 12 holds something that is not a number$"):
        rows(file(f"1,2\n{bad},2\n"), lines_before=10)


def test_a_row_of_another_width_names_its_line(file):
    with pytest.raises(BadData, match=r"t\.csv: line 3 has 1 cells, the first row 2$"):
        rows(file("1,2\n3,4\n5\n"))


def test_a_line_that_never_ends(file, monkeypatch):
    monkeypatch.setattr(csv_numbers, "LONGEST_LINE", 10)
    assert rows(file("1,2,3,4,5\n")) == [(1, [1, 2, 3, 4, 5])]
    with pytest.raises(BadData, match=r"t\.csv: line 2 is longer than any row of numbers \(10 characters\)$"):
        rows(file("1\n" + "0" * 11 + "\n"))


@pytest.mark.parametrize("content", [b'1,"2\n', b"1," + b"2" * 200_000 + b"\n"])
def test_not_csv(file, content):
    with pytest.raises(BadData, match=r"t\.csv: not a CSV file in UTF-8 \("):
        rows(file(content))


def test_a_byte_that_is_no_text_is_not_repeated(file):
    """The file may be another one than was meant: data, even."""
    with pytest.raises(BadData, match=r"t\.csv: not a CSV file in UTF-8$"):
        rows(file(b"1,\xff\n"))


@pytest.mark.parametrize(
    ("text", "comments"), [("", 0), ("# a\n", 1), ("# a\n#b\n1\n# c\n", 2), ("1\n# c\n", 0), (" # a\n", 0)]
)
def test_comments_are_the_leading_lines_and_no_line_is_lost(text, comments):
    lines = text.splitlines(keepends=True)
    found, rest = leading_comments(iter(lines))
    assert (found, list(rest)) == (lines[:comments], lines[comments:])


def test_compressed_lines_are_the_lines(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf1,2\r\n3,4\r\n", mtime=0))
    assert rows(path) == [(1, [1, 2]), (2, [3, 4])]
    path.write_bytes(gzip.compress(b"1,\xff\n", mtime=0))
    with pytest.raises(BadData, match=r"t\.csv\.gz: not a CSV file in UTF-8$"):
        rows(path)


@pytest.mark.parametrize(
    "content",
    [
        b"1,2\n",
        gzip.compress(b"1,2\n" * 99, mtime=0)[:-9],
        gzip.compress(b"1,2\n", mtime=0)[:10] + b"\xff" * 9,
        gzip.compress(b"1", mtime=0)[:5],
    ],
)
def test_not_gzip(tmp_path, content):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(content)
    with pytest.raises(BadData, match=r"t\.csv\.gz: not a gzip file, or cut off \("):
        rows(path)
