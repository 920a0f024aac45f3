"""What the cells of a table are called where people read them."""

from __future__ import annotations

from dataclasses import dataclass

from hushcount.counting.cells.keys import OTHER, Keys
from hushcount.words.printable import printable

__all__ = ["CellNames"]


@dataclass(frozen=True)
class CellNames:
    """The names of the cells, each on one line.

    Attributes:
        keys: the declared keys; without them cells are numbered from 1.
        cells: the number of declared cells; one more is that of all other keys.
    """

    keys: Keys | None
    cells: int

    @property
    def columns(self) -> list[str]:
        """The names of the columns that tell the cell."""
        return ["cell"] if self.keys is None else [printable(name) for name in self.keys.by]

    def row(self, cell: int) -> list[str]:
        """Return what stands in these columns, of a cell counted from 0."""
        if cell == self.cells:
            return [OTHER, *[""] * (len(self.columns) - 1)]
        return [str(cell + 1)] if self.keys is None else [printable(key) for key in self.keys.shown(cell)]

    def label(self, cell: int) -> str:
        """Return the name of a cell as one text."""
        name = ", ".join(filter(None, self.row(cell)))
        return f"cell {name}" if self.keys is None and cell < self.cells else name
