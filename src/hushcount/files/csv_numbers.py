"""Tables of numbers in CSV files (RFC 4180, UTF-8), read strictly.

A byte-order mark, either line ending, blank lines and white space around a number are allowed. Anything else that is
not a number is an error that names its line.
"""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from hushcount.errors import BadData, InvalidParameter
from hushcount.inputs.delimiters import check_delimiter, delimiter_hint

__all__ = ["INTEGER", "NUMBER", "Cell", "csv_lines", "leading_comments", "number_rows"]


@dataclass(frozen=True)
class Cell:
    """What a cell holds: in words, as text, and as the type that reads it."""

    what: str
    pattern: re.Pattern[str]
    kind: type[int] | type[float] | type[complex]


NUMBER = Cell("a number", re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII), float)
INTEGER = Cell("an integer", re.compile(r"[+-]?[0-9]{1,18}", re.ASCII), int)

LONGEST_LINE = 2**22
"""The most characters of a line; 64 for each number in a row of the widest matrix."""


@contextmanager
def csv_lines(where: Path) -> Iterator[Iterator[str]]:
    """Yield the lines of a file, decompressed where its name ends in `.gz`.

    Raises:
        BadData: also while the lines are read: not UTF-8, not CSV, not gzip, or a line too long for numbers.
        OSError: the file cannot be read.
    """
    unpack = gzip.open if where.suffix.lower() == ".gz" else open
    try:
        with unpack(where, "rt", newline="", encoding="utf-8-sig") as file:
            yield _short_enough(where, iter(lambda: file.readline(LONGEST_LINE + 1), ""))
    except (UnicodeDecodeError, csv.Error) as error:
        # A decoder's message quotes a byte of the file, which may not be the file that was meant
        reason = "" if isinstance(error, UnicodeDecodeError) else f" ({error})"
        raise BadData(f"{where}: not a CSV file in UTF-8{reason}") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise BadData(f"{where}: not a gzip file, or cut off ({error})") from None


def leading_comments(lines: Iterator[str]) -> tuple[list[str], Iterator[str]]:
    """Return the leading lines that begin with `#`, and the other lines."""
    comments: list[str] = []
    for line in lines:
        if not line.startswith("#"):
            return comments, chain([line], lines)
        comments.append(line)
    return comments, iter(())


def number_rows(
    where: Path,
    lines: Iterator[str],
    cell: Cell = NUMBER,
    names: Sequence[str] | None = None,
    *,
    lines_before: int = 0,
    delimiter: str = ",",
) -> Iterator[tuple[int, list[Any]]]:
    """Yield the rows, each with the number of its line; all have the same width.

    Args:
        where: the file, for messages.
        cell: what each cell holds.
        names: the names that a first line may have.
        lines_before: how many lines of the file come before `lines`.
        delimiter: the one character between two cells; no part of a number.

    Raises:
        InvalidParameter: no such delimiter.
        BadData: a cell that is something else, or a row of another width, naming the line.
    """
    check_delimiter(delimiter)
    if delimiter in "+-.#":
        raise InvalidParameter("delimiter", delimiter, "no part of a number, and no mark of a comment")
    width: int | None = None
    records = csv.reader(lines, delimiter=delimiter, strict=True)
    for cells in records:
        number = lines_before + records.line_num
        if not cells or (number == 1 and names is not None and list(names) == [text.strip() for text in cells]):
            continue
        texts = [text.strip() for text in cells]
        if not all(map(cell.pattern.fullmatch, texts)):
            hint = _hint(texts, names, delimiter) if width is None else ""
            raise BadData(f"{where}: line {number} holds something that is not {cell.what}{hint}")
        if len(cells) != (width or len(cells)):
            raise BadData(f"{where}: line {number} has {len(cells)} cells, the first row {width}")
        width = len(cells)
        yield number, [cell.kind(text) for text in texts]


def _hint(texts: Sequence[str], names: Sequence[str] | None, delimiter: str) -> str:
    """Return what may be wrong with a first line that does not hold numbers."""
    if len(texts) == 1 and (undivided := delimiter_hint(texts[0], delimiter, "delimiter")):
        return undivided
    if delimiter != "," and any("," in text for text in texts):
        return "; the decimal mark is a point"
    return "; a header is not expected" if names is None else f"; a header must be {delimiter.join(names)}"


def _short_enough(where: Path, lines: Iterator[str]) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if len(line) > LONGEST_LINE:
            raise BadData(f"{where}: line {number} is longer than any row of numbers ({LONGEST_LINE:,} characters)")
        yield line
