"""`hushcount medium`: verdict, bounds, optimum, thresholds, files."""

import json
from fractions import Fraction

import numpy as np
import pytest

from hushcount import read_mechanism
from hushcount.cli.words.medium import threshold_lines, threshold_of_p_lines
from hushcount.linear_program import methods
from hushcount.medium import (
    Threshold,
    bounds,
    is_lossless,
    optimum,
    pam,
    psk,
    qam,
    read_counts,
    read_medium,
    searched_labels,
    snake_labels,
)
from hushcount.medium.certified.chain import interior_point
from hushcount.medium.channels.true_medium import AS_OBSERVED
from hushcount.promise.epsilon_delta import EpsilonDelta

PSK = ["medium", "psk", "--order", "8"]


def test_the_issue_s_example_is_lossless(run):
    told = run(*PSK, "--snr-db", "10", "--epsilon", "2").succeeds()
    assert "Verdict     lossless, by P* T^-1 >= 0\n" in told
    assert "  behind it, least (proved)       0.2381502719\n" in told
    assert "The medium costs nothing" in told


def test_json_holds_every_figure(run):
    told = json.loads(run(*PSK, "--snr-db", "0", "--epsilon", "2", "--json").succeeds())
    assert told["lossless"]["verdict"] == "LOSSY"
    assert told["medium"]["order"] == 8
    values = {bound["name"]: bound["value"] for bound in told["bounds"]}
    assert values["l"] == pytest.approx(0.5769055773217691, abs=1e-9)
    assert values["u3"] == pytest.approx(0.5769055773217691, abs=1e-9)  # 0.5133 as printed in the paper
    assert told["optimum"]["lower"] <= told["optimum"]["upper"] <= told["optimum"]["lower"] + 1e-9


def test_required_snr(run):
    told = json.loads(run(*PSK, "--required-snr", "--epsilon", "2", "--json").succeeds())
    assert 7.25 < float(told["lossy_at"]) < float(told["lossless_at"]) < 7.26
    text = run(*PSK, "--required-snr", "--epsilon", "2").succeeds()
    assert text.splitlines() == [
        "At Es/N0 = 7.2553 dB (Eb/N0 = 2.4841 dB) the medium costs nothing: a better channel gains nothing.",
        "At 7.2552 dB (Eb/N0 = 2.484 dB) it costs something.",
        "Nothing is proved of other SNRs.",
    ]


def test_required_snr_is_told_per_bit_too(run):
    told = json.loads(run(*PSK, "--required-snr", "--epsilon", "2", "--json").succeeds())
    assert told["unit"] == "dB, Es/N0"
    for name, end in told["eb_n0_db"].items():
        assert end == pytest.approx(float(told[name]) - 10 * np.log10(3), abs=1e-12)


def test_the_p_that_costs_nothing(run):
    asked = ("medium", "symmetric", "--order", "2", "--required-snr", "--epsilon", "1")
    told = json.loads(run(*asked, "--json").succeeds())
    lossless, lossy = float(told["lossless_at"]), float(told["lossy_at"])
    assert lossless <= 1 / (1 + np.e) < lossy <= lossless * (1 + 1.1e-5)  # as noisy as randomized response
    assert told["unit"] == "p"
    assert run(*asked).succeeds().splitlines() == [
        f"At p = {lossless} the medium costs nothing: a better channel gains nothing.",
        f"At p = {lossy} it costs something.",
        "Nothing is proved of other p.",
    ]


@pytest.mark.parametrize(
    ("lossless", "lossy", "told"),
    [
        (None, None, ["Even at p = 0 it could not be decided whether the medium costs something."]),
        (None, 0, ["Even at p = 0 the medium costs something."]),
        ("1/2", None, ["At p = 0.5 the", "That it costs something at a larger one could not be proved.", "Nothing is"]),
        ("1/9", "1e-1", ["At p = 1/9 the", "At p = 0.1 it costs something.", "Nothing is proved"]),
    ],
)
def test_what_is_said_of_the_two_sides_of_p(lossless, lossy, told):
    ends = (None if end is None else Fraction(end) for end in (lossless, lossy))
    for line, start in zip(threshold_of_p_lines(Threshold(*ends)), told, strict=True):
        assert line.startswith(start)


