"""An accuracy asked for in place of a promise, and the mechanisms within:T, in releases."""

from __future__ import annotations

import json
from fractions import Fraction

import jsonschema
import pytest

from hushcount import (
    BudgetExceeded,
    Ledger,
    Receipt,
    Session,
    TableReceipt,
    create_budget,
    epsilon_for,
    interpret,
    mu_for,
    release_count,
    release_table,
)
from hushcount.counting import OpenTable
from hushcount.errors import BadData, InvalidParameter, TooLarge
from hushcount.mechanisms import Accuracy, from_matrix, within
from hushcount.mechanisms.names import distance_of, is_proven
from hushcount.plan import read_plan
from hushcount.promise import EpsilonDelta, GaussianDP
from hushcount.release.aim import Aim, asked
from hushcount.release.law import Law
from hushcount.release.receipt import schema_text

ROWS = 60
SCHEMA = jsonschema.Draft202012Validator(json.loads(schema_text()))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,region\n" + "".join(f"{age},{'ns'[age % 2]}\n" for age in range(ROWS)))
    return path


@pytest.fixture
def ledger(tmp_path):
    create_budget(tmp_path / "people.ledger", "people", 1, "1e-3")
    return tmp_path / "people.ledger"


# --- the promise that follows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("delta", ["0", "1e-3"])
@pytest.mark.parametrize("mechanism", ["nearest", "within:5"])
def test_the_receipt_states_the_promise_that_follows(table, mechanism, delta):
    receipt = release_count(table, "age >= 30", delta=delta, within=5, chance="0.6", mechanism=mechanism)
    expected = epsilon_for(ROWS, 5, "0.6", delta, mechanism=mechanism)
    assert receipt.promise == EpsilonDelta.of(expected, delta)
    assert receipt.mechanism == mechanism
    assert receipt.chance_off_by_more_than[5] <= 0.4 + 1e-12
    assert Receipt.from_json(receipt.to_json()) == receipt
    SCHEMA.validate(json.loads(receipt.to_json()))


def test_in_mu(table):
    receipt = release_count(table, "age >= 30", within=5, chance="0.6", currency="mu")
    assert receipt.promise == GaussianDP.of(mu_for(ROWS, 5, "0.6"))


def test_under_add_remove_it_follows_from_the_maximum(table):
    receipt = release_count(table, "age >= 30", within=2, chance="0.9", adjacency="add-remove", max_count=500)
    assert receipt.promise == EpsilonDelta.of(epsilon_for(500, 2, "0.9"))


def test_what_follows_is_what_is_charged(table, ledger):
    first = release_count(table, "age >= 30", within=5, chance="0.6", ledger=ledger, budget="people")
    price = EpsilonDelta.of(epsilon_for(ROWS, 5, "0.6"))
    assert Ledger(ledger).budget("people").left.epsilon == 1 - price.epsilon
    again = release_count(table, "age >= 30", within=5, chance="0.6", ledger=ledger, budget="people")
    same = release_count(table, "age >= 30", price.epsilon, ledger=ledger, budget="people")
    assert first.to_json() == again.to_json() == same.to_json()
    assert Ledger(ledger).budget("people").left.epsilon == 1 - price.epsilon


def test_one_that_is_too_dear_is_refused_before_a_row_is_judged(table, ledger, monkeypatch):
    monkeypatch.setattr(OpenTable, "tally", lambda *_: pytest.fail("rows were judged"))
    with pytest.raises(BudgetExceeded):
        release_count(table, "age >= 30", within=0, chance="0.999", ledger=ledger, budget="people")
    assert Ledger(ledger).budget("people").left.epsilon == 1


def test_a_request_id_finds_the_answer(table, ledger):
    asked_for = {"within": 5, "chance": "0.6", "ledger": ledger, "budget": "people", "request_id": "a"}
    first = release_count(table, "age >= 30", **asked_for)
    table.unlink()
    assert release_count(table, "age >= 30", **asked_for).to_json() == first.to_json()


