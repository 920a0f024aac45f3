"""Writing to standard output and standard error, which may be closed, full, or a pipe that nobody reads.

It is light enough to be loaded before anything else is imported.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO

from hushcount.words.printable import printable

__all__ = ["fail", "printed", "say", "written"]


def printed(text: str) -> OSError | None:
    """Print `text` on standard output; return why that failed, if it did."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    return written(sys.stdout, text)


def say(message: str) -> None:
    """Print one line on standard error, if that can be written: what is done is done, whether or not anyone reads of
    it."""
    if "://" in message:
        from hushcount.inputs.addresses import without_credentials

        message = without_credentials(message)
    if sys.stderr is not None:
        written(sys.stderr, f"hushcount: {printable(message)}\n")


def fail(code: int, message: str) -> int:
    """Say what is wrong, and return `code`, for the caller to return."""
    say(f"error: {message}")
    return code


def written(stream: TextIO, text: str) -> OSError | None:
    """Write `text` at once; return why that failed, if it did. From then on the stream leads nowhere."""
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        # What is still in the buffer would fail again when the interpreter ends, with an exit code of its own.
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return error
    return None