def test_required_snr_where_there_is_no_other_side(run):
    text = run("medium", "psk", "--order", "4", "--required-snr", "--epsilon", "0").succeeds()
    assert text.splitlines() == [
        "Already at Es/N0 = -40 dB, the least that is looked at, the medium costs nothing.",
        "Nothing is proved of other SNRs.",
    ]


@pytest.mark.parametrize(
    ("lossless", "lossy", "last"),
    [
        (None, None, "the largest that is looked at, it could not be decided whether the medium costs something."),
        (None, 80, "the largest that is looked at, the medium costs something."),
        (7, None, "That it costs something at a lower one could not be proved."),
        (7, 5, "In between it could not be decided."),
        (7, Fraction(69999, 10000), "At 6.9999 dB (Eb/N0 = 2.2287 dB) it costs something."),
    ],
)
def test_what_is_said_of_the_two_sides(lossless, lossy, last):
    ends = (None if end is None else Fraction(end) for end in (lossless, lossy))
    told = list(threshold_lines(Threshold(*ends), 8))
    if lossless is not None:
        assert told.pop() == "Nothing is proved of other SNRs."
    assert told[-1].endswith(last)


def test_the_reason_is_given_with_its_numbers(run):
    def reason(*arguments):
        told = run("medium", *arguments, "--epsilon", "1").succeeds()
        head, rest = told.split("\nBecause     ")
        return head.splitlines()[-1], " ".join(rest.split("\n\n")[0].split())

    assert reason(*PSK[1:], "--snr-db", "20") == (
        "Verdict     lossless, by Theorem 2, statement 2 (27)",
        "the channel adds less noise than the mechanism needs, which can leave out as much; "
        "|T^-1 - I|_inf <= phi (1.24677e-07 against 0.00862189)",
    )
    assert reason(*PSK[1:], "--snr-db", "10") == (
        "Verdict     lossless, by P* T^-1 >= 0",
        "the mechanism can be moved behind the channel: P* T^-1 has no negative entry; "
        "min_ij [P* T^-1]_ij >= 0 (0.00730567)",
    )
    verdict, why = reason(*PSK[1:], "--snr-db", "3")
    assert verdict == "Verdict     lossy, by Theorem 2, statement 5"
    assert why.startswith("the mechanism cannot be moved behind the channel, and")
    assert why.endswith("P* T^-1 has a negative entry; min_ij [P* T^-1]_ij < 0 (-0.0147425)")
    assert reason("rounding", "--order", "4", "--multiple", "2") == (
        "Verdict     lossy, by Theorem 2, statement 6",
        "what the channel has mixed up no longer tells all counts apart, as every best mechanism does; "
        "T is singular, and every optimum is of full rank",
    )
    told = run(*PSK, "--snr-db", "3", "--epsilon", "1", "--delta", "0.01").succeeds()
    assert "Because" not in told  # the linear program


def test_undecided_says_how_much_it_may_cost(run, tmp_path):
    file = tmp_path / "T.csv"
    file.write_text("0.5,0.5\n0.5,0.5\n")
    told = run("medium", "file", str(file), "--epsilon", "0").succeeds()
    assert "Verdict     undecided\n" in told
    assert "Here it is 1.33e-15." in told


def test_a_threshold_of_0_is_not_shown(run, tmp_path):
    file = tmp_path / "T.csv"
    file.write_text("0.9,0.1\n0.2,0.8\n")
    told = run("medium", "file", str(file), "--epsilon", "1000").succeeds()
    assert "against" not in told.split("Because")[1].split("\n\n")[0]


def test_tiny_chances_are_no_strange_floats(run):
    told = run(*PSK, "--snr-db", "10", "--epsilon", "1000").succeeds()
    assert "  without the medium, least       below 1e-300\n" in told


def test_saved_mechanism_is_private_behind_the_medium(run, tmp_path):
    file = tmp_path / "before.csv"
    told = run(*PSK, "--snr-db", "3", "--epsilon", "1", "--output", str(file)).succeeds()
    assert "the mechanism alone need not be" in told.replace("\n", " ")
    saved = read_mechanism(file)
    product = saved.entries @ psk(8, es_n0_db=3).matrix
    for a, b in ((product[:-1], product[1:]), (product[1:], product[:-1])):
        assert (a <= np.exp(1) * b * (1 + 1e-12)).all()
    assert saved.notes["in_front_of"] == "8-PSK, Es/N0 = 3 dB (Eb/N0 = -1.7712 dB)"
    assert saved.name == "for use in front of a medium only"
    assert saved.notes["claim"].endswith("behind the medium; this matrix alone need not be private")


