"""The finished rows of an unfinished sweep: a file of lines beside the output, one for each row as it comes in.

The first line names the grid. Each further line is a row in JSON, in the order in which they finished. A process that
dies leaves at most the last line torn; it is cut off, and what stands before it counts. (Each line is handed to the
operating system at once, but not to the disk: a loss of power may take more lines, never a part of one.) The file is
locked while it is written to, and removed once the output is there.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO

from hushcount._version import __version__
from hushcount.errors import BadUse
from hushcount.files.leftovers import lock
from hushcount.sweeps.columns import columns, is_row
from hushcount.sweeps.grid import Grid, Row

__all__ = ["Part", "part_of"]

_LONGEST_HEADER = 1000

_OPEN = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
"""How the file is opened: not through a link, behind which --restart would empty somebody else's file."""


def part_of(target: Path) -> Path:
    """Return where the finished rows of an output are kept meanwhile."""
    return target.with_name(f"{target.name}.part")


class Part:
    """The file, open and locked; a context that closes it, and removes it if it holds no row.

    Attributes:
        path: the path of the file.
        rows: the rows that it held when it was opened.

    Raises:
        BadUse: the file is another sweep's, is in use, or cannot be written.
    """

    def __init__(self, target: Path, grid: Grid, *, restart: bool) -> None:
        self.path, self._row_class, self._count = part_of(target), grid.row_class, 0
        header = {"hushcount_sweep": 1, "hushcount_version": __version__, "grid": grid.sha256}
        self._file = _locked(self.path)
        try:
            self.rows = [] if restart else self._recovered(header)
            if not self.rows:
                self._file.seek(0)
                self._file.truncate()
                self._write(header)
        except BaseException:
            self._file.close()
            raise
        self._count = len(self.rows)

    def append(self, row: Row) -> None:
        """Add a row.

        Raises:
            BadUse: the disk is full, or the place can no longer be written to; what was appended before is there.
        """
        self._write([getattr(row, name) for name in columns(self._row_class)])
        self._count += 1

    def remove(self) -> None:
        """Remove the file, now that all of it is in the output."""
        self._count = 0

    def __enter__(self) -> Part:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._count and sys.platform != "win32":
            self.path.unlink(missing_ok=True)  # while it is locked, so that nobody else's file is removed
        with suppress(OSError):  # the disk is full; the torn line is cut off next time
            self._file.close()
        if not self._count and sys.platform == "win32":
            with suppress(OSError):
                self.path.unlink(missing_ok=True)

    def _recovered(self, header: dict[str, object]) -> list[Row]:
        """Return the rows up to the first line that is none, and cut the file off there."""
        expected = _line(header)
        first = self._file.readline(_LONGEST_HEADER)
        if first != expected:
            if len(first) < len(expected) and expected.startswith(first):
                return []  # not even the header was finished
            raise BadUse(
                f"{self.path} holds the beginning of another sweep, or of the same one by another version of "
                "hushcount: ask for that sweep, name another output, or discard it with --restart"
            )
        rows: list[Row] = []
        end = self._file.tell()
        while (row := self._parsed(self._file.readline())) is not None:
            rows.append(row)
            end = self._file.tell()
        self._file.truncate(end)
        self._file.seek(end)
        return rows

    def _parsed(self, line: bytes) -> Row | None:
        try:
            cells = json.loads(line) if line.endswith(b"\n") else None
        except ValueError:
            return None
        return self._row_class(*cells) if isinstance(cells, list) and is_row(cells, self._row_class) else None

    def _write(self, told: object) -> None:
        try:
            self._file.write(_line(told))
            self._file.flush()
        except OSError as error:
            raise BadUse(f"{self.path} cannot be written: {error.strerror or error}") from None


def _line(told: object) -> bytes:
    return json.dumps(told).encode() + b"\n"


def _locked(path: Path) -> IO[bytes]:
    while True:
        try:
            descriptor = os.open(path, _OPEN, 0o666)
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                os.close(descriptor)
                raise BadUse(f"{path} is not an ordinary file: remove it, or name another output")
            file = os.fdopen(descriptor, "r+b")
        except OSError as error:
            why = "it is a link" if error.errno == errno.ELOOP else error.strerror or error
            raise BadUse(f"{path} cannot be written: {why}") from None
        try:
            lock(file.fileno())
            # Whoever held the lock may have removed the file meanwhile.
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                return file
        except FileNotFoundError:
            pass
        except OSError as error:
            file.close()
            is_held = error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
            why = "is in use: another sweep is writing the same output" if is_held else f"cannot be locked: {error}"
            raise BadUse(f"{path} {why}") from None
        file.close()
