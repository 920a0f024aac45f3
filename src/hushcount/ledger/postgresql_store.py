"""A ledger in a PostgreSQL database, for a team.

Writers queue at the one row of the head (`SELECT ... FOR UPDATE`) and see, once they have it, what the one before them
committed: READ COMMITTED is enough, and no transaction fails for another's sake. Credentials may be in the URL, and are
better kept in PGPASSWORD or ~/.pgpass, where no list of processes shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg  # noqa: F401 (so that this module cannot be imported without it)
from sqlalchemy import URL, Connection, Engine, NullPool, create_engine

from hushcount.errors import LedgerUnusable
from hushcount.inputs.addresses import without_credentials
from hushcount.ledger import store
from hushcount.ledger.tables import APPLICATION_ID, holds_ledger

__all__ = ["PostgresqlStore"]

_CONNECT_SECONDS = 10

_REASONS = {
    "08": "cannot be used: the connection was lost; ask again with the same request id",
    "57P": "cannot be used: the connection was lost; ask again with the same request id",
    "55P03": "is in use: another process has not let go of it for a minute",
    "53100": "cannot be written: its disk is full",
    "25006": "is write-protected",
    "42501": "may not be used by this user: permission denied",
    "42P01": "is damaged: it has lost tables",
    "42703": "is damaged: it has lost columns",
}


class PostgresqlStore(store.Store):
    """A PostgreSQL database; see `Store`."""

    def __init__(self, url: URL) -> None:
        host = f"{url.host or ''}{'' if url.port is None else f':{url.port}'}"
        self.shown = without_credentials(f"postgresql://{host}/{url.database}")
        waits = {} if "connect_timeout" in url.query else {"connect_timeout": _CONNECT_SECONDS}
        self._engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            poolclass=NullPool,
            hide_parameters=True,
            connect_args={"application_name": "hushcount", **waits},
        )

    def check(self) -> None:
        if not self.exists():
            raise LedgerUnusable(self.shown, "does not exist; `hushcount budget create` makes one")

    def exists(self) -> bool:
        with self.reading() as connection:
            return holds_ledger(connection)

    def create(self, fill: Callable[[Connection], None]) -> bool:
        with self.writing() as connection:
            # There is no head to lock yet; the lock goes with the transaction.
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({APPLICATION_ID})")
            if holds_ledger(connection):
                return False
            fill(connection)
        return True

    def damage(self, connection: Connection) -> list[str]:
        return []

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with super().writing() as connection:
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{store.BUSY_SECONDS}s'")
            connection.exec_driver_sql("SET LOCAL synchronous_commit = on")  # whatever the server's default is
            yield connection

    def _readers(self) -> Engine:
        return self._engine.execution_options(isolation_level="REPEATABLE READ")

    def _writers(self) -> Engine:
        return self._engine.execution_options(isolation_level="READ COMMITTED")

    def _reason(self, error: BaseException) -> str:
        code = getattr(error, "sqlstate", None)
        if code is None:
            return "cannot be reached: no answer from the server, or it refuses the login"
        known = [reason for prefix, reason in _REASONS.items() if code.startswith(prefix)]
        return known[0] if known else f"cannot be used: the server reports error {code}"
