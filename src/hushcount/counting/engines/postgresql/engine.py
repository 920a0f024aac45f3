"""A table in PostgreSQL, counted where it is: what leaves the database are its column names and types, and the counts.

One transaction, which writes nothing and sees one state of the data, answers everything. Its settings are pinned, so
that those of the server, the user and the URL say nothing about what a predicate means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import psycopg

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.declared.place import Place
from hushcount.counting.declared.schema import SchemaColumn
from hushcount.counting.engines.engine import Judge, foreign_errors, quoted
from hushcount.counting.engines.postgresql.conditions import PostgresqlConditions
from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.query import KEYS, SOURCE
from hushcount.counting.meaning.types import ColumnType
from hushcount.counting.sources.postgresql.columns import Column, columns_of
from hushcount.counting.sources.tables import chosen_table
from hushcount.errors import BadData, InvalidParameter, PredicateRefused

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PostgresqlEngine", "PostgresqlSource"]

_CONNECT_SECONDS = 10
_OLDEST = 120000
_SETTINGS = {
    "search_path": "pg_catalog",  # no operator of anyone's own
    "row_security": "off",  # an error where rows would be left out silently
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "iso_8601",
    "extra_float_digits": "3",
    "standard_conforming_strings": "on",
    "transform_null_equals": "off",
    "jit": "off",
}
_KINDS = {"r": "", "p": "", "v": "a view", "m": "a materialized view", "f": "a foreign table"}
_TABLES = """
SELECT n.nspname, c.relname, c.oid, c.relkind::text, c.relispartition, c.relrowsecurity,
    EXISTS (
        WITH RECURSIVE part AS (
            SELECT c.oid AS part UNION SELECT i.inhrelid FROM part JOIN pg_inherits AS i ON i.inhparent = part.part
        )
        SELECT FROM part JOIN pg_class AS p ON p.oid = part.part WHERE p.relkind NOT IN ('r', 'p')
    )
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
    AND has_schema_privilege(n.oid, 'USAGE')
    AND (has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT'))
ORDER BY 1, 2
"""
_ARRAYS = {"int64": "int8", "string": "text", "bool": "bool", "date32[day]": "date"}


class PostgresqlEngine(Judge):
    """A connection with one transaction, read-only and of one state of the data."""

    conditions = PostgresqlConditions

    def __init__(self, place: Place) -> None:
        self._relation = ""
        self._keys: tuple[str, list[Any]] = ("", [])
        try:
            self._connection = psycopg.connect(_connection_text(place.text), prepare_threshold=None)
        except (psycopg.Error, OSError, UnicodeError, ValueError):
            raise BadData(
                f"{place.shown} cannot be reached: no answer from the server, or it refuses the login"
            ) from None
        try:
            with foreign_errors(f"{place.shown} cannot be used"):
                self._begin(place)
        except BadData:
            self.close()
            raise

    def _begin(self, place: Place) -> None:
        self._connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        self._connection.read_only = True
        for name, value in _SETTINGS.items():
            self._connection.execute("SELECT pg_catalog.set_config(%s, %s, true)", (name, value))
        ((version, encoding),) = self.rows("SELECT version(), current_setting('server_encoding')")
        # Others speak its protocol, and have rules of their own
        if not str(version).startswith("PostgreSQL") or self._connection.info.server_version < _OLDEST:
            raise BadData(f"{place.shown} is not PostgreSQL 12 or newer")
        if encoding != "UTF8":
            raise BadData(f"{place.shown} holds its texts as {encoding}; only UTF8 has the characters of the rule")

    def close(self) -> None:
        self._connection.close()

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        keys, parameters = self._keys
        relations = [f"{quoted(SOURCE)} AS NOT MATERIALIZED ({self._relation})"] if self._relation else []
        relations += [f"{quoted(KEYS)} AS ({keys})"] if keys else []
        return self.ask(f"WITH {', '.join(relations)} {sql}" if relations else sql, parameters)

    def ask(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The result of a query that looks at neither relation, with parameters $1, $2 and so on."""
        return psycopg.RawCursor(self._connection).execute(sql.encode(), parameters or None).fetchall()

    @classmethod
    def check_keys(cls, table: pa.Table) -> None:
        for column in table.columns:
            if str(column.type) == "string" and any("\0" in text for text in column.to_pylist()):
                raise InvalidParameter("keys", None, "texts that PostgreSQL can hold, without the character NUL")

    def keys(self, table: pa.Table) -> None:
        arrays: list[str] = []
        names, shown = [], []
        for name in table.column_names:
            kind = _ARRAYS.get(str(table[name].type), "numeric")
            arrays.append(f"${len(arrays) + 1}::{kind}[]")
            names.append(quoted(name))
            shown.append(f'{quoted(name)} COLLATE "C" AS {quoted(name)}' if kind == "text" else quoted(name))
        selected = f"SELECT {', '.join(shown)} FROM unnest({', '.join(arrays)}) AS k({', '.join(names)})"
        self._keys = (selected, [table[name].to_pylist() for name in table.column_names])

    def view(self, selected: str) -> None:
        """Define the relation `source` by a query."""
        self._relation = selected


def _connection_text(url: str) -> str:
    """What is asked of libpq for a URL."""
    usual = {"connect_timeout": str(_CONNECT_SECONDS)}
    pinned = {"application_name": "hushcount", "client_encoding": "utf8"}
    given = {name: str(value) for name, value in psycopg.conninfo.conninfo_to_dict(url).items()}
    return psycopg.conninfo.make_conninfo("", **{**usual, **given, **pinned})


class PostgresqlSource:
    """One table of a PostgreSQL database, with all its partitions."""

    format = "postgresql"
    values_tell = False

    def __init__(self, place: Place, options: ReadOptions, engine: PostgresqlEngine) -> None:
        self._shown = place.shown
        with foreign_errors(f"{self._shown}: its tables cannot be listed"):
            found = engine.ask(_TABLES)
        schema, table, identifier = self._chosen(options.table, found)
        self._table = f"{quoted(schema)}.{quoted(table)}"
        with foreign_errors(f"{self._shown}: the columns of the table cannot be listed"):
            self._columns = columns_of(engine.ask, identifier)
        self.columns = tuple(self._columns)

    def _chosen(self, wanted: str | None, found: Sequence[tuple[Any, ...]]) -> tuple[str, str, int]:
        named: dict[str, tuple[Any, ...]] = {}
        for row in found:
            schema, table = str(row[0]), str(row[1])
            name = table if schema == "public" else f"{schema}.{table}"
            if name in named and wanted == name:
                raise InvalidParameter("table", wanted, f"a name that only one table of {self._shown} has")
            named[name] = row
        if wanted is not None and wanted.startswith("public.") and wanted not in named:
            wanted = wanted.removeprefix("public.")
        kind = _KINDS[named[wanted][3]] if wanted in named else ""
        if kind:
            rule = f"a table: {kind} of {self._shown} may compute its rows from other rows"
            raise InvalidParameter("table", wanted, rule)
        tables = [name for name, row in named.items() if not _KINDS[row[3]] and (name == wanted or not row[4])]
        name = chosen_table(self._shown, wanted, tables)
        schema, table, identifier, _, _, secured, foreign = named[name]
        if secured:
            raise BadData(f"{self._shown}: table {name!r} has row-level security, which hides rows by rules of its own")
        if foreign:
            raise BadData(f"{self._shown}: table {name!r} has a part that is a foreign table")
        return str(schema), str(table), int(identifier)

    def declared(self, names: Sequence[str]) -> Mapping[str, ColumnType]:
        """The types of the columns `names`."""
        return {name: self._readable(name).type for name in names}

    def count_rows(self, engine: PostgresqlEngine, names: Sequence[str]) -> int:
        """The number of rows."""
        with foreign_errors(f"{self._shown}: the rows could not be counted"):
            ((rows,),) = engine.ask(f"SELECT count(*) FROM {self._table}")
        return int(rows)

    def load(self, engine: PostgresqlEngine, names: Sequence[str]) -> Mapping[str, ColumnType]:
        """Point the engine at the columns `names` and return their types."""
        columns = [self._readable(name) for name in names]
        selected = ", ".join(f"{column.read} AS {quoted(column.name)}" for column in columns) or "1 AS one"
        engine.view(f"SELECT {selected} FROM {self._table}")
        return {column.name: column.type for column in columns}

    def described(self, engine: PostgresqlEngine) -> tuple[SchemaColumn, ...]:
        """All columns with the types that the database declares."""
        return tuple(
            SchemaColumn(name, t.UNKNOWN if column.refused else column.type, column.refused)
            for name, column in self._columns.items()
        )

    def _readable(self, name: str) -> Column:
        column = self._columns[name]
        if not column.allowed:
            raise BadData(f"{self._shown}: the user may not read column {name!r}")
        if column.refused:
            raise PredicateRefused(f"column {name!r} of {self._shown} {column.refused}")
        return column
