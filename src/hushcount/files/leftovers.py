"""What a killed process leaves behind: told from what another still needs by a lock, and removed by the next one.

Nothing can clean up after SIGKILL, but the system releases the locks of whoever dies. So each temporary file or folder
is locked (flock) as long as its maker lives. Where nothing can be locked, as on some network file systems and on
Windows, nothing is removed.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

__all__ = ["lock", "made_and_held", "remove_leftovers"]


def made_and_held(name: Callable[[], Path], make: Callable[[Path], None]) -> tuple[Path, int | None]:
    """Make a file or folder, and hold it.

    Args:
        name: gives a new name, one that no other file ever has.
        make: makes a file, or a folder, of that name.

    Returns:
        Its path, and the descriptor that holds it until it is closed; None if nothing can be locked there.

    Raises:
        OSError: it cannot be made.
    """
    while True:
        path = name()
        make(path)
        try:
            return path, _held(path)
        except (BlockingIOError, FileNotFoundError):  # before it was locked, another process took it for left behind
            continue
        except OSError:
            return path, None


def remove_leftovers(folder: Path, name: re.Pattern[str], remove: Callable[[str], None]) -> None:
    """Remove what processes that are dead left in a folder; what cannot be removed stays.

    Only what has such a name, belongs to this user and is held by nobody; no link, and no file that has another name
    too.

    Args:
        remove: removes a file, or a folder; an OSError if it is the other.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if name.fullmatch(entry.name) and _is_ours(entry):
                with suppress(OSError):
                    descriptor = _held(entry.path)
                    try:
                        remove(entry.path)
                    finally:
                        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def lock(descriptor: int) -> None:
        """Lock a file that is open, or raise an OSError at once if another holds it."""
        # A byte far beyond the end, since locked bytes cannot be read.
        os.lseek(descriptor, 2**40, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)

    def _is_ours(entry: os.DirEntry[str]) -> bool:
        return False

    def _held(path: str | Path) -> int:
        raise OSError("no file that is open can be renamed")
else:
    import fcntl

    def lock(descriptor: int) -> None:
        """Lock a file that is open, or raise an OSError at once if another holds it."""
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _is_ours(entry: os.DirEntry[str]) -> bool:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            return False
        is_whole = stat.S_ISDIR(status.st_mode) or (stat.S_ISREG(status.st_mode) and status.st_nlink == 1)
        return is_whole and status.st_uid == os.geteuid()

    def _held(path: str | Path) -> int:
        """Return a descriptor that holds what is there.

        Raises:
            BlockingIOError: another holds it.
            FileNotFoundError: it is there no longer.
            OSError: it cannot be locked.
        """
        # A network file system locks only what is open to be written to
        flags = os.O_RDONLY if os.path.isdir(path) else os.O_RDWR
        descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            lock(descriptor)
            os.lstat(path)  # whoever held it may have removed it meanwhile; no other file gets its name
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor
