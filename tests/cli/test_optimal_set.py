"""`hushcount optimal-set`: what all optima share, and how far they differ."""

import json

import pytest

from hushcount.optimal_set import OptimalSet


def test_five_outcomes_tell_the_paper_s_story(run):
    told = run("optimal-set", "--n", "4", "--epsilon", "0.5", "--delta", "0.01", "--steps").succeeds()
    lines = told.splitlines()
    assert "Optimal mechanisms                    infinitely many" in lines
    assert "No less together: rows 1 and 2, outcomes 0..1." in lines
    assert "No less together: rows 3 and 2, outcomes 3..4." in lines
    drawing = [line.split()[1:] for line in lines[lines.index("  0 1 2 3 4") + 1 :][:5]]
    assert sum(mark in "+=" for row in drawing for mark in row) == 13
    assert lines[-1].startswith("20. ")


def test_json_has_every_figure(run):
    told = json.loads(run("optimal-set", "--n", "5", "--epsilon", "0.3", "--json").succeeds())
    optimal = OptimalSet(5, "0.3")
    assert told["radius"] == optimal.radius
    assert told["radius_bound"] == optimal.radius_bound
    assert told["ranges"]["lower"] == optimal.ranges.lower.tolist()
    assert told["shared_entries"] == optimal.shared_entries.tolist()
    assert told["rank"]["verdict"] == "SOME_SINGULAR"
    assert told["is_unique"] is False
    assert told["propagation"]["steps"][0]["rule"] == "DIAGONAL"


@pytest.mark.parametrize(("n", "epsilon"), [("0", "1"), ("1", "0.5"), ("3", "0")])
def test_a_unique_optimum(run, n, epsilon):
    told = run("optimal-set", "--n", n, "--epsilon", epsilon).succeeds()
    assert "Optimal mechanisms                    one" in told
    assert "Radius around the canonical one       0\n" in told


def test_large_n_has_closed_forms_only(run):
    told = run("optimal-set", "--n", "1000000", "--epsilon", "0.7").succeeds()
    assert "Radius around" not in told
    assert "Its bound in closed form" in told
    assert "Entries are told one by one for n up to 32." in told
    assert "ranges" not in json.loads(run("optimal-set", "--n", "100", "--epsilon", "0.1", "--json").succeeds())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--n", "3", "--epsilon", "nan"], "--epsilon must be a finite number"),
        (["--n", "-1", "--epsilon", "1"], "--n must be a whole number"),
        (["--n", "3", "--epsilon", "1", "--delta", "1"], "--delta must be a number >= 0 and < 1"),
        (["--epsilon", "1"], "missing option '--n'"),
    ],
)
def test_bad_options(run, arguments, message):
    assert run("optimal-set", *arguments).fails_with(2).startswith(message)
