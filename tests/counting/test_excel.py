"""Excel files: what is a row, which types a column has, and what would be read as missing although it is not."""

from __future__ import annotations

import re
import zipfile
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from hushcount.counting import ReadOptions, check_source, count_matching, read_schema
from hushcount.errors import BadData, InvalidParameter, PredicateRefused

_CELL = re.compile(rb"<c r=\"A2\".*?</c>")


class _Book:
    """A workbook with one sheet, to be saved under a name."""

    def __init__(self, *rows: list[Any]) -> None:
        self.book = openpyxl.Workbook()
        self.sheet = self.book.active
        for row in rows:
            self.sheet.append(row)

    def save(self, folder: Path) -> Path:
        path = folder / "people.xlsx"
        self.book.save(path)
        return path


def _counted(path: Path, where: str, **options: Any) -> tuple[int, int]:
    tally = count_matching(path, where, ReadOptions(**options))
    return tally.rows, tally.matching


_PEOPLE = [
    ["age", "weight", "name", "born", "seen", "sick", "none"],
    [65, 1.5, "a", date(2024, 1, 2), datetime(2024, 1, 2, 3, 4, 5), True, None],
    [30, None, None, date(1900, 3, 1), None, False, None],
    [None, 2, "5", None, datetime(1999, 12, 31), None, None],
]


@pytest.mark.parametrize(
    ("where", "matching"),
    [
        ("age >= 65", 1),
        ("age is null", 1),
        ("weight > 1.5", 1),
        ("name = '5'", 1),
        ("name is null", 1),
        ("born < DATE '1901-01-01'", 1),
        ("seen = TIMESTAMP '2024-01-02 03:04:05'", 1),
        ("sick", 1),
        ("none is null", 3),
    ],
)
@pytest.mark.parametrize("epoch", [1900, 1904])
def test_one_condition_one_answer(tmp_path: Path, where: str, matching: int, epoch: int) -> None:
    rows = _PEOPLE
    made = _Book()
    if epoch == 1904:
        made.book.epoch = CALENDAR_MAC_1904
        rows = [[date(1904, 3, 1) if value == date(1900, 3, 1) else value for value in row] for row in _PEOPLE]
        where = where.replace("1901", "1905")
    for row in rows:
        made.sheet.append(row)
    assert _counted(made.save(tmp_path), where) == (3, matching)


def test_types_are_told_by_all_rows(tmp_path: Path) -> None:
    path = _Book(*_PEOPLE).save(tmp_path)
    schema = read_schema(path)
    assert schema.shown() == {
        "age": "integer",
        "weight": "number",
        "name": "text",
        "born": "date",
        "seen": "timestamp",
        "sick": "boolean",
        "none": "empty",
    }
    check_source(path, schema)
    _Book(*_PEOPLE, [1.5]).save(tmp_path)
    with pytest.raises(BadData, match="column 'age' holds a value that is not integer, as was declared"):
        check_source(path, schema)
    with pytest.raises(PredicateRefused, match="column 'name' \\(text\\) cannot be compared with 5"):
        _counted(path, "name = 5")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, "1"], "texts, numbers, truths or dates beside one another"),
        ([1] * 2000 + ["1"], "texts, numbers, truths or dates beside one another"),
        ([1, True], "texts, numbers, truths or dates beside one another"),
        ([date(2024, 1, 1), 5], "texts, numbers, truths or dates beside one another"),
        ([date(2024, 1, 1), "x"], "texts, numbers, truths or dates beside one another"),
        ([time(3, 4)], "times of a day, or dates before March 1900"),
        ([date(1900, 2, 28)], "times of a day, or dates before March 1900"),
        ([timedelta(hours=30)], "durations"),
    ],
)
def test_columns_without_a_type(tmp_path: Path, values: list[Any], message: str) -> None:
    path = _Book(["a", "b"], *([value, 1] for value in values)).save(tmp_path)
    with pytest.raises(BadData, match=f"column 'a' holds .*{message}.*, so it has no type"):
        _counted(path, "a is null")
    assert _counted(path, "b = 1") == (len(values), len(values))
    assert read_schema(path).shown() == {"a": "unusable", "b": "integer"}


