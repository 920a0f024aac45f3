"""What a shell completes, and how completion is installed: in bash, as a user's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="needs bash")


@pytest.fixture
def bash(tmp_path):
    """Runs lines in bash, with the command in its path and a home of its own."""
    command = tmp_path / "bin" / "hushcount"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hushcount "$@"\n')
    command.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    path = os.pathsep.join([str(command.parent), os.environ["PATH"]])

    def bash(lines):
        return subprocess.run(
            [BASH, "--norc"],
            input=lines,
            env={**os.environ, "HOME": str(home), "PATH": path},
            cwd=home,
            capture_output=True,
            text=True,
            check=False,
        )

    return bash


def completed(bash, *lines):
    """What is offered for the last word of each line of words; one process of bash for all."""
    asked = [
        f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _hushcount_completion hushcount; "
        'echo "${COMPREPLY[@]}"\n'
        for words in lines
    ]
    done = bash("".join(["source <(hushcount --show-completion)\n", *asked]))
    assert (done.returncode, done.stderr) == (0, "")
    return [line.split() for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_commands_and_options_are_completed(bash):
    commands, inner, options, twice, unknown, free, value = completed(
        bash,
        "hushcount re",
        "hushcount budget source ''",
        "hushcount release people.csv --e",
        "hushcount release --epsilon 1 --epsilon 2 --re",
        "hushcount nosuch re",
        "hushcount audit mat",
        "hushcount explain --epsilon 1",
    )
    assert commands == ["release", "report"]
    assert inner == ["add", "list", "check"]
    assert options == ["--encoding", "--epsilon", "--explain"]
    assert twice == ["--request-id"]
    assert unknown == ["release", "report"]
    assert free == value == []  # bash then offers files


def test_installed(bash, tmp_path):
    done = bash("hushcount --install-completion; true")
    assert (done.returncode, done.stderr) == (0, "")
    script = tmp_path / "home" / ".bash_completions" / "hushcount.sh"
    assert done.stdout.startswith(f"bash completion installed in {script}\n")
    assert f"source '{script}'" in (tmp_path / "home" / ".bashrc").read_text()
    assert script.read_text() == bash("hushcount --show-completion; true").stdout.rstrip("\n")


def test_where_it_cannot_be_installed(bash):
    done = bash("HOME=/dev/null hushcount --install-completion; true")
    assert done.stdout == ""
    assert done.stderr.startswith("hushcount: error: completion could not be installed: ")
    done = bash("HOME=/dev/null hushcount --install-completion")
    assert done.returncode == 2


def test_an_unknown_shell(run, monkeypatch):
    monkeypatch.setattr("typer._completion_shared._get_shell_name", lambda: "tcsh")
    assert run("--install-completion").fails_with(2).startswith("completion is there for bash, zsh, fish")


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["complete_bash", "complete_nosuch", "source_bash", "complete_", "1", ""])
def test_the_variable_of_a_shell_takes_no_command_over(shell, asked):
    """Which a shell sets for a command without arguments; incomplete, it has no answer, and no error."""
    environment = {"_HUSHCOUNT_COMPLETE": asked}
    assert shell("--version", environment=environment).succeeds().startswith("hushcount ")
    alone = shell(environment=environment)
    if asked in ("complete_bash", "complete_nosuch"):
        assert alone.succeeds() == ""
    else:
        assert alone.fails_with(2).startswith("missing command")
