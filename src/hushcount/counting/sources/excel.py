"""Excel files (.xlsx): a sheet whose first row that holds anything names the columns, unless it is declared not to.

Every row below is counted, hidden ones too; rows without any value at the end are none, and between others an error.
Cells are numbers (doubles; whole if all of a column are), texts, truths or moments; formulas are what they were when
the file was saved, so that `=""` is an empty text. Whatever would be read as missing although it is not is an error: a
cell with an error such as #N/A, a formula that was saved without its value, merged cells, all but one of which would
be empty, and a place that the file states twice, of which one would be lost.
"""

from __future__ import annotations

import logging
import posixpath
import re
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.faults import foreign_errors
from hushcount.counting.sources.held import HeldSource, Values, whole
from hushcount.counting.sources.source import chosen_table
from hushcount.errors import BadData, BadUse
from hushcount.files.arrow_arrays import arrow_scalar

__all__ = ["ExcelSource"]

_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b")
_PLACE = re.compile(rb"""<(?:\w+:)?c\s[^>]*?\br\s*=\s*["']([A-Z]+[0-9]+)""")
_CELL = re.compile(rb"<(?:\w+:)?c[\s/>]")
_ROW = re.compile(rb"""<(?:\w+:)?row(?:\s[^>]*?\br\s*=\s*["']([0-9]+)["'])?[\s/>]""")
_NO_VALUE = re.compile(
    rb"<(?:\w+:)?c\b([^>]*)>\s*<(?:\w+:)?f\b"
    rb"(?:[^>]*/>|[^>]*>[^<]*(?:(?:<!--.*?-->|<!\[CDATA\[.*?\]\]>)[^<]*)*</(?:\w+:)?f\s*>)"
    rb"\s*(<(?:\w+:)?v\b[^>]*/>|<(?:\w+:)?v\b[^>]*>\s*</(?:\w+:)?v\s*>)?\s*</(?:\w+:)?c\s*>",
    re.DOTALL,
)
_TEXT = re.compile(rb"""\bt\s*=\s*["']str["']""")
_IN_1904 = re.compile(rb"""\bdate1904\s*=\s*["'](?:1|true)["']""")
_FIRST_DAY = np.datetime64("1900-03-01", "ms")
_AFTER_1904 = np.datetime64("1904-01-02", "ms")
_DAY = 86_400_000


