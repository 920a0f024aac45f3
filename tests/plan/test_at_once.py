"""Plans at one budget, and releases beside them, in processes that run at once: no charge twice, none lost, and files
that are whole."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from ledgers import PROCESSES, in_a_process
from plans_at_once import release, run_plan

from hushcount.ledger import Ledger
from hushcount.promise.epsilon_delta import EpsilonDelta

pytestmark = pytest.mark.slow

TEXT = """
report = "out/page.html"
[defaults]
epsilon = 0.1
[sources.people]
source = "people.csv"
[[release]]
name = "aged"
where = "age >= 65"
[[release]]
name = "regions"
by = "region"
keys = ["n", "s"]
"""


def at_once(*asked):
    """What each of them tells."""
    start = PROCESSES.Barrier(len(asked))
    with ThreadPoolExecutor(len(asked)) as pool:
        told = [pool.submit(in_a_process, target, *arguments, start) for target, *arguments in asked]
        return [future.result()[0] for future in told]


def charged(ledger):
    """What the ledger keeps: each charge with what was drawn for it."""
    return {charge.request_id: json.loads(charge.answer)["released"] for charge in ledger.history("people")}


def delivered(*told):
    receipts = [json.loads(text) for receipts in told for text in receipts.values()]
    return {receipt["ledger"]["request_id"]: receipt["released"] for receipt in receipts}


def test_the_same_plan_and_releases_beside_it(plan, folder):
    """The plan is charged once, a release that asks what it asks is free to whoever comes second, and the other release
    is charged too."""
    plan(TEXT)
    ours = [(run_plan, folder / "plan.toml")] * 2
    *plans, same, other = at_once(
        *ours, (release, folder, "age >= 65", "0.1"), (release, folder, "region = 'n'", "0.2")
    )
    assert plans[0] == plans[1]
    assert same["age >= 65"] == plans[0]["aged"]
    ledger = Ledger(folder / "people.ledger")
    assert charged(ledger) == delivered(plans[0], other)
    assert ledger.budget("people").left == EpsilonDelta.of("0.5")
    assert ledger.verify().is_intact
    files = {path.name: path.read_text() for path in (folder / "out").iterdir()}
    assert files.keys() == {"aged.json", "regions.json", "regions.csv", "page.html"}
    assert {name: files[f"{name}.json"] for name in plans[0]} == plans[0]
    assert files["page.html"].rstrip().endswith("</html>")


def test_a_plan_and_a_release_of_which_the_budget_covers_one(plan, folder):
    """A plan is charged whole or not at all, whoever comes first."""
    plan(TEXT)
    made, other = at_once((run_plan, folder / "plan.toml"), (release, folder, "region = 'n'", "0.8"))
    assert [bool(made), bool(other)].count(True) == 1
    ledger = Ledger(folder / "people.ledger")
    assert charged(ledger) == delivered(made, other)
    assert ledger.budget("people").left == EpsilonDelta.of("0.7" if made else "0.2")
    assert ledger.verify().is_intact
