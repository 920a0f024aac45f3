"""`hushcount plan`: what a file with many releases costs, and all of them released."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest

from hushcount.ledger import Ledger

DOCS = Path(__file__).resolve().parents[2] / "docs"
SCHEMA = json.loads((DOCS / "plan.schema.json").read_text(encoding="utf-8"))

PLAN = """\
ledger = "people.ledger"
budget = "people"
outputs = "out"

[defaults]
epsilon = 0.25

[sources.people]
source = "people.csv"
types = { got = "boolean" }

[[release]]
name = "got"
where = "got"

[[release]]
name = "regions"
by = "region"
keys = ["n", "s"]
delta = 1e-6
epsilon = "1/8"
"""


@pytest.fixture
def plan(tmp_path, run):
    (tmp_path / "people.csv").write_text("region,got\nn,true\ns,false\nn,true\n")
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    asked = ("budget", "create", "people", "--ledger", tmp_path / "people.ledger", "--delta", "1e-5")
    run(*asked, "--epsilon", 0.5, "--protects", "person").succeeds()
    return path


def test_check_shows_price_accuracy_and_total(run, plan):
    said = run("plan", "check", plan).succeeds().splitlines()
    assert said[0] == "Plan, not carried out: no row was judged by a condition, and nothing was charged."
    assert said[2].split() == ["release", "of", "promise", "wrong", "off", "by", ">", "5"]
    assert said[3].split()[:7] == ["got", "1", "count", "epsilon", "0.25,", "delta", "0"]
    assert said[4].startswith("regions  3 counts  epsilon 0.25, delta 0.000001999999 ")
    assert said[6] == "Cost        epsilon 0.5, delta 0.000001999999"
    assert said[8] == "Then        epsilon 0 and delta 0.000008000001 are left"
    assert Ledger(plan.parent / "people.ledger").history("people") == ()


def test_check_as_json(run, plan):
    found = json.loads(run("plan", "check", plan, "--json").succeeds())
    assert [release["name"] for release in found["releases"]] == ["got", "regions"]
    assert (found["is_covered"], found["cost_epsilon"]) == (True, "0.5")


def test_run_releases_all_and_again_costs_nothing(run, plan):
    said = run("plan", "run", plan).succeeds()
    assert said.splitlines()[0] == "2 releases, 2 charged now"
    again = run("plan", "run", plan).succeeds()
    assert again.splitlines() == ["2 releases, 0 charged now", *said.splitlines()[1:]]
    assert sorted(path.name for path in (plan.parent / "out").iterdir()) == ["got.json", "regions.csv", "regions.json"]


def test_what_the_budget_does_not_cover_has_its_exit_code(run, plan):
    plan.write_text(PLAN.replace("0.25", "0.26"))
    checked = run("plan", "check", plan)
    assert checked.code == 4
    assert "The budget does not cover this plan." in checked.out
    assert "does not cover: epsilon 0.5 and delta 0.00001 are left" in run("plan", "run", plan).fails_with(4)


def test_errors_are_one_line(run, plan, tmp_path):
    assert "plan.toml: release 'got', wher: there is no such key" in run(
        "plan", "check", _changed(plan, "where =", "wher =")
    ).fails_with(3)
    assert "nothing.toml does not exist" in run("plan", "check", tmp_path / "nothing.toml").fails_with(3)
    assert "release 'regions': " in run("plan", "run", _changed(plan, 'by = "region"', 'by = "regoin"')).fails_with(2)


def _changed(plan, before, after):
    plan.write_text(PLAN.replace(before, after))
    return plan


def test_the_schema_is_that_of_plans(run):
    assert json.loads(run("schema", "plan").succeeds()) == SCHEMA
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(tomllib.loads(PLAN), SCHEMA)
    for before, after in (("where =", "wher ="), ("source = ", "sauce = "), ("types =", "typos ="), ('"got"\n', "1\n")):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(tomllib.loads(PLAN.replace(before, after, 1)), SCHEMA)


def test_every_key_of_the_schema_is_explained():
    """Each of its tables has its keys on the page about plans."""
    page = (DOCS / "plans.md").read_text(encoding="utf-8")
    keys = {key for table in (SCHEMA, *SCHEMA["$defs"].values()) for key in table["properties"]}
    assert len(keys) > 30
    assert [key for key in sorted(keys) if not re.search(rf"[`\[]{key}\b", page)] == []