@pytest.mark.parametrize("error", ["#N/A", "#DIV/0!", "#VALUE!"])
@pytest.mark.parametrize("beside", [1, "x", None, date(2024, 1, 1)])
def test_a_cell_with_an_error_is_not_missing(tmp_path: Path, error: str, beside: Any) -> None:
    made = _Book(["a", "b"], [beside, 1], [None, 2])
    cell = made.sheet["A3"]
    cell.value, cell.data_type = error, "e"
    path = made.save(tmp_path)
    with pytest.raises(BadData, match="column 'a' holds a cell with an error"):
        _counted(path, "a is null")
    assert _counted(path, "b = 1") == (2, 1)


def test_a_formula_without_its_value_is_not_missing(tmp_path: Path) -> None:
    path = _Book(["a"], ["=1+1"]).save(tmp_path)
    with pytest.raises(BadData, match="a formula was saved without its value"):
        _counted(path, "a is null")
    for empty in ("", "<v></v>", "<v/>", '<v xml:space="preserve"></v>'):
        for formula in (
            "<f>1+1</f>",
            '<f t="shared" si="0"/>',
            "<f>1<!-- a -->+1</f>",
            "<f><![CDATA[1<2]]></f>",
        ):
            _edited(path, _CELL, f'<c r="A2">{formula}{empty}</c>')
            with pytest.raises(BadData, match="a formula was saved without its value"):
                _counted(path, "a is null")
    _edited(path, _CELL, '<c r="A2" t="str"><f>""</f></c>')
    with pytest.raises(BadData, match="a formula was saved without its value"):
        _counted(path, "a is null")
    for empty in ("<v></v>", "<v/>"):
        _edited(path, _CELL, f'<c r="A2" t="str"><f>""</f>{empty}</c>')
        assert _counted(path, "a = ''") == (1, 1)
    for formula, value, matching in (("<f>1+1</f>", "<v>2</v>", 1), ("<f>1+1</f>", "<v>3</v>", 0)):
        _edited(path, _CELL, f'<c r="A2">{formula}{value}</c>')
        assert _counted(path, "a = 2") == (1, matching)


