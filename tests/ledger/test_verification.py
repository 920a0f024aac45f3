"""`verify` finds what was done to a history, and says what only a noted head can find."""

from __future__ import annotations

import shutil
from dataclasses import asdict, fields, replace

import pytest
from hypothesis import given, strategies as st
from ledgers import lift_triggers, question, receipt

from hushcount.errors import LedgerUnusable
from hushcount.ledger import Ledger, Verdict, create_budget
from hushcount.ledger.entry import Entry, Kind
from hushcount.ledger.location import store_at
from hushcount.ledger.tables import NO_HASH
from hushcount.ledger.verification import verification
from hushcount.promise.epsilon_delta import EpsilonDelta


@pytest.fixture
def ledger(budget, place):
    """Entries: 1 created, 2 charged, 3 delivered, 4 charged, 5 created, 6 charged, 7 closed, 8 charged, 9 delivered."""
    ledger = budget(1, "1e-6")
    ledger.answer("people", question("a", "0.1"), lambda _: receipt(7), "one")
    ledger.charge("people", question("b", "0.2", "1e-9"), "two")
    create_budget(place, "visits", 1)
    ledger.charge("visits", question("c", "0.3"), "one")
    ledger.close("visits")
    ledger.answer("people", question("d", "0.1"), lambda _: receipt(8), "three")
    assert ledger.verify().is_intact
    return ledger


@pytest.fixture
def tamper(place):
    """Runs statements as somebody who may do everything."""

    def tamper(*statements):
        with store_at(place).writing() as transaction:
            lift_triggers(transaction)
            for statement in statements:
                transaction.execute(statement)

    return tamper


def spelled(value):
    """A number or a text in SQL."""
    return value if isinstance(value, int) else f"'{value}'"


def updated(entry, /, **values):
    """An update of that entry to these values."""
    set_to = ", ".join(f"{name} = {spelled(value)}" for name, value in values.items())
    return f"UPDATE hushcount_entries SET {set_to} WHERE number = {entry}"


def deleted(condition):
    return f"DELETE FROM hushcount_entries WHERE {condition}"


def head_at(number):
    return f"UPDATE hushcount_head SET number = {number}"


def changed(ledger, *expected):
    found = ledger.verify()
    assert (found.verdict, found.is_intact) == (Verdict.CHANGED, False)
    for start in expected:
        assert any(fault.startswith(start) for fault in found.faults), found.faults
    return found.faults


def test_intact(ledger):
    found = ledger.verify()
    assert (found.verdict, found.faults, found.entries, found.head) == (Verdict.INTACT, (), 9, ledger.head)
    assert found.to_dict()["verdict"] == "INTACT"


def test_the_database_itself_refuses_changes(ledger, place):
    for statement in (updated(1, epsilon="0"), deleted("TRUE"), deleted("number = 9")):
        with pytest.raises(LedgerUnusable) as refused, store_at(place).writing() as transaction:
            transaction.execute(statement)
        assert "the history is append-only" in str(refused.value.__context__)
    assert ledger.verify().is_intact


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "values"),
    [
        (1, {"epsilon": "2"}),
        (1, {"left_epsilon": "2"}),
        (2, {"epsilon": "0.01"}),
        (2, {"body": "{}"}),
        (3, {"body": receipt(8)}),
        (4, {"left_epsilon": "0.9"}),
        (4, {"kind": "nothing"}),
        (4, {"moment": "2020-01-01T00:00:00Z"}),
        (6, {"budget": "people", "request": "other"}),
        (7, {"budget": "people"}),
        (9, {"hash": "0" * 64}),
        (9, {"previous": "0" * 64}),
    ],
)
def test_an_edit_is_found(ledger, tamper, number, values):
    tamper(updated(number, **values))
    changed(ledger, f"entry {number} was changed after it was written")


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, 9))
def test_a_deletion_is_found(ledger, tamper, number):
    tamper(deleted(f"number = {number}"))
    changed(ledger, f"entry {number} is missing")


def test_several_deletions_are_found(ledger, tamper):
    tamper(deleted("number IN (3, 4, 5)"))
    changed(ledger, "entry 3 to 5 is missing")


