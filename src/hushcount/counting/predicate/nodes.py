"""The predicate as this package understands it: a small closed tree, whatever the SQL parser accepts beside it."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, fields
from datetime import date
from fractions import Fraction

__all__ = [
    "PARTS",
    "Among",
    "Arithmetic",
    "Between",
    "Call",
    "Case",
    "Column",
    "Compare",
    "Extract",
    "IsNull",
    "IsTruth",
    "Junction",
    "Like",
    "Moment",
    "Negate",
    "Node",
    "Not",
    "Number",
    "Text",
    "Truth",
    "column_names",
    "compared_names",
]

PARTS = ("year", "quarter", "month", "day")
"""The parts of a date or timestamp."""


@dataclass(frozen=True, slots=True)
class Node:
    """Base of all parts of a predicate."""


@dataclass(frozen=True, slots=True)
class Column(Node):
    """A column, by its exact name."""

    name: str


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A number literal with its exact value; `text` is how it is written."""

    value: Fraction
    text: str


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A string literal."""

    value: str


@dataclass(frozen=True, slots=True)
class Truth(Node):
    """TRUE, FALSE or NULL."""

    value: bool | None


@dataclass(frozen=True, slots=True)
class Moment(Node):
    """A DATE (`date`) or TIMESTAMP (`datetime`) literal."""

    value: date


@dataclass(frozen=True, slots=True)
class Negate(Node):
    """Unary minus."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Arithmetic(Node):
    """`left operator right` with operator + - * / or %."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Call(Node):
    """lower, upper, trim, length, abs or coalesce."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Extract(Node):
    """EXTRACT(part FROM operand) with a part of `PARTS`."""

    part: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Case(Node):
    """CASE WHEN condition THEN value ... ELSE otherwise END."""

    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node


@dataclass(frozen=True, slots=True)
class Compare(Node):
    """`left operator right` with operator = <> < <= > or >=."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Between(Node):
    """operand BETWEEN low AND high, ends included."""

    operand: Node
    low: Node
    high: Node


@dataclass(frozen=True, slots=True)
class Among(Node):
    """operand IN (literals)."""

    operand: Node
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Like(Node):
    """operand LIKE pattern."""

    operand: Node
    pattern: str


@dataclass(frozen=True, slots=True)
class IsNull(Node):
    """operand IS NULL."""

    operand: Node


@dataclass(frozen=True, slots=True)
class IsTruth(Node):
    """operand IS TRUE or operand IS FALSE."""

    operand: Node
    value: bool


@dataclass(frozen=True, slots=True)
class Not(Node):
    """NOT operand."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Junction(Node):
    """Two or more operands joined by one operator, AND or OR."""

    operator: str
    operands: tuple[Node, ...]


def column_names(node: Node) -> tuple[str, ...]:
    """Return the names of all columns under `node`, each once, in the order they are written."""
    return tuple(dict.fromkeys(part.name for part in _walk(node) if isinstance(part, Column)))


def compared_names(node: Node, known: Container[str]) -> frozenset[str]:
    """Return the names of columns that stand alone on one side of a comparison whose other side is made of `known`
    columns."""
    sides = [(part.left, part.right) for part in _walk(node) if isinstance(part, Compare)]
    sides += [(part.operand, end) for part in _walk(node) if isinstance(part, Between) for end in (part.low, part.high)]
    pairs = [pair for first, second in sides for pair in ((first, second), (second, first))]
    return frozenset(
        alone.name
        for alone, other in pairs
        if isinstance(alone, Column) and (names := column_names(other)) and all(name in known for name in names)
    )


def _walk(node: Node) -> Iterator[Node]:
    stack: list[object] = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, Node):
            yield part
            stack.extend(getattr(part, item.name) for item in reversed(fields(part)))
        elif isinstance(part, tuple):
            stack.extend(reversed(part))
