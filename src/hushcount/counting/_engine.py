"""What judges predicates: any engine that answers Ibis expressions; and DuckDB in memory, which does so for files."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from hushcount.counting import _nodes as n
from hushcount.counting._compile import Conditions, compile_predicate
from hushcount.counting._query import KEYS, Grouping, grouped_query, units_query, without_unit_query
from hushcount.counting._types import ColumnType
from hushcount.counting.place import Place
from hushcount.errors import BadData, PredicateRefused

if TYPE_CHECKING:
    import pyarrow as pa
    from ibis.expr.types import Table

__all__ = [
    "Engine",
    "Judge",
    "counting_sql",
    "foreign_errors",
    "grouped_sql",
    "quoted",
    "quoted_text",
    "units_sql",
    "without_unit_sql",
]

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

    @classmethod
    @abstractmethod
    def compiled(cls, question: Table) -> str:
        """An Ibis expression over the relations as SQL.

        Raises:
            IbisError, SqlglotError, RecursionError: it is too complex.
        """

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

    @classmethod
    def sql(cls, question: Table) -> str:
        """The query that `question` stands for.

        Raises:
            PredicateRefused: it is too complex for the libraries between.
        """
        from ibis.common.exceptions import IbisError
        from sqlglot.errors import SqlglotError

        try:
            return cls.compiled(question)
        except (IbisError, SqlglotError, RecursionError):
            raise PredicateRefused(
                "predicate is too complex to be evaluated; write it as fewer or simpler parts"
            ) from None

    def count(self, sql: str) -> tuple[int, int]:
        """Number of rows, and number of rows of which the predicate in `counting_sql` is true."""
        rows, matching = self.rows(sql)[0]
        return int(rows), int(matching or 0)  # a sum over no row is NULL

    def groups(self, sql: str) -> pa.Table:
        """The result of a query of `grouped_sql`."""
        import pyarrow as pa

        found = self.rows(sql)
        return pa.table([pa.array([int(row[at]) for row in found], pa.int64()) for at in (0, 1)], ["cell", "counted"])


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

    @classmethod
    def compiled(cls, question: Table) -> str:
        from hushcount.counting._duckdb_sql import duckdb_sql

        return duckdb_sql(question)

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
        self._connection.execute(f"CREATE OR REPLACE VIEW {quoted(_RELATION)} AS SELECT {selected} FROM {relation}")

    def arrow(self, table: pa.Table) -> None:
        """Take an Arrow table as the relation, without copying it."""
        self._connection.register(_RELATION, table)

    def keys(self, table: pa.Table) -> None:
        self._connection.register(KEYS, table)

    def read(self, name: str) -> None:
        # A mere count may be told by what a Parquet file says of itself
        self.rows(f"SELECT bit_xor(hash({quoted(name)})) FROM {quoted(_RELATION)}")

    def groups(self, sql: str) -> pa.Table:
        return self._connection.sql(sql).to_arrow_table()


def counting_sql(tree: n.Node, types: Mapping[str, ColumnType], engine: type[Judge]) -> str:
    """The query that counts the rows of the relation, and those of which the predicate is true.

    Raises:
        PredicateRefused: the predicate does not fit the types of its columns, or the engine cannot judge it by the
            rule.
    """
    import ibis

    # Ibis wants at least one column, also of a predicate that looks at none
    table: Any = ibis.table({name: kind.ibis for name, kind in types.items()} or {"one": "int32"}, name=_RELATION)
    condition = compile_predicate(tree, table, types, engine.conditions)
    return engine.sql(table.aggregate(rows=table.count(), matching=table.count(where=condition)))


def grouped_sql(tree: n.Node, types: Mapping[str, ColumnType], asked: Grouping, engine: type[Judge]) -> str:
    """The query of `grouped_query`.

    Raises:
        PredicateRefused: as of `counting_sql`.
    """
    return engine.sql(grouped_query(tree, types, asked, engine.conditions))


def units_sql(types: Mapping[str, ColumnType], unit: str, without_is_one: bool, engine: type[Judge]) -> str:
    """The query of `units_query`."""
    return engine.sql(units_query(types, unit, without_is_one))


def without_unit_sql(types: Mapping[str, ColumnType], unit: str, engine: type[Judge]) -> str:
    """The query of `without_unit_query`."""
    return engine.sql(without_unit_query(types, unit))


def quoted(name: str) -> str:
    """`name` as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """`text` as an SQL string."""
    return "'" + text.replace("'", "''") + "'"
