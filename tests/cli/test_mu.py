"""`--mu` and `--rho` in place of `--epsilon`, from the budget to the reading of a receipt."""

from __future__ import annotations

import csv
import io
import json

import pytest

from hushcount.release.receipt import Receipt


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,region\n70,a\n30,b\n66,a\n", encoding="ascii")
    return path


@pytest.fixture
def ledger(run, tmp_path):
    """With `people`, mu 1 and D 1e-6, and `sums`, epsilon 1."""
    place = tmp_path / "people.ledger"
    run("budget", "create", "people", "--ledger", place, "--mu", 1, "--delta", "1e-6").succeeds()
    run("budget", "create", "sums", "--ledger", place, "--epsilon", 1).succeeds()
    return place


def test_explain(run):
    out = run("explain", "--n", 4, "--mu", "0.8").succeeds()
    assert out.startswith(
        "Range       0 to 4: the released count is always a possible count\n"
        "Privacy     mu 0.8, replace-one\n"
        "Implies     epsilon 3.79742 at delta 1e-6\n"
        "Mechanism   nearest\n"
    )
    assert "  wrong               in at most 57.2% of releases\n" in out  # 1 - .4288
    assert (
        "Implies     epsilon 4.83305 at delta 1e-9\n"
        in run("explain", "--n", 4, "--mu", ".8", "--at-delta", "1e-9").succeeds()
    )
    told = json.loads(run("explain", "--n", 4, "--rho", "0.32", "--json").succeeds())
    assert (told["epsilon"], told["mu_squared"], told["epsilon_at_delta"]) == (None, "0.64", "3.79742")


def test_epsilon_at_another_delta(run):
    assert "Implies" not in run("explain", "--n", 4, "--epsilon", 1).succeeds()
    out = run("explain", "--n", 4, "--epsilon", 1, "--at-delta", "0.001").succeeds()
    assert "Implies     epsilon 0.998632 at delta 0.001\n" in out
    assert "at_delta" not in json.loads(run("explain", "--n", 4, "--epsilon", 1, "--json").succeeds())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            (),
            "what is promised is missing: one of --epsilon (with --delta), --mu, --rho, and --within with --chance is",
        ),
        (("--mu", 1, "--rho", 1), "--rho must be left out beside mu: one of epsilon (with delta), mu, rho and within"),
        (
            ("--epsilon", 1, "--mu", 1),
            "--mu must be left out beside epsilon: one of epsilon (with delta), mu, rho and within (with chance)",
        ),
        (("--mu", 1, "--delta", "1e-6"), "--delta must be left out beside mu"),
        (("--mu", 0), "--mu must be a finite number > 0 (got '0')"),
        (("--mu", "x"), "--mu must be a finite number, such as"),
        (("--rho", -1), "--rho must be a finite number > 0 (got '-1')"),
        (("--mu", 1, "--at-delta", 1), "--at-delta must be a number >= 0 and < 1 (got '1')"),
        (
            ("--mu", 1, "--mechanism", "canonical"),
            "--mechanism must be nearest or within:T, which are private by proof",
        ),
    ],
    ids=str,
)
def test_bad_use(run, given, message):
    assert run("explain", "--n", 4, *given).fails_with(2).startswith(message)


def test_release_and_interpret(run, people, ledger, tmp_path):
    kept = tmp_path / "receipt.json"
    paying = ("--ledger", ledger, "--budget", "people")
    asked = ("release", "--where", "age >= 65", "--source", people, *paying)
    out = run(*asked, "--mu", "0.6", "--output", kept).succeeds()
    assert "Privacy     mu 0.6, replace-one\nImplies     epsilon 2.75" in out
    assert "Charged to the budget people, with mu 0.8 (mu^2 0.64), delta 0.000001 left\n" in out
    assert Receipt.from_json(kept.read_text()).ledger.left_mu_squared == "0.64"
    assert "Privacy     mu 0.6, replace-one\n" in run("interpret", kept).succeeds()
    told = json.loads(run("interpret", kept, "--json").succeeds())
    assert (told["mu_squared"], told["epsilon"]) == ("0.36", None)
    refused = run(*asked[:-1], "people", "--mu", "0.9").fails_with(4)
    assert refused.startswith("the budget 'people' does not cover mu 0.9 (mu^2 0.81), delta 0: mu 0.8 (mu^2 0.64)")
    wrong = run(*asked[:-1], "sums", "--mu", "0.1").fails_with(2)
    assert wrong.startswith("--budget must be one in mu (`hushcount budget create --mu`) for a release in mu, which")


