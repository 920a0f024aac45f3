"""A table in PostgreSQL, or a view that picks columns of one, which the server itself counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.declared.place import Place
from hushcount.counting.engines.postgresql.engine import PostgresqlEngine
from hushcount.counting.faults import foreign_errors
from hushcount.counting.predicate.quoting import quoted_name
from hushcount.counting.sources.postgresql.columns import columns_of
from hushcount.counting.sources.postgresql.views import NotPlain, Projection, table_behind
from hushcount.counting.sources.source import DeclaredSource, chosen_table
from hushcount.errors import BadData, InvalidParameter

__all__ = ["PostgresqlSource"]

_REFUSED = {"m": "a materialized view", "f": "a foreign table"}
_TABLES = """
SELECT n.nspname, c.relname, c.oid, c.relkind::text, c.relispartition
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
    AND has_schema_privilege(n.oid, 'USAGE')
    AND (has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT'))
ORDER BY 1, 2
"""
_GUARDS = """
WITH RECURSIVE part AS (
    SELECT oid, relkind FROM pg_class WHERE oid = {table}
    UNION SELECT c.oid, c.relkind
    FROM part JOIN pg_inherits AS i ON i.inhparent = part.oid JOIN pg_class AS c ON c.oid = i.inhrelid
)
SELECT relrowsecurity, EXISTS (SELECT FROM part WHERE part.relkind NOT IN ('r', 'p'))
FROM pg_class WHERE oid = {table}
"""


class PostgresqlSource(DeclaredSource):
    """One table of a PostgreSQL database, with all its partitions, or a view of one."""

    format = "postgresql"

    def __init__(self, place: Place, options: ReadOptions, engine: PostgresqlEngine) -> None:
        table = _Table.chosen(place.shown, options.table, engine)
        if table.is_view:
            rights = "its user must be allowed to SELECT from all of it, and its owner from the table"
            with foreign_errors(f"{place.shown}: view {table.name!r} cannot be read; {rights}"):
                engine.hold(table.quoted)
            table = _Table.chosen(place.shown, options.table, engine)
        with foreign_errors(f"{place.shown}: the columns of the table cannot be listed"):
            columns = columns_of(engine.rows, table.identifier, table.behind)
        super().__init__(place.shown, columns, table.quoted)


@dataclass(frozen=True)
class _Table:
    """What is counted: `name` as it is asked for, `quoted` as SQL, and the table that its rows are of."""

    name: str
    quoted: str
    identifier: int
    is_view: bool
    behind: Projection

    @classmethod
    def chosen(cls, shown: str, wanted: str | None, engine: PostgresqlEngine) -> _Table:
        with foreign_errors(f"{shown}: its tables cannot be listed"):
            found = engine.rows(_TABLES)
        named: dict[str, tuple[Any, ...]] = {}
        for row in found:
            schema, table = str(row[0]), str(row[1])
            name = table if schema == "public" else f"{schema}.{table}"
            if name in named and wanted == name:
                raise InvalidParameter("table", wanted, f"a name that only one table of {shown} has")
            named[name] = row
        if wanted is not None and wanted.startswith("public.") and wanted not in named:
            wanted = wanted.removeprefix("public.")
        kind = _REFUSED.get(named[wanted][3]) if wanted in named else None
        if kind:
            rule = f"a table: {kind} of {shown} may compute its rows from other rows"
            raise InvalidParameter("table", wanted, rule)
        tables = [name for name, row in named.items() if row[3] in ("r", "p") and not row[4]]
        if wanted is not None:
            tables = [name for name, row in named.items() if row[3] not in _REFUSED]
        elif not tables and any(row[3] == "v" for row in found):
            raise InvalidParameter(
                "table", None, f"given: {shown} holds no table but views, of which one must be named"
            )
        name = chosen_table(shown, wanted, tables, but="")
        schema, table, identifier, kind, _ = named[name]
        quoted, is_view = f"{quoted_name(str(schema))}.{quoted_name(str(table))}", kind == "v"
        behind = _behind(shown, name, int(identifier), is_view, engine)
        return cls(name, quoted, int(identifier), is_view, behind)


def _behind(shown: str, name: str, identifier: int, is_view: bool, engine: PostgresqlEngine) -> Projection:
    """Return what a table or view picks of its table, after a look at that table."""
    what = f"the table of view {name!r}" if is_view else f"table {name!r}"
    with foreign_errors(f"{shown}: the definition of {what} cannot be read"):
        try:
            behind = table_behind(engine.rows, identifier)
        except NotPlain as reason:
            rule = f"a table of {shown}, or a view that only picks and names columns of one: this view {reason}"
            raise InvalidParameter("table", name, rule) from None
        ((secured, foreign),) = engine.rows(_GUARDS.format(table=behind.relation))
    if secured:
        raise BadData(f"{shown}: {what} has row-level security, which hides rows by rules of its own")
    if foreign:
        raise BadData(f"{shown}: {what} has a part that is a foreign table")
    return behind
