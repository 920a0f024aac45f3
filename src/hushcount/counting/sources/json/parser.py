"""Lines that are as the lines before them let expect, parsed at once and not one after the other.

Arrow's parser is told the columns and their types, and fails at anything else: another key, a key twice, another type,
a value that is no JSON. So what it parses is what `lines` would decode, and whatever it does not parse, `lines` decodes
and judges. Told nothing, it would take texts for times, mix integers with fractions, and make columns without end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.json import ParseOptions, read_json

from hushcount.counting.meaning.types import EXACT_IN_DOUBLE
from hushcount.files.arrow_arrays import arrow_scalar

__all__ = ["Parser"]

_TYPES = {int: pa.int64(), float: pa.float64(), str: pa.string(), bool: pa.bool_(), type(None): pa.null()}
_MINUS_ZERO = re.compile(rb"-0\s*[,}]")
"""How an integer is written that would be -0.0 among doubles."""


class Parser:
    """A parser that knows the columns of the lines so far, and the Arrow types that hold them."""

    def __init__(self) -> None:
        self._types: dict[str, pa.DataType] = {}
        self._is_of_use = True

    def learn(self, rows: Sequence[dict[str, Any]]) -> None:
        """Learn from decoded lines; it is of no more use once a column is nested or mixes types."""
        if not self._is_of_use:
            return
        kinds = {(name, type(value)) for row in rows for name, value in row.items()}
        for name, kind in kinds:
            found = {self._types.get(name, pa.null()), _TYPES.get(kind)} - {pa.null()}
            self._is_of_use &= None not in found and (len(found) < 2 or found == {pa.int64(), pa.float64()})
            self._types[name] = max(found, key=lambda kind: kind == pa.float64(), default=pa.null())

    def parsed(self, text: bytes) -> pa.Table | None:
        """Return the columns of lines, the last with or without its end; None if they must be decoded.

        Lines that name few of the columns must be, since Arrow takes memory for each column of each line.
        """
        text = text.removesuffix(b"\n").removesuffix(b"\r")
        lines = text.count(b"\n") + 1
        if not self._is_of_use or lines * len(self._types) > len(text) or _MINUS_ZERO.search(text):
            return None
        # No text holds the end of a line, and within an object no "{" follows a "}": where all lines begin and end like
        # this, each is at least one object, and just one if there are as many rows.
        joints = text.count(b"}\n{") + (text.count(b"}\r\n{") if b"\r" in text else 0)
        if text[:1] != b"{" or text[-1:] != b"}" or joints + 1 != lines:
            return None
        options = ParseOptions(explicit_schema=pa.schema(self._types.items()), unexpected_field_behavior="error")
        try:
            text.decode()
            table = read_json(pa.BufferReader(text), parse_options=options)
        except (UnicodeDecodeError, pa.ArrowInvalid):
            return None
        return table if len(table) == lines and all(map(_is_exact, table.columns)) else None


def _is_exact(column: Any) -> bool:
    """Return whether a column certainly holds its numbers unrounded, and none that is infinite or missing as NaN."""
    if column.type != pa.float64():
        return True
    inside = pc.less(pc.abs(column), arrow_scalar(float(EXACT_IN_DOUBLE), pa.float64()))
    return bool(pc.all(inside, min_count=0).as_py())
