"""The cells of a table of counts, as the user declares them: one key for each, in order.

Which groups there are in the data is private, so the cells are not taken from the data: a declared cell is released
whether or not it has rows. A key means what the predicate `COLUMN = literal` would mean for the type of its column, and
the missing key means `COLUMN IS NULL`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from hashlib import sha256
from numbers import Integral
from typing import TYPE_CHECKING, Any
from unicodedata import is_normalized

from hushcount.counting.cells.key_types import (
    KIND_WORDS,
    MOST_DIGITS,
    as_iso,
    native,
    spelled_kind,
)
from hushcount.counting.declared.options import MISSING
from hushcount.counting.meaning.types import PINNED, Kind
from hushcount.counting.predicate.groups import FromFile, Group, parse_group
from hushcount.counting.predicate.moments import ISO_DATE
from hushcount.errors import InvalidParameter, Told, type_of
from hushcount.files.arrow_arrays import arrow_array, row_numbers
from hushcount.inputs.arguments import listed

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MISSING_KEY", "OTHER", "FoundKeys", "Keys", "column_list", "group_list"]

MISSING_KEY, OTHER = "(missing)", "(other)"
"""How a missing key, and the cell of undeclared ones, are shown to people; files distinguish both from texts by
other means."""

_FIELD = re.compile(r' *("(?:[^"]|"")*"|[^,]*)(?:,|\Z)')
"""A field of a record that the `csv` module read, which does not tell whether it was quoted."""

_WHY = (
    "given: which groups there are in the data is private, so the cells are declared, as a list of keys or a file with "
    "the key columns, and a cell is released whether or not it has rows"
)


@dataclass(frozen=True, eq=False)
class Keys:
    """Declared cells; made by `Keys.of`, or read from a file by `read_keys`.

    Attributes:
        by: the key columns.
        texts: for each of them, the keys as they are spelled: Arrow arrays of strings, all of one length; null is the
            missing key.
        kinds: for each of them, what its keys are; None where only a text was given, which the type of the column of
            the source explains, or failing that its spelling; or where all are missing.
        date_format: how the dates of the source are written; keys that are dates by their spelling may be written so.
    """

    by: tuple[str, ...]
    texts: tuple[pa.Array, ...] = field(repr=False)
    kinds: tuple[Kind | None, ...]
    date_format: str = ISO_DATE

    def __post_init__(self) -> None:
        if not len(self):
            raise InvalidParameter("keys", None, "at least one key: there are no cells")
        self.check_different(self.texts, "this one is declared twice")

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.texts[0])

    @classmethod
    def of(cls, by: Sequence[str], keys: Iterable[Any] | None) -> Keys:
        """Return the cells of keys given one by one.

        Args:
            by: the key columns.
            keys: for one column, its values; for several, tuples of them. A value is an int, a str, a bool, a date or a
                Decimal, and those of one column are all of one type; or None, which is the missing key.

        Raises:
            InvalidParameter: a key is something else, there is none, or one occurs twice.
        """
        if hasattr(keys, "columns"):
            raise InvalidParameter("keys", None, f"a list, not a data frame: {_from_frame(by)}")
        rows = listed(keys, "keys", _WHY)
        columns: list[Sequence[Any]]
        if len(by) == 1:
            columns = [[row[0] if isinstance(row, tuple) and len(row) == 1 else row for row in rows]]
        else:
            for row in rows:
                if not (isinstance(row, (tuple, list)) and len(row) == len(by)):
                    got = Told(f"{type(row).__name__} of {len(row)}") if isinstance(row, (tuple, list)) else row
                    raise InvalidParameter("keys", got, f"tuples of {len(by)} values, for {', '.join(by)}")
            columns = list(zip(*rows, strict=True)) if rows else [[] for _ in by]
        spelled = [_column(values) for values in columns]
        return cls(tuple(by), tuple(texts for texts, _ in spelled), tuple(kind for _, kind in spelled))

    @classmethod
    def listed(cls, by: Sequence[str], text: str, null: str = "") -> Keys:
        """Return the cells of keys in one line, `a,b,"c, d"`: a CSV record, in which blanks before a key are skipped.

        Args:
            by: the key column.
            text: the line.
            null: the spelling that, without quotes, is the missing key, as nan is; an empty field is not a key.

        Raises:
            InvalidParameter: there are several key columns, which need a file; the text is not one record; or a key is
                empty.
        """
        if len(by) != 1:
            raise InvalidParameter("keys", text, f"a file (.csv or .parquet) for several columns, {', '.join(by)}")
        try:
            records = list(csv.reader(io.StringIO(text), skipinitialspace=True, strict=True))
        except csv.Error:
            records = []
        if len(records) != 1:
            raise InvalidParameter("keys", text, "one line of keys with commas between them, quoted as in CSV")
        if not all(records[0]):
            raise InvalidParameter("keys", text, "a list without an empty key; nan is the missing one, or use a file")
        are_quoted = [field[1].startswith('"') for field in _FIELD.finditer(text)]
        missing = {null, *MISSING}
        keys = [
            None if key in missing and not is_quoted else key
            for key, is_quoted in zip(records[0], are_quoted, strict=False)  # an empty match may follow the last
        ]
        return cls(tuple(by), (_texts(keys),), (None,))

    @cached_property
    def sha256(self) -> str:
        """The hash of the keys as a CSV file.

        It has the names, then the keys, with every field in quotes (but missing keys are empty fields without), and
        lines end in a line feed.
        """
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        sink = pa.BufferOutputStream()
        table = pa.table(list(self.texts), names=list(self.by))
        arrow_csv.write_csv(table, sink, arrow_csv.WriteOptions(quoting_style="all_valid"))
        return sha256(sink.getvalue()).hexdigest()

    def natives(self, pinned: Mapping[str, str]) -> dict[str, pa.Array]:
        """Return the columns in Arrow types of their own.

        They are of the kind they were declared with, or that is pinned for the column of the source, or else that all
        of their spellings say.

        Args:
            pinned: as in `ReadOptions.types`.
        """
        kinds = self.meant(pinned)
        return {
            name: native(as_iso(texts, self.date_format) if kinds[name] is Kind.DATE else texts, kinds[name])
            for name, texts in zip(self.by, self.texts, strict=True)
        }

    def meaning(self, pinned: Mapping[str, str]) -> dict[str, str]:
        """Return the kinds in words; a type that the source itself declares comes before a spelling."""
        return {
            name: KIND_WORDS[kind] + ("" if known or name in pinned else ", by their spelling")
            for (name, kind), known in zip(self.meant(pinned).items(), self.kinds, strict=True)
        }

    def meant(self, pinned: Mapping[str, str]) -> dict[str, Kind]:
        """Return what the keys of each column are; see `natives`."""

        def kind_of(name: str, texts: pa.Array) -> Kind:
            return PINNED[pinned[name]].kind if name in pinned else spelled_kind(as_iso(texts, self.date_format))

        return {
            name: kind or kind_of(name, texts)
            for name, texts, kind in zip(self.by, self.texts, self.kinds, strict=True)
        }

    @property
    def all_composed(self) -> bool:
        """Whether all keys are in Unicode's composed form (NFC), in which a letter with an accent is one code point."""
        return all(is_normalized("NFC", text) for texts in self.texts for text in texts.drop_null().to_pylist())

    def row(self, cell: int) -> tuple[str | None, ...]:
        """Return how the key of one cell is spelled; None is a missing key."""
        return tuple(texts[cell].as_py() for texts in self.texts)

    def shown(self, cell: int) -> tuple[str, ...]:
        """Return how the key of one cell is shown to people; what could be mistaken for something else is in quotes."""
        return tuple(map(_shown, self.row(cell)))

    def check_different(self, columns: Sequence[pa.Array], what: str) -> None:
        """Check that no two cells are the same in all columns, which have a row for each cell.

        Raises:
            InvalidParameter: two are; `what` says in what way.
        """
        import numpy as np

        numbers = row_numbers(columns)
        _, after, times = np.unique(numbers[::-1], return_index=True, return_counts=True)
        if len(times) < len(self):
            last = len(self) - 1 - int(after[times > 1].max())
            raise InvalidParameter("keys", ", ".join(self.shown(last)), f"different from each other: {what}")


