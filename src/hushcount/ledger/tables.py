"""The tables of a ledger, and how an older ledger becomes a newer one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    func,
    insert,
    inspect,
    select,
)

from hushcount._version import __version__

__all__ = ["APPLICATION_ID", "MIGRATIONS", "entries", "head", "holds_ledger", "migrate", "now_text", "schema_version"]

APPLICATION_ID = 0x68757368
"""Tells a SQLite file that is a ledger ("hush") from others; it is in the file's header."""

_metadata = MetaData()

migrations = Table(
    "hushcount_migrations",
    _metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("moment", Text, nullable=False),
    Column("hushcount_version", Text, nullable=False),
)
"""Which schema versions the ledger has been through; the largest is the one it has."""

head = Table(
    "hushcount_head",
    _metadata,
    Column("id", Integer, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("number", Integer, nullable=False),
    Column("hash", Text, nullable=False),
)
"""Number and hash of the last entry, in one row, which every writer locks first."""

entries = Table(
    "hushcount_entries",
    _metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("moment", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("budget", Text, nullable=False),
    Column("request", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("epsilon", Text, nullable=False),
    Column("delta", Text, nullable=False),
    Column("left_epsilon", Text, nullable=False),
    Column("left_delta", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("previous", Text, nullable=False),
    Column("hash", Text, nullable=False),
    UniqueConstraint("budget", "kind", "request"),
    Index("hushcount_entries_by_question", "budget", "question"),
    Index("hushcount_entries_by_kind", "budget", "kind", "number"),
)
"""The history; see `Entry` for the columns. Rows are added and never changed, which triggers see to."""

_APPEND_ONLY = {
    "sqlite": [
        f"CREATE TRIGGER hushcount_entries_{action} BEFORE {action} ON hushcount_entries "
        "BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END"
        for action in ("UPDATE", "DELETE")
    ],
    "postgresql": [
        "CREATE FUNCTION hushcount_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the history is append-only'; END $$",
        "CREATE TRIGGER hushcount_entries_unchanged BEFORE UPDATE OR DELETE OR TRUNCATE ON hushcount_entries "
        "FOR EACH STATEMENT EXECUTE FUNCTION hushcount_append_only()",
    ],
}


def _version_1(connection: Connection) -> None:
    _metadata.create_all(connection, checkfirst=False)
    dialect = connection.dialect.name
    if dialect == "sqlite":
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
    for statement in _APPEND_ONLY[dialect]:
        connection.exec_driver_sql(statement)
    connection.execute(insert(head).values(id=1, number=0, hash=NO_HASH))


NO_HASH = "0" * 64
"""What the first entry has for the hash of the one before."""


def _version_2(connection: Connection) -> None:
    """Nothing to change: an older hushcount must not charge to a budget whose list of sources it does not know."""


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (_version_1, _version_2)
"""The k-th makes version k of version k - 1, and leaves the entries as they are: their hashes bind them."""


def migrate(connection: Connection) -> None:
    """Bring the schema to the newest version, each step recorded, all in the transaction of the caller."""
    done = schema_version(connection) if holds_ledger(connection) else 0
    for version, step in enumerate(MIGRATIONS[done:], start=done + 1):
        step(connection)
        record = {"version": version, "moment": now_text(), "hushcount_version": __version__}
        connection.execute(insert(migrations).values(record))


def schema_version(connection: Connection) -> int:
    """Of a database that holds a ledger; 0 for one that has lost its record."""
    version = connection.execute(select(func.max(migrations.c.version))).scalar()
    return int(version or 0)


def holds_ledger(connection: Connection) -> bool:
    """Whether the tables of a ledger are there, whatever is in them."""
    return bool(inspect(connection).has_table(migrations.name))


def now_text() -> str:
    """This moment in UTC, in whole seconds."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
