"""What an engine is asked to evaluate: a closed tree of expressions over the columns of `source`, and its SQL.

Whatever has an operator stands in parentheses, so it never matters how tightly an engine's operators bind: to Spark `a
= b IN (1)` is `(a = b) IN (1)`, to DuckDB it is `a = (b IN (1))`. An expression may be part of several others, and is
written out in each; `parts` says how long that gets before it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.types import ColumnType, Kind
from hushcount.counting.predicate.nodes import PARTS

__all__ = ["SOURCE", "Dialect", "Expression", "call", "cases", "column", "constant", "null", "truth"]

SOURCE = "source"

_INFIX = frozenset(["+", "-", "*", "/", "%", "=", "<>", "<", "<=", ">", ">=", "AND", "OR", "LIKE", "||"])
_OF_TEXTS = frozenset(["LENGTH", "LOWER", "LPAD", "OCTET_LENGTH", "REPLACE", "RIGHT", "TRANSLATE", "UPPER"])
_CALLS = _OF_TEXTS | {"ABS", "COALESCE", "GREATEST", "ISNAN", "LEAST", "NULLIF"}
_FORMS = {
    "NOT": "(NOT {})",
    "NEGATE": "(-{})",
    "IS NULL": "({} IS NULL)",
    "TRIM": "TRIM(BOTH ' ' FROM {})",
    "SHA256": "SHA256({})",
    "SHA256 OF UTF8": "SHA256(CONVERT_TO({}, 'UTF8'))",
    "SHA2": "SHA2({}, 256)",
    "WITHOUT LAST ZEROS": r"REGEXP_REPLACE({}, '(\.[0-9]*[1-9])0+$|\.0+$', '\1')",
    **{part: f"EXTRACT({part} FROM {{}})" for part in map(str.upper, PARTS)},
}
_CASTS = frozenset(["CAST", "TRY_CAST"])
_LISTED = _INFIX | _CALLS | _CASTS | {*_FORMS, "COLUMN", "CONSTANT", "NULL", "CASE", "IN"}


def _infix(form: str) -> Callable[[Expression, Expression], Expression]:
    def between(left: Expression, right: Expression) -> Expression:
        return call(form, left, right)

    return between


@dataclass(frozen=True, eq=False)
class Expression:
    """An expression; Python's operators make larger ones, in SQL's meaning.

    Attributes:
        form: what it is: one of the forms listed above, any other is refused.
        operands: its parts; those of a CASE are condition, result, ..., and the result otherwise.
        text: the name of a column; a constant as SQL spells it, without quotes.
        type: the type of a constant, a NULL or a cast. A TRY_CAST gives NULL where it has no room for a value.
        parts: how many forms it is written with.
    """

    form: str
    operands: tuple[Expression, ...] = ()
    text: str = ""
    type: ColumnType = t.UNKNOWN
    parts: int = field(init=False)

    def __post_init__(self) -> None:
        if self.form not in _LISTED:
            raise ValueError(f"no expression has the form {self.form}")
        object.__setattr__(self, "parts", 1 + sum(operand.parts for operand in self.operands))

    __add__ = _infix("+")
    __sub__ = _infix("-")
    __mul__ = _infix("*")
    __truediv__ = _infix("/")
    __mod__ = _infix("%")
    __and__ = _infix("AND")
    __or__ = _infix("OR")
    __lt__ = _infix("<")
    __le__ = _infix("<=")
    __gt__ = _infix(">")
    __ge__ = _infix(">=")

    def __neg__(self) -> Expression:
        return call("NEGATE", self)

    def __abs__(self) -> Expression:
        return call("ABS", self)

    def __invert__(self) -> Expression:
        return call("NOT", self)

    def equals(self, other: Expression) -> Expression:
        """Return `self = other`; Python's == asks whether the two are one object."""
        return call("=", self, other)

    def is_null(self) -> Expression:
        """Return `self IS NULL`."""
        return call("IS NULL", self)

    def cast(self, kind: ColumnType) -> Expression:
        """Return the value in a type that has room for it."""
        return Expression("CAST", (self,), type=kind)

    def try_cast(self, kind: ColumnType) -> Expression:
        """Return the value in a type, NULL where that has no room for it."""
        return Expression("TRY_CAST", (self,), type=kind)


def column(name: str) -> Expression:
    """Return a column of `source`."""
    return Expression("COLUMN", text=name)


def constant(text: str, kind: ColumnType) -> Expression:
    """Return a value of a type, written as text: the engine would round a bare 0.1 twice on its way to a double."""
    return Expression("CONSTANT", text=text, type=kind)


def truth(value: bool) -> Expression:
    """Return TRUE or FALSE."""
    return constant(str(value).upper(), t.BOOLEAN)


def null(kind: ColumnType) -> Expression:
    """Return NULL of a type."""
    return Expression("NULL", type=kind)


def call(form: str, *operands: Expression) -> Expression:
    """Return an operation or function of operands."""
    return Expression(form, operands)


def cases(branches: Sequence[tuple[Expression, Expression]], otherwise: Expression) -> Expression:
    """Return CASE WHEN condition THEN result ... ELSE otherwise END."""
    return call("CASE", *(part for branch in branches for part in branch), otherwise)


@dataclass(frozen=True)
class Dialect:
    """How an engine writes what engines write differently.

    Attributes:
        name: its name in sqlglot, by which names and texts are quoted.
        types: its names of types that are not DuckDB's.
        collation: what follows a text, so that it compares by code points even where no column is beside it.
    """

    name: str
    types: Mapping[str, str] = field(default_factory=dict)
    collation: str = ""

    def sql(self, expression: Expression) -> str:
        """Return an expression written out."""
        known: dict[int, str] = {}  # by identity: the expression holds all of its parts

        def written(part: Expression) -> str:
            if id(part) not in known:
                known[id(part)] = self._written(part, list(map(written, part.operands)))
            return known[id(part)]

        return written(expression)

    def _written(self, part: Expression, operands: list[str]) -> str:
        form = part.form
        if form in _INFIX:
            left, right = operands
            return f"({left} {form} {right})"
        if form in _CALLS:
            return f"{form}({', '.join(operands)})"
        if form in _FORMS:
            return _FORMS[form].format(*operands)
        if form in _CASTS:
            return f"{form}({operands[0]} AS {self.type_name(part.type)})"
        match form:
            case "COLUMN":
                return f"{SOURCE}.{self._identifier(part.text)}"
            case "NULL":
                return f"CAST(NULL AS {self.type_name(part.type)})"
            case "CONSTANT":
                return self._constant(part.text, part.type)
            case "IN":
                return f"({operands[0]} IN ({', '.join(operands[1:])}))"
        branches = [f"WHEN {when} THEN {then}" for when, then in zip(operands[:-1:2], operands[1::2], strict=True)]
        return f"CASE {' '.join(branches)} ELSE {operands[-1]} END"

    def _identifier(self, name: str) -> str:
        from sqlglot import exp

        return exp.to_identifier(name, quoted=True).sql(dialect=self.name)

    def _constant(self, text: str, kind: ColumnType) -> str:
        from sqlglot import exp

        if kind.kind is Kind.TEXT:
            return f"({exp.Literal.string(text).sql(dialect=self.name)}{self.collation})"
        if kind.kind is Kind.BOOLEAN:
            return text
        if kind.kind is Kind.INTEGER and kind.high < 2**64:
            return f"({text})"
        return f"CAST('{text}' AS {self.type_name(kind)})"

    def type_name(self, kind: ColumnType) -> str:
        """Return the name of a type."""
        return self.types.get(kind.sql, kind.sql)
