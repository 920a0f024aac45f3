"""Files of declared keys, and of known totals for them: CSV (UTF-8, a header) or Parquet, told by their names.

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
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np
from numpy.typing import NDArray

from hushcount.counting.cells.found import FROM_DATA_WORD, is_nearly_from_data
from hushcount.counting.cells.keys import Keys
from hushcount.counting.declared.options import MISSING
from hushcount.counting.meaning.types import Kind
from hushcount.errors import BadData, InvalidParameter
from hushcount.files.arrow_arrays import arrow_array, row_numbers
from hushcount.files.parquet import parquet_table
from hushcount.inputs.arguments import path_text
from hushcount.inputs.delimiters import delimiter_hint
from hushcount.words.unreadable import unreadable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "DELIMITER",
    "LARGEST_TOTAL",
    "TOTAL",
    "KeyTable",
    "is_key_file",
    "key_table",
    "keys_or_file",
    "read_keys",
    "read_totals",
]

TOTAL = "total"

DELIMITER = "keys_delimiter"
"""What declares the delimiter of these files."""

LARGEST_TOTAL = 2**62 - 1
"""The largest total; counts below 2**62 are drawn in bulk."""

_ENDINGS = (".csv", ".parquet")
_FILE_NAME = re.compile(
    r".*\.(arrow|csv|dat|db|docx?|duckdb|feather|jsonl?|ndjson|ods|orc|parquet|parq|pq|psv|sqlite3?|tab|tsv|txt|xlsx?|xml"
    r"|ya?ml)(\.(bz2|gz|xz|zip|zst))?|.*\.(bz2|gz|xz|zip|zst)",
    re.IGNORECASE | re.DOTALL,
)
_RULE = "a header, as many fields in every record, quotes around whole fields only, and no character NUL"
_TOTAL_SPELLED = r"\A[0-9]{1,19}\z"


def is_key_file(text: str) -> bool:
    """Return whether `text` names a file, by how it ends; any other text is a list of keys."""
    return text.lower().endswith(_ENDINGS)


def keys_or_file(text: str, by: Sequence[str], null: str = "") -> Keys | str:
    """Return the keys that one line of text lists, as `Keys.listed` reads them, or the text if it is the name of a
    file.

    A single key that could be the name of a file, or that is nearly from-data, is refused, since the budget might be
    spent on it by mistake; in quotes, as in CSV, it is a key.

    Raises:
        InvalidParameter: such a key, or as for `Keys.listed`.
    """
    if is_key_file(text):
        return text
    is_quoted = text.lstrip(" ").startswith('"')
    if is_nearly_from_data(text) and not is_quoted:
        rule = (
            f"{FROM_DATA_WORD}, if the groups come from the data: the budget would be spent on this single key; if it "
            "is a key, quote it as in CSV, '\"KEY\"'"
        )
        raise InvalidParameter("keys", text, rule)
    keys = Keys.listed(by, text, null)
    if len(keys) == 1 and not is_quoted and _may_be_file(text.strip()):
        rule = (
            f"a file whose name ends in {' or '.join(_ENDINGS)}, or a list of keys: this single key looks like a file; "
            "if it is a key, quote it as in CSV, '\"KEY\"'"
        )
        raise InvalidParameter("keys", text, rule)
    return keys


def _may_be_file(text: str) -> bool:
    if text == "-" or "/" in text or "\\" in text or is_key_file(text) or _FILE_NAME.fullmatch(text):
        return True
    return "\0" not in text and any(os.path.isfile(text + ending) for ending in ("", *_ENDINGS))


def read_keys(
    path: str | Path, by: Sequence[str], null: str = "", alone: Sequence[str] = (), delimiter: str = ","
) -> Keys:
    """Return the keys that a file declares, in its order.

    Args:
        path: the file.
        by: the key columns.
        alone: those of them that the file may have alone, since the keys of the others are known.
        null: what, without quotes, is the missing key in a CSV file, as is nan.
        delimiter: the one character between the fields of a CSV file.

    Raises:
        BadData: the file cannot be read, or does not have just these columns.
        InvalidParameter: there is no key, or one twice; or the file is of another kind.
    """
    where = path_text(path, "keys")
    table = key_table(where, "keys", null, delimiter)
    wanted = alone if alone and sorted(table.names) == sorted(alone) else by
    return _keys(wanted, table.only(wanted))


def read_totals(
    path: str | Path, by: Sequence[str], keys: Keys | None = None, null: str = "", delimiter: str = ","
) -> tuple[Keys, NDArray[np.int64]]:
    """Return the cells that a file declares, and the public total of each.

    Args:
        path, by, null, delimiter: as in `read_keys`.
        keys: cells that are already declared; their order holds, and the file must have the same cells.

    Raises:
        BadData, InvalidParameter: as for `read_keys`; or a total that is not a whole number from 0 to 2**62 - 1.
    """
    import pyarrow.compute as pc

    where = path_text(path, "totals")
    if TOTAL in by:
        raise InvalidParameter(
            "by", TOTAL, f"other columns where totals are given: {TOTAL!r} has a meaning in their file"
        )
    table = key_table(where, "totals", null, delimiter).only((*by, TOTAL))
    spelled, _ = table.spelled(TOTAL)
    if spelled.null_count:
        raise BadData(f"{where}: column {TOTAL!r} lacks a value")
    if not pc.all(pc.match_substring_regex(spelled, _TOTAL_SPELLED), min_count=0).as_py():
        raise BadData(f"{where}: column {TOTAL!r} holds something that is not a whole number >= 0")
    totals: NDArray[Any] = np.from_dlpack(spelled.cast("uint64"))
    if len(totals) and not totals.max() <= LARGEST_TOTAL:
        raise BadData(f"{where}: column {TOTAL!r} holds a number of 2**62 or more")
    declared, totals = _keys(by, table), totals.astype(np.int64)
    if keys is None:
        return declared, totals
    return keys, totals[_places(where, keys, declared)]


def _places(where: str, keys: Keys, declared: Keys) -> NDArray[np.int64]:
    """Return where the keys stand among those of a file."""
    import pyarrow as pa

    numbers = row_numbers([pa.concat_arrays(pair) for pair in zip(keys.texts, declared.texts, strict=True)])
    ours, theirs = numbers[: len(keys)], numbers[len(keys) :]
    if not np.array_equal(np.sort(ours), np.sort(theirs)):
        raise BadData(f"{where}: its keys are not the keys that are declared (spelled alike, each once)")
    places: NDArray[np.int64] = np.argsort(theirs)[np.argsort(np.argsort(ours))]
    return places


def _keys(by: Sequence[str], table: KeyTable) -> Keys:
    spelled = [table.spelled(name) for name in by]
    return Keys(tuple(by), tuple(texts for texts, _ in spelled), tuple(kind for _, kind in spelled))


@dataclass(frozen=True)
class KeyTable:
    """A file of declarations, read.

    Attributes:
        where: the file.
        table: what it holds.
        delimiter: the declared character between the fields of a CSV file.
    """

    where: str
    table: pa.Table = field(repr=False)
    delimiter: str

    @property
    def names(self) -> list[str]:
        """The names of the columns; one may be there twice."""
        found: list[str] = self.table.column_names
        return found

    def only(self, wanted: Sequence[str]) -> KeyTable:
        """Return the table, which has these columns and no other.

        Raises:
            BadData: it has others.
        """
        names = self.names
        if sorted(names) != sorted(wanted):
            shown = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
            must = ", ".join(map(repr, wanted))
            raise BadData(f"{self.where}: its columns must be {must}, each once (it has {shown}){self.hint(wanted)}")
        return self

    def hint(self, wanted: Sequence[str]) -> str:
        """Return what may be wrong with the first line of a CSV file, for an error; or no text."""
        if self.where.lower().endswith(".parquet"):
            return ""
        if len(self.names) == 1 and (undivided := delimiter_hint(self.names[0], self.delimiter, DELIMITER)):
            return undivided
        is_header = set(self.names) & set(wanted)
        return "" if is_header else "; the first line is the header, with the names of the columns"

    def spelled(self, name: str) -> tuple[pa.Array, Kind | None]:
        """Return the keys of a column as texts, and what they are.

        Raises:
            BadData: it holds what no key is.
        """
        return _spelled(self.where, name, self.table[name].combine_chunks())


def key_table(path: str | Path, argument: str, null: str, delimiter: str = ",") -> KeyTable:
    """Return what a file declares.

    Args:
        argument: what names the file, for errors.
        null, delimiter: as in `read_keys`.

    Raises:
        BadData: it cannot be read.
        InvalidParameter: it is of another kind.
    """
    where = path_text(path, argument)
    if not is_key_file(where):
        rule = f"a file whose name ends in {' or '.join(_ENDINGS)}"
        hint = ", or a list of keys such as ['a', 'b']" if argument == "keys" else ""
        raise InvalidParameter(argument, where, rule + hint)
    is_parquet = where.lower().endswith(".parquet")
    return KeyTable(where, _read_parquet(where) if is_parquet else _read_csv(where, null, delimiter), delimiter)


def _read_csv(where: str, null: str, delimiter: str) -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    first = ""
    try:
        with Path(where).open(encoding="utf-8-sig", newline="") as file:
            first = file.readline().rstrip("\r\n")
            file.seek(0)
            header = _strict_header(file, delimiter)
        return arrow_csv.read_csv(
            where,
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=len(header) > 1
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(header, pa.string()),
                null_values=[null, *MISSING],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    except (OSError, UnicodeError, ValueError, csv.Error) as error:  # Arrow's errors are ValueErrors
        hint = "" if delimiter in first else delimiter_hint(first, delimiter, DELIMITER)
        raise BadData(f"{_unreadable(where, 'CSV in UTF-8', error)}{hint}") from None


def _strict_header(file: TextIO, delimiter: str) -> list[str]:
    """Return the names of the columns, after reading everything: Arrow lets a quote stay open, and text follow a
    closed one.

    Raises:
        ValueError, csv.Error: there is such a quote, or the character NUL.
    """
    records = csv.reader(file, delimiter=delimiter, strict=True)
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
    if isinstance(error, UnicodeError):
        return f"{where} is not in UTF-8: save it in that encoding"
    if getattr(error, "strerror", None) is not None:
        return unreadable(where, error)
    if format == "Parquet":
        return f"{where} is not a Parquet file, or a damaged one"
    return f"{where} cannot be read as {format}: {_RULE}"


def _spelled(where: str, name: str, column: Any) -> tuple[pa.Array, Kind | None]:
    """Return the keys of a column as texts, and what they are."""
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
            if found is Kind.DECIMAL:  # in plain digits, where a cast writes 0E-9
                return arrow_array([None if n is None else f"{n:f}" for n in column.to_pylist()], pa.string()), found
            return (column.cast(pa.date32()) if found is Kind.DATE else column).cast(pa.string()), found
    raise BadData(
        f"{where}: column {name!r} holds {kind}, and keys are whole numbers, decimals, texts, dates or booleans"
    )
