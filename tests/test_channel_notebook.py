"""The notebook from a modulation to the verdict runs, and what it shows is what is stored in it."""

from __future__ import annotations

import pytest
from notebooks import check_plain, executed as run, outputs, stored

pytestmark = pytest.mark.slow

STORED = stored("channel.ipynb")
STORIES = ("modulation", "verdict", "mechanism", "required", "heard")


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    return run("channel.ipynb", tmp_path_factory.mktemp("channel"))


def test_it_is_a_plain_notebook():
    check_plain(STORED, STORIES)


def test_all_but_the_verdict_have_their_pictures(executed):
    for book in (executed, STORED):
        pictured = {name for name, (_, has_picture) in outputs(book).items() if has_picture}
        assert pictured == {f"{story}-picture" for story in STORIES if story != "verdict"}


def test_what_is_stored_is_what_it_prints(executed):
    printed, kept = outputs(executed), outputs(STORED)
    assert {name: text for name, (text, _) in printed.items()} == {name: text for name, (text, _) in kept.items()}
    assert "   10 dB      6.77     17.41\n" in kept["heard-table"][0]
