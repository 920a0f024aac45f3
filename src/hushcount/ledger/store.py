"""What every database that holds a ledger must do: transactions, and errors in our words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from hushcount.errors import LedgerUnusable

__all__ = ["BUSY_SECONDS", "Store"]

BUSY_SECONDS = 60
"""How long a transaction waits for another one to end."""


class Store(ABC):
    """A database that holds one ledger, or none yet.

    No connection outlives its transaction, so that a store can be kept by a process that forks and used by threads.

    Attributes:
        shown: its name for people, without credentials.
    """

    shown: str

    @property
    def folder(self) -> Path | None:
        """The folder of the ledger, from which sources can be named; None where it is in none."""
        return None

    @abstractmethod
    def check(self) -> None:
        """See that a ledger is there, as far as can be told before its tables are read.

        Raises:
            LedgerUnusable: it is missing, or something else is there.
        """

    @abstractmethod
    def exists(self) -> bool:
        """Whether anything is there that a new ledger must not replace."""

    @abstractmethod
    def create(self, fill: Callable[[Connection], None]) -> bool:
        """Make a ledger out of what `fill` writes, in one step; False if another was made in the meantime.

        Raises:
            LedgerUnusable: it could not be written; nothing is left behind.
        """

    @abstractmethod
    def damage(self, connection: Connection) -> list[str]:
        """What the database itself finds wrong with its pages."""

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the ledger and writes nothing.

        Raises:
            LedgerUnusable: the database fails.
        """
        with self._understood(), self._readers().connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that no other writer's overlaps once it has locked the head; committed to disk when it ends.

        Raises:
            LedgerUnusable: the database fails, or is busy for more than a minute.
        """
        with self._understood(), self._writers().connect() as connection, connection.begin():
            yield connection

    @abstractmethod
    def _readers(self) -> Engine: ...

    @abstractmethod
    def _writers(self) -> Engine: ...

    @abstractmethod
    def _reason(self, error: BaseException) -> str:
        """What the driver's error means; the error's own text may name users and hosts."""

    @contextmanager
    def _understood(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise LedgerUnusable(self.shown, self._reason(error.orig or error)) from None
        except UnicodeDecodeError as error:  # sqlite3 cannot even say what is wrong
            raise LedgerUnusable(self.shown, self._reason(error)) from None
