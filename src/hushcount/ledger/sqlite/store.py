"""A ledger in a SQLite file.

The rollback journal is kept (no WAL): what is committed is then all in the one file, so that a copy of it taken at rest
is whole. `synchronous=EXTRA` is FULL, and syncs the folder as well once the journal is gone: after a power failure the
journal of a committed charge must not come back and undo it.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from hushcount.errors import LedgerUnusable
from hushcount.inputs.addresses import without_credentials
from hushcount.ledger import store
from hushcount.ledger.sqlite import journals
from hushcount.ledger.sqlite.file import (
    beside,
    check_names,
    connect,
    is_mounted_alone,
    sync_folder,
    temporary_name,
)
from hushcount.ledger.tables import APPLICATION_ID

__all__ = ["SqliteStore"]

_LEAST_BYTES = 512
"""The smallest page; SQLite turns a shorter file into an empty database."""

_REASONS = {
    "SQLITE_BUSY": "is in use: another process has held it for a minute",
    "SQLITE_FULL": "cannot be written: its disk is full",
    "SQLITE_READONLY": "is write-protected",
    "SQLITE_PERM": "may not be opened",
    "SQLITE_CANTOPEN": "cannot be opened",
    "SQLITE_IOERR": "cannot be read or written: input/output error",
    "SQLITE_NOTADB": "is not a ledger: not a SQLite file",
    "SQLITE_CORRUPT": "is damaged; a ledger is never rebuilt, restore a copy",
}


class SqliteStore(store.Store):
    """A SQLite file; see `Store`."""

    _errors = sqlite3.Error

    def __init__(self, path: str) -> None:
        self.path = Path(os.path.realpath(path))
        self.shown = without_credentials(path)

    @property
    def folder(self) -> Path:
        return self.path.parent

    def check(self) -> None:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            raise LedgerUnusable(self.shown, "does not exist; `hushcount budget create` makes one") from None
        except OSError as error:
            raise LedgerUnusable(self.shown, f"cannot be opened: {error.strerror}") from None
        if not stat.S_ISREG(status.st_mode):
            raise LedgerUnusable(self.shown, "is not a file")
        if is_mounted_alone(self.path):
            reason = "is mounted by itself, so that a journal beside it would be left behind; mount its folder"
            raise LedgerUnusable(self.shown, reason)
        if status.st_size == 0:
            raise LedgerUnusable(self.shown, "is empty; a ledger is never rebuilt, restore a copy")
        if status.st_size < _LEAST_BYTES:
            raise LedgerUnusable(self.shown, _REASONS["SQLITE_NOTADB"])
        if not os.access(self.path, os.R_OK):
            raise LedgerUnusable(self.shown, f"cannot be opened: {os.strerror(errno.EACCES)}")
        # SQLite itself looks into the file: a process that closes a file loses all its locks on it, also those that
        # another thread's transaction holds (https://sqlite.org/howtocorrupt.html, 2.2).
        with self.reading() as transaction:  # so that no writer is half done
            application, pages, page_size, mode = (
                transaction.execute(f"PRAGMA {name}")[0][0]
                for name in ("application_id", "page_count", "page_size", "journal_mode")
            )
            if application != APPLICATION_ID:
                raise LedgerUnusable(self.shown, "is not a ledger: a SQLite file of something else")
            if mode != "delete":
                reason = f"is in the mode {mode.upper()}, which it was not made with; sqlite3 brings it back by"
                raise LedgerUnusable(self.shown, f"{reason} PRAGMA journal_mode = delete")
            if self.path.stat().st_size != pages * page_size:
                raise LedgerUnusable(self.shown, _REASONS["SQLITE_CORRUPT"])

    def exists(self) -> bool:
        return os.path.lexists(self.path)

    def create(self, fill: Callable[[store.Transaction], None]) -> bool:
        temporary = temporary_name(self.path)
        try:
            for leftover in (beside(self.path, "journal"), beside(self.path, "wal")):
                if os.path.lexists(leftover):
                    reason = f"cannot be created: {leftover.name} is left of another file of that name; move it away"
                    raise LedgerUnusable(self.shown, reason)
            os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            with self._understood(), store.opened(connect(temporary), "sqlite", "BEGIN IMMEDIATE") as transaction:
                fill(transaction)
                transaction.commit()
            # A link, unlike a rename, never replaces an existing file.
            os.link(temporary, self.path)
            sync_folder(self.path.parent)
        except FileExistsError:
            return False
        except OSError as error:
            raise LedgerUnusable(self.shown, f"cannot be created: {error.strerror}") from None
        finally:
            for leftover in (temporary, beside(temporary, "journal")):
                with suppress(OSError):
                    leftover.unlink()
        return True

    def damage(self, transaction: store.Transaction) -> list[str]:
        return journals.damage(transaction)

    def _reader(self) -> AbstractContextManager[store.Transaction]:
        return self._opened("BEGIN")

    def _writer(self) -> AbstractContextManager[store.Transaction]:
        return self._opened("BEGIN IMMEDIATE")

    def _opened(self, begin: str) -> AbstractContextManager[store.Transaction]:
        try:
            check_names(self.path, self.shown)
            journals.settle(self.path, self.shown)
        except OSError as error:
            raise LedgerUnusable(self.shown, f"cannot be opened: {error.strerror}") from None
        return store.opened(connect(self.path), "sqlite", begin)

    def _reason(self, error: BaseException) -> str:
        name = getattr(error, "sqlite_errorname", "")
        known = [reason for prefix, reason in _REASONS.items() if name.startswith(prefix)]
        return known[0] if known else "is damaged: its tables are not those of a ledger"