@dataclass(frozen=True, eq=False)
class FoundKeys(Keys):
    """The keys of groups from the data that are shown: there may be none, and two whose bytes are not UTF-8 may look
    alike once these are escaped."""

    def __post_init__(self) -> None:
        """Judge nothing: no value of the data is an error."""


def _shown(key: str | None) -> str:
    if key is None:
        return MISSING_KEY
    if key in ("", MISSING_KEY, OTHER) or key.startswith('"'):
        return '"' + key.replace('"', '""') + '"'
    return key


def column_list(by: str | Iterable[str]) -> tuple[str, ...]:
    """Return the key columns that `by` names.

    Raises:
        InvalidParameter: there is none, one occurs twice, or it is something else.
    """
    names = (by,) if isinstance(by, str) else tuple(listed(by, "by", "the names of one or more columns"))
    if not names or not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
        raise InvalidParameter("by", by, "the names of one or more columns, each once")
    return names


def group_list(by: str | Iterable[str | Group]) -> tuple[Group, ...]:
    """Return what `by` names: columns, and what is computed from them.

    Raises:
        InvalidParameter: there is none, one occurs twice, or it is something else.
    """
    given = (by,) if isinstance(by, str) else tuple(listed(by, "by", "the names of one or more columns"))
    column_list([item.text if isinstance(item, Group) else item for item in given])
    groups = tuple(item if isinstance(item, Group) else parse_group(item) for item in given)
    column_list([group.text if isinstance(group, FromFile) else group.name for group in groups])
    return groups


