"""The words that go with a table of counts, and its first rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import islice

from hushcount.counting.cells.keys import Keys
from hushcount.numbers.exact import Number
from hushcount.numbers.text import plain_at_most, upper_text
from hushcount.promise.adjacency import Adjacency
from hushcount.release import text
from hushcount.release.findings import mechanism_rows
from hushcount.release.table.guarantee import TableGuarantee
from hushcount.release.table.names import CellNames
from hushcount.words.paragraphs import row, wrapped
from hushcount.words.printable import shortened
from hushcount.words.tables import aligned

__all__ = [
    "MOST_SHOWN",
    "cell_lines",
    "chance_lines",
    "chances_in_words",
    "hiding_rows",
    "price_rows",
    "promise_lines",
    "promised",
    "range_text",
]

MOST_SHOWN = 20
_LONGEST_KEY = 30
_ROOM_FOR_KEYS = 56
"""Columns for keys on a terminal of 80; the others are for two counts below a thousand million."""

_SMALL_CELLS = "Cells with few rows are biased upwards"
"""True of any law on 0..n that can be wrong at 0: its mean there is above 0."""

_FOR_SUMS = "; for sums: hushcount interpret --cells"


def cell_lines(
    facts: TableGuarantee, keys: Keys | None, counts: Mapping[str, Sequence[int]], most: int | None, rest: str
) -> list[str]:
    """Return the first cells, and the other one if there is room.

    Args:
        keys: the keys as they were declared; without them cells are numbered from 1.
        counts: the counts of each cell, by the heading of their column.
        most, rest: as in `TableReceipt.to_text`.
    """
    names = CellNames(keys, facts.cells)
    width = len(names.columns)
    longest = max(4, min(_LONGEST_KEY, _ROOM_FOR_KEYS // width - 2))
    lines: list[Sequence[str]] = [(*(shortened(name, longest) for name in names.columns), *counts)]
    for cell, drawn in enumerate(islice(zip(*counts.values(), strict=True), most)):
        lines.append((*(shortened(part, longest) for part in names.row(cell)), *map(str, drawn)))
    shown = aligned(lines, to_right=range(width, width + len(counts)))
    more = 0 if most is None else facts.counts - most
    return shown if more <= 0 else [*shown, f"... and {more:,} more{rest}"]


def range_text(facts: TableGuarantee, spelled: Callable[[int], str] = str) -> str:
    """Return which counts can be released."""
    top = spelled(facts.cell.maximum)
    if facts.hiding is not None:
        shown = f"{spelled(facts.hiding.least_shown)} to {top}"
        return f"{shown} in a group that is shown; a group is hidden where 0 is drawn"
    if facts.maxima is None:
        return f"0 to {top} in every cell"
    if facts.keeps_other:
        return f"0 to the known total of each cell, and 0 to {spelled(facts.maxima[-1])} for all other keys"
    return "0 to the known total of each cell"


def price_rows(facts: TableGuarantee, at_delta: Number | None = None) -> list[str]:
    """Return the promises for the table, as in `text.privacy_rows`, and for a cell, and what draws it."""
    each = facts.cell.promise.in_words(plain_at_most)
    what = "Groups" if facts.is_found else "Cells"
    k, moves = facts.changed_cells, facts.cell.moves
    drawn = f"{each} each; a change affects at most {k:,}"
    if facts.public_total is not None:
        drawn = f"one draw, at {each}; the other count is {facts.public_total:,} minus it"
    elif moves > 1:
        drawn = f"{each} each; a change moves them by at most {k * moves:,} rows together"
    return [
        *text.privacy_rows(facts.price, f"{facts.cell.adjacency.value}, for the table", at_delta, plain_at_most),
        row(what, drawn),
        *text.row_rows(facts.cell),
        *mechanism_rows(facts.cell.mechanism, facts.cell.audit),
    ]


def chance_lines(facts: TableGuarantee) -> list[str]:
    """Return how often the count of the worst cell is off, and how many are wrong on average."""
    if facts.hiding is not None:
        told = [wrapped(f"{each}.") for each in chances_in_words(facts)]
        told += map(wrapped, facts.limited)
        return [*aligned(hiding_rows(facts), to_right=(0,)), *([""] if told else []), *told]
    wrong, small = chances_in_words(facts)
    return [
        "Whatever the true counts are, the released count of a cell is",
        *text.chance_lines(facts.cell.chances, facts.cell.maximum),
        f"and {wrong}",
        small + ("" if facts.public_total is not None else _FOR_SUMS),
        *map(wrapped, facts.limited),
    ]


def chances_in_words(facts: TableGuarantee) -> list[str]:
    """Return how many counts are wrong on average, and what to know of small ones."""
    if facts.hiding is not None:
        return facts.hiding.to_sentences()
    assert facts.expected_wrong is not None
    wrong = upper_text(Fraction(facts.expected_wrong), 3)
    small = _SMALL_CELLS
    if facts.public_total is not None:
        small = f"A small count is biased upwards; the sum of both, {facts.public_total:,}, is exact"
    return [f"at most {wrong} of {facts.counts:,} counts are wrong on average", small]


def hiding_rows(facts: TableGuarantee) -> list[Sequence[str]]:
    """Return what becomes of a group from the data, by its true count, as a table with a head."""
    assert facts.hiding is not None
    what = "rows" if facts.cell.unit is None or facts.cell.counts_rows_of_units else "units"
    return facts.hiding.to_rows(what)


def promise_lines(facts: TableGuarantee) -> list[str]:
    """Return what is promised, with its heading."""
    return text.promise_lines(promised(facts))


def promised(facts: TableGuarantee) -> list[str]:
    """Return what is promised, in paragraphs."""
    cell, public = facts.cell, ""
    if cell.adjacency is Adjacency.ADD_REMOVE:
        public = " The declared maxima are public and must have been chosen without looking at the data."
    elif facts.public_count is not None:
        public = f" {cell.public_words(facts.public_count)}"
    cells = "The cells were declared and are public; which of them have rows is not disclosed."
    if facts.is_found:
        cells = (
            "The groups come from the data. A group is told only where a count above 0 was drawn for it, so none is "
            "invented, and how many are hidden is not disclosed."
        )
    if facts.public_total is not None:
        every, numbered = ("unit counts", "units") if cell.unit is not None else ("row is", "rows")
        cells += (
            f" Every {every} in one of the two, so they are one count, drawn once: the other is {facts.public_total:,},"
            f" the number of {numbered}, minus it. Both counts are right, or both are wrong by as much."
        )
    if facts.is_found and facts.max_cells is not None:
        cells += (
            f" A unit counts in at most {facts.max_cells:,} groups, which a lot decides for each release, among those "
            "that it has rows in."
        )
    elif facts.max_cells is not None:
        cells += (
            f" A unit counts in at most {facts.max_cells:,} of them: the first that it reaches in the order of their "
            "declaration."
        )
    return [
        f"Who is protected ({cell.adjacency.value}): {cell.meaning}{public}",
        cells,
        *text.left_uncounted(cell, "groups" if facts.is_found else "cells"),
        f"How well: {facts.price.protection('the whole table', 'a change')}",
        *cell.promise.given_away(max(facts.draws, 1), "group" if facts.is_found else "cell"),
        text.repeats(facts.price),
    ]
