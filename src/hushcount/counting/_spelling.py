"""Ibis expressions as SQL: how long it would be, and with nothing left to how tightly an engine's operators bind."""

from __future__ import annotations

from typing import Any

from ibis.common.graph import Graph
from sqlglot import exp

__all__ = ["spelled", "written_parts"]


def spelled(compiler: Any, question: Any) -> str:
    """An Ibis table expression as the SQL of a compiler of Ibis, every test in parentheses.

    To Spark `a = b IN (1)` is `(a = b) IN (1)`, to DuckDB it is `a = (b IN (1))`, and Ibis writes no parentheses.
    """
    tree = compiler.to_sqlglot(question.unbind())
    for node in list(tree.find_all(exp.Predicate, exp.Not)):
        # The NOT of IS NOT NULL belongs to IS
        if node.parent is not None and not isinstance(node.parent, (exp.Paren, exp.Is)):
            inner = exp.Paren()
            node.replace(inner)
            inner.set("this", node)
    return str(tree.sql(dialect=compiler.dialect))


def written_parts(expression: Any) -> int:
    """How many parts an expression has once what is used in several places is written out in each of them."""
    parts: dict[Any, int] = {}
    ordered, _ = Graph.from_bfs(expression.op()).toposort()
    for node, children in ordered.items():
        parts[node] = 1 + sum(parts[child] for child in children)
    return parts[expression.op()]
