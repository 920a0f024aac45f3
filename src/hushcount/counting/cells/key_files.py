"""Files of declared keys, and of known totals for them: CSV (UTF-8, commas, a header) or Parquet, told by their names.

The columns are those of `by`, in any order; in a file of totals also `total`. Any other column is an error, since it
would be ignored. In a CSV file a key is a text that the type of the column explains, and blanks are part of it. As in
the data, a field without quotes that is spelled like a missing value (as declared, or nan) is the missing key, and one
in quotes is a text: `""` is the empty one. In a Parquet file a key is what its type says, and null is the missing one.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np
from numpy.typing import NDArray

from hushcount.counting.cells.keys import Keys
from hushcount.counting.declared.options import MISSING
from hushcount.counting.meaning.types import Kind
from hushcount.errors import BadData, InvalidParameter
from hushcount.files.arrow_arrays import row_numbers
from hushcount.files.parquet import parquet_table
from hushcount.inputs.arguments import path_text

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LARGEST_TOTAL", "TOTAL", "is_key_file", "keys_or_file", "read_keys", "read_totals"]

TOTAL = "total"

LARGEST_TOTAL = 2**62 - 1
"""Counts below 2**62 are drawn in bulk."""

_ENDINGS = (".csv", ".parquet")
_FILE_NAME = re.compile(
    r".*\.(arrow|csv|dat|db|docx?|duckdb|feather|jsonl?|ndjson|ods|orc|parquet|parq|pq|psv|sqlite3?|tab|tsv|txt|xlsx?|xml"
    r"|ya?ml)(\.(bz2|gz|xz|zip|zst))?|.*\.(bz2|gz|xz|zip|zst)",
    re.IGNORECASE | re.DOTALL,
)
_RULE = "a header, as many fields in every record, quotes around whole fields only, and no character NUL"
_TOTAL_SPELLED = r"\A[0-9]{1,19}\z"


def is_key_file(text: str) -> bool:
    """Whether `text` names a file, by how it ends; any other text is a list of keys."""
    return text.lower().endswith(_ENDINGS)


def keys_or_file(text: str, by: Sequence[str], null: str = "") -> Keys | str:
    """The keys that one line of text lists, as `Keys.listed` reads them, or the text if it is the name of a file.

    A single key that could be the name of a file is refused, since the budget would be spent on it; in quotes, as in
    CSV, it is a key.

    Raises:
        InvalidParameter: that, or as `Keys.listed` does.
    """
    if is_key_file(text):
        return text
    keys = Keys.listed(by, text, null)
    if len(keys) == 1 and not text.lstrip(" ").startswith('"') and _may_be_file(text.strip()):
        rule = (
            f"a file whose name ends in {' or '.join(_ENDINGS)}, or a list of keys: this single key looks like a file; "
            "if it is a key, quote it as in CSV, '\"KEY\"'"
        )
        raise InvalidParameter("keys", text, rule)
    return keys


def _may_be_file(text: str) -> bool:
    if "/" in text or "\\" in text or is_key_file(text) or _FILE_NAME.fullmatch(text):
        return True
    return "\0" not in text and any(os.path.isfile(text + ending) for ending in ("", *_ENDINGS))


def read_keys(path: str | Path, by: Sequence[str], null: str = "") -> Keys:
    """The keys that a file declares, in its order.

    Args:
        path: the file.
        by: the key columns.
        null: what, without quotes, is the missing key in a CSV file, as is nan.

    Raises:
        BadData: the file cannot be read, or does not have just these columns.
        InvalidParameter: no key, or one twice; or no such kind of file.
    """
    where = path_text(path, "keys")
    columns = _columns(where, "keys", by, null)
    return _keys(where, by, columns)


def read_totals(
    path: str | Path, by: Sequence[str], keys: Keys | None = None, null: str = ""
) -> tuple[Keys, NDArray[np.int64]]:
    """The cells and the public total of each, that a file declares.

    Args:
        path, by, null: as in `read_keys`.
        keys: cells that are declared already: then their order holds, and the file must have the same.

    Raises:
        BadData, InvalidParameter: as `read_keys` does; a total that is no whole number from 0 to 2**62 - 1.
    """
    import pyarrow.compute as pc

    where = path_text(path, "totals")
    if TOTAL in by:
        raise InvalidParameter(
            "by", TOTAL, f"other columns where totals are given: {TOTAL!r} has a meaning in their file"
        )
    columns = _columns(where, "totals", (*by, TOTAL), null)
    if columns[TOTAL].null_count:
        raise BadData(f"{where}: column {TOTAL!r} lacks a value")
    spelled, _ = _spelled(where, TOTAL, columns[TOTAL])
    if not pc.all(pc.match_substring_regex(spelled, _TOTAL_SPELLED), min_count=0).as_py():
        raise BadData(f"{where}: column {TOTAL!r} holds something that is not a whole number >= 0")
    totals: NDArray[Any] = np.from_dlpack(spelled.cast("uint64"))
    if len(totals) and not totals.max() <= LARGEST_TOTAL:
        raise BadData(f"{where}: column {TOTAL!r} holds a number of 2**62 or more")
    declared, totals = _keys(where, by, columns), totals.astype(np.int64)
    if keys is None:
        return declared, totals
    return keys, totals[_places(where, keys, declared)]


def _places(where: str, keys: Keys, declared: Keys) -> NDArray[np.int64]:
    """Where the keys stand among those of a file."""
    import pyarrow as pa

    numbers = row_numbers([pa.concat_arrays(pair) for pair in zip(keys.texts, declared.texts, strict=True)])
    ours, theirs = numbers[: len(keys)], numbers[len(keys) :]
    if not np.array_equal(np.sort(ours), np.sort(theirs)):
        raise BadData(f"{where}: its keys are not the keys that are declared (spelled alike, each once)")
    places: NDArray[np.int64] = np.argsort(theirs)[np.argsort(np.argsort(ours))]
    return places


def _keys(where: str, by: Sequence[str], columns: dict[str, Any]) -> Keys:
    spelled = [_spelled(where, name, columns[name]) for name in by]
    return Keys(tuple(by), tuple(texts for texts, _ in spelled), tuple(kind for _, kind in spelled))


def _columns(where: str, argument: str, wanted: Sequence[str], null: str) -> dict[str, Any]:
    if not is_key_file(where):
        rule = f"a file whose name ends in {' or '.join(_ENDINGS)}"
        hint = ", or a list of keys such as ['a', 'b']" if argument == "keys" else ""
        raise InvalidParameter(argument, where, rule + hint)
    is_parquet = where.lower().endswith(".parquet")
    table = _read_parquet(where) if is_parquet else _read_csv(where, null)
    names = table.column_names
    if sorted(names) != sorted(wanted):
        shown = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
        hint = "" if is_parquet else _header_hint(names, wanted)
        raise BadData(f"{where}: its columns must be {', '.join(map(repr, wanted))}, each once (it has {shown}){hint}")
    return {name: table[name].combine_chunks() for name in wanted}


def _header_hint(names: Sequence[str], wanted: Sequence[str]) -> str:
    """What may be wrong with the first line of a CSV file."""
    if len(names) == 1 and any(mark in names[0] for mark in ";\t|"):
        return "; the fields must be separated by commas"
    return "" if set(names) & set(wanted) else "; the first line is the header, with the names of the columns"


def _read_csv(where: str, null: str) -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    try:
        with Path(where).open(encoding="utf-8-sig", newline="") as file:
            header = _strict_header(file)
        return arrow_csv.read_csv(
            where,
            parse_options=arrow_csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=len(header) > 1),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(header, pa.string()),
                null_values=[null, *MISSING],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    except (OSError, UnicodeError, ValueError, csv.Error) as error:  # Arrow's errors are ValueErrors
        raise BadData(_unreadable(where, "CSV in UTF-8", error)) from None


def _strict_header(file: TextIO) -> list[str]:
    """The names of the columns, once all is read: Arrow lets a quote stay open, and text follow one that is closed.

    Raises:
        ValueError, csv.Error: that, or the character NUL.
    """
    records = csv.reader(file, strict=True)
    header = next(records, [])
    if any("\0" in text for record in chain([header], records) for text in record):
        raise ValueError
    return header


def _read_parquet(where: str) -> pa.Table:
    try:
        return parquet_table(where)
    except (OSError, ValueError) as error:
        raise BadData(_unreadable(where, "Parquet", error)) from None


def _unreadable(where: str, format: str, error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{where} does not exist"
    if isinstance(error, UnicodeError):
        return f"{where} is not in UTF-8: save it in that encoding"
    reason = getattr(error, "strerror", None)
    if reason is None and format == "Parquet":
        return f"{where} is not a Parquet file, or a damaged one"
    return f"{where} cannot be read as {format}: {reason or _RULE}"


def _spelled(where: str, name: str, column: Any) -> tuple[pa.Array, Kind | None]:
    """The keys of a column as texts, and what they are."""
    import pyarrow as pa
    import pyarrow.types as pt

    if pt.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if where.lower().endswith(".csv"):
        return column.cast(pa.string()), None
    if pt.is_null(kind):
        return column.cast(pa.string()), None
    if pt.is_string(kind) or pt.is_large_string(kind) or pt.is_string_view(kind):
        return column.cast(pa.string()), Kind.TEXT
    for known, found in (
        (pt.is_integer, Kind.INTEGER),
        (pt.is_decimal, Kind.DECIMAL),
        (pt.is_date, Kind.DATE),
        (pt.is_boolean, Kind.BOOLEAN),
    ):
        if known(kind):
            return (column.cast(pa.date32()) if found is Kind.DATE else column).cast(pa.string()), found
    raise BadData(
        f"{where}: column {name!r} holds {kind}, and keys are whole numbers, decimals, texts, dates or booleans"
    )
