"""A ledger is made by `create_budget` alone, and whatever else is found in its place is an error."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import sys
import tempfile
import traceback
from pathlib import Path

import psycopg
import pytest
from ledgers import in_a_process, question, try_a_protected_file

import hushcount.ledger.store
from hushcount.errors import BadUse, InvalidParameter, LedgerUnusable
from hushcount.ledger import Accounting, Ledger, create_budget, tables
from hushcount.ledger.book import Book
from hushcount.ledger.location import store_at


def unusable(place, reason):
    """Both ways in refuse, and leave what is there."""
    before = Path(place).read_bytes() if Path(place).is_file() else None
    with pytest.raises(LedgerUnusable, match=reason) as caught:
        Ledger(place)
    assert str(caught.value).startswith(f"the ledger {place} ")
    if os.path.lexists(place):
        with pytest.raises(LedgerUnusable, match=reason):
            create_budget(place, "other", 1)
    assert before == (Path(place).read_bytes() if Path(place).is_file() else None)


@pytest.fixture
def filled(file):
    """A ledger with some pages."""
    create_budget(file, "people", 1)
    for number in range(20):
        Ledger(file).charge("people", question(f"name = '{'x' * 500}{number}'", "0.01"))
    return file


# --- creation --------------------------------------------------------------------------------------------------------


def test_create_makes_one_private_file(file):
    made = create_budget(file, "people", "0.3", "1e-6", adjacency="add-remove", protects="person", composition="basic")
    assert (made.terms.name, made.terms.protects, made.terms.accounting) == ("people", "person", Accounting.BASIC)
    assert (made.charges, made.closed_at, made.left) == (0, None, made.terms.total)
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    assert os.listdir(Path(file).parent) == ["people.ledger"]


def test_create_in_postgresql(database):
    create_budget(database, "people", 1)
    create_budget(database, "visits", 1)
    assert Ledger(database).budgets() == ("people", "visits")


@pytest.mark.postgresql
@pytest.mark.parametrize("encoding", ["UTF8", "SQL_ASCII"])
@pytest.mark.parametrize("asked", ["LATIN1", "SQL_ASCII"])
def test_texts_are_what_was_written_whatever_encoding_is_asked_for(server, monkeypatch, encoding, asked):
    """Else an entry would not fit its hash, or could not be read or written at all."""
    name = f"ledger_{os.urandom(8).hex()}"
    made = f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
        connection.execute(made.encode())
    monkeypatch.setenv("PGCLIENTENCODING", asked)
    create_budget(f"{server}{name}?client_encoding={asked}", "日本", 1)
    monkeypatch.delenv("PGCLIENTENCODING")
    ledger = Ledger(f"{server}{name}")
    assert ledger.budgets() == ("日本",)
    assert ledger.verify().is_intact


def test_a_name_is_taken_once(place):
    create_budget(place, "people", 1)
    with pytest.raises(InvalidParameter, match="name must be one that no budget of the ledger has"):
        create_budget(place, "people", 2)
    assert Ledger(place).verify().entries == 1


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("name", ""),
        ("name", "a\nb"),
        ("name", None),
        ("epsilon", -1),
        ("epsilon", "x"),
        ("epsilon", float("nan")),
        ("delta", 1),
        ("delta", -1),
        ("adjacency", "bounded"),
        ("unit", " "),
        ("composition", "zcdp"),
    ],
)
def test_bad_terms_make_nothing(file, argument, value):
    with pytest.raises(InvalidParameter, match=f"^{argument} must be"):
        create_budget(file, **{"name": "people", "epsilon": 1, **{argument: value}})
    assert not os.path.exists(file)


def test_create_in_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(LedgerUnusable, match="cannot be created: No such file or directory"):
        create_budget(tmp_path / "nowhere" / "x.ledger", "people", 1)


# --- what is there instead -------------------------------------------------------------------------------------------


def test_missing(file):
    unusable(file, "does not exist; `hushcount budget create` makes one")
    assert not os.path.exists(file)


def test_missing_in_postgresql(database):
    with pytest.raises(LedgerUnusable, match="does not exist"):
        Ledger(database)


def test_gone_while_open(filled):
    ledger = Ledger(filled)
    os.unlink(filled)
    with pytest.raises(LedgerUnusable, match="cannot be opened"):
        ledger.charge("people", question())
    assert not os.path.exists(filled)


def test_empty(file):
    Path(file).touch()
    unusable(file, "is empty; a ledger is never rebuilt")


@pytest.mark.parametrize("content", [b"a", b"age,name\n70,Ann\n", b"\0" * 5000])
def test_another_kind_of_file(file, content):
    Path(file).write_bytes(content)
    unusable(file, "is not a ledger: not a SQLite file")


def test_a_folder(tmp_path):
    unusable(str(tmp_path), "is not a file")


def test_a_dangling_link(tmp_path, file):
    link = tmp_path / "link"
    link.symlink_to(file)
    with pytest.raises(LedgerUnusable, match="does not exist"):
        Ledger(link)
    create_budget(link, "people", 1)
    assert Ledger(file).budgets() == Ledger(link).budgets() == ("people",)


def test_a_database_of_something_else(file):
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE hushcount_entries (number INTEGER)")
    connection.close()
    unusable(file, "is not a ledger: a SQLite file of something else")


def test_a_ledger_that_lost_its_tables(filled):
    with sqlite3.connect(filled) as connection:
        connection.execute("DROP TABLE hushcount_migrations")
    connection.close()
    unusable(filled, "is damaged: it has lost its schema version")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hushcount_entries", "hushcount_head"])
def test_a_ledger_that_lost_other_tables(filled, name):
    with sqlite3.connect(filled) as connection:
        connection.execute(f"DROP TABLE {name}")
    connection.close()
    with pytest.raises(LedgerUnusable, match="is damaged"):
        Ledger(filled).charge("people", question())


@pytest.mark.slow
@pytest.mark.parametrize("part", [0.999, 0.75, 0.5, 0.25, 0.05, 4096, 200, 99, 50])
def test_truncated(filled, part):
    size = os.path.getsize(filled)
    assert size > 5 * 4096
    length = part if isinstance(part, int) else int(size * part)
    os.truncate(filled, length)
    unusable(filled, "is damaged|is not a ledger")


def test_a_newer_schema(place):
    create_budget(place, "people", 1)
    store = store_at(place)
    with store.writing() as transaction:
        transaction.execute(
            "INSERT INTO hushcount_migrations VALUES (:version, :moment, '9.0')",
            version=len(tables.MIGRATIONS) + 1,
            moment=tables.now_text(),
        )
    reason = "has schema version 4, but this hushcount reads versions up to 3; a newer one is needed"
    with pytest.raises(LedgerUnusable, match=reason):
        Ledger(place)
    with pytest.raises(LedgerUnusable, match=reason):
        create_budget(place, "visits", 1)


@pytest.mark.parametrize(("mode", "found"), [(0o444, "reads, but is write-protected"), (0, "Permission denied")])
def test_a_protected_file(mode, found):
    """In a process that is not root, whom no mode stops."""
    folder = Path(tempfile.mkdtemp())
    try:
        path = folder / "people.ledger"
        create_budget(path, "people", 1)
        Ledger(path).charge("people", question())
        path.chmod(mode)
        folder.chmod(0o555)
        assert in_a_process(try_a_protected_file, str(path)) == [found]
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


# --- migrations ------------------------------------------------------------------------------------------------------


def add_a_table(transaction):
    transaction.execute("CREATE TABLE hushcount_notes (number INTEGER, note TEXT)")
    transaction.execute("INSERT INTO hushcount_notes (number) VALUES (1)")


def test_an_older_ledger_is_brought_up_to_date_with_its_record(place, monkeypatch):
    create_budget(place, "people", 1)
    Ledger(place).charge("people", question())
    monkeypatch.setattr(tables, "MIGRATIONS", (*tables.MIGRATIONS, add_a_table))
    for _ in range(2):
        assert Ledger(place).verify().is_intact
    with store_at(place).reading() as transaction:
        assert tables.schema_version(transaction) == len(tables.MIGRATIONS)
        assert transaction.execute("SELECT count(*) FROM hushcount_notes") == [(1,)]
    Ledger(place).charge("people", question("x"))


def test_a_migration_that_fails_leaves_the_older_ledger(place, monkeypatch):
    create_budget(place, "people", 1)
    before = tables.MIGRATIONS

    def half(transaction):
        add_a_table(transaction)
        raise KeyboardInterrupt

    monkeypatch.setattr(tables, "MIGRATIONS", (*before, half))
    with pytest.raises(KeyboardInterrupt):
        Ledger(place)
    monkeypatch.setattr(tables, "MIGRATIONS", before)
    assert Ledger(place).verify().is_intact
    with store_at(place).reading() as transaction:
        assert tables.schema_version(transaction) == len(before)


# --- places ----------------------------------------------------------------------------------------------------------


def test_the_ways_to_name_a_file(file, monkeypatch, tmp_path):
    create_budget(f"sqlite:///{file}", "people", 1)
    monkeypatch.chdir(tmp_path)
    for location in (file, Path(file), "people.ledger", "sqlite:///people.ledger", f"sqlite:///{file}"):
        assert Ledger(location).budgets() == ("people",)
    for odd in (":memory:", "file:x?mode=memory", "a b%20?c#d.ledger", "ü.ledger"):
        create_budget(odd, "people", 1)
        assert os.path.isfile(odd)
        assert Ledger(odd).budgets() == ("people",)


@pytest.mark.parametrize(
    "location",
    ["", "a\0b", None, 7, b"x", "sqlite://", "sqlite:///:memory:?x=1", "mysql://u:secret@h/d", "postgresql://u:secret@h",
     "postgresql+asyncpg://u:secret@h/d", "postgresql://u:secret@h:port/d", "://u:secret@x", "http://u:secret@h/d"],
)  # fmt: skip
def test_what_is_no_place(location):
    with pytest.raises(InvalidParameter, match=r"^ledger must be") as caught:
        Ledger(location)
    assert "secret" not in str(caught.value)


def test_credentials_are_in_no_error(server):
    secret = server.split(":")[2].split("@")[0]
    for url in (
        f"{server}no_such_database",
        f"{server}postgres",
        server.replace(secret, "wrong-secret") + "postgres",
        "postgresql://keeper:wrong-secret@127.0.0.1:1/postgres",
    ):
        with pytest.raises(LedgerUnusable) as caught:
            Ledger(url)
        seen = "".join(traceback.format_exception(caught.value))
        assert "psycopg." not in seen
        assert secret not in seen
        assert "wrong-secret" not in seen
        assert "keeper" not in seen


def test_credentials_are_not_in_the_ledger(database, server):
    create_budget(database, "people", 1)
    ledger = Ledger(database)
    ledger.charge("people", question())
    assert ledger.shown == "postgresql://" + database.split("@")[1].partition("?")[0]
    with store_at(database).reading() as transaction:
        rows = [transaction.execute(f"SELECT * FROM hushcount_{table}") for table in ("entries", "head", "migrations")]
    assert "keeper" not in str(rows)
    assert "s3cret" not in str(rows)


def test_without_psycopg(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "hushcount.ledger.postgresql_store", raising=False)
    with pytest.raises(BadUse, match=r"pip install 'hushcount\[postgresql\]'"):
        Ledger("postgresql://host/db")


def test_a_read_only_server(database):
    create_budget(database, "people", 1)
    ledger = Ledger(f"{database}%20-cdefault_transaction_read_only%3Don")
    with pytest.raises(LedgerUnusable, match="is write-protected"):
        ledger.charge("people", question())
    assert ledger.budget("people").charges == 0


@pytest.mark.slow
def test_a_busy_ledger(place, monkeypatch):
    create_budget(place, "people", 1)
    monkeypatch.setattr(hushcount.ledger.store, "BUSY_SECONDS", 1)
    one, other = Ledger(place), Ledger(place)
    with one._store.writing() as transaction:
        Book(transaction, place).lock()
        with pytest.raises(LedgerUnusable, match="is in use"):
            other.charge("people", question())
        assert other.history("people") == ()
    assert other.charge("people", question()).charge.number == 2


def test_a_copy_at_rest_is_whole(filled, tmp_path):
    copy = shutil.copy(filled, tmp_path / "copy")
    assert Ledger(copy).head == Ledger(filled).head
    assert Ledger(copy).verify().is_intact


@pytest.mark.parametrize(
    "place",
    ["host=db password=s3cret", "postgresql:keeper:s3cret@db/x", "keeper:s3cret@db/x"],
    ids=["libpq", "scheme", "bare"],
)
def test_what_may_hold_a_password_is_no_file_name_and_is_not_repeated(place):
    with pytest.raises(InvalidParameter) as refused:
        Ledger(place)
    assert "s3cret" not in str(refused.value)