def test_every_text_says_it_at_the_delta_asked_for(run, people, tmp_path):
    at, (one, cells) = ("--at-delta", "1e-9"), (tmp_path / "one.json", tmp_path / "cells.json")
    count = ("release", "--where", "age >= 65", "--source", people)
    table = ("table", people, "--by", "region", "--keys", "a,b", "--max", 3)
    implied = "\nImplies     epsilon 4.83305 at delta 1e-9\n"
    assert implied in run(*count, "--mu", "0.8", *at, "--output", one).succeeds()
    assert implied in run(*count, "--mu", "0.8", *at, "--explain").succeeds()
    assert implied in run("interpret", one, *at).succeeds()
    assert implied in run("interpret", "--cells", one, *at).succeeds()
    assert implied in run(*table, "--rho", "0.16", *at, "--receipt", cells).succeeds()
    told = run(*table, "--rho", "0.16", *at, "--explain").succeeds()
    assert implied in told
    assert "Compare     epsilon" in told
    assert implied in run("interpret", "--cells", cells, *at).succeeds()
    for receipts in ((one,), ("--cells", one), ("--cells", cells)):
        found = json.loads(run("interpret", *receipts, *at, "--json").succeeds())
        assert (found["at_delta"], found["epsilon_at_delta"]) == ("0.000000001", "4.83305")
    told = run(*table, "--epsilon", "0.1", *at, "--explain").succeeds()
    assert "Implies     epsilon 0.2 at delta 1e-9\n" in told
    assert " at delta 1e-9\n" in told.partition("Compare")[2]


@pytest.mark.parametrize("command", ["release", "table"])
def test_a_bad_delta_is_found_before_the_charge(run, people, ledger, command):
    asked = {
        "release": ("release", "--where", "age >= 65", "--source", people),
        "table": ("table", people, "--by", "region", "--keys", "a,b"),
    }[command] + ("--mu", "0.1", "--ledger", ledger, "--budget", "people")
    assert run(*asked, "--at-delta", "2").fails_with(2).startswith("--at-delta must be a number >= 0 and < 1")
    told = "--at-delta must be left out with --json, which prints the receipt: it is told in text"
    assert run(*asked, "--at-delta", "1e-6", "--json").fails_with(2).startswith(told)
    assert "Charges     0\n" in run("budget", "show", "people", "--ledger", ledger).succeeds()


def test_audit(run, tmp_path):
    place = tmp_path / "m.csv"
    place.write_text("0.6,0.4\n0.4,0.6\n")  # mu = 2 Phi^-1(.6) = .50669
    assert "0.506695" in run("audit", place, "--mu", "0.51").succeeds()
    assert run("audit", place, "--mu", "0.5").code == 1
    run("audit", place, "--rho", "0.13").succeeds()
    assert run("audit", place, "--rho", "0.12").code == 1
    assert run("audit", place, "--rho", "0.1", "--mu", "1").fails_with(2).startswith("--rho must be left out beside mu")
    assert run("audit", place, "--rho", "0.1", "--epsilon", "1").fails_with(2).startswith("--rho is judged by itself")
    assert run("audit", "--rho", "0.1").fails_with(2).startswith("--rho is for the FILE of a matrix")


def test_what_a_release_will_cost(run, people, ledger):
    asked = ("release", "--where", "age >= 65", "--source", people, "--ledger", ledger, "--budget", "people")
    out = run(*asked, "--mu", "0.6", "--explain").succeeds()
    assert "Charge      mu 0.6, unless it was answered before\n" in out
    assert "Left        mu 1 (mu^2 1), delta 0.000001, before it\n" in out
    out = run(*asked, "--epsilon", 1, "--explain").succeeds()
    charge = "Charge      epsilon 1, delta 0: mu 1.23204 (mu^2 1.5179111907419586309), delta 0, unless"
    assert charge in out
    assert "before it, which does not cover it\n" in out


