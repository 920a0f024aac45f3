"""`hushcount release --ledger`, killed, interrupted or failing: nothing is shown that was not charged."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import broken_release
import pytest
from broken_release import broken

from hushcount.cli.exit_codes import OUTPUT_LOST
from hushcount.ledger import Basis, Ledger, create_budget

STEPS = tuple(broken_release.STEPS)
NOTHING, CHARGED, DELIVERED = "nothing", "charged, not delivered", "delivered"
NOTES = {
    NOTHING: "",
    CHARGED: f"hushcount: note: {Basis.PAID_BEFORE.value}\n",
    DELIVERED: f"hushcount: note: {Basis.STORED.value}\n",
}


def state_at(step, when):
    """What the ledger must say when everything ends there."""
    done = 2 * STEPS.index(step) + (when == "after")
    if done < 2 * STEPS.index("charge") + 1:
        return NOTHING
    return CHARGED if done < 2 * STEPS.index("store") + 1 else DELIVERED


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "people.ledger"
    create_budget(path, "people", 1)
    return str(path)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,name\n" + "70,Ann\n" * 50 + "30,Bob\n" * 50)
    return path


def release(table, ledger, *more):
    return [
        "release",
        *map(str, (table, "--where", "age >= 65", "--epsilon", "0.3")),
        *("--ledger", str(ledger), "--budget", "people", "--request-id", "r", "--json", *more),
    ]


def state(ledger):
    charges = Ledger(ledger).history("people")
    assert len(charges) <= 1
    return charges[0].state if charges else NOTHING


def goes_on(run, arguments, ledger, before):
    """The same request again: the stored answer if there is one, and never a second charge."""
    stored = [charge.released for charge in Ledger(ledger).history("people")]
    again = run(*arguments)
    assert (again.code, again.err) == (0, NOTES[before])
    released = json.loads(again.out)["released"]
    assert before != DELIVERED or stored == [released]
    (charge,) = Ledger(ledger).history("people")
    assert (charge.state, charge.released, charge.request_id) == (DELIVERED, released, "r")
    assert Ledger(ledger).budget("people").left.epsilon == Fraction(7, 10)
    assert Ledger(ledger).verify().is_intact
    return released


@pytest.mark.slow
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_killed(run, table, place, step, when):
    create_budget(place, "people", 1)
    arguments = release(table, place)
    done = broken(step, when, "kill", arguments)
    assert (done.returncode, done.stderr) == (-9, "")
    assert state(place) == state_at(step, when)
    assert bool(done.stdout) == ((step, when) == ("output", "after"))
    released = goes_on(run, arguments, place, state_at(step, when))
    assert not done.stdout or json.loads(done.stdout)["released"] == released


@pytest.mark.slow
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_interrupted(run, table, file, step, when):
    arguments = release(table, file)
    done = broken(step, when, "interrupt", arguments)
    assert (done.returncode, done.stderr) == (130, "hushcount: error: interrupted\n")
    assert state(file) == state_at(step, when)
    assert bool(done.stdout) == ((step, when) == ("output", "after"))
    goes_on(run, arguments, file, state_at(step, when))


@pytest.mark.slow
@pytest.mark.parametrize("step", ["charge", "store"])
def test_the_disk_of_the_ledger_is_full(run, table, file, step):
    arguments = release(table, file)
    done = broken(step, "before", "full disk", arguments)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"hushcount: error: the ledger {file} cannot be ")
    assert done.stderr.count("\n") == 1
    assert state(file) == state_at(step, "before")
    goes_on(run, arguments, file, state_at(step, "before"))


@pytest.mark.slow
def test_a_ledger_that_is_write_protected(run, table):
    folder = Path(tempfile.mkdtemp())  # one that others may enter
    try:
        ledger = folder / "people.ledger"
        create_budget(ledger, "people", 1)
        ledger.chmod(0o444)
        folder.chmod(0o555)
        done = broken("charge", "before", "nobody", release(table, ledger))
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr == f"hushcount: error: the ledger {ledger} is write-protected\n"
        assert state(ledger) == NOTHING
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_standard_output_is_full(run, table, file):
    arguments = release(table, file)
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "hushcount", *arguments]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == OUTPUT_LOST
    assert done.stderr == "hushcount: error: standard output could not be written: No space left on device\n"
    goes_on(run, arguments, file, DELIVERED)


@pytest.mark.slow
def test_standard_output_is_a_closed_pipe(run, table, file):
    arguments = release(table, file)
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "hushcount", *arguments]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (OUTPUT_LOST, b"")
    goes_on(run, arguments, file, DELIVERED)


def test_the_receipt_cannot_be_written(run, table, file, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        message = run(*release(table, file), "--output", tmp_path / "receipt.json").fails_with(2)
    assert message == (
        "the receipt could not be written, and is kept in the ledger: ask again with --request-id r: No space left on "
        "device"
    )
    assert not (tmp_path / "receipt.json").exists()
    arguments = release(table, file, "--output", str(tmp_path / "receipt.json"))
    released = goes_on(run, arguments, file, DELIVERED)
    assert json.loads((tmp_path / "receipt.json").read_text())["released"] == released