def test_a_deletion_that_is_renumbered_is_found(ledger, tamper):
    tamper(
        deleted("number = 4"),
        *(updated(k, number=k - 1) for k in range(5, 10)),
        head_at(8),
    )
    changed(ledger, "entry 4 was changed", "entry 4 does not follow")


def test_reordering_is_found(ledger, tamper):
    tamper(moved(4, 99), moved(6, 4), moved(99, 6))
    changed(ledger, "entry 4 does not follow", "entry 6 does not follow", "entry 4 was changed")


def test_entries_cut_off_are_found(ledger, tamper):
    tamper(deleted("number > 7"))
    changed(ledger, "the head is of entry 9, but the last entry is 7")


def test_everything_gone_is_found(ledger, tamper):
    tamper(deleted("TRUE"))
    changed(ledger, "the head is of entry 9, but the last entry is 0")
    with pytest.raises(LedgerUnusable):
        ledger.charge("people", question())


def test_an_insertion_is_found(ledger, tamper):
    tamper(copied(2, number=10, request="four"))
    changed(ledger, "entry 10 does not follow", "entry 10 was changed", "the head is of entry 9")


@pytest.mark.parametrize(
    "statement",
    [
        updated(9, body=receipt(9)),
        updated(8, left_epsilon="0.9"),
        updated(1, epsilon="2"),
        "UPDATE hushcount_entries SET body = X'7B7D' WHERE number = 1",
    ],
)
def test_nothing_is_charged_to_an_end_or_a_budget_that_was_edited(ledger, tamper, statement):
    tamper(statement)
    with pytest.raises(LedgerUnusable, match=CHANGED):
        ledger.charge("people", question("new", 0))
    assert not ledger.verify().is_intact


CHANGED = "has a history that was changed; `hushcount budget verify` tells where"


def copied(entry, **values):
    """An insertion of that entry, with these values changed."""
    cells = ", ".join(
        str(spelled(values[field.name])) if field.name in values else field.name for field in fields(Entry)
    )
    return f"INSERT INTO hushcount_entries SELECT {cells} FROM hushcount_entries WHERE number = {entry}"


def moved(old, new):
    return updated(old, number=new)


OTHER_ENTRIES = {
    **{f"{number} is missing": [deleted(f"number = {number}")] for number in range(1, 10)},
    "3, 4 and 7 are missing": [deleted("number IN (3, 4, 7)")],
    "all are missing": [deleted("TRUE")],
    "all are missing, and the head says so": [
        deleted("TRUE"),
        f"UPDATE hushcount_head SET number = 0, hash = {NO_HASH!r}",
    ],
    "7 is missing, and its number too": [
        deleted("number = 7"),
        moved(8, 7),
        moved(9, 8),
        head_at(8),
    ],
    "7 is missing, and there is a 0": [deleted("number = 7"), copied(2, number=0, request="x")],
    "there is a -1": [copied(2, number=-1, request="x")],
    "there is a 10": [copied(2, number=10, request="x")],
    "there is a 10, and the head says so": [copied(2, number=10, request="x"), head_at(10)],
    "there is a 99": [copied(2, number=99, request="x")],
    "the head says 8": [head_at(8)],
    "the head says 10": [head_at(10)],
    "the head has another hash": [f"UPDATE hushcount_head SET hash = {NO_HASH!r}"],
    "the head is missing": ["DELETE FROM hushcount_head"],
}


@pytest.mark.slow
@pytest.mark.parametrize("statements", OTHER_ENTRIES.values(), ids=OTHER_ENTRIES)
def test_nothing_is_done_with_other_entries_than_the_head_says(ledger, place, tamper, statements):
    """A missing one may have closed a budget, charged it, or be an answer, which would be drawn a second time."""
    paid = ledger.find("people", "one")
    tamper(*statements)
    for act in (
        lambda: ledger.charge("people", question("new", 0)),
        lambda: ledger.charge("visits", question("new", "0.1")),
        lambda: ledger.charge("people", question("a", "0.1")),
        lambda: ledger.deliver(paid, receipt(1)),
        lambda: create_budget(place, "more", 1),
        lambda: ledger.close("people"),
        lambda: ledger.history("people"),
        lambda: ledger.find("people", "one"),
        ledger.budgets,
        lambda: ledger.budget("people"),
        lambda: ledger.terms("people"),
        lambda: ledger.head,
    ):
        with pytest.raises(LedgerUnusable, match=CHANGED):
            act()


