"""What the cells of a table are called where people read them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hushcount.counting.cells.keys import MISSING_KEY, OTHER, Keys
from hushcount.errors import InvalidParameter
from hushcount.words.printable import printable

__all__ = ["CellNames"]


@dataclass(frozen=True)
class CellNames:
    """The names of the cells, each on one line.

    Attributes:
        keys: the declared keys; without them cells are numbered from 1.
        cells: the number of declared cells; one more is that of all other keys.
        missing: what a missing key is called.
    """

    keys: Keys | None
    cells: int
    missing: str = MISSING_KEY

    def with_missing(self, label: str | None) -> CellNames:
        """Return the names with another one for missing keys; None is the usual one.

        Raises:
            InvalidParameter: not a text, an empty one, or one that a key looks like.
        """
        if label is None:
            return self
        if not (isinstance(label, str) and label.strip()):
            raise InvalidParameter("missing_label", label, "a text that is not blank")
        keys = () if self.keys is None else self.keys.texts
        if label == OTHER or any(label in texts.to_pylist() for texts in keys):
            raise InvalidParameter("missing_label", label, "another text than every key")
        return replace(self, missing=label)

    @property
    def columns(self) -> list[str]:
        """The names of the columns that tell the cell."""
        return ["cell"] if self.keys is None else [printable(name) for name in self.keys.by]

    def row(self, cell: int) -> list[str]:
        """Return what stands in these columns, of a cell counted from 0."""
        if cell == self.cells:
            return [OTHER, *[""] * (len(self.columns) - 1)]
        if self.keys is None:
            return [str(cell + 1)]
        pairs = zip(self.keys.row(cell), self.keys.shown(cell), strict=True)
        return [printable(self.missing if key is None else shown) for key, shown in pairs]

    def label(self, cell: int) -> str:
        """Return the name of a cell as one text."""
        name = ", ".join(filter(None, self.row(cell)))
        return f"cell {name}" if self.keys is None and cell < self.cells else name
