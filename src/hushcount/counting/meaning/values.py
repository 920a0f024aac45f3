"""Typed values inside a predicate, what its literals mean, and how a message speaks of a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime

from hushcount.counting.meaning.expression import Expression
from hushcount.counting.meaning.types import ColumnType, Kind
from hushcount.counting.predicate import nodes as n
from hushcount.counting.predicate.moments import read_date, read_timestamp
from hushcount.counting.predicate.quoting import is_plain_name, quoted_name
from hushcount.errors import PredicateRefused
from hushcount.words.shell import as_option

__all__ = [
    "Value",
    "apart",
    "if_dates",
    "if_labels",
    "if_missing",
    "if_numbers",
    "instant",
    "letter_by_letter",
    "mismatch",
    "moment_of",
    "needs_time",
    "needs_type",
    "said",
]

_LITERALS = (n.Number, n.Text, n.Truth, n.Moment)
_MIDNIGHT = datetime.min.time()


@dataclass(frozen=True)
class Value:
    """A compiled part.

    Attributes:
        type: its type.
        expression: its expression.
        literal: the literal it is, if it is one.
        nan: whether it may hold NaN.
        numbers: the number literals that it is chosen from, where nothing else is; a literal is chosen from itself.
        turned: makes its expression in another numeric type, where it is chosen from literals.
    """

    type: ColumnType
    expression: Expression
    literal: n.Node | None = None
    nan: bool = False
    numbers: tuple[n.Number, ...] | None = None
    turned: Callable[[ColumnType], Expression] | None = None

    @property
    def kind(self) -> Kind:
        return self.type.kind


def instant(moment: date) -> datetime:
    return moment if isinstance(moment, datetime) else datetime.combine(moment, _MIDNIGHT)


def moment_of(text: str, kind: ColumnType) -> date:
    found = read_date(text) if kind.kind is Kind.DATE else read_timestamp(text)
    if isinstance(found, datetime) and found.tzinfo is not None:
        try:
            found = found.astimezone(UTC).replace(tzinfo=None) if kind.zoned else None
        except OverflowError:
            found = None
    if found is None:
        shape = "'YYYY-MM-DD'" if kind.kind is Kind.DATE else "'YYYY-MM-DD hh:mm:ss'"
        raise PredicateRefused(f"{text[:60]!r} is compared with a {kind.kind.value}, so it must be written as {shape}")
    return found


def said(node: n.Node, value: Value) -> str:
    if isinstance(node, n.Column):
        return f"column {node.name!r} ({value.kind.value})"
    if isinstance(node, _LITERALS):
        return f"the literal {_spelled(node)}"
    return f"an expression of type {value.kind.value}"


def _spelled(literal: n.Node) -> str:
    match literal:
        case n.Number(_, text):
            return text[:60]
        case n.Text(value):
            return repr(value[:60])
        case n.Moment(value):
            return repr(str(value))
        case n.Truth(value):
            return str(value).upper()
    return type(literal).__name__


def mismatch(node: n.Node, value: Value, literal: n.Node) -> PredicateRefused:
    hint = ""
    if value.kind is Kind.TEXT and isinstance(literal, n.Number):
        hint = f"; texts are compared with a quoted literal, '{literal.text[:60]}'{if_missing(value.type)}"
    elif value.type.temporal and isinstance(literal, n.Number):
        hint = f"; a date is written DATE 'YYYY-MM-DD', and its year is year({_name(node)})"
    elif value.type.numeric and isinstance(literal, n.Text):
        hint = f"; numbers are compared with a literal without quotes{if_labels(node, value.type)}"
    elif value.kind is Kind.TEXT and isinstance(literal, n.Moment) and not isinstance(node, n.Column):
        hint = "; a string is a text and never a date: write DATE '...' or TIMESTAMP '...'"
    elif value.kind is Kind.TEXT and isinstance(literal, n.Moment):
        hint = if_dates(node, value.type)
    return PredicateRefused(f"{said(node, value)} cannot be compared with {_spelled(literal)}{hint}")


def if_missing(kind: ColumnType) -> str:
    """Return what to say where numbers are wanted and the data show texts; it is the same whatever the texts are."""
    if kind.kind is not Kind.TEXT or not kind.open:
        return ""
    return "; if it holds numbers, and a text such as NA where one is missing, declare that text: --null NA"


def if_dates(node: n.Node, kind: ColumnType) -> str:
    """Return what to say where dates are wanted and a column holds texts; it is the same whatever the texts are."""
    if kind.kind is not Kind.TEXT or not isinstance(node, n.Column):
        return ""
    if not kind.open:
        return _declared_otherwise(node, kind, "dates", "date", "pd.to_datetime")
    pinned = as_option("type", f"{node.name}=date")
    return (
        f"; if it holds dates, declare that: {pinned}; in a CSV file also how they are written (--date-format) and "
        "what stands for none (--null)"
    )


def if_numbers(node: n.Column, kind: ColumnType) -> str:
    """Return what to say where whole numbers are wanted and a column holds texts; as for `if_dates`."""
    if kind.kind is not Kind.TEXT:
        return ""
    if not kind.open:
        return _declared_otherwise(node, kind, "numbers", "integer", "astype")
    pins = [as_option("type", f"{node.name}={word}") for word in ("integer", "number")]
    return f"{if_missing(kind)}, and pin its type: {pins[0]}, or if some have a point {pins[1]} and half-open bands"


def _declared_otherwise(node: n.Column, kind: ColumnType, what: str, word: str, method: str) -> str:
    if kind.labels is not None:
        return f"; it is read by its labels, and where these are of {what}, leave out {_as_label(node)} for them"
    listed = as_option("type", f"{node.name}={word}")
    return (
        f"; it was declared to hold texts; if it holds {what}, declare these: in a budget's list by {listed}, in a "
        f"frame by {method}"
    )


def if_labels(node: n.Node, kind: ColumnType) -> str:
    """Return what to say where texts are wanted and a column holds numbers with value labels."""
    if not kind.labelled or not isinstance(node, n.Column):
        return ""
    return f"; the texts of its value labels are read by {_as_label(node)}"


def _as_label(node: n.Column) -> str:
    return as_option("type", f"{node.name}=label")


def apart(left: n.Node, a: Value, right: n.Node, b: Value) -> PredicateRefused:
    """Return the error about two parts that have no common type."""
    hint = next((hint for node in (left, right) if (hint := _as_date(node))), "")
    return PredicateRefused(f"{said(left, a)} and {said(right, b)} do not go together{hint}")


def _as_date(node: n.Node) -> str:
    """Return how the date is written that was meant by a calculation such as 2008-11-01, if one was."""
    match node:
        case n.Arithmetic("-", n.Arithmetic("-", n.Number(_, year), n.Number(_, month)), n.Number(_, day)):
            text = f"{year}-{month:0>2}-{day:0>2}"
            return f"; a date is written DATE '{text if read_date(text) else 'YYYY-MM-DD'}'"
        case n.Arithmetic("/", n.Arithmetic("/", n.Number(), n.Number()), n.Number()):
            return "; a date is written DATE 'YYYY-MM-DD'"
    return ""


def letter_by_letter(node: n.Node, value: Value, literal: n.Node) -> PredicateRefused:
    def pinned(kind: str) -> str:
        return f" ({as_option('type', f'{node.name}={kind}')})" if isinstance(node, n.Column) else ""

    return PredicateRefused(
        f"{said(node, value)} would be compared with {said(literal, value)} letter by letter; declare its dates"
        f"{pinned('date')} or numbers, in a CSV file also how they are written (--date-format, --decimal), and write "
        f"DATE '...' or no quotes; or pin its type as text{pinned('text')}"
    )


def needs_type(left: n.Node, a: Value, right: n.Node, b: Value) -> PredicateRefused:
    return PredicateRefused(
        f"{said(left, a)} and {said(right, b)} get their types from the data, and one other row could change what "
        f"comparing them means; pin the type of one{_example(left, 'number')}, or for numbers write: + 0"
    )


def needs_time(node: n.Node, value: Value, literal: n.Node) -> PredicateRefused:
    kind = value.kind.value
    return PredicateRefused(
        f"{said(node, value)} gets its type from the data, so {said(literal, value)} could mean a text; write "
        f"DATE '...' or TIMESTAMP '...', or pin the type{_example(node, kind)}"
    )


def _name(node: n.Node) -> str:
    if not isinstance(node, n.Column):
        return "..."
    return node.name if is_plain_name(node.name) else quoted_name(node.name)


def _example(node: n.Node, kind: str) -> str:
    return f" ({as_option('type', f'{node.name}={kind}')} for a CSV file)" if isinstance(node, n.Column) else ""
