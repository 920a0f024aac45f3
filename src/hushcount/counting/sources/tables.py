"""Which table of a file that may hold several."""

from __future__ import annotations

from collections.abc import Sequence

from hushcount.counting.predicate.predicate import nearest_name
from hushcount.errors import BadData, InvalidParameter

__all__ = ["chosen_table"]


def chosen_table(path: str, wanted: str | None, tables: Sequence[str]) -> str:
    """The table to read: the one that was named, or the only one.

    Raises:
        BadData: the file holds no table.
        InvalidParameter: no such table, or none was named and there are several.
    """
    if not tables:
        raise BadData(f"{path} holds no table")
    if wanted is None:
        if len(tables) > 1:
            shown = ", ".join(tables[:10]) + (", ..." if len(tables) > 10 else "")
            raise InvalidParameter("table", None, f"given: {path} holds {len(tables)} tables ({shown})")
        return tables[0]
    if wanted not in tables:
        near = nearest_name(wanted, tables)
        rule = f"a table of {path} (views are not)" + (f"; did you mean {near!r}?" if near else "")
        raise InvalidParameter("table", wanted, rule)
    return wanted
