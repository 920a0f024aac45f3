"""One name for a ledger's file, and nothing beside it that SQLite would take for a part of it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from ledgers import question

from hushcount.errors import LedgerUnusable
from hushcount.ledger import Ledger, create_budget
from hushcount.ledger.sqlite import file as sqlite_file
from hushcount.ledger.sqlite.file import is_mounted_alone, temporary_name


@pytest.fixture
def path(file):
    create_budget(file, "people", 1)
    return Path(file)


def refused(path, reason):
    """In every way, and nothing is changed."""
    before = {found.name: found.read_bytes() for found in path.parent.iterdir()}
    for act in (lambda: Ledger(path), lambda: create_budget(path, "more", 1)):
        with pytest.raises(LedgerUnusable, match=reason):
            act()
    assert {found.name: found.read_bytes() for found in path.parent.iterdir()} == before


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "second", ["second.ledger", "folder/people.ledger", ".hushcount-a.txt", "folder/.hushcount-a.tmp"]
)
def test_a_second_name_is_refused(path, second):
    other = path.parent / second
    other.parent.mkdir(exist_ok=True)
    other.hardlink_to(path)
    for name in (path, other):
        with pytest.raises(LedgerUnusable, match=r"has a second name \(a hard link\)"):
            Ledger(name)
        with pytest.raises(LedgerUnusable, match="has a second name"):
            create_budget(name, "more", 1)
    other.unlink()
    assert Ledger(path).verify().entries == 1


def test_a_second_name_that_a_ledger_in_use_is_given(path):
    ledger = Ledger(path)
    other = path.with_name("second.ledger")
    other.hardlink_to(path)
    for act in (lambda: ledger.charge("people", question()), lambda: ledger.history("people")):
        with pytest.raises(LedgerUnusable, match="has a second name"):
            act()
    other.unlink()
    assert ledger.charge("people", question()).charge.number == 2


def test_what_a_killed_create_left_is_taken_away(path):
    left = temporary_name(path)
    left.hardlink_to(path)
    assert Ledger(path).budgets() == ("people",)
    assert os.listdir(path.parent) == [path.name]


def test_what_a_killed_create_left_beside_a_second_name(path):
    temporary_name(path).hardlink_to(path)
    path.with_name("second.ledger").hardlink_to(path)
    with pytest.raises(LedgerUnusable, match="has a second name"):
        Ledger(path)


def test_what_was_left_is_not_opened_under_its_own_name(path):
    """Nor is the ledger taken for what is left."""
    left = temporary_name(path)
    left.hardlink_to(path)
    with pytest.raises(LedgerUnusable, match="has a second name"):
        Ledger(left)
    assert path.exists()
    assert left.exists()


def test_a_name_that_was_written_under_is_not_taken_away(path):
    left = temporary_name(path)
    left.hardlink_to(path)
    left.with_name(f"{left.name}-journal").write_bytes(b"x")
    refused(path, "has a second name")


def test_the_temporary_file_of_another_ledger_is_left_alone(path):
    other = temporary_name(path)
    shutil.copy(path, other)
    path.with_name("second.ledger").hardlink_to(path)
    refused(path, "has a second name")
    assert other.exists()


def test_a_process_that_settles_or_creates_meanwhile_is_waited_for(path):
    """Its second name is there for a moment only."""
    other = path.with_name("for a moment")
    other.hardlink_to(path)
    timer = threading.Timer(0.03, other.unlink)
    timer.start()
    assert Ledger(path).budgets() == ("people",)
    timer.join()


# --- places -----------------------------------------------------------------------------------------------------------


def test_a_ledger_is_bound_to_no_place(path, tmp_path):
    Ledger(path).charge("people", question())
    for folder in ("copied", "moved"):
        (tmp_path / folder).mkdir()
    shutil.copy(path, tmp_path / "copied" / "other.ledger")
    path.rename(tmp_path / "moved" / path.name)
    for place in (tmp_path / "copied" / "other.ledger", tmp_path / "moved" / path.name):
        assert Ledger(place).charge("people", question("x")).charge.number == 3


def test_mounts_are_read(monkeypatch, tmp_path):
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "36 35 98:0 /mnt1 /data rw,noatime master:1 - ext3 /dev/root rw\n"
        "37 35 98:0 /x /with\\040blank\\134/people.ledger rw - ext4 /dev/vda rw\n"
    )
    monkeypatch.setattr(sqlite_file, "_MOUNTS", mounts)
    assert is_mounted_alone(Path("/with blank\\/people.ledger"))
    assert not is_mounted_alone(Path("/data/people.ledger"))
    monkeypatch.setattr(sqlite_file, "_MOUNTS", tmp_path / "nothing")
    assert not is_mounted_alone(Path("/data"))


TEXT = {"capture_output": True, "text": True}
MOUNTED = """
import sys
from hushcount.ledger import Ledger
print(Ledger(sys.argv[1]).budgets())
"""


@pytest.mark.slow
def test_the_folder_is_mounted_and_not_the_file(path, tmp_path):
    target = tmp_path / "target"
    target.mkdir()
    (target / path.name).touch()

    def opened(*mounted):
        command = 'mount --bind "$1" "$2" && exec "$3" -c "$4" "$5"'
        arguments = [*map(str, mounted), sys.executable, MOUNTED, str(target / path.name)]
        return subprocess.run(["unshare", "-m", "sh", "-c", command, "sh", *arguments], check=False, **TEXT)  # type: ignore[call-overload]

    if shutil.which("unshare") is None or opened(path.parent, target).returncode:
        pytest.skip("nothing can be mounted here")
    assert opened(path.parent, target).stdout == "('people',)\n"
    assert "is mounted by itself" in opened(path, target / path.name).stderr


# --- what lies beside it ----------------------------------------------------------------------------------------------


def test_a_write_ahead_log_is_refused(path):
    path.with_name(f"{path.name}-wal").write_bytes(b"x" * 100)
    refused(path, r"has a write-ahead log beside it \(people.ledger-wal\)")


def test_another_mode_is_refused(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = wal")
    refused(path, "is in the mode WAL, which it was not made with")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = delete")
    assert Ledger(path).verify().is_intact


@pytest.mark.parametrize("kind", ["journal", "wal"])
def test_none_is_made_beside_what_another_left(file, kind):
    left = Path(f"{file}-{kind}")
    left.write_bytes(b"x")
    with pytest.raises(LedgerUnusable, match=f"cannot be created: people.ledger-{kind} is left of another file"):
        create_budget(file, "people", 1)
    assert os.listdir(left.parent) == [left.name]


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("elsewhere")])
def test_a_journal_that_is_no_file(path, make):
    journal = path.with_name(f"{path.name}-journal")
    make(journal)
    with pytest.raises(LedgerUnusable, match="has a journal beside it that is not of its last write"):
        Ledger(path)
    assert os.path.lexists(journal)
