"""A saved mechanism as CSV, written and read; docs/mechanism-files.md describes it.

Fields are comments on top, floats the shortest decimals that are read back bit for bit (`repr`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hushcount.errors import BadData
from hushcount.files.csv_numbers import NUMBER, csv_lines, leading_comments, number_rows
from hushcount.saved.content import (
    FORMAT,
    LENGTHS,
    MATRIX,
    PAIRS,
    FileContent,
    check_length,
    check_pairs,
    check_version,
    checked_n,
    fields_of,
    numbers_of,
)
from hushcount.saved.json_form import json_value
from hushcount.saved.mechanism import RESERVED, Saved, SavedMechanism

__all__ = ["csv_text", "read_csv"]

_TITLE = re.compile(rf"# {FORMAT} ([0-9]{{1,9}})", re.ASCII)
_FIELD = re.compile(r"# ([a-z][a-z0-9_-]*) = (.*)", re.ASCII)
_COUNT = re.compile(r"[0-9]{1,9}", re.ASCII)
_INFINITE = ("inf", "-inf")


def csv_text(mechanism: Saved) -> str:
    """Return what a file of a mechanism holds."""
    fields, chain = fields_of(mechanism), numbers_of(mechanism)
    if PAIRS in fields:
        fields[PAIRS] = json.dumps(fields[PAIRS])
    if chain is not None:
        fields = {"form": chain[0], **fields}
    lines = [f"# {FORMAT} {mechanism.version}"]
    lines += (f"# {key} = {text}" for key, text in {**fields, **mechanism.notes}.items())
    if chain is not None:
        lines += map(repr, chain[1])
    if isinstance(mechanism, SavedMechanism):
        lines += (",".join(map(repr, row)) for row in mechanism.entries.tolist())
    return "\n".join(lines) + "\n"


def read_csv(where: Path) -> FileContent:
    """Return the content of a CSV file.

    Raises:
        BadData: the file is not a saved mechanism; the message names file and line.
        OSError: the file cannot be read.
    """
    with csv_lines(where) as lines:
        comments, rest = leading_comments(lines)
        version, texts, places = _heading(where, [comment.rstrip("\r\n") for comment in comments])
        fields: dict[str, Any] = {key: text for key, text in texts.items() if key in RESERVED[version]}
        notes = {key: text for key, text in texts.items() if key not in fields}
        form = fields.pop("form", MATRIX)
        if form not in LENGTHS:
            raise BadData(f"{where}: {places['form']}form must be one of {', '.join(LENGTHS)}")
        if PAIRS in fields:
            fields[PAIRS] = json_value(where, fields[PAIRS], places[PAIRS])
            check_pairs(where, fields[PAIRS], places[PAIRS])
        n = fields.pop("n", "")
        n = checked_n(where, int(n) if _COUNT.fullmatch(n) else None, form, places.get("n", ""))
        read = _rows if form == MATRIX else _chain
        found, at = read(where, rest, form, n, len(comments))
    check_length(where, form, n, found)
    return FileContent(version, form, n, found, fields, notes, places, at)


def _heading(where: Path, comments: list[str]) -> tuple[int, dict[str, str], dict[str, str]]:
    """Return the version, the fields of the comment lines, and where each stands."""
    title = _TITLE.fullmatch(comments[0].rstrip(" ")) if comments else None
    if title is None:
        raise BadData(f"{where}: not a saved mechanism: line 1 must be '# {FORMAT} 1' or '# {FORMAT} 2'")
    check_version(where, int(title[1]))
    texts: dict[str, str] = {}
    places: dict[str, str] = {}
    for number, comment in enumerate(comments[1:], start=2):
        match = _FIELD.fullmatch(comment)
        if match is None:
            raise BadData(f"{where}: line {number} must be of the form '# key = text'")
        key = match[1]
        if key in texts:
            raise BadData(f"{where}: line {number} says {key} again")
        texts[key], places[key] = match[2].strip(" "), f"line {number}: "
    return int(title[1]), texts, places


def _rows(
    where: Path, lines: Iterator[str], form: str, n: int, lines_before: int
) -> tuple[list[list[float]], list[int]]:
    rows: list[list[float]] = []
    for line, row in number_rows(where, lines, lines_before=lines_before):
        if len(row) != n + 1:
            raise BadData(f"{where}: line {line} has {len(row)} cells, where n = {n} asks for {n + 1}")
        if len(rows) == n + 1:
            raise BadData(f"{where}: line {line} is one row too many: n = {n} asks for {n + 1}")
        rows.append(row)
    return rows, []


def _chain(where: Path, lines: Iterator[str], form: str, n: int, lines_before: int) -> tuple[list[float], list[int]]:
    """Return one number a line; `inf` is a threshold that is never or always reached."""
    found: list[float] = []
    at: list[int] = []
    asked = LENGTHS[form](n)
    for line, written in enumerate(lines, start=lines_before + 1):
        text = written.strip()
        if not text:
            continue
        if not (NUMBER.pattern.fullmatch(text) or text in _INFINITE):
            raise BadData(f"{where}: line {line} holds something that is not a number")
        if math.isinf(value := float(text)) and text not in _INFINITE:
            raise BadData(f"{where}: line {line} holds a number that is beyond all floats")
        if len(found) == asked:
            raise BadData(f"{where}: line {line} is one of {form} too many: n = {n} asks for {asked}")
        found.append(value)
        at.append(line)
    return found, at
