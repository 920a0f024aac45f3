"""Two cells that are one count, because their sum is public: one is drawn, and the other is what is left of the sum.

Under replace-one the number n of rows, or of units, is public. Where each of them is in one of two cells, and in one
only, and that is so by declaration, the true counts are i and n - i: a second draw would say once more what the first
one says, and cost as much again. So one cell is drawn, as a single count on 0..n is, and the other is n minus it.

Privacy does not rest on the two being all: a change moves the drawn count by at most 1 whatever is in the other cell,
and what is computed of a released count and of n costs nothing. What rests on it is that the other count is about the
right number.

The rule looks at what is declared and at nothing else, so that the price does not depend on the data.
"""

from __future__ import annotations

from dataclasses import replace

from hushcount.counting.cells.cells import Cells
from hushcount.counting.meaning.types import ColumnType, Kind
from hushcount.counting.predicate.groups import Banded, Group
from hushcount.counting.predicate.predicate import Predicate
from hushcount.promise.adjacency import Adjacency
from hushcount.release.law import Law
from hushcount.release.table.cells import DeclaredCells
from hushcount.words.shell import as_option

__all__ = ["DRAWN_BY", "are_all", "may_be_one_count", "one_draw_by"]

DRAWN_BY = "nearest"
"""What draws the one count: what is used where no mechanism is named. Mirrored, its law is its law, so that both counts
are off by so much equally often."""


def may_be_one_count(
    declared: DeclaredCells, adjacency: Adjacency, predicate: Predicate, max_count: int | None, law: Law
) -> bool:
    """Return whether the cells of a table are one count if `are_all` says that there are no others.

    A unit counts once, in the first cell that it reaches, and it has a row that is in some cell. Where so many of its
    rows count, their sum is not public.
    """
    return _is_sum_public(declared, adjacency, predicate) and max_count is None and law.name == DRAWN_BY


def are_all(cells: Cells, kind: ColumnType | None) -> bool:
    """Return whether there are two cells, and each row is in one of them.

    They are one declared key and the cell of all others; or both values of a boolean column that its source lets have
    no missing value. PostgreSQL and DuckDB see to that where a column is NOT NULL, and a Parquet file where it is
    REQUIRED. SQLite declares no booleans, and what a frame or an Arrow file says of it is a claim.

    Args:
        kind: the declared type of the first column of the keys; None if none is declared.
    """
    if cells.keeps_other:
        return len(cells.keys) == 1
    keys = cells.keys.texts[0]
    return (
        len(cells.groups) == 1
        and type(cells.groups[0]) is Group
        and kind is not None
        and kind.kind is Kind.BOOLEAN
        and kind.required
        and len(keys) == 2  # they are different, so that none is left out
        and keys.null_count == 0
    )


def one_draw_by(
    declared: DeclaredCells, adjacency: Adjacency, predicate: Predicate, max_count: int | None, law: Law
) -> str | None:
    """Return with which options nearly the same table would be one count, if some are in the way or keep it from being
    all: a largest count, the canonical mechanism, a second key beside the one that tells both cells. None for any other
    table. It looks at what is declared alone, and not at the type of a column."""
    if not (_is_sum_public(declared, adjacency, predicate) and law.name in (DRAWN_BY, "canonical")):
        return None
    cells = declared.cells
    is_one_key = cells.keeps_other and len(cells.keys) == 1
    key = None if is_one_key else _first_of_two(cells)
    if key is None and not is_one_key:
        return None
    told = {"undeclared": not cells.keeps_other, "max": max_count is not None, "mechanism": law.name != DRAWN_BY}
    left_out = [f"--{option}" for option, is_given in told.items() if is_given]
    without = f"without {' and '.join(left_out)}" if left_out else None
    return ", ".join(filter(None, [key and f"with {key}", without])) or None


def _is_sum_public(declared: DeclaredCells, adjacency: Adjacency, predicate: Predicate) -> bool:
    """Return whether the number of all that is counted is public, and each is counted once."""
    return (
        adjacency is Adjacency.REPLACE_ONE
        and predicate.is_of_all
        and declared.totals is None
        and declared.cells.max_cells == 1
        and (declared.cells.unit is None or declared.cells.unit.rows_per_unit is None)
    )


def _first_of_two(cells: Cells) -> str | None:
    """Return the option that declares the first of two cells alone, where the other is likely meant to be the rest."""
    group, keys = cells.groups[0], cells.keys.texts[0]
    if len(cells.groups) > 1 or len(keys) != 2 or keys.null_count:
        return None
    if isinstance(group, Banded):
        lows, highs = zip(*((band.low, band.high) for band in group.bands), strict=True)
        if group.gaps or None not in highs or not {None, 0}.intersection(lows):
            return None
        alone = group.bands[highs.index(None)]
        return as_option("by", replace(group, bands=(alone,)).text)
    is_all = not cells.keeps_other or {text.lower() for text in keys.to_pylist()} == {"true", "false"}
    return as_option("keys", keys[0].as_py()) if type(group) is Group and is_all else None
