"""A budget in mu: mu^2 and delta add up exactly, up to totals that are fixed beforehand."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from ledgers import lift_triggers, question, receipt

from hushcount.errors import BudgetClosed, BudgetExceeded, InvalidParameter, LedgerUnusable, TooLarge
from hushcount.ledger import Accounting, Ledger, Verdict, create_budget, tables
from hushcount.ledger.accounting import left_over
from hushcount.ledger.amounts import amount_in, in_columns
from hushcount.ledger.book import Book
from hushcount.ledger.entry import Entry, Kind
from hushcount.ledger.location import store_at
from hushcount.ledger.verification import verification
from hushcount.promise import Adjacency, EpsilonDelta, GaussianDP, MuDelta, SeveralPairs, mu_squared_of_pure_epsilon
from hushcount.release import release_count, release_table
from hushcount.release.receipt import Receipt
from hushcount.release.table.receipt import TableReceipt

DATA = Path(__file__).resolve().parents[1] / "data"


@pytest.fixture
def ledger(place):
    """Make one with `people`, mu 1 and D 1e-6, and `sums`, epsilon 1 and delta 1e-6."""
    create_budget(place, "people", mu=1, delta="1e-6")
    create_budget(place, "sums", 1, "1e-6")
    return Ledger(place)


def at_mu(predicate, mu, **others):
    return question(predicate, price=GaussianDP.of(mu), **others)


def left(ledger, budget="people"):
    return ledger.budget(budget).left


# --- what is counted --------------------------------------------------------------------------------------------------


def test_squares_add_up_exactly(ledger):
    for number in range(10):
        ledger.charge("people", at_mu(f"x = {number}", "0.3"))
    assert left(ledger) == MuDelta(Fraction("0.1"), Fraction(1, 10**6))
    ledger.charge("people", at_mu("y", "0.1"))
    with pytest.raises(BudgetExceeded) as caught:
        ledger.charge("people", at_mu("z", "0.3001"))
    assert (caught.value.requested, caught.value.remaining) == (
        MuDelta(Fraction("0.09006001"), Fraction(0)),
        MuDelta(Fraction("0.09"), Fraction(1, 10**6)),
    )
    assert str(caught.value) == (
        "the budget 'people' does not cover mu 0.3001 (mu^2 0.09006001), delta 0: mu 0.3 (mu^2 0.09) and delta "
        "0.000001 are left"
    )
    ledger.charge("people", at_mu("z", "0.3"))
    assert left(ledger) == MuDelta(Fraction(0), Fraction(1, 10**6))
    ledger.charge("people", question("free", 0, 0))
    assert ledger.verify().is_intact


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.fractions(Fraction(1, 1000), 2).map(GaussianDP.of),
            st.tuples(st.fractions(0, 2), st.fractions(0, Fraction(1, 5))).map(lambda pair: EpsilonDelta.of(*pair)),
        ),
        max_size=8,
    )
)
def test_what_is_left_and_what_was_spent_are_the_total(prices):
    """Check it as the ledger counts, and as the history is replayed."""
    total = MuDelta(Fraction(4), Fraction(1, 2))
    rest, spent = total, MuDelta(Fraction(0), Fraction(0))
    for price in prices:
        cost = MuDelta.covering(price)
        found = left_over(rest, cost)
        fits = cost.mu_squared <= rest.mu_squared and cost.delta <= rest.delta
        assert (found is not None) == fits
        if found is not None:
            rest = found
            spent = MuDelta(spent.mu_squared + cost.mu_squared, spent.delta + cost.delta)
        assert (rest.mu_squared + spent.mu_squared, rest.delta + spent.delta) == (4, Fraction(1, 2))


def test_epsilon_is_charged_the_mu_that_it_keeps_and_delta_beside(ledger):
    ledger.charge("people", question("a", "0.1"))
    ledger.charge("people", question("b", "0.2", "4e-7"))
    squares = mu_squared_of_pure_epsilon("0.1") + mu_squared_of_pure_epsilon("0.2")
    assert left(ledger) == MuDelta(1 - squares, Fraction("6e-7"))
    with pytest.raises(BudgetExceeded, match=r"mu .* \(mu\^2 [0-9.]*\), delta 7e-7|0.0000007"):
        ledger.charge("people", question("c", "0.001", "7e-7"))
    found = ledger.budget("people")
    assert (found.spent_epsilon, found.spent_mu_squared, found.spent_delta) == (None, squares, Fraction("4e-7"))
    assert [charge.cost.delta for charge in ledger.history("people")] == [0, Fraction("4e-7")]
    assert ledger.history("people")[1].question.price == EpsilonDelta.of("0.2", "4e-7")


def test_the_pure_charge_is_enough_and_not_more_than_needed():
    """Ten releases at 0.1 cost less than one at 1: mu^2 adds up where epsilon does, too slowly."""
    assert 10 * mu_squared_of_pure_epsilon("0.1") < mu_squared_of_pure_epsilon(1) / 9
    assert MuDelta.covering(EpsilonDelta.of(0, "0.1")) == MuDelta(Fraction(0), Fraction(1, 10))


@pytest.mark.parametrize("epsilon", ["1e-100", "0.01", "0.1", "1", "5", "40", "1000"])
def test_draws_add_up_to_no_more_than_the_sum_of_their_epsilons(epsilon):
    for draws in (1, 2, 3, 10, 1000):
        charged, price = MuDelta.covering(EpsilonDelta.of(epsilon, "1e-9"), draws), EpsilonDelta.of(epsilon, "1e-9")
        whole = MuDelta.covering(price.of_cells(draws))
        assert charged.mu_squared == draws * mu_squared_of_pure_epsilon(epsilon) <= whole.mu_squared
        assert charged.delta == whole.delta


def of_cells(each, price, changed=20, **about):
    told = {**each.to_fields("cell_"), "max_cells": changed, **about}
    return question("TRUE", adjacency=Adjacency.ADD_REMOVE, price=price or each.of_cells(changed), about=told, cells=50)


def test_a_table_at_epsilon_is_charged_by_the_cell(place):
    """20 cells at 0.1 are 20 releases at 0.1, and not one at 2."""
    create_budget(place, "cells", mu=1, delta="1e-3", adjacency="add-remove")
    ledger, each = Ledger(place), EpsilonDelta.of("0.1", "1e-6")
    ledger.charge("cells", of_cells(each, None))
    delta = 1 - (1 - each.delta) ** 20
    spent = 20 * mu_squared_of_pure_epsilon("0.1")
    assert left(ledger, "cells") == MuDelta(1 - spent, Fraction("1e-3") - delta)
    assert spent < mu_squared_of_pure_epsilon(2) / 10
    assert ledger.verify().is_intact
    ledger.charge("cells", of_cells(GaussianDP.of("0.1"), None))
    assert left(ledger, "cells").mu_squared == 1 - spent - Fraction("0.2")


@pytest.mark.parametrize(
    "about",
    [
        {"cell_epsilon": "0.05"},
        {"cell_epsilon": ["0.1"]},
        {"cell_epsilon": None},
        {"cell_mu_squared": "0.1"},
        {"max_cells": 19},
        {"max_cells": "20"},
        {"max_cells": -20},
        {"max_cells": 1.5},
    ],
    ids=str,
)
def test_cells_that_make_another_price_are_not_believed(place, about):
    create_budget(place, "cells", mu=3, adjacency="add-remove")
    ledger, each = Ledger(place), EpsilonDelta.of("0.1")
    ledger.charge("cells", of_cells(each, each.of_cells(20), **about))
    assert left(ledger, "cells").mu_squared == 9 - mu_squared_of_pure_epsilon(2)
    assert ledger.verify().is_intact


def test_what_a_budget_comes_to_in_epsilon(ledger, place):
    create_budget(place, "alone", rho="0.5")
    told = ledger.budget("alone").to_dict()
    assert (told["mu_squared"], told["delta"], told["composition"]) == ("1", "0", "gaussian")
    assert (told["at_delta"], told["spent_epsilon_at_delta"]) == ("0.000001", "0")
    exactly = GaussianDP.of(1).least_epsilon(Fraction(1, 10**6))
    assert exactly <= Fraction(told["epsilon_at_delta"]) < exactly + Fraction(1, 10**4)
    assert told["left_epsilon_at_delta"] == told["epsilon_at_delta"]
    assert ledger.budget("people").to_dict()["epsilon_at_delta"] is None
    two = ledger.budget("people").to_dict(Fraction(2, 10**6))
    # D + (1 - D) delta_mu(epsilon)
    least = GaussianDP.of(1).least_epsilon(Fraction(1, 10**6) / (1 - Fraction(1, 10**6)))
    assert least <= Fraction(two["epsilon_at_delta"]) < least + Fraction(1, 10**4)
    assert ledger.budget("sums").in_epsilon() == {}
    lines = str(ledger.budget("people")).splitlines()
    assert lines[3:9] == [
        "Composition gaussian",
        "Total       mu 1 (mu^2 1), delta 0.000001",
        "Spent       mu 0 (mu^2 0), delta 0",
        "Left        mu 1 (mu^2 1), delta 0.000001",
        "As epsilon  total none, spent 0, left none, each at delta 0.000001",
        "            none: the delta beside mu is as large; a larger --at-delta tells an epsilon",
    ]


def test_what_is_left_is_rounded_down_and_what_is_spent_up(ledger):
    ledger.charge("people", question("a", price=GaussianDP.of_rho("0.1")))
    lines = str(ledger.budget("people")).splitlines()
    assert lines[5:7] == [
        "Spent       mu 0.447214 (mu^2 0.2), delta 0",
        "Left        mu 0.894427 (mu^2 0.8), delta 0.000001",
    ]
    assert "            these need not add up: only squares of mu do" in lines


# --- what is refused --------------------------------------------------------------------------------------------------


def test_mu_is_not_charged_to_epsilon_and_delta(ledger):
    for ask in (ledger.charge, ledger.check):
        with pytest.raises(InvalidParameter, match=r"^budget must be one in mu .* for a release in mu, which"):
            ask("sums", at_mu("a", "0.1"))
    assert ledger.budget("sums").charges == 0


@pytest.mark.parametrize("budget", ["people", "sums"])
@pytest.mark.parametrize(
    "pairs", [[("0.1", "1e-7"), ("0.2", 0)], [("0.3", "1e-8"), ("0.1", "1e-7"), ("0.2", "1e-8")]], ids=str
)
def test_several_pairs_are_charged_as_the_one_of_least_delta(ledger, budget, pairs):
    """Whatever is left of the budget, and whatever the other pairs would cost."""
    one = EpsilonDelta.of(*("0.2", pairs[-1][1]))
    asked = question("a", price=SeveralPairs.of(pairs))
    total = left(ledger, budget)
    ledger.charge(budget, asked)
    cost = one if budget == "sums" else MuDelta.covering(one)
    assert left(ledger, budget) == left_over(total, cost)
    (charge,) = ledger.history(budget)
    assert charge.question == asked
    told = charge.to_dict()
    shown = {name: told[f"charged_{name}" if budget == "people" else name] for name in cost.to_fields()}
    assert shown == cost.to_fields()
    assert ledger.verify().is_intact


def test_a_refusal_of_several_pairs_does_not_look_for_one_that_fits(ledger):
    with pytest.raises(BudgetExceeded) as caught:
        ledger.charge("sums", question("a", price=SeveralPairs.of([("0.001", "1e-7"), (100, 0)])))
    assert caught.value.requested == EpsilonDelta.of(100)


def test_a_closed_budget(ledger):
    asked = at_mu("a", "0.1")
    first = ledger.answer("people", asked, lambda _: receipt(7))
    ledger.close("people")
    assert ledger.charge("people", asked).charge.request_id == first.charge.request_id
    with pytest.raises(BudgetClosed) as caught:
        ledger.charge("people", at_mu("b", "0.1"))
    assert caught.value.requested == MuDelta(Fraction("0.01"), Fraction(0))


def test_an_answer_is_paid_once_and_known_by_its_promise(ledger):
    ledger.answer("people", at_mu("a", "0.1"), lambda _: receipt(7))
    assert ledger.charge("people", question("a", price=GaussianDP.of_rho("0.005"))).answer == receipt(7)
    assert ledger.charge("people", at_mu("a", "0.2")).answer is None
    assert ledger.budget("people").charges == 2


@pytest.mark.parametrize(
    "bad",
    [
        {"mu": 0},
        {"mu": -1},
        {"mu": "nan"},
        {"rho": 0},
        {"rho": "x"},
        {"mu": 1, "rho": 1},
        {"mu": 1, "epsilon": 1},
        {"mu": 1, "delta": 1},
        {"mu": 1, "delta": -1},
        {"mu": 1, "composition": "tight"},
        {"epsilon": 1, "composition": "gaussian"},
        {},
        {"mu": "1e-1000"},
    ],
    ids=str,
)
def test_bad_totals(place, bad):
    with pytest.raises(InvalidParameter):
        create_budget(place, "people", **bad)
    with pytest.raises(LedgerUnusable):
        Ledger(place)


def test_a_balance_that_would_be_too_long(place):
    create_budget(place, "people", mu=1)
    Ledger(place).charge("people", at_mu("a", f"1/{3**1290}"))
    with pytest.raises(TooLarge, match="more than 4,096 bits"):
        Ledger(place).charge("people", at_mu("b", f"1/{7**720}"))


# --- what the history says --------------------------------------------------------------------------------------------


def test_a_charge_tells_itself(ledger):
    ledger.answer("people", at_mu("a", "0.5"), lambda _: receipt(7), "one")
    ledger.charge("people", question("b", "0.1", "1e-7"), "two")
    one, two = (charge.to_dict() for charge in ledger.history("people"))
    assert (one["mu_squared"], one["epsilon"], one["delta"]) == ("0.25", None, None)
    assert (one["charged_mu_squared"], one["charged_delta"]) == ("0.25", "0")
    assert (one["left_mu_squared"], one["left_delta"], one["left_epsilon"]) == ("0.75", "0.000001", None)
    assert (two["epsilon"], two["delta"], "mu_squared" in two) == ("0.1", "0.0000001", False)
    assert Fraction(two["charged_mu_squared"]) == mu_squared_of_pure_epsilon("0.1")
    assert "mu 0.5; rows where a" in str(ledger.history("people")[0])


def test_amounts_are_read_back():
    for amount in (
        EpsilonDelta.of("0.1", "1e-9"),
        MuDelta(Fraction(1, 3), Fraction(1, 7)),
        MuDelta.of(GaussianDP.of(2)),
    ):
        assert amount_in(in_columns(amount)) == amount
        assert amount_in(in_columns(amount, "left_"), "left_") == amount
    assert in_columns(MuDelta(Fraction(1, 4), Fraction(0))) == {"epsilon": "mu^2 0.25", "delta": "0"}
    for bad in ("mu^2 -1", "mu^2 x", "mu^2", ""):
        with pytest.raises(InvalidParameter):
            amount_in({"epsilon": bad, "delta": "0"})


@pytest.mark.parametrize(
    ("number", "values", "fault"),
    [
        (3, {"left_epsilon": "mu^2 0.8"}, "what it says is left is not what is left"),
        (3, {"epsilon": "mu^2 0.2", "left_epsilon": "mu^2 0.8"}, "its question is not the one that was charged"),
        (3, {"epsilon": "0.25"}, "its question is not the one that was charged"),
        (3, {"left_epsilon": "0.75"}, "what it says is left is not what is left"),
        (4, {"delta": "0", "left_delta": "0.000001"}, "its question is not the one that was charged"),
        (1, {"epsilon": "1", "left_epsilon": "1"}, "cannot be read"),
    ],
)
def test_verify_checks_the_sums(ledger, place, number, values, fault):
    """Check them in a history that somebody forged, hashes and all."""
    ledger.charge("people", at_mu("a", "0.5"), "one")
    ledger.charge("people", question("b", "0.1", "1e-7"), "two")
    with store_at(place).reading() as transaction:
        entries = list(Book(transaction, place).rows())
    assert verification(entries, (4, entries[-1].hash)).is_intact
    entries[number - 1] = replace(entries[number - 1], **values)
    made: list[Entry] = []
    for entry in entries:
        before = (made[-1].number, made[-1].hash) if made else (0, tables.NO_HASH)
        made.append(entry.after(*before, entry.moment))
    found = verification(made, (4, made[-1].hash))
    assert found.verdict is Verdict.CHANGED
    assert any(each.endswith(fault) and each.startswith(f"entry {number} ") for each in found.faults), found.faults


def test_more_than_the_total_is_found(ledger, place):
    asked = at_mu("a", "1.1")
    rest = MuDelta(Fraction(0), Fraction(1, 10**6))
    with store_at(place).writing() as transaction:
        Book(transaction, place).lock().add(
            Entry.of(
                Kind.CHARGED,
                "people",
                request="r",
                question=asked.sha256,
                price=MuDelta.covering(asked.price),
                left=rest,
                body=asked.to_json(),
            )
        )
    assert ledger.verify().faults == ("entry 3 (charged): the budget does not cover it",)


# --- older ledgers, and older versions of hushcount -------------------------------------------------------------------


@pytest.fixture
def older(place):
    """Make a ledger at version 2 of its schema: entries that hushcount wrote before there were budgets in mu."""
    kept = json.loads((DATA / "ledger-of-version-2.json").read_text(encoding="utf-8"))
    create_budget(place, "people", 1)
    with store_at(place).writing() as transaction:
        lift_triggers(transaction)
        transaction.execute("DELETE FROM hushcount_entries")
        transaction.execute("DELETE FROM hushcount_migrations WHERE version > 2")
        for row in kept["entries"]:
            values = dict(zip(vars(Entry.from_row(row)), row, strict=True))
            names = ", ".join(values)
            marks = ", ".join(f":{name}" for name in values)
            transaction.execute(f"INSERT INTO hushcount_entries ({names}) VALUES ({marks})", **values)
        number, hash_ = kept["head"]
        transaction.execute("UPDATE hushcount_head SET number = :number, hash = :hash", number=number, hash=hash_)
    return kept


def test_a_ledger_of_version_2_still_opens_and_its_hashes_chain_on(older, place):
    head = older["head"][1]
    ledger = Ledger(place)
    found = ledger.verify(head)
    assert (found.verdict, found.entries, found.head) == (Verdict.INTACT, 10, head)
    with store_at(place).reading() as transaction:
        assert tables.schema_version(transaction) == 3
    assert (left(ledger).epsilon, left(ledger).delta) == (Fraction("0.65"), Fraction("9.99e-7"))
    one, two = ledger.history("people")
    receipts = [Receipt.from_json(charge.answer) for charge in (one, two)]
    assert [each.promise for each in receipts] == [EpsilonDelta.of("0.25"), EpsilonDelta.of("0.1", "1e-9")]
    assert [each.to_json() for each in receipts] == [charge.answer for charge in (one, two)]
    (table,) = ledger.history("visits")
    assert TableReceipt.from_json(table.answer).to_json() == table.answer
    assert ledger.charge("people", one.question).answer == one.answer
    create_budget(place, "mu", mu=1)
    ledger.charge("mu", at_mu("a", "0.5"))
    found = ledger.verify(head)
    assert (found.verdict, found.entries) == (Verdict.INTACT, 12)


def test_an_older_hushcount_refuses_a_ledger_with_a_budget_in_mu(ledger, place, monkeypatch):
    monkeypatch.setattr(tables, "MIGRATIONS", tables.MIGRATIONS[:2])
    with pytest.raises(LedgerUnusable, match="has schema version 3, but this hushcount reads versions up to 2"):
        Ledger(place)


def test_it_is_a_composition_that_says_what_it_means():
    assert "mu^2" in Accounting.GAUSSIAN.meaning


# --- with releases ----------------------------------------------------------------------------------------------------


def test_a_release_that_cannot_be_charged_reads_nothing(ledger, place, tmp_path):
    with pytest.raises(InvalidParameter, match=r"^budget must be one in mu"):
        release_count(tmp_path / "not there.csv", "age > 1", mu=1, ledger=place, budget="sums")


@pytest.mark.parametrize("budget", ["people", "sums"])
def test_counts_and_tables_at_several_pairs_are_charged(ledger, place, tmp_path, budget):
    source = tmp_path / "people.csv"
    source.write_text("age,region\n70,a\n30,b\n66,a\n")
    pairs = SeveralPairs.of([("0.01", "0.1"), ("0.1", 0)])
    total = left(ledger, budget)
    receipt = release_count(source, "age > 1", pairs, ledger=place, budget=budget)
    assert (receipt.promise, receipt.ledger.left) == (pairs, left(ledger, budget))
    assert Receipt.from_json(receipt.to_json()) == receipt
    table = release_table(source, "region", ["a", "b"], pairs, ledger=place, budget=budget)
    assert TableReceipt.from_json(table.to_json()) == table
    one = EpsilonDelta.of("0.1")
    each, both = (one, one.of_cells(2)) if budget == "sums" else (MuDelta.covering(one), MuDelta.covering(one, 2))
    assert left(ledger, budget) == left_over(left_over(total, each), both)
    assert release_count(source, "age > 1", pairs, ledger=place, budget=budget) == receipt
    assert ledger.verify().is_intact
