"""`hushcount compare`: the tables, and sentences that are computed from them."""

from __future__ import annotations

import json
import pickle

import pytest

import hushcount
from hushcount import compare

PURE = [
    "nearest", "canonical", "explicit-fair", "truncated-geometric", "folded-geometric", "exponential",
    "randomized-response", "uniform", "redrawn-geometric",
]  # fmt: skip


def strict(text):
    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def table_rows(text, name):
    return [line.split() for line in text.splitlines() if line.startswith(f"{name}  ")]


def sentences(text):
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "2"])
def test_nearest_beside_truncated_geometric(run, epsilon):
    text = run("compare", "--n", 7, "--epsilon", epsilon).succeeds()
    ours, theirs = table_rows(text, "nearest")[0], table_rows(text, "truncated-geometric")[0]
    assert float(ours[1]) < float(theirs[1])  # worst-case chance to be wrong
    assert float(ours[3]) < float(theirs[3])  # worst-case |error|
    (said,) = [line for line in sentences(text) if line.startswith("nearest beside truncated-geometric")]
    assert f"worst case: {ours[1]} against {theirs[1]}; expected |error|, worst case: {ours[3]} against" in said


def test_published_figures(run):
    text = run("compare", "--n", 7, "--epsilon", "0.5").succeeds()
    worst = {name: table_rows(text, name)[0][1] for name in PURE[:5]}
    assert worst == {
        "nearest": "0.7167",
        "canonical": "0.7167",
        "explicit-fair": "0.7167",
        "truncated-geometric": "0.7551",
        "folded-geometric": "0.7448",
    }


@pytest.mark.slow
def test_says_where_nearest_is_worse(run):
    said = sentences(run("compare", "--n", 7, "--epsilon", "0.5").succeeds())
    assert any(line.startswith("nearest lacks row honesty") for line in said)
    (worse,) = [line for line in said if line.startswith("Where nearest is worse")]
    assert "expected |error|, mean" not in worse
    said = sentences(run("compare", "--n", 7, "--epsilon", 2).succeeds())
    (worse,) = [line for line in said if line.startswith("Where nearest is worse")]
    assert "expected |error|, mean over true counts: truncated-geometric is best, 0.2653 against 0.2359" in worse
    assert said[-1] == "nearest has all seven properties."
    text = run("compare", "--n", 1, "--epsilon", 1).succeeds()
    assert (
        "No mechanism here that keeps epsilon 1, delta 0 does better than nearest in any of these figures."
        in sentences(text)
    )


def test_redrawn_noise_is_labelled(run):
    text = run("compare", "--n", 5, "--epsilon", "0.5").succeeds()
    assert text.count("\nredrawn-geometric *") == 2
    told = (
        "* redrawn-geometric is NOT private at epsilon 0.5, delta 0: it needs epsilon 0.696525 at that delta, or delta "
    )
    assert told in " ".join(text.split())


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [(7, "0.5", 0), (200, "0.5", 0), (12, "1e-9", "1e-9"), (9, "1e-400", 0), (12, 40, 0), (0, 0, 0), (5, 0, "0.5")],
)
def test_fits_in_80_columns(run, arguments):
    n, epsilon, delta = arguments
    text = run("compare", "--n", n, "--epsilon", epsilon, "--delta", delta).succeeds()
    assert max(map(len, text.splitlines())) <= 80
    for accuracy, privacy in zip(*[iter(table_rows(text, "nearest"))] * 2, strict=True):
        assert (len(accuracy), len(privacy)) == (9, 10)
    assert "\033" not in text


@pytest.mark.slow
@pytest.mark.parametrize(("delta", "names"), [
    ("0", PURE),
    ("0.01", [*PURE[:2], "clamped-canonical-noise", "clamped-gaussian", *PURE[2:]]),
])  # fmt: skip
def test_json_holds_the_rows_of_the_library(run, delta, names):
    answer = strict(run("compare", "--n", 4, "--epsilon", "1/3", "--delta", delta, "--json").succeeds())
    assert [row["mechanism"] for row in answer["rows"]] == names
    assert answer["rows"] == [row.to_dict() for row in compare(4, "1/3", delta)]
    assert (answer["n"], answer["epsilon"], answer["delta"]) == (4, "1/3", delta)
    assert answer["remarks"]
    assert answer["hushcount_version"] == hushcount.__version__


