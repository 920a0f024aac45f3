"""A source that several questions are about: opened once, and its columns read once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.declared.place import Place
from hushcount.counting.declared.schema import SchemaColumn
from hushcount.counting.meaning.types import ColumnType
from hushcount.counting.sources.formats import engine_for, open_source
from hushcount.counting.sources.source import Source

if TYPE_CHECKING:
    from hushcount.counting.engines.duckdb import KeptEngine

__all__ = ["KeptSource"]


class KeptSource:
    """A source from the first question about it to the last, as it was when its columns were read.

    The questions are about the same place and are read by the same options; they count rows, or all of them the same
    units. Not for several threads.

    Args:
        columns: what is read together, by the first question that needs any of it.
        kept: what keeps the engine even longer, for sources opened after this one.
    """

    def __init__(self, columns: Iterable[str] = (), kept: KeptEngine | None = None) -> None:
        self._columns, self._kept = tuple(dict.fromkeys(columns)), kept
        self._opened = ExitStack()
        self._engine: Any = None
        self._source: Source | None = None

    def __enter__(self) -> KeptSource:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._engine = self._source = None
        self._opened.close()

    def engine(self, place: Place) -> Any:
        """Return the engine, which stays open as long as this; see `engine_for`."""
        if self._engine is None:
            self._engine = self._opened.enter_context(engine_for(place, self._kept))
        return self._engine

    def source(self, place: Place, options: ReadOptions) -> Source:
        """Return the source, opened by the first call; see `open_source`."""
        if self._source is None:
            opened = open_source(place, options, self.engine(place))
            self._source = _ReadOnce(opened, self._columns) if self._columns else opened
        return self._source


class _ReadOnce(Source):
    """A source of which some columns are read together, by the first that asks for one of them."""

    def __init__(self, source: Source, columns: tuple[str, ...]) -> None:
        self._source = source
        self._together = tuple(name for name in columns if name in source.columns)
        self._found: Mapping[str, ColumnType] | None = None
        self._rows: int | None = None
        self.format, self.values_tell, self.columns = source.format, source.values_tell, source.columns

    @property
    def listed(self) -> Mapping[str, ColumnType]:
        return self._source.listed

    @listed.setter
    def listed(self, types: Mapping[str, ColumnType]) -> None:
        self._source.listed = types

    def declared(self, names: Sequence[str]) -> Mapping[str, ColumnType]:
        return self._source.declared(names)

    def described(self, engine: Any) -> tuple[SchemaColumn, ...]:
        self._found = None
        return self._source.described(engine)

    def count_rows(self, engine: Any, names: Sequence[str]) -> int:
        if self._rows is None:
            self._found = None
            self._rows = self._source.count_rows(engine, self._together or names)
        return self._rows

    def load(self, engine: Any, names: Sequence[str]) -> Mapping[str, ColumnType]:
        if not set(names) <= set(self._together):
            self._found = None
            return self._source.load(engine, names)
        if self._found is None:
            self._found = self._source.load(engine, self._together)
        return {name: self._found[name] for name in names}

    def read_as_text(self, name: str) -> None:
        self._source.read_as_text(name)

    def line_without(self, name: str) -> int | None:
        return self._source.line_without(name)