def test_table(run, people, ledger, tmp_path):
    kept = tmp_path / "receipt.json"
    paying = ("--ledger", ledger, "--budget", "people")
    asked = ("table", people, "--by", "region", "--keys", "a,b", *paying, "--mu", "0.3")
    assert "Compare     epsilon 0." in run(*asked, "--max", 3, "--explain").succeeds()
    out = run(*asked, "--receipt", kept).succeeds()
    assert "Privacy     mu 0.424265 (rho 0.09), replace-one, for the table\n" in out
    assert "with mu 0.905538 (mu^2 0.82), delta 0.000001 left" in out
    assert (
        "Privacy     mu 0.424265 (rho 0.09), replace-one, for the table\n"
        in run("interpret", kept, "--cells").succeeds()
    )


def test_budgets(run, ledger):
    out = run("budget", "show", "people", "--ledger", ledger, "--at-delta", "2e-6").succeeds()
    assert "Total       mu 1 (mu^2 1), delta 0.000001\n" in out
    assert "As epsilon  total 4.88656, spent 0, left 4.88656, each at delta 0.000002\n" in out
    (told,) = json.loads(run("budget", "show", "people", "--ledger", ledger, "--json").succeeds())["budgets"]
    assert (told["mu_squared"], told["spent_mu_squared"], told["epsilon_at_delta"]) == ("1", "0", None)
    made = json.loads(run("budget", "create", "x", "--ledger", ledger, "--rho", "0.5", "--json").succeeds())
    assert (made["mu_squared"], made["composition"]) == ("1", "gaussian")
    assert "epsilon_at_delta" in made
    run("budget", "show", "sums", "--ledger", ledger, "--at-delta", "x").fails_with(2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((), "the total is missing: one of --epsilon, --mu and --rho is needed"),
        (("--mu", 1, "--epsilon", 1), "--mu must be left out beside epsilon"),
        (("--mu", 1, "--composition", "tight"), "--composition must be left out for a budget in mu"),
        (("--mu", 1, "--delta", 1), "--delta must be a number >= 0 and < 1"),
        (("--rho", 0), "--rho must be a finite number > 0"),
    ],
    ids=str,
)
def test_bad_budgets(run, tmp_path, given, message):
    place = tmp_path / "people.ledger"
    assert run("budget", "create", "people", "--ledger", place, *given).fails_with(2).startswith(message)
    assert not place.exists()


def test_history_and_verify(run, people, ledger):
    asked = ("release", "--source", people, "--ledger", ledger, "--budget", "people", "--where")
    run(*asked, "age >= 65", "--mu", "0.6").succeeds()
    run(*asked, "age >= 66", "--epsilon", "0.1", "--delta", "1e-7").succeeds()
    heading, first, second = run("budget", "history", "people", "--ledger", ledger).succeeds().splitlines()
    assert heading.split()[:7] == ["entry", "charged", "at", "(UTC)", "mu^2", "delta", "left"]
    assert first.split()[3:6] == ["0.36", "0", "0.64"]
    assert second.split()[3:6] == ["about", "0.0157023", "0.0000001"]
    text = run("budget", "history", "people", "--ledger", ledger, "--csv").succeeds()
    one, two = csv.DictReader(io.StringIO(text))
    assert (one["epsilon"], one["mu_squared"], one["charged_mu_squared"]) == ("", "0.36", "0.36")
    assert (two["epsilon"], two["mu_squared"], two["charged_delta"]) == ("0.1", "", "0.0000001")
    run("budget", "verify", "--ledger", ledger).succeeds()


@pytest.mark.parametrize("option", ["--mu", "--rho"])
@pytest.mark.parametrize(
    "command",
    [
        ("optimal-set", "--n", 4),
        ("medium", "psk", "--order", 4, "--snr-db", 3),
        ("plot", "medium", "psk", "--order", 4, "--snr-db", 3),
        ("plot", "optimal-set", "--n", 2),
    ],
    ids=str,
)
def test_commands_for_epsilon_alone_say_so(run, command, option):
    name = command[1] if command[0] == "plot" else command[0]
    said = f"{option} is not for {name}, which promises --epsilon and --delta only"
    assert run(*command, option, 1).fails_with(2).startswith(said)
    assert run(*command, f"{option}=1").fails_with(2).startswith(said)
    assert run(*command, "--epsilon", 1, option, 1).fails_with(2).startswith(said)
