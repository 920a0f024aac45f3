"""The one engine that judges all predicates: DuckDB in memory, hardened, reached through Ibis expressions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

from hushcount.counting import _nodes as n
from hushcount.counting._compile import compile_predicate
from hushcount.counting._types import ColumnType
from hushcount.errors import BadData, PredicateRefused

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Engine", "counting_sql", "foreign_errors", "quoted", "quoted_text"]

_RELATION = "source"
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
    import sqlite3

    import duckdb
    import pyarrow as pa

    try:
        yield
    except (duckdb.Error, pa.ArrowException, sqlite3.Error, OSError, UnicodeError, MemoryError) as error:
        raise BadData(f"{what} ({type(error).__name__})") from None


class Engine:
    """A DuckDB connection that holds one relation and can do nothing but count in it.

    No extension is fetched or loaded, nothing is spilt to disk, times are in UTC, and once `lock` is called no other
    file can be reached and no setting changed.
    """

    def __init__(self) -> None:
        import duckdb

        self._connection: Any = duckdb.connect(":memory:", config=_CONFIG)
        self._connection.execute("SET TimeZone = 'UTC'")
        # In a notebook without ipywidgets it is off, and DuckDB refuses even to switch it off.
        if self.rows("SELECT current_setting('enable_progress_bar')")[0][0]:
            self._connection.execute("SET enable_progress_bar = false")

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def lock(self, *paths: str) -> None:
        """Close the door to all files but `paths`, for good."""
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
        self._connection.execute(f"CREATE VIEW {quoted(_RELATION)} AS SELECT {selected} FROM {relation}")

    def arrow(self, table: pa.Table) -> None:
        """Take an Arrow table as the relation, without copying it."""
        self._connection.register(_RELATION, table)

    def count(self, sql: str) -> tuple[int, int]:
        """Number of rows, and number of rows of which the predicate in `counting_sql` is true."""
        rows, matching = self.rows(sql)[0]
        return int(rows), int(matching)


def counting_sql(tree: n.Node, types: Mapping[str, ColumnType]) -> str:
    """The query that counts the rows of the relation, and those of which the predicate is true.

    Raises:
        PredicateRefused: the predicate does not fit the types of its columns.
    """
    import ibis
    from ibis.common.exceptions import IbisError
    from sqlglot.errors import SqlglotError

    # Ibis wants at least one column, also of a predicate that looks at none
    table: Any = ibis.table({name: kind.ibis for name, kind in types.items()} or {"one": "int32"}, name=_RELATION)
    condition = compile_predicate(tree, table, types)
    try:
        counted = table.aggregate(rows=table.count(), matching=table.count(where=condition))
        return str(ibis.to_sql(counted, dialect="duckdb"))
    except (IbisError, SqlglotError, RecursionError):
        raise PredicateRefused("predicate is too complex to be evaluated; write it as fewer or simpler parts") from None


def quoted(name: str) -> str:
    """`name` as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """`text` as an SQL string."""
    return "'" + text.replace("'", "''") + "'"
