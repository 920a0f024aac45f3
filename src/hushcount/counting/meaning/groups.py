"""What tells the cell of a row, as expressions that cannot fail on any row, by the rule of predicates.

A band is where the predicate `COLUMN >= low AND COLUMN < high` is true. Its key in the query is a whole number: its
place among the bands, or for steps of whole numbers how far its beginning is from that of the first. So all
comparisons with declared keys are equalities, and a row takes as many comparisons as halving the bands does.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf

from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.conditions import Conditions
from hushcount.counting.meaning.expression import Expression, call, cases, column, null
from hushcount.counting.meaning.missing_codes import are_missing
from hushcount.counting.meaning.types import ColumnType, Kind
from hushcount.counting.meaning.values import if_dates, if_numbers
from hushcount.counting.predicate import nodes as n
from hushcount.counting.predicate.bands import MISSING_BAND, Band
from hushcount.counting.predicate.groups import Banded, Group, Part, Steps
from hushcount.errors import InvalidParameter
from hushcount.numbers.exact import exact_text
from hushcount.words.shell import as_option

__all__ = ["check_group", "key_of", "places_of"]

_MOST_COMPARED = 1_000
"""The most bands that are told apart by comparisons, not by a division."""

_WHOLE_ROOM = 2**62


def check_group(group: Group, kind: ColumnType) -> None:
    """Check that a group can be computed from a column of a type.

    Raises:
        InvalidParameter: it cannot.
    """
    held = n.Column(group.column)
    if isinstance(group, Part) and not (kind.temporal or kind.kind is Kind.UNKNOWN):
        rule = f"a part of dates or timestamps: {group.column!r} holds {kind.kind.value}s{if_dates(held, kind)}"
        raise InvalidParameter("by", group.text, rule)
    if not isinstance(group, Banded) or kind.kind is Kind.UNKNOWN:
        return
    if not kind.numeric:
        hint = f"; of its years, write year({group.column})" if kind.temporal else if_numbers(held, kind)
        raise InvalidParameter("by", None, f"bands of numbers: {group.column!r} holds {kind.kind.value}s{hint}")
    gone = next((band for band in group.bands if _is_missing(band, kind)), None)
    if gone is not None:
        rule = f"bands of numbers that {group.column!r} can hold: all of {gone.label} is declared missing in the file"
        raise InvalidParameter("by", None, f"{rule}, and is in the band {MISSING_BAND}")
    closed = next((band for band in group.bands if band.is_whole), None)
    if closed is not None and not _is_whole(kind):
        written = Band.half_open(closed.low or Fraction(0), closed.high or Fraction(0)).label
        rule = f"half-open bands, such as {written} for {closed.label}: {group.column!r} holds "
        if kind.exact:
            raise InvalidParameter("by", None, f"{rule}decimals")
        pinned = as_option("type", f"{group.column}=integer")
        hint = f"if all of them are whole, declare that: {pinned}, or in a frame astype('Int64')"
        raise InvalidParameter("by", None, f"{rule}doubles; {hint}")
    if _first_step(group, kind) is None and not len(group.bands) <= _MOST_COMPARED:
        rule = f"at most {_MOST_COMPARED:,} bands of {group.column!r}, unless it holds whole numbers and they are equal"
        raise InvalidParameter("by", None, f"{rule} steps, also whole: COLUMN by WIDTH from LOW to HIGH")


def _is_missing(band: Band, kind: ColumnType) -> bool:
    """Return whether a file declares all of a band missing."""
    low, high = -inf if band.low is None else band.low, inf if band.high is None else band.high
    return are_missing(kind, low, high - 1 if band.is_whole or (_is_whole(kind) and high < inf) else high)


def places_of(group: Banded, kind: ColumnType) -> range:
    """Return the whole number by which `key_of` tells each band."""
    step = 1 if _first_step(group, kind) is None or not isinstance(group, Steps) else int(group.width)
    return range(0, step * len(group.bands), step)


def key_of(
    group: Group, kind: ColumnType, wanted: ColumnType, conditions: type[Conditions]
) -> tuple[Expression, Expression]:
    """Return the key of a row in the type in which keys are compared, and whether it is missing.

    The key is NULL where it equals no declared one.

    Args:
        kind: the type of the column, which fits the group.
        wanted: the type of the keys.
    """
    held, node = column(group.column), n.Column(group.column)
    types = {group.column: kind}
    if isinstance(group, Part):
        part = conditions(types).value(n.Extract(group.part, node)).expression.cast(t.INTEGER)
        return part, part.is_null()
    if isinstance(group, Banded):
        # Each tree has conditions of its own, which know its nodes by identity as long as it lives
        return _band(group, kind, conditions(types)), conditions(types).condition(n.IsNull(node))
    if kind.kind is Kind.UNKNOWN:
        return null(wanted), held.is_null()
    if kind == t.HUGE:
        return held.try_cast(wanted), held.is_null()
    return held if kind.sql == wanted.sql else held.cast(wanted), held.is_null()


def _band(group: Banded, kind: ColumnType, terms: Conditions) -> Expression:
    if kind.kind is Kind.UNKNOWN:
        return null(t.INTEGER)
    first = _first_step(group, kind)
    if first is not None and isinstance(group, Steps):
        return _stepped(group, kind, terms, first)
    edges = sorted({end for band in group.bands for end in (band.low, band.high) if end is not None})
    starts = {band.low: n.Number(Fraction(place), str(place)) for place, band in enumerate(group.bands)}
    value = n.Column(group.column)
    tree = _halved(value, edges, [starts.get(start) for start in (None, *edges)])
    # A missing number is below no edge, and so would be in the last band
    return terms.value(n.Case(((n.IsNull(value), n.Truth(None)),), tree)).expression.cast(t.INTEGER)


def _halved(value: n.Node, edges: Sequence[Fraction], places: Sequence[n.Node | None]) -> n.Node:
    """Return the place of the range between edges in which a value lies, found by halving them; NULL for none."""
    if not edges:
        return places[0] or n.Truth(None)
    middle = len(edges) // 2
    is_below = n.Compare("<", value, n.Number(edges[middle], exact_text(edges[middle])))
    below = _halved(value, edges[:middle], places[: middle + 1])
    return n.Case(((is_below, below),), _halved(value, edges[middle + 1 :], places[middle + 1 :]))


def _stepped(group: Steps, kind: ColumnType, terms: Conditions, first: int) -> Expression:
    """Return how far the beginning of a band is from the first, of whole numbers only: all is within 64 bits."""
    width, held = int(group.width), column(group.column)
    low, high = max(first, kind.low), min(first + width * len(group.bands) - 1, kind.high)
    if low > high:
        return null(t.INTEGER)
    ends = terms.step(kind, low), terms.step(kind, high)
    inside = call("LEAST", call("GREATEST", held, ends[0]), ends[1]).cast(t.INTEGER)
    beyond = inside - terms.step(t.INTEGER, first)
    start = beyond - (beyond % terms.step(t.INTEGER, width))
    return cases([((held >= ends[0]) & (held <= ends[1]), start)], null(t.INTEGER))


def _first_step(group: Banded, kind: ColumnType) -> int | None:
    """Return where steps begin that a division of whole numbers tells apart; None for other bands."""
    if not (isinstance(group, Steps) and _is_whole(kind) and group.low.denominator == group.width.denominator == 1):
        return None
    first, last = int(group.low), int(group.low + group.width * len(group.bands))
    return first if first > -_WHOLE_ROOM and last < _WHOLE_ROOM else None


def _is_whole(kind: ColumnType) -> bool:
    return kind.kind is Kind.INTEGER or (kind.exact and kind.scale == 0 and kind.high > 0)
