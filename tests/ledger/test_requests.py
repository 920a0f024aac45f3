"""One answer for one charge: request ids, the same question again, and what was charged but never delivered."""

from __future__ import annotations

import dataclasses
import json

import pytest
from ledgers import MAXIMUM, question, receipt

from hushcount.errors import BudgetExceeded, InvalidParameter
from hushcount.ledger import Basis, Ledger, Question
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.epsilon_delta import EpsilonDelta


def never(charge):
    raise AssertionError("drawn")


def test_an_answer_is_drawn_after_the_charge_is_committed(budget, place):
    ledger = budget(1)

    def draw(charge):
        (seen,) = Ledger(place).history("people")
        assert (seen.state, seen.answer, seen.released, seen.delivered_at) == ("charged, not delivered",) + (None,) * 3
        return receipt(7)

    grant = ledger.answer("people", question(), draw, "first")
    assert (grant.basis, grant.answer) == (Basis.CHARGED, receipt(7))
    (stored,) = ledger.history("people")
    assert stored == grant.charge
    assert (stored.state, stored.released, stored.request_id, stored.question) == ("delivered", 7, "first", question())


def test_charges_and_budgets_tell_themselves(budget):
    ledger = budget("0.3")
    waiting = ledger.charge("people", question(), "r").charge
    told = f"epsilon 0.1, delta 0; {question()}; "
    assert str(waiting).endswith(f" UTC: {told}charged, not delivered")
    assert str(ledger.deliver(waiting, receipt(7))).endswith(f" UTC: {told}released 7")
    lines = str(ledger.budget("people")).splitlines()
    assert {"Budget      people", "Spent       epsilon 0.1, delta 0", "Left        epsilon 0.2, delta 0"} <= {*lines}
    assert lines[-1] == "State       open"


def test_the_same_request_is_the_same_answer(budget):
    ledger = budget("0.1")
    first = ledger.answer("people", question(), lambda _: receipt(7), "r")
    for fresh in (False, True):
        again = ledger.answer("people", question(), never, "r", fresh=fresh)
        assert (again.basis, again.charge) == (Basis.STORED, first.charge)
    assert ledger.find("people", "r") == first.charge
    assert ledger.find("people", "s") is None


def test_a_request_id_is_not_for_another_question(budget):
    ledger = budget(1)
    ledger.answer("people", question(), lambda _: receipt(7), "r")
    with pytest.raises(InvalidParameter, match="request_id must be an id of its own") as caught:
        ledger.charge("people", question("age < 65"), "r")
    assert caught.value.value == "r"
    assert len(ledger.history("people")) == 1


def test_the_same_question_is_free_unless_fresh(budget):
    ledger = budget("0.2")
    first = ledger.answer("people", question(), lambda _: receipt(7))
    assert ledger.answer("people", question(), never).charge == first.charge
    second = ledger.answer("people", question(), lambda _: receipt(8), fresh=True)
    assert second.basis is Basis.CHARGED
    assert ledger.answer("people", question(), never).charge == second.charge, "the newest answer"
    with pytest.raises(BudgetExceeded):
        ledger.charge("people", question(), fresh=True)
    assert ledger.budget("people").left == EpsilonDelta.of(0)


@pytest.mark.parametrize(
    "other",
    [
        {"predicate": "age >= 66"},
        {"maximum": MAXIMUM + 1},
        {"mechanism": "canonical"},
        {"epsilon": "0.2"},
        {"delta": "1e-9"},
        {"about": {"source": "other.csv"}},
    ],
)
def test_whatever_differs_makes_another_question(other):
    assert question(**other).sha256 != question().sha256
    assert question(**other) != question()


def test_another_question_is_charged(budget):
    ledger = budget(1, "1e-6")
    ledger.answer("people", question(), lambda _: receipt(7))
    for other in ({"maximum": 7}, {"about": {"source": "other.csv"}}, {"delta": "1e-9"}):
        assert ledger.charge("people", question(**other)).basis is Basis.CHARGED


def test_a_charge_without_an_answer_is_delivered_once(budget):
    ledger = budget("0.1")
    lost = ledger.charge("people", question(), "r")
    for request in ("r", None, "another id"):
        found = ledger.charge("people", question(), request)
        assert (found.basis, found.charge) == (Basis.PAID_BEFORE, lost.charge)
    with pytest.raises(BudgetExceeded):
        ledger.charge("people", question(), fresh=True)
    assert ledger.budget("people").undelivered == 1
    # Two that draw at the same time: what is stored first stands, and both show that.
    assert ledger.deliver(lost.charge, receipt(7)).released == 7
    assert ledger.deliver(lost.charge, receipt(8)).answer == receipt(7)
    assert [charge.released for charge in ledger.history("people")] == [7]
    assert ledger.budget("people").undelivered == 0


def test_groups_from_the_data_are_drawn_once_for_a_charge(budget):
    """Their answers differ in length, so that one that was not stored may not be drawn again for the same charge."""
    ledger, asked = budget("0.4"), question(cells=0, about={"keys": "from-data"})
    lost = ledger.charge("people", asked, "r")
    assert asked.is_drawn_once
    with pytest.raises(InvalidParameter, match="request_id must be a new id: the answer to this one was not stored"):
        ledger.charge("people", asked, "r")
    assert ledger.bill("people", [asked, asked]).bases == (Basis.CHARGED, Basis.STORED)
    first, same = ledger.charge_all("people", [asked, asked])
    assert (first.basis, same.basis, same.charge) == (Basis.CHARGED, Basis.STORED, first.charge)
    assert first.charge != lost.charge
    many = json.dumps({"released": [3, 8]})
    found = ledger.answer_to(first, lambda _: many)
    assert (found.answer, found.basis) == (many, Basis.CHARGED)
    again = ledger.answer_to(same, never)
    assert (again.answer, again.basis) == (many, Basis.STORED)
    assert ledger.answer("people", asked, never).answer == many
    # What may have been drawn is charged anew whatever became of it
    other = question(cells=0, about={"keys": "from-data", "by": ["k"]})
    ledger.charge("people", other)
    assert ledger.charge("people", other).basis is Basis.CHARGED
    assert ledger.verify().faults == ()


