"""A saved mechanism as JSON, written and read; docs/mechanism-files.md describes it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NoReturn

from hushcount.errors import BadData
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
from hushcount.saved.mechanism import RESERVED, Saved, SavedMechanism

__all__ = ["json_text", "json_value", "read_json"]

LARGEST_JSON = 2**29
"""The most bytes; the largest matrix takes at most 420 million, indented by a space or two."""

_INFINITE = {"inf": math.inf, "-inf": -math.inf}


def json_text(mechanism: Saved) -> str:
    """Return what a file of a mechanism holds."""
    fields = {"format": FORMAT, "version": mechanism.version, **fields_of(mechanism)}
    head = json.dumps(fields | {"notes": dict(mechanism.notes)}, indent=2).removesuffix("\n}")
    form, parts = MATRIX, []
    if (chain := numbers_of(mechanism)) is not None:
        form, parts = chain[0], [f'"{x}"' if math.isinf(x) else repr(x) for x in chain[1]]
    if isinstance(mechanism, SavedMechanism):
        parts = [json.dumps(row, allow_nan=False) for row in mechanism.entries.tolist()]
    body = ",\n".join(f"    {part}" for part in parts)
    return f'{head},\n  "{form}": [\n{body}\n  ]\n}}\n' if parts else f'{head},\n  "{form}": []\n}}\n'


def read_json(where: Path) -> FileContent:
    """Return the content of a JSON file.

    Raises:
        BadData: the file is not a saved mechanism; the message names the file and the place.
        OSError: the file cannot be read.
    """
    found = _object(where)
    version = found["version"]
    reserved, forms = set(RESERVED[version]) - {"form"}, set(LENGTHS) if version > 1 else {MATRIX}
    unknown = set(found) - {"format", "version", "notes"} - reserved - forms
    if unknown:
        raise BadData(f"{where}: {min(unknown)!r} is not a field of a saved mechanism; notes belong under 'notes'")
    named = forms & set(found) if version > 1 else forms
    if len(named) != 1:
        raise BadData(f"{where}: one of {', '.join(LENGTHS)} must be there, and no other")
    (form,) = named
    n = checked_n(where, found["n"] if type(found.get("n")) is int else None, form, "")
    notes, fields = found.get("notes", {}), {key: found[key] for key in reserved - {"n"} if key in found}
    if not isinstance(notes, dict):
        raise BadData(f"{where}: notes must be an object of texts")
    for key in RESERVED[version]:
        if key in fields and key != PAIRS and not isinstance(fields[key], str):
            raise BadData(f"{where}: {key} must be a text, in quotes")
    if PAIRS in fields:
        check_pairs(where, fields[PAIRS], "")
    numbers = found.get(form)
    if not isinstance(numbers, list):
        raise BadData(f"{where}: {form} must be an array of {'rows' if form == MATRIX else 'numbers'}")
    if form == MATRIX:
        _check_rows(where, n, numbers)
    else:
        numbers = [_float(where, form, j, x) for j, x in enumerate(numbers)]
    check_length(where, form, n, numbers)
    return FileContent(version, form, n, numbers, fields, notes)


def json_value(where: Path, text: str, place: str = "") -> Any:
    """Return what JSON says, strictly: no key twice, and no constants that are not JSON.

    Raises:
        BadData: it is not JSON.
    """

    def no_number(word: str) -> NoReturn:
        raise BadData(f"{where}: {place}{word} is not a number in JSON")

    def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise BadData(f"{where}: {place}the key {key!r} appears twice")
            found[key] = value
        return found

    try:
        return json.loads(text, parse_constant=no_number, object_pairs_hook=each_once)
    except json.JSONDecodeError as error:
        raise BadData(f"{where}: {place or f'line {error.lineno} '}is not JSON ({error.msg})") from None
    except (ValueError, RecursionError):  # an integer of thousands of digits; arrays within arrays
        raise BadData(f"{where}: {place}not the JSON of a saved mechanism") from None


def _object(where: Path) -> dict[str, Any]:
    with where.open("rb") as file:
        raw = file.read(LARGEST_JSON + 1)
    if len(raw) > LARGEST_JSON:
        raise BadData(f"{where}: larger than any saved mechanism ({LARGEST_JSON:,} bytes)")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadData(f"{where}: not in UTF-8 ({error.reason})") from None
    found = json_value(where, text)
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BadData(f"{where}: not a saved mechanism: its format must be {FORMAT!r}")
    if type(version := found.get("version")) is not int:
        raise BadData(f"{where}: version must be a whole number")
    check_version(where, version)
    return found


def _check_rows(where: Path, n: int, rows: list[Any]) -> None:
    for i, row in enumerate(rows):
        # NumPy would take true for 1.
        if not isinstance(row, list) or not set(map(type, row)) <= {int, float}:
            raise BadData(f"{where}: row {i} of matrix must be an array of numbers")
        if len(row) != n + 1:
            raise BadData(f"{where}: row {i} of matrix has {len(row)} numbers, where n = {n} asks for {n + 1}")


def _float(where: Path, form: str, j: int, x: object) -> float:
    """Return a number of a chain; "inf" and "-inf" are texts, since JSON has none."""
    if isinstance(x, str) and x in _INFINITE:
        return _INFINITE[x]
    try:
        if type(x) in (int, float) and math.isfinite(value := float(x)):  # type: ignore[arg-type]
            return value
    except OverflowError:
        pass
    raise BadData(f"{where}: {form}[{j}] must be a finite number")
