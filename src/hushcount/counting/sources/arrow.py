"""Arrow files (Feather) and streams: the needed columns are read into memory, and their types are declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
from pyarrow import ipc

from hushcount.counting.engines.duckdb import FRAME, DuckdbEngine
from hushcount.counting.faults import foreign_errors
from hushcount.counting.meaning.types import ColumnType
from hushcount.counting.sources.frames.arrow_types import frame_column, handed
from hushcount.counting.sources.source import DeclaredSource, check_distinct
from hushcount.errors import BadData

__all__ = ["ArrowSource"]

_STREAM = b"\xff\xff\xff\xff"


class ArrowSource(DeclaredSource):
    """An Arrow file, or a stream kept in a file."""

    format = "arrow"

    def __init__(self, path: str, shown: str) -> None:
        with open(path, "rb") as file:
            self._open = ipc.open_stream if file.read(4) == _STREAM else ipc.open_file
        with foreign_errors(f"{shown} cannot be read as an Arrow file"), pa.OSFile(path) as file:
            self._schema = self._open(file).schema
            columns = [frame_column(field.name, field.type) for field in self._schema]
        if not columns:
            raise BadData(f"{shown} holds no column")
        check_distinct(shown, self._schema.names)
        self._path = path
        super().__init__(shown, columns, FRAME)

    def count_rows(self, engine: DuckdbEngine, names: Sequence[str]) -> int:
        return int(self._read(names).num_rows)

    def load(self, engine: DuckdbEngine, names: Sequence[str]) -> Mapping[str, ColumnType]:
        self._readable(names)
        table = self._read(names)
        with foreign_errors(f"{self._shown} holds a value that cannot be read"):
            columns = {name: handed(table.column(name)) for name in names}
            engine.frame(pa.table(columns or {"one": pa.nulls(table.num_rows, pa.bool_())}))
        return super().load(engine, names)

    def _read(self, names: Sequence[str]) -> pa.Table:
        """Return columns; all of their values are seen to be what the file says."""
        places = sorted(self._schema.get_field_index(name) for name in names or self.columns[:1])
        expected = pa.schema([self._schema.field(place) for place in places])
        with foreign_errors(f"{self._shown} cannot be read as an Arrow file"), pa.OSFile(self._path) as file:
            reader = self._open(file, options=ipc.IpcReadOptions(included_fields=places))
            if not reader.schema.equals(expected):
                raise BadData(f"{self._shown} was changed while it was read")
            table = reader.read_all()
            table.validate(full=True)
        return table
