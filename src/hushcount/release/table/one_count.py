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

from hushcount.counting.cells.cells import Cells
from hushcount.counting.meaning.types import ColumnType, Kind
from hushcount.counting.predicate.groups import Group
from hushcount.counting.predicate.predicate import Predicate
from hushcount.promise.adjacency import Adjacency
from hushcount.release.law import Law
from hushcount.release.table.cells import DeclaredCells

__all__ = ["DRAWN_BY", "are_all", "may_be_one_count"]

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
    return (
        adjacency is Adjacency.REPLACE_ONE
        and predicate.is_of_all
        and max_count is None
        and declared.totals is None
        and declared.cells.max_cells == 1
        and (declared.cells.unit is None or declared.cells.unit.rows_per_unit is None)
        and law.name == DRAWN_BY
    )


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
