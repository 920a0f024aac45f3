"""Files of other programs, and what is asked of them: Excel, Stata, SPSS, SAS."""

from __future__ import annotations

import io
import re
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from random import Random
from typing import Any
from xml.sax.saxutils import escape

from conditions import NAMES, condition
from tables import ASKING, drawn_columns, drawn_rows
from values import Case, among, chance, epsilon, mutated, nasty_text, options

__all__ = ["excel_case", "statistical_case"]

_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="xml" '
    'ContentType="application/xml"/><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
    f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet {_MAIN}><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14"/>'
    '<xf numFmtId="22"/></cellXfs></styleSheet>',
}
_VALUES: dict[str, tuple[str, ...]] = {
    "i": ("<c><v>1</v></c>", "<c><v>-7</v></c>", "<c><v>9007199254740993</v></c>"),
    "f": ("<c><v>0.5</v></c>", "<c><v>2.25</v></c>", "<c><v>1E300</v></c>"),
    "s": (
        '<c t="inlineStr"><is><t>a</t></is></c>',
        '<c t="str"><f>B1</f><v>é</v></c>',
        '<c t="inlineStr"><is><r><t>a</t></r><r><t> b</t></r></is></c>',
    ),
    "d": ('<c s="1"><v>45292</v></c>', '<c s="1"><v>25568</v></c>', '<c t="d"><v>2024-01-01</v></c>'),
    "b": ('<c t="b"><v>1</v></c>', '<c t="b"><v>0</v></c>'),
    "t": ('<c s="2"><v>45292.5</v></c>', '<c t="d"><v>2024-01-01T12:00:00</v></c>'),
}
"""Cells of each kind; of each the first two are good."""

_ODD = (
    *("<c><f>1+1</f></c>", "<c><v>x</v></c>", "<c><v></v></c>", "<c><v>1E400</v></c>", "<c><v>NaN</v></c>"),
    *('<c t="e"><v>#N/A</v></c>', '<c t="s"><v>7</v></c>', '<c t="b"><v>2</v></c>', '<c t="nosuch"><v>1</v></c>'),
    *('<c s="1"><v>60</v></c>', '<c s="1"><v>-1</v></c>', '<c s="1"><v>1E300</v></c>', '<c s="9"><v>1</v></c>'),
    *('<c t="inlineStr"><is><t></t></is></c>', '<c t="str"><v/></c>', '<c s="2"><v>1.9999999999</v></c>'),
    *('<c r="A0"><v>1</v></c>', '<c r="1"><v>1</v></c>', '<c r="XFD9"><v>1</v></c>', '<c t="d"><v>2024-02-30</v></c>'),
)


def excel_case(r: Random) -> Case:
    """A release from a workbook, whose parts are written by hand."""
    columns, odd = drawn_columns(r), r.choice((0.0, 0.0, 0.2))
    rows = [[_text(name) for name, _ in columns]]
    rows += [[_cell(r, kind, odd) for _, kind in columns] for _ in range(drawn_rows(r))]
    sheets = [_sheet(r, rows)] + ([_sheet(r, rows[1:])] if chance(r, 0.2) else [])
    content = _book(r, [mutated(r, sheet) if chance(r, 0.1) else sheet for sheet in sheets])
    asked = ["--where", condition(r, columns, 2), "--epsilon", epsilon(r)]
    told = ["--table", among(r, "people", "s1", "nosuch")] if len(sheets) > 1 or chance(r, 0.05) else []
    more = [*told, *options(r, ASKING, 0.1), *options(r, _SHEET, 0.1)]
    return Case(("release", "t.xlsx", *asked, *more), {"t.xlsx": mutated(r, content) if chance(r, 0.1) else content})


_SHEET: dict[str, Callable[[Random], str] | None] = {
    "--no-header": None,
    "--null": lambda r: among(r, "NA", "", "a", "1"),
    "--type": lambda r: f"{r.choice(NAMES)}={among(r, 'text', 'integer', 'number', 'date', 'boolean', 'timestamp')}",
    "--format": lambda r: among(r, "auto", "excel", "csv"),
}


def _cell(r: Random, kind: str, odd: float) -> str:
    if chance(r, 0.1):
        return "<c/>"
    if not chance(r, odd):
        return r.choice(_VALUES[kind][:2])
    return _text(nasty_text(r)) if chance(r, 0.3) else r.choice(_VALUES[r.choice("ifsdbt")] + _ODD)


def _text(text: str) -> str:
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


def _sheet(r: Random, rows: list[list[str]]) -> bytes:
    """With the places of rows and cells, or without."""
    placed, lines = chance(r, 0.8), []
    for at, row in enumerate(rows, 1):
        cells = (
            re.sub("^<c(?! r=)", f'<c r="{chr(65 + column)}{at}"', cell) if placed else cell
            for column, cell in enumerate(row)
        )
        lines.append(f'<row r="{at}">{"".join(cells)}</row>')
    merged = '<mergeCells><mergeCell ref="A1:A2"/></mergeCells>' if chance(r, 0.03) else ""
    whole = f"<worksheet {_MAIN}><sheetData>{''.join(lines)}</sheetData>{merged}</worksheet>"
    return whole.encode("utf-8", "replace")


