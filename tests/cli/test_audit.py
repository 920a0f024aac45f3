"""`hushcount audit`: verdicts as exit codes, tables for people, strict JSON for programs."""

from __future__ import annotations

import gzip
import json
import math
from importlib import import_module

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

import hushcount
from hushcount import nearest, simulate
from hushcount.mechanisms import redrawn_geometric, truncated_geometric
from hushcount.privacy import AuditVerdict

BROKEN = "1,0\n.1,.9\n"
STEPS = ".5,.5\n.3,.7\n.1,.9\n"


def strict(text):
    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.fixture
def csv(tmp_path):
    def csv(text, name="matrix.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return csv


@pytest.fixture
def log(tmp_path):
    """160,000 releases of a mechanism that takes epsilon 1."""
    path = tmp_path / "log.npy"
    true = np.repeat(np.arange(8), 20_000)
    released = simulate(truncated_geometric(7, 1), true, rng=np.random.default_rng(1))
    np.save(path, np.column_stack([true, released]))
    return path


def answers(outcome, code):
    assert (outcome.code, outcome.err) == (code, ""), outcome
    return outcome.out


def test_private(run, csv):
    text = answers(run("audit", csv(STEPS), "--epsilon", "1.1"), 0)
    assert "matrix.csv: 3 true counts, 2 outcomes\n" in text
    assert "\nClaim       epsilon 1.1, delta 0, between true counts 1 apart\n" in text
    assert "\nVerdict     private\n" in text
    assert "\nepsilon at delta 0    1.09862      1     0.3      2     0.1  0\n" in text
    assert text.endswith("The claim holds: no pair of true counts and no set of outcomes exceeds it.\n")


def test_not_private(run, csv):
    text = answers(run("audit", csv(BROKEN), "--epsilon", 1), 1)
    assert "\nVerdict     not private: delta exceeded by 0.9\nPrivate at  epsilon 1, delta 0.9\n" in text
    assert "\ndelta at epsilon 1       0.9      1     0.9      0       0  1\n" in text
    assert "\nepsilon at delta 0  infinite      1     0.9      0       0  1\n" in text
    assert "The claim does not hold" in text
    assert text.endswith("has outcomes that 0 never has.\nFrom delta 0.9 on, some epsilon is.\n")
    assert answers(run("audit", csv(BROKEN), "--epsilon", 1, "--delta", "0.9"), 0)


def test_by_rounding_only(run, tmp_path):
    """What the text says is enough passes as it is typed."""
    path = tmp_path / "private.npy"
    np.save(path, nearest(10, "0.7").matrix())
    text = answers(run("audit", path, "--epsilon", "0.7"), 1)
    assert "\nVerdict     not private, by rounding only (gap 4.7e-17): delta 5e-17 covers it\n" in text
    assert "\nPrivate at  epsilon 0.7, delta 5e-17; or epsilon 0.700001, delta 0\n" in text
    assert "\nepsilon at delta 0       0.700001 " in text
    for claim in (["0.7", "--delta", "5e-17"], ["0.700001"], ["0.7", "--delta", "1e-15"]):
        assert "\nVerdict     private\n" in answers(run("audit", path, "--epsilon", *claim), 0)
    answer = strict(answers(run("audit", path, "--epsilon", "0.7", "--json"), 1))
    assert (answer["verdict"], answer["by_rounding"]) == ("NOT_PRIVATE", True)
    assert "rounding explains" in answer["explanation"]
    assert answer["sufficient"] == [
        {"epsilon": "0.7", "delta": "0.00000000000000005"},
        {"epsilon": "0.700001", "delta": "0"},
    ]
    np.save(path, nearest(10, "0.71").matrix())
    answer = strict(answers(run("audit", path, "--epsilon", "0.7", "--json"), 1))
    assert (answer["verdict"], answer["by_rounding"]) == ("NOT_PRIVATE", False)
    assert "rounding" not in answer["explanation"]
    assert answer["least_epsilon"]["witness"]["probability"]["lower"] > 0


def test_undecided(run, csv, monkeypatch):
    monkeypatch.setattr(import_module("hushcount.privacy.auditing"), "_verdict", lambda _: AuditVerdict.UNDECIDED)
    assert "\nVerdict     undecided: delta exceeded by at most 0.9\n" in answers(
        run("audit", csv(BROKEN), "--epsilon", 1), 5
    )


def test_redrawn_noise_is_caught(run, tmp_path):
    path = tmp_path / "m.npy"
    np.save(path, redrawn_geometric(10, 1).matrix())
    assert "1.20907 " in answers(run("audit", path, "--epsilon", 1), 1)
    assert "\nVerdict     private\n" in answers(run("audit", path, "--epsilon", "1.2091"), 0)


@pytest.mark.slow
def test_parquet_and_distance(run, tmp_path):
    path = tmp_path / "m.parquet"
    matrix = nearest(5, 1).matrix()
    parquet.write_table(pyarrow.table({f"c{j}": matrix[:, j] for j in range(6)}), path)
    assert "apart\nVerdict     private\n" in answers(run("audit", path, "--epsilon", "1.0001"), 0)
    text = answers(run("audit", path, "--epsilon", "1.0001", "--distance", 2), 1)
    assert "between true counts 2 apart\nVerdict     not private: delta exceeded by " in text
    assert "keeps epsilon 1.0001, delta 0 between true counts 1 apart" in text
    assert text.endswith("promises epsilon 2.0002, delta 0 here.\n")


def test_json_has_no_infinity(run, csv):
    answer = strict(answers(run("audit", csv(BROKEN), "--epsilon", "1", "--json"), 1))
    assert answer["least_epsilon"] == {
        "lower": None,
        "upper": None,
        "witness": {
            "true": 1,
            "other": 0,
            "outcomes": [[1, 1]],
            "probability": {"lower": pytest.approx(0.9), "upper": 0.9},
            "other_probability": {"lower": 0.0, "upper": 0.0},
        },
    }
    assert answer["finite_from"]["upper"] == 0.9
    assert answer["least_delta"]["upper"] == pytest.approx(0.9)
    assert (answer["verdict"], answer["true_counts"], answer["outcomes"]) == ("NOT_PRIVATE", 2, 2)
    assert (answer["epsilon"], answer["delta"], answer["distance"]) == ("1", "0", 1)
    assert answer["hushcount_version"] == hushcount.__version__


def test_json_least_epsilon(run, csv):
    answer = strict(answers(run("audit", csv(STEPS), "--epsilon", "1/2", "--json"), 1))
    assert answer["least_epsilon"]["lower"] <= math.log(3) <= answer["least_epsilon"]["upper"]


def test_a_scattered_event_is_cut_short(run, csv):
    text = answers(run("audit", csv(".1,0," * 9 + ".1,0\n" + "0,.1," * 9 + "0,.1\n"), "--epsilon", 1), 1)
    assert "  0, 2, 4, 6, 8, ...\n" in text
    assert max(map(len, text.splitlines()[1:])) <= 78


@pytest.mark.slow
def test_log(run, log):
    text = answers(run("audit", "--samples", log, "--epsilon", 1), 0)
    assert "log.npy: 160,000 releases, 14 ordered pairs of true counts\n" in text
    assert "\nVerdict     not rejected\nConfidence  99.9%\n" in text
    text = answers(run("audit", "--samples", log, "--epsilon", "0.7"), 1)
    assert "\nVerdict     rejected\n" in text
    assert "\nEstimate    epsilon 1.015: the outcomes were released " in text
    assert "\nepsilon at delta 0   0.93" in text


@pytest.mark.slow
def test_confidence(run, log):
    text = answers(run("audit", "--samples", log, "--confidence", "0.95"), 0)
    assert "\nConfidence  95%\n" in text
    answer = strict(answers(run("audit", "--samples", log, "--confidence", "0.95", "--json"), 0))
    usual = strict(answers(run("audit", "--samples", log, "--json"), 0))
    assert (answer["confidence"], usual["confidence"]) == ("0.95", "0.999")
    assert answer["epsilon_at_least"] > usual["epsilon_at_least"]


def test_compressed_files(run, csv, tmp_path):
    for text, name, arguments in (
        (STEPS, "m.csv", []),
        ("true,released\n" + "0,1\n1,1\n" * 200, "log.csv", ["--samples"]),
    ):
        packed = tmp_path / f"{name}.gz"
        packed.write_bytes(gzip.compress(text.encode()))
        plain = answers(run("audit", *arguments, csv(text, name), "--json"), 0)
        assert answers(run("audit", *arguments, packed, "--json"), 0) == plain.replace(name, packed.name)


def test_rows_are_divided_where_that_is_asked(run, csv):
    path = csv(".3333,.3333,.3333\n.25,.25,.5\n")
    message = run("audit", path, "--epsilon", 1).fails_with(3)
    assert message.endswith("; if that is rounding, divide each row by its sum, as `normalise` does")
    text = answers(run("audit", path, "--epsilon", 1, "--normalise"), 0)
    assert "matrix.csv: 2 true counts, 3 outcomes, each row divided by its sum\n" in text
    answer = strict(answers(run("audit", path, "--epsilon", 1, "--normalise", "--json"), 0))
    assert answer["normalised"] is True
    assert strict(answers(run("audit", csv(STEPS), "--json"), 0))["normalised"] is False


@pytest.mark.slow
def test_log_json(run, log):
    answer = strict(answers(run("audit", "--samples", log, "--epsilon", "0.7", "--delta", "1e-9", "--json"), 1))
    assert (answer["verdict"], answer["draws"], answer["confidence"]) == ("REJECTED", 160_000, "0.999")
    mine, theirs = answer["frequencies"]
    assert mine["draws"] == theirs["draws"] == 10_000
    assert answer["estimate"] == pytest.approx(math.log((mine["share"] - 1e-9) / theirs["share"]))
    assert 0.7 < answer["epsilon_at_least"] <= 1


def test_log_that_shows_nothing(run, csv):
    path = csv("true,released\n" + "0,1\n1,1\n" * 200, "log.csv")
    text = answers(run("audit", "--samples", path, "--epsilon", 0), 0)
    assert "\nepsilon at delta 0         0      -       -      -       -  none exceeds\n" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "audit takes either the FILE of a matrix or --samples FILE"),
        (["m.csv", "--samples", "s.csv"], "audit takes either the FILE of a matrix or --samples FILE"),
        (["m.txt"], "m.txt: the name must end in .csv, .npy or .parquet (or .csv.gz)"),
        (["--samples", "s"], "s: the name must end in .csv, .npy or .parquet (or .csv.gz)"),
        (["m.csv", "--delta", "1"], "--delta must be "),
        (["m.csv", "--distance", "0"], "--distance must be a whole number >= 1 (got '0')"),
        (["m.csv", "--distance", "1.5"], "--distance must be a whole number >= 1 (got '1.5')"),
        (["m.csv", "--distance", "x"], "--distance must be a whole number >= 1 (got 'x')"),
        (["m.csv", "--distance", "-1"], "--distance must be a whole number >= 1 (got '-1')"),
        (["m.csv", "--confidence", "0.9"], "--confidence is for --samples"),
        (["--samples", "s.csv", "--confidence", "1"], "--confidence must be a number > 0 and < 1 (got '1')"),
        (["--samples", "s.csv", "--confidence", "x"], "--confidence must be a finite number"),
        (["--samples", "s.csv", "--normalise"], "--normalise is for a matrix"),
        (
            ["--samples", "s.csv", "--profile", "1"],
            "--profile is for a matrix; a log gives a lower bound on one epsilon",
        ),
    ],
)
def test_bad_use(run, arguments, message):
    assert run("audit", *arguments, "--epsilon", 1).fails_with(2).startswith(message)