class ExcelSource(HeldSource):
    """A sheet of an Excel file.

    Args:
        path: the file.
        shown: what errors call it.
        options: which sheet (`table`), and whether its first row is a header.

    Raises:
        BadUse: the package that reads these files is not installed; or there is no such sheet.
        BadData: the file cannot be read, or holds what is no table.
    """

    format = "excel"

    def __init__(self, path: str, shown: str, options: ReadOptions) -> None:
        try:
            import fastexcel
        except ImportError:
            raise BadUse("this file needs the package fastexcel: pip install 'hushcount[files]'") from None
        logging.getLogger("fastexcel").setLevel(logging.CRITICAL)  # it reports that a column has no value
        self._path, self._mixed = shown, fastexcel.UnsupportedColumnTypeCombinationError
        with foreign_errors(f"{shown} cannot be read as an Excel file"):
            self._reader = fastexcel.read_excel(path)
            self._sheet = chosen_table(shown, options.table, self._reader.sheet_names)
            self._is_1904 = _check_cells(path, shown, self._sheet)
            sheet = self._load(0, dtypes="string")
            self._places = [column.absolute_index for column in sheet.available_columns()]
            texts, errors = sheet.to_arrow_with_errors()
        self._faulty = {} if errors is None else {error.position[1]: error.position[0] for error in errors.errors}
        is_held = np.zeros(texts.num_rows, bool)
        for column in texts.columns:
            is_held |= np.from_dlpack(column.is_valid().cast(pa.uint8())).astype(bool)
        is_held[list(self._faulty.values())] = True
        held = np.flatnonzero(is_held)
        if not len(held):
            raise BadData(f"{shown}: the sheet is empty: it holds no header and no row")
        first = int(held[0])
        if len(held) < held[-1] + 1 - first:
            gap = int(np.flatnonzero(~is_held[first:])[0]) + first + 1
            raise BadData(f"{shown}: row {gap} is blank, and rows follow it")
        self._first = first + int(options.header)
        rows = int(held[-1]) + 1 - self._first
        self._nulls = [column.slice(self._first, rows).null_count for column in texts.columns]
        super().__init__(shown, options, _names(shown, texts, first, options.header), rows)

    def values(self, names: Sequence[str]) -> Mapping[str, Values | str]:
        return {name: self._column(self.columns.index(name)) for name in names}

    def _column(self, at: int) -> Values | str:
        if at in self._faulty:
            return "holds a cell with an error, such as #N/A"
        if self._nulls[at] == self._rows:
            return pa.chunked_array([pa.nulls(self._rows, pa.bool_())]), "null"
        try:
            sheet = self._load(self._first, n_rows=self._rows, use_columns=[self._places[at]], dtype_coercion="strict")
            table, errors = sheet.to_arrow_with_errors()
        except self._mixed:
            return "holds texts, numbers, truths or dates beside one another"
        column = pa.chunked_array([table.column(0)])
        if len(column) != self._rows or errors is not None or column.null_count != self._nulls[at]:
            raise BadData(f"{self._path}: column {self.columns[at]!r} cannot be read, or was changed while it was read")
        kind = column.type
        if pa.types.is_floating(kind) or pa.types.is_integer(kind):
            numbers = whole(column.cast(pa.float64()))
            return (column.cast(pa.float64()), "real") if numbers is None else (numbers, "integer")
        if pa.types.is_boolean(kind):
            return column, "boolean"
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            return column.cast(pa.string()), "text"
        if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
            return self._moments(column.cast(pa.timestamp("ms")))
        return "holds durations"

    def _moments(self, column: Any) -> Values | str:
        """Return dates where all are midnights, and else moments."""
        first = pa.scalar(int((_AFTER_1904 if self._is_1904 else _FIRST_DAY).astype(np.int64)))
        steps = column.cast(pa.int64())
        if pc.any(pc.less(steps, first)).as_py():
            return "holds times of a day, or dates before March 1900, which Excel counts otherwise"
        days = pc.divide(steps, arrow_scalar(_DAY, pa.int64()))
        if pc.all(pc.equal(pc.multiply(days, arrow_scalar(_DAY, pa.int64())), steps), min_count=0).as_py():
            return days.cast(pa.int32()).cast(pa.date32()), "date"
        return column.cast(pa.timestamp("us")), "timestamp"

    def _load(self, skipped: int, **how: Any) -> Any:
        return self._reader.load_sheet(self._sheet, header_row=None, skip_rows=skipped, schema_sample_rows=None, **how)


def _names(shown: str, texts: Any, first: int, has_header: bool) -> list[str]:
    if not has_header:
        return [f"c{place}" for place in range(texts.num_columns)]
    names = [column[first].as_py() for column in texts.columns]
    for place, name in enumerate(names, 1):
        if not name:
            raise BadData(f"{shown}: the header has no name for column {place} of the table; is there a header at all?")
    return names


def _check_cells(path: str, shown: str, sheet: str) -> bool:
    """Check that no cell of a sheet would be taken for empty, and return whether its days are counted from 1904.

    Raises:
        BadData: one would.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            book = archive.read("xl/workbook.xml")
            links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
            targets = {link.get("Id"): link.get("Target", "") for link in links}
            found = [item for item in ElementTree.fromstring(book).iter() if item.tag.endswith("}sheet")]
            (place,) = (
                targets[value]
                for item in found
                if item.get("name") == sheet
                for key, value in item.items()
                if key.endswith("}id")
            )
            content = archive.read(posixpath.normpath(posixpath.join("/xl", place)).lstrip("/"))
    except (KeyError, ValueError, ElementTree.ParseError, zipfile.BadZipFile, zlib.error):
        raise BadData(f"{shown} cannot be read as an Excel file: its sheet {sheet!r} is not where it says") from None
    if _MERGED.search(content):
        raise BadData(f"{shown}: the sheet has merged cells, all but one of which are empty; unmerge and fill them")
    if any(not (cell[2] and _TEXT.search(cell[1])) for cell in _NO_VALUE.finditer(content)):
        raise BadData(f"{shown}: a formula was saved without its value; open and save the file in Excel or LibreOffice")
    places = _PLACE.findall(content)
    if len(set(places)) < len(places):
        raise BadData(f"{shown}: the sheet states a cell twice; open and save the file in Excel or LibreOffice")
    if len(places) < len(_CELL.findall(content)):  # then a cell follows the one before it, as a row may
        rows = [int(row or 0) for row in _ROW.findall(content)]
        if places or (any(rows) and rows != sorted(set(rows) - {0})):
            rule = "states where some of its cells or rows are and not others, or a row twice"
            raise BadData(f"{shown}: the sheet {rule}; open and save the file in Excel or LibreOffice")
    return _IN_1904.search(book) is not None
