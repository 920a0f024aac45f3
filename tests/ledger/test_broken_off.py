"""Releases that are broken off: the charge is there or nothing is, and nothing is ever shown that was not charged."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from fractions import Fraction

import pytest
from ledgers import (
    MAXIMUM,
    ONE_THREAD,
    PROCESSES,
    charge_without_end,
    create,
    in_a_process,
    question,
    receipt,
    release,
    run_into_full_disk,
)

from hushcount.errors import LedgerUnusable
from hushcount.ledger import Basis, Ledger, create_budget
from hushcount.ledger.location import store_at
from hushcount.ledger.sqlite import store as sqlite_store
from hushcount.ledger.store import Transaction

pytestmark = pytest.mark.slow


@pytest.fixture
def budget_file(file):
    create_budget(file, "people", 1)
    return Ledger(file)


def test_killed_at_every_step(budget, place):
    ledger = budget(100)
    step, states = 0, set()
    told: list[object] = []
    while "survived" not in told:
        request = f"r{step}"
        told = in_a_process(release, place, request, step)
        assert ledger.verify().is_intact
        charge = ledger.find("people", request)
        stored = None if charge is None else charge.released
        shown = [number for number in told if isinstance(number, int)]
        assert charge is not None or told == [], "drawn or shown uncharged"
        assert shown in ([], [stored]), "shown but not stored"
        states.add("nothing" if charge is None else charge.state)
        # The same request again: the same answer, or the first one; never another charge.
        again = ledger.answer("people", question(request, "0.3"), lambda _: receipt(MAXIMUM), request)
        assert again.charge.released == (MAXIMUM if stored is None else stored)
        found = ledger.budget("people")
        assert (found.charges, found.undelivered) == (step + 1, 0)
        assert found.left.epsilon == 100 - (step + 1) * Fraction(3, 10)
        step += 1
    assert states == {"nothing", "charged, not delivered", "delivered"}
    assert step > 40


def test_a_ledger_is_made_whole_or_not_at_all(place):
    step, made = 0, False
    while not made:
        told = in_a_process(create, place, step)
        made = store_at(place).exists()
        if made:
            assert Ledger(place).budgets() == ("people",)
            assert Ledger(place).verify().is_intact
        else:
            assert told == []
        step += 1
    assert step > 20


def test_killed_at_any_moment(budget, place):
    """Whatever was granted is there, also where the kill falls into a write."""
    ledger = budget(1)
    rng = random.Random(1)
    for _ in range(6):
        ours, theirs = PROCESSES.Pipe(duplex=False)
        process = PROCESSES.Process(target=charge_without_end, args=(place, theirs.send))
        process.start()
        theirs.close()
        killer = threading.Timer(0.3 + rng.random() / 2, os.kill, (ours.recv(), signal.SIGKILL))
        killer.start()
        granted = []
        try:
            while True:
                granted.append(ours.recv())
        except EOFError:
            process.join()
        assert ledger.verify().is_intact
        kept = {charge.request_id for charge in ledger.history("people")}
        assert set(granted) <= kept
        found = ledger.budget("people")
        assert found.left.epsilon == 1 - found.charges * Fraction(1, 10**6)
    assert found.charges > 6


def test_writers_at_once_that_are_killed_at_any_moment(budget, place):
    """The others go on, with no error, and nothing that was granted to any of them is lost."""
    ledger = budget(1)
    rng = random.Random(2)
    granted: list[str] = []

    def write_and_be_killed(charges, seconds):
        ours, theirs = PROCESSES.Pipe(duplex=False)
        process = PROCESSES.Process(target=charge_without_end, args=(place, theirs.send))
        with ONE_THREAD:
            process.start()
        theirs.close()
        writer = ours.recv()
        granted.extend(ours.recv() for _ in range(charges))
        time.sleep(seconds)
        os.kill(writer, signal.SIGKILL)
        with suppress(EOFError):
            while True:
                granted.append(ours.recv())
        with ONE_THREAD:
            process.join()
        assert process.exitcode == -signal.SIGKILL

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(write_and_be_killed, rng.randint(1, 5), rng.random() / 20) for _ in range(16)]:
            done.result()
    assert ledger.verify().is_intact
    assert len(granted) == len(set(granted)) >= 16
    kept = {charge.request_id for charge in ledger.history("people")}
    assert set(granted) <= kept
    assert len(kept) <= len(granted) + 16
    assert ledger.budget("people").left.epsilon == 1 - len(kept) * Fraction(1, 10**6)


def test_interrupted_at_every_step(budget, monkeypatch):
    """As with Ctrl-C, in this process, whose ledger goes on being used."""
    ledger = budget(100)
    step, interrupted = 0, True
    while interrupted:
        interrupted, steps = False, iter(range(step, -1, -1))

        def interrupt(transaction, statement, *, execute=Transaction.execute, steps=steps, **values):
            if next(steps, None) == 0:
                raise KeyboardInterrupt
            return execute(transaction, statement, **values)

        asked = question(f"id = {step}", "0.3")
        with monkeypatch.context() as patched:
            patched.setattr(Transaction, "execute", interrupt)
            try:
                ledger.answer("people", asked, lambda _: receipt(7))
            except KeyboardInterrupt:
                interrupted = True
        assert ledger.verify().is_intact
        assert ledger.answer("people", asked, lambda _: receipt(7)).answer == receipt(7)
        step += 1
        assert ledger.budget("people").left.epsilon == 100 - step * Fraction(3, 10)
    assert step > 10


def test_a_full_disk_while_charging(file, budget_file):
    (reason,) = in_a_process(run_into_full_disk, file, "charge")
    assert reason.startswith("cannot be ")
    assert budget_file.history("people") == ()
    assert budget_file.verify().is_intact
    assert budget_file.answer("people", question(), lambda _: receipt(7), "r").basis is Basis.CHARGED


def test_a_full_disk_while_delivering(file, budget_file):
    (reason,) = in_a_process(run_into_full_disk, file, "deliver")
    assert reason.startswith("cannot be ")
    assert [charge.state for charge in budget_file.history("people")] == ["charged, not delivered"]
    assert budget_file.verify().is_intact
    assert budget_file.answer("people", question(), lambda _: receipt(7), "r").basis is Basis.PAID_BEFORE


def test_a_database_that_may_not_grow(file, budget_file, monkeypatch):
    connect = sqlite_store.connect  # type: ignore[attr-defined]

    def without_room(path):
        connection = connect(path)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    for number in range(20):
        budget_file.charge("people", question(f"id = {number}", 0))
    monkeypatch.setattr(sqlite_store, "connect", without_room)
    full = Ledger(file)
    before = full.history("people")
    with pytest.raises(LedgerUnusable, match="cannot be written: its disk is full"):
        full.charge("people", question("x" * 9000, 0))
    assert full.history("people") == before
    assert full.verify().is_intact
