"""`--rows-per-unit` on the command line and in plans."""

from __future__ import annotations

import json

import pytest

from hushcount.ledger import Ledger, create_budget

ROWS = [("a", "n", 70)] * 5 + [("b", "n", 70), ("b", "s", 70), ("b", "s", 20), ("c", "x", 90), ("d", "n", 10)]
SURE = ("--epsilon", "100000", "--unit", "who", "--rows-per-unit", "2")


@pytest.fixture
def visits(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("who,region,age\n" + "".join(f"{who},{region},{age}\n" for who, region, age in ROWS))
    return path


def test_release_and_interpret(run, visits, tmp_path):
    out = run("release", visits, "--where", "age >= 65", *SURE, "--output", tmp_path / "r.json").succeeds()
    assert out.startswith(
        "Released count: 5\n\nQuestion    rows of visits.csv, at most 2 of each who, where age >= 65\n"
    )
    assert "Each row    epsilon 50000, delta 0: 2 together keep the promise\n" in out
    read = run("interpret", tmp_path / "r.json").succeeds()
    assert "at most 2 of each who" in read
    assert "Each row    epsilon 50000" in read
    assert run("interpret", tmp_path / "r.json", "--at-least", "5", "--false-alarm", "0.05").code == 0
    assert run("report", tmp_path / "r.json", "--output", tmp_path / "p.html").code == 0
    assert "at most 2 of each who" in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_table(run, visits, tmp_path):
    arguments = ("table", visits, "--by", "region", "--keys", "n,s", "--receipt", tmp_path / "r.json")
    out = run(*arguments, *SURE).succeeds()
    assert "Privacy     epsilon 200000, delta 0, replace-one, for the table\n" in out
    assert "a change moves them by at most 4 rows together\n" in out
    assert sum(json.loads((tmp_path / "r.json").read_text())["released"]) == 6
    assert run("interpret", "--cells", tmp_path / "r.json").code == 0


def test_nothing_is_released_to_explain(run, visits):
    out = run("release", visits, "--where", "age >= 65", *SURE, "--explain").succeeds()
    assert "Range       0 to 8: the released count is always a possible count\n" in out
    assert "Where one change may move a count by 2, any private mechanism is wrong" in out
    out = run("table", visits, "--by", "region", "--keys", "n,s", *SURE, "--explain").succeeds()
    assert "Range       0 to 8 (2 times the number of units), in every cell\n" in out
    assert "Where one change may move a count by 2, any private mechanism is wrong" in out
    found = ("--keys", "from-data", "--delta", "0.1", "--adjacency", "add-remove", "--max", "9")
    out = run("table", visits, "--by", "region", *found, "--epsilon", "1", *SURE[2:], "--explain").succeeds()
    assert "Where one change may move a count by 2, any private mechanism is wrong" in out


def test_explain_tells_how_far_it_is_from_the_best(run):
    asked = ("explain", "--n", "11", "--epsilon", "0.5", "--delta", "0.01", "--unit", "who", "--rows-per-unit", "3")
    out = " ".join(run(*asked).succeeds().split())
    assert "any private mechanism is wrong in 83.71% of releases or more, and this one in 86.6%." in out
    assert "Each row epsilon 1/6, delta at most 0.00279567: 3 together keep the promise" in out
    told = json.loads(run(*asked, "--json").succeeds())
    assert told["unit"] == {"column": "who", "without": "error", "rows_per_unit": 3}
    assert 1 - told["least_error_probability"] == pytest.approx(0.1628, abs=5e-5)
    assert 1 - told["error_probability"] == pytest.approx(0.1340, abs=5e-5)
    in_mu = run("explain", "--n", "11", "--mu", "0.9", "--unit", "who", "--rows-per-unit", "3").succeeds()
    assert "Each row    mu 0.3: 3 together keep the promise\n" in in_mu
    assert "any private mechanism" not in in_mu  # how well one could do is not known there
    one = run("explain", "--n", "11", "--epsilon", "0.5", "--unit", "who").succeeds()
    assert "The number of units is 11." in one
    assert "Each row" not in one


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--unit", "who", "--rows-per-unit", "0"], "--rows-per-unit must be an integer >= 1 (got 0)"),
        (["--unit", "who", "--rows-per-unit", "-3"], "--rows-per-unit must be a whole number >= 1"),
        (["--unit", "who", "--rows-per-unit", "1.5"], "--rows-per-unit must be a whole number"),
        (
            ["--unit", "who", "--rows-per-unit", "1000000001"],
            "--rows-per-unit must be an integer from 1 to 1,000,000,000",
        ),
        (["--rows-per-unit", "2"], "--rows-per-unit must be left out without a unit"),
        (
            ["--unit", "who", "--rows-per-unit", "6", "--adjacency", "add-remove", "--max", "5"],
            "--rows-per-unit must be at most the largest count, 5",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_numbers(run, visits, arguments, message):
    outcome = run("release", visits, "--where", "age >= 65", "--epsilon", "1", *arguments)
    assert message in outcome.fails_with(2)


def test_both_limits(run, visits):
    outcome = run("table", visits, "--by", "region", "--keys", "n,s", *SURE, "--max-cells", "2")
    assert "--max-cells must be left out where rows are counted" in outcome.fails_with(2)
    outcome = run("table", visits, "--by", "region", "--keys", "n,s", "--epsilon", "1", "--unit", "who")
    assert "Or count its rows, at most so many (--rows-per-unit)" in outcome.fails_with(2)


PLAN = """
ledger = "people.ledger"
budget = "people"
outputs = "out"
report = "page.html"

[sources.visits]
source = "visits.csv"
unit = "who"

[[release]]
name = "aged"
where = "age >= 65"
epsilon = 100
rows_per_unit = 2

[[release]]
name = "people"
where = "age >= 65"
epsilon = 100

[[release]]
name = "regions"
by = "region"
keys = ["n", "s"]
epsilon = 100
rows_per_unit = 5
"""


def test_a_plan(run, visits, tmp_path):
    """Releases about one source may count units, or so many rows of each; each is charged what a unit costs."""
    create_budget(tmp_path / "people.ledger", "people", 400)
    (tmp_path / "plan.toml").write_text(PLAN)
    assert run("plan", "check", tmp_path / "plan.toml").code == 0
    assert run("plan", "run", tmp_path / "plan.toml").code == 0
    out = tmp_path / "out"
    aged, people = (json.loads((out / f"{name}.json").read_text()) for name in ("aged", "people"))
    assert [(each["released"], each["maximum"], each["schema_version"]) for each in (aged, people)] == [
        (5, 8, 5),
        (3, 4, 1),
    ]
    regions = json.loads((out / "regions.json").read_text())
    assert (regions["released"], regions["maximum"]) == ([7, 2, 1], 20)
    assert Ledger(tmp_path / "people.ledger").budget("people").left.epsilon == 0
    (tmp_path / "plan.toml").write_text(PLAN.replace('unit = "who"\n', ""))
    assert "rows_per_unit must be left out without a unit" in run("plan", "check", tmp_path / "plan.toml").err
