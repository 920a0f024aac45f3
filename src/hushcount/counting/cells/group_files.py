"""Files that say which group a value belongs to: a column with the name of the source's, and one with the groups.

They are read as files of keys are: CSV (UTF-8, a header) or Parquet. The other column gives the key column its
name. Each value occurs once; a group that has several values is one cell, or one in each of several. The missing value
may have a group, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from hushcount.counting.cells.key_files import key_table
from hushcount.counting.cells.key_types import typed_keys
from hushcount.counting.cells.keys import Keys
from hushcount.counting.meaning.types import ColumnType, Kind
from hushcount.counting.predicate.groups import FromFile, Group
from hushcount.errors import BadData, InvalidParameter
from hushcount.files.arrow_arrays import arrow_array, row_numbers

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Mapped", "read_group"]


@dataclass(frozen=True, eq=False)
class Mapped(Group):
    """The text that a file gives for the value of a column; a value that it does not have is as an undeclared key.

    Attributes:
        label_name: the name of the column of texts in the file.
        codes: the values, as they are spelled; null is the missing one.
        kind: what they are, if the file says it.
        texts: the text of each.
    """

    label_name: str
    codes: pa.Array = field(repr=False)
    kind: Kind | None
    texts: tuple[str, ...] = field(repr=False)

    @property
    def name(self) -> str:
        return self.label_name

    @property
    def text(self) -> str:
        return f"{self._quoted} from a file ({self.label_name}, sha256 {self._sha256})"

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.texts))

    @cached_property
    def label_of(self) -> tuple[int, ...]:
        """For each value, the place of its text among `labels`."""
        places = {label: at for at, label in enumerate(self.labels)}
        return tuple(places[text] for text in self.texts)

    @cached_property
    def _sha256(self) -> str:
        columns = self.codes, arrow_array(self.texts, self.codes.type)
        return Keys((self.column, self.label_name), columns, (None, None)).sha256

    def codes_in(self, kind: ColumnType, date_format: str) -> tuple[ColumnType, pa.Array]:
        """Return the type in which the values are compared with a column, and the values in it, with null after them.

        Raises:
            InvalidParameter: a value cannot be compared with the column, or two are one.
        """
        import numpy as np
        import pyarrow as pa

        try:
            told, values = typed_keys(self.column, self.codes, self.kind, kind, date_format)
        except InvalidParameter as error:
            if error.argument != "keys":
                raise
            raise InvalidParameter("by", error.value, f"mapped from {error.rule}") from None
        if len(np.unique(row_numbers([values]))) < len(values):
            raise InvalidParameter("by", None, f"mapped from values of {self.column!r}, no two of which mean the same")
        return told, pa.concat_arrays([values, pa.nulls(1, values.type)])


def read_group(group: FromFile, null: str = "", delimiter: str = ",") -> Mapped:
    """Return the group that a file declares.

    Args:
        null: what, without quotes, is the missing value in a CSV file, as is nan.
        delimiter: the one character between the fields of a CSV file.

    Raises:
        BadData: the file cannot be read, has other columns than these two, lacks a text, or has a value twice.
        InvalidParameter: the file is of another kind.
    """
    table = key_table(group.path, "by", null, delimiter)
    others = [name for name in table.names if name != group.column]
    if len(table.names) != 2 or len(others) != 1:
        what = f"{group.column!r} and one other, with the group of each"
        shown = ", ".join(map(repr, table.names[:10]))
        raise BadData(f"{group.path}: its columns must be {what} (it has {shown}){table.hint([group.column])}")
    (codes, kind), (labels, _) = table.spelled(group.column), table.spelled(others[0])
    if labels.null_count:
        raise BadData(f"{group.path}: column {others[0]!r} lacks a value")
    try:
        Keys((group.column,), (codes,), (kind,))
    except InvalidParameter as error:
        raise BadData(f"{group.path}: {error}") from None
    return Mapped(group.column, others[0], codes, kind, tuple(labels.to_pylist()))
