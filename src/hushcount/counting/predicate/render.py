"""A predicate tree as normalized SQL text, which reads back to the same tree."""

from __future__ import annotations

from datetime import datetime

from hushcount.counting.predicate import nodes as n
from hushcount.counting.predicate.quoting import is_plain_name, quoted_name, quoted_text

__all__ = ["render"]

_ATOMS = (n.Column, n.Number, n.Text, n.Truth, n.Moment, n.Call, n.Extract, n.Case)


def render(node: n.Node, keywords: frozenset[str]) -> str:
    """Return the SQL text of `node`: keywords in capitals, names quoted only where they must be.

    `keywords` are the words (in capitals) that the SQL dialect does not read as a plain name.
    """
    return _Renderer(keywords).sql(node)


class _Renderer:
    def __init__(self, keywords: frozenset[str]) -> None:
        self._keywords = keywords

    def sql(self, node: n.Node) -> str:
        match node:
            case n.Column():
                return self._name(node.name)
            case n.Number():
                return node.text
            case n.Text():
                return quoted_text(node.value)
            case n.Truth():
                return "NULL" if node.value is None else str(node.value).upper()
            case n.Moment():
                kind, value = ("TIMESTAMP", str(node.value)) if isinstance(node.value, datetime) else ("DATE", None)
                return f"{kind} '{value or node.value.isoformat()}'"
            case n.Negate():
                return f"-{self._operand(node.operand)}"
            case n.Arithmetic() | n.Compare():
                return f"{self._operand(node.left)} {node.operator} {self._operand(node.right)}"
            case n.Call():
                return f"{node.name}({', '.join(map(self.sql, node.arguments))})"
            case n.Extract():
                return f"extract({node.part} FROM {self.sql(node.operand)})"
            case n.Case():
                whens = "".join(f" WHEN {self.sql(when)} THEN {self.sql(then)}" for when, then in node.branches)
                return f"CASE{whens} ELSE {self.sql(node.otherwise)} END"
            case n.Junction():
                return f" {node.operator} ".join(map(self._part, node.operands))
            case n.Not():
                return self._test(node.operand, "NOT ") or f"NOT {self._operand(node.operand)}"
        return self._test(node, "")

    def _test(self, node: n.Node, negation: str) -> str:
        """Return the tests that carry their own NOT; empty text for any other node."""
        match node:
            case n.Between(operand, low, high):
                ends = f"{self._operand(low)} AND {self._operand(high)}"
                return f"{self._operand(operand)} {negation}BETWEEN {ends}"
            case n.Among(operand, items):
                return f"{self._operand(operand)} {negation}IN ({', '.join(map(self.sql, items))})"
            case n.Like(operand, pattern):
                return f"{self._operand(operand)} {negation}LIKE {quoted_text(pattern)}"
            case n.IsNull(operand):
                return f"{self._operand(operand)} IS {negation}NULL"
            case n.IsTruth(operand, value):
                return f"{self._operand(operand)} IS {negation}{str(value).upper()}"
        return ""

    def _operand(self, node: n.Node) -> str:
        return self.sql(node) if isinstance(node, _ATOMS) else f"({self.sql(node)})"

    def _part(self, node: n.Node) -> str:
        return f"({self.sql(node)})" if isinstance(node, n.Junction) else self.sql(node)

    def _name(self, name: str) -> str:
        plain = is_plain_name(name) and name.upper() not in self._keywords
        return name if plain else quoted_name(name)
