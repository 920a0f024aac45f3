"""`hushcount release --ledger`: charged first, refused at the end of the budget, free where it was answered."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from hushcount import save_mechanism
from hushcount.counting import OpenTable
from hushcount.ledger import Basis, Ledger, create_budget

SCHEMA = json.loads((Path(__file__).resolve().parents[2] / "docs" / "receipt.schema.json").read_text(encoding="utf-8"))
STORED = f"hushcount: note: {Basis.STORED.value}\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,name\n70,Ann\n30,Bob\n65,Cid\n")
    return path


@pytest.fixture
def ledger(tmp_path):
    create_budget(tmp_path / "people.ledger", "people", 1, "1e-6")
    return tmp_path / "people.ledger"


@pytest.fixture
def release(run, table, ledger):
    def release(*more, where="age >= 65", epsilon="0.3", place=ledger, budget="people"):
        asked = ("release", table, "--where", where, "--epsilon", epsilon, "--ledger", place, "--budget", budget)
        return run(*asked, *more)

    return release


def test_text(release, ledger):
    text = release("--request-id", "2026-11").succeeds()
    assert re.match(r"Released count: [0-3]\n\nQuestion    rows of people\.csv where age >= 65\n", text)
    assert text.endswith(
        " UTC\nCharged to the budget people, with epsilon 0.7, delta 0.000001 left\n"
        "Entry 2 of the ledger, request 2026-11\n"
    )
    assert str(ledger.parent) not in text


def test_text_rounds_what_is_left_down(release):
    text = release(epsilon=f"1/{3**120}").succeeds()
    assert "with epsilon about 0.999999, delta 0.000001 left" in text


def test_under_tight_composition(release, ledger):
    create_budget(ledger, "tight", 1, "1e-6", composition="tight")
    assert "\nCharged to the budget tight\nEntry 3 of" in release(budget="tight").succeeds()
    message = release(budget="tight", where="age < 65", epsilon="0.2").fails_with(2)
    assert message.startswith("under tight composition all charges of a budget have the price of the first, here epsil")
    assert len(Ledger(ledger).history("tight")) == 1


def test_json_is_the_stored_receipt(release, ledger):
    out = release("--json").succeeds()
    jsonschema.validate(json.loads(out), SCHEMA, cls=jsonschema.Draft202012Validator)
    (charge,) = Ledger(ledger).history("people")
    assert charge.answer.strip() == out.strip()
    assert json.loads(out)["ledger"] == {
        "budget": "people",
        "request_id": charge.request_id,
        "entry": 2,
        "entry_sha256": charge.hash,
        "left_epsilon": "0.7",
        "left_delta": "0.000001",
    }


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_the_same_question_is_answered_free_of_charge_and_it_is_said(release, ledger, form):
    first = release(*form)
    again = release(*form, where="age>=65", epsilon="3/10")
    assert (again.code, again.out, again.err) == (0, first.out, STORED)
    assert len(Ledger(ledger).history("people")) == 1
    assert release("--fresh", *form).succeeds() != first.out
    assert Ledger(ledger).budget("people").left.epsilon == 1 - 2 * first_price(ledger)


def first_price(ledger):
    return Ledger(ledger).history("people")[0].question.price.epsilon


def test_the_budget_ends(release, ledger):
    for number in range(3):
        release(where=f"age > {number}").succeeds()
    assert release().fails_with(4) == (
        "the budget 'people' does not cover epsilon 0.3, delta 0: epsilon 0.1 and delta 0.000001 are left"
    )
    assert release("--delta", "0.9", epsilon="0.05").fails_with(4).startswith("the budget 'people' does not cover")
    release(epsilon="0.1").succeeds()
    Ledger(ledger).close("people")
    assert release("--fresh", epsilon="0.1").fails_with(4) == (
        "the budget 'people' is closed: nothing more can be charged to it"
    )
    assert release(epsilon="0.1").err == STORED


@pytest.mark.slow
def test_in_a_process(shell, table, ledger):
    asked = ("release", table, "--where", "age >= 65", "--epsilon", "0.6", "--ledger", ledger, "--budget", "people")
    assert shell(*asked).succeeds().startswith("Released count: ")
    assert shell(*asked, "--fresh").fails_with(4).startswith("the budget 'people' does not cover epsilon 0.6")


def test_a_saved_mechanism(release, tmp_path):
    save_mechanism([[0.25] * 4] * 4, tmp_path / "m.csv", epsilon=0, name="flat")
    text = release("--mechanism", tmp_path / "m.csv").succeeds()
    assert "\nMechanism   flat (audited)\n" in text
    assert release("--mechanism", tmp_path / "m.csv").err == STORED
    release().succeeds()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ledger", "{ledger}"], "--budget must be given with a ledger"),
        (["--budget", "people"], "--ledger must be given where a budget"),
        (["--request-id", "r"], "--ledger must be given where"),
        (["--fresh"], "--ledger must be given where"),
        (
            ["--ledger", "{ledger}", "--budget", "visits"],
            "--budget must be one of the ledger's: 'people' (got 'visits')",
        ),
        (["--ledger", "{ledger}", "--budget", "people", "--request-id", ""], "--request-id must be a printable text"),
        (["--ledger", "", "--budget", "people"], "--ledger must be the name of a file, or a URL"),
        (
            ["--ledger", "{ledger}", "--budget", "people", "--adjacency", "add-remove", "--max", "5"],
            "--adjacency must be replace-one, as the budget 'people' has it (got 'add-remove')",
        ),
        (["--ledger", "{ledger}", "--budget", "people", "--budget", "x"], "option '--budget' may be given only once"),
    ],
    ids=str,
)
def test_bad_options(run, ledger, arguments, message):
    """Before the data is opened, which is not there."""
    asked = [word.format(ledger=ledger) for word in arguments]
    assert run("release", "nowhere.csv", "--where", "age > 1", "--epsilon", 1, *asked).fails_with(2).startswith(message)
    assert Ledger(ledger).history("people") == ()


def test_options_of_one_command_are_not_spoken_of_by_another(run, ledger):
    message = run("budget", "show", "visits", "--ledger", ledger).fails_with(2)
    assert message == "budget must be one of the ledger's: 'people' (got 'visits')"


def test_the_adjacency_is_that_of_the_budget_unless_it_is_given(run, table, tmp_path):
    ledger = tmp_path / "other.ledger"
    run("budget", "create", "b", "--ledger", ledger, "--epsilon", 2000, "--adjacency", "add-remove").succeeds()
    count = ("release", table, "--where", "age >= 65")
    cells = ("table", table, "--by", "name", "--keys", "Ann")
    paid = ("--epsilon", 300, "--ledger", ledger, "--budget", "b")
    for asked in (count, cells):
        assert "add-remove" in run(*asked, *paid, "--max", 9, "--explain").succeeds()
        assert "add-remove" in run(*asked, *paid, "--max", 9).succeeds()
        assert run(*asked, *paid).fails_with(2).startswith("--max must be given under add-remove")
        message = run(*asked, *paid, "--max", 9, "--adjacency", "replace-one").fails_with(2)
        assert message == "--adjacency must be add-remove, as the budget 'b' has it (got 'replace-one')"
        assert "replace-one" in run(*asked, "--epsilon", 300).succeeds()
    message = run(*count, "--epsilon", 300, "--max", 9).fails_with(2)
    assert message.startswith("--max must be left out under replace-one")
    assert message.endswith("; --adjacency add-remove takes it (got 9)")
    assert len(Ledger(ledger).history("b")) == 2


@pytest.mark.parametrize("spelling", ["{}", "sqlite:///{}"])
def test_the_ledger_is_not_written_over(release, ledger, spelling):
    before = ledger.read_bytes()
    message = release("--output", ledger, place=spelling.format(ledger)).fails_with(2)
    assert message.startswith("--output must be another file than those that are read")
    assert ledger.read_bytes() == before


def test_a_ledger_that_is_not_one(release, table, tmp_path):
    assert "does not exist" in release(place=tmp_path / "nowhere").fails_with(3)
    assert "is not a ledger" in release(place=table).fails_with(3)
    assert not (tmp_path / "nowhere").exists()


def test_a_failure_that_the_values_tell_says_that_it_was_charged(release, ledger):
    message = release(where="name > 65").fails_with(2)
    assert message.startswith("column 'name' (text) cannot be compared with 65;")
    assert message.endswith(
        "; the data had been read, so epsilon 0.3, delta 0 stay charged to the budget 'people'; the same question "
        "asked again is not charged again, and a corrected one is charged anew; once its source is listed (`hushcount "
        "budget source add`), such mistakes are free"
    )
    assert [charge.state for charge in Ledger(ledger).history("people")] == ["charged, not delivered"]


def test_a_failure_that_nobody_foresaw_says_that_it_was_charged(release, ledger, monkeypatch):
    def runs_out(_):
        raise MemoryError

    monkeypatch.setattr(OpenTable, "tally", runs_out)
    message = release().fails_with(70)
    fault = "stopped by an unexpected MemoryError, which is a fault in hushcount"
    assert message == f"{fault}; the same question asked again is not charged again"
    assert [charge.state for charge in Ledger(ledger).history("people")] == ["charged, not delivered"]


def test_on_a_server(release, run, database):
    create_budget(database, "people", 1, "1e-6")
    out = release("--json", place=database).succeeds()
    assert release("--json", place=database).out == out
    assert "s3cret" not in out
    assert "keeper" not in out
    assert "Left        epsilon 0.7," in run("budget", "show", "people", "--ledger", database).succeeds()
    wrong = database.replace("s3cret", "wrong-s3cret")
    message = release(place=wrong).fails_with(3)
    assert "cannot be reached" in message
    assert "s3cret" not in message
