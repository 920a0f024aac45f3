"""What is said of a receipt under mu speaks of mu where it says what would help."""

import re
from pathlib import Path

import pytest
from receipts import receipt_of

import hushcount
from hushcount import interpret, nearest
from hushcount.promise import EpsilonDelta, GaussianDP, SeveralPairs
from hushcount.reading import NoInverse

ONLY_EPSILON = {"reading/inverse.py", "optimal_set/rank.py", "optimal_set/imposed.py"}
"""Where a larger epsilon is spoken of: the sentences that `NoInverse.told` turns, and what is about one pair alone."""


def test_the_word_of_each_promise():
    assert GaussianDP.of(1).currency == "mu"
    assert EpsilonDelta.of(1).currency == SeveralPairs.of([(1, 0), (2, 0)]).currency == "epsilon"


@pytest.mark.parametrize("why", NoInverse)
def test_why_there_is_no_estimate(why):
    law = nearest(5, 1)
    assert why.told(EpsilonDelta.of(1), law).startswith(why.value)
    assert "larger epsilon" not in why.told(GaussianDP.of(1), law)
    assert ("larger mu" in why.told(GaussianDP.of(1), law)) is ("larger epsilon" in why.value)


def test_readings():
    text = " ".join(str(interpret(receipt_of("nearest", 12, GaussianDP.of("1e-6"), released=3))).split())
    assert "No unbiased estimate: The mechanism is singular, or so near it" in text
    assert "A larger mu helps" in text
    found = interpret(receipt_of("nearest", 12, GaussianDP.of("1e-6"), released=3)).to_dict()
    assert "A larger mu helps" in found["no_unbiased"]
    text = " ".join(str(interpret(receipt_of("nearest", 12, "1e-9", "1e-9", released=3))).split())
    assert "A larger epsilon helps" in text


def test_nothing_else_speaks_of_a_larger_epsilon():
    root = Path(hushcount.__file__).parent
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if re.search(r"\b(larger|less extreme) epsilon\b", path.read_text(encoding="utf-8"))
    }
    assert found == ONLY_EPSILON
