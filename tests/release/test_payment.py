"""A release that is charged to a budget: what makes a question the same, and what a failure costs."""

from __future__ import annotations

import shutil
from fractions import Fraction

import pytest

from hushcount import BudgetExceeded, Ledger, create_budget, release_count, release_table, save_mechanism
from hushcount.counting import OpenTable, ReadOptions
from hushcount.errors import BadData, BadUse, BudgetClosed, InvalidParameter, LedgerUnusable, PredicateRefused
from hushcount.ledger import Basis
from hushcount.mechanisms import from_matrix, nearest, truncated_geometric
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.release import Receipt
from hushcount.release.answer import answer
from hushcount.release.count.question import CountQuestion
from hushcount.release.payment import Payment
from hushcount.release.subject import Subject


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,name\n70,Ann\n30,Bob\n")
    return path


@pytest.fixture
def ledger(tmp_path):
    create_budget(tmp_path / "people.ledger", "people", 1, "1e-6")
    return Ledger(tmp_path / "people.ledger")


@pytest.fixture
def release(table, ledger):
    def release(where="age >= 65", epsilon="0.1", delta=0, *, source=table, **options):
        return release_count(source, where, epsilon, delta, **{"ledger": ledger, "budget": "people", **options})

    return release


@pytest.fixture
def charges(ledger):
    return lambda: len(ledger.history("people"))


@pytest.fixture
def unread(monkeypatch):
    """From now on a look at the data is a failure."""
    return lambda: monkeypatch.setattr(OpenTable, "__init__", lambda *_, **__: pytest.fail("the data was read"))


# --- the receipt ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_receipt_is_the_stored_one(release, ledger):
    receipt = release(epsilon="0.25", delta="1e-7")
    (charge,) = ledger.history("people")
    assert Receipt.from_json(charge.answer) == receipt
    assert receipt.ledger.model_dump() == {
        "budget": "people",
        "request_id": charge.request_id,
        "entry": 2,
        "entry_sha256": charge.hash,
        "left_epsilon": "0.75",
        "left_delta": "0.0000009",
    }
    assert charge.question.price.epsilon == Fraction(1, 4)
    assert (charge.question.maximum, charge.question.mechanism) == (2, "nearest")
    assert ledger.verify(receipt.ledger.entry_sha256).is_intact


def test_a_tight_budget_says_nothing_of_what_is_left(table, tmp_path):
    create_budget(tmp_path / "t", "people", 1, "1e-6", composition="tight")
    facts = release_count(table, "age > 1", "0.1", ledger=tmp_path / "t", budget="people").ledger
    assert (facts.left_epsilon, facts.left_delta) == (None, None)


def test_without_a_ledger_nothing_is_said_of_one(table):
    assert release_count(table, "age > 1", 1).ledger is None


def test_nothing_tells_the_true_count_or_the_folder(release, ledger, tmp_path):
    release(where="age > 0", epsilon=0)
    (charge,) = ledger.history("people")
    assert str(tmp_path) not in str(charge.to_dict())
    assert set(charge.question.about) == {"source", "path_sha256", "table", "reading"}


# --- the same question ------------------------------------------------------------------------------------------------


def test_the_same_question_is_answered_from_the_ledger(release, charges, tmp_path, monkeypatch):
    first = release()
    monkeypatch.chdir(tmp_path)
    assert release("age>=65", "1/10") == first
    assert release(source="people.csv", mechanism="nearest", options=ReadOptions()) == first
    assert charges() == 1
    assert release(fresh=True) != first
    assert charges() == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "other",
    [
        {"where": "age > 65"},
        {"epsilon": 0.1},
        {"delta": "1e-9"},
        {"mechanism": "canonical"},
        {"options": ReadOptions(null="NA")},
        {"options": ReadOptions(types={"age": "integer"})},
    ],
    ids=str,
)
def test_another_question_is_charged(release, charges, other):
    first = release()
    assert release(**other) != first
    assert charges() == 2


def test_a_file_of_the_same_name_elsewhere_is_another_source(release, charges, table, tmp_path):
    (tmp_path / "other").mkdir()
    first = release()
    assert release(source=shutil.copy(table, tmp_path / "other")) != first
    assert charges() == 2


def test_under_replace_one_another_number_of_rows_is_another_question(release, charges, table):
    release()
    table.write_text(table.read_text() + "50,Cid\n")
    assert release().maximum == 3
    assert charges() == 2


