"""Views that only pick and name columns of one table.

Of such a view, and of no other, each row is one row of the table: replacing, adding or removing a row of the table does
the same to the view, no value can make it fail, and a condition counts what it counts in the table. A view with a
condition is none, since replacing a row of the table could change how many rows the view has, which is public.

PostgreSQL keeps a view as the parsed query (`pg_rewrite.ev_action`), a tree of named nodes. Whatever a query does has a
node of its own: a function is a FUNCEXPR, an operator an OPEXPR, a join a JOINEXPR, a constant a CONST. So a tree that
has only the nodes below, and each column of it for a column of the view, does nothing else; a node that a newer
PostgreSQL brings along is refused. Names in the tree have a backslash before each blank, parenthesis and brace.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["NotPlain", "Projection", "projection_of", "table_behind"]

_PLAIN = {
    "QUERY",
    "RTE",
    "RANGETBLENTRY",
    "RTEPERMISSIONINFO",
    "ALIAS",
    "FROMEXPR",
    "RANGETBLREF",
    "TARGETENTRY",
    "VAR",
}
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_NODE = re.compile(r"\{(\w*)")
_ALIAS = re.compile(r"\{ALIAS [^{}]*\}")
_ENTRY = re.compile(r"\{(?:RTE|RANGETBLENTRY) ([^{}]*)\}")
_FROM = re.compile(r"\{FROMEXPR :fromlist \(\{RANGETBLREF :rtindex (\d+)\}\) :quals <>\}")
_TARGET = re.compile(
    r"\{TARGETENTRY :expr \{VAR :varno (\d+) :varattno ([1-9]\d*) [^{}]*\} :resno (\d+) [^{}]* :resjunk false\}"
)
_TELLTALES = {
    "SUBLINK": "asks a query of its own",
    "COMMONTABLEEXPR": "asks a query of its own",
    "SETOPERATIONSTMT": "combines queries",
    "JOINEXPR": "joins tables",
    "AGGREF": "computes from many rows",
    "WINDOWFUNC": "computes from many rows",
    "SORTGROUPCLAUSE": "sorts or merges rows (ORDER BY, GROUP BY, DISTINCT)",
    "TABLESAMPLECLAUSE": "samples rows",
}
_RULE = "SELECT ev_action::text FROM pg_rewrite WHERE ev_class = {view} AND ev_type = '1' AND is_instead"
_KIND = "SELECT relkind::text, oid::regclass::text FROM pg_class WHERE oid = {relation}"


class NotPlain(Exception):
    """A view does more than to pick and name columns; the message says what, after the name of the view."""


@dataclass(frozen=True)
class Projection:
    """What a view picks.

    Attributes:
        relation: the object identifier of what it reads.
        columns: for each column of the view, in order, the number of the column it reads there.
    """

    relation: int
    columns: tuple[int, ...]


def projection_of(tree: str) -> Projection:
    """Return what the view with this parsed query picks.

    Raises:
        NotPlain: it does more.
    """
    flat = _ESCAPED.sub("_", tree)
    nodes = Counter(_NODE.findall(flat))
    place, targets = _FROM.search(flat), _TARGET.findall(flat)
    if not nodes.keys() <= _PLAIN or place is None or nodes["QUERY"] != 1:
        raise NotPlain(_more_of(flat, nodes))
    if not nodes["VAR"] == nodes["TARGETENTRY"] == len(targets) > 0:
        raise NotPlain("has columns that are none of a table")
    entry = _ENTRY.findall(_ALIAS.sub("", flat))[int(place[1]) - 1]
    relation = re.search(r":rtekind 0 :relid (\d+) ", entry)
    if relation is None or " :inh true " not in entry:
        raise NotPlain("leaves out parts of a table (ONLY)")
    if any((at, number) != (place[1], str(resno)) for resno, (at, _, number) in enumerate(targets, 1)):
        raise NotPlain("has columns that are none of its table")
    return Projection(int(relation[1]), tuple(int(column) for _, column, _ in targets))


def _more_of(flat: str, nodes: Counter[str]) -> str:
    for node, reason in _TELLTALES.items():
        if nodes[node]:
            return reason
    if nodes["QUERY"] != 1:
        return "asks a query of its own"
    if nodes["RANGETBLREF"] != 1:
        return "reads several tables, or none"
    if re.search(r"\}\) :quals \{", flat):
        return "has a condition (ask it of the table: so it is a part of the question)"
    return "computes values or limits rows"


def table_behind(rows: Callable[[str], list[tuple[Any, ...]]], identifier: int) -> Projection:
    """Return the table behind a view, through views of views, and which of its columns the view has.

    Args:
        rows: gives the result of a query.
        identifier: the object identifier of the view.

    Raises:
        NotPlain: the view, or one behind it, does more.
    """
    found, passed, behind = Projection(identifier, ()), set[int](), ""
    while found.relation not in passed:
        passed.add(found.relation)
        ((kind, name),) = rows(_KIND.format(relation=found.relation))
        if kind in ("r", "p"):
            return found
        if kind != "v":
            raise NotPlain(f"{behind}reads what is no table")
        behind = f"reads {name}, which " if len(passed) > 1 else ""
        ((tree,),) = rows(_RULE.format(view=found.relation))
        try:
            inner = projection_of(tree)
        except NotPlain as reason:
            raise NotPlain(f"{behind}{reason}") from None
        columns = tuple(inner.columns[column - 1] for column in found.columns) or inner.columns
        found = Projection(inner.relation, columns)
    raise NotPlain("reads itself")