def test_an_answer_that_was_changed_is_not_given(ledger, tamper):
    tamper(updated(3, body=receipt(9)))
    for ask in (lambda: ledger.charge("people", question("a", "0.1")), lambda: ledger.history("people")):
        with pytest.raises(LedgerUnusable, match="history that was changed"):
            ask()


# --- made up, hashes and all -----------------------------------------------------------------------------------------


def chain(*unplaced):
    placed, last = [], NO_HASH
    for number, entry in enumerate(unplaced):
        placed.append(entry.after(number, last, "2026-01-01T00:00:00Z"))
        last = placed[-1].hash
    return placed, (len(placed), last)


def created(name="people", epsilon="1", body='{"adjacency":"replace-one","composition":"basic","unit":"row"}'):
    total = EpsilonDelta.of(epsilon)
    return Entry.of(Kind.CREATED, name, price=total, left=total, body=body)


def charged(request, epsilon, left, predicate="a", price=None):
    asked = question(predicate, epsilon)
    return Entry.of(
        Kind.CHARGED,
        "people",
        request=request,
        question=asked.sha256,
        price=price or asked.price,
        left=EpsilonDelta.of(left),
        body=asked.to_json(),
    )


def delivered(request):
    return Entry.of(Kind.DELIVERED, "people", request=request, body=receipt(7))


CLOSED = Entry.of(Kind.CLOSED, "people")
TIGHT = '{"adjacency":"replace-one","composition":"tight","unit":"row"}'


@pytest.mark.parametrize(
    ("unplaced", "fault"),
    [
        ([created(), created()], "entry 2 (created): a budget of that name is there already"),
        ([charged("r", "0.1", "0.9")], "entry 1 (charged): there is no such budget"),
        ([created(), charged("r", "0.1", "0.95")], "entry 2 (charged): what it says is left is not what is left"),
        ([created(), charged("r", "1.1", "0")], "entry 2 (charged): the budget does not cover it"),
        ([created(), charged("r", "0.1", "0.9"), charged("r", "0.1", "0.8")], "entry 3 (charged): its request id was"),
        ([created(), CLOSED, charged("r", "0.1", "0.9")], "entry 3 (charged): the budget was closed before"),
        ([created(), CLOSED, CLOSED], "entry 3 (closed): it was closed before"),
        ([created(), delivered("r")], "entry 2 (delivered): no charge waits for this answer"),
        ([created(), charged("r", "0.1", "0.9"), delivered("r"), delivered("r")], "entry 4 (delivered): no charge"),
        (
            [created(), charged("r", "0.1", "0.99", price=EpsilonDelta.of("0.01"))],
            "entry 2 (charged): its question is not the one that was charged",
        ),
        ([created(body="{}")], "entry 1 (created): cannot be read"),
        ([created(), replace(delivered("r"), kind="other")], "entry 2 (other): cannot be read"),
        ([created(body=TIGHT), charged("r", "2", "0")], "the budget 'people' does not cover its charges"),
        (
            [created(body=TIGHT), charged("r", "0.1", "0"), charged("s", "0.2", "0")],
            "entry 3 (charged): its price is not that of the first charge",
        ),
    ],
)
def test_what_a_ledger_would_not_write_is_found_in_a_sound_chain(unplaced, fault):
    found = verification(*chain(*unplaced))
    assert found.verdict is Verdict.CHANGED
    assert [text for text in found.faults if not text.startswith(fault)] == []
    assert found.faults


def test_a_sound_chain_that_a_ledger_would_write():
    rows = [created(), charged("r", "0.1", "0.9"), delivered("r"), charged("s", "0.1", "0.8"), CLOSED, delivered("s")]
    assert verification(*chain(*rows)).is_intact


