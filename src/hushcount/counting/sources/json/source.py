"""JSON lines: one object a line, and all lines tell which columns there are and which types they have.

Every line is read as RFC 8259 says, and nothing is repaired: an object that names a key twice, text after it, a blank
line among rows, or a text that is not UTF-8 is an error that names the line. Besides, `NaN` is a missing value, as
everywhere, and `Infinity` a number, since Python and pandas write them. A key that is left out is missing as null is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.sources.gathered import MOST_DIGITS, ROUNDED, Gathered
from hushcount.counting.sources.held import HeldSource, Values
from hushcount.counting.sources.json.lines import Block, blocks
from hushcount.counting.sources.json.parser import Parser
from hushcount.errors import BadData

__all__ = ["JsonSource"]

_FAULTS = {
    "nested": "holds arrays or objects",
    "mixed": "holds texts, numbers or truths beside one another",
    "rounded": ROUNDED,
    "long": f"holds an integer of more than {MOST_DIGITS} digits",
}


class JsonSource(HeldSource):
    """A file of JSON lines, plain or gzip; or several, which all tell the columns and their types.

    Args:
        shown: what errors call it.
        files: their paths, each with what errors call it.
        options: how they are read.
    """

    format = "json"

    def __init__(self, shown: str, files: Sequence[tuple[str, str]], options: ReadOptions) -> None:
        self._files = files
        self._parser = Parser()
        names: dict[str, None] = {}
        rows = 0
        for block in self._blocks():
            rows += len(block)
            if isinstance(block, list):  # the others have no other names
                names.update(dict.fromkeys(chain.from_iterable(dict.fromkeys(map(tuple, block)))))
        if not names:
            raise BadData(f"{shown} holds no row with a key, and so no column")
        super().__init__(shown, options, tuple(names), rows)

    def values(self, names: Sequence[str]) -> Mapping[str, Values | str]:
        columns = {name: Gathered() for name in names}
        rows = 0
        for block in self._blocks():
            rows += len(block)
            for name, column in columns.items():
                if isinstance(block, list):
                    column.add([row.get(name) for row in block])
                else:
                    column.add_parsed(block[name])
        if rows != self._rows:
            raise BadData(f"{self._path} was changed while it was read")
        found = {name: column.values() for name, column in columns.items()}
        return {name: _FAULTS[held] if isinstance(held, str) else held for name, held in found.items()}

    def _blocks(self) -> Iterator[Block]:
        return chain.from_iterable(blocks(path, shown, self._parser) for path, shown in self._files)
