"""Several processes at one budget: what is left is never spent twice, and nobody is turned away for a lock."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest
from ledgers import PROCESSES, ask_at_once, ask_in_vain, in_a_process, question, receipt

from hushcount.errors import BudgetExceeded
from hushcount.ledger import Ledger, create_budget
from hushcount.ledger.book import Book
from hushcount.promise import EpsilonDelta, GaussianDP, MuDelta

pytestmark = pytest.mark.slow

ASKING = 8


@pytest.mark.parametrize("composition", ["basic", "tight"])
def test_eight_processes_ask_for_three_tenths_of_one(budget, place, composition):
    ledger = budget(1, composition=composition)
    start = PROCESSES.Barrier(ASKING)
    with ThreadPoolExecutor(ASKING) as pool:
        price = EpsilonDelta.of("0.3")
        asked = [pool.submit(in_a_process, ask_at_once, place, price, number, start) for number in range(ASKING)]
        told = [future.result() for future in asked]
    assert told.count(["CHARGED"]) == 3
    left = EpsilonDelta.of("0.1" if composition == "basic" else 0)  # under tight, no other price
    assert told.count([(EpsilonDelta.of("0.3"), left)]) == 5
    found = ledger.budget("people")
    assert (found.charges, found.left) == (3, left)
    assert ledger.verify().is_intact


def test_eight_processes_ask_at_the_edge_of_a_budget_in_mu(place):
    """Four at mu 0.5 use up mu 1 to the last bit; if one with a delta comes first, only three fit beside it."""
    create_budget(place, "people", mu=1, delta="1e-6")
    start = PROCESSES.Barrier(ASKING)
    costs = [MuDelta(Fraction(1, 4), Fraction(0)), MuDelta.covering(EpsilonDelta.of("1e-30", "6e-7"))]
    prices = [GaussianDP.of("0.5")] * 6 + [EpsilonDelta.of("1e-30", "6e-7")] * 2
    with ThreadPoolExecutor(ASKING) as pool:
        asked = [
            pool.submit(in_a_process, ask_at_once, place, price, number, start) for number, price in enumerate(prices)
        ]
        told = [future.result() for future in asked]
    found = Ledger(place).budget("people")
    many, few = (told[:6].count(["CHARGED"]), told[6:].count(["CHARGED"]))
    assert (many, few) in {(4, 0), (3, 1)}
    spent = many * costs[0].mu_squared + few * costs[1].mu_squared
    assert found.left == MuDelta(1 - spent, Fraction("1e-6") - few * Fraction("6e-7"))
    assert Ledger(place).verify().is_intact


def test_threads_share_a_ledger(budget):
    ledger = budget(1)
    start = threading.Barrier(ASKING)

    def ask(number):
        start.wait()
        try:
            return ledger.answer("people", question(f"id = {number}", "0.3"), lambda _: receipt(number)).basis.name
        except BudgetExceeded as error:
            return error.remaining.epsilon

    with ThreadPoolExecutor(ASKING) as pool:
        told = list(pool.map(ask, range(ASKING)))
    assert told.count("CHARGED") == 3
    assert ledger.verify().is_intact


def test_threads_that_ask_the_same_pay_once_and_are_told_the_same(budget):
    ledger = budget(1)
    start = threading.Barrier(ASKING)

    def ask(number):
        start.wait()
        return ledger.answer("people", question(), lambda _: receipt(number)).answer

    with ThreadPoolExecutor(ASKING) as pool:
        told = set(pool.map(ask, range(ASKING)))
    assert len(told) == 1
    assert ledger.budget("people").left == EpsilonDelta.of("0.9")


def test_budgets_that_are_created_at_once(place):
    start = threading.Barrier(ASKING)

    def create(number):
        start.wait()
        create_budget(place, f"budget {number}", 1)

    with ThreadPoolExecutor(ASKING) as pool:
        list(pool.map(create, range(ASKING)))
    assert sorted(Ledger(place).budgets()) == [f"budget {number}" for number in range(ASKING)]
    assert Ledger(place).verify().is_intact


def test_a_ledger_that_is_opened_lets_go_of_no_lock(budget, place):
    """A process that closes a file loses all locks it has on it, whichever thread took them."""
    ledger = budget(1)
    with ledger._store.writing() as transaction:
        Book(transaction, place).lock()
        for _ in range(3):
            Ledger(place).history("people")
        assert in_a_process(ask_in_vain, place) == ["is in use: another process has held it for a minute"]
    assert ledger.charge("people", question()).charge.number == 2
