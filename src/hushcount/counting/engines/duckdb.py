"""DuckDB in memory, which judges the rows of files; and an engine that is kept from count to count."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from hushcount.counting.declared.place import Place
from hushcount.counting.engines.engine import ROWS_AT_ONCE, Engine, in_utf8
from hushcount.counting.meaning.query import KEYS, SOURCE
from hushcount.counting.predicate.quoting import quoted_name, quoted_text
from hushcount.files.data_files import listed_files

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ATTACHED", "FRAME", "DuckdbEngine", "KeptEngine", "as_pattern"]

ATTACHED = "file"
"""The name of an attached DuckDB file."""
FRAME = "frame"
"""The name of an Arrow table of which `source` is a view."""

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "allow_community_extensions": "false",
    "arrow_large_buffer_size": "true",  # see Engine.found
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_file_cache": "false",  # a changed file is read anew
    "python_enable_replacements": "false",
    "temp_directory": "",
}
_ENDINGS = ("", ".wal", ".wal.checkpoint", ".wal.recovery")
_WILDCARDS = re.compile(r"[\[*?]")


def as_pattern(path: str) -> str:
    """Return a path as DuckDB's readers take it, for a pattern: one character in brackets stands for itself."""
    return _WILDCARDS.sub(r"[\g<0>]", path)


def _file_at(place: Place) -> tuple[str, str]:
    """Return the path of a file, and the path of what it leads to; two empty texts for what is in no file."""
    return ("", "") if place.kind != "file" else (os.path.abspath(place.text), os.path.realpath(place.text))


class DuckdbEngine(Engine):
    """A DuckDB connection that can read one file, several or none, and do nothing but count.

    No extension is fetched or loaded, nothing is spilled to disk, times are in UTC, no other file can be reached, and
    no setting can be changed.

    Attributes:
        path: the file; empty if there is none.
        target: the file that it was when the engine was locked to it, which may be a link's.
        files: what a place of several files was when the engine was locked to them; no file counts that comes later.
    """

    def __init__(self, place: Place) -> None:
        import duckdb

        super().__init__(place)
        self.path, self.target = _file_at(place)
        self.files = listed_files(place.patterns, place.shown) if place.kind == "files" else ()
        self._connection: Any = duckdb.connect(":memory:", config=_CONFIG)
        self._closed: Any = self._connection.cursor()
        self._closed.close()
        self._connection.execute("SET TimeZone = 'UTC'")
        # In a notebook without ipywidgets it is off, and DuckDB refuses even to switch it off.
        if self.rows("SELECT current_setting('enable_progress_bar')")[0][0]:
            self._connection.execute("SET enable_progress_bar = false")
        # Of a name that is not UTF-8 it can open no file
        path, target = (name.encode(errors="backslashreplace").decode() for name in (self.path, self.target))
        before, mark, after = target.partition("?")  # where it has the endings of what belongs to a DuckDB file
        allowed = [as_pattern(path), *(f"{before}{ending}{mark}{after}" for ending in _ENDINGS)] if path else []
        if self.files:
            allowed = [as_pattern(file.path) for file in self.files]
        self._connection.execute(
            f"SET allowed_paths = [{', '.join(map(quoted_text, allowed))}]; "
            "SET enable_external_access = false; SET lock_configuration = true"
        )

    def close(self) -> None:
        self._connection.close()

    def lent(self) -> DuckdbEngine:
        """Return an engine on the same connection, for one count."""
        lent = copy(self)
        lent._relations = {}
        return lent

    def take_back(self, lent: DuckdbEngine) -> None:
        """Let go of the file and of all that was read from it, and close what was lent; settings stay."""
        lent._connection = self._closed
        self._connection.unregister(SOURCE)
        self._connection.unregister(KEYS)
        self._connection.unregister(FRAME)
        self._connection.execute(f"DETACH DATABASE IF EXISTS {ATTACHED}")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._connection.execute(self.asked(sql)).fetchall()
        return found

    def arrow(self, table: pa.Table) -> None:
        """Take an Arrow table as the relation `source`, without copying it."""
        self._connection.register(SOURCE, table)

    def frame(self, table: pa.Table) -> None:
        """Take an Arrow table as the relation `frame`, without copying it."""
        self._connection.register(FRAME, table)

    def keys(self, table: pa.Table) -> None:
        self._connection.register(KEYS, table)

    def read(self, name: str) -> None:
        # A mere count may be told by what a Parquet file says of itself
        self.rows(f"SELECT bit_xor(hash({quoted_name(name)})) FROM {SOURCE}")

    def found(self, sql: str, by: int) -> pa.Table:
        import pyarrow as pa

        batches = self._connection.sql(self.asked(sql)).to_arrow_reader(ROWS_AT_ONCE)
        found = pa.Table.from_batches(batches)
        for at in range(1, by + 1):
            try:
                found.column(at).validate(full=True)
            except pa.ArrowInvalid:
                chunks = [in_utf8(chunk.cast(pa.large_binary()).to_pylist()) for chunk in found.column(at).chunks]
                found = found.set_column(at, found.column_names[at], pa.chunked_array(chunks, pa.large_string()))
        return found

    def groups(self, sql: str) -> pa.Table:
        return self._connection.sql(self.asked(sql)).to_arrow_table()


class KeptEngine:
    """An engine for counts in one file or frame, one after the other, without a new connection for each (about 15 ms).

    Between two counts it holds no data and no file, so that each count reads the file as it then is. Simultaneous
    counts, as in threads, have engines of their own. A fork finds none, since it would inherit a connection without the
    threads that work for it.
    """

    def __init__(self) -> None:
        self._idle: list[DuckdbEngine] = []
        self._is_open = True
        _KEPT.add(self)

    @contextmanager
    def engine(self, place: Place) -> Iterator[DuckdbEngine]:
        """Give the engine for one count at a place: the one that is kept, or else a new one."""
        engine = self._taken(place) or DuckdbEngine(place)
        lent = engine.lent()  # whoever keeps it beyond the count must not meet what the next one reads
        try:
            yield lent
        finally:
            self._put_back(engine, lent)

    def _taken(self, place: Place) -> DuckdbEngine | None:
        try:
            engine = self._idle.pop()
        except IndexError:  # another count may have taken it
            return None
        if (engine.path, engine.target) == _file_at(place):  # DuckDB looks where a link leads, then and now
            return engine
        engine.close()
        return None

    def _put_back(self, engine: DuckdbEngine, lent: DuckdbEngine) -> None:
        import duckdb

        try:
            engine.take_back(lent)
        except duckdb.Error:  # a connection that cannot even do that is of no more use
            engine.close()
            return
        self._idle.append(engine)
        if not self._is_open:
            self.rest()

    def rest(self) -> None:
        """Close the engine that no count is using; the next count makes another."""
        while self._idle:
            self._idle.pop().close()

    def close(self) -> None:
        """Keep no engine from now on."""
        self._is_open = False
        self.rest()


_KEPT: WeakSet[KeptEngine] = WeakSet()


def _rest_all() -> None:
    for kept in list(_KEPT):
        kept.rest()


if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
    os.register_at_fork(before=_rest_all)
