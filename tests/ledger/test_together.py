"""Several questions at once: what they cost together, and all of them charged or none."""

from __future__ import annotations

from fractions import Fraction

import pytest
from ledgers import question, receipt

from hushcount.errors import BadUse, BudgetClosed, BudgetExceeded, InvalidParameter
from hushcount.ledger import Basis, Ledger, create_budget
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP, mu_squared_of_pure_epsilon
from hushcount.promise.mu_delta import MuDelta

ADULTS, AGED, ALL = question("age >= 18"), question("age >= 65"), question("TRUE", "0.3", "0.001")


def test_a_bill_is_the_sum_and_charges_nothing(budget):
    ledger = budget(1, "0.01")
    found = ledger.bill("people", [ADULTS, AGED, ALL])
    assert found.bases == (Basis.CHARGED,) * 3
    assert (found.cost, found.left) == (EpsilonDelta.of("0.5", "0.001"), EpsilonDelta.of(1, "0.01"))
    assert (found.left_after, found.is_covered) == (EpsilonDelta.of("0.5", "0.009"), True)
    assert ledger.history("people") == ()


def test_no_question_costs_nothing(budget):
    ledger = budget(1)
    found = ledger.bill("people", [])
    assert (found.bases, found.cost, found.is_covered) == ((), EpsilonDelta.of(0), True)
    assert ledger.charge_all("people", []) == ()


def test_what_was_paid_for_or_is_asked_twice_costs_nothing(budget):
    ledger = budget("0.2")
    ledger.answer("people", AGED, lambda _: receipt(7))
    ledger.charge("people", ADULTS)
    questions = [AGED, ADULTS, AGED]
    found = ledger.bill("people", questions)
    assert found.bases == (Basis.STORED, Basis.PAID_BEFORE, Basis.STORED)
    assert (found.cost, found.is_covered) == (EpsilonDelta.of(0), True)
    assert [grant.basis for grant in ledger.charge_all("people", questions)] == list(found.bases)


def test_a_question_that_is_asked_twice_is_charged_once(budget):
    ledger = budget("0.1")
    assert ledger.bill("people", [AGED, AGED]).cost == EpsilonDelta.of("0.1")
    first, second = ledger.charge_all("people", [AGED, AGED])
    assert (first.basis, second.basis) == (Basis.CHARGED, Basis.PAID_BEFORE)
    assert second.charge == first.charge
    assert len(ledger.history("people")) == 1


def test_all_are_charged_or_none(budget):
    ledger = budget("0.4")
    found = ledger.bill("people", [ADULTS, AGED, ALL])
    assert (found.left_after, found.is_covered) == (None, False)
    head = ledger.head
    with pytest.raises(BudgetExceeded):
        ledger.charge_all("people", [ADULTS, AGED, ALL])
    assert (ledger.history("people"), ledger.head) == ((), head)
    assert ledger.verify().is_intact
    grants = ledger.charge_all("people", [ADULTS, AGED])
    assert [grant.charge.question for grant in grants] == [ADULTS, AGED]
    assert ledger.budget("people").left == EpsilonDelta.of("0.2")


def test_the_delta_alone_may_not_be_covered(budget):
    ledger = budget(10, "0.0015")
    other = question("FALSE", "0.3", "0.001")
    assert not ledger.bill("people", [ALL, other]).is_covered
    assert ledger.bill("people", [other]).is_covered


def test_squares_of_mu_add_up(place):
    create_budget(place, "people", mu=1)
    ledger = Ledger(place)
    questions = [question(f"age >= {age}", price=GaussianDP.of("0.5")) for age in range(5)]
    found = ledger.bill("people", questions[:4])
    assert (found.cost, found.left_after) == (MuDelta(Fraction(1), Fraction(0)), MuDelta(Fraction(0), Fraction(0)))
    assert not ledger.bill("people", questions).is_covered
    ledger.charge_all("people", questions[:4])
    with pytest.raises(BudgetExceeded):
        ledger.charge("people", questions[4])


def test_tight_composition_covers_more_than_the_sum(budget):
    ledger = budget(1, "1e-6", composition="tight")
    questions = [question(f"age >= {age}", "0.01") for age in range(400)]
    found = ledger.bill("people", questions)
    assert found.cost == EpsilonDelta.of(4)
    assert (found.left_after, found.is_covered) == (None, True)
    assert not ledger.bill("people", [question(f"age >= {age}", "0.01") for age in range(2_000)]).is_covered
    with pytest.raises(BadUse, match="have the price of the first"):
        ledger.bill("people", [*questions[:2], AGED])


@pytest.mark.parametrize("at_once", ["bill", "charge_all"])
def test_what_may_not_be_charged_is_refused(budget, at_once):
    ledger = budget(1)
    with pytest.raises(InvalidParameter, match="adjacency"):
        getattr(ledger, at_once)("people", [AGED, question(adjacency=Adjacency.ADD_REMOVE)])
    of_rows = question("TRUE", about={"path_sha256": "a" * 64})
    of_units = question("FALSE", about={"path_sha256": "a" * 64, "unit": {"column": "person"}})
    with pytest.raises(InvalidParameter, match="protects nothing else"):
        getattr(ledger, at_once)("people", [of_rows, of_units])
    assert ledger.history("people") == ()
    ledger.close("people")
    with pytest.raises(BudgetClosed):
        getattr(ledger, at_once)("people", [AGED])
    with pytest.raises(InvalidParameter, match="budget"):
        getattr(ledger, at_once)("nobody", [AGED])


@pytest.mark.parametrize("total", [{"epsilon": 1}, {"mu": 1}], ids=str)
def test_deltas_that_no_budget_covers(place, total):
    create_budget(place, "people", delta="0.9", **total)
    questions = [question(f"age >= {age}", "0.1", "0.6") for age in range(2)]
    with pytest.raises(BadUse, match=r"^the deltas of the questions come to 1\.2: no budget covers 1 or more"):
        Ledger(place).bill("people", questions)
    assert Ledger(place).bill("people", questions[:1]).is_covered


def test_a_bill_in_mu(place):
    create_budget(place, "people", mu=1, delta="1e-6")
    ledger = Ledger(place)
    asked = [question("a", price=GaussianDP.of("0.6")), question("b", "0.1", "1e-7")]
    found = ledger.bill("people", asked)
    cost = MuDelta(Fraction("0.36") + mu_squared_of_pure_epsilon("0.1"), Fraction("1e-7"))
    assert (found.cost, found.left_after, found.is_covered) == (
        cost,
        MuDelta(1 - cost.mu_squared, Fraction("9e-7")),
        True,
    )
    assert not ledger.bill("people", [*asked, question("c", price=GaussianDP.of("0.8"))]).is_covered
    ledger.charge_all("people", asked)
    assert ledger.budget("people").left == found.left_after
