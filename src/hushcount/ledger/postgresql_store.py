"""A ledger in a PostgreSQL database, for a team.

Writers queue at the one row of the head (`SELECT ... FOR UPDATE`) and see, once they have it, what the one before them
committed: READ COMMITTED is enough, and no transaction fails for another's sake. Credentials may be in the URL, and are
better kept in PGPASSWORD or ~/.pgpass, where no list of processes shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import psycopg
from psycopg import IsolationLevel

from hushcount.counting.declared.place import Place
from hushcount.errors import LedgerUnusable
from hushcount.ledger import store
from hushcount.ledger.tables import APPLICATION_ID, holds_ledger

__all__ = ["PostgresqlStore"]

_CONNECT_SECONDS = 10

_REASONS = {
    "08": "cannot be used: the connection was lost; ask again with the same request id",
    "57P": "cannot be used: the connection was lost; ask again with the same request id",
    "55P03": "is in use: another process has held it for a minute",
    "53100": "cannot be written: its disk is full",
    "25006": "is write-protected",
    "42501": "may not be used by this user: permission denied",
    "42P01": "is damaged: it has lost tables",
    "42703": "is damaged: it has lost columns",
}


class PostgresqlStore(store.Store):
    """A PostgreSQL database; see `Store`."""

    _errors = psycopg.Error

    def __init__(self, place: Place) -> None:
        self.shown = place.shown
        usual = {"application_name": "hushcount", "connect_timeout": str(_CONNECT_SECONDS)}
        given = {name: str(value) for name, value in psycopg.conninfo.conninfo_to_dict(place.text).items()}
        pinned = {"client_encoding": "utf8"}  # else PGCLIENTENCODING would settle which texts fit their hashes
        self._address = psycopg.conninfo.make_conninfo("", **{**usual, **given, **pinned})

    def check(self) -> None:
        if not self.exists():
            raise LedgerUnusable(self.shown, "does not exist; `hushcount budget create` makes one")

    def exists(self) -> bool:
        with self.reading() as transaction:
            return holds_ledger(transaction)

    def create(self, fill: Callable[[store.Transaction], None]) -> bool:
        with self.writing() as transaction:
            # There is no head to lock yet; the lock goes with the transaction.
            transaction.execute(f"SELECT pg_advisory_xact_lock({APPLICATION_ID})")
            if holds_ledger(transaction):
                return False
            fill(transaction)
        return True

    def damage(self, transaction: store.Transaction) -> list[str]:
        return []

    def _reader(self) -> AbstractContextManager[store.Transaction]:
        return self._opened(IsolationLevel.REPEATABLE_READ)

    @contextmanager
    def _writer(self) -> Iterator[store.Transaction]:
        with self._opened(IsolationLevel.READ_COMMITTED) as transaction:
            transaction.execute(f"SET LOCAL lock_timeout = '{store.BUSY_SECONDS}s'")
            transaction.execute("SET LOCAL synchronous_commit = on")  # whatever the server's default is
            yield transaction

    def _opened(self, isolation: IsolationLevel) -> AbstractContextManager[store.Transaction]:
        connection = psycopg.connect(self._address)
        connection.isolation_level = isolation
        return store.opened(connection, "postgresql")

    def _reason(self, error: BaseException) -> str:
        code = getattr(error, "sqlstate", None)
        if code is None:
            return "cannot be reached: no answer from the server, or it refuses the login"
        known = [reason for prefix, reason in _REASONS.items() if code.startswith(prefix)]
        return known[0] if known else f"cannot be used: the server reports error {code}"
