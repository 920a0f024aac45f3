"""A table in PostgreSQL, which the server itself counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.declared.place import Place
from hushcount.counting.engines.postgresql.engine import PostgresqlEngine
from hushcount.counting.faults import foreign_errors
from hushcount.counting.predicate.quoting import quoted_name
from hushcount.counting.sources.postgresql.columns import columns_of
from hushcount.counting.sources.source import DeclaredSource, chosen_table
from hushcount.errors import BadData, InvalidParameter

__all__ = ["PostgresqlSource"]

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


class PostgresqlSource(DeclaredSource):
    """One table of a PostgreSQL database, with all its partitions."""

    format = "postgresql"

    def __init__(self, place: Place, options: ReadOptions, engine: PostgresqlEngine) -> None:
        with foreign_errors(f"{place.shown}: its tables cannot be listed"):
            found = engine.rows(_TABLES)
        schema, table, identifier = _chosen(place.shown, options.table, found)
        with foreign_errors(f"{place.shown}: the columns of the table cannot be listed"):
            columns = columns_of(engine.rows, identifier)
        super().__init__(place.shown, columns, f"{quoted_name(schema)}.{quoted_name(table)}")


def _chosen(shown: str, wanted: str | None, found: Sequence[tuple[Any, ...]]) -> tuple[str, str, int]:
    named: dict[str, tuple[Any, ...]] = {}
    for row in found:
        schema, table = str(row[0]), str(row[1])
        name = table if schema == "public" else f"{schema}.{table}"
        if name in named and wanted == name:
            raise InvalidParameter("table", wanted, f"a name that only one table of {shown} has")
        named[name] = row
    if wanted is not None and wanted.startswith("public.") and wanted not in named:
        wanted = wanted.removeprefix("public.")
    kind = _KINDS[named[wanted][3]] if wanted in named else ""
    if kind:
        rule = f"a table: {kind} of {shown} may compute its rows from other rows"
        raise InvalidParameter("table", wanted, rule)
    tables = [name for name, row in named.items() if not _KINDS[row[3]] and (name == wanted or not row[4])]
    name = chosen_table(shown, wanted, tables)
    schema, table, identifier, _, _, secured, foreign = named[name]
    if secured:
        raise BadData(f"{shown}: table {name!r} has row-level security, which hides rows by rules of its own")
    if foreign:
        raise BadData(f"{shown}: table {name!r} has a part that is a foreign table")
    return str(schema), str(table), int(identifier)