@pytest.mark.parametrize("epsilon", ["nan", "inf", "-1", "one"])
def test_bad_epsilon_comes_before_the_file(run, epsilon):
    assert run("audit", "nowhere.csv", "--epsilon", epsilon).fails_with(2).startswith("--epsilon must be ")
    assert run("audit", "--samples", "nowhere.csv", "--epsilon", epsilon).fails_with(2).startswith("--epsilon must")


def test_nothing_claimed_of_a_matrix(run, csv):
    text = answers(run("audit", csv(BROKEN)), 0)
    assert "\nClaim       nothing claimed, between true counts 1 apart\n\n" in text
    assert "Verdict" not in text
    assert "delta at epsilon" not in text
    assert "\nepsilon at delta 0  infinite      1     0.9      0       0  1\n" in text
    assert "\nNo claim was made, so none is judged; an epsilon makes one.\n" in text
    assert "\nepsilon at delta 0.9      0 " in answers(run("audit", csv(BROKEN), "--delta", "0.9"), 0)
    answer = strict(answers(run("audit", csv(STEPS), "--json"), 0))
    assert answer["least_epsilon"]["lower"] <= math.log(3) <= answer["least_epsilon"]["upper"]
    for name in ("epsilon", "least_delta", "verdict", "explanation", "gap", "profile"):
        assert answer[name] is None


