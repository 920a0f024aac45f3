"""The help of a group says what each of its commands does, to the end of the sentence."""

from __future__ import annotations

import inspect
import re
import shlex

import pytest

from hushcount.cli.tree import every_command

GROUPS = {words: command for words, command in every_command().items() if hasattr(command, "commands")}


@pytest.mark.parametrize("words", GROUPS)
def test_no_sentence_is_cut_off(run, words):
    said = " ".join(run(*words.split()[1:], "--help").succeeds().split())
    for name, command in GROUPS[words].commands.items():
        sentence, _, _ = re.sub(r"\s+", " ", inspect.cleandoc(command.help)).partition(". ")
        assert f" {name} {sentence.rstrip('.')}." in said


def test_all_groups_are_asked():
    assert list(GROUPS) == [
        "hushcount",
        "hushcount plan",
        "hushcount budget",
        "hushcount budget source",
        "hushcount plot",
    ]


EXAMPLES = {
    words: re.findall(r"^Example: (.+)$", inspect.cleandoc(command.help), re.MULTILINE)
    for words, command in every_command().items()
    if words not in GROUPS
}


@pytest.mark.parametrize("width", ["60", "80", "300"])
@pytest.mark.parametrize("words", EXAMPLES)
def test_the_example_can_be_copied(run, monkeypatch, words, width):
    monkeypatch.setenv("COLUMNS", width)
    help_text = run(*words.split()[1:], "--help").succeeds()
    told = [example.replace("\\\n", "") for example in re.findall(r"Example: ((?:.*\\\n)*.*)", help_text)]
    assert [shlex.split(line) for line in told] == [shlex.split(line) for line in EXAMPLES[words]]
    assert told
    assert all(line.strip().startswith("--") for line in re.findall(r"\\\n(.*)", help_text))


@pytest.mark.parametrize("words", EXAMPLES)
def test_defaults_are_not_in_parentheses(run, words):
    help_text = " ".join(run(*words.split()[1:], "--help").succeeds().split())
    assert "[default: (" not in help_text


def test_the_medium_of_a_sweep_comes_before_its_noise(run):
    help_text = run("sweep", "--help").succeeds()
    found = [help_text.index(f"\n  {option} ") for option in ("--medium", "--snr-db", "--eb-n0-db", "--p", "--fading")]
    assert found == sorted(found)
