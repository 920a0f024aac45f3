"""`hushcount budget`: set once, shown exactly, verified; credentials in a URL are never repeated."""

from __future__ import annotations

import csv
import io
import json

import pytest
from ledgers import charged_before, lift_triggers, question, receipt

from hushcount.ledger import Ledger
from hushcount.ledger.location import store_at


@pytest.fixture
def ledger(tmp_path):
    return str(tmp_path / "people.ledger")


@pytest.fixture
def spent(run, ledger):
    """A budget with a delivered and an undelivered charge."""
    run("budget", "create", "people", "--ledger", ledger, "--epsilon", "0.3", "--delta", "1e-6").succeeds()
    opened = Ledger(ledger)
    opened.answer("people", question("name = 'a,\"b\n'", "0.1", about={"source": "x.csv"}), lambda _: receipt(7), "one")
    opened.charge("people", question("age >= 65", "1/7", "1e-7"), "two")
    return ledger


def test_create(run, ledger):
    asked = (
        "create",
        "people",
        "--ledger",
        ledger,
        "--epsilon",
        "1/3",
        "--protects",
        "person",
        "--adjacency",
        "add-remove",
    )
    assert run("budget", *asked).succeeds() == (
        "Budget      people\n"
        "Protects    one person, add-remove\n"
        "Sources     none listed: for an owner who asks alone (`budget source add` lists them for others)\n"
        "Composition basic\n"
        "Total       epsilon 1/3, delta 0\n"
        "Spent       epsilon 0, delta 0\n"
        "Left        epsilon 1/3, delta 0\n"
        "Charges     0\n"
        "State       open\n"
    )
    assert run("budget", *asked).fails_with(2).startswith("NAME must be one that no budget of the ledger has")


def test_create_as_json(run, ledger):
    made = json.loads(
        run(
            "budget", "create", "x", "--ledger", ledger, "--epsilon", "1", "--composition", "tight", "--json"
        ).succeeds()
    )
    assert (made["epsilon"], made["left_epsilon"], made["composition"], made["closed_at"]) == ("1", "1", "tight", None)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--epsilon", "-1"),
        ("--epsilon", "nan"),
        ("--delta", "1"),
        ("--adjacency", "bounded"),
        ("--protects", ""),
        ("--unit", ""),
        ("--composition", "x"),
        ("--ledger", ""),
    ],
)
def test_bad_options(run, ledger, option, value):
    asked = {"--ledger": ledger, "--epsilon": "1", option: value}
    message = run("budget", "create", "people", *(word for pair in asked.items() for word in pair)).fails_with(2)
    assert message.startswith(f"{option} must be")


def test_an_option_is_given_once(run, ledger):
    message = run("budget", "create", "x", "--ledger", ledger, "--epsilon", "1", "--epsilon", "2").fails_with(2)
    assert "may be given only once" in message


def test_show(run, spent):
    shown = run("budget", "show", "people", "--ledger", spent).succeeds()
    assert "Spent       epsilon 17/70, delta 0.0000001\n" in shown
    assert "Left        epsilon 2/35, delta 0.0000009\n" in shown
    assert "Charges     2, 1 of them charged, not delivered\n" in shown
    run("budget", "create", "tight", "--ledger", spent, "--epsilon", "1", "--composition", "tight").succeeds()
    both = run("budget", "show", "--ledger", spent).succeeds()
    assert both.startswith(shown + "\nBudget      tight\n")
    assert "Left        epsilon 1, delta 0 or less for the first charge, which settles the price of all\n" in both
    found = json.loads(run("budget", "show", "--ledger", spent, "--json").succeeds())
    assert [each["budget"] for each in found["budgets"]] == ["people", "tight"]
    assert (found["budgets"][0]["charges"], found["budgets"][0]["undelivered"]) == (2, 1)


def test_history(run, spent):
    head, first, second = run("budget", "history", "people", "--ledger", spent).succeeds().splitlines()
    assert head.split() == ["entry", "charged", "at", "(UTC)", "epsilon", "delta", "left", "released", "question"]
    assert first.split()[3:7] == ["0.1", "0", "0.2", "7"]
    assert first.endswith("  rows of x.csv where name = 'a,\"b\\n' (0 to 5000, nearest)")
    assert second.split()[3:6] == ["1/7", "0.0000001", "2/35"]
    assert "  charged, not delivered  rows where age >= 65 (0 to 5000, nearest)" in second