def test_a_release_refuses_a_saved_mechanism_and_says_what_it_is_for(run, tmp_path):
    file, table = tmp_path / "before.csv", tmp_path / "table.csv"
    run(*PSK, "--snr-db", "3", "--epsilon", "1", "--output", str(file)).succeeds()
    table.write_text("age\n" + "70\n" * 7)
    asked = ["release", str(table), "--where", "age >= 65", "--epsilon", "1", "--adjacency", "replace-one"]
    said = run(*asked, "--mechanism", str(file)).fails_with(2)
    assert said.startswith("--mechanism must be private at epsilon 1, delta 0; an audit found that it takes epsilon")
    assert "(got 'for use in front of a medium only')" in said


def test_a_stopped_program_is_said(run, monkeypatch):
    monkeypatch.setattr(methods, "_DEAR_STEPS", 0)
    monkeypatch.setattr(methods, "_FIRST_STEPS", 0)
    monkeypatch.setattr(interior_point, "MOST_STEPS", 1)
    told = run(*PSK, "--snr-db", "0", "--epsilon", "1").succeeds().replace("\n", " ")
    assert "The linear program was stopped at its limits of steps (3 of 4 tries)" in told
    monkeypatch.undo()
    assert "stopped" not in run(*PSK, "--snr-db", "0", "--epsilon", "1").succeeds()


def test_outputs_are_private_before_they_are_read_as_counts(run, tmp_path):
    file, saved = tmp_path / "R.csv", tmp_path / "G.json"
    file.write_text("0.9,0.1,0\n0,0.1,0.9\n")
    asked = ["medium", "file", str(file), "--epsilon", "1"]
    lines = run(*asked).succeeds().splitlines()
    assert lines[:5] == [
        "Medium      the matrix in 'R.csv'",
        "Symbols     2, received wrong with chance 0.1, worst case",
        "            symbol error rate 0.05, the mean over all symbols",
        "Outputs     3, read as 0 0 1, the likeliest count, the least of several",
        "Promise     epsilon 1, delta 0, of what arrives, before it is read as a count",
    ]
    assert "  behind it, least (proved)       0.3151531371" in lines
    told = json.loads(run(*asked, "--decide", "0, 1,1", "--output", str(saved), "--json").succeeds())
    assert told["medium"]["decision"] == {
        "outputs": 3,
        "decide": [0, 1, 1],
        "is_likeliest": False,
        "promised_of": "the outputs, before they are read as counts",
    }
    assert "see only the output of one transmission through exactly this medium, before it is" in told["protects"]
    assert told["lossless"]["verdict"] == "LOSSY"
    assert read_mechanism(saved).notes["decide"] == "0 1 1"
    expected = optimum(read_medium(file, decide=[0, 1, 1]), 1)
    assert (told["optimum"]["lower"], told["optimum"]["upper"]) == (expected.lower, expected.upper)
    claim = json.loads(saved.read_text())["notes"]["claim"]
    assert claim.startswith("epsilon and delta are of what arrives behind the medium, before it is read as a count; ")
    plain = json.loads(run(*PSK, "--snr-db", "3", "--epsilon", "1", "--json").succeeds())
    assert plain["medium"]["decision"] is None


def test_erasures_are_heard_where_they_are_decided(run):
    asked = ["medium", "binary-erasure", "--bits", "3", "--p", "1/10", "--epsilon", "1"]
    heard = run(*asked, "--decide", "likeliest").succeeds()
    assert "\nOutputs     27, read as the likeliest count, the least of several\n" in heard
    assert run(*asked).succeeds() == run(*asked, "--decide", "guess").succeeds()
    assert "Outputs" not in run(*asked).succeeds()


def test_a_decision_that_cannot_be_is_refused(run, tmp_path):
    file = tmp_path / "R.csv"
    file.write_text("0.9,0.1,0\n0,0.1,0.9\n")
    for decide, message in (
        ("0,1", "--decide must be 'likeliest', or 3 counts from 0 to 1"),
        ("0,1,2", "--decide must be 'likeliest', or 3 counts from 0 to 1"),
        ("guess", "--decide must be a whole number >= 0"),
        ("0,,1", "--decide must be a whole number >= 0"),
    ):
        assert run("medium", "file", str(file), "--epsilon", "1", "--decide", decide).fails_with(2).startswith(message)
    file.write_text("1\n1\n")
    assert "square" in run("medium", "file", str(file), "--epsilon", "1").fails_with(3)


