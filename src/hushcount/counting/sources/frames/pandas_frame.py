"""A frame of pandas, which is not imported here: whoever has one has imported it.

Through the Arrow PyCapsule interface, pandas would add the index as a column, and let the values of Python objects tell
their type. Here the index is left out, and objects are texts or an error. A missing value (None, NaN, NaT, NA) is null,
or stays a NaN among floats.
"""

from __future__ import annotations

import sys
from typing import Any

import pyarrow as pa

from hushcount.counting.faults import foreign_code
from hushcount.counting.predicate.quoting import quoted_name
from hushcount.counting.sources.duckdb import column_of
from hushcount.counting.sources.frames.arrow_types import frame_column, is_text
from hushcount.counting.sources.source import Column
from hushcount.errors import BadData

__all__ = ["PandasFrame", "is_of_pandas"]


def is_of_pandas(frame: Any) -> bool:
    """Return whether it is a `pandas.DataFrame`."""
    return isinstance(frame, getattr(sys.modules.get("pandas"), "DataFrame", ()))


class PandasFrame:
    """A `pandas.DataFrame` as it is now. A column is taken when it is asked for, mostly without a copy.

    Attributes:
        columns: its columns, in order; a label that is no text is called as it is printed.
        rows: the number of rows.
    """

    def __init__(self, frame: Any, shown: str) -> None:
        self._frame, self._shown = frame.copy(deep=False), shown  # what is assigned to the frame later is not seen here
        self.columns = [self._described(at, str(label)) for at, label in enumerate(frame.columns)]
        self.rows = len(frame)

    def column(self, at: int) -> pa.ChunkedArray:
        """Return a column.

        Raises:
            BadData: it cannot be read, or holds objects that are not texts.
        """
        what = f"{self._shown}: column {self.columns[at].name!r}"
        if not self._holds_objects(at):
            with foreign_code(f"{what} cannot be read"):
                return _arrow(self._frame.iloc[:, at])
        what += (
            " holds Python objects that are not all texts; give it a type: Int64, date32[pyarrow], boolean or str by "
            "astype, or a date by pd.to_datetime; or leave it out"
        )
        with foreign_code(what):
            found = _arrow(self._frame.iloc[:, at])
        if found.null_count == self.rows:
            return pa.chunked_array([pa.nulls(self.rows, pa.string())])
        if not is_text(found.type):
            raise BadData(what)
        return found

    def _described(self, at: int, name: str) -> Column:
        if self._holds_objects(at):
            return column_of(name, "VARCHAR")
        try:
            return frame_column(name, _arrow(self._frame.iloc[:0, at]).type)
        except Exception:
            return Column.of(name, str(self._frame.dtypes.iloc[at]), None, quoted_name(name))

    def _holds_objects(self, at: int) -> bool:
        dtype = self._frame.dtypes.iloc[at]
        categories = getattr(dtype, "categories", None)
        return str(dtype if categories is None else categories.dtype) == "object"


def _arrow(values: Any) -> pa.ChunkedArray:
    # A NaN is missing as it is, so that floats need not be searched for one
    found = pa.array(values, from_pandas=values.dtype.kind != "f")
    return found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found])