def test_under_add_remove_the_range_is_the_declared_one(table, tmp_path):
    create_budget(tmp_path / "a", "people", 1, adjacency="add-remove")

    def release(cap):
        options = {"adjacency": "add-remove", "max_count": cap, "ledger": tmp_path / "a", "budget": "people"}
        return release_count(table, "age > 1", "0.1", **options)

    first = release(5)
    table.write_text(table.read_text() + "50,Cid\n")  # how many rows there are is not told, and not compared
    assert release(5) == first
    assert release(6) != first


@pytest.mark.slow
def test_mechanisms_are_told_apart(release, ledger, charges, tmp_path):
    flat, tilted = [[1 / 4, 1 / 2, 1 / 4]] * 3, [[1 / 2, 1 / 4, 1 / 4]] * 3
    kinds = [
        "nearest",
        from_matrix(flat),
        from_matrix(tilted),
        save_mechanism(flat, tmp_path / "m.json", epsilon=1, name="nearest"),
        truncated_geometric(2, "0.1"),
        truncated_geometric(2, "0.05"),
    ]
    receipts = [release(mechanism=kind) for kind in kinds]
    assert charges() == len({receipt.receipt_id for receipt in receipts}) == len(kinds)
    assert [release(mechanism=kind) for kind in kinds] == receipts
    assert len({charge.question.mechanism for charge in ledger.history("people")}) == len(kinds)


# --- request ids ------------------------------------------------------------------------------------------------------


def test_a_request_id_is_answered_without_the_data(release, table, charges, unread):
    first = release(request_id="2026-11")
    table.unlink()
    unread()
    assert release(request_id="2026-11") == first
    assert release("age>=65", request_id="2026-11", fresh=True) == first
    assert charges() == 1


@pytest.mark.parametrize(
    "other", [{"where": "age < 65"}, {"epsilon": "0.2"}, {"mechanism": "canonical"}, {"options": ReadOptions(null="-")}]
)
def test_a_request_id_is_for_one_question(release, charges, unread, other):
    release(request_id="2026-11")
    unread()
    with pytest.raises(InvalidParameter, match=r"^request_id must be an id of its own"):
        release(request_id="2026-11", **other)
    assert charges() == 1


def test_a_request_id_that_was_never_delivered_reads_the_data(release, charges, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr(OpenTable, "tally", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            release(request_id="2026-11", epsilon=1)
    assert release(request_id="2026-11", epsilon=1).ledger.entry == 2
    assert charges() == 1


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_what_is_spent_is_not_released(release, ledger, charges, monkeypatch):
    release(epsilon="0.9")
    monkeypatch.setattr(OpenTable, "tally", lambda _: pytest.fail("the data was read under the condition"))
    with pytest.raises(BudgetExceeded) as caught:
        release("age < 65", "0.2")
    assert (caught.value.requested.epsilon, caught.value.remaining.epsilon) == (Fraction(1, 5), Fraction(1, 10))
    with pytest.raises(BudgetExceeded):
        release("age < 65", "0.1", "0.9")
    ledger.close("people")
    with pytest.raises(BudgetClosed):
        release("age < 65", 0)
    assert charges() == 1


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"budget": None}, "budget"),
        ({"ledger": None}, "ledger"),
        ({"ledger": None, "budget": None, "request_id": "r"}, "ledger"),
        ({"ledger": None, "budget": None, "fresh": True}, "ledger"),
        ({"budget": "visits"}, "budget"),
        ({"budget": 7}, "budget"),
        ({"ledger": 7}, "ledger"),
        ({"request_id": ""}, "request_id"),
        ({"request_id": 7}, "request_id"),
        ({"request_id": "a\0b"}, "request_id"),
        ({"fresh": 1}, "fresh"),
        ({"adjacency": "add-remove", "max_count": 5}, "adjacency"),
        ({"epsilon": -1}, "epsilon"),
    ],
    ids=str,
)
def test_bad_use_is_found_before_the_data_is_opened(release, charges, unread, options, argument):
    unread()
    with pytest.raises(InvalidParameter) as caught:
        release(**options)
    assert caught.value.argument == argument
    assert charges() == 0


def test_a_ledger_that_is_not_there(release, tmp_path, unread):
    unread()
    with pytest.raises(LedgerUnusable, match="does not exist"):
        release(ledger=tmp_path / "nowhere")


