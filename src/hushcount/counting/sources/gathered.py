"""The values of one column as they come, as Python objects or Arrow arrays, until all of them tell its class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hushcount.counting.meaning.types import EXACT_IN_DOUBLE
from hushcount.counting.sources.held import Values
from hushcount.files.arrow_arrays import arrow_array

__all__ = ["MOST_DIGITS", "ROUNDED", "Gathered"]

MOST_DIGITS = 38
ROUNDED = f"mixes fractions with an integer beyond 2**{EXACT_IN_DOUBLE.bit_length() - 1}"
"""What is to be said of the fault `rounded`."""

_CLASSES: dict[type, str] = {
    int: "integer",
    float: "real",
    str: "text",
    bytearray: "text",
    bool: "boolean",
    list: "nested",
    dict: "nested",
    bytes: "binary",
}
_ARROW = {"real": pa.float64(), "text": pa.string(), "boolean": pa.bool_(), "null": pa.bool_()}
_PARSED = {"int64": "integer", "double": "real", "string": "text", "bool": "boolean", "null": "null"}


class Gathered:
    """The values of one column; ints, floats, texts (or bytearrays in UTF-8), truths or None are of a class."""

    def __init__(self) -> None:
        self._chunks: list[Values] = []
        self._fault = ""

    def add(self, values: Sequence[Any]) -> None:
        """Take more values."""
        kinds = {_CLASSES[kind] for kind in set(map(type, values)) - {type(None)}}
        if unusable := kinds & {"nested", "binary"}:
            self._fault = unusable.pop()
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

    def _integers(self, values: Sequence[int | None]) -> Any:
        try:
            return arrow_array(values, pa.int64())
        except OverflowError:
            if max(abs(value) for value in values if value is not None) >= 10**MOST_DIGITS:
                self._fault = self._fault or "long"
                return pa.nulls(len(values), pa.int64())
            spelled = [None if value is None else str(value) for value in values]
            return arrow_array(spelled, pa.string()).cast(pa.decimal128(MOST_DIGITS, 0))

    def values(self) -> Values | str:
        """Return all of them in one class, or why they have none.

        That is "nested" (an array or object is among them), "binary" (bytes are), "mixed" (they are of several
        classes), "rounded" (`ROUNDED`) or "long" (an integer has more than `MOST_DIGITS` digits).
        """
        kinds = {storage for _, storage in self._chunks} - {"null"}
        if kinds == {"integer", "real"}:
            ends = [_farthest(chunk) for chunk, storage in self._chunks if storage == "integer"]
            if max(ends) > EXACT_IN_DOUBLE:
                self._fault = self._fault or "rounded"
            kinds = {"real"}
        elif len(kinds) > 1:
            self._fault = self._fault or "mixed"
        if self._fault:
            return self._fault
        storage = kinds.pop() if kinds else "null"
        types = {chunk.type for chunk, found in self._chunks if found == storage}
        arrow = _ARROW.get(storage) or (pa.int64() if types == {pa.int64()} else pa.decimal128(MOST_DIGITS, 0))
        return pa.chunked_array([_cast(chunk, found, arrow) for chunk, found in self._chunks], arrow), storage


def _is_far(value: Any) -> bool:
    return isinstance(value, int) and abs(value) > EXACT_IN_DOUBLE


def _farthest(chunk: Any) -> int:
    ends = pc.min_max(chunk).as_py()
    return max((abs(int(end)) for end in ends.values() if end is not None), default=0)


def _cast(chunk: Any, storage: str, arrow: Any) -> Any:
    return pa.nulls(len(chunk), arrow) if storage == "null" else chunk.cast(arrow)
