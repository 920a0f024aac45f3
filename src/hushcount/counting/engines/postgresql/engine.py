"""PostgreSQL, which judges rows where they are: only column names, types and counts leave it.

One transaction, which writes nothing and sees one state of the data, answers everything. Its settings are pinned, so
those of the server, the user and the URL do not affect what a predicate means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg

from hushcount.counting.declared.place import Place
from hushcount.counting.engines.engine import Engine
from hushcount.counting.engines.postgresql.conditions import PostgresqlConditions
from hushcount.counting.faults import foreign_errors
from hushcount.counting.meaning.query import KEYS
from hushcount.counting.predicate.quoting import quoted_name
from hushcount.errors import BadData, InvalidParameter

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PostgresqlEngine"]

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
_ARRAYS = {"int64": "int8", "string": "text", "bool": "bool", "date32[day]": "date"}


class PostgresqlEngine(Engine):
    """A connection with one transaction, read-only and of one state of the data."""

    conditions = PostgresqlConditions

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._parameters: list[Any] = []
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
        self._pin()
        ((version, encoding),) = self.rows("SELECT version(), current_setting('server_encoding')")
        # Other databases speak its protocol, but have rules of their own
        if not str(version).startswith("PostgreSQL") or self._connection.info.server_version < _OLDEST:
            raise BadData(f"{place.shown} is not PostgreSQL 12 or newer")
        if encoding != "UTF8":
            raise BadData(f"{place.shown} holds its texts as {encoding}; only UTF8 has the characters of the rule")

    def _pin(self) -> None:
        for name, value in _SETTINGS.items():
            self._connection.execute("SELECT pg_catalog.set_config(%s, %s, true)", (name, value))

    def hold(self, relation: str) -> None:
        """Begin anew, with a view and all that it reads locked, so that they stay as they are defined.

        A transaction that sees one state of the data acts by the newest definitions nevertheless. So the locks come
        before its first look: what it reads of a definition is then what it acts by.

        Args:
            relation: the view, as SQL.
        """
        self._connection.rollback()
        self._connection.execute(f"LOCK TABLE {relation} IN ACCESS SHARE MODE".encode())
        self._pin()

    def close(self) -> None:
        self._connection.close()

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        cursor = psycopg.RawCursor(self._connection)
        return cursor.execute(self.asked(sql).encode(), self._parameters or None).fetchall()

    @classmethod
    def check_keys(cls, table: pa.Table) -> None:
        for column in table.columns:
            if str(column.type) == "string" and any("\0" in text for text in column.to_pylist()):
                raise InvalidParameter("keys", None, "texts that PostgreSQL can hold, without the character NUL")

    def keys(self, table: pa.Table) -> None:
        names = list(map(quoted_name, table.column_names))
        kinds = [_ARRAYS.get(str(column.type), "numeric") for column in table.columns]
        shown = [
            f'{name} COLLATE "C" AS {name}' if kind == "text" else name for name, kind in zip(names, kinds, strict=True)
        ]
        arrays = ", ".join(f"${at}::{kind}[]" for at, kind in enumerate(kinds, 1))
        self._relations[KEYS] = f"SELECT {', '.join(shown)} FROM unnest({arrays}) AS k({', '.join(names)})"
        self._parameters = [column.to_pylist() for column in table.columns]


def _connection_text(url: str) -> str:
    """Return what is asked of libpq for a URL."""
    usual = {"connect_timeout": str(_CONNECT_SECONDS)}
    pinned = {"application_name": "hushcount", "client_encoding": "utf8"}
    given = {name: str(value) for name, value in psycopg.conninfo.conninfo_to_dict(url).items()}
    return psycopg.conninfo.make_conninfo("", **{**usual, **given, **pinned})
