"""Data from standard input: kept in a private file while a command runs, since a source is read twice.

The file is readable by its owner alone, in a folder that only its owner may enter, and is removed with it when the
command ends: well, with an error, by Ctrl-C, or by a signal that asks it to end. What SIGKILL or a power failure
leaves, the next command of the same user that reads standard input removes.
"""

from __future__ import annotations

import os
import re
import secrets
import signal
import sys
import tempfile
import threading
from pathlib import Path
from shutil import copyfileobj, rmtree
from types import FrameType
from typing import TYPE_CHECKING

from hushcount.errors import BadData, BadUse

if TYPE_CHECKING:
    from hushcount.counting.declared.place import Place

__all__ = ["STANDARD_INPUT", "remove_spooled", "spooled"]

STANDARD_INPUT = "-"
"""What stands for it as a source."""

_NAME = "standard input"
_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)]
_FOLDER = re.compile(r"hushcount-[0-9a-f]{32}")
_folders: list[Path] = []


def spooled() -> Place:
    """Copy standard input to its end, and return the place of the copy, which is known by a name alone.

    Raises:
        BadUse: standard input is a terminal, or was read already.
        BadData: it cannot be read, or not be kept.
    """
    from hushcount.counting.declared.place import NAMED, Place
    from hushcount.files.leftovers import made_and_held, remove_leftovers

    if sys.stdin is None or sys.stdin.isatty():
        found = "closed" if sys.stdin is None else "a terminal"
        raise BadUse(f"- stands for standard input, which is {found} here: pipe the data in")
    if _folders:
        raise BadUse("standard input can be one source only")
    _remove_at_signals()
    try:
        remove_leftovers(Path(tempfile.gettempdir()), _FOLDER, rmtree)
        folder, _ = made_and_held(_new_name, lambda path: path.mkdir(0o700))  # held until this process ends
        path = os.path.join(folder, _NAME)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            copyfileobj(sys.stdin.buffer, file, 1 << 20)
    except (OSError, ValueError) as error:  # ValueError: it is closed
        reason = getattr(error, "strerror", None) or "it is closed"
        raise BadData(f"standard input could not be kept while it is counted: {reason}") from None
    return Place("file", path, _NAME, _NAME, NAMED)


def _new_name() -> Path:
    # Noted before it is there, so that a signal in between finds what to remove
    _folders.append(Path(tempfile.gettempdir(), f"hushcount-{secrets.token_hex(16)}"))
    return _folders[-1]


def remove_spooled() -> None:
    """Remove what was kept."""
    while _folders:
        rmtree(_folders[-1], ignore_errors=True)
        _folders.pop()


def _remove_at_signals() -> None:
    """Remove it also when a signal ends the process, unless somebody else handles that."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in _ENDING:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    remove_spooled()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
