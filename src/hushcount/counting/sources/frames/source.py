"""A frame as a source: its columns have declared types, and DuckDB reads them where they are."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from hushcount.counting.declared.place import Place
from hushcount.counting.engines.duckdb import FRAME, DuckdbEngine
from hushcount.counting.faults import foreign_errors
from hushcount.counting.meaning.types import ColumnType
from hushcount.counting.sources.frames.arrow_frame import ArrowFrame
from hushcount.counting.sources.frames.arrow_types import handed
from hushcount.counting.sources.frames.pandas_frame import PandasFrame, is_of_pandas
from hushcount.counting.sources.source import DeclaredSource, check_distinct
from hushcount.errors import BadData

__all__ = ["FrameSource"]


class FrameSource(DeclaredSource):
    """A frame, taken as it is when the source is opened; only the columns of a question are handed on."""

    format = "frame"

    def __init__(self, place: Place) -> None:
        kind = PandasFrame if is_of_pandas(place.frame) else ArrowFrame
        self._frame = kind(place.frame, place.shown)
        names = [column.name for column in self._frame.columns]
        if not names:
            raise BadData(f"{place.shown} has no columns")
        check_distinct(place.shown, names)
        super().__init__(place.shown, self._frame.columns, FRAME)
        self._handed: dict[str, pa.ChunkedArray] = {}

    def count_rows(self, engine: DuckdbEngine, names: Sequence[str]) -> int:
        self._hand(engine, names)  # what cannot be read is found before a charge
        return self._frame.rows

    def load(self, engine: DuckdbEngine, names: Sequence[str]) -> dict[str, ColumnType]:
        self._readable(names)
        self._hand(engine, names)
        return dict(super().load(engine, names))

    def _hand(self, engine: DuckdbEngine, names: Sequence[str]) -> None:
        for name in names:
            if name not in self._handed:
                with foreign_errors(f"{self._shown}: column {name!r} cannot be read"):
                    self._handed[name] = handed(self._frame.column(self.columns.index(name)))
        columns = {name: self._handed[name] for name in names} or {"one": pa.nulls(self._frame.rows, pa.bool_())}
        engine.frame(pa.table(columns))