def test_labels_that_were_searched_for_are_told_and_saved(run, tmp_path):
    asked = ["medium", "qam", "--order", "9", "--snr-db", "8", "--epsilon", "1", "--labels", "search", "--swaps", "9"]
    expected = searched_labels(qam(9, es_n0_db=8), 1, swaps=9, labels=snake_labels(9))
    labels = " ".join(map(str, expected.labels))
    told = run(*asked).succeeds()
    assert told.startswith(f"Medium      {expected.medium.description}\n")
    assert "by trying 9 swaps, not proved best" in told
    assert f"\nLabels      {labels}\n" in told
    file = tmp_path / "G.json"
    read = json.loads(run(*asked, "--output", str(file), "--json").succeeds())
    assert read["medium"]["searched_labels"] == expected.to_dict()
    assert read["optimum"]["upper"] == expected.optimum.upper
    assert json.loads(file.read_text())["notes"]["labels"] == labels
    plain = json.loads(run(*PSK, "--snr-db", "3", "--epsilon", "1", "--json").succeeds())
    assert plain["medium"]["searched_labels"] is None


def test_labels_are_searched_for_from_the_medium_as_it_is(run, tmp_path):
    file, counts = tmp_path / "T.csv", tmp_path / "counts.csv"
    file.write_text("0.1,0.8,0.1\n0.15,0.15,0.7\n0.75,0.1,0.15\n")
    told = json.loads(run("medium", "file", str(file), "--epsilon", "0.2", "--labels", "search", "--json").succeeds())
    assert told["medium"]["searched_labels"] == searched_labels(read_medium(file), "0.2").to_dict()
    counts.write_text("90,10\n10,90\n")
    said = run("medium", "counts", str(counts), "--epsilon", "0.2", "--labels", "search").fails_with(2)
    assert said.startswith("labels are not searched for observed frequencies")


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["pam", "--order", "4", "--eb-n0-db", "5"],
        ["qam", "--order", "16", "--snr-db", "12", "--labels", "snake"],
        ["qam", "--order", "16", "--snr-db", "12", "--labels", "gray"],
        ["fsk", "--order", "4", "--snr-db", "6", "--non-coherent", "--fading", "rayleigh"],
        ["apsk", "--order", "16", "--snr-db", "12"],
        ["apsk", "--order", "6", "--rings", "1, 5", "--radii", "1/10,1", "--phases", "0,90", "--eb-n0-db", "5"],
        ["cross-qam", "--order", "32", "--snr-db", "18", "--fading", "rayleigh"],
        ["binary-symmetric", "--bits", "2", "--p", "0.05", "--labels", "gray"],
        ["binary-erasure", "--bits", "2", "--p", "1/10"],
        ["binary-erasure", "--bits", "2", "--p", "1/10", "--decide", "likeliest"],
        ["z-channel", "--bits", "2", "--p", "0.1"],
        ["symmetric", "--order", "5", "--p", "0.1"],
        ["rounding", "--order", "6", "--multiple", "2", "--to", "below"],
        ["psk", "--order", "4", "--snr-db", "inf"],
        ["psk", "--order", "4", "--eb-n0-db", "Infinity"],
    ],
)
@pytest.mark.parametrize("delta", ["0", "0.01"])
def test_every_kind(run, arguments, delta):
    told = json.loads(run("medium", *arguments, "--epsilon", "1", "--delta", delta, "--json").succeeds())
    assert told["lossless"]["verdict"] in ("LOSSLESS", "LOSSY", "UNDECIDED")
    assert told["optimum"]["upper"] - told["optimum"]["lower"] <= 1e-9


def test_a_matrix_of_your_own(run, tmp_path):
    file = tmp_path / "T.csv"
    file.write_text("0.9,0.1,0\n0.1,0.8,0.1\n0,0.2,0.8\n")
    told = json.loads(run("medium", "file", str(file), "--epsilon", "1", "--json").succeeds())
    assert told["medium"]["order"] == 3
    file.write_text("9,1,0\n1,8,1\n0,2,8\n")
    assert "row 0" in run("medium", "file", str(file), "--epsilon", "1").fails_with(3)
    again = json.loads(run("medium", "file", str(file), "--epsilon", "1", "--normalise", "--json").succeeds())
    assert again["optimum"]["upper"] == pytest.approx(told["optimum"]["upper"], abs=1e-12)


