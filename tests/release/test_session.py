"""`Session`: several counts charged to one budget, on the same path as the command."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hushcount import BudgetExceeded, Ledger, ReadOptions, Session, create_budget
from hushcount.errors import BadUse, InvalidParameter, LedgerUnusable
from hushcount.ledger import Basis
from hushcount.promise.epsilon_delta import EpsilonDelta


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age;name\n70;Ann\n30;Bob\n")
    return path


@pytest.fixture
def place(tmp_path):
    create_budget(tmp_path / "people.ledger", "people", 2000, "1e-6")
    return tmp_path / "people.ledger"


SEMICOLON = ReadOptions(delimiter=";")


def test_counts_are_charged(table, place):
    with Session(table, place, "people", options=SEMICOLON) as session:
        assert (session.remaining, session.history(), session.basis) == (EpsilonDelta.of(2000, "1e-6"), (), None)
        first = session.count("age >= 65", epsilon=1000)
        assert (first.released, first.maximum, first.ledger.left_epsilon) == (1, 2, "1000")
        assert session.remaining == EpsilonDelta.of(1000, "1e-6")
        assert session.basis is Basis.CHARGED
        assert session.count("age>=65", epsilon=1000) == first
        assert session.basis is Basis.STORED
        assert session.count("age>=65", epsilon="999.5", delta="1e-7", request_id="r").ledger.request_id == "r"
        with pytest.raises(BudgetExceeded) as caught:
            session.count("age < 65", epsilon=1)
        assert caught.value.remaining == session.remaining == EpsilonDelta.of("0.5", "9e-7")
        assert [charge.question.price.epsilon for charge in session.history()] == [1000, Fraction("999.5")]
    assert session.history() == Ledger(place).history("people")


def test_it_ends(table, place):
    with Session(table, place, "people", options=SEMICOLON) as session:
        pass
    with pytest.raises(BadUse, match="the session has ended"):
        session.count("age >= 65", epsilon=1)
    assert session.remaining == EpsilonDelta.of(2000, "1e-6")


def test_it_ends_with_an_error_too(table, place):
    with pytest.raises(BudgetExceeded), Session(table, place, "people", options=SEMICOLON) as session:
        session.count("age >= 65", epsilon=2001)
    with pytest.raises(BadUse):
        session.count("age >= 65", epsilon=1)


def test_the_adjacency_is_that_of_the_budget(table, tmp_path):
    create_budget(tmp_path / "l", "people", 2000, adjacency="add-remove")
    with Session(table, Ledger(tmp_path / "l"), "people", options=SEMICOLON) as session:
        receipt = session.count("age >= 65", epsilon=1000, max_count=7, mechanism="canonical")
        assert (receipt.adjacency, receipt.maximum, receipt.released) == ("add-remove", 7, 1)
        with pytest.raises(InvalidParameter, match="max_count must be given under add-remove"):
            session.count("age >= 65", epsilon=1)


def test_fresh_draws_are_charged(table, place):
    with Session(table, place, "people", options=SEMICOLON) as session:
        one, other = (session.count("age >= 65", epsilon="0.5", fresh=True) for _ in range(2))
        assert one.receipt_id != other.receipt_id
        assert session.remaining.epsilon == 1999


def test_the_command_is_the_same_path(table, place, capsys):
    from hushcount.cli import main
    from hushcount.release import Receipt

    arguments = ["--where", "age >= 65", "--epsilon", "0.5", "--delimiter", ";", "--json"]
    with Session(table, place, "people", options=SEMICOLON) as session:
        counted = session.count("age >= 65", epsilon="0.5")
        assert main(["release", str(table), *arguments, "--ledger", str(place), "--budget", "people"]) == 0
        assert Receipt.from_json(capsys.readouterr().out) == counted


def test_bad_beginnings(table, place, tmp_path):
    with pytest.raises(InvalidParameter, match=r"^source must be"):
        Session(None, place, "people")
    with pytest.raises(InvalidParameter, match=r"^budget must be one of the ledger's: 'people'"):
        Session(table, place, "visits")
    with pytest.raises(InvalidParameter, match=r"^budget must be given"):
        Session(table, place, None)
    with pytest.raises(LedgerUnusable):
        Session(table, tmp_path / "nowhere", "people")
    assert not (tmp_path / "nowhere").exists()