# --- what a failure costs ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"where": "count(*) > 1"}, PredicateRefused),
        ({"where": "agee > 1"}, PredicateRefused),
        ({"source": "nowhere.csv"}, BadData),
        ({"mechanism": nearest(5, "0.1")}, BadUse),
        ({"options": ReadOptions(delimiter=";")}, BadUse),
    ],
    ids=str,
)
def test_what_fails_without_a_look_at_the_values_is_free(release, charges, options, kind):
    with pytest.raises(kind) as caught:
        release(**options)
    assert caught.value.charged is None
    assert charges() == 0


def test_a_source_that_cannot_be_read_to_its_end_is_free(release, charges, table):
    table.write_text("age,name\n70,Ann\n30\n")
    with pytest.raises(BadData, match="line 3"):
        release()
    assert charges() == 0


@pytest.mark.parametrize(
    ("where", "types", "kind"), [("name > 65", {}, PredicateRefused), ("name = 1", {"name": "integer"}, BadData)]
)
def test_what_the_values_tell_is_charged_once(release, ledger, table, where, types, kind):
    for _ in range(3):
        with pytest.raises(kind) as caught:
            release(where, options=ReadOptions(types=types))
        assert str(caught.value).endswith(
            "; the data had been read, so epsilon 0.1, delta 0 stay charged to the budget 'people'; the same question "
            "asked again is not charged again, and a corrected one is charged anew; once its source is listed "
            "(`hushcount budget source add`), such mistakes are free"
        )
        assert [caught.value.charged] == list(ledger.history("people"))
    assert [charge.state for charge in ledger.history("people")] == ["charged, not delivered"]


def test_an_answer_that_cannot_be_stored_says_that_it_was_charged(release, ledger, monkeypatch):
    def full(*_):
        raise LedgerUnusable("people.ledger", "cannot be written: its disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(Ledger, "deliver", full)
        with pytest.raises(LedgerUnusable) as caught:
            release()
    assert str(caught.value) == (
        "the ledger people.ledger cannot be written: its disk is full; epsilon 0.1, delta 0 stay charged to the budget "
        "'people'; the same question asked again is not charged again"
    )
    assert [caught.value.charged] == list(ledger.history("people"))
    release()
    assert [charge.state for charge in ledger.history("people")] == ["delivered"]


def test_what_nobody_foresaw_has_its_charge(release, ledger, monkeypatch):
    def runs_out(_):
        raise MemoryError

    monkeypatch.setattr(OpenTable, "tally", runs_out)
    with pytest.raises(MemoryError) as caught:
        release()
    assert [caught.value.charged] == list(ledger.history("people"))  # type: ignore[attr-defined]


def test_the_charge_is_on_disk_before_a_value_is_looked_at(release, ledger, monkeypatch):
    seen = []
    look = OpenTable.tally
    monkeypatch.setattr(OpenTable, "tally", lambda table: seen.append(ledger.history("people")[0].state) or look(table))
    release()
    assert seen == ["charged, not delivered"]


def test_the_answer_is_on_disk_before_it_is_returned(table, ledger):
    question = CountQuestion.of(Subject.of(table), "age > 1", EpsilonDelta.of(1))
    payment = Payment.of(ledger, "people")
    notes = []
    for basis in (Basis.CHARGED, Basis.STORED):
        found = answer(question, payment)
        assert (found.basis, found.receipt.released) == (basis, ledger.history("people")[0].released)
        notes.append(found.note)
    assert notes == ["", Basis.STORED.value]


def test_an_empty_table_is_charged_like_any(release, table, ledger):
    table.write_text("age,name\n")
    assert release().released == 0
    assert ledger.budget("people").left.epsilon == Fraction(9, 10)


@pytest.mark.parametrize("ask", [release_count, release_table])
def test_the_adjacency_is_that_of_the_budget_where_none_is_given(table, tmp_path, unread, ask):
    create_budget(tmp_path / "l", "people", 4000, adjacency="add-remove")
    paid = {"ledger": tmp_path / "l", "budget": "people", "max_count": 7}
    asked = ("age >= 65", 1000) if ask is release_count else ("name", ["Ann"], 1000)
    receipt = ask(table, *asked, **paid)
    assert (receipt.adjacency, receipt.maximum) == ("add-remove", 7)
    assert ask(table, *asked, **paid, adjacency="add-remove") == receipt
    unread()
    with pytest.raises(InvalidParameter, match=r"^adjacency must be add-remove, as the budget 'people' has it"):
        ask(table, *asked, **paid, adjacency="replace-one")
    with pytest.raises(InvalidParameter, match=r"^adjacency must be"):
        ask(table, *asked, max_count=7, adjacency="neither")
    assert len(Ledger(tmp_path / "l").history("people")) == 1