def test_a_session(table, ledger):
    with Session(table, ledger, "people") as session:
        receipt = session.count("age >= 30", within=5, chance="0.6")
        cells = session.table("region", ["n", "s"], within=10, chance="0.6", max_count=20)
    assert receipt.promise == EpsilonDelta.of(epsilon_for(ROWS, 5, "0.6"))
    assert cells.promise == EpsilonDelta.of(epsilon_for(20, 10, "0.6"))


# --- the currency of the budget --------------------------------------------------------------------------------------

REACHED = {"within": 5, "chance": "0.6"}


@pytest.fixture
def many(tmp_path):
    create_budget(tmp_path / "many.ledger", "people", mu=5, delta="1e-2")
    return tmp_path / "many.ledger"


@pytest.mark.parametrize(
    ("more", "in_mu"),
    [({}, True), ({"delta": "1e-3"}, False), ({"currency": "epsilon"}, False), ({"currency": "mu"}, True)],
)
def test_a_budget_in_mu_is_asked_for_mu(table, many, more, in_mu):
    """An epsilon of the same accuracy would be charged more."""
    receipt = release_count(table, "age >= 30", **REACHED, **more, ledger=many, budget="people")
    delta = more.get("delta", 0)
    expected = (
        GaussianDP.of(mu_for(ROWS, 5, "0.6")) if in_mu else EpsilonDelta.of(epsilon_for(ROWS, 5, "0.6", delta), delta)
    )
    assert receipt.promise == expected


def test_a_budget_in_mu_is_asked_for_mu_everywhere(table, many, tmp_path):
    expected = GaussianDP.of(mu_for(ROWS, 5, "0.6"))
    paid = {"ledger": many, "budget": "people"}
    assert release_table(table, "region", ["n", "s"], **REACHED, **paid).promise == expected
    with Session(table, many, "people") as session:
        assert session.count("age >= 3", **REACHED).promise == expected
        assert session.table("region", ["n", "s"], **REACHED).promise == expected
    (tmp_path / "plan.toml").write_text(
        f'ledger = "{many.name}"\nbudget = "people"\noutputs = "out"\n[sources.a]\nsource = "{table.name}"\n'
        '[[release]]\nname = "one"\nwhere = "age > 1"\nwithin = 5\nchance = 0.6\n'
    )
    assert read_plan(tmp_path / "plan.toml").check().releases[0].price == expected


def test_without_a_budget_in_mu_it_is_epsilon(table, ledger):
    expected = EpsilonDelta.of(epsilon_for(ROWS, 5, "0.6"))
    assert release_count(table, "age >= 30", **REACHED).promise == expected
    assert release_count(table, "age >= 30", **REACHED, ledger=ledger, budget="people").promise == expected


# --- tables ----------------------------------------------------------------------------------------------------------


def test_a_table_reaches_it_in_every_cell(table):
    """Totals of 3, 7 and 31 ask for different promises, and the largest counts."""
    receipt = release_table(
        table, "region", ["n", "s", "w"], totals=[31, 7, 3], undeclared="left-out", within=2, chance="0.8"
    )
    needs = {top: epsilon_for(top, 2, "0.8") for top in (3, 7, 31)}
    assert len(set(needs.values())) == 3
    assert receipt.promise == EpsilonDelta.of(max(needs.values()))
    assert receipt.price.epsilon == 2 * receipt.promise.epsilon
    assert TableReceipt.from_json(receipt.to_json()) == receipt


def test_of_many_ranges_the_hardest_decides():
    aim = Aim(Accuracy.of(1, "0.7"))
    tops = [*range(0, 30, 3), 500]
    found = aim.promise(tops, "nearest")
    assert found == EpsilonDelta.of(max(epsilon_for(top, 1, "0.7") for top in tops))


