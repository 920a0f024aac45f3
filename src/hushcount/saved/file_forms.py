"""The two file formats of a saved mechanism, CSV and JSON, written and read; docs/mechanism-files.md describes them.

Both hold the same fields as text, and floats in the shortest spelling that is read back bit for bit (`repr`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from hushcount.errors import BadData
from hushcount.files.csv_numbers import csv_lines, leading_comments, number_rows
from hushcount.inputs.stochastic import LARGEST_MATRIX
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.saved.mechanism import RESERVED, SavedMechanism

__all__ = ["FileContent", "csv_text", "json_text", "read_csv", "read_json"]

FORMAT, VERSION = "hushcount mechanism", 2
"""The version that a claim of mu needs; other files have version 1, so that an older hushcount reads them."""

LARGEST_JSON = 2**29
"""The most bytes; the largest matrix takes at most 420 million, indented by a space or two."""

_TITLE = re.compile(rf"# {FORMAT} ([0-9]{{1,9}})", re.ASCII)
_FIELD = re.compile(r"# ([a-z][a-z0-9_-]*) = (.*)", re.ASCII)
_COUNT = re.compile(r"[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True)
class FileContent:
    """What a file says, well-formed but not judged.

    Attributes:
        n: the largest count, at most 4,095; `rows` are n + 1 rows of n + 1 numbers.
        texts: the other reserved fields; `sha256` may be absent.
        places: where each field stands, for messages.
    """

    n: int
    rows: list[list[float]]
    texts: Mapping[str, str]
    notes: Mapping[str, str]
    places: Mapping[str, str] = field(default_factory=dict)


def csv_text(mechanism: SavedMechanism) -> str:
    fields = {**_fields(mechanism), **mechanism.notes}
    lines = [f"# {FORMAT} {_version(mechanism)}", *(f"# {key} = {text}" for key, text in fields.items())]
    lines += (",".join(map(repr, row)) for row in mechanism.entries.tolist())
    return "\n".join(lines) + "\n"


def json_text(mechanism: SavedMechanism) -> str:
    fields = {"format": FORMAT, "version": _version(mechanism), **_fields(mechanism), "n": mechanism.n}
    head = json.dumps(fields | {"notes": dict(mechanism.notes)}, indent=2).removesuffix("\n}")
    rows = ",\n".join(f"    {json.dumps(row, allow_nan=False)}" for row in mechanism.entries.tolist())
    return f'{head},\n  "matrix": [\n{rows}\n  ]\n}}\n'


def _version(mechanism: SavedMechanism) -> int:
    return 1 if isinstance(mechanism.claim, EpsilonDelta) else VERSION


def _fields(mechanism: SavedMechanism) -> dict[str, str]:
    return {
        **mechanism.claim.to_fields(),
        "n": str(mechanism.n),
        "name": mechanism.name,
        "sha256": mechanism.sha256,
    }


def read_csv(where: Path) -> FileContent:
    """Return the content of a CSV file.

    Raises:
        BadData: the file is not a saved mechanism; the message names file and line.
        OSError: the file cannot be read.
    """
    with csv_lines(where) as lines:
        comments, rest = leading_comments(lines)
        texts, places = _heading(where, [comment.rstrip("\r\n") for comment in comments])
        n = _checked_n(where, texts.pop("n", None), places.get("n", ""))
        rows: list[list[float]] = []
        for line, row in number_rows(where, rest, lines_before=len(comments)):
            if len(row) != n + 1:
                raise BadData(f"{where}: line {line} has {len(row)} cells, where n = {n} asks for {n + 1}")
            if len(rows) == n + 1:
                raise BadData(f"{where}: line {line} is one row too many: n = {n} asks for {n + 1}")
            rows.append(row)
    _check_height(where, n, rows)
    return FileContent(n, rows, *_divided(texts), places)


def read_json(where: Path) -> FileContent:
    """Return the content of a JSON file; raise the errors of `read_csv`."""
    found = _object(where)
    n = _checked_n(where, str(found["n"]) if type(found.get("n")) is int else None, "")
    notes, texts = found.get("notes", {}), {key: found[key] for key in RESERVED if key != "n" and key in found}
    unknown = set(found) - {"format", "version", "notes", "matrix", *RESERVED}
    if unknown:
        raise BadData(f"{where}: {min(unknown)!r} is not a field of a saved mechanism; notes belong under 'notes'")
    if not isinstance(notes, dict):
        raise BadData(f"{where}: notes must be an object of texts")
    for key, text in texts.items():
        if not isinstance(text, str):
            raise BadData(f"{where}: {key} must be a text, in quotes")
    rows = found.get("matrix")
    if not isinstance(rows, list):
        raise BadData(f"{where}: matrix must be an array of rows")
    for i, row in enumerate(rows):
        # NumPy would take true for 1.
        if not isinstance(row, list) or not set(map(type, row)) <= {int, float}:
            raise BadData(f"{where}: row {i} of matrix must be an array of numbers")
        if len(row) != n + 1:
            raise BadData(f"{where}: row {i} of matrix has {len(row)} numbers, where n = {n} asks for {n + 1}")
    _check_height(where, n, rows)
    return FileContent(n, rows, texts, notes)


def _heading(where: Path, comments: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the fields of the comment lines, and where each stands."""
    title = _TITLE.fullmatch(comments[0].rstrip(" ")) if comments else None
    if title is None:
        raise BadData(f"{where}: not a saved mechanism: line 1 must be '# {FORMAT} 1'")
    _check_version(where, int(title[1]))
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
    return texts, places


