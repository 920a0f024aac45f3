"""The help of a group says what each of its commands does, to the end of the sentence."""

from __future__ import annotations

import inspect
import re

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
    assert list(GROUPS) == ["hushcount", "hushcount budget", "hushcount budget source", "hushcount plot"]
