"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hushcount.errors import InvalidParameter
from hushcount.files.leftovers import made_and_held, remove_leftovers

__all__ = ["checked_target", "is_among", "write_whole"]

_TEMPORARY = re.compile(r"\.hushcount-[0-9a-f]{16}\.part")
"""A file until it has its name; those of ledgers have another ending, since only ledgers can tell what is left."""


def checked_target(path: str, argument: str, *inputs: str) -> Path:
    """Return the file that `path` names, links followed, if it can be written.

    Args:
        argument: what `path` is called in an error.
        inputs: files that must not be written, whether they exist or not, and folders to which nothing may be added.

    Raises:
        InvalidParameter: the folder does not exist, or the file is not writable, not an ordinary file, or an input.
    """
    if path == "-":
        raise InvalidParameter(argument, path, "the name of a file; one that is called so is written ./-")
    try:
        target = Path(os.path.realpath(path))
        if target.exists():
            if not target.is_file():
                raise InvalidParameter(argument, path, "the name of an ordinary file")
            if any(_is_file(each, target) for each in inputs):
                raise InvalidParameter(argument, path, "another file than those that are read")
            if not os.access(target, os.W_OK):
                raise InvalidParameter(argument, path, "a file that may be replaced: it is write-protected")
        if any(target == Path(os.path.realpath(each)) for each in inputs if "\0" not in each):
            raise InvalidParameter(argument, path, "another file than those that are read, and what lies beside them")
        if any(_holds(each, target) for each in inputs):
            raise InvalidParameter(argument, path, "outside of the folder that is read")
        if not target.parent.is_dir():
            raise InvalidParameter(argument, path, "in a folder that exists")
        # The only sure test of a place is to write there; nothing is left behind.
        with _new_file(target.parent):
            pass
    except (OSError, ValueError) as error:
        if isinstance(error, InvalidParameter):
            raise
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise InvalidParameter(argument, path, f"a file that can be written: {reason}") from None
    return target


def is_among(path: str | os.PathLike[str], inputs: Iterable[str]) -> bool:
    """Return whether a file is one of `inputs`, or in a folder that is, by any path."""
    try:
        file = Path(os.path.realpath(path))
        return any(_is_file(each, file) or _holds(each, file) for each in inputs)
    except (OSError, ValueError):  # it does not exist, or is not a path
        return False


def _is_file(each: str, target: Path) -> bool:
    return os.path.exists(each) and target.samefile(each)


def _holds(folder: str, target: Path) -> bool:
    return os.path.isdir(folder) and target.is_relative_to(os.path.realpath(folder))


def write_whole(target: Path, content: str | bytes) -> None:
    """Write `content`, a text as UTF-8, to `target` in one step; others see the file before or after, never a part.

    Raises:
        OSError: the place is not writable, or full; what was there is kept.
    """
    with _new_file(target.parent) as temporary:
        with temporary.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)


@contextmanager
def _new_file(folder: Path) -> Iterator[Path]:
    """Make a file, which is removed in the end if it has no other name by then; and remove what was left of others."""
    remove_leftovers(folder, _TEMPORARY, os.unlink)
    path, held = made_and_held(lambda: folder / f".hushcount-{secrets.token_hex(8)}.part", _make)
    try:
        yield path
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        if held is not None:
            os.close(held)


def _make(path: Path) -> None:
    # Not tempfile, whose files only their owner may read: what is written here is to be shared.
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