@pytest.mark.parametrize("released", [[0], [1, MAXIMUM + 1], 3, [True], [1.5], None])
def test_answers_about_groups_from_the_data(released):
    asked = question(cells=0)
    for whole in ([], [1], [MAXIMUM] * 1000):
        text = json.dumps({"released": whole})
        assert asked.in_equal_room(text + "  ") == text
    with pytest.raises(InvalidParameter, match=f"a list of whole numbers `released` from 1 to {MAXIMUM}"):
        asked.in_equal_room(json.dumps({"released": released}))


def test_an_answer_is_preferred_to_a_newer_charge_without_one(budget):
    ledger = budget(1)
    first = ledger.answer("people", question(), lambda _: receipt(7))
    ledger.charge("people", question(), fresh=True)
    assert ledger.answer("people", question(), never).charge == first.charge


def test_a_draw_that_fails_leaves_the_charge(budget):
    ledger = budget(1)
    with pytest.raises(KeyboardInterrupt):
        ledger.answer("people", question(), lambda _: (_ for _ in ()).throw(KeyboardInterrupt()), "r")
    assert [charge.state for charge in ledger.history("people")] == ["charged, not delivered"]
    assert ledger.answer("people", question(), lambda _: receipt(7), "r").basis is Basis.PAID_BEFORE


def test_request_ids_are_made_where_none_is_given(budget):
    ledger = budget(1)
    ids = [ledger.charge("people", question(str(number))).charge.request_id for number in range(3)]
    assert len(set(ids)) == 3


def test_the_room_an_answer_takes_does_not_tell_it(budget, place):
    ledger = budget(1)
    for released in (0, 9, 10, 4999, MAXIMUM):
        ledger.answer("people", question(f"id = {released}"), lambda _, released=released: receipt(released))
    with ledger._store.reading() as transaction:
        lengths = transaction.execute("SELECT DISTINCT length(body) FROM hushcount_entries WHERE kind = 'delivered'")
    assert len(lengths) == 1
    assert [charge.answer for charge in ledger.history("people")] == list(map(receipt, (0, 9, 10, 4999, MAXIMUM)))


@pytest.mark.parametrize(
    "text",
    ["", "7", "[]", "{}", '{"released": "7"}', '{"released": true}', '{"released": -1}', '{"released": 5001}',
     '{"released": 7.0}', '{"released": 7, "x": "é"}', "\udc80", None, 7],
)  # fmt: skip
def test_what_is_no_receipt_is_not_stored(budget, text):
    ledger = budget(1)
    charge = ledger.charge("people", question()).charge
    with pytest.raises(InvalidParameter, match="receipt must be a JSON object in ASCII"):
        ledger.deliver(charge, text)
    assert ledger.history("people") == (charge,)


def test_a_charge_of_another_ledger_is_not_delivered(budget):
    ledger = budget(1)
    charge = ledger.charge("people", question()).charge
    for other in (dataclasses.replace(charge, hash="0" * 64), dataclasses.replace(charge, request_id="x")):
        with pytest.raises(InvalidParameter, match="charge must be one of this ledger"):
            ledger.deliver(other, receipt(7))


@pytest.mark.parametrize("request_id", ["", " a", "a\n", "a\0b", "\x1b[31m", "\udc80", "a" * 201, 7])
def test_request_ids_are_printable(budget, request_id):
    with pytest.raises(InvalidParameter, match="request_id must be a printable text of 1 to 200 characters"):
        budget(1).charge("people", question(), request_id)


def test_any_request_id_that_is_printable(budget):
    ledger = budget(1)
    for request_id in ("7", "Zürich 2026/11 – 'x'; DROP TABLE", "%s {} :of_request", "人"):
        assert ledger.charge("people", question(request_id, 0), request_id).charge.request_id == request_id
        assert ledger.find("people", request_id) is not None


def test_a_question_survives_its_spelling():
    asked = question("name = 'René\n'", "1/3", 5e-324, maximum=10**40, about={"b": [1, None], "a": {"x": 1.5}})
    assert Question.from_json(asked.to_json()) == asked
    assert asked.to_json().isascii()
    assert Question.from_json(asked.to_json()).sha256 == asked.sha256


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("predicate", None),
        ("maximum", -1),
        ("maximum", 1.0),
        ("maximum", 2**4096),
        ("adjacency", "replace-one"),
        ("mechanism", 1),
        ("price", 0.5),
        ("about", {"x": float("nan")}),
        ("about", {"x": b""}),
        ("about", None),
    ],
)
def test_bad_questions(argument, value):
    with pytest.raises(InvalidParameter, match=argument):
        question(**{argument: value})


def test_adjacency_is_that_of_the_budget(budget):
    ledger = budget(1, adjacency="add-remove")
    assert ledger.charge("people", question(adjacency=Adjacency.ADD_REMOVE)).basis is Basis.CHARGED
    with pytest.raises(InvalidParameter, match="adjacency must be add-remove"):
        ledger.charge("people", question())
