"""What the command does when something is wrong: one line, the right exit code, no data."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import hushcount.release.subject
from hushcount.cli.exit_codes import EXIT_CODES, OUTPUT_LOST, SAYS_NO

ROOT = Path(__file__).resolve().parents[2]
SECRET = "Bob has 12 visits"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,name\n70,Ann\n30,Bob\n65,Cid\n")
    return path


@pytest.fixture
def broken(monkeypatch, table, run):
    """Runs a release whose counting does what is given to it."""

    def broken(action):
        monkeypatch.setattr(hushcount.release.subject, "OpenTable", lambda *_, **__: action())
        return run("release", table, "--where", "age > 1", "--epsilon", 1)

    return broken


def raiser(error):
    def action():
        raise error

    return action


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "missing command (see 'hushcount --help')"),
        (["count"], "no such command 'count' (see 'hushcount --help')"),
        (
            ["explain", "--n", "3"],
            "what is promised is missing: one of --epsilon (with --delta), --mu,",
        ),
        (["release", "x.csv", "--epsilon", "1"], "missing option '--where' (see 'hushcount release --help')"),
        (["release", "--where", "a", "--epsilon", "1"], "no source: give a file as SOURCE, or an address as --source"),
        (["release", "--where", "a", "--epsilon", "1", "--budget", "b"], "--ledger must be given where a budget"),
        (["table", "--by", "a", "--keys", "b", "--epsilon", "1", "--fresh"], "--ledger must be given where a budget"),
        (["explain", "--n"], "option '--n' requires an argument"),
        (["explain", "--n", "3", "--epsilon", "1", "--seed", "7"], "no such option: --seed"),
        (["release", "x.csv", "--where", "a", "--epsilon", "1", "--seed", "7"], "no such option: --seed"),
        (["explain", "--json=yes", "--n", "3", "--epsilon", "1"], "option '--json' does not take a value"),
        (["explain", "3", "--n", "3", "--epsilon", "1"], "got unexpected extra argument(s) (3)"),
        (["--nonsense\nsecond line"], "no such option: --nonsense"),
    ],
)
def test_wrong_usage_is_one_line(run, arguments, message):
    assert run(*arguments).fails_with(2).startswith(message)


@pytest.mark.slow
def test_wrong_usage_in_a_process(shell):
    assert shell("explain", "--n", "-3", "--epsilon", "1").fails_with(2).startswith("--n must be")
    assert shell("release").fails_with(2).startswith("missing option '--where'")
    assert shell("release", "nowhere.csv", "--where", "a > 1", "--epsilon", "-1").fails_with(2).startswith("--epsilon")


@pytest.mark.parametrize("kind", [ValueError, KeyError, OSError, RuntimeError, RecursionError, MemoryError])
def test_an_unforeseen_error_tells_its_type_only(broken, kind):
    message = broken(raiser(kind(SECRET))).fails_with(70)
    assert message == f"stopped by an unexpected {kind.__name__}, which is a fault in hushcount"


def test_a_missing_library_is_named(broken):
    error = ModuleNotFoundError("No module named 'duckdb'", name="duckdb")
    assert broken(raiser(error)).fails_with(70) == "the installation is incomplete: duckdb cannot be imported"


def test_interrupt(broken):
    assert broken(raiser(KeyboardInterrupt())).fails_with(130) == "interrupted"


def test_chatter_of_libraries_is_not_passed_on(broken):
    def chatter():
        print(SECRET)
        warnings.warn(SECRET, RuntimeWarning, stacklevel=1)
        raise ValueError(SECRET)

    assert "Bob" not in broken(chatter).fails_with(70)


def test_controls_in_a_message_are_escaped_and_lines_are_not_repeated(run):
    def message(epsilon):
        return run("explain", "--n", "3", "--epsilon", epsilon).fails_with(2)

    assert "\\x1b[31m" in message("\x1b[31m")
    assert message("\x1b[31m\nsecond").endswith("(got a text of several lines)")


def test_undecodable_arguments_are_refused_before_the_draw(run, table):
    message = run("release", table, "--where", "name = 'a\udc80'", "--epsilon", 1).fails_with(2)
    assert message.startswith("--where must be ")


def test_lost_output_has_a_code_of_its_own():
    assert OUTPUT_LOST == os.EX_IOERR == 74


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["explain", "--n", "9", "--epsilon", "1"],
        ["release", "--help"],
        ["audit", "examples/matrix.csv", "--epsilon", "0"],
    ],
)
def test_a_closed_pipe_is_no_traceback(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "hushcount", *arguments]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False, cwd=ROOT)
    os.close(writing)
    assert (done.returncode, done.stderr) == (OUTPUT_LOST, b"")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [["explain", "--n", "9", "--epsilon", "1"], ["--help"]])
def test_a_full_output_is_one_line(arguments):
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "hushcount", *arguments]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == OUTPUT_LOST
    assert done.stderr == "hushcount: error: standard output could not be written: No space left on device\n"


OUTCOMES = [
    (["explain", "--n", "9", "--epsilon", "1"], 0),
    (["audit", "examples/matrix.csv", "--epsilon", "1"], 0),
    (["audit", "examples/matrix.csv", "--epsilon", "0"], SAYS_NO),
    (["nosuch"], 2),
    (["audit", "nosuch.csv"], 3),
]
"""Command lines and their codes, whoever listens."""


def outcome_with(standard_error, arguments, **given):
    command = [sys.executable, "-m", "hushcount", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=standard_error, check=False, cwd=ROOT, **given)


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "code"), OUTCOMES)
def test_standard_error_that_cannot_be_written_changes_no_code(arguments, code):
    heard = outcome_with(subprocess.PIPE, arguments)
    assert heard.returncode == code
    reading, writing = os.pipe()
    os.close(reading)
    broken = outcome_with(writing, arguments)
    os.close(writing)
    assert (broken.returncode, broken.stdout) == (code, heard.stdout)
    closed = outcome_with(None, arguments, preexec_fn=lambda: os.close(2))
    assert (closed.returncode, closed.stdout) == (code, heard.stdout)
    if Path("/dev/full").exists():
        with open("/dev/full", "wb") as full:
            outcome = outcome_with(full, arguments)
        assert (outcome.returncode, outcome.stdout) == (code, heard.stdout)


def test_a_pipe_that_takes_both_and_reads_nothing():
    command = 'set -o pipefail; "$0" -m hushcount nosuch 2>&1 | true'
    assert subprocess.run(["bash", "-c", command, sys.executable], check=False).returncode == 2


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(("arguments", "code"), OUTCOMES)
def test_when_neither_can_be_written_standard_output_counts(arguments, code):
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "hushcount", *arguments]
        done = subprocess.run(command, stdout=full, stderr=full, check=False, cwd=ROOT)
    assert done.returncode == (OUTPUT_LOST if code < 2 else code)


@pytest.mark.parametrize("error", [SystemExit(1), GeneratorExit(), BaseException(SECRET), ValueError(SECRET)])
def test_no_crash_has_the_code_of_a_check(broken, error):
    message = broken(raiser(error)).fails_with(70)
    assert message == f"stopped by an unexpected {type(error).__name__}, which is a fault in hushcount"


@pytest.mark.parametrize(
    ("befalls", "code", "message"),
    [
        ("raise KeyboardInterrupt", 130, "interrupted"),
        ("raise ImportError('x', name='typer')", 70, "the installation is incomplete: typer cannot be imported"),
        ("1 / 0", 70, "stopped by an unexpected ZeroDivisionError, which is a fault in hushcount"),
    ],
)
def test_what_befalls_the_imports_is_one_line(befalls, code, message, tmp_path):
    """Nothing is there yet that could make one of it, but for what `hushcount.cli` is light enough to bring along."""
    (tmp_path / "typer.py").write_text(befalls)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    command = [sys.executable, "-m", "hushcount", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", f"hushcount: error: {message}\n")


def test_the_code_of_a_check_is_in_no_other_place():
    """In the source: only these commands answer with it."""
    users = {path.stem for path in (ROOT / "src/hushcount").rglob("*.py") if "SAYS_NO" in path.read_text()}
    assert users == {"exit_codes", "audit", "check", "verify", "paper"}
    assert EXIT_CODES[SAYS_NO].startswith("The check that was asked for says no; nothing else has this code.")


@pytest.mark.slow
def test_text_that_the_terminal_cannot_spell(shell, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("name\nRené\n", encoding="utf-8")
    arguments = ["release", path, "--where", "name = 'René'", "--epsilon", "1"]
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    assert "name = 'Ren\\xe9'" in shell(*arguments, environment=ascii_only).succeeds()
    assert "name = 'René'" in shell(*arguments, environment={"PYTHONIOENCODING": "utf-8"}).succeeds()