def test_points_of_your_own(run, tmp_path):
    """As good as QPSK, which they are, in every way that names them."""
    file, other = tmp_path / "points.csv", tmp_path / "points.json"
    file.write_text("re;im\n1;0\n0;1\n-1;0\n0;-1\n")
    other.write_text('["1", "1j", [-1, 0], "-1j"]')
    asked = ["--snr-db", "3", "--epsilon", "1", "--json"]
    told = json.loads(run("medium", "constellation", str(file), "--delimiter", ";", *asked).succeeds())
    assert told["medium"]["description"] == "the 4 points in 'points.csv', Es/N0 = 3 dB (Eb/N0 = -0.0103 dB)"
    qpsk = json.loads(run("medium", "psk", "--order", "4", *asked).succeeds())
    assert told["optimum"]["upper"] == pytest.approx(qpsk["optimum"]["upper"], abs=1e-12)
    assert json.loads(run("medium", "constellation", str(other), *asked).succeeds())["lossless"] == told["lossless"]
    snr = ["--required-snr", "--epsilon", "1", "--json"]
    found = json.loads(run("medium", "constellation", str(other), *snr).succeeds())
    assert found == json.loads(run("medium", "psk", "--order", "4", *snr).succeeds())
    at = ["--snr-db", "0,5", "--epsilon", "1:2:1", "--output", str(tmp_path / "p.svg")]
    run("plot", "medium", "constellation", str(other), *at).succeeds()
    file.write_text("1,0\n1,0\n")
    assert "points 0 and 1 are equal" in run("medium", "constellation", str(file), *asked).fails_with(2)
    file.write_text("1,0\nx,0\n")
    assert "line 2 holds something" in run("medium", "constellation", str(file), *asked).fails_with(3)


