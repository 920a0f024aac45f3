"""Opening a SQLite file: how, under which names, and what may lie beside it.

SQLite names the rollback journal after the path under which a file is written, and plays whatever journal has that name
back into the file before it reads it. A second name for the file, or a move without the journal, parts the two: charges
that were made and shown in the meantime are then taken back. So a ledger has one name; `journals` does the rest.
"""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from hushcount.errors import LedgerUnusable
from hushcount.ledger import store

__all__ = [
    "beside",
    "check_names",
    "connect",
    "connect_to_read",
    "is_mounted_alone",
    "sync_folder",
    "temporary_name",
]

_LOOKS = 10
_BETWEEN_LOOKS = 0.01
"""Seconds between two looks.

Another process may be making a ledger or settling a journal, which takes a second name for a moment.
"""

_MOUNTS = Path("/proc/self/mountinfo")


def connect(path: Path) -> sqlite3.Connection:
    """Return a connection to a file that exists; its isolation level is None, since `begin` is said here."""
    # mode=rw: a file that has gone is an error, never made anew.
    connection = _open(path, "mode=rw")
    connection.execute("PRAGMA synchronous = EXTRA")
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Return a connection that reads a file as it is, without a lock or a journal, even if it lacks its last pages."""
    connection = _open(path, "mode=ro&immutable=1")
    connection.execute("PRAGMA writable_schema = ON")
    return connection


def _open(path: Path, options: str) -> sqlite3.Connection:
    place = f"file:{quote(os.fsencode(path))}?{options}"
    return sqlite3.connect(place, uri=True, isolation_level=None, timeout=store.BUSY_SECONDS)


def beside(path: Path, kind: str) -> Path:
    """Return the file that SQLite keeps beside `path`: its "journal", or the "wal" of a mode that is not used here."""
    return path.with_name(f"{path.name}-{kind}")


def temporary_name(path: Path) -> Path:
    """Return a new name in the folder of `path`, which `check_names` knows and takes away if it is left behind."""
    return path.with_name(f".hushcount-{secrets.token_hex(8)}.tmp")


def check_names(path: Path, shown: str) -> None:
    """Check that `path` is the only name of its file, and that no write-ahead log lies beside it.

    A second name in the same folder that `temporary_name` gave is left from a process that was killed. It is removed:
    nothing is ever written under it once the ledger has its name, since otherwise a journal would lie beside it.

    Raises:
        LedgerUnusable: otherwise.
    """
    for look in range(_LOOKS):
        status = path.stat()
        if status.st_nlink <= 1:
            break
        for other in path.parent.glob(".hushcount-*.tmp"):
            with suppress(OSError):
                if other != path and os.path.samestat(other.lstat(), status) and not beside(other, "journal").exists():
                    other.unlink()
        if look:
            time.sleep(_BETWEEN_LOOKS)
    else:
        raise LedgerUnusable(
            shown,
            "has a second name (a hard link); SQLite keeps a journal for each name, so that charges could be lost: "
            "remove all names but one, that beside its journal if there is one",
        )
    if os.path.lexists(beside(path, "wal")):
        raise LedgerUnusable(
            shown,
            f"has a write-ahead log beside it ({beside(path, 'wal').name}), which is of another file or mode; a ledger "
            "has none",
        )


def is_mounted_alone(path: Path) -> bool:
    """Return whether a container was given the file and not its folder, so that its journal would be lost with the
    container.

    False where the system does not say (all but Linux).
    """
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return False
    # A blank is written as \040 (proc(5), mountinfo).
    points = (re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), line.split(" ")[4]) for line in lines)
    return str(path) in points


def sync_folder(folder: Path) -> None:
    """Bring the names in the folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
