"""What judges predicates: any engine that answers SQL; and DuckDB in memory, which does so for files."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from hushcount.counting.declared.place import Place
from hushcount.counting.meaning.conditions import Conditions
from hushcount.counting.meaning.query import KEYS, SOURCE
from hushcount.errors import BadData
from hushcount.files.arrow_arrays import arrow_array

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Engine",
    "Judge",
    "foreign_errors",
    "quoted",
    "quoted_text",
]

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "allow_community_extensions": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
}


@contextmanager
def foreign_errors(what: str) -> Iterator[None]:
    """Turn errors of the libraries that read data into `BadData` with the message `what`.

    Their own messages may hold cells of the data, so nothing of them is passed on but the class of the error.
    """
    try:
        yield
    except _failures() as error:
        raise BadData(f"{what} ({type(error).__name__})") from None


_FAILURES = {
    "duckdb": "Error",
    "psycopg": "Error",
    "py4j.protocol": "Py4JError",
    "pyarrow": "ArrowException",
    "pyspark.errors": "PySparkException",
    "sqlite3": "Error",
}


def _failures() -> tuple[type[Exception], ...]:
    """What the libraries raise that are in use, which need not all be installed."""
    found = [getattr(sys.modules[module], name) for module, name in _FAILURES.items() if module in sys.modules]
    return (*found, OSError, UnicodeError, MemoryError)


class Judge(ABC):
    """Where rows are judged. It holds a relation `source`, and `keys` if it was given some.

    What a question is in its words, and whether it can be asked at all, is told by the class: no source is opened.

    Attributes:
        conditions: what compiles a predicate for it.
    """

    conditions: type[Conditions] = Conditions

    @abstractmethod
    def __init__(self, place: Place) -> None:
        """Make ready for the sources at a place."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Let go of everything."""

    @abstractmethod
    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The result of a query."""

    @abstractmethod
    def keys(self, table: pa.Table) -> None:
        """Take an Arrow table as the declared keys (int64, string, bool, date32, decimal128); see `counting._query`."""

    def read(self, name: str) -> None:  # noqa: B027 (a database holds nothing that it cannot read)
        """Read a column of `source` to its end, every value of it."""

    @classmethod  # noqa: B027 (most can take any)
    def check_keys(cls, table: pa.Table) -> None:
        """See that `keys` can take the table.

        Raises:
            InvalidParameter: a key that no column here can hold.
        """

    def count(self, sql: str) -> tuple[int, int]:
        """Number of rows, and number of rows of which the predicate in `counting_sql` is true."""
        rows, matching = self.rows(sql)[0]
        return int(rows), int(matching)

    def groups(self, sql: str) -> pa.Table:
        """The result of a query of `grouped_sql`."""
        import pyarrow as pa

        found = self.rows(sql)
        return pa.table(
            [arrow_array([int(row[at]) for row in found], pa.int64()) for at in (0, 1)], ["cell", "counted"]
        )


class Engine(Judge):
    """A DuckDB connection that holds one relation and can do nothing but count in it.

    No extension is fetched or loaded, nothing is spilt to disk, times are in UTC, and once `lock` is called no other
    file can be reached and no setting changed.
    """

    def __init__(self, place: Place | None = None) -> None:
        import duckdb

        self._connection: Any = duckdb.connect(":memory:", config=_CONFIG)
        self._is_locked = False
        self._connection.execute("SET TimeZone = 'UTC'")
        # In a notebook without ipywidgets it is off, and DuckDB refuses even to switch it off.
        if self.rows("SELECT current_setting('enable_progress_bar')")[0][0]:
            self._connection.execute("SET enable_progress_bar = false")

    def close(self) -> None:
        self._connection.close()

    def lock(self, *paths: str) -> None:
        """Close the door to all files but `paths`, for good; once, and a second call changes nothing."""
        if self._is_locked:
            return
        self._is_locked = True
        allowed = ", ".join(map(quoted_text, paths))
        self._connection.execute(
            f"SET allowed_paths = [{allowed}]; SET enable_external_access = false; SET lock_configuration = true"
        )

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The result of a query."""
        found: list[tuple[Any, ...]] = self._connection.execute(sql).fetchall()
        return found

    def view(self, columns: Sequence[str], relation: str) -> None:
        """Define the relation as `SELECT columns FROM relation`, all given as SQL."""
        selected = ", ".join(columns) or "1 AS one"
        self._connection.execute(f"CREATE OR REPLACE VIEW {quoted(SOURCE)} AS SELECT {selected} FROM {relation}")

    def arrow(self, table: pa.Table) -> None:
        """Take an Arrow table as the relation, without copying it."""
        self._connection.register(SOURCE, table)

    def keys(self, table: pa.Table) -> None:
        self._connection.register(KEYS, table)

    def read(self, name: str) -> None:
        # A mere count may be told by what a Parquet file says of itself
        self.rows(f"SELECT bit_xor(hash({quoted(name)})) FROM {quoted(SOURCE)}")

    def groups(self, sql: str) -> pa.Table:
        return self._connection.sql(sql).to_arrow_table()


def quoted(name: str) -> str:
    """`name` as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """`text` as an SQL string."""
    return "'" + text.replace("'", "''") + "'"
