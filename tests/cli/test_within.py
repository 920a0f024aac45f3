"""An accuracy in place of a promise, and what within:T costs, as commands tell them."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from hushcount.ledger import create_budget
from hushcount.mechanisms import nearest
from hushcount.promise import GaussianDP
from hushcount.release.aim import asked
from hushcount.release.beside import Beside
from hushcount.release.law import Law


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,region\n" + "".join(f"{age},{'ns'[age % 2]}\n" for age in range(109)))
    return path


def test_explain_tells_what_within_costs(run):
    text = run("explain", "--n", 3000, "--mu", "0.357", "--mechanism", "within:5").succeeds()
    assert (
        "\nAt mu 0.357, in what part of releases at most\n"
        "                      wrong  off by more than 5\n"
        "  within:5          99.951%                  5%\n"
        "  nearest             85.9%                7.7%\n"
        "  rounded-gaussian    85.9%                  5%\n"
        "- within:5 is right less than half as often as nearest: for whom a count that\n"
        "  is off by up to 5 is as good as the right one.\n\n"
    ) in text
    text = run("explain", "--n", 2997, "--mu", "0.357", "--mechanism", "within:5").succeeds()
    assert "\n  within:5          86.6%                  5%\n" in text
    assert "less than half" not in text


def test_an_accuracy_tells_of_within_at_its_own_promise(run):
    """It is named unasked ("Takes ... with within:T"), so its cost is told unasked."""
    arguments = ("explain", "--n", 109, "--within", 5, "--chance", "0.5")
    text = run(*arguments).succeeds()
    takes = asked(within=5, chance="0.5").promise([109], "within:5")
    assert f"\n            {takes.in_words()} with within:5\n" in text
    assert f"\nAt {takes.in_words()}, in what part of releases at most\n" in text
    assert "- within:5 is right less than half as often as nearest" in text
    told = json.loads(run(*arguments, "--json").succeeds())["beside"]
    assert Fraction(told["epsilon"]) == takes.epsilon
    assert told["chance_off_by_more_than"]["nearest"]["0"] == nearest(109, takes).error_probability
    assert "in what part" not in run("explain", "--n", 10**6, "--within", 5, "--chance", "0.5").succeeds()


@pytest.mark.parametrize("command", ["release", "table"])
def test_releases_tell_it_before_they_cost(run, people, command):
    what = ("--where", "age > 0") if command == "release" else ("--by", "region", "--keys", "n,s")
    text = run(command, people, *what, "--mu", "0.3", "--mechanism", "within:5", "--explain").succeeds()
    lines = Beside.of(Law.of("within:5", GaussianDP.of("0.3")), [109]).to_lines()
    assert "\n".join(["", *lines, ""]) in text
    assert "less than half" in "".join(lines)


def test_the_currency_is_that_of_the_budget(people, run, tmp_path):
    place = tmp_path / "place.ledger"
    create_budget(place, "people", mu=5)
    options = ("--within", 5, "--chance", "0.6", "--ledger", place, "--budget", "people")
    for command in (("release", people, "--where", "age > 9"), ("table", people, "--by", "region", "--keys", "n,s")):
        told = run(*command, *options, "--explain").succeeds()
        assert "\nCharge      mu " in told
        assert "\nAsked       off by at most 5 in at least 60% of releases\nCurrency    mu; as the budget is\n" in told
        assert json.loads(run(*command, *options, "--json").succeeds())["mu_squared"] is not None
        dear = run(*command, *options, "--currency", "epsilon", "--explain").succeeds()
        assert "\nCurrency    epsilon; the budget is in mu\n" in dear


@pytest.mark.parametrize("command", ["release", "table"])
def test_the_text_repeats_what_was_asked(people, run, command):
    what = ("--where", "age > 1") if command == "release" else ("--by", "region", "--keys", "n,s")
    for more in ((), ("--explain",)):
        text = run(command, people, *what, "--within", 5, "--chance", "0.6", *more).succeeds()
        assert "\nAsked       off by at most 5 in at least 60% of releases\n" in text
        assert "\nAsked " not in run(command, people, *what, "--epsilon", 1, *more).succeeds()