# --- within:T --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [{"epsilon": "0.3"}, {"epsilon": "0.3", "delta": "1e-3"}, {"mu": "0.4"}])
def test_within_by_name(table, given):
    receipt = release_count(table, "age >= 30", mechanism="within:3", **given)
    made = within(ROWS, given.get("epsilon"), 3, given.get("delta", 0), mu=given.get("mu"))
    assert receipt.mechanism == "within:3"
    assert receipt.schema_version == 2
    assert receipt.error_probability == made.probability_beyond(0)
    assert Receipt.from_json(receipt.to_json()) == receipt
    assert interpret(receipt).receipt == receipt
    assert "\nMechanism   within:3\n" in str(receipt)


def test_within_in_a_table(table):
    receipt = release_table(table, "region", ["n", "s"], "0.5", mechanism="within:2")
    assert receipt.mechanism == "within:2"
    assert TableReceipt.from_json(receipt.to_json()) == receipt


def test_another_distance_is_another_question(table, ledger):
    for mechanism in ("within:2", "within:3", "nearest"):
        release_count(table, "age > 9", "0.1", mechanism=mechanism, ledger=ledger, budget="people")
    assert Ledger(ledger).budget("people").left.epsilon == Fraction("0.7")


def test_receipts_of_within_need_the_newer_version(table):
    told = json.loads(release_count(table, "age >= 30", "0.3", mechanism="within:3").to_json())
    for change in ({"schema_version": 1}, {"mechanism": "within:03"}, {"mechanism": "within"}, {"mechanism": "nope"}):
        with pytest.raises(BadData, match="not a receipt"):
            Receipt.from_json(json.dumps(told | change))
    with pytest.raises(BadData, match="not a receipt"):
        Receipt.from_json(json.dumps(told | {"mechanism": "nearest"}))


def test_names():
    assert [distance_of(name) for name in ("within:0", "within:17", "within:017", "within:-1", "within:")] == [
        0, 17, None, None, None,
    ]  # fmt: skip
    assert all(map(is_proven, ("nearest", "canonical", "within:5")))
    assert not any(map(is_proven, ("within:5 ", "within:٣", "audited", None, 5)))


def test_too_many_rows_for_within():
    with pytest.raises(TooLarge, match="too large"):
        Law.of("within:3", EpsilonDelta.of(1)).at(10**6).draw(5)


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "epsilon must be given, with delta, or in its place mu, or rho, or within with chance"),
        ({"within": 5}, "chance must be given beside `within`"),
        ({"chance": 0.9}, "within must be given beside `chance`"),
        ({"within": 5, "chance": 0.9, "epsilon": 1}, "epsilon must be left out beside `within` and `chance`"),
        ({"within": 5, "chance": 0.9, "mu": 1}, "mu must be left out beside `within` and `chance`"),
        ({"within": 5, "chance": 0.9, "rho": 1}, "rho must be left out beside `within` and `chance`"),
        ({"within": 5, "chance": 0.9, "currency": "mu", "delta": "1e-6"}, "delta must be left out"),
        ({"within": 5, "chance": 0.9, "currency": "rho"}, "currency must be one of epsilon, mu"),
        ({"epsilon": 1, "currency": "mu"}, "currency must be left out"),
        ({"within": -1, "chance": 0.9}, "within must be an integer >= 0"),
        ({"within": 5, "chance": 1.1}, "chance must be a number > 0 and <= 1"),
        ({"within": 5, "chance": 1}, "chance must be a number < 1"),
        ({"within": 5, "chance": 0.9, "mechanism": "canonical"}, "mechanism must be nearest or within:5"),
        ({"within": 5, "chance": 0.9, "mechanism": "within:4"}, "mechanism must be nearest or within:5"),
        ({"within": 5, "chance": 0.9, "mechanism": from_matrix([[1.0]])}, "mechanism must be nearest or within:5"),
        (
            {"epsilon": 1, "mechanism": "within:x"},
            "mechanism must be one of nearest, canonical, never-",
        ),
    ],
)
def test_bad_requests(table, given, message):
    with pytest.raises(InvalidParameter, match=message):
        release_count(table, "age >= 30", **given)


def test_nothing_is_drawn_before_the_promise_is_known():
    with pytest.raises(AssertionError, match="not known yet"):
        Law.of("nearest", asked(within=5, chance="0.9")).at(9)