ROWS = {"source": "x.csv", "table": None}
UNITS = {"source": "x.duckdb", "table": "visits", "unit": {"column": "patient_id", "without": "error"}}
TABLE = {"by": ["region", "year"], "cell_epsilon": "0.05", "max_cells": 1, "everything": 312}


@pytest.mark.parametrize(
    ("others", "words"),
    [
        ({"predicate": "TRUE", "about": ROWS}, "all rows of x.csv (0 to 5000, nearest)"),
        ({"predicate": "TRUE", "about": UNITS}, "all units (patient_id) of visits in x.duckdb (0 to 5000, nearest)"),
        ({"about": UNITS}, "units (patient_id) of visits in x.duckdb where age >= 65 (0 to 5000, nearest)"),
        (
            {"about": {**ROWS, **TABLE}, "cells": 1043},
            "rows of x.csv where age >= 65, 1,043 cells by region and by year, epsilon 0.05 x 2 (0 to 5000, nearest)",
        ),
        (
            {"about": {**UNITS, **TABLE, "max_cells": 3}, "cells": 5},
            "units (patient_id) of visits in x.duckdb where age >= 65, 5 cells by region and by year, epsilon 0.05 x 5 "
            "(0 to 5000, nearest)",
        ),
        (
            {"about": {**ROWS, **TABLE}, "cells": 1},
            "rows of x.csv where age >= 65, 1 cell by region and by year, epsilon 0.05 x 1 (0 to 5000, nearest)",
        ),
    ],
    ids=["all-rows", "all-units", "units", "table", "table-of-units", "one-cell"],
)
def test_what_the_history_says_was_asked(run, ledger, others, words):
    run("budget", "create", "people", "--ledger", ledger, "--epsilon", "9").succeeds()
    Ledger(ledger).charge("people", question(**{"epsilon": "0.1", **others}), "one")
    _, line = run("budget", "history", "people", "--ledger", ledger).succeeds().splitlines()
    assert line.endswith(f"  charged, not delivered  {words}")


def test_history_of_units_and_their_rows(run, ledger):
    """Both protect a unit with all its rows."""
    run("budget", "create", "people", "--ledger", ledger, "--epsilon", "9").succeeds()
    for name, more in (("one", {}), ("two", {"rows_per_unit": 3})):
        about = {**UNITS, "unit": {**UNITS["unit"], **more}}
        Ledger(ledger).charge("people", question("age >= 65", "0.1", about=about), name)
    shown = run("budget", "history", "people", "--ledger", ledger).succeeds()
    assert "rows of visits in x.duckdb, at most 3 of each patient_id, where age >= 65 (0 to 5000, nearest)" in shown
    assert "Note" not in shown


def test_history_of_rows_and_units(run, ledger):
    run("budget", "create", "people", "--ledger", ledger, "--epsilon", "9").succeeds()
    for name, about in (("one", UNITS), ("two", ROWS)):
        assert "Note" not in run("budget", "history", "people", "--ledger", ledger).succeeds()
        charged_before(ledger, question("age >= 65", "0.1", about=about), name)
    shown = run("budget", "history", "people", "--ledger", ledger).succeeds()
    assert "\n\nNote: these charges count different things (units (patient_id), rows)," in shown
    assert max(map(len, shown.split("\n\n")[1].splitlines())) <= 80


def test_max_cells_in_the_history_is_that_of_units(run, ledger):
    run("budget", "create", "people", "--ledger", ledger, "--epsilon", "9").succeeds()
    for name, about in (("one", {**UNITS, **TABLE}), ("two", {**ROWS, **TABLE})):
        charged_before(ledger, question("age >= 65", "0.1", about=about, cells=4), name)
    found = json.loads(run("budget", "history", "people", "--ledger", ledger, "--json").succeeds())
    assert [charge["about"]["max_cells"] for charge in found["charges"]] == [1, None]
    assert [charge["about"]["everything"] for charge in found["charges"]] == [312, 312]


def test_history_as_csv(run, spent):
    rows = list(csv.DictReader(io.StringIO(run("budget", "history", "people", "--ledger", spent, "--csv").succeeds())))
    assert [row["predicate"] for row in rows] == ["name = 'a,\"b\n'", "age >= 65"]
    assert [row["released"] for row in rows] == ["7", ""]
    assert [row["state"] for row in rows] == ["delivered", "charged, not delivered"]
    assert [row["left_epsilon"] for row in rows] == ["0.2", "2/35"]
    assert json.loads(rows[0]["about"]) == {"source": "x.csv"}
    assert rows[1]["hash"] == Ledger(spent).head


