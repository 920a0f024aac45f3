"""What is known of a table of counts before any data is seen: its cells, its promise, and how often they are off.

The draws of the cells are independent, and each depends on the count of its own cell only. A change to the data moves
the counts of at most k cells (`Adjacency.changed_cells`), each by at most 1. What k private draws promise together then
holds for the table (`Curve.of_cells`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushcount.counting.cells.cells import Cells
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.curve import Curve
from hushcount.promise.given import with_null
from hushcount.release.guarantee import Guarantee
from hushcount.release.law import Law

__all__ = ["TableGuarantee"]

_SLACK = 1e-11
"""Relative: every chance is right to 1e-12, and sums of them are meant as bounds."""


@dataclass(frozen=True)
class TableGuarantee:
    """What is guaranteed of a table.

    Attributes:
        cell: of the draw of a cell; its maximum is the largest of all, and its chances are those of the worst cell.
        price: what is promised of the table, which is what it costs.
        counts: how many counts are drawn: one for each declared cell, and that of undeclared keys if there is one.
        undeclared: what becomes of rows of undeclared keys.
        max_cells: in how many cells a unit counts at most; None where rows are counted.
        changed_cells: k, how many cells one change can affect.
        maxima: the largest count of each cell, where cells have totals of their own, else None.
        expected_wrong: of so many counts at most, on average, the released one is wrong.
    """

    cell: Guarantee
    price: Curve
    counts: int
    undeclared: str
    max_cells: int | None
    changed_cells: int
    maxima: Sequence[int] | None = field(repr=False)
    expected_wrong: float

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
    ) -> TableGuarantee:
        """Find the chances of every mechanism that will draw: one for each different maximum.

        Args:
            maxima: the largest count of each cell; one number if it is the same for all.
            has_totals: whether declared cells have totals of their own.

        Raises:
            InvalidParameter: a mechanism was brought along that is made for another range.
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
            max_cells=None if cells.unit is None else cells.max_cells,
            changed_cells=adjacency.changed_cells(cells.max_cells, len(cells)),
            maxima=tuple(maxima.tolist()) if has_totals else None,
            expected_wrong=math.nextafter(math.fsum(wrong) * (1 + _SLACK), math.inf) if any(wrong) else 0.0,
        )

    @property
    def cells(self) -> int:
        """The number of declared cells."""
        return self.counts - self.keeps_other

    @property
    def keeps_other(self) -> bool:
        """Whether there is a cell for rows of undeclared keys."""
        return self.undeclared == "other"

    @property
    def cells_text(self) -> str:
        """How many cells there are, in words."""
        other = ", and one for all other keys" if self.keeps_other else ""
        return f"{self.cells:,} {'cell' if self.cells == 1 else 'cells'}{other}"

    def to_fields(self) -> dict[str, Any]:
        """As a receipt has it."""
        return {
            **self.cell.to_fields(),
            "maximum": self.cell.maximum if self.maxima is None else None,
            "maxima": self.maxima,
            "cells": self.cells,
            "undeclared": self.undeclared,
            "max_cells": self.max_cells,
            "changed_cells": self.changed_cells,
            **with_null(self.price, "table_"),
            "expected_wrong_cells": self.expected_wrong,
        }
