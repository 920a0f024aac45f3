"""Receipts as older versions of hushcount wrote them, of each version of the schema: they are read as they were.

The files are named by what was released, the version, and what was promised or how it was drawn. Those of tables have
no keys.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hushcount import interpret, save_mechanism
from hushcount.mechanisms import from_matrix
from hushcount.reading import interpret_table
from hushcount.release import Receipt
from hushcount.release.table.receipt import TableReceipt

RECEIPTS = sorted((Path(__file__).resolve().parents[1] / "data" / "receipts").glob("*.json"))
COUNTS, TABLES = ([path for path in RECEIPTS if path.stem.startswith(kind)] for kind in ("count", "table"))
OWN = from_matrix([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])
"""What drew the count of count-1-audited.json."""

each_count = pytest.mark.parametrize("path", COUNTS, ids=lambda path: path.stem)
each_table = pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)


def own(path):
    return OWN if path.stem.endswith("audited") else None


@pytest.fixture
def options(tmp_path):
    """Return what the command is told of the mechanism of a receipt."""

    def options(path):
        if own(path) is None:
            return ()
        save_mechanism(OWN, tmp_path / "own.csv", epsilon=1)
        return ("--mechanism", tmp_path / "own.csv")

    return options


def test_there_is_one_of_each_version():
    versions = {(path.stem.split("-")[0], json.loads(path.read_text())["schema_version"]) for path in RECEIPTS}
    assert versions == {(kind, version) for kind in ("count", "table") for version in (1, 2)}
    assert {path.stem.split("-")[1] for path in RECEIPTS} == {"1", "2"}


@each_count
def test_a_count_is_read(run, options, path):
    text = path.read_text()
    receipt = Receipt.from_json(text)
    assert receipt.to_json() == text
    told = interpret(receipt, mechanism=own(path)).to_dict()
    shown = run("interpret", path, *options(path)).succeeds()
    assert shown.startswith(f"Released count: {json.loads(text)['released']}\n")
    assert receipt.promise.in_words() in shown
    as_json = json.loads(run("interpret", path, *options(path), "--json").succeeds())
    assert as_json.items() >= json.loads(json.dumps(told)).items()


@each_table
def test_a_table_is_read(run, path):
    text = path.read_text()
    receipt = TableReceipt.from_json(text)
    assert receipt.to_json() == text
    assert receipt.declared_keys is None
    assert receipt.price.in_words() in run("interpret", "--cells", path).succeeds()
    assert list(receipt.to_arrow().column("released").to_pylist()) == json.loads(text)["released"]
    assert interpret_table(receipt).releases == len(receipt.released)


@pytest.mark.slow
@each_table
def test_a_table_is_drawn(run, tmp_path, path):
    picture = tmp_path / "table.png"
    run("plot", "table", path, "--output", picture).succeeds()
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize("path", RECEIPTS, ids=lambda path: path.stem)
def test_a_page_shows_it(run, options, tmp_path, path):
    page = tmp_path / "page.html"
    run("report", path, *options(path), "--output", page).succeeds()
    assert json.loads(path.read_text())["receipt_id"] in page.read_text()
