"""The strict structural pass over a CSV: the header, the number of records, and the line of any fault.

One reading is agreed on by all of this package: Python's `csv` module in its strict mode, under the declared delimiter
and encoding. A fault is never repaired or skipped.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, cast

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.sources.source import check_distinct
from hushcount.errors import BadData
from hushcount.words.counted import counted

__all__ = ["CsvFile", "Structure"]

_BLOCK = 4096
_BOM = "\ufeff"


@dataclass(frozen=True)
class Structure:
    """What the strict pass found.

    Attributes:
        records: the number of records, the header not counted.
        longest: the most characters a record takes in the file.
        characters: the number of characters in the fields of each needed column that are not spelled like a missing
            value, a check against the second parser.
    """

    records: int
    longest: int
    characters: tuple[int, ...]


class CsvFile:
    """A CSV at `path`, plain or gzip, under declared options; errors call it `shown`.

    Every method raises `BadData` if the file breaks a rule; the message names the line.
    """

    def __init__(self, path: str, shown: str, options: ReadOptions) -> None:
        self.path = path
        self.shown = shown
        self.options = options
        with open(path, "rb") as file:
            self._first_bytes = file.read(4)
        name = codecs.lookup(options.encoding).name
        self._codec = "utf-8-sig" if name == "utf-8" else name

    def text(self) -> IO[str]:
        """Return the decoded text, line ends untouched. A byte-order mark may still be its first character."""
        return io.TextIOWrapper(self._bytes(), encoding=self._codec, errors="strict", newline="")

    def header(self) -> tuple[str, ...]:
        """Return the column names, in order."""
        with self.text() as text, self._readable():
            lines = _Lines(self.shown, text)
            for record in self._records(lines):
                return self._names(record)
        raise BadData(f"{self.shown} is empty: it holds no header and no row")

    def structure(self, needed: Sequence[int], missing: Collection[str]) -> Structure:
        """Read the whole file once.

        Args:
            needed: the positions of the columns to measure.
            missing: the spellings of missing values, not measured since quotes are not seen here.
        """
        width = len(self.header()) + int(self.options.trailing_delimiter)
        characters = [0] * len(needed)
        count = longest = before = 0
        with self.text() as text, self._readable():
            lines = _Lines(self.shown, text)
            for record in self._records(lines):
                if len(record) != width:
                    raise BadData(
                        f"{self.shown}: line {lines.start} has {counted(len(record), 'field')}, "
                        f"and {counted(width, 'field')} are expected by "
                        f"{'the header' if self.options.header else 'line 1'}"
                    )
                count += 1
                if count > 1 or not self.options.header:
                    for place, column in enumerate(needed):
                        characters[place] += 0 if record[column] in missing else len(record[column])
                longest = max(longest, lines.consumed - before)
                before = lines.consumed
        return Structure(count - int(self.options.header), longest, tuple(characters))

    def line_of(self, record: int) -> int:
        """Return the line on which a record starts; the first after the header is 0."""
        with self.text() as text, self._readable():
            lines = _Lines(self.shown, text)
            for place, _ in enumerate(self._records(lines)):
                if place == record + int(self.options.header):
                    break
            return lines.start

    def _bytes(self) -> IO[bytes]:
        zipped = self._first_bytes.startswith(b"\x1f\x8b")
        return cast(IO[bytes], gzip.open(self.path, "rb")) if zipped else open(self.path, "rb")

    def _names(self, record: Sequence[str]) -> tuple[str, ...]:
        record = record[:-1] if self.options.trailing_delimiter else record
        if not self.options.header:
            return tuple(f"c{place}" for place in range(len(record)))
        if "" in record:
            place = record.index("") + 1
            raise BadData(f"{self.shown}: the header has no name for column {place}; is there a header at all?")
        check_distinct(f"{self.shown}: the header", record)
        return tuple(record)

    def _records(self, lines: _Lines) -> Iterator[list[str]]:
        """Yield the records, header included, with `lines.start` at the line each starts on.

        A blank line is a record with one empty field if the file has one column, and nothing at the end of a file
        with more; anywhere else it is a fault.
        """
        reader = csv.reader(lines, delimiter=self.options.delimiter, strict=True)
        blank = width = 0
        while True:
            lines.start = reader.line_num + 1
            try:
                record = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise BadData(f"{self.shown}: {_fault(str(error), lines.start, reader.line_num)}") from None
            width = width or len(record) or 1
            if not record and width > 1:
                blank = blank or lines.start
                continue
            if blank:
                raise BadData(f"{self.shown}: line {blank} is blank, and rows follow it")
            if self.options.trailing_delimiter and (len(record) < 2 or record[-1]):
                raise BadData(f"{self.shown}: line {lines.start} does not end with a delimiter, as was declared")
            yield record or [""]

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise BadData(f"{self.shown}: the gzip data is damaged or cut off") from None
        except UnicodeError:
            raise BadData(self._undecodable()) from None
        except OSError as error:
            raise BadData(f"{self.shown} cannot be read ({type(error).__name__})") from None

    def _undecodable(self) -> str:
        if self._first_bytes[:2] in (b"\xff\xfe", b"\xfe\xff") and not self._codec.startswith("utf-16"):
            hint = "the file starts like UTF-16, so perhaps declare --encoding utf-16"
        else:
            hint = "declare the encoding the file is in, for example --encoding latin-1"
        return f"{self.shown}: line {self._bad_line()} is not valid {self.options.encoding}; {hint}"

    def _bad_line(self) -> int:
        """Return the line of the first byte that does not decode, found by decoding its block byte by byte."""
        decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(self._codec)("strict"), translate=True)
        line = 1
        with self._bytes() as file:
            while block := file.read(_BLOCK):
                state = decoder.getstate()
                try:
                    line += decoder.decode(block).count("\n")
                    continue
                except UnicodeError:
                    decoder.setstate(state)
                try:
                    for place in range(len(block)):
                        line += decoder.decode(block[place : place + 1]).count("\n")
                except UnicodeError:
                    return line
        return line


class _Lines:
    """The lines of a text, counted, without byte-order mark; a NUL is a fault."""

    def __init__(self, shown: str, text: IO[str]) -> None:
        self._shown = shown
        self._text = text
        self.start = 1
        self.consumed = 0

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(self._text, 1):
            self.consumed += len(line)
            if "\0" in line:
                raise BadData(
                    f"{self._shown}: line {number} holds a NUL character; is the file UTF-16? then declare "
                    "--encoding utf-16"
                )
            yield line.removeprefix(_BOM) if number == 1 else line


def _fault(message: str, start: int, line: int) -> str:
    if "expected after" in message:
        return f"line {line} has text after a closing quote"
    if "unexpected end" in message:
        return f"a quote opened in the record that starts on line {start} is never closed"
    if "field limit" in message:
        return f"line {start} starts a field of more than {csv.field_size_limit()} characters; is a quote left open?"
    return f"line {line} cannot be read as CSV"
