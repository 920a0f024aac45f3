"""The tables of a ledger, and how an older ledger becomes a newer one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from hushcount._version import __version__
from hushcount.ledger.store import Transaction

__all__ = ["APPLICATION_ID", "MIGRATIONS", "NO_HASH", "holds_ledger", "migrate", "now_text", "schema_version"]

APPLICATION_ID = 0x68757368
"""Tells a SQLite file that is a ledger ("hush") from others; it is in the file's header."""

_TABLES = (
    # Which schema versions the ledger has been through; the largest is the one it has.
    """CREATE TABLE hushcount_migrations (
    version INTEGER NOT NULL,
    moment TEXT NOT NULL,
    hushcount_version TEXT NOT NULL,
    PRIMARY KEY (version)
)""",
    # Number and hash of the last entry, in one row, which every writer locks first.
    """CREATE TABLE hushcount_head (
    id INTEGER NOT NULL CHECK (id = 1),
    number INTEGER NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (id)
)""",
    # The history; see `Entry` for the columns. Rows are added and never changed, which triggers see to.
    """CREATE TABLE hushcount_entries (
    number INTEGER NOT NULL,
    moment TEXT NOT NULL,
    kind TEXT NOT NULL,
    budget TEXT NOT NULL,
    request TEXT NOT NULL,
    question TEXT NOT NULL,
    epsilon TEXT NOT NULL,
    delta TEXT NOT NULL,
    left_epsilon TEXT NOT NULL,
    left_delta TEXT NOT NULL,
    body TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (number),
    UNIQUE (budget, kind, request)
)""",
    "CREATE INDEX hushcount_entries_by_question ON hushcount_entries (budget, question)",
    "CREATE INDEX hushcount_entries_by_kind ON hushcount_entries (budget, kind, number)",
)

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


_HAS_TABLE = {
    "sqlite": "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = :name",
    "postgresql": "SELECT count(to_regclass(:name))",
}


def _version_1(transaction: Transaction) -> None:
    for statement in (*_TABLES, *_APPEND_ONLY[transaction.dialect]):
        transaction.execute(statement)
    if transaction.dialect == "sqlite":
        transaction.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    transaction.execute("INSERT INTO hushcount_head (id, number, hash) VALUES (1, 0, :hash)", hash=NO_HASH)


NO_HASH = "0" * 64
"""What the first entry has for the hash of the one before."""


def _version_2(transaction: Transaction) -> None:
    """Nothing to change: an older hushcount must not charge to a budget whose list of sources it does not know."""


def _version_3(transaction: Transaction) -> None:
    """Nothing to change: an older hushcount must not charge to a budget in mu, whose amounts it cannot read."""


MIGRATIONS: tuple[Callable[[Transaction], None], ...] = (_version_1, _version_2, _version_3)
"""The k-th makes version k of version k - 1, and leaves the entries as they are: their hashes bind them."""


def migrate(transaction: Transaction) -> None:
    """Bring the schema to the newest version, each step recorded, all in the transaction of the caller."""
    done = schema_version(transaction) if holds_ledger(transaction) else 0
    for version, step in enumerate(MIGRATIONS[done:], start=done + 1):
        step(transaction)
        transaction.execute(
            "INSERT INTO hushcount_migrations (version, moment, hushcount_version) VALUES (:version, :moment, :ours)",
            version=version,
            moment=now_text(),
            ours=__version__,
        )


def schema_version(transaction: Transaction) -> int:
    """Of a database that holds a ledger; 0 for one that has lost its record."""
    [(version,)] = transaction.execute("SELECT max(version) FROM hushcount_migrations")
    return int(version or 0)


def holds_ledger(transaction: Transaction) -> bool:
    """Whether the tables of a ledger are there, whatever is in them."""
    [(found,)] = transaction.execute(_HAS_TABLE[transaction.dialect], name="hushcount_migrations")
    return bool(found)


def now_text() -> str:
    """This moment in UTC, in whole seconds."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
