"""What every database that holds a ledger must do: transactions, and errors in our words."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from hushcount.errors import LedgerUnusable

if TYPE_CHECKING:
    import sqlite3

    import psycopg

__all__ = ["BUSY_SECONDS", "Store", "Transaction", "opened"]

BUSY_SECONDS = 60
"""How long a transaction waits for another one to end."""


class Transaction:
    """SQL in one transaction, written once for both databases.

    Args:
        connection: of `sqlite3` or `psycopg`.
        dialect: which of the two, for the little that they spell differently.
    """

    def __init__(self, connection: Any, dialect: Literal["sqlite", "postgresql"]) -> None:
        self.connection = connection
        self.dialect = dialect

    def execute(self, statement: str, **values: str | int) -> list[tuple[Any, ...]]:
        """Run `statement`, where `:name` stands for the value of that name; its rows, if it has any."""
        if not values:
            cursor = self.connection.execute(statement)
        elif self.dialect == "sqlite":
            cursor = self.connection.execute(statement, values)
        else:
            cursor = self.connection.execute(re.sub(r":(\w+)", r"%(\1)s", statement), values)
        return [] if cursor.description is None else list(cursor.fetchall())

    def stream(self, query: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query without values, fetched as they are asked for; one such query at a time."""
        with closing(self.connection.cursor()) as cursor:
            yield from cursor.execute(query) if self.dialect == "sqlite" else cursor.stream(query)

    def commit(self) -> None:
        """Bring what was written to the disk."""
        self.connection.commit()


@contextmanager
def opened(
    connection: sqlite3.Connection | psycopg.Connection, dialect: Literal["sqlite", "postgresql"], begin: str = ""
) -> Iterator[Transaction]:
    """A transaction that starts with the statement `begin`; what is not committed in the end is undone."""
    with closing(connection):
        transaction = Transaction(connection, dialect)
        if begin:
            transaction.execute(begin)
        yield transaction


class Store(ABC):
    """A database that holds one ledger, or none yet.

    No connection outlives its transaction, so that a store can be kept by a process that forks and used by threads.

    Attributes:
        shown: its name for people, without credentials.
    """

    shown: str
    _errors: ClassVar[type[Exception]]
    """What the driver raises."""

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
    def create(self, fill: Callable[[Transaction], None]) -> bool:
        """Make a ledger out of what `fill` writes, in one step; False if another was made in the meantime.

        Raises:
            LedgerUnusable: it could not be written; nothing is left behind.
        """

    @abstractmethod
    def damage(self, transaction: Transaction) -> list[str]:
        """What the database itself finds wrong with its pages."""

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """A transaction that sees one state of the ledger and writes nothing.

        Raises:
            LedgerUnusable: the database fails.
        """
        with self._understood(), self._reader() as transaction:
            yield transaction

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """A transaction that no other writer's overlaps once it has locked the head; committed to disk when it ends.

        Raises:
            LedgerUnusable: the database fails, or is busy for more than a minute.
        """
        with self._understood(), self._writer() as transaction:
            yield transaction
            transaction.commit()

    @abstractmethod
    def _reader(self) -> AbstractContextManager[Transaction]: ...

    @abstractmethod
    def _writer(self) -> AbstractContextManager[Transaction]: ...

    @abstractmethod
    def _reason(self, error: BaseException) -> str:
        """What the driver's error means; the error's own text may name users and hosts."""

    @contextmanager
    def _understood(self) -> Iterator[None]:
        try:
            yield
        # UnicodeDecodeError: sqlite3 cannot even say what is wrong
        except (self._errors, UnicodeDecodeError) as error:
            raise LedgerUnusable(self.shown, self._reason(error)) from None
