"""Lower and upper case by one table for all engines: Unicode's simple mapping, as DuckDB has it.

Java's mapping turns one character into several or looks at its neighbors (`İ`, `ß`, a final sigma), and PostgreSQL's
depends on the collation. Where `lower(x)` is written for them, `translate(x, from, to)` with these two texts is run.
"""

from __future__ import annotations

from functools import cache

__all__ = ["case_mapping"]


@cache
def case_mapping(case: str) -> tuple[str, str]:
    """The characters that `case` ("lower" or "upper") changes, and what each of them becomes, in the same order."""
    import duckdb

    letters = f"SELECT i, chr(i::INTEGER) AS old, {case}(chr(i::INTEGER)) AS new FROM range(1, 1114112) AS t(i)"
    no_surrogates = "i NOT BETWEEN 55296 AND 57343"
    with duckdb.connect(":memory:") as connection:
        old, new = connection.execute(
            f"SELECT string_agg(old, '' ORDER BY i), string_agg(new, '' ORDER BY i) "
            f"FROM ({letters}) WHERE {no_surrogates} AND old <> new"
        ).fetchall()[0]
    return str(old), str(new)
