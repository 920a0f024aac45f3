"""The commands: what a start brings along, how they are listed, and how they show their options."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hushcount.cli.command import by_group
from hushcount.cli.options.groups import GROUPS
from hushcount.cli.tree import every_command, named

ROOT = Path(__file__).resolve().parents[2]
ALL = every_command()
LISTS = [words for words, one in ALL.items() if hasattr(one, "commands")]
COMMANDS = [words for words in ALL if words not in LISTS]

HEAVY = {
    "duckdb", "flint", "highspy", "ibis", "matplotlib", "numpy", "pandas", "pyarrow", "pydantic", "rich", "scipy",
    "sqlglot",
}  # fmt: skip


def loaded(*arguments):
    """The modules that a process has when the command has run."""
    program = (
        "import sys; from hushcount.cli import main; code = main(sys.argv[1:]); "
        "print(code, *sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True, cwd=ROOT
    )
    code, *modules = done.stderr.split()
    assert code == "0"
    return set(modules)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["--version", "--help", "release --help", "plot --help", "plot errors --help"])
def test_help_brings_no_library_along(arguments):
    modules = loaded(*arguments.split())
    assert not modules & HEAVY
    rooms = {name.split(".")[1] for name in modules if name.startswith("hushcount.")}
    assert rooms <= {"_version", "cli", "errors", "inputs", "words"}


@pytest.mark.slow
def test_only_the_command_that_runs_is_imported():
    modules = loaded("explain", "--n", "3", "--epsilon", "1")
    assert {name for name in modules if name.startswith("hushcount.cli.commands.")} == {
        "hushcount.cli.commands.explain"
    }
    assert modules & HEAVY == {"numpy", "flint"}


@pytest.mark.slow
def test_an_audit_takes_no_more_than_it_needs():
    modules = loaded("audit", "examples/matrix.csv", "--epsilon", "1")
    assert not modules & {"duckdb", "ibis", "matplotlib", "pandas", "pydantic", "scipy", "sqlglot"}


@pytest.mark.parametrize("words", LISTS)
def test_each_command_is_on_one_line_of_a_list(run, words):
    lines = run(*words.split()[1:], "--help").succeeds().splitlines()
    listed = lines[lines.index("Commands:") + 1 :]
    assert len(listed) == len(ALL[words].commands)
    for line, name in zip(listed, ALL[words].commands, strict=True):
        found, summary = line.split(maxsplit=1)
        assert (found, summary) == (name, ALL[f"{words} {name}"].help.splitlines()[0])
        assert summary.endswith(".")
        assert len(line) <= 80


@pytest.mark.parametrize("words", COMMANDS)
def test_options_are_in_groups_with_the_required_first(run, words):
    groups = by_group(ALL[words].params)
    assert [title for title in GROUPS if title in groups] == list(groups)
    assert "Help" not in groups, "an option without a group"
    lines = run(*words.split()[1:], "--help").succeeds().splitlines()
    assert [line[:-1] for line in lines if line[:-1] in GROUPS] == [*groups, "Help"]
    for found in groups.values():
        needed = [parameter.required for parameter in found]
        assert needed == sorted(needed, reverse=True)


@pytest.mark.parametrize("words", COMMANDS)
def test_what_must_be_given_is_in_the_usage(run, words):
    usage = " ".join(run(*words.split()[1:], "--help").succeeds().partition("\n\n")[0].split())
    assert usage.startswith(f"Usage: {words} ")
    assert usage.endswith(" [OPTIONS]")
    for parameter in ALL[words].params:
        if parameter.param_type_name == "option":
            assert (f" {parameter.opts[0]} {parameter.metavar}" in usage) == parameter.required


def test_every_file_that_is_written_is_an_output():
    """But for the receipt beside a table, which is its second file."""
    spellings = {spelling for one in ALL.values() for parameter in one.params for spelling in parameter.opts}
    assert not spellings & {"--out", "--save", "--output-dir", "--output-file"}


def test_one_word_has_one_meaning():
    for spelling, metavar in (("--table", "NAME"), ("--unit", "COLUMN"), ("--output", {"FILE", "FOLDER"})):
        found = {parameter.metavar for one in ALL.values() for parameter in one.params if spelling in parameter.opts}
        assert found == (metavar if isinstance(metavar, set) else {metavar})


def test_the_command_that_is_meant():
    assert named(["budget", "source", "add", "people"]) is ALL["hushcount budget source add"]
    assert named(["budget", "--ledger"]) is ALL["hushcount budget"]
    assert named([]) is named(["nosuch"]) is ALL["hushcount"]