def _divided(texts: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    reserved = {key: text for key, text in texts.items() if key in RESERVED}
    return reserved, {key: text for key, text in texts.items() if key not in RESERVED}


def _object(where: Path) -> dict[str, Any]:
    def no_number(word: str) -> NoReturn:
        raise BadData(f"{where}: {word} is not a number in JSON")

    def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise BadData(f"{where}: the key {key!r} appears twice")
            found[key] = value
        return found

    with where.open("rb") as file:
        raw = file.read(LARGEST_JSON + 1)
    if len(raw) > LARGEST_JSON:
        raise BadData(f"{where}: larger than any saved mechanism ({LARGEST_JSON:,} bytes)")
    try:
        found = json.loads(raw.decode("utf-8-sig"), parse_constant=no_number, object_pairs_hook=each_once)
    except json.JSONDecodeError as error:
        raise BadData(f"{where}: line {error.lineno} is not JSON ({error.msg})") from None
    except UnicodeDecodeError as error:
        raise BadData(f"{where}: not in UTF-8 ({error.reason})") from None
    except (ValueError, RecursionError):  # an integer of thousands of digits; arrays within arrays
        raise BadData(f"{where}: not the JSON of a saved mechanism") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BadData(f"{where}: not a saved mechanism: its format must be {FORMAT!r}")
    if type(version := found.get("version")) is not int:
        raise BadData(f"{where}: version must be a whole number")
    _check_version(where, version)
    return found


def _check_version(where: Path, version: int) -> None:
    if not 1 <= version <= VERSION:
        hint = "; a newer hushcount is needed" if version > VERSION else ""
        raise BadData(f"{where}: a saved mechanism of version {version}, but this hushcount reads 1 to {VERSION}{hint}")


def _checked_n(where: Path, text: str | None, place: str) -> int:
    if text is None or not _COUNT.fullmatch(text) or not int(text) < LARGEST_MATRIX:
        raise BadData(f"{where}: {place}n must be a whole number from 0 to {LARGEST_MATRIX - 1:,}")
    return int(text)


def _check_height(where: Path, n: int, rows: list[list[float]]) -> None:
    if len(rows) != n + 1:
        raise BadData(f"{where}: holds {len(rows)} rows, where n = {n} asks for {n + 1}; is the file cut off?")
