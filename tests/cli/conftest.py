"""How the tests of the command run it: in this process, or as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from hushcount.cli import main


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    def fails_with(self, code: int) -> str:
        """The message, once it is known to be the only thing that was said."""
        assert (self.code, self.out) == (code, ""), self
        prefix, message = self.err[:18], self.err[18:]
        assert prefix == "hushcount: error: "
        assert message.endswith("\n")
        assert message.rstrip("\n").isprintable(), "more than one line"
        return message.rstrip("\n")

    def succeeds(self) -> str:
        assert (self.code, self.err) == (0, ""), self
        return self.out


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """The command in this process."""

    def run(*arguments: object) -> Outcome:
        code = main([str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    return run


@pytest.fixture
def shell() -> Callable[..., Outcome]:
    """The command as a process of its own."""

    def shell(*arguments: object, environment: Mapping[str, str] | None = None) -> Outcome:
        command = [sys.executable, "-m", "hushcount", *map(str, arguments)]
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", env={**os.environ, **(environment or {})}, check=False
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return shell
