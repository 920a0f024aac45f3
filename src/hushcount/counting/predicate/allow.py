"""The allow-list: which nodes of an SQL syntax tree become part of a predicate. Whatever is not here is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from hushcount.counting.predicate import nodes as n, reasons
from hushcount.counting.predicate.moments import read_date, read_timestamp
from hushcount.errors import PredicateRefused

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["allowed"]

# Building, compiling and printing a level takes a handful of Python frames each; 1000 are there in all.
MAX_DEPTH = 60
_MAX_EXPONENT = 400
_MAX_DIGITS = 500
_NUMBER = re.compile(r"([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,6})?")
_LARGEST = Fraction(2) ** 1024 - Fraction(2) ** 970  # from here on the nearest double is infinity
_SMALLEST = Fraction(1, 2**1074)

_COMPARISONS = {"EQ": "=", "NEQ": "<>", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}
_ARITHMETIC = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Mod": "%"}
_CALLS = {"Lower": "lower", "Upper": "upper", "Trim": "trim", "Length": "length", "Abs": "abs", "Coalesce": "coalesce"}
_TESTS = frozenset([*_COMPARISONS, "Is", "In", "Between", "Like", "Not", "And", "Or"])
_MOMENTS: dict[str, tuple[Callable[[str], date | None], str]] = {
    "DATE": (read_date, "DATE 'YYYY-MM-DD'"),
    "TIMESTAMPNTZ": (read_timestamp, "TIMESTAMP 'YYYY-MM-DD hh:mm:ss'"),
}
_LITERALS = (n.Number, n.Text, n.Moment)
_NEVER_BOOLEAN = (n.Number, n.Text, n.Moment, n.Negate, n.Arithmetic, n.Extract)


def allowed(tree: exp.Expr) -> n.Node:
    """Return the predicate tree of an SQL expression.

    Raises:
        PredicateRefused: a part of it is not on the allow-list, it is nested too deeply, or it is no condition.
    """
    _check_depth(tree)
    return _condition(tree)


def _check_depth(tree: exp.Expr) -> None:
    stack = [(tree, 1)]
    while stack:
        node, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise PredicateRefused(reasons.TOO_DEEP)
        for child in node.iter_expressions():
            same = type(child) is type(node) and _kind(node) in ("And", "Or")
            stack.append((child, depth if same else depth + 1))


def _kind(tree: exp.Expr) -> str:
    return type(tree).__name__


def _node(tree: exp.Expr) -> n.Node:
    kind = _kind(tree)
    visit = _VISITORS.get(kind)
    if visit is None:
        raise PredicateRefused(f"{_text(tree)} is not among what a predicate may hold")
    return visit(tree)


def _condition(tree: exp.Expr) -> n.Node:
    node = _node(tree)
    if isinstance(node, _NEVER_BOOLEAN) or (isinstance(node, n.Call) and node.name != "coalesce"):
        hint = "; a column is compared with several values by IN (...)" if isinstance(node, _LITERALS) else ""
        raise PredicateRefused(f"{_text(tree)} is not a condition: it must be true or false of a row{hint}")
    return node


def _parts(tree: exp.Expr, *names: str, besides: Collection[str] = ()) -> list[exp.Expr]:
    """Return the named arguments of a node, after checking that it has no others: an unknown modifier changes the
    meaning.

    Args:
        besides: arguments that it may have as well.
    """
    known = (*names, *besides)
    extra = [name for name, value in tree.args.items() if name not in known and value not in (None, False, [])]
    found = [part for name in names if (part := tree.args.get(name)) is not None]
    if extra or len(found) < len(names):
        raise PredicateRefused(f"{_text(tree)} is written in a form that is not allowed")
    return found


def _paren(tree: exp.Expr) -> n.Node:
    (inner,) = _parts(tree, "this")
    return _node(inner)


def _junction(tree: exp.Expr) -> n.Node:
    operands: list[n.Node] = []
    stack: list[exp.Expr] = [tree]
    while stack:  # a chain of ANDs is as deep as it is long, so it is unrolled without recursion
        part = stack.pop()
        if type(part) is type(tree):
            left, right = _parts(part, "this", "expression")
            stack += [right, left]
        else:
            operands.append(_condition(part))
    return n.Junction(_kind(tree).upper(), tuple(operands))


def _not(tree: exp.Expr) -> n.Node:
    (inner,) = _parts(tree, "this")
    return n.Not(_condition(inner))


def _compare(tree: exp.Expr) -> n.Node:
    left, right = _parts(tree, "this", "expression")
    for side in (left, right):
        if _kind(side) in _TESTS:
            hint = "; a range is written BETWEEN ... AND ..." if _kind(side) in _COMPARISONS else ""
            raise PredicateRefused(f"{_text(tree)} can be read in two ways; put parentheses around {_text(side)}{hint}")
    sides = _node(left), _node(right)
    if all(isinstance(side, n.Text) for side in sides):
        raise PredicateRefused(f"{_text(tree)} compares two texts; a column name goes in double quotes")
    _check_not_null(tree, *sides)
    return n.Compare(_COMPARISONS[_kind(tree)], *sides)


def _check_not_null(tree: exp.Expr, *sides: n.Node) -> None:
    """Refuse a comparison with the literal NULL, which is true of no row, whatever the data are, and yet charged."""
    if n.Truth(None) in sides:
        raise PredicateRefused(f"{_text(tree)} is never true, since NULL equals nothing; write IS NULL or IS NOT NULL")


def _is(tree: exp.Expr) -> n.Node:
    negated = bool(tree.args.get("negate"))
    operand, what = _parts(tree, "this", "expression", besides=["negate"])
    test: n.Node
    match _node(what):
        case n.Truth(None):
            test = n.IsNull(_node(operand))
        case n.Truth(bool(value)):
            test = n.IsTruth(_condition(operand), value)
        case other:
            is_missing = isinstance(other, n.Column) and other.name.lower() in reasons.MISSING
            hint = "; a missing value is NULL here" if is_missing else "; a value is compared by ="
            raise PredicateRefused(f"{_text(tree)}: after IS only NULL, TRUE, FALSE and their NOT are allowed{hint}")
    return n.Not(test) if negated else test


def _in(tree: exp.Expr) -> n.Node:
    if tree.args.get("query") is not None:
        raise PredicateRefused("IN (SELECT ...) is refused: " + reasons.WORDS["SELECT"])
    (operand,) = _parts(tree, "this", besides=["expressions"])
    items = tuple(_node(item) for item in tree.args.get("expressions") or ())
    if not items or not all(isinstance(item, (n.Number, n.Text, n.Truth, n.Moment)) for item in items):
        raise PredicateRefused(f"{_text(tree)}: the list after IN may hold literals only{_as_text(*items)}")
    if n.Truth(None) in items:
        rule = "NULL equals nothing, so it is in no list: NOT IN would never be true"
        raise PredicateRefused(f"{_text(tree)}: {rule}; leave it out, and write IS NULL or IS NOT NULL beside the list")
    return n.Among(_node(operand), items)


def _as_text(*parts: n.Node) -> str:
    """Return how the first column among the parts would be written as a text, if there is one."""
    return next((reasons.single_quotes(part.name) for part in parts if isinstance(part, n.Column)), "")


def _between(tree: exp.Expr) -> n.Node:
    operand, low, high = _parts(tree, "this", "low", "high")
    sides = _node(operand), _node(low), _node(high)
    _check_not_null(tree, *sides)
    return n.Between(*sides)


def _like(tree: exp.Expr) -> n.Node:
    negated = bool(tree.args.get("negate"))
    operand, pattern = _parts(tree, "this", "expression", besides=["negate"])
    literal = _node(pattern)
    if not isinstance(literal, n.Text):
        raise PredicateRefused(f"{_text(tree)}: the pattern after LIKE must be a string literal{_as_text(literal)}")
    test = n.Like(_node(operand), literal.value)
    return n.Not(test) if negated else test


def _arithmetic(tree: exp.Expr) -> n.Node:
    # sqlglot marks a division with the dialect's own rules; here a / b is always double precision, NULL where b is 0
    left, right = _parts(tree, "this", "expression", besides=["typed", "safe"] if _kind(tree) == "Div" else [])
    node = n.Arithmetic(_ARITHMETIC[_kind(tree)], _node(left), _node(right))
    if node.operator == "%" and not (isinstance(node.right, n.Number) and node.right.value != 0):
        raise PredicateRefused(f"{_text(tree)}: the right side of % must be a number other than 0")
    return node


def _negate(tree: exp.Expr) -> n.Node:
    (inner,) = _parts(tree, "this")
    operand = _node(inner)
    if isinstance(operand, n.Number):
        text = operand.text[1:] if operand.text.startswith("-") else f"-{operand.text}"
        return n.Number(-operand.value, text)
    return n.Negate(operand)


def _literal(tree: exp.Expr) -> n.Node:
    text = str(tree.args["this"])
    if tree.args.get("is_string"):
        return n.Text(text)
    if not _NUMBER.fullmatch(text):
        raise PredicateRefused(f"{text[:60]!r} is not a number")
    if len(text) > _MAX_DIGITS or abs(Decimal(text).adjusted()) > _MAX_EXPONENT:
        raise PredicateRefused(f"{text[:60]} is too large or too small a number")
    value = Fraction(Decimal(text))
    if not (value == 0 or _SMALLEST <= value < _LARGEST):
        raise PredicateRefused(f"{text[:60]} is too large or too small a number")
    return n.Number(value, text)


def _truth(tree: exp.Expr) -> n.Node:
    return n.Truth(bool(tree.args["this"]) if _kind(tree) == "Boolean" else None)


def _column(tree: exp.Expr) -> n.Node:
    if any(tree.args.get(part) is not None for part in ("table", "db", "catalog")):
        parts = [tree.args[part] for part in ("catalog", "db", "table", "this") if tree.args.get(part) is not None]
        hint = reasons.double_quotes(".".join(str(part.args["this"]) for part in parts))
        raise PredicateRefused(f"{_text(tree)}: there is one table, so write the column alone{hint}")
    (identifier,) = _parts(tree, "this")
    if _kind(identifier) == "Star":
        raise PredicateRefused("* is not a column")
    name = str(identifier.args["this"])
    if not name:
        raise PredicateRefused("\"\" is no column: one without a name cannot be asked about, and an empty text is ''")
    return n.Column(name)


def _moment(tree: exp.Expr) -> n.Node:
    target = str(getattr(tree.args.get("to"), "this", "")).rpartition(".")[2]
    literal = tree.args.get("this")
    if target not in _MOMENTS or literal is None or _kind(literal) != "Literal" or not literal.args.get("is_string"):
        raise PredicateRefused(f"{_text(tree)} is refused: {reasons.of_function('cast')}")
    read, shape = _MOMENTS[target]
    text = str(literal.args["this"])
    value = read(text)
    if value is None or getattr(value, "tzinfo", None) is not None:
        raise PredicateRefused(f"{text[:60]!r} is not a date that exists, written as {shape}")
    return n.Moment(value)


def _call(tree: exp.Expr) -> n.Node:
    name = _CALLS[_kind(tree)]
    (first,) = _parts(tree, "this", besides=["expressions"] if name == "coalesce" else [])
    return n.Call(name, tuple(map(_node, [first, *(tree.args.get("expressions") or ())])))


def _extract(tree: exp.Expr) -> n.Node:
    part, operand = _parts(tree, "this", "expression")
    name = str(part.args.get("this", "")).lower()
    if name not in n.PARTS:
        raise PredicateRefused(f"extract({name} from ...) is refused: the parts allowed are {', '.join(n.PARTS)}")
    return n.Extract(name, _node(operand))


def _part(tree: exp.Expr) -> n.Node:
    (operand,) = _parts(tree, "this")
    return n.Extract(_kind(tree).lower(), _node(operand))


def _case(tree: exp.Expr) -> n.Node:
    subject, branches = tree.args.get("this"), []
    if subject is not None and any(_kind(part) == "Case" for part in subject.walk()):
        # The subject is compared once per WHEN, so that nesting there would grow without bound.
        raise PredicateRefused(f"{_text(tree)} has a CASE between CASE and WHEN; write CASE WHEN ... instead")
    _parts(tree, "ifs", besides=["this", "default"])
    for branch in tree.args["ifs"]:
        when, then = _parts(branch, "this", "true")
        if subject is None:
            test = _condition(when)
        else:
            sides = _node(subject), _node(when)
            _check_not_null(tree, *sides)
            test = n.Compare("=", *sides)
        branches.append((test, _node(then)))
    default = tree.args.get("default")
    return n.Case(tuple(branches), n.Truth(None) if default is None else _node(default))


def _text(tree: exp.Expr) -> str:
    try:
        text = tree.sql(dialect="duckdb", comments=False)
    except RecursionError:
        text = _kind(tree)
    return repr(text if len(text) <= 80 else f"{text[:80]}...")


_VISITORS: dict[str, Callable[[exp.Expr], n.Node]] = {
    "Paren": _paren,
    "And": _junction,
    "Or": _junction,
    "Not": _not,
    **dict.fromkeys(_COMPARISONS, _compare),
    "Is": _is,
    "In": _in,
    "Between": _between,
    "Like": _like,
    **dict.fromkeys(_ARITHMETIC, _arithmetic),
    "Neg": _negate,
    "Literal": _literal,
    "Boolean": _truth,
    "Null": _truth,
    "Column": _column,
    "Cast": _moment,
    **dict.fromkeys(_CALLS, _call),
    "Extract": _extract,
    **dict.fromkeys(map(str.capitalize, n.PARTS), _part),
    "Case": _case,
}
