"""What a terminal shows while a command works: that it goes on, after a while, and nothing in pipes."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from hushcount.cli import entry, progress

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a terminal of POSIX")


@pytest.fixture
def terminal(monkeypatch):
    """Standard error is a terminal within it; what was shown there is added to the list that it gives."""

    @contextmanager
    def terminal():
        above, below = pty.openpty()
        monkeypatch.setenv("TERM", "xterm")
        shown = []
        with os.fdopen(below, "w") as screen, monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", screen)
            yield shown
            os.set_blocking(above, False)
            try:
                while some := os.read(above, 10_000):
                    shown.append(some.decode())
            except BlockingIOError:
                pass
        os.close(above)

    return terminal


def test_after_a_while_the_time_is_shown_and_is_gone_at_the_end(terminal, monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", 0.1)
    with terminal() as shown, progress.sign_of_life():
        time.sleep(1.2)
    screen = "".join(shown)
    assert "0:00:01" in screen
    assert screen.rstrip().endswith("\x1b[2K")  # the line is erased


def test_before_that_nothing_is_shown(terminal):
    with terminal() as shown, progress.sign_of_life():
        time.sleep(0.1)
    assert shown == []


def test_a_bar_that_knows_more_takes_its_place(terminal, monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", 0.01)
    with terminal() as shown, progress.sign_of_life():
        with progress.progress_bar("points") as show:
            time.sleep(0.5)
            show(1, 2, "")
        time.sleep(0.5)
    screen = "".join(shown)
    before, _, after = screen.partition("1/2")
    assert "0:00:00" in before
    assert "points" in after
    assert "0:00:00" not in after


def test_every_command_shows_it(terminal, monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", 0.01)

    def slow(*_, **__):
        time.sleep(0.7)
        return "told\n"

    monkeypatch.setattr(entry, "command", lambda: slow)
    with terminal() as shown:
        assert entry.main(["audit"]) == 0
    assert "0:00:00" in "".join(shown)


@pytest.mark.slow
def test_pipes_have_nothing_and_rich_is_not_loaded():
    code = (
        "import sys, time; from hushcount.cli import progress; progress._PATIENCE = 0.01\n"
        "with progress.sign_of_life(): time.sleep(0.5)\n"
        "assert 'rich' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