def test_history_as_json(run, spent):
    found = json.loads(run("budget", "history", "people", "--ledger", spent, "--json").succeeds())
    first, second = found["charges"]
    assert (first["request_id"], first["released"], first["receipt"]["released"]) == ("one", 7, 7)
    assert (second["request_id"], second["released"], second["receipt"]) == ("two", None, None)
    assert (second["epsilon"], second["delta"], second["minimum"], second["maximum"]) == ("1/7", "0.0000001", 0, 5000)
    both = run("budget", "history", "people", "--ledger", spent, "--json", "--csv").fails_with(2)
    assert both == "history prints either --json or --csv"


def test_history_of_nothing(run, ledger):
    run("budget", "create", "people", "--ledger", ledger, "--epsilon", "1").succeeds()
    assert run("budget", "history", "people", "--ledger", ledger).succeeds() == "No charges.\n"


def test_close(run, spent):
    assert "\nState       closed at 20" in run("budget", "close", "people", "--ledger", spent).succeeds()
    assert "an open one" in run("budget", "close", "people", "--ledger", spent).fails_with(2)
    assert "closed_at" in run("budget", "show", "people", "--ledger", spent, "--json").succeeds()


def test_verify(run, spent):
    head = Ledger(spent).head
    shown = run("budget", "verify", "--ledger", spent).succeeds()
    assert f"Verdict     intact\nEntries     4\nHead        {head}\n" in shown
    assert json.loads(run("budget", "verify", "--ledger", spent, "--head", head, "--json").succeeds())["faults"] == []
    elsewhere = run("budget", "verify", "--ledger", spent, "--head", "0" * 64)
    assert (elsewhere.code, elsewhere.err) == (1, "")
    assert "Verdict     another\n" in elsewhere.out
    assert run("budget", "verify", "--ledger", spent, "--head", "x").fails_with(2).startswith("--head must be a hash")


def test_verify_finds_a_change(run, spent):
    with store_at(spent).writing() as transaction:
        lift_triggers(transaction)
        transaction.execute("UPDATE hushcount_entries SET left_epsilon = '9' WHERE number = 2")
    found = run("budget", "verify", "--ledger", spent)
    assert (found.code, found.err) == (1, "")
    assert "Verdict     changed\n" in found.out
    assert "Fault       entry 2 was changed after it was written\n" in found.out
    assert json.loads(run("budget", "verify", "--ledger", spent, "--json").out)["verdict"] == "CHANGED"
    assert "`hushcount budget verify` tells where" in run("budget", "show", "--ledger", spent).fails_with(3)


@pytest.mark.parametrize(
    "arguments", [("show",), ("show", "x"), ("history", "x"), ("verify",), ("close", "x")], ids=" ".join
)
def test_a_missing_ledger(run, ledger, arguments):
    message = run("budget", *arguments, "--ledger", ledger).fails_with(3)
    assert message == f"the ledger {ledger} does not exist; `hushcount budget create` makes one"


def test_a_budget_that_is_not_there(run, spent):
    for action in ("show", "history", "close"):
        assert "one of the ledger's: 'people'" in run("budget", action, "person", "--ledger", spent).fails_with(2)


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "--ledger", "postgresql://user:secret@127.0.0.1:1/x"),
        ("show", "--ledger", "postgresql://user:secret@127.0.0.1:1/x?password=secret"),
        ("show", "--ledger", "mysql://user:secret@host/x"),
        ("show", "--ledger", "x", "people", "postgresql://user:secret@host/x"),
        ("create", "x", "--epsilon", "postgresql://user:secret@host/x", "--ledger", "y"),
        ("show", "postgresql://user:se cret@host/x"),
    ],
)
def test_credentials_are_not_repeated(run, arguments):
    outcome = run("budget", *arguments)
    assert outcome.code in (2, 3)
    assert outcome.out == ""
    assert "secret" not in outcome.err
    assert "user:" not in outcome.err


def test_without_a_subcommand(run):
    assert run("budget").fails_with(2) == "missing command (see 'hushcount budget --help')"
    assert run("budget", "delete").fails_with(2).startswith("no such command 'delete'")