def _book(r: Random, sheets: list[bytes]) -> bytes:
    names = ["people", *(f"s{at}" for at in range(1, len(sheets)))]
    listed = "".join(f'<sheet name="{name}" sheetId="{at}" r:id="r{at}"/>' for at, name in enumerate(names, 1))
    since = '<workbookPr date1904="1"/>' if chance(r, 0.1) else ""
    related = "".join(
        f'<Relationship Id="r{at}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{at}.xml"/>'
        for at in range(1, len(sheets) + 1)
    )
    parts: dict[str, str | bytes] = {
        **_PARTS,
        "xl/workbook.xml": f'<workbook {_MAIN} xmlns:r="{_OFFICE}">{since}<sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{related}</Relationships>',
        **{f"xl/worksheets/sheet{at}.xml": sheet for at, sheet in enumerate(sheets, 1)},
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED if chance(r, 0.5) else zipfile.ZIP_STORED) as book:
        for name, part in parts.items():
            if not chance(r, 0.005):
                book.writestr(zipfile.ZipInfo(name), part)
    return content.getvalue()


_WRITERS = {".dta": "write_dta", ".sav": "write_sav", ".xpt": "write_xport"}
_WRITTEN_AT = re.compile(rb"\d\d ?[A-Za-z]{3} ?(\d\d){1,2}[ :]?\d\d:\d\d(:\d\d)?")
"""When a file was written."""

_HELD: dict[str, tuple[Any, ...]] = {
    "i": (0.0, 1.0, -7.0, 2.0**53, 1e300),
    "f": (0.5, 2.25, -0.0, 1e300, 5e-324),
    "s": ("a", "é", "", " a ", "x" * 300, "\n"),
    "d": (date(2024, 1, 1), date(1969, 12, 31), date(9999, 12, 31), date(1582, 10, 14)),
    "b": (0.0, 1.0, 2.0),
    "t": (datetime(2024, 1, 1), datetime(1969, 12, 31, 23, 59, 59), datetime(2024, 1, 1, 0, 0, 0, 999999)),
}


def statistical_case(r: Random) -> Case:
    """A release from a file of Stata, SPSS or SAS."""
    columns, suffix = drawn_columns(r), r.choice(list(_WRITERS))
    held = {name: (kind, [_held(r, kind) for _ in range(drawn_rows(r))]) for name, kind in columns}
    content = _written(r, held, suffix)
    content = mutated(r, content) if chance(r, 0.2) else content
    asked = ["--where", condition(r, columns, 2), "--epsilon", epsilon(r)]
    more = [*options(r, ASKING, 0.1), *options(r, _PINNED, 0.2)]
    return Case(("release", f"t{suffix}", *asked, *more), {f"t{suffix}": content})


_PINNED: dict[str, Callable[[Random], str] | None] = {
    "--type": lambda r: f"{r.choice('ifsdbt')}={among(r, 'integer', 'label', 'label', 'text')}",
    "--format": lambda r: among(r, "auto", "stata", "spss", "sas", "xport"),
}


def _held(r: Random, kind: str) -> Any:
    return None if chance(r, 0.1) else r.choice(_HELD[kind][: r.choice((2, 2, 9))])


def _written(r: Random, held: dict[str, tuple[str, list[Any]]], suffix: str) -> bytes:
    """The file; of one column that every format has, where this one has not what is asked."""
    import pandas
    import pyreadstat

    rows = min(len(values) for _, values in held.values())
    columns = {
        name: pandas.Series(values[:rows], dtype="float64" if kind in "ifb" else "object")
        for name, (kind, values) in held.items()
    }
    codes, more = [name for name, (kind, _) in held.items() if kind in "ib"], {}
    if suffix != ".xpt" and chance(r, 0.3):
        more["variable_value_labels"] = {name: {0: r.choice(("no", "", "é")), 1: "yes"} for name in codes}
    if suffix == ".sav" and chance(r, 0.3):
        more["missing_ranges"] = {name: [r.choice((1, {"lo": 0, "hi": 1}))] for name in codes}
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path, write = Path(folder, f"t{suffix}"), getattr(pyreadstat, _WRITERS[suffix])
        try:
            write(pandas.DataFrame(columns), str(path), **more)
        except Exception:  # what pyreadstat, or the format, has not: each says so by an error of its own
            write(pandas.DataFrame({"i": [1.0, 2.0]}), str(path))
        return _WRITTEN_AT.sub(_always, path.read_bytes())


def _always(written: re.Match[bytes]) -> bytes:
    """The same moment, in the same form."""
    return re.sub(rb"[A-Za-z]{3}", b"JAN" if written[0].isupper() else b"Jan", re.sub(rb"\d", b"1", written[0]))
