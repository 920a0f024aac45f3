"""`-` as a source: standard input, kept in a private file until the command ends."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from hushcount.cli.standard_input import remove_spooled, spooled
from hushcount.errors import BadUse

_ASKED = ("--where", "a = 1", "--epsilon", "1", "--json")


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Put bytes on standard input, and keep temporary files in a folder of the test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))

    def piped(content: bytes) -> Path:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        return folder

    return piped


def test_it_is_counted_and_leaves_nothing(run: Any, pipe: Any) -> None:
    folder = pipe(b"a\n1\n2\n")
    outcome = run("release", "-", *_ASKED)
    assert outcome.code == 0
    assert '"source": "standard input"' in outcome.out
    assert list(folder.iterdir()) == []


def test_any_format_can_be_piped(run: Any, pipe: Any) -> None:
    pipe(b'{"a": 1}\n{"a": 2}\n')
    assert run("release", "-", *_ASKED).code == 0


def test_an_error_leaves_nothing(run: Any, pipe: Any) -> None:
    for content, where in ((b"a\n1,2\n", "a = 1"), (b"a\n1\n", "b = 1"), (b"", "a = 1")):
        folder = pipe(content)
        assert run("release", "-", "--where", where, "--epsilon", "1").code != 0
        assert list(folder.iterdir()) == []


def test_only_its_owner_can_read_it(pipe: Any) -> None:
    pipe(b"a\n1\n")
    place = spooled()
    try:
        assert os.stat(place.text).st_mode & 0o777 == 0o600
        assert os.stat(os.path.dirname(place.text)).st_mode & 0o777 == 0o700
        with pytest.raises(BadUse, match="one source only"):
            spooled()
    finally:
        remove_spooled()
    assert not os.path.exists(os.path.dirname(place.text))


def test_a_ledger_knows_it_by_its_name(run: Any, pipe: Any, tmp_path: Path) -> None:
    ledger = ("--ledger", str(tmp_path / "ledger.db"), "--budget", "b")
    created = run("budget", "create", "b", "--ledger", ledger[1], "--epsilon", "5", "--protects", "row")
    assert created.code == 0
    pipe(b"a\n1\n")
    outcome = run("release", "-", *_ASKED, *ledger)
    assert outcome.code == 2
    assert "--source-name must be given with a ledger" in outcome.err
    pipe(b"a\n1\n")
    assert '"source": "visits-2026"' in run("release", "-", "--source-name", "visits-2026", *_ASKED, *ledger).out
    pipe(b"a\n1\n")
    listed = run("budget", "source", "add", "b", "--source", "-", "--source-name", "listed", "--ledger", ledger[1])
    assert listed.code == 0, listed.err
    pipe(b"a\n1\n")
    assert run("release", "-", "--source-name", "visits-2027", *_ASKED, *ledger).code == 2
    pipe(b"a\n1\n1\n")
    assert run("release", "-", "--source-name", "listed", *_ASKED, *ledger).code == 0


def test_it_can_be_the_first_source_of_a_budget(run: Any, pipe: Any, tmp_path: Path) -> None:
    create = ("budget", "create", "b", "--ledger", str(tmp_path / "ledger.db"), "--epsilon", "5", "--source", "-")
    pipe(b"a\n1\n")
    assert "--source-name must be given with a ledger" in run(*create).fails_with(2)
    assert not (tmp_path / "ledger.db").exists()
    pipe(b"a\n1\n")
    assert "Source      listed: one row is one" in run(*create, "--source-name", "listed").succeeds()
    ledger = ("--ledger", str(tmp_path / "ledger.db"), "--budget", "b")
    pipe(b"a\n1\n1\n")
    assert run("release", "-", "--source-name", "listed", *_ASKED, *ledger).code == 0
    alone = run("budget", "create", "c", *create[3:-2], "--protects", "row", "--source-name", "x")
    assert "--source-name must be left out without a source" in alone.fails_with(2)


def test_a_file_needs_no_name(run: Any, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n")
    outcome = run("release", tmp_path / "t.csv", "--source-name", "x", *_ASKED)
    assert outcome.code == 2
    assert "--source-name must be left out" in outcome.err


_HEEDING_SIGNALS = """
import resource, runpy, signal
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("hushcount", run_name="__main__")
"""
"""Whoever runs the tests may ignore some signals (nohup), and processes inherit that."""


@pytest.mark.slow
def test_a_signal_leaves_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _HEEDING_SIGNALS, "release", "-", *_ASKED]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT):
        with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment, stderr=subprocess.DEVNULL) as process:
            assert process.stdin is not None
            process.stdin.write(b"a\n1\n")
            process.stdin.flush()
            for _ in range(600):
                if any(tmp_path.iterdir()):
                    break
                time.sleep(0.1)
            assert any(tmp_path.iterdir())
            process.send_signal(number)
            assert process.wait(60) != 0
        assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_what_a_killed_command_leaves_the_next_one_removes(run: Any, pipe: Any) -> None:
    """But not what a command that lives still needs, nor other folders."""
    folder = pipe(b"a\n1\n")
    others = [folder / "hushcount-0123", folder / ("hushcount-" + "g" * 32)]
    for other in others:
        other.mkdir()
    environment = {**os.environ, "TMPDIR": str(folder)}
    killed = (
        "import os, signal, hushcount.cli.standard_input as spooling\n"
        "spooling.copyfileobj = lambda data, file, _: (file.write(data.read()), file.flush(), {})\n"
        "spooling.spooled()\n"
    )
    waiting = "print(flush=True), signal.pause()"
    command = [sys.executable, "-c", killed.format(waiting)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as alive:
        assert alive.stdin is not None
        assert alive.stdout is not None
        alive.stdin.close()
        alive.stdout.readline()
        kept = {*others, *folder.iterdir()}
        assert len(kept) == 3
        dead = [sys.executable, "-c", killed.format("os.kill(os.getpid(), signal.SIGKILL)")]
        assert subprocess.run(dead, input=b"a\n1\n", env=environment, check=False).returncode == -signal.SIGKILL
        assert len(set(folder.iterdir()) - kept) == 1
        assert run("release", "-", *_ASKED).code == 0
        assert set(folder.iterdir()) == kept
        alive.kill()


_SQLITE = b"SQLite format 3\0" + b"\1" * 100


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "standard input is empty"),
        (b"%PDF-1.7", "standard input is a PDF"),
        (b"a,b\n1,2\n\n3,4\n", "standard input: line 3 is blank"),
        (b"a\n\xff\n", "standard input: line 2 is not valid"),
        (b"a,\n1,2\n", "standard input: the header has no name"),
        (b"a\n1\n1,2\n", "standard input: line 3 has 2 fields"),
        (b'{"a": 1}\n{"a"}\n', "standard input: line 2 is not one JSON object"),
        (b"{}\n", "standard input holds no row"),
        (_SQLITE, "standard input cannot be read as a SQLite file"),
        (b"PAR1", "standard input"),
        (b"ARROW1\0\0", "standard input cannot be read as an Arrow file"),
        (b"\0" * 8 + b"DUCK", "standard input cannot be opened as a DuckDB file"),
        (b"<stata_dta>", "standard input cannot be read"),
        (b"PK\3\4", "standard input is a zip archive, and a damaged one"),
        (b"\x1f\x8b\x08", "standard input: the gzip data is damaged"),
    ],
)
def test_errors_name_it_and_never_its_copy(run: Any, pipe: Any, content: bytes, said: str) -> None:
    folder = pipe(content)
    outcome = run("release", "-", *_ASKED)
    assert outcome.code == 3
    assert said in outcome.err
    assert str(folder) not in outcome.err


def test_neither_do_errors_about_a_workbook(run: Any, pipe: Any) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("xl/workbook.xml", "")
    folder = pipe(content.getvalue())
    outcome = run("release", "-", *_ASKED)
    assert "standard input cannot be read as an Excel file" in outcome.err
    assert str(folder) not in outcome.err
