"""Charges against a budget: exact to the last bit, in epsilon and in delta."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest
from ledgers import question, receipt

from hushcount.errors import BudgetClosed, BudgetExceeded, InvalidParameter, TooLarge
from hushcount.ledger import Basis, Verdict, create_budget
from hushcount.numbers.exact import exact
from hushcount.promise.epsilon_delta import EpsilonDelta


def refused(ledger, epsilon, delta=0, **others) -> BudgetExceeded:
    before = ledger.history("people")
    with pytest.raises(BudgetExceeded) as caught:
        ledger.charge("people", question("age < 18", epsilon, delta), **others)
    assert ledger.history("people") == before
    assert caught.value.requested == EpsilonDelta.of(epsilon, delta)
    assert caught.value.remaining == ledger.budget("people").left
    return caught.value


def test_three_tenths_are_a_tenth_and_two(budget):
    ledger = budget("0.3")
    assert ledger.charge("people", question("a", "0.1")).basis is Basis.CHARGED
    assert ledger.charge("people", question("b", "0.2")).charge.left == EpsilonDelta.of(0)
    found = ledger.budget("people")
    assert (found.spent_epsilon, found.left.epsilon, found.charges, found.undelivered) == (Fraction(3, 10), 0, 2, 2)
    refused(ledger, "1e-30")


def test_the_floats_are_other_numbers(budget):
    ledger = budget(0.3)  # a little below 3/10
    ledger.charge("people", question("a", 0.1))  # a little above 1/10
    refused(ledger, 0.2)


def test_ten_tenths_are_one_and_nothing_is_left(budget):
    ledger = budget(1)
    for number in range(10):
        ledger.charge("people", question(f"id = {number}", "0.1"))
    assert str(refused(ledger, "1e-16")) == (
        "the budget 'people' does not cover epsilon 0.0000000000000001, delta 0: epsilon 0 and delta 0 are left"
    )
    refused(ledger, 5e-324)
    assert ledger.charge("people", question("id = 10", 0)).charge.left == EpsilonDelta.of(0)
    assert ledger.verify().verdict is Verdict.INTACT


def test_eleven_elevenths_are_a_little_more_than_one(budget):
    ledger = budget(1)
    for number in range(10):
        ledger.charge("people", question(f"id = {number}", "0.09090909090909091"))
    error = refused(ledger, "0.09090909090909091")
    assert error.remaining.epsilon == Fraction("0.0909090909090909")
    assert ": epsilon 0.0909090909090909 (one may ask for 0.090909) and delta 0 are left" in str(error)
    ledger.charge("people", question("x", "0.090909"))
    ledger.charge("people", question("y", ledger.budget("people").left.epsilon))
    assert ledger.budget("people").left == EpsilonDelta.of(0)


def test_eleven_floats(budget):
    ledger = budget(1)
    for number in range(10):
        ledger.charge("people", question(f"id = {number}", 1 / 11))
    error = refused(ledger, 1 / 11)
    assert error.remaining.epsilon == 1 - 10 * Fraction(1 / 11)
    assert f": epsilon {'0.090909090909090883858567622155533172190189361572265625'} (one may" in str(error)


def test_thirds(budget):
    ledger = budget("1")
    for number in range(2):
        ledger.charge("people", question(f"id = {number}", "1/3"))
    assert ": epsilon 1/3 (one may ask for 0.333333) and delta 0 are left" in str(refused(ledger, "0.34"))
    assert ledger.charge("people", question("x", "1/3")).charge.left == EpsilonDelta.of(0)


def test_delta_is_spent_too(budget):
    ledger = budget(1, "1e-6")
    assert refused(ledger, "0.5", "0.9").remaining == EpsilonDelta.of(1, "1e-6")
    ledger.charge("people", question("a", "0.5", "1e-6"))
    refused(ledger, "0.5", "1e-300")
    assert ledger.charge("people", question("b", "0.5")).charge.left == EpsilonDelta.of(0)


def test_tiny_amounts_are_not_zero(budget):
    ledger = budget(1)
    ledger.charge("people", question("a", "1e-400"))
    error = refused(ledger, 1)
    assert error.remaining.epsilon == 1 - exact("1e-400")
    assert ": epsilon a little more than 0.999999 and delta 0 are left" in str(error)


def test_a_balance_that_cannot_be_kept_is_refused_before_anything_is_charged(budget):
    ledger = budget(1)
    primes = [Fraction(1, 2**2203 - 1), Fraction(1, 2**2281 - 1)]
    ledger.charge("people", question("a", primes[0]))
    with pytest.raises(TooLarge, match="4,096 bits; ask for a short decimal"):
        ledger.charge("people", question("b", primes[1]))
    assert len(ledger.history("people")) == 1
    ledger.charge("people", question("c", "0.5"))


def test_a_budget_of_nothing(budget):
    ledger = budget(0)
    refused(ledger, "1e-1000")
    ledger.charge("people", question("a", 0))


def test_budgets_of_one_ledger_are_apart(budget, place):
    ledger = budget(1)
    create_budget(place, "visits", "0.5", protects="visit", adjacency="add-remove")
    ledger.charge("people", question("a", "0.75"))
    assert ledger.budgets() == ("people", "visits")
    assert ledger.budget("people").left == EpsilonDelta.of("0.25")
    assert ledger.budget("visits").left == EpsilonDelta.of("0.5")
    with pytest.raises(InvalidParameter, match="adjacency must be add-remove, as the budget 'visits' has it"):
        ledger.charge("visits", question("a", "0.1"))
    with pytest.raises(InvalidParameter, match="one of the ledger's: 'people', 'visits'"):
        ledger.charge("person", question("a", "0.1"))
    assert [charge.question.predicate for charge in ledger.history("people")] == ["a"]
    assert ledger.history("visits") == ()


@pytest.mark.parametrize("name", [7, None, "", "a\0b", "\udc80", b"7"])
def test_a_budget_is_named_by_text(budget, place, name):
    ledger = budget(1)
    create_budget(place, "7", 1)
    for ask in (
        lambda: ledger.charge(name, question()),
        lambda: ledger.find(name, "r"),
        lambda: ledger.budget(name),
        lambda: ledger.terms(name),
        lambda: ledger.history(name),
        lambda: ledger.close(name),
    ):
        with pytest.raises(InvalidParameter, match=r"^budget must be a printable text"):
            ask()
    assert ledger.verify().is_intact


def test_a_closed_budget_is_charged_no_more(budget):
    ledger = budget(1)
    ledger.answer("people", question("a"), lambda _: receipt(7))
    waiting = ledger.charge("people", question("b")).charge
    assert ledger.close("people").closed_at is not None
    for epsilon in ("0.1", 0):
        with pytest.raises(BudgetClosed, match="the budget 'people' is closed: nothing more can be charged") as caught:
            ledger.charge("people", question("c", epsilon))
        assert caught.value.remaining == EpsilonDelta.of(0)
    # What was paid for can be had.
    assert ledger.charge("people", question("a")).basis is Basis.STORED
    assert ledger.deliver(waiting, receipt(8)).released == 8
    with pytest.raises(InvalidParameter, match="an open one"):
        ledger.close("people")


def test_errors_survive_the_way_between_processes(budget):
    error = refused(budget("0.1"), "0.2")
    for kind in (BudgetExceeded, BudgetClosed):
        sent = kind(str(error), error.requested, error.remaining, "people")
        received = pickle.loads(pickle.dumps(sent))
        assert (type(received), str(received)) == (kind, str(sent))
        assert (received.requested, received.remaining) == (error.requested, error.remaining)