def test_least_absolute_error(run):
    plain, least = (
        json.loads(run(*PSK, "--snr-db", "10", "--epsilon", "2", *more, "--json").succeeds())["optimum"]
        for more in ([], ["--least-absolute-error"])
    )
    told = run(*PSK, "--snr-db", "10", "--epsilon", "2", "--least-absolute-error").succeeds()
    lines = dict(line.strip().rsplit("  ", 1) for line in told.splitlines() if "error" in line and "  " in line.strip())
    ends = [float(value) for name, value in lines.items() if name.startswith(("Expected |error|", "with as rare"))]
    assert ends == pytest.approx([least["absolute_error"], least["least_absolute_error"]], rel=1e-5)
    assert least["absolute_error"] < plain["absolute_error"]
    assert least["upper"] <= plain["upper"] + 1e-9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["foo"], "KIND must be one of psk, pam"),
        (["psk", "--snr-db", "3"], "psk needs --order"),
        (["psk", "--order", "8"], "psk needs one of --snr-db and --eb-n0-db"),
        (["psk", "--order", "8", "--snr-db", "3", "--eb-n0-db", "3"], "give only one of --snr-db and --eb-n0-db"),
        (["psk", "--order", "8", "--snr-db", "3", "--p", "0.1"], "--p is not for psk, which takes --order, --snr-db"),
        (["psk", "--order", "8", "--snr-db", "nan"], "--snr-db must be"),
        (["psk", "--order", "1", "--snr-db", "3"], "--order must be"),
        (["symmetric", "--order", "4"], "symmetric needs --p"),
        (["symmetric", "--order", "4", "--p", "2"], "--p must be"),
        (["file"], "file needs FILE"),
        (["constellation", "--snr-db", "3"], "constellation needs FILE"),
        (["constellation", "p.csv", "--order", "4", "--snr-db", "3"], "--order is not for constellation"),
        (["constellation", "p.csv"], "constellation needs one of --snr-db and --eb-n0-db"),
        (["apsk", "--order", "8", "--snr-db", "3"], "--order must be 16 or 32, unless rings are given"),
        (["apsk", "--order", "6", "--rings", "1,x", "--radii", "1,2", "--snr-db", "3"], "--rings must be a whole"),
        (["apsk", "--order", "6", "--rings", "1,5", "--radii", "1,x", "--snr-db", "3"], "--radii must be a finite"),
        (["psk", "--order", "8", "--snr-db", "3", "--rings", "8"], "--rings is not for psk"),
        (["file", "T.txt"], "T.txt: the name must end in"),
        (["symmetric", "--order", "4", "--p", "0.1", "--required-snr"], "--required-snr is for psk, pam, qam, fsk, "),
        (
            ["rounding", "--order", "4", "--multiple", "2", "--required-snr"],
            "--required-snr is for psk, pam, qam, fsk, ",
        ),
        (["psk", "--order", "8", "--required-snr", "--times", "2"], "--required-snr tells an SNR and no"),
        (["rounding", "--order", "4", "--multiple", "2", "--heard-at", "3"], "--heard-at is for media with --snr-db"),
        (["psk", "--order", "8", "--snr-db", "3", "--heard-at", "loud"], "--heard-at must be"),
        (["psk", "--order", "8", "--snr-db", "3", "--heard-at", "2000"], "--snr-db must be"),
        (["psk", "--order", "8", "--snr-db", "3", "--times", "0"], "--times must be"),
        (["psk", "--order", "8", "--snr-db", "3", "--times", "2.5"], "--times must be"),
        (["psk", "--order", "8", "--snr-db", "3", "--times", "14"], "14 readings of 8 symbols have too many outcomes"),
        (["psk", "--order", "8", "--snr-db", "3", "--required-snr"], "--required-snr is for psk, pam, qam, fsk, "),
        (
            ["psk", "--order", "8", "--required-snr", "--output", "m.csv"],
            "--required-snr tells an SNR and no",
        ),
        (["psk", "--order", "8", "--labels", "search", "--required-snr"], "--labels search is for one SNR"),
        (["psk", "--order", "8", "--snr-db", "3", "--labels", "gray"], "--labels is not for psk"),
        (["psk", "--order", "8", "--snr-db", "3", "--decide", "likeliest"], "--decide is not for psk, which takes"),
        (["binary-erasure", "--bits", "2", "--p", "0", "--decide", "0,1"], "--decide must be 'guess' or 'likeliest'"),
        (["binary-erasure", "--bits", "9", "--p", "0", "--decide", "likeliest"], "--bits must be an integer from 1 to"),
        (["qam", "--order", "16", "--snr-db", "3", "--swaps", "9"], "--swaps is for --labels search"),
        (["qam", "--order", "16", "--snr-db", "3", "--labels", "search", "--swaps", "x"], "--swaps must be"),
        (["qam", "--order", "16", "--snr-db", "3", "--labels", "search", "--swaps", "-1"], "--swaps must be"),
        (["psk", "--order", "8", "--snr-db", "3", "--output", "m.txt"], "m.txt: the name must end in .csv or .json"),
    ],
)
def test_bad_options(run, arguments, message):
    assert run("medium", *arguments, "--epsilon", "1").fails_with(2).startswith(message)


# --- who hears it otherwise ------------------------------------------------------------------------------------------


def test_what_is_left_where_it_is_heard_otherwise(run):
    told = run(*PSK, "--snr-db", "3", "--epsilon", "1", "--heard-at", "6,10,3", "--times", "2").succeeds()
    said, table = told.rstrip("\n").split("\n\n")[-2:]
    assert said.replace("\n", " ").startswith(
        "The promise is kept against those who see only the hard decision of one transmission through exactly this "
    )
    assert table.splitlines() == [
        "Epsilon kept at delta 0 where the same symbol is heard, rounded up",
        "  through                                      once    twice",
        "  8-PSK, Es/N0 = 3 dB (Eb/N0 = -1.7712 dB)        1  2.77092",
        "  8-PSK, Es/N0 = 6 dB (Eb/N0 = 1.2288 dB)   1.74639     6.44",
        "  8-PSK, Es/N0 = 10 dB (Eb/N0 = 5.2288 dB)  6.76827  17.4062",
    ]


def test_what_is_left_as_json(run):
    asked = ("medium", "symmetric", "--order", "3", "--p", "0.3", "--epsilon", "1", "--delta", "0.01", "--json")
    assert json.loads(run(*asked).succeeds())["heard"] is None
    answer = json.loads(run(*asked, "--heard-at", "0.1,0", "--times", "3").succeeds())
    told = answer["heard"]
    assert [(each["medium"].split()[-1], each["times"]) for each in told] == [
        (p, k) for p in ("0.3", "0.1", "0") for k in (1, 3)
    ]
    assert all(each["delta"] == "0.01" for each in told)
    bounds = [each["epsilon"] for each in told]
    assert bounds[0]["upper"] <= 1
    assert bounds[0]["upper"] < bounds[2]["lower"] < bounds[4]["lower"]
    assert all(one["upper"] <= more["upper"] for one, more in zip(bounds[::2], bounds[1::2], strict=True))
    assert answer["protects"].startswith("The promise is kept against those who see only the hard decision of one ")
    alone = json.loads(run(*asked, "--times", "1").succeeds())["heard"]
    assert alone == told[:1]