@pytest.mark.slow
def test_nothing_claimed_of_a_log(run, log):
    text = answers(run("audit", "--samples", log), 0)
    assert "\nClaim       nothing claimed, between true counts 1 apart\nConfidence  99.9%\n" in text
    assert "\nepsilon at delta 0   0.93" in text
    assert text.endswith("\nNo claim was made, so none is judged; an epsilon makes one.\n")
    answer = strict(answers(run("audit", "--samples", log, "--delta", "0.01", "--json"), 0))
    assert 0.8 < answer["epsilon_at_least"] <= 1
    assert (answer["epsilon"], answer["delta"], answer["verdict"]) == (None, "0.01", None)


def test_profile(run, csv):
    text = answers(run("audit", csv(STEPS), "--epsilon", "1.1", "--profile", "0,1/2, 1.1,0"), 0)
    table = text.split("\n\n")[1].splitlines()
    assert table[1:] == [
        "delta at epsilon 1.1         0      -       -      -       -  none exceeds",
        "epsilon at delta 0     1.09862      1     0.3      2     0.1  0",
        "delta at epsilon 0    0.200001      2     0.9      1     0.7  1",
        "delta at epsilon 0.5  0.135128      1     0.3      2     0.1  0",
    ]
    text = answers(run("audit", csv(BROKEN), "--profile", 2), 0)
    assert "\ndelta at epsilon 2       0.9      1     0.9      0       0  1\n" in text
    answer = strict(answers(run("audit", csv(STEPS), "--profile", "0,0.5,0", "--json"), 0))
    points = hushcount.audit(hushcount.read_matrix(csv(STEPS))).profile(["0", "0.5"])
    assert answer["profile"] == [point.to_dict() for point in points]
    assert answer["profile"][1]["epsilon"] == "0.5"
    witness = answer["profile"][1]["least_delta"]["witness"]
    assert (witness["true"], witness["other"], witness["outcomes"]) == (1, 2, [[0, 0]])
    assert witness["probability"]["lower"] <= 0.3 <= witness["probability"]["upper"]


