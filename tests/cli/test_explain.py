"""`hushcount explain`: the words and numbers of a release, without data."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

import hushcount
from hushcount.mechanisms import canonical, nearest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ["duckdb", "matplotlib", "pandas", "pyarrow", "rich", "sqlglot"]


def test_text(run):
    text = run("explain", "--n", 7, "--epsilon", "0.5").succeeds()
    assert text.startswith("Range       0 to 7: the released count is always a possible count\n")
    assert "\nPrivacy     epsilon 0.5, delta 0, replace-one\n" in text
    assert "\nMechanism   nearest\n" in text
    assert "\n  off by more than 5  " in text
    assert "by a factor of\n  at most 1.65" in text or "by a factor of at most 1.65" in " ".join(text.split())
    assert text.endswith("sums.\n")
    assert max(map(len, text.splitlines())) <= 78


@pytest.mark.parametrize("mechanism", [nearest, canonical])
def test_json_holds_the_figures_of_the_mechanism(run, mechanism):
    answer = json.loads(
        run(
            "explain", "--n", 12, "--epsilon", "1/3", "--delta", "1e-6", "--mechanism", mechanism.__name__, "--json"
        ).succeeds()
    )
    law = mechanism(12, "1/3", "1e-6")
    assert answer == {
        "minimum": 0,
        "maximum": 12,
        "epsilon": "1/3",
        "delta": "0.000001",
        "adjacency": "replace-one",
        "adjacency_meaning": answer["adjacency_meaning"],
        "mechanism": mechanism.__name__,
        "audit": None,
        "unit": None,
        "error_probability": law.error_probability,
        "chance_off_by_more_than": {str(t): law.probability_beyond(t) for t in (1, 2, 5)},
        "hushcount_version": hushcount.__version__,
    }


# --- a saved mechanism ------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path):
    """Private from epsilon = ln 2 on."""
    matrix = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]
    path = tmp_path / "m.csv"
    return path, hushcount.save_mechanism(matrix, path, epsilon="0.1", name="three answers")


def test_a_saved_mechanism(run, saved):
    path, mechanism = saved
    text = run("explain", "--n", 2, "--epsilon", "0.7", "--mechanism", path).succeeds()
    assert "\nPrivacy     epsilon 0.7, delta 0, replace-one\nMechanism   three answers (audited)\nAudit       " in text
    assert (
        "\n  wrong               in at most 50% of releases\n  off by more than 1  in at most 25% of releases\n" in text
    )
    assert max(map(len, text.splitlines())) <= 78
    out = run("explain", "--n", 2, "--epsilon", "0.5", "--delta", "0.1", "--mechanism", path, "--json").succeeds()
    answer = json.loads(out)
    assert (answer["mechanism"], answer["error_probability"]) == ("audited", 0.5)
    assert answer["audit"] == {
        "name": "three answers",
        "matrix_sha256": mechanism.sha256,
        "least_delta": pytest.approx(0.5 - math.exp(0.5) / 4, rel=1e-15),
        "least_mu": None,
    }


def test_a_saved_mechanism_that_does_not_do(run, saved, tmp_path):
    path, _ = saved
    message = run("explain", "--n", 2, "--epsilon", "0.1", "--mechanism", path).fails_with(2)
    assert message.startswith(
        "--mechanism must be private at epsilon 0.1, delta 0; an audit found that it takes epsilon "
    )
    message = run("explain", "--n", 3, "--epsilon", "0.7", "--mechanism", path).fails_with(2)
    assert message.startswith("--mechanism must be one for the range of the release, 0 to 3: its own is 0 to 2")
    assert "does not exist" in run("explain", "--n", 2, "--epsilon", 1, "--mechanism", tmp_path / "x.csv").fails_with(3)


# --- without data -----------------------------------------------------------------------------------------------------


def test_nothing_but_0_can_be_released_when_n_is_0(run):
    text = run("explain", "--n", 0, "--epsilon", 1).succeeds()
    assert "0 to 0: only 0 can be released" in text
    assert text.count("never") == 4


@pytest.mark.parametrize(("n", "impossible"), [(1, 3), (2, 2), (5, 1), (6, 0)])
def test_a_distance_that_the_range_excludes_never_occurs(run, n, impossible):
    assert run("explain", "--n", n, "--epsilon", 1000).succeeds().count("never\n") == impossible


def test_a_tiny_epsilon_is_not_0(run):
    text = run("explain", "--n", 4, "--epsilon", "1e-400").succeeds()
    assert "epsilon 1e-400," in text
    assert "barely more than 1" in " ".join(text.split())
    assert json.loads(run("explain", "--n", 4, "--epsilon", "1e-400", "--json").succeeds())["epsilon"] == "1e-400"


def test_a_trillion_rows(run):
    assert "0 to 1000000000000" in run("explain", "--n", 10**12, "--epsilon", "0.1", "--delta", "1e-9").succeeds()


def test_add_remove_says_what_the_upper_end_is(run):
    text = " ".join(run("explain", "--n", 9, "--epsilon", 1, "--adjacency", "add-remove").succeeds().split())
    assert "The number of rows is private" in text
    assert "The declared maximum, 9, is public" in text


@pytest.mark.parametrize("n", ["-3", "1.5", "1e3", "1_0", "\uff11\uff10", "ten", "", "0x10", "9" * 101])
def test_bad_n(run, n):
    assert run("explain", "--n", n, "--epsilon", 1).fails_with(2).startswith("--n must be a whole number >= 0")


@pytest.mark.parametrize("epsilon", ["nan", "inf", "-inf", "-1", "-1e-400", "1_0", "\uff11", "1,0", "", "0x1"])
def test_bad_epsilon(run, epsilon):
    message = run("explain", "--n", 3, "--epsilon", epsilon).fails_with(2)
    assert message.startswith("--epsilon must be ")
    assert f"(got '{epsilon}')" in message


@pytest.mark.parametrize("delta", ["1", "1.5", "-1e-9", "nan"])
def test_bad_delta(run, delta):
    message = run("explain", "--n", 3, "--epsilon", 1, "--delta", delta).fails_with(2)
    assert message.startswith("--delta must be ")
    assert f"(got '{delta}')" in message


def test_bad_names(run):
    assert (
        run("explain", "--n", 3, "--epsilon", 1, "--mechanism", "best").fails_with(2).startswith("--mechanism must be")
    )
    assert (
        run("explain", "--n", 3, "--epsilon", 1, "--adjacency", "none").fails_with(2).startswith("--adjacency must be")
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["explain", "--n", "9", "--epsilon", "1"],
        ["--help"],
        ["release", "--help"],
        ["compare", "--n", "2", "--epsilon", "1"],
        ["audit", "examples/matrix.csv", "--epsilon", "0.6"],
        ["audit", "--samples", "examples/releases.csv", "--epsilon", "0.6"],
    ],
)
def test_starts_without_the_libraries_that_read_data(arguments):
    program = (
        "import sys; from hushcount.cli import main; code = main(sys.argv[1:]); "
        f"print(code, sorted(set({HEAVY}) & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stderr == "0 []\n"


@pytest.mark.slow
def test_release_does_start_with_them(tmp_path):
    # Shows that the test above can fail.
    path = tmp_path / "a.csv"
    path.write_text("age\n1\n")
    program = (
        "import sys; from hushcount.cli import main; main(sys.argv[1:]); "
        f"print(sorted(set({HEAVY}) & set(sys.modules)), file=sys.stderr)"
    )
    command = [sys.executable, "-c", program, "release", str(path), "--where", "age > 0", "--epsilon", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "'duckdb'" in done.stderr
    assert "'sqlglot'" in done.stderr


@pytest.mark.slow
def test_explain_starts_without_the_audits():
    program = (
        "import sys; from hushcount.cli import main; main(['explain', '--n', '9', '--epsilon', '1']); "
        "print(*(name for name in sys.modules if name.startswith('hushcount.privacy')), "
        "file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == "\n"


def test_accuracy_first(run):
    text = run("explain", "--n", 4820, "--within", 5, "--chance", "0.95").succeeds()
    assert text.startswith(
        "Asked       off by at most 5 in at least 95% of releases\n"
        "Takes       epsilon 0.539, delta 0 with nearest\n"
        "            epsilon 0.539, delta 0 with within:5\n"
    )
    assert "\nPrivacy     epsilon 0.539, delta 0, replace-one\n" in text
    assert "\n  off by more than 5  in at most 5% of releases\n" in text
    assert max(map(len, text.splitlines())) <= 78


def test_accuracy_first_with_the_best_mechanism(run):
    text = run("explain", "--n", 100, "--within", 3, "--chance", "0.4", "--mechanism", "within:3").succeeds()
    assert "\nMechanism   within:3\n" in text
    assert "\n  off by more than 3  in at most 59.9" in text
    told = json.loads(run("explain", "--n", 100, "--within", 3, "--chance", "0.4", "--json").succeeds())
    assert told["takes"]["nearest"] == f"epsilon {told['epsilon']}, delta 0"
    assert told["takes"]["within:3"] in text
    assert (told["within"], told["chance"], set(told["beyond"])) == (3, "0.4", {"3"})
    assert 0.59 < told["beyond"]["3"] <= 0.6


@pytest.mark.parametrize("figure", [0, 1, 2, 5])
def test_every_figure_has_its_reverse_question(run, figure):
    """What explain prints of an epsilon leads back to that epsilon."""
    told = json.loads(run("explain", "--n", 50, "--epsilon", "0.437", "--json").succeeds())
    beyond = told["error_probability"] if figure == 0 else told["chance_off_by_more_than"][str(figure)]
    back = run("explain", "--n", 50, "--within", figure, "--chance", repr(1 - beyond - 1e-12), "--json").succeeds()
    assert json.loads(back)["epsilon"] == "0.437"


def test_accuracy_first_in_mu(run):
    text = run("explain", "--n", 100, "--within", 5, "--chance", "0.95", "--currency", "mu").succeeds()
    assert "\nTakes       mu 0.389 with nearest\n" in text
    assert "\nPrivacy     mu 0.389, replace-one\n" in text


def test_an_accuracy_that_takes_no_data(run):
    """Distances of any length keep their column, and a count that is near enough whatever it is says nothing."""
    text = run("explain", "--n", 4820, "--within", 5000, "--chance", "0.95").succeeds()
    assert "\nTakes       epsilon 0, delta 0 with nearest: the count then says nothing\n" in text
    assert "\n  off by more than 5000  never\n" in text
    assert "\n  off by more than 1     in at most " in text
    assert "says nothing" not in run("explain", "--n", 10001, "--within", 5000, "--chance", "0.95").succeeds()


def test_a_chance_is_never_rounded_up_to_certainty(run):
    text = run("explain", "--n", 9, "--within", 1, "--chance", "." + 20 * "9").succeeds()
    assert text.startswith("Asked       off by at most 1 in at least 99.9999999999999% of releases\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--within", "5", "--chance", "95%"), "(got '95%'); did you mean '0.95'?"),
        (("--within", "5", "--chance", "nine%"), "(got 'nine%')\n"),
        (("--within", "5"), "--chance must be given beside --within: how near"),
        (("--within", "5", "--chance", "1"), "--chance must be a number < 1"),
        (
            ("--within", "5", "--chance", "0.9", "--epsilon", "1"),
            "--epsilon must be left out beside --within and --chance, from which",
        ),
        (("--within", "x", "--chance", "0.9"), "--within must be"),
        (
            ("--epsilon", "1", "--mechanism", "within:x"),
            "--mechanism must be one of nearest, canonical, never-",
        ),
    ],
)
def test_bad_accuracies(run, options, message):
    outcome = run("explain", "--n", 9, *options)
    assert outcome.code == 2
    assert message in outcome.err


# --- what a promise has to mean ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 100])
def test_odds(run, n):
    text = run("explain", "--n", n, "--odds", 3, "--delta", "1e-6").succeeds()
    assert text.startswith("Asked       odds shift by a factor of at most 3\nRange ")
    assert text.partition("\n")[2] == run("explain", "--n", n, "--epsilon", "1.09", "--delta", "1e-6").succeeds()
    told = json.loads(run("explain", "--n", n, "--odds", 3, "--json").succeeds())
    assert told.pop("odds") == "3"
    assert told == json.loads(run("explain", "--n", n, "--epsilon", "1.09", "--json").succeeds())


def test_power(run):
    text = run("explain", "--n", 10, "--power", "0.1").succeeds()
    assert text.partition("\n")[2] == run("explain", "--n", 10, "--mu", "0.363").succeeds()
    assert "recognizes that other one at most 10% of the time." in " ".join(text.split())


def test_implied_epsilon(run):
    for given, mu in (((), "0.236"), (("--at-delta", "1e-9"), "0.181")):
        text = run("explain", "--n", 10, "--implies", 1, *given).succeeds()
        assert text.partition("\n")[2] == run("explain", "--n", 10, "--mu", mu, *given).succeeds()
        (implied,) = [line.split() for line in text.splitlines() if line.startswith("Implies")]
        assert 0.99 < float(implied[2]) <= 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--odds", "0.5"), "--odds must be a number >= 1 (got '0.5')"),
        (("--odds", "x"), "--odds must be"),
        (("--odds", "2", "--epsilon", "1"), "leave out --epsilon beside --odds"),
        (("--odds", "2", "--within", "1", "--chance", "0.5"), "leave out --within beside --odds"),
        (("--odds", "2", "--power", "0.5"), "leave out --power beside --odds"),
        (("--power", "0.05"), "--power must be a number > 0.05 and < 1"),
        (("--power", "0.5", "--delta", "1e-6"), "--delta must be left out beside mu"),
        (("--implies", "-1"), "--implies must be a finite number >= 0 (got '-1')"),
        (("--implies", "1", "--at-delta", "0"), "--at-delta must be a number > 0 and < 1"),
        (("--implies", "1", "--rho", "1"), "leave out --rho beside --implies"),
    ],
)
def test_bad_meanings(run, given, message):
    assert run("explain", "--n", 5, *given).fails_with(2).startswith(message)


def test_what_is_hidden(run):
    asked = ("explain", "--n", "40", "--epsilon", "1", "--delta", "1e-5", "--mechanism", "never-invented")
    assert (
        run(*asked)
        .succeeds()
        .endswith("""
A true count of 0 is always released as 0, and small ones mostly are.
A true count is shown, that is, released as a count above 0, in at least 5% of
releases from 10 on, 50% from 12, 95% from 14, 99.9% from 18, always from 23.
No count from 1 to 10 is ever told: a smaller count that is shown is told as
11 or more, and 11 is the least that may be right.
""")
    )
    told = json.loads(run(*asked, "--json").succeeds())
    assert told["least_shown"] == 11
    assert told["shown_from"] == {"0.05": 10, "0.5": 12, "0.95": 14, "0.999": 18, "1.0": 23}
    few = run("explain", "--n", "3", "--epsilon", "1", "--delta", "0.5", "--mechanism", "never-invented").succeeds()
    assert "is ever told" not in few
    for promise, message in (
        (("--epsilon", "1"), "--delta must be > 0 where no group may be invented"),
        (("--mu", "1"), "--mechanism must be another one here: under a promise in mu or rho"),
    ):
        assert message in run("explain", "--n", "40", *promise, "--mechanism", "never-invented").fails_with(2)
