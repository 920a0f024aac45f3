"""A ledger whose writer was killed at any write, under the names and in the places that people give it since.

What was shown is there afterwards, or the ledger is refused and nothing is changed.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from contextlib import closing, suppress
from pathlib import Path

import pytest
from ledgers import in_a_process, question, receipt, watch_a_release, watch_an_opening

from hushcount.errors import LedgerUnusable
from hushcount.ledger import Ledger, create_budget, store
from hushcount.ledger.sqlite import journals

pytestmark = pytest.mark.slow

NAME, JOURNAL = "people.ledger", "people.ledger-journal"

# --- what a killed writer leaves --------------------------------------------------------------------------------------


def filled(folder, charges):
    """A ledger that is as old as so many charges, and the request ids of these."""
    folder.mkdir()
    create_budget(folder / NAME, "people", 1000)
    ledger = Ledger(folder / NAME)
    for number in range(charges):
        ledger.charge("people", question(f"{folder.name} {'x' * 300} {number}"), f"old {number}")
    return folder / NAME


@pytest.fixture(scope="module", params=[1, 40], ids=["small", "large"])
def watched(request, tmp_path_factory):
    """The states of a ledger's folder during a release, which is two commits, from the first one on in which SQLite
    would play a journal back; and how many charges there were before."""
    path = filled(tmp_path_factory.mktemp("watched") / "data", request.param)
    states = in_a_process(watch_a_release, str(path))
    if not states:
        pytest.skip("this system does not let a process watch another one")
    return [state for state in states if state.get(JOURNAL, b"\0")[:1] not in (b"", b"\0")], request.param


@pytest.fixture
def killed(watched, tmp_path):
    """Folders, each as a writer that was killed left it, with what was charged before."""
    states, charges = watched
    assert len(states) > 12
    made = []
    for number, state in enumerate(states):
        folder = tmp_path / f"killed {number}"
        folder.mkdir()
        for name, content in state.items():
            (folder / name).write_bytes(content)
        made.append((folder, {f"old {number}" for number in range(charges)}))
    return made


def test_sqlite_alone_takes_a_write_back_in_each_state(killed):
    """So that the tests below are about something."""
    taken_back = set()
    for folder, _ in killed:
        taken_back.add(len(requests(folder / NAME)))
        assert os.listdir(folder) == [NAME]
    assert len(taken_back) == 2


# --- what is done to it -----------------------------------------------------------------------------------------------


def charge(path, requests, deliver=False):
    """Charges, or releases, under these request ids; those that were granted, and whether the ledger was refused."""
    shown = set()
    for request in requests:
        try:
            ledger = Ledger(path)
            if deliver:
                ledger.answer("people", question(request, "0.2"), lambda _: receipt(9), request)
            else:
                ledger.charge("people", question(request, "0.2"), request)
        except LedgerUnusable:
            return shown, True
        shown.add(request)
    return shown, False


def holds(path, shown):
    """Whether the ledger opens; then everything is there, and it goes on."""
    before = folder_state(path.parent)
    try:
        ledger = Ledger(path)
    except LedgerUnusable:
        assert folder_state(path.parent) == before, "refused, but changed"
        return False
    assert ledger.verify().is_intact
    assert shown <= {found.request_id for found in ledger.history("people")}
    assert charge(path, ["afterwards"]) == ({"afterwards"}, False)
    return True


def requests(path):
    """What SQLite itself reads."""
    with closing(sqlite3.connect(path)) as connection:
        return {request for (request,) in connection.execute("SELECT request FROM hushcount_entries")}


def folder_state(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def test_opened_again(killed):
    for folder, shown in killed:
        assert holds(folder / NAME, shown)
        assert os.listdir(folder) == [NAME]


def test_asked_again(killed):
    for folder, shown in killed:
        grant = Ledger(folder / NAME).answer("people", question("y" * 5000), lambda _: receipt(8), "broken off")
        assert grant.charge.released in (7, 8)
        assert holds(folder / NAME, {*shown, "broken off"})


def test_moved_and_copied_with_its_journal(killed, tmp_path):
    for folder, shown in killed:
        copy = shutil.copytree(folder, tmp_path / "elsewhere" / folder.name)
        assert holds(copy / NAME, shown)
        moved = folder.rename(tmp_path / f"moved {folder.name}")
        assert holds(moved / NAME, shown)


def test_by_a_symbolic_link(killed, tmp_path):
    for folder, shown in killed:
        link = tmp_path / f"link to {folder.name}" / NAME
        link.parent.mkdir()
        link.symlink_to(folder / NAME)
        more, refused = charge(link, ["a", "b"])
        assert not refused
        assert holds(link, shown | more)
        assert holds(folder / NAME, shown | more)


@pytest.mark.parametrize(("times", "deliver"), [(1, False), (1, True), (3, False)], ids=["1", "2", "3"])
def test_moved_away_from_its_journal_and_back(killed, times, deliver):
    """One, two and three commits in between, which is where the numbers of commits tell and where they do not."""
    kept = 0
    for folder, shown in killed:
        away = folder / "away.ledger"
        (folder / NAME).rename(away)
        more, _ = charge(away, [f"new {number}" for number in range(times)], deliver)
        away.rename(folder / NAME)
        kept += holds(folder / NAME, shown | more)
        if (folder / JOURNAL).exists():  # what the message advises
            (folder / JOURNAL).unlink()
            assert shown | more <= requests(folder / NAME)
    assert kept > 0


def test_without_a_look_at_the_journal_charges_are_lost(killed, monkeypatch):
    monkeypatch.setattr(journals, "settle", lambda *_: None)
    lost = 0
    for folder, _ in killed:
        away = folder / "away.ledger"
        (folder / NAME).rename(away)
        more, _ = charge(away, ["new 0", "new 1"])
        away.rename(folder / NAME)
        with suppress(LedgerUnusable):
            lost += not more <= {found.request_id for found in Ledger(folder / NAME).history("people")}
    assert lost > 0


def test_its_journal_moved_away_and_back(killed):
    for folder, shown in killed:
        (folder / JOURNAL).rename(folder / "kept")
        more, _ = charge(folder / NAME, ["new"])
        if not (folder / JOURNAL).exists():
            (folder / "kept").rename(folder / JOURNAL)
        holds(folder / NAME, shown | more)


def test_a_second_name(killed):
    for folder, shown in killed:
        second = folder / "second.ledger"
        second.hardlink_to(folder / NAME)
        before = folder_state(folder)
        for path in (folder / NAME, second):
            with pytest.raises(LedgerUnusable, match="has a second name"):
                Ledger(path)
        assert folder_state(folder) == before
        second.unlink()
        assert holds(folder / NAME, shown)


def test_written_under_the_second_name_alone(killed):
    for folder, shown in killed:
        second = folder / "second.ledger"
        second.hardlink_to(folder / NAME)
        (folder / NAME).unlink()
        more, _ = charge(second, ["new"])
        (folder / NAME).hardlink_to(second)
        assert charge(folder / NAME, ["x"]) == charge(second, ["x"]) == (set(), True)
        second.unlink()
        holds(folder / NAME, shown | more)


@pytest.mark.parametrize("charges", [0, 1, 2, 41])
def test_another_ledger_in_its_place(killed, tmp_path, charges):
    other = filled(tmp_path / "other", charges)
    for folder, _ in killed:
        shutil.copy(other, folder / NAME)
        holds(folder / NAME, {f"old {number}" for number in range(charges)})


def test_an_older_copy_in_its_place(killed, tmp_path):
    """It has lost what came after it, which only a noted head tells; but it is not mixed up with the journal."""
    older = filled(tmp_path / "older", 1)
    for folder, _ in killed:
        shutil.copy(older, folder / NAME)
        holds(folder / NAME, {"old 0"})


def test_a_new_ledger_in_its_place(killed):
    for folder, _ in killed:
        (folder / NAME).unlink()
        with pytest.raises(LedgerUnusable, match=f"{JOURNAL} is left of another file of that name; move it away"):
            create_budget(folder / NAME, "people", 1)
        assert os.listdir(folder) == [JOURNAL]


def test_what_is_no_journal(killed):
    """SQLite would delete it silently."""
    for folder, shown in killed[-1:]:
        for content in (
            b"notes",
            b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7",
            b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\xff" * 504,
        ):
            (folder / JOURNAL).write_bytes(content)
            holds(folder / NAME, shown)


def test_in_a_folder_that_cannot_be_written(killed, monkeypatch):
    """Nobody can look, so nothing is played back; but a writer that is alive is waited for."""

    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(journals.os, "link", refuse)  # type: ignore[attr-defined]
    monkeypatch.setattr(store, "BUSY_SECONDS", 0.1)
    folder, shown = killed[-1]
    assert not holds(folder / NAME, shown)
    timer = threading.Timer(0.05, (folder / JOURNAL).unlink)
    monkeypatch.setattr(store, "BUSY_SECONDS", 60)
    timer.start()
    assert holds(folder / NAME, shown)
    timer.join()


def test_killed_again_while_the_journal_is_settled(killed, tmp_path):
    """The link that is made for a moment is taken away by the next who opens the ledger."""
    links = 0
    for folder, shown in (killed[0], killed[len(killed) // 2 - 1], killed[-1]):
        again = in_a_process(watch_an_opening, str(folder / NAME))
        assert len(again) > 2
        for number, state in enumerate(again):
            left = tmp_path / f"{folder.name} again {number}"
            left.mkdir()
            for name, content in sorted(state.items(), reverse=True):
                if name.startswith(".hushcount-"):
                    assert content == state[NAME]
                    (left / name).hardlink_to(left / NAME)
                    links += 1
                else:
                    (left / name).write_bytes(content)
            assert holds(left / NAME, shown)
            assert os.listdir(left) == [NAME]
    assert links > 0