def _column(values: Sequence[Any]) -> tuple[pa.Array, Kind | None]:
    """Return the spellings of Python values, and the one kind they have, if they are not all missing."""
    given = [value for value in values if value is not None]
    kinds = {_kind_of(value) for value in given}
    if kinds == {Kind.INTEGER, Kind.DECIMAL}:
        kinds = {Kind.DECIMAL}
    if None in kinds or len(kinds) > 1:
        first = next((value for value in given if _kind_of(value) is None), given[0])
        is_missing = isinstance(first, float) or type(first).__name__ in ("NAType", "NaTType")  # those of pandas
        hint = "; a missing value is None" if is_missing else ""
        hint = hint or ("; of a datetime, take .date()" if isinstance(first, datetime) else "")
        rule = f"ints, texts, bools, dates or Decimals, those of one column of one type{hint}"
        raise InvalidParameter("keys", type_of(first), rule)
    if not all(_is_short(value) for value in values if isinstance(value, (int, Decimal))):
        raise InvalidParameter("keys", None, f"numbers of at most {MOST_DIGITS} digits before and after the point")
    return _texts([None if value is None else _spelling(value) for value in values]), next(iter(kinds), None)


def _from_frame(by: Sequence[str]) -> str:
    if len(by) == 1:
        return f"frame[{by[0]!r}]"
    return f"frame[{list(by)!r}].itertuples(index=False, name=None)"


def _is_short(number: int | Decimal) -> bool:
    """Return whether it can be written out, and can be in a column."""
    exponent = number.as_tuple().exponent if isinstance(number, Decimal) else 0
    end = 10**MOST_DIGITS
    return -end < number < end and isinstance(exponent, int) and exponent >= -MOST_DIGITS


def _texts(spelled: Sequence[str | None]) -> pa.Array:
    import pyarrow as pa

    try:
        return arrow_array(spelled, pa.string())
    except UnicodeEncodeError:
        raise InvalidParameter("keys", None, "texts that UTF-8 can encode") from None


def _kind_of(value: object) -> Kind | None:
    if isinstance(value, bool):
        return Kind.BOOLEAN
    if isinstance(value, Integral):
        return Kind.INTEGER
    if isinstance(value, str):
        return Kind.TEXT
    if isinstance(value, Decimal):
        return Kind.DECIMAL if value.is_finite() else None
    return Kind.DATE if isinstance(value, date) and not isinstance(value, datetime) else None


def _spelling(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}"
    return value.isoformat() if isinstance(value, date) else str(value)
