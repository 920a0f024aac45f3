"""Plans that are killed, interrupted, or run into a full disk: charged all together or not at all, and finished by the
next run at no other cost."""

from __future__ import annotations

import pytest
from broken_release import PLAN_STEPS, broken

from hushcount.ledger import Ledger
from hushcount.promise.epsilon_delta import EpsilonDelta

TEXT = """
report = "out/page.html"
[sources.people]
source = "people.csv"
[[release]]
name = "aged"
where = "age >= 65"
epsilon = 0.1
[[release]]
name = "regions"
by = "region"
keys = ["n", "s"]
epsilon = 0.1
"""
DELIVERED = "delivered"


def goes_on(folder, found):
    """The next run keeps what is stored, draws the rest, and charges only what was not charged."""
    ledger = Ledger(folder / "people.ledger")
    stored = {charge.request_id: charge.answer for charge in ledger.history("people") if charge.answer is not None}
    releases = found.run()
    charges = ledger.history("people")
    assert [charge.state for charge in charges] == [DELIVERED] * 2
    assert stored.items() <= {charge.request_id: charge.answer for charge in charges}.items()
    assert ledger.budget("people").left == EpsilonDelta.of("0.7")
    assert ledger.verify().is_intact
    assert {path.name for path in (folder / "out").iterdir()} == {
        "aged.json",
        "regions.json",
        "regions.csv",
        "page.html",
    }
    assert (folder / "out" / "aged.json").read_text() == releases.receipts["aged"].to_json()


@pytest.mark.slow
@pytest.mark.parametrize("fate", ["kill", "interrupt"])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", PLAN_STEPS)
def test_killed_or_interrupted(plan, folder, step, when, fate):
    found = plan(TEXT)
    done = broken(step, when, fate, ["plan", "run", str(folder / "plan.toml")])
    assert done.returncode == (-9 if fate == "kill" else 130)
    assert bool(done.stdout) == ((step, when) == ("output", "after"))
    states = [charge.state for charge in Ledger(folder / "people.ledger").history("people")]
    steps = list(PLAN_STEPS)
    at = 2 * steps.index(step) + (when == "after")
    is_charged, is_stored = at > 2 * steps.index("charge all"), at > 2 * steps.index("store")
    assert len(states) == (2 if is_charged else 0)
    assert (DELIVERED in states) == is_stored
    assert not (folder / "out").exists() or is_stored or list((folder / "out").glob("[!.]*")) == []
    goes_on(folder, found)


@pytest.mark.slow
@pytest.mark.parametrize("step", ["charge all", "store"])
def test_the_disk_is_full(plan, folder, step):
    found = plan(TEXT)
    done = broken(step, "before", "full disk", ["plan", "run", str(folder / "plan.toml")])
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") == 1
    goes_on(folder, found)
