"""JSON lines: one object a line, and all lines tell which columns there are and which types they have.

Every line is read as RFC 8259 says, and nothing is repaired: an object that names a key twice, text after it, a blank
line among rows, or a text that is not UTF-8 is an error that names the line. Besides, `NaN` is a missing value, as
everywhere, and `Infinity` a number, since Python and pandas write them. A key that is left out is missing as null is.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice, starmap
from secrets import token_hex
from typing import IO, Any, cast

import pyarrow as pa

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.meaning.types import EXACT_IN_DOUBLE
from hushcount.counting.sources.held import HeldSource, Values
from hushcount.errors import BadData
from hushcount.files.arrow_arrays import arrow_array

__all__ = ["JsonSource"]

_BLOCK_LINES = 20_000
_MOST_DIGITS = 38
_BOM = b"\xef\xbb\xbf"
_CLASSES = {int: "integer", float: "real", str: "text", bool: "boolean", list: "nested", dict: "nested"}
_ARROW = {"real": pa.float64(), "text": pa.string(), "boolean": pa.bool_(), "null": pa.bool_()}
_SPACED_COLONS = (b" :", b"\t:", b"\r:", b"\n:")
_HALVED = re.compile(rb"\\u[dD][89a-fA-F]")
"""How half a character is written, which no file can hold by itself."""
_NONCE = token_hex(16).encode()
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
        names: dict[str, None] = {}
        rows = 0
        for block in chain.from_iterable(starmap(_blocks, files)):
            rows += len(block)
            for keys in dict.fromkeys(map(tuple, block)):
                names.update(dict.fromkeys(keys))
        if not names:
            raise BadData(f"{shown} holds no row with a key, and so no column")
        super().__init__(shown, options, tuple(names), rows)

    def values(self, names: Sequence[str]) -> Mapping[str, Values | str]:
        columns = {name: _Column() for name in names}
        rows = 0
        for block in chain.from_iterable(starmap(_blocks, self._files)):
            rows += len(block)
            for name, column in columns.items():
                column.add([row.get(name) for row in block])
        if rows != self._rows:
            raise BadData(f"{self._path} was changed while it was read")
        return {name: column.values() for name, column in columns.items()}


def _blocks(path: str, shown: str) -> Iterator[list[dict[str, Any]]]:
    """Yield the objects of all lines, many at a time; BadData names the line of any fault."""
    before, blank = 0, 0
    try:
        with _bytes(path) as file:
            while lines := list(islice(file, _BLOCK_LINES)):
                if before == 0:
                    lines[0] = lines[0].removeprefix(_BOM)
                held = [line for line in lines if not line.isspace() and line]
                first = next((at for at, line in enumerate(lines) if line.isspace() or not line), len(lines))
                if held and (blank or first < len(held)):
                    raise BadData(f"{shown}: line {blank or before + first + 1} is blank, and rows follow it")
                blank = blank or (before + first + 1 if first < len(lines) else 0)
                if held:
                    yield _quick(held) or [_strict(shown, at, line) for at, line in enumerate(held, before + 1)]
                before += len(lines)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise BadData(f"{shown}: the gzip data is damaged or cut off") from None
    except OSError as error:
        raise BadData(f"{shown} cannot be read ({type(error).__name__})") from None


def _bytes(path: str) -> IO[bytes]:
    with open(path, "rb") as file:
        is_packed = file.read(2) == b"\x1f\x8b"
    return cast(IO[bytes], gzip.open(path, "rb")) if is_packed else open(path, "rb")


def _quick(lines: list[bytes]) -> list[dict[str, Any]] | None:
    """Return the objects of lines, decoded at once; None if the strict decoder, which takes longer, must decide.

    Each line becomes the value of a key that no line can hold, so that there are as many such keys as lines only if
    each line is one value. If there are as many colons after quotes as keys, no object names one twice.
    """
    block = b"{" + b",".join(b'"%s%d":%s' % (_NONCE, at, line) for at, line in enumerate(lines)) + b"}"
    if any(colon in block for colon in _SPACED_COLONS):
        return None
    try:
        found = _decoded(block, _DECODE_QUICKLY)
    except (ValueError, RecursionError):
        return None
    rows = list(found.values())
    own = [f"{_NONCE.decode()}{at}" for at in range(len(lines))]
    if list(found) != own or set(map(type, rows)) != {dict}:
        return None
    return rows if block.count(b'":') == len(rows) + sum(map(len, rows)) else None


def _strict(shown: str, number: int, line: bytes) -> dict[str, Any]:
    """Return the object of a line."""
    try:
        row = _decoded(line, _DECODE)
    except _TwiceError:
        raise BadData(f"{shown}: line {number} names a key twice") from None
    except UnicodeError:
        half = ", or has half a character (\\uD800 to \\uDFFF without the other)"
        raise BadData(f"{shown}: line {number} is not valid UTF-8{half}") from None
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise BadData(f"{shown}: line {number} is not one JSON object; every row is one, on a line of its own")
    return row


def _decoded(text: bytes, decode: Callable[[str], Any]) -> Any:
    """Return what JSON says.

    Raises:
        UnicodeError: it is not UTF-8, or says half a character.
    """
    found = decode(text.decode())
    if _HALVED.search(text):
        json.dumps(found, ensure_ascii=False).encode()
    return found


class _TwiceError(Exception):
    """A key that an object names twice; it is not told, since it may be data."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _TwiceError
    return found


def _number(text: str) -> float:
    found = float(text)
    if found in (float("inf"), float("-inf")):
        raise ValueError  # no double is near it
    return found


_DECODE_QUICKLY = json.JSONDecoder(parse_float=_number).decode
_DECODE = json.JSONDecoder(object_pairs_hook=_object, parse_float=_number).decode


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
    return max((abs(int(value)) for value in chunk.drop_null().to_pylist()), default=0)


def _cast(chunk: Any, storage: str, arrow: Any) -> Any:
    return pa.nulls(len(chunk), arrow) if storage == "null" else chunk.cast(arrow)