@pytest.mark.slow
@pytest.mark.parametrize(
    "unplaced",
    [
        [created(body="{}")],
        [created(body="[]")],
        [created(body="no JSON")],
        [created(epsilon="2"), replace(charged("r", "0.1", "0.9"), body="{}")],
        [created(), replace(charged("r", "0.1", "0.9"), left_epsilon="x")],
        [created(), replace(charged("r", "0.1", "0.9"), epsilon="-1", left_epsilon="")],
        [created(), replace(charged("r", "0.1", "0.9"), body='{"predicate":1}')],
        [created(), charged("r", "0.1", "0.9"), replace(delivered("r"), body="{}")],
        [created(), charged("r", "0.1", "0.9"), replace(delivered("r"), body="[")],
        [replace(created(), epsilon="1/0")],
        [created(body="[" * 100_000)],
        [created(body='{"adjacency":"replace-one","composition":"basic","unit":5}')],
        [created(body='{"adjacency":"replace-one","composition":"basic","party":"row","unit":"row"}')],
        [created(epsilon="2"), replace(charged("r", "0.1", "0.9"), body="[" * 100_000)],
        [created(), replace(charged("r", "0.1", "0.9"), left_epsilon="1e999999999")],
    ],
)
def test_entries_that_no_ledger_wrote_are_refused_though_their_hashes_fit(file, unplaced):
    """Nothing is read out of them, and nothing fails but the ledger."""
    create_budget(file, "people", 1)
    rows, (number, hash_) = chain(*unplaced)
    with store_at(file).writing() as transaction:
        lift_triggers(transaction)
        transaction.execute(deleted("TRUE"))
        for row in rows:
            cells = row.to_row()
            transaction.execute(
                f"INSERT INTO hushcount_entries VALUES ({', '.join(f':{name}' for name in cells)})", **cells
            )
        transaction.execute("UPDATE hushcount_head SET number = :number, hash = :hash", number=number, hash=hash_)
    ledger = Ledger(file)
    assert not ledger.verify().is_intact
    for act in (
        lambda: ledger.budget("people"),
        lambda: (ledger.charge("people", question("a", "0.1")), ledger.history("people")),
    ):
        with pytest.raises(LedgerUnusable, match=CHANGED):
            act()


@given(st.integers(0, 5), st.sampled_from(sorted(asdict(created()))), st.text("0a\n\0é", max_size=3))
def test_any_edit_of_any_field_is_found(row, name, value):
    rows, end = chain(
        created(), charged("r", "0.1", "0.9"), delivered("r"), charged("s", "0.1", "0.8"), CLOSED, delivered("s")
    )
    edited = 99 if name == "number" else value
    if getattr(rows[row], name) != edited:
        rows[row] = replace(rows[row], **{name: edited})
        assert verification(rows, end).verdict is Verdict.CHANGED


# --- what only a noted head finds ------------------------------------------------------------------------------------


def test_an_older_copy_is_found_by_a_noted_head(file, tmp_path):
    create_budget(file, "people", 1)
    Ledger(file).charge("people", question("a"))
    copy = shutil.copy(file, tmp_path / "copy")
    Ledger(file).charge("people", question("b"))
    noted = Ledger(file).head
    Ledger(file).charge("people", question("c"))
    assert Ledger(file).verify(noted).is_intact, "it may have grown since"
    assert Ledger(copy).verify().is_intact, "nothing in it tells"
    assert Ledger(copy).verify(noted).verdict is Verdict.ANOTHER


def test_verdicts_are_sentences():
    for verdict in Verdict:
        assert verdict.value.endswith(".")


def test_a_damaged_page_is_reported(file):
    create_budget(file, "people", 1)
    ledger = Ledger(file)
    for number in range(30):
        ledger.charge("people", question("x" * 300 + str(number), 0))
    with open(file, "r+b") as raw:
        raw.seek(-4096 * 2, 2)
        raw.write(b"\xff" * 2000)
    with pytest.raises(LedgerUnusable, match="is damaged"):
        assert not ledger.verify().is_intact
