"""`hushcount table --keys from-data`: what it prints and writes, what it refuses, and what it does not tell."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

TRUE = ("--epsilon", "1000", "--delta", "0.999999999", "--adjacency", "add-remove", "--max", "1000")
"""But for a chance of 1e-9, the true groups and counts."""

PEOPLE = 'city,age,who\nBern,5,u\nBern,6,v\n"Z\x1b[31m",70,u\n,8,w\nBern,9,u\n'


@pytest.fixture
def people(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    return tmp_path / "people.csv"


def table(run: Any, people: Path, *arguments: object) -> Any:
    return run("table", people, "--by", "city", "--keys", "from-data", *arguments)


def test_text_file_and_receipt(run: Any, people: Path, tmp_path: Path) -> None:
    outcome = table(run, people, *TRUE, "--output", tmp_path / "t.csv", "--receipt", tmp_path / "r.json")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("Released table: 3 groups shown\n")
    assert "\x1b" not in outcome.out
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [
            ["city", "is_other", "released"],
            *[["Bern", "false", "3"], ["Z\x1b[31m", "false", "1"], ["", "false", "1"]],
        ]
    receipt = json.loads((tmp_path / "r.json").read_text())
    assert (receipt["keys_from"], receipt["released"]) == ("data", [3, 1, 1])
    for command in (["report", tmp_path / "r.json", "--output", tmp_path / "p.html"], ["explain", "--help"]):
        assert run(*command).code == 0
    read = run("interpret", "--cells", tmp_path / "r.json")
    assert (read.code, "of the groups shown, whatever is hidden" in read.out) == (0, True)


def test_a_picture_has_no_confidence_sets(run: Any, people: Path, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("city\nBern\nBern\nThun\n")
    assert table(run, people, *TRUE, "--receipt", tmp_path / "r.json").code == 0
    drawn = run("plot", "table", tmp_path / "r.json", "--output", tmp_path / "t.svg")
    assert (drawn.code, drawn.err) == (0, "")
    hidden = ("--epsilon", 0, "--delta", "1e-300", *TRUE[4:])
    none = table(run, people, *hidden, "--receipt", tmp_path / "none.json")
    assert (none.code, none.out.splitlines()[0]) == (0, "Released table: 0 groups shown")
    drawn = run("plot", "table", tmp_path / "none.json", "--output", tmp_path / "none.svg")
    assert "no group of this one is shown" in drawn.err


def test_explain_reads_no_value(run: Any, people: Path) -> None:
    one = table(run, people, "--epsilon", 1, "--delta", "1e-5", *TRUE[4:], "--explain")
    people.write_text("city,age,who\n")
    assert table(run, people, "--epsilon", 1, "--delta", "1e-5", *TRUE[4:], "--explain") == one
    assert one.code == 0
    lines = one.out.splitlines()
    assert lines[0] == "Table, not released: groups from the data"
    assert any(
        line.split()[:1] == ["10"] and "in at most 87.2% of releases" in line and "never" in line for line in lines
    )
    assert "Range       11 to 1000 in a group that is shown; a group is hidden where 0 is drawn" in lines
    assert "No count from 1 to 10 is ever told: a smaller group that is shown is told as" in lines


def test_explain_with_units_and_a_budget(run: Any, people: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "l.ledger"
    made = run(
        "budget", "create", "b", "--ledger", ledger, "--epsilon", 5, "--delta", "0.01", "--adjacency", "add-remove"
    )
    assert made.code == 0
    paid = ("--ledger", ledger, "--budget", "b", "--unit", "who", "--max-cells", 2)
    asked = ("--epsilon", 1, "--delta", "1e-5", *TRUE[4:], *paid)
    outcome = table(run, people, *asked, "--explain")
    assert "Charge      epsilon 2, delta 0.0000199999, unless it was answered before" in outcome.out
    assert "A unit counts in at most 2 groups" in " ".join(outcome.out.split())
    first = table(run, people, *asked, "--json")
    assert first.code == 0
    stored = table(run, people, *asked, "--json")
    assert stored.out == first.out
    assert "nothing was charged" in stored.err
    shown = run("budget", "history", "b", "--ledger", ledger)
    assert "groups from the data by city, epsilon 1 x 2" in shown.out
    assert run("budget", "verify", "--ledger", ledger).code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--round-trip", "total=5"), "--round-trip must be left out where groups come from the data"),
        (("--undeclared", "other"), "--undeclared must be left out where groups come from the data"),
        (("--mechanism", "canonical"), "--mechanism must be left out where groups come from the data"),
        (("--totals", "t.csv"), "--totals must be left out where groups come from the data"),
        (("--adjacency", "replace-one"), "--adjacency must be add-remove where groups come from the data"),
        (("--delta", "0"), "--delta must be above 0 where groups come from the data"),
        (("--max", "0"), "--max must be"),
    ],
)
def test_refusals(run: Any, people: Path, arguments: tuple[str, str], message: str) -> None:
    given = dict(zip(TRUE[::2], TRUE[1::2], strict=True)) | {arguments[0]: arguments[1]}
    outcome = table(run, people, *(part for pair in given.items() for part in pair))
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_one_message_names_all_that_groups_from_the_data_take(run: Any, people: Path) -> None:
    outcome = table(run, people, "--epsilon", 1)
    assert "--adjacency must be add-remove where groups come from the data" in outcome.err
    assert outcome.err.endswith("; also missing: --max and a --delta above 0\n")
    outcome = table(run, people, "--mu", 1, *TRUE[4:])
    assert "--keys must be declared under this promise" in outcome.err


@pytest.mark.parametrize("keys", ["fromdata", "from_data", "From-Data", " from-data", "from data", "from-the-data"])
def test_a_single_key_that_is_nearly_from_data_is_refused(run: Any, people: Path, keys: str) -> None:
    asked = ("table", people, "--by", "city", "--epsilon", "1000")
    outcome = run(*asked, "--keys", keys)
    assert (outcome.code, outcome.out) == (2, "")
    assert "--keys must be from-data, if the groups come from the data" in outcome.err
    assert "quote it" in outcome.err
    assert run(*asked, "--keys", f'"{keys}"').code == 0


def test_the_text_from_data_as_a_key_is_quoted(run: Any, people: Path) -> None:
    outcome = run("table", people, "--by", "city", "--keys", '"from-data"', "--epsilon", "1000")
    assert outcome.out.startswith("Released table: 1 cell, and one for all other keys")


def test_nothing_beside_the_groups_that_are_shown_follows_from_the_data(run: Any, people: Path) -> None:
    """At a promise that shows nothing, all data sets have one answer, but for the receipt's id and time."""
    answers = set()
    for rows in ("", "Bern,1,u\n", "\x1b,1,u\n\u00e9,1,u\n", "".join(f"{at},1,u\n" for at in range(9000))):
        people.write_text(f"city,age,who\n{rows}")
        outcome = table(run, people, "--epsilon", 0, "--delta", "1e-300", *TRUE[4:])
        answers.add((outcome.code, outcome.err, outcome.out.partition("\nReceipt ")[0]))
    assert len(answers) == 1