def test_what_is_heard_behind_a_measured_medium_is_not_told(run, tmp_path):
    file = tmp_path / "trials.csv"
    file.write_text("900,100\n50,950\n")
    for asked in (("--times", "2"), ("--heard-at", "3")):
        said = run("medium", "counts", str(file), "--epsilon", "1", *asked).fails_with(2)
        assert said.startswith("what is heard is told of media that are known")


def test_a_saved_mechanism_says_what_it_protects(run, tmp_path):
    file = tmp_path / "before.json"
    run(*PSK, "--snr-db", "3", "--epsilon", "1", "--output", str(file)).succeeds()
    said = read_mechanism(file).notes["protects"]
    assert "only the hard decision of one transmission through exactly this medium" in said


def test_the_symbol_error_rate_is_beside_the_worst_case(run):
    T = pam(4, es_n0_db=6)
    told = run("medium", "pam", "--order", "4", "--snr-db", "6", "--epsilon", "1").succeeds().splitlines()
    assert told[0] == "Medium      4-PAM, Es/N0 = 6 dB (Eb/N0 = 2.9897 dB)"
    assert told[1] == f"Symbols     4, received wrong with chance {T.error_probability:.6g}, worst case"
    assert told[2] == f"            symbol error rate {T.mean_error_probability:.6g}, the mean over all symbols"
    assert T.mean_error_probability < T.error_probability
    answer = json.loads(run("medium", "pam", "--order", "4", "--snr-db", "6", "--epsilon", "1", "--json").succeeds())
    assert answer["medium"]["mean_error_probability"] == T.mean_error_probability


# --- from trials ------------------------------------------------------------------------------------------------------


def test_counts_tell_what_holds_behind_the_true_medium(run, tmp_path):
    file = tmp_path / "trials.csv"
    file.write_text("900,100\n50,950\n")
    told = run("medium", "counts", str(file), "--epsilon", "1").succeeds()
    assert "2 symbols, as observed in 2,000 trials" in told
    assert "With 99.9% confidence every row of the true medium is at most" in " ".join(told.split())
    answer = json.loads(
        run("medium", "counts", str(file), "--epsilon", "1", "--confidence", "0.9", "--json").succeeds()
    )
    true = answer["true_medium"]
    assert true["confidence"] == "0.9"
    assert true["delta"] == pytest.approx((1 + np.e) * true["distance"])
    assert true["error_probability"] == pytest.approx(answer["optimum"]["upper"] + true["distance"])
    assert json.loads(run(*PSK, "--snr-db", "10", "--epsilon", "2", "--json").succeeds())["true_medium"] is None


FEW = "95,5,0\n6,90,4\n0,3,97\n"
"""300 trials: as observed the medium costs nothing."""


def test_the_head_states_the_promise_for_the_true_medium(run, tmp_path):
    file = tmp_path / "trials.csv"
    file.write_text(FEW)
    asked = ("medium", "counts", str(file), "--epsilon", "1")
    told, answer = run(*asked).succeeds(), json.loads(run(*asked, "--json").succeeds())
    head, rest = told.split("\n\n", 1)
    true, promise = answer["true_medium"], answer["promise"]
    assert 0.5 < true["delta"] <= float(promise["delta"]) < 1
    delta = promise["delta"]
    assert promise == {"of": "the true medium", "epsilon": "1", "delta": delta, "confidence": "0.999"}
    assert next(iter(answer)) == "promise"
    lines = head.splitlines()
    assert lines[0] == "Medium      3 symbols, as observed in 300 trials"
    assert lines[2].endswith("the mean over all symbols, as observed")
    assert lines[3] == f"Promise     epsilon 1, delta {delta}, behind the true medium, with 99.9% confidence"
    assert lines[4].startswith("Wrong       there with chance at most 0.")
    assert float(lines[4].split()[-1]) >= true["error_probability"]
    assert lines[5] == "Asked       epsilon 1, delta 0: kept behind the observed frequencies alone"
    assert lines[6].startswith("Verdict     of the observed frequencies alone: lossless, by ")
    said = " ".join(rest.split())
    assert f"{AS_OBSERVED} The medium costs nothing" in said
    assert said.count("costs nothing") == 1
    for part in (answer["lossless"], *answer["lossless"]["statements"], answer["optimum"]):
        assert part["explanation"].startswith(AS_OBSERVED)


