"""The journal of a writer that was killed: whose it is, and whether it may be played back.

SQLite plays back any journal that it finds under the ledger's name. That is right for a write that was broken off, and
wrong for a ledger that was written since: moved away from its journal and back, say, or put in the place of another.
A journal does not say which file it belongs to. But it holds what it would bring back, and every commit increases a
counter in the file. So both states are compared, the file as it is and a copy with the journal played back:

- The file is a sound ledger, and what the journal brings back is an earlier state of it: the write was complete, or
  others were made since. The file stands, and the journal goes.
- The file is not sound, what the journal brings back is, and at most one commit lies between: the write was broken off
  half-way. SQLite may play it back.
- Anything else is refused, and left as it is.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from hushcount.errors import LedgerUnusable
from hushcount.ledger import store
from hushcount.ledger.book import Book
from hushcount.ledger.sqlite.file import beside, connect, connect_to_read, sync_folder, temporary_name
from hushcount.ledger.store import Transaction, opened
from hushcount.ledger.verification import is_chained

__all__ = ["damage", "settle"]

_COMMITS, _PAGES = slice(24, 28), slice(28, 32)
"""Where a SQLite file holds the number of its commits and of its pages
(https://sqlite.org/fileformat2.html#the_database_header)."""

_TRIES = 10
_POLL_SECONDS = 0.02


def settle(path: Path, shown: str) -> None:
    """Check that SQLite would take no charge back if it opened `path`; remove or refuse a journal that would.

    Raises:
        LedgerUnusable: the journal is not that of the last write, or its folder lets nobody look.
        sqlite3.Error: a writer does not let go of the file.
        OSError: the disk fails.
    """
    journal = beside(path, "journal")
    if journal.is_symlink() or (journal.exists() and not journal.is_file()):
        raise _foreign(journal, shown)
    if not _would_be_played_back(journal):
        return
    try:
        with _alone(path) as transaction:
            # Otherwise its writer was alive, or another process has settled it.
            if _would_be_played_back(journal) and not _was_broken_off(transaction, journal, shown):
                _remove(journal, path)
    except _NoSecondName:
        # Without the right to write to the file, SQLite cannot play it back either.
        if os.access(path, os.W_OK) and not _goes_away(journal):
            reason = f"has a journal of an interrupted write ({journal.name}), and its folder cannot be written"
            raise LedgerUnusable(shown, reason) from None
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorname", "") != "SQLITE_CORRUPT":
            raise
        # Its last pages are not there yet. Nobody can write to it, or lock it, before the journal is played back.
        with suppress(FileNotFoundError), opened(connect_to_read(path), "sqlite", "BEGIN") as transaction:
            _was_broken_off(transaction, journal, shown)


def _was_broken_off(transaction: Transaction, journal: Path, shown: str) -> bool:
    """Return whether SQLite is to play the journal back; False if the file stands as it is.

    Raises:
        LedgerUnusable: neither.
        FileNotFoundError: another process has settled it.
    """
    now, before = _State.of(transaction), _rolled_back(transaction, journal)
    if now.hashes and before.hashes and before.hashes[-1] in now.hashes:
        return False
    if now.hashes or not before.hashes or now.commits - before.commits not in (0, 1):
        raise _foreign(journal, shown)
    return True


def _foreign(journal: Path, shown: str) -> LedgerUnusable:
    return LedgerUnusable(
        shown,
        f"has a journal beside it that is not of its last write ({journal.name}): it was moved without it, or this is "
        "another one's. Nothing was changed. Move the journal elsewhere, and see what `hushcount budget verify` finds",
    )


@dataclass(frozen=True)
class _State:
    """The state of a ledger.

    Attributes:
        commits: how many commits the file has seen.
        hashes: the hashes of the entries in order; none for a ledger that is not sound.
    """

    commits: int
    hashes: tuple[str, ...]

    @classmethod
    def of(cls, transaction: Transaction) -> _State:
        content = _content(transaction)
        commits, pages = (int.from_bytes(content[field], "big") for field in (_COMMITS, _PAGES))
        try:
            book = Book(transaction, "")
            entries = list(book.rows())
            [(page_size,)] = transaction.execute("PRAGMA page_size")
            sound = pages * page_size == len(content) and is_chained(entries, book.head()) and not damage(transaction)
        except (sqlite3.Error, UnicodeDecodeError, LedgerUnusable):
            sound = False
        return cls(commits, tuple(entry.hash for entry in entries) if sound else ())


def damage(transaction: Transaction) -> list[str]:
    """Return what SQLite finds wrong with the pages of the file."""
    return [str(line) for (line,) in transaction.execute("PRAGMA integrity_check") if line != "ok"]


def _rolled_back(transaction: Transaction, journal: Path) -> _State:
    """Return the state with the journal played back, found on a copy."""
    with TemporaryDirectory(prefix="hushcount-") as folder:
        copy = Path(folder, "ledger")
        copy.write_bytes(_content(transaction))
        shutil.copyfile(journal, beside(copy, "journal"))
        try:
            with opened(connect(copy), "sqlite", "BEGIN") as played_back:
                return _State.of(played_back)
        except (sqlite3.Error, UnicodeDecodeError):
            return _State(0, ())


def _content(transaction: Transaction) -> bytes:
    return cast(sqlite3.Connection, transaction.connection).serialize()


def _would_be_played_back(journal: Path) -> bool:
    """Return whether SQLite would play it back: to commit, it empties or deletes a journal, or overwrites its start."""
    try:
        with journal.open("rb") as file:
            return file.read(1) not in (b"", b"\0")
    except FileNotFoundError:
        return False


def _goes_away(journal: Path) -> bool:
    """Wait for a writer that is alive to remove its journal, and return whether it did."""
    deadline = time.monotonic() + store.BUSY_SECONDS
    while _would_be_played_back(journal):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


class _NoSecondName(Exception):
    """The folder takes no new name, or the file no second one."""


@contextmanager
def _alone(path: Path) -> Iterator[Transaction]:
    """Give the file to nobody else, as it is: opened for a moment under a name that has no journal."""
    # Never committed: nothing is written, and for a damaged file a commit would fail.
    with opened(_connect_by_another_name(path), "sqlite", "BEGIN EXCLUSIVE") as transaction:
        yield transaction


def _connect_by_another_name(path: Path) -> sqlite3.Connection:
    for _ in range(_TRIES):
        other = temporary_name(path)
        try:
            os.link(path, other)
        except OSError:
            raise _NoSecondName from None
        try:
            return connect(other)
        except sqlite3.OperationalError as error:
            # Another process may have taken the name for one that was left behind.
            if error.sqlite_errorname != "SQLITE_CANTOPEN":
                raise
        finally:
            with suppress(OSError):
                other.unlink()
    raise _NoSecondName


def _remove(journal: Path, path: Path) -> None:
    """Settle a write that is complete: sync it to the disk first, since the journal was kept in case it is not."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
        journal.unlink()
        sync_folder(path.parent)
    finally:
        os.close(descriptor)  # this releases all locks of this process on the file; nothing is left to do
