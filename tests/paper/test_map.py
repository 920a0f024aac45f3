"""docs/paper-map.md is fresh, and what it names is there."""

import ast
from functools import reduce
from importlib import import_module
from pathlib import Path

import pytest

from hushcount.cli.reference import pages
from hushcount.paper import paper_statements
from hushcount.paper.map import paper_map

ROOT = Path(__file__).resolve().parents[2]
IMPLEMENTED = sorted({name for statement in paper_statements() for name in statement.implemented_by})
TESTED = sorted({path for statement in paper_statements() for path in statement.tested_by})


def test_page_is_fresh():
    written = (ROOT / "docs" / "paper-map.md").read_text(encoding="utf-8")
    assert written == paper_map() == pages()["paper-map.md"], "run `make docs`"


@pytest.mark.parametrize("name", IMPLEMENTED)
def test_what_implements_is_public_and_there(name):
    parts = name.split(".")
    assert parts[0] == "hushcount"
    assert not any(part.startswith("_") for part in parts)
    home = next(i for i in range(1, len(parts)) if not parts[i].islower() or i == len(parts) - 1)
    assert reduce(getattr, parts[home:], import_module(".".join(parts[:home]))) is not None


@pytest.mark.parametrize("path", TESTED)
def test_the_test_is_there(path):
    file, _, name = path.partition("::")
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert name.startswith("test_")
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_statement_is_on_the_page_in_one_row():
    rows = [line for line in paper_map().splitlines() if line.startswith("| **")]
    assert len(rows) == len(paper_statements())
    for row, statement in zip(rows, paper_statements(), strict=True):
        # Bars between cells are those that are not escaped.
        assert row.replace("\\|", "").count("|") == 5
        for name in statement.implemented_by:
            assert f"`{name}`" in row
        for path in statement.tested_by:
            file, _, name = path.partition("::")
            assert f"[{name}](../{file})" in row
        assert ("(corrected)" in row) == (statement.erratum is not None)


def test_every_statement_says_what_it_is():
    for statement in paper_statements():
        for text in (statement.name, statement.locator, statement.formula, statement.compared_with):
            assert text.strip() == text
            assert text.isprintable()
        assert statement.implemented_by
        assert statement.tested_by
        assert statement.tolerance.reason.endswith(".")
        assert "`" not in statement.formula