def test_a_mechanism_for_a_measured_medium_is_saved_with_what_holds_behind_the_true_one(run, tmp_path):
    file, saved = tmp_path / "trials.csv", tmp_path / "before.json"
    file.write_text(FEW)
    asked = ("medium", "counts", str(file), "--epsilon", "1", "--delta", "0.01", "--output", str(saved), "--json")
    answer = json.loads(run(*asked).succeeds())
    kept = read_mechanism(saved)
    assert kept.claim == EpsilonDelta.of(1, answer["promise"]["delta"])
    assert kept.claim.delta >= Fraction(answer["true_medium"]["delta"]) > Fraction("0.01")
    assert "behind the true medium, with 99.9% confidence" in kept.notes["claim"]
    assert kept.notes["received_error_probability"] == repr(answer["true_medium"]["error_probability"])


@pytest.mark.parametrize(("trials", "epsilon"), [("1,0\n0,1\n", "1"), (FEW, "5"), (FEW, "1000")])
def test_few_trials_promise_nothing(run, tmp_path, trials, epsilon):
    file, saved = tmp_path / "trials.csv", tmp_path / "before.json"
    file.write_text(trials)
    asked = ("medium", "counts", str(file), "--epsilon", epsilon)
    answer = json.loads(run(*asked, "--json").succeeds())
    assert answer["true_medium"]["delta"] is answer["promise"]["delta"] is None
    told = run(*asked).succeeds()
    assert told.splitlines()[3] == "Promise     none behind the true medium: so few trials leave no delta below 1"
    assert "at no delta below 1" in " ".join(told.split())
    assert "The promise is kept" not in told
    assert run(*asked, "--output", str(saved)).fails_with(2).startswith("so few trials promise nothing")
    assert not saved.exists()


def test_what_is_known_exactly_promises_what_was_asked(run):
    answer = json.loads(run(*PSK, "--snr-db", "10", "--epsilon", "2", "--delta", "1e-6", "--json").succeeds())
    assert answer["promise"] == {"of": "the medium", "epsilon": "2", "delta": "0.000001", "confidence": None}
    assert "observed" not in json.dumps(answer).replace("is_observed", "")


def test_confidence_is_for_counts_only(run, tmp_path):
    file = tmp_path / "T.csv"
    file.write_text("1,0\n0,1\n")
    said = run("medium", "file", str(file), "--epsilon", "1", "--confidence", "0.9").fails_with(2)
    assert said.startswith("--confidence is not for file")
    assert run("medium", "counts", "--epsilon", "1").fails_with(2) == "counts needs FILE"


def _told_together(made, epsilon):
    """What the results print one by one, in the order of the command."""
    verdict, table, best = is_lossless(made, epsilon), bounds(made, epsilon), optimum(made, epsilon)
    return [*str(best).splitlines(), *str(verdict).splitlines(), *str(table).splitlines()]


@pytest.mark.parametrize("snr", [0, 10])
def test_results_print_as_the_command_does(run, snr):
    lines = run(*PSK, "--snr-db", snr, "--epsilon", "2").succeeds().splitlines()
    printed = _told_together(psk(8, es_n0_db=snr), 2)
    assert set(printed) <= set(lines)
    assert [line for line in lines if line not in printed] == [
        line for line in lines if line.startswith("  without the medium, least  ")
    ]
    assert len(repr(is_lossless(psk(8, es_n0_db=snr), 2))) < 400


def test_results_of_observed_frequencies_print_as_the_command_does(run, tmp_path):
    path = tmp_path / "trials.csv"
    path.write_text("900,100\n100,900\n")
    lines = run("medium", "counts", path, "--epsilon", "1").succeeds().splitlines()
    printed = _told_together(read_counts(path, confidence="0.999", all_rows=True), 1)
    assert set(printed) <= set(lines)
    assert [line for line in lines if line not in printed] == [
        line for line in lines if line.startswith("  without the medium, least  ")
    ]