@pytest.mark.parametrize("profile", ["-1", "nan", "1;2", "1e10"])
def test_a_bad_profile_comes_before_the_file(run, profile):
    said = run("audit", "nowhere.csv", "--profile", profile).fails_with(2)
    assert said.startswith("--profile must be a finite number")


@pytest.mark.parametrize("profile", ["", "1,,2", "1,", ",1", " "])
def test_a_profile_with_a_hole(run, profile):
    said = run("audit", "nowhere.csv", "--profile", profile).fails_with(2)
    assert said.startswith("--profile must be numbers >= 0, with one comma between two, such as 0,0.5,1 (got '")


def test_one_true_count(run, csv):
    text = answers(run("audit", csv("1\n"), "--epsilon", 1), 0)
    assert "matrix.csv: 1 true count, 1 outcome\n" in text
    assert "\nVerdict     private\nPairs       none: no two true counts are that far apart\n" in text
    answer = strict(answers(run("audit", csv(".5,.5\n"), "--json"), 0))
    assert (answer["true_counts"], answer["pairs"]) == (1, 0)
    assert "Pairs" not in answers(run("audit", csv(STEPS)), 0)


def test_a_distance_that_no_pair_has(run, csv):
    message = run("audit", csv(STEPS), "--epsilon", 1, "--distance", 3).fails_with(2)
    assert message == "--distance must be less than the number of true counts, 3 (got 3)"
    path = csv("0,1\n1,1\n3,1\n" * 100, "log.csv")
    message = run("audit", "--samples", path, "--epsilon", 1, "--distance", 4).fails_with(2)
    assert message == "--distance must be at most that of any two true counts, 3 (got 4)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no row"),
        ("a,b\n1,0\n", "a header is not expected"),
        ("1,0\n.2,.7\n", "row 1 of matrix must sum to 1"),
        ("1,0\nnan,1\n", "line 2"),
        ("1,0\n1\n", "line 2 has 1 cells"),
        ("2,-1\n0,1\n", "row 0, column 1 of matrix must be a finite number >= 0 (got -1.0)"),
        (
            ".3333333,.3333333,.3333333\n" * 3,
            "if that is rounding, divide each row by its sum, as `normalise` does",
        ),
        (".5,.8\n.5,.2\n", "transpose it"),
    ],
)
def test_bad_matrix(run, csv, text, message):
    said = run("audit", csv(text), "--epsilon", 1).fails_with(3)
    assert "matrix.csv: " in said
    assert message in said


