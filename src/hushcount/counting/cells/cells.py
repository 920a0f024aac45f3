"""A table of counts, before it is private: what is asked, and the true counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hushcount.counting.cells.keys import Keys
from hushcount.counting.declared.units import Unit
from hushcount.counting.predicate.groups import Group
from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer, one_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["UNDECLARED_RULES", "CellTally", "Cells"]

UNDECLARED_RULES = ("other", "left-out")


@dataclass(frozen=True, eq=False)
class Cells:
    """Which cell a row falls in, and in how many cells a unit may count.

    Attributes:
        keys: the declared cells.
        undeclared: how to treat a row whose key is not declared (a missing key can be declared): "other" for one more
            cell, the last, or "left-out".
        unit: whom a row belongs to; None if each row stands for itself.
        max_cells: the most cells in which a unit counts: the first that it reaches, in the order declared; 1 without a
            unit.
        groups: what tells the key of a row, one for each column of `keys`; the columns themselves if it is left out.
        salt: what decides which rows of a unit count, where these are bounded, for tests; None stands for 128 random
            bits, new for each count and kept nowhere.
    """

    keys: Keys
    undeclared: str = "other"
    unit: Unit | None = None
    max_cells: int = 1
    groups: tuple[Group, ...] = ()
    salt: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.keys, Keys):
            raise InvalidParameter("keys", None, "declared cells")
        object.__setattr__(self, "groups", self.groups or tuple(map(Group, self.keys.by)))
        one_of(self.undeclared, "undeclared", UNDECLARED_RULES)
        object.__setattr__(self, "max_cells", integer(self.max_cells, "max_cells", least=1))
        if self.unit is None and self.max_cells != 1:
            raise InvalidParameter("max_cells", self.max_cells, "left out without a unit: a row is in one cell")
        if self.unit is not None and self.unit.rows_per_unit is not None and self.max_cells != 1:
            raise InvalidParameter(
                "max_cells", self.max_cells, "left out where rows are counted, so many of each unit at most"
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the source that tell the cell of a row; one may be there twice."""
        return tuple(group.column for group in self.groups)

    @property
    def keeps_other(self) -> bool:
        """Whether there is a cell for what is in no declared one."""
        return self.undeclared == "other"

    def __len__(self) -> int:
        """Return the number of cells, with the other one."""
        return len(self.keys) + self.keeps_other


@dataclass(frozen=True, repr=False, eq=False)
class CellTally:
    """True counts, to be held in memory only; the `repr` shows no number, so that no log or traceback does.

    Attributes:
        everything: the number of rows of the table, or of its units.
        matching: the matching rows, or units, of each cell in the order declared; those of the other cell are last.
        predicate: the predicate as normalized SQL.
    """

    everything: int
    matching: NDArray[np.int64]
    predicate: str

    def __repr__(self) -> str:
        return f"CellTally(everything=<hidden>, matching=<hidden>, predicate={self.predicate!r})"
