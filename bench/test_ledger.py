"""Charges to a ledger in a SQLite file, each on disk before the next, beside a bare transaction as durable."""

import sqlite3
from itertools import count
from statistics import median
from time import perf_counter

import pytest
from rows import Peer, Row

from hushcount.promise.adjacency import Adjacency
from hushcount.promise.epsilon_delta import EpsilonDelta

CHARGES, ROUNDS = 100, 5
LEAST = 100


@pytest.fixture
def charge(tmp_path):
    """Charges once, for a question that was not asked before."""
    from hushcount.ledger import Ledger, Question, create_budget

    path = tmp_path / "people.ledger"
    create_budget(path, "people", 1000)
    ledger, ages = Ledger(path), count()
    price = EpsilonDelta.of("0.001")

    def charge():
        return ledger.charge("people", Question(f"age >= {next(ages)}", 4820, Adjacency.REPLACE_ONE, "nearest", price))

    return charge


def test_charges_a_second(found, charge):
    def figures():
        start = perf_counter()
        for _ in range(CHARGES):
            charge()
        return CHARGES / (perf_counter() - start)

    def rows(told):
        rate = median(told)
        case = "charges to one budget in SQLite, one after the other"
        return [Row(case, rate, "a second", target=f"at least {LEAST} a second", met=rate >= LEAST)]

    found(figures, rows, rounds=ROUNDS)


def test_one_charge(side_by_side, charge, tmp_path):
    path = tmp_path / "bare.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE entries (number INTEGER PRIMARY KEY, body TEXT)")
    connection.close()

    def bare():
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA synchronous = EXTRA")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO entries (body) VALUES (?)", ("x" * 1000,))
        connection.execute("COMMIT")
        connection.close()

    side_by_side(
        "one charge in SQLite",
        charge,
        Peer("bare sqlite3: open, insert a row, commit as durably, close", bare),
        rounds=11,
        calls=20,
    )
