"""The notebook of the examples runs from start to end, and what it shows is what is stored in it."""

from __future__ import annotations

import re

import pytest
from notebooks import check_plain, executed as run, outputs, stored

pytestmark = pytest.mark.slow

STORED = stored("tour.ipynb")
STORIES = ("release", "audit", "compare", "optimal-set", "medium", "budget")
RANDOM = ("release-count", "budget-session", "budget-picture")


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    return run("tour.ipynb", tmp_path_factory.mktemp("tour"))


def test_it_is_a_plain_notebook():
    check_plain(STORED, STORIES)


def test_each_story_has_its_picture(executed):
    for book in (executed, STORED):
        pictured = {name for name, (_, has_picture) in outputs(book).items() if has_picture}
        assert pictured == {f"{story}-picture" for story in STORIES} | {"nearest-picture"}


def test_what_is_stored_is_what_it_prints(executed):
    """But for what is drawn anew each time, which is a possible answer."""
    printed, stored = outputs(executed), outputs(STORED)
    assert list(printed) == list(stored)
    for name in printed:
        if name not in RANDOM:
            assert printed[name] == stored[name]
    for book in (printed, stored):
        first = r"^Released: (\d+) of 4820, wrong with chance 0\.755 in the worst case$"
        (released,) = re.findall(first, book["release-count"][0], re.M)
        assert 0 <= int(released) <= 4820
        lines = book["budget-session"][0].splitlines()
        assert [line.split()[-3] for line in lines[:4]] == ["charged", "charged", "charged", "stored"]
        assert lines[3].split()[3] == lines[0].split()[3]  # the same question, the same answer
        assert lines[4].startswith("the budget 'hiv' does not cover epsilon 0.4")
