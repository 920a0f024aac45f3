"""What is known about a table of counts before any data is seen: its cells, its promise, and how often they are off.

The draws of the cells are independent, and each depends only on the count of its own cell. A change to the data moves
the counts of at most k cells (`Adjacency.changed_cells`), each by at most 1. So what k private draws promise together
holds for the table (`Curve.of_cells`). Two cells whose sum is public are one draw, and k is 1
(`hushcount.release.table.one_count`).

Where at most S rows of a unit count, in all cells together, a change moves counts by at most S up and S down, in any
number of cells. It is never worse to have each S in one cell: k is 1 or 2 as for a row, and the promise of a cell holds
for S rows at once (docs/theory.md, "More than one row per unit").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.found import FoundCells
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.curve import Curve
from hushcount.promise.given import with_null
from hushcount.release.guarantee import Guarantee, too_small
from hushcount.release.hidden import Hiding
from hushcount.release.law import Law
from hushcount.words.counted import counted

__all__ = ["TableGuarantee"]

_SLACK = 1e-11
"""The relative slack of sums: every chance is right to 1e-12, and their sums are meant as bounds."""


@dataclass(frozen=True)
class TableGuarantee:
    """What is guaranteed about a table.

    Attributes:
        cell: the guarantee of the draw of a cell; its maximum is the largest of all, and its chances are those of the
            worst cell.
        price: the promise for the table, which is what it costs.
        counts: how many counts are drawn: one for each declared cell, and that of undeclared keys if there is one. Of
            groups from the data, how many are shown; 0 before they are drawn.
        undeclared: how rows with undeclared keys are treated; None where the groups come from the data.
        max_cells: the most cells in which a unit counts; None where rows are counted.
        changed_cells: k, how many cells one change can affect; or, where several rows of a unit may count, how many it
            can affect by all of them, since more than that are affected by less.
        maxima: the largest count of each cell, where cells have totals of their own, else None.
        expected_wrong: an upper bound on how many released counts are wrong, on average; None where the groups come
            from the data, and how many of them there are is private.
        hiding: what becomes of groups from the data by their size; None where the cells are declared.
        public_total: the public number that the two counts add up to, where they are one draw
            (`hushcount.release.table.one_count`); else None.
        public_count: the number of rows, or of units (times the most rows of each that count), where it is public, so
            that no count is larger; None where it is not, or not known.
    """

    cell: Guarantee
    price: Curve
    counts: int
    undeclared: str | None
    max_cells: int | None
    changed_cells: int
    maxima: Sequence[int] | None = field(repr=False)
    expected_wrong: float | None
    hiding: Hiding | None = None
    public_total: int | None = None
    public_count: int | None = None

    @classmethod
    def of(
        cls,
        law: Law,
        adjacency: Adjacency,
        cells: Cells,
        price: Curve,
        maxima: NDArray[np.int64],
        *,
        has_totals: bool,
        public_total: int | None = None,
        public_count: int | None = None,
    ) -> TableGuarantee:
        """Find the chances of every mechanism that will draw: one for each different maximum.

        Args:
            maxima: the largest count of each cell; one number if it is the same for all.
            has_totals: whether declared cells have totals of their own.
            public_total, public_count: as in the class.

        Raises:
            InvalidParameter: the user's own mechanism has another range.
        """
        distinct, times = np.unique(maxima, return_counts=True)
        if len(maxima) == 1:
            times = np.array([len(cells)])
        found = [Guarantee.of(law, law.at(top), adjacency, cells.unit) for top in distinct.tolist()]
        wrong = [many * one.chances[0] for one, many in zip(found, times.tolist(), strict=True)]
        worst = {far: max(one.chances[far] for one in found) for far in found[0].chances}
        return cls(
            cell=replace(found[-1], chances=worst),
            price=price,
            counts=len(cells),
            undeclared=cells.undeclared,
            max_cells=_most_cells(cells),
            changed_cells=adjacency.changed_cells(cells.max_cells, len(cells)),
            maxima=tuple(maxima.tolist()) if has_totals else None,
            expected_wrong=math.nextafter(math.fsum(wrong) * (1 + _SLACK), math.inf) if any(wrong) else 0.0,
            public_total=public_total,
            public_count=public_count,
        )

    @classmethod
    def of_found(cls, law: Law, adjacency: Adjacency, cells: FoundCells, price: Curve, top: int) -> TableGuarantee:
        """Return what is guaranteed where groups come from the data, before any is drawn."""
        mechanism = law.at(top)
        return cls(
            cell=Guarantee.of(law, mechanism, adjacency, cells.unit),
            price=price,
            counts=0,
            undeclared=None,
            max_cells=_most_cells(cells),
            changed_cells=adjacency.changed_cells(cells.max_cells, None),
            maxima=None,
            expected_wrong=None,
            hiding=Hiding.of(mechanism),
        )

    @property
    def draws(self) -> int:
        """How many counts are drawn; the others follow from them."""
        return self.counts if self.public_total is None else 1

    @property
    def changed_draws(self) -> int:
        """How many draws one change can affect, which makes the price."""
        return self.changed_cells if self.public_total is None else 1

    @property
    def is_found(self) -> bool:
        """Whether the groups come from the data."""
        return self.hiding is not None

    @property
    def limited(self) -> list[str]:
        """What to know of counts where a unit may count in some of its cells only, or with some of its rows, in a
        paragraph."""
        most, unit = self.max_cells, self.cell.unit
        if unit is None or most is None or (most >= self.counts and not self.is_found):
            return self.cell.limited
        kind = "group" if self.is_found else "cell"
        return [too_small(unit, f"with rows in more than {counted(most, kind)} counts in {most:,} of them")]

    @property
    def cells(self) -> int:
        """The number of declared cells; of those shown, where the groups come from the data."""
        return self.counts - self.keeps_other

    @property
    def keeps_other(self) -> bool:
        """Whether there is a cell for rows with undeclared keys."""
        return self.undeclared == "other"

    @property
    def cells_text(self) -> str:
        """How many cells there are, in words."""
        if self.is_found:
            return f"{counted(self.cells, 'group')} shown"
        other = ", and one for all other keys" if self.keeps_other else ""
        return f"{counted(self.cells, 'cell')}{other}"

    def to_fields(self) -> dict[str, Any]:
        """Return the guarantee as a receipt has it."""
        return {
            **self.cell.to_fields(),
            "maximum": self.cell.maximum if self.maxima is None else None,
            "maxima": self.maxima,
            "cells": self.cells,
            "undeclared": self.undeclared,
            "max_cells": self.max_cells,
            "changed_cells": self.changed_cells,
            **with_null(self.price, "table_"),
            **({} if self.public_total is None else {"public_total": self.public_total}),
            **({} if self.public_count is None else {"public_count": self.public_count}),
            "expected_wrong_cells": self.expected_wrong,
            **({} if self.hiding is None else self.hiding.to_fields()),
        }


def _most_cells(cells: Cells | FoundCells) -> int | None:
    """Return in how many cells a unit counts; None where rows do."""
    return None if cells.unit is None or cells.unit.rows_per_unit is not None else cells.max_cells
