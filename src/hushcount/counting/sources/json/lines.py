"""The lines of a file, decoded one block after the other; every fault names its line."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from secrets import token_hex
from typing import IO, TYPE_CHECKING, Any, TypeAlias, cast

from hushcount.counting.sources.json.parser import Parser
from hushcount.errors import BadData

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Block", "blocks"]

Block: TypeAlias = "list[dict[str, Any]] | pa.Table"
"""Lines as their objects; or as columns, if they are as the lines before them let expect."""

_FIRST_BYTES, _BLOCK_BYTES = 2**16, 2**22
_BOM = b"\xef\xbb\xbf"
_SPACED_COLONS = (b" :", b"\t:", b"\r:")
_HALVED = re.compile(rb"\\u[dD][89a-fA-F]")
"""How half a character is written, which no file can hold by itself."""
_NONCE = token_hex(16).encode()


def blocks(path: str, shown: str, parser: Parser) -> Iterator[Block]:
    """Yield all lines, many at a time.

    Args:
        path: the file, plain or gzip.
        shown: what errors call it.
        parser: what parses them at once where it can, and learns from those that it cannot.

    Raises:
        BadData: the file cannot be read, or a line is not one object of JSON.
    """
    before, blank = 0, 0
    try:
        with _bytes(path) as file:
            text = (file.read(_FIRST_BYTES) + file.readline()).removeprefix(_BOM)
            while text:
                table = None if blank else parser.parsed(text)
                if table is not None:
                    before += len(table)
                    yield table
                else:
                    lines = text.removesuffix(b"\n").split(b"\n")
                    held = [line for line in lines if line and not line.isspace()]
                    first = next((at for at, line in enumerate(lines) if not line or line.isspace()), len(lines))
                    if held and (blank or first < len(held)):
                        raise BadData(f"{shown}: line {blank or before + first + 1} is blank, and rows follow it")
                    blank = blank or (before + first + 1 if first < len(lines) else 0)
                    if held:
                        rows = _quick(held) or [_strict(shown, at, line) for at, line in enumerate(held, before + 1)]
                        parser.learn(rows)
                        yield rows
                    before += len(lines)
                text = file.read(_BLOCK_BYTES) + file.readline()
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
