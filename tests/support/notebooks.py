"""The notebooks of the examples: run as they are, and what they show."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parents[2] / "examples"


def _read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def stored(name: str) -> Any:
    return _read(EXAMPLES / name)


def executed(name: str, folder: Path) -> Any:
    """Run a notebook in a copy of the examples, by this interpreter, with no settings of the user's."""
    shutil.copytree(EXAMPLES, folder / "examples")
    book = _read(folder / "examples" / name)
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
            patch.setenv(variable, str(folder / variable))
        NotebookClient(
            book, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder / "examples"}}
        ).execute()
    assert sorted(each.name for each in (folder / "examples").iterdir()) == sorted(
        each.name for each in EXAMPLES.iterdir()
    )
    return book


def outputs(book: Any) -> dict[str, tuple[str, bool]]:
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


def check_plain(book: Any, stories: tuple[str, ...]) -> None:
    """Check that cells are short and have names, and that each story has its cells in order."""
    nbformat.validate(book)
    ids = [cell.id for cell in book.cells]
    assert len(set(ids)) == len(ids)
    assert tuple(name for name in ids if name in stories) == stories
    assert {cell.cell_type for cell in book.cells} == {"markdown", "code"}
    assert book.metadata.kernelspec.name == "python3"
    assert all(len(cell.source.splitlines()) <= 17 for cell in book.cells)