@pytest.mark.slow
def test_says_which_make_no_use_of_delta(run):
    said = sentences(run("compare", "--n", 5, "--epsilon", "0.5", "--delta", "0.01").succeeds())
    names = "explicit-fair, truncated-geometric, folded-geometric, exponential, uniform"
    assert f"Delta 0 is enough for {names}: what more is allowed is of no use to them." in said
    for peer in ("clamped-canonical-noise", "truncated-geometric"):
        assert any(line.startswith(f"nearest beside {peer}: ") for line in said)
    assert not any("Delta 0" in line for line in sentences(run("compare", "--n", 5, "--epsilon", 1).succeeds()))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "epsilon"), [(1, "0.5"), (1, 3), (0, 1), (5, 0), (1, 0)])
def test_redrawn_noise_is_private_on_two_counts_and_at_epsilon_0(run, n, epsilon):
    for delta in (0, "0.01"):
        text = run("compare", "--n", n, "--epsilon", epsilon, "--delta", delta).succeeds()
        assert text.count("\nredrawn-geometric  ") == 2
        assert "?" not in text
        assert "*" not in text


@pytest.mark.slow
def test_a_mechanism_that_is_calibrated_by_delta_makes_use_of_it(run):
    """At n = 5 the clamped Gaussian for a tiny delta needs none; but another delta would make it another mechanism."""
    said = sentences(run("compare", "--n", 5, "--epsilon", "0.5", "--delta", "1e-5").succeeds())
    (told,) = [line for line in said if line.startswith("Delta 0 is enough for ")]
    assert "clamped-gaussian" not in told
    rows = {row.mechanism: row for row in compare(5, "0.5", "1e-5")}
    assert rows["clamped-gaussian"].least_delta.upper == 0
    assert [name for name, row in rows.items() if not row.uses_delta] == [*PURE[2:6], *PURE[7:]]
    assert not any(row.uses_delta for row in compare(5, "0.5"))
    answer = strict(run("compare", "--n", 5, "--epsilon", "0.5", "--delta", "1e-5", "--json").succeeds())
    assert [row["uses_delta"] for row in answer["rows"]] == [row.uses_delta for row in rows.values()]


@pytest.mark.slow
def test_what_is_decided_up_to_rounding_is_marked(run):
    text = run("compare", "--n", 12, "--epsilon", 1).succeeds()
    marks = table_rows(text, "nearest")[1][3:]
    holding = compare(12, 1)[0].properties.to_dict().values()
    assert marks == [{"HOLDS": "yes", "WITHIN_ROUNDING": "~", "FAILS": "-"}[name] for name in holding]
    assert "~" in marks
    assert "\n~ It holds up to the rounding of the probabilities to floats; beyond n = 10" in text
    assert "nearest has all seven properties, some of them up to rounding." in sentences(text)
    assert "~" not in run("compare", "--n", 7, "--epsilon", 1).succeeds()


def test_the_definitions_are_pointed_to(run):
    for text in (run("compare", "--n", 3, "--epsilon", 1).succeeds(), run("compare", "--help").succeeds()):
        assert "docs/properties.md" in text
    assert "help(hushcount.privacy.properties)" in " ".join(run("compare", "--help").succeeds().split())


def test_numbers_are_spelled_as_typed(run):
    text = run("compare", "--n", 3, "--epsilon", "0.00001", "--delta", "1e-5").succeeds()
    assert text.startswith("True counts 0 to 3, epsilon 1e-5, delta 1e-5\n")
    assert "0.00001" not in text
    assert "e-05" not in text