def test_bad_files(run, csv, tmp_path):
    assert "does not exist" in run("audit", tmp_path / "nowhere.csv", "--epsilon", 1).fails_with(3)
    assert "not an NPY file" in run("audit", csv("1,0", "m.npy"), "--epsilon", 1).fails_with(3)
    assert "not a Parquet file" in run("audit", csv("1,0", "m.parquet"), "--epsilon", 1).fails_with(3)
    np.save(tmp_path / "o.npy", np.array([[None]]), allow_pickle=True)
    assert "o.npy: " in run("audit", tmp_path / "o.npy", "--epsilon", 1).fails_with(3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("true,released\n0,1.5\n", "not an integer"),
        ("0,1,2\n" * 300, "a table of integers with two columns"),
        ("released,true\n1,0\n", "a header must be true,released"),
        ("0,1\n-1,1\n", "the true count in row 1 of pairs must be an integer >= 0"),
        ("0,1\n" * 300, "no two true counts at distance 1"),
        ("0,1\n1,1\n" * 30, "at least 100 draws each"),
    ],
)
def test_bad_log(run, csv, text, message):
    assert message in run("audit", "--samples", csv(text, "log.csv"), "--epsilon", 1).fails_with(3)


def test_against_mu(run, csv):
    text = answers(run("audit", csv(STEPS), "--mu", "0.9"), 0)
    assert "\nClaim       mu 0.9, between true counts 1 apart\nVerdict     private\n" in text
    text = answers(run("audit", csv(STEPS), "--mu", "0.6"), 1)
    assert "\nVerdict     not private\nPrivate at  mu 0.757" in text
    told = strict(answers(run("audit", csv(STEPS), "--mu", "0.6", "--json"), 1))
    assert (told["mu_squared"], told["verdict"], told["outcomes"]) == ("0.36", "NOT_PRIVATE", 2)
    assert answers(run("audit", csv(STEPS), "--mu", "1.3", "--distance", "2"), 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--mu", "0"), "mu must be a finite number > 0"),
        (("--mu", "1", "--epsilon", "1"), "leave out --epsilon"),
        (("--mu", "1", "--delta", "1e-6"), "leave out --delta"),
        (("--mu", "1", "--profile", "1"), "leave out --profile"),
        (("--mu", "1", "--distance", "7"), "distance must be less than the number of true counts, 3"),
    ],
)
def test_mu_is_judged_by_itself(run, csv, options, message):
    outcome = run("audit", csv(STEPS), *options)
    assert outcome.code == 2
    assert message in outcome.err


def test_mu_takes_a_matrix(run, log):
    assert run("audit", "--mu", "1").code == 2
    refused = run("audit", "--samples", log, "--mu", "1").fails_with(2)
    assert (
        "a log cannot be judged at mu 1: judge an epsilon that it implies at a delta, such as --epsilon 2.31779 --delta"
        in refused
    )
