"""A source from the first question about it to the last: opened once, and its columns read once."""

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
from hushcount.errors import BadData, BadUse

if TYPE_CHECKING:
    from hushcount.counting.engines.duckdb import KeptEngine

__all__ = ["KeptSource"]


class KeptSource:
    """A source from the first question about it to the last, as it was when its columns were read.

    The questions are about the same place and are read by the same options; they count rows, or all of them the same
    units. Not for several threads.

    Args:
        columns: those that the questions name, to be read together once they may be.
        kept: what keeps the engine even longer, for sources opened after this one.

    Attributes:
        rows, units: how many there were when they were counted; None before that.
    """

    def __init__(self, columns: Iterable[str] = (), kept: KeptEngine | None = None) -> None:
        self._columns, self._kept = tuple(dict.fromkeys(columns)), kept
        self._opened = ExitStack()
        self._engine: Any = None
        self._source: _ReadOnce | None = None
        self.rows: int | None = None
        self.units: int | None = None

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
            self._source = _ReadOnce(open_source(place, options, self.engine(place)), self._columns)
        return self._source

    def read_together(self) -> None:
        """Have the next question read the columns of all of them, for those that follow.

        An error may then tell something of each column, so that all questions are to be paid for by now.
        """
        if self._source is not None:
            self._source.may_read_together = True


class _ReadOnce(Source):
    """A source of which some columns may be read together, by the first question that needs one of them."""

    def __init__(self, source: Source, columns: Sequence[str]) -> None:
        self._source = source
        self._together = tuple(name for name in columns if name in source.columns)
        self.may_read_together = False
        self._found: Mapping[str, ColumnType] | None = None
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
        self._found = None
        return self._source.count_rows(engine, self._together or names)

    def load(self, engine: Any, names: Sequence[str]) -> Mapping[str, ColumnType]:
        if self._found is None and self._together and self.may_read_together:
            try:
                self._found = self._source.load(engine, self._together)
            except (BadData, BadUse):  # each question is then told of its own columns
                self._together = ()
        if self._found is None or not set(names) <= set(self._together):
            self._found = None
            return self._source.load(engine, names)
        return {name: self._found[name] for name in names}

    def read_as_text(self, name: str) -> None:
        self._source.read_as_text(name)

    def line_without(self, name: str) -> int | None:
        return self._source.line_without(name)