def test_extreme_json_is_strict(run):
    strict(run("compare", "--n", 3, "--epsilon", 1000, "--json").succeeds())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--n", "201", "--epsilon", "1"], "mechanisms are compared up to n = 200 (got 201)"),
        (["--n", "-1", "--epsilon", "1"], "--n must be a whole number >= 0"),
        (["--n", "1.5", "--epsilon", "1"], "--n must be a whole number >= 0"),
        (["--n", "7", "--epsilon", "nan"], "--epsilon must be "),
        (["--n", "7", "--epsilon", "-1"], "--epsilon must be "),
        (["--n", "7", "--epsilon", "1", "--delta", "1"], "--delta must be "),
        (["--n", "7"], "what is promised is missing: one of --epsilon (with --delta), --mu and --rho is needed"),
        (["--n", "7", "--mu", "0"], "--mu must be a finite number > 0"),
        (["--n", "7", "--rho", "-1"], "--rho must be a finite number > 0"),
        (["--n", "7", "--mu", "1", "--delta", "1e-6"], "--delta must be left out beside mu"),
        (["--n", "7", "--mu", "1", "--epsilon", "1"], "--mu must be left out beside epsilon"),
        (
            ["--n", "7", "--mu", "1", "--mechanism", "exponential"],
            "--mechanism must be one of nearest, rounded-gaussian",
        ),
        (["--n", "7", "--epsilon", "1", "--mechanism", "within:x"], "--mechanism must be one of nearest, canonical"),
        (["--n", "7", "--epsilon", "1", "--mechanism", "analytic-gaussian"], "--delta must be a number > 0 and < 1"),
        (["--epsilon", "1"], "missing option '--n' (see 'hushcount compare --help')"),
    ],
)
def test_bad_use(run, arguments, message):
    assert run("compare", *arguments).fails_with(2).startswith(message)


@pytest.mark.parametrize("delta", ["0", "0.01"])
def test_a_comparison_prints_as_the_command_does(run, capsys, delta):
    found = compare(4, "0.5", delta)
    print(found)
    assert capsys.readouterr().out == run("compare", "--n", 4, "--epsilon", "0.5", "--delta", delta).succeeds()
    assert len(repr(found)) < 120
    again = pickle.loads(pickle.dumps(found))
    assert isinstance(found, tuple)
    assert str(again) == str(found)


def test_gaussian_mechanisms_under_mu(run):
    text = run("compare", "--n", 7, "--mu", "0.5").succeeds()
    assert text.startswith("True counts 0 to 7, mu 0.5\n")
    assert max(map(len, text.splitlines())) <= 80
    assert text == run("compare", "--n", 7, "--rho", "0.125").succeeds()
    needs = {line.split()[0]: line.split()[1:3] for line in text.split("needs")[1].splitlines() if "gaussian" in line}
    assert needs["rounded-gaussian"][0] == "0.5"
    assert needs["zcdp-gaussian"] == ["*", "0.505326"]
    said = sentences(text)
    assert "* zcdp-gaussian is NOT private at mu 0.5: it needs mu 0.505326." in said
    (kept,) = [line for line in said if line.startswith("zcdp-gaussian, clamped discrete")]
    assert "keeps rho-zCDP with rho 0.125. mu implies this rho, but rho does not imply mu" in kept
    (worse,) = [line for line in said if line.startswith("Where nearest is worse")]
    assert "largest bias: rounded-gaussian is best, 1.3082 against 0.7894" in worse
    (beside,) = [line for line in said if line.startswith("nearest beside zcdp-gaussian")]
    assert "chance to be wrong, worst case: 0.7228 against 0.8005" in beside
    assert "epsilon" not in text.replace("analytic-gaussian is made for epsilon 2.25408 at delta 1e-6", "")


def test_json_under_mu(run):
    answer = strict(run("compare", "--n", 2, "--mu", "0.5", "--json").succeeds())
    assert answer["mu_squared"] == "0.25"
    assert answer["rows"] == [row.to_dict() for row in compare(2, mu="0.5")]
    assert all("least_mu" in row and "least_epsilon" not in row for row in answer["rows"])


def test_those_that_are_named(run):
    text = run("compare", "--n", 8, "--epsilon", "0.1", "--mechanism", "within:1").succeeds()
    (said,) = [line for line in sentences(text) if line.startswith("Where nearest is worse")]
    assert "chance to be within 1: within:1 is best, 0.2896 against 0.4030" in said
    text = run("compare", "--n", 4, "--epsilon", 1, "--delta", "1e-6", "--mechanism", "analytic-gaussian").succeeds()
    assert text.count("\nanalytic-gaussian ") == 2


def test_what_keeps_rho_alone_may_do_better(run):
    text = run("compare", "--n", 100, "--rho", "0.045", "--mechanism", "zcdp-gaussian").succeeds()
    assert "No mechanism here that keeps mu 0.3 does better than nearest in any of these figures." in sentences(text)


@pytest.mark.parametrize("mechanism", ["analytic-gaussian", "truncated-geometric", "canonical"])
def test_no_list_of_mechanisms_is_empty(run, mechanism):
    text = run("compare", "--n", 20, "--epsilon", 1, "--delta", "1e-6", "--mechanism", mechanism).succeeds()
    assert "enough for :" not in " ".join(text.split())
