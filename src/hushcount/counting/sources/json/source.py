"""JSON lines: one object a line, and all lines tell which columns there are and which types they have.

Every line is read as RFC 8259 says, and nothing is repaired: an object that names a key twice, text after it, a blank
line among rows, or a text that is not UTF-8 is an error that names the line. Besides, `NaN` is a missing value, as
everywhere, and `Infinity` a number, since Python and pandas write them. A key that is left out is missing as null is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.meaning.types import EXACT_IN_DOUBLE
from hushcount.counting.sources.held import HeldSource, Values
from hushcount.counting.sources.json.lines import Block, blocks
from hushcount.counting.sources.json.parser import Parser
from hushcount.errors import BadData
from hushcount.files.arrow_arrays import arrow_array

__all__ = ["JsonSource"]

_MOST_DIGITS = 38
_CLASSES = {int: "integer", float: "real", str: "text", bool: "boolean", list: "nested", dict: "nested"}
_ARROW = {"real": pa.float64(), "text": pa.string(), "boolean": pa.bool_(), "null": pa.bool_()}
_PARSED = {"int64": "integer", "double": "real", "string": "text", "bool": "boolean", "null": "null"}
_FAULTS = {
    "nested": "holds arrays or objects",
    "mixed": "holds texts, numbers or truths beside one another",
    "rounded": f"mixes fractions with an integer beyond 2**{EXACT_IN_DOUBLE.bit_length() - 1}",
    "long": f"holds an integer of more than {_MOST_DIGITS} digits",
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
        columns = {name: _Column() for name in names}
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
        return {name: column.values() for name, column in columns.items()}

    def _blocks(self) -> Iterator[Block]:
        return chain.from_iterable(blocks(path, shown, self._parser) for path, shown in self._files)


class _Column:
    """The values of one column, as they come."""

    def __init__(self) -> None:
        self._chunks: list[Values] = []
        self._fault = ""

    def add(self, values: list[Any]) -> None:
        """Take more values."""
        kinds = {_CLASSES[kind] for kind in set(map(type, values)) - {type(None)}}
        if "nested" in kinds:
            self._fault = "nested"
        elif len(kinds) > 1 and kinds != {"integer", "real"}:
            self._fault = self._fault or "mixed"
        elif kinds == {"integer"}:
            self._chunks.append((self._integers(values), "integer"))
        elif "real" in kinds:
            if "integer" in kinds and any(_is_far(value) for value in values):
                self._fault = self._fault or "rounded"
                return
            numbers = [None if value is None else float(value) for value in values]
            self._chunks.append((arrow_array(numbers, pa.float64()), "real"))
        else:
            storage = kinds.pop() if kinds else "null"
            self._chunks.append((arrow_array(values, _ARROW[storage]), storage))

    def add_parsed(self, column: Any) -> None:
        """Take more values, in an Arrow type that holds them."""
        storage = "null" if column.null_count == len(column) else _PARSED[str(column.type)]
        self._chunks += [(chunk, storage) for chunk in column.chunks]

    def _integers(self, values: list[int | None]) -> Any:
        try:
            return arrow_array(values, pa.int64())
        except OverflowError:
            if max(abs(value) for value in values if value is not None) >= 10**_MOST_DIGITS:
                self._fault = self._fault or "long"
                return pa.nulls(len(values), pa.int64())
            spelled = [None if value is None else str(value) for value in values]
            return arrow_array(spelled, pa.string()).cast(pa.decimal128(_MOST_DIGITS, 0))

    def values(self) -> Values | str:
        """Return all of them in one class, or why they have none."""
        kinds = {storage for _, storage in self._chunks} - {"null"}
        if kinds == {"integer", "real"}:
            ends = [_farthest(chunk) for chunk, storage in self._chunks if storage == "integer"]
            if max(ends) > EXACT_IN_DOUBLE:
                self._fault = self._fault or "rounded"
            kinds = {"real"}
        elif len(kinds) > 1:
            self._fault = self._fault or "mixed"
        if self._fault:
            return _FAULTS[self._fault]
        storage = kinds.pop() if kinds else "null"
        types = {chunk.type for chunk, found in self._chunks if found == storage}
        arrow = _ARROW.get(storage) or (pa.int64() if types == {pa.int64()} else pa.decimal128(_MOST_DIGITS, 0))
        return pa.chunked_array([_cast(chunk, found, arrow) for chunk, found in self._chunks], arrow), storage


def _is_far(value: Any) -> bool:
    return isinstance(value, int) and abs(value) > EXACT_IN_DOUBLE


def _farthest(chunk: Any) -> int:
    ends = pc.min_max(chunk).as_py()
    return max((abs(int(end)) for end in ends.values() if end is not None), default=0)


def _cast(chunk: Any, storage: str, arrow: Any) -> Any:
    return pa.nulls(len(chunk), arrow) if storage == "null" else chunk.cast(arrow)
