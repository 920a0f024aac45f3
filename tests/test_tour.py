"""The notebook of the examples runs from start to end, and what it shows is what is stored in it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[1] / "examples"
STORED = nbformat.read(EXAMPLES / "tour.ipynb", as_version=4)
STORIES = ("release", "audit", "compare", "optimal-set", "medium", "budget")
RANDOM = ("release-count", "budget-session", "budget-picture")


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """Run in a copy of the folder, by this interpreter, with no settings of the user's."""
    folder = tmp_path_factory.mktemp("tour")
    shutil.copytree(EXAMPLES, folder / "examples")
    book = nbformat.read(folder / "examples" / "tour.ipynb", as_version=4)
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
            patch.setenv(name, str(folder / name))
        NotebookClient(
            book, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder / "examples"}}
        ).execute()
    assert sorted(each.name for each in (folder / "examples").iterdir()) == sorted(
        each.name for each in EXAMPLES.iterdir()
    )
    return book


def outputs(book):
    """(text, whether there is a picture) of each code cell."""
    found = {}
    for cell in book.cells:
        if cell.cell_type == "code":
            pictures = [output for output in cell.outputs if "image/png" in output.get("data", {})]
            said = [output.text for output in cell.outputs if output.get("name") == "stderr"]
            assert all("Matplotlib" in line and "cache" in line for line in said), said  # on its first day
            text = "".join(output.text for output in cell.outputs if output.get("name") == "stdout")
            found[cell.id] = text, bool(pictures)
    return found


def test_it_is_a_plain_notebook():
    nbformat.validate(STORED)
    ids = [cell.id for cell in STORED.cells]
    assert len(set(ids)) == len(ids)
    assert [name for name in ids if name in STORIES] == list(STORIES)
    assert {cell.cell_type for cell in STORED.cells} == {"markdown", "code"}
    assert STORED.metadata.kernelspec.name == "python3"
    assert all(len(cell.source.splitlines()) <= 17 for cell in STORED.cells)


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