def _edited(path: Path, pattern: re.Pattern[bytes], new: str) -> None:
    """Replace a part of the sheet's XML."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = "xl/worksheets/sheet1.xml"
    assert pattern.search(members[name])
    members[name] = pattern.sub(new.encode(), members[name])
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)


@pytest.mark.parametrize("again", ['<c r="A2"/>', '<c s="0" r="A2" t="n"><v>2</v></c>', "<x:c r = 'A2'/>"])
def test_a_cell_that_is_stated_twice(tmp_path: Path, again: str) -> None:
    path = _Book(["a"], [1]).save(tmp_path)
    assert _counted(path, "a = 1") == (1, 1)
    _edited(path, _CELL, f'<c r="A2"><v>1</v></c>{again}')
    with pytest.raises(BadData, match="the sheet states a cell twice"):
        _counted(path, "a = 1")


_STATED_CELL, _STATED_ROW = re.compile(rb' r="[A-Z]+[0-9]+"'), re.compile(rb'(?<=<row) r="[0-9]+"')


def test_cells_that_follow_one_another(tmp_path: Path) -> None:
    path = _Book(["a", "b"], [1, 2], [3, 4]).save(tmp_path)
    for stated in (_STATED_CELL, _STATED_ROW):
        _edited(path, stated, "")
        assert _counted(path, "a = 1 and b = 2") == (2, 1)
    gap = _Book(["a"], [1], [2]).save(tmp_path)
    _edited(gap, _STATED_CELL, "")
    _edited(gap, re.compile(rb'<row r="2".*?</row>'), "")
    with pytest.raises(BadData, match="row 2 is blank"):
        _counted(gap, "a = 1")


@pytest.mark.parametrize(
    "edits",
    [
        (rb' r="B2"', ""),
        (rb' r="A3"', ""),
        (rb'<row r="3"><c r="A3"', '<row r="2"><c'),
        (rb' r="[A-Z]+[0-9]+"', "", rb'<row r="3"', '<row r="2"'),
        (rb' r="[A-Z]+[0-9]+"', "", rb'<row r="3"', "<row"),
        (rb' r="[A-Z]+[0-9]+"', "", rb'<row r="2"', '<row r="9"'),
    ],
)
def test_cells_that_are_not_all_stated(tmp_path: Path, edits: tuple[Any, ...]) -> None:
    path = _Book(["a", "b"], [1, 2], [3, 4]).save(tmp_path)
    for old, new in zip(edits[::2], edits[1::2], strict=True):
        _edited(path, re.compile(old), new)
    with pytest.raises(BadData, match="the sheet states where some of its cells or rows are and not others, or a row"):
        _counted(path, "a = 1")


def test_a_row_that_is_stated_twice(tmp_path: Path) -> None:
    path = _Book(["a"], [1], [2]).save(tmp_path)
    _edited(path, re.compile(rb'<row r="3".*?</row>'), '<row r="2"><c r="A2"><v>2</v></c></row>')
    with pytest.raises(BadData, match="the sheet states a cell twice"):
        _counted(path, "a = 2")


def test_merged_cells_are_not_missing(tmp_path: Path) -> None:
    made = _Book(["a"], [1], [None])
    made.sheet.merge_cells("A2:A3")
    with pytest.raises(BadData, match="the sheet has merged cells"):
        _counted(made.save(tmp_path), "a = 1")


def test_hidden_rows_count_and_rows_after_the_table_do_not(tmp_path: Path) -> None:
    made = _Book(["a"], [1], [1])
    made.sheet.row_dimensions[3].hidden = True
    made.sheet.cell(9, 1).number_format = "0.00"  # an empty cell that was touched
    assert _counted(made.save(tmp_path), "a = 1") == (2, 2)
    made.sheet.cell(9, 1).value = 1
    with pytest.raises(BadData, match="row 4 is blank, and rows follow it"):
        _counted(made.save(tmp_path), "a = 1")


def test_a_table_may_begin_anywhere(tmp_path: Path) -> None:
    made = _Book()
    for row, column, value in ((4, 3, "a"), (4, 4, "b"), (5, 3, 1), (6, 4, 2)):
        made.sheet.cell(row, column).value = value
    path = made.save(tmp_path)
    assert _counted(path, "a = 1 and b is null") == (2, 1)
    with pytest.raises(BadData, match="column 'c0' holds texts, numbers, truths or dates beside one another"):
        _counted(path, "c0 = 'a'", header=False)


def test_without_a_header(tmp_path: Path) -> None:
    assert _counted(_Book([1, "x"], [2, "y"]).save(tmp_path), "c0 = 2 and c1 = 'y'", header=False) == (2, 1)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (["a", "a"], "names column 'a' twice"),
        (["a", "A"], "which differ only in case"),
        (["a", None], "the header has no name for column 2"),
    ],
)
def test_bad_headers(tmp_path: Path, header: list[Any], message: str) -> None:
    with pytest.raises(BadData, match=message):
        _counted(_Book(header, [1, 2]).save(tmp_path), "a = 1")


def test_sheets(tmp_path: Path) -> None:
    made = _Book(["a"], [1])
    made.book.create_sheet("Other & more").append(["b"])
    made.book["Other & more"].append([2])
    path = made.save(tmp_path)
    assert _counted(path, "b = 2", table="Other & more") == (1, 1)
    with pytest.raises(InvalidParameter, match="holds 2 tables"):
        _counted(path, "a = 1")
    with pytest.raises(InvalidParameter, match="table must be a table of"):
        _counted(path, "a = 1", table="Third")


def test_an_empty_sheet_and_a_damaged_file(tmp_path: Path) -> None:
    path = _Book().save(tmp_path)
    with pytest.raises(BadData, match="the sheet is empty"):
        _counted(path, "a = 1")
    assert _counted(_Book(["a"]).save(tmp_path), "a = 1") == (0, 0)
    _edited(path, re.compile(rb"<sheetData>"), "<sheetData")
    with pytest.raises(BadData):
        _counted(path, "a = 1")


def test_whole_numbers_and_pinned_types(tmp_path: Path) -> None:
    path = _Book(["a", "d"], [2**53 + 2, "2024-01-02"], [1, "2023-01-02"]).save(tmp_path)
    assert read_schema(path).shown() == {"a": "number", "d": "text"}
    with pytest.raises(BadData, match="column 'a' holds a value that is not integer"):
        _counted(path, "a = 1", types={"a": "integer"})
    assert _counted(path, "d > DATE '2024-01-01'", types={"d": "date"}) == (2, 1)
    with pytest.raises(InvalidParameter, match="delimiter must be left out for an Excel file"):
        _counted(path, "a = 1", delimiter=";")
