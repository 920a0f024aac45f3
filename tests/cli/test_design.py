"""`hushcount design`: values, files, refusals."""

import json
import math

import pytest

from hushcount import read_mechanism


def test_design_and_release_with_it(run, tmp_path):
    file = tmp_path / "mechanism.csv"
    told = run("design", "--n", "5", "--epsilon", "0.5", "--property", "fairness", "--output", str(file)).succeeds()
    assert "Among       all mechanisms with fairness" in told
    assert told.endswith(f"Saved to {file}\n")
    saved = read_mechanism(file)
    assert saved.notes["loss"] == "absolute"
    assert saved.notes["properties"] == "fairness"
    rows = tmp_path / "rows.csv"
    rows.write_text("a\n1\n0\n1\n1\n0\n")
    release = ["release", str(rows), "--where", "a = 1", "--mechanism", str(file), "--json", "--epsilon"]
    receipt = json.loads(run(*release, "0.5").succeeds())
    assert 0 <= receipt["released"] <= 5
    assert receipt["audit"]["matrix_sha256"] == saved.sha256
    assert "epsilon" in run(*release, "0.4").fails_with(2)


@pytest.mark.parametrize("asked", [("--loss", "squared", "--prior", "uniform"), ("--weights", "3,1,1,2,1,1")], ids=str)
@pytest.mark.parametrize("promise", [("--mu", "0.8"), ("--rho", "0.3")], ids=str)
def test_design_and_release_with_it_in_mu(run, tmp_path, asked, promise):
    """From the design to the reading of the receipt; a smaller mu is refused before the data are read."""
    file, rows, kept = tmp_path / "mechanism.csv", tmp_path / "rows.csv", tmp_path / "receipt.json"
    run("design", "--n", 5, *promise, *asked, "--output", file).succeeds()
    rows.write_text("a\n1\n0\n1\n1\n0\n")
    question = ("--where", "a = 1", "--mechanism", file)
    text = run("release", rows, *question, *promise, "--output", kept).succeeds()
    assert "Mechanism   designed (audited)\nAudit       it takes mu " in text
    receipt = json.loads(kept.read_text())
    assert (receipt["schema_version"], receipt["mechanism"]) == (2, "audited")
    assert set(receipt["audit"]) == {"name", "matrix_sha256", "least_mu"}
    assert receipt["audit"]["least_mu"] ** 2 <= float(receipt["mu_squared"]) * (1 + 1e-15)
    assert "designed (audited)" in run("interpret", kept, "--mechanism", file).succeeds()
    table = ("table", rows, "--by", "a", "--keys", "0,1", "--max", 5, "--adjacency", "add-remove")
    run(*table, *promise, "--mechanism", file, "--receipt", kept).succeeds()
    assert "designed (audited)" in run("interpret", "--cells", kept, "--mechanism", file).succeeds()
    assert "it takes mu" in run("explain", "--n", 5, *promise, "--mechanism", file).succeeds()
    refused = run("release", tmp_path / "not-there.csv", *question, "--mu", "0.5").fails_with(2)
    assert refused.startswith("--mechanism must be private at mu 0.5; an audit found that it takes mu 0.")
    run("explain", "--n", 5, "--epsilon", "0.1", "--mechanism", file).fails_with(2)


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_a_saved_chain_in_every_command(run, tmp_path, ending):
    file, cut = tmp_path / f"mechanism.{ending}", tmp_path / f"cut.{ending}"
    run("design", "--n", 4, "--mu", "0.8", "--chances", ".3,.2,.1,.2,.3", "--output", file).succeeds()
    told = run("audit", file, "--mu", "0.8").succeeds()
    assert told.startswith(f"Chain       {file}: 5 true counts, 5 outcomes\n")
    assert run("audit", file, "--mu", "0.5").code == 1
    found = json.loads(run("audit", file, "--epsilon", "1", "--delta", "0.2", "--profile", "0,1", "--json").succeeds())
    assert (found["true_counts"], found["outcomes"], found["verdict"]) == (5, 5, "PRIVATE")
    assert "--normalise is for a matrix" in run("audit", file, "--mu", "0.8", "--normalise").fails_with(2)
    assert "--distance must be less than" in run("audit", file, "--mu", "2", "--distance", "5").fails_with(2)
    explained = run("explain", "--n", 4, "--mu", "0.8", "--mechanism", file).succeeds()
    assert f"Contents    SHA-256 {read_mechanism(file).sha256[:32]}..." in explained
    assert "its own is 0 to 4" in run("explain", "--n", 5, "--mu", "0.8", "--mechanism", file).fails_with(2)
    run("plot", "mechanism", "--matrix", file, "--output", tmp_path / "m.svg").succeeds()
    run("plot", "privacy-profile", "--matrix", file, "--output", tmp_path / "p.svg").succeeds()
    cut.write_text(file.read_text().replace("0.64", "0.04"))
    for command in (("audit", cut, "--mu", 1), ("explain", "--n", 4, "--mu", 1, "--mechanism", cut)):
        assert "shifts" in run(*command).fails_with(3)


def test_a_large_design_is_saved_and_released_with(run, tmp_path):
    file, rows, kept = tmp_path / "mechanism.json", tmp_path / "rows.csv", tmp_path / "receipt.json"
    asked = ("design", "--n", 5000, "--mu", "0.05", "--loss", "zero-one", "--prior", "uniform", "--output", file)
    run(*asked).succeeds()
    assert file.stat().st_size < 200_000
    rows.write_text("a\n" + "1\n0\n" * 2500)
    release = ("release", rows, "--where", "a = 1", "--mechanism", file, "--output", kept)
    run(*release, "--mu", "0.05").succeeds()
    receipt = json.loads(kept.read_text())
    assert 2500 - 500 <= receipt["released"] <= 2500 + 500  # 25 standard deviations
    assert receipt["audit"]["matrix_sha256"] == read_mechanism(file).sha256
    assert "designed (audited)" in run("interpret", kept, "--mechanism", file).succeeds()
    assert "private at mu 0.04" in run(*release, "--mu", "0.04").fails_with(2)


@pytest.mark.parametrize("optimal", [False, True])
def test_json_holds_the_proof(run, optimal):
    arguments = ["design", "--n", "3", "--epsilon", "1/3", "--delta", "1e-6", "--prior", "uniform", "--json"]
    told = json.loads(run(*arguments, *(["--optimal"] if optimal else [])).succeeds())
    assert (told["n"], told["epsilon"], told["delta"]) == (3, "1/3", "0.000001")
    assert 0 <= told["loss"] - told["lower_bound"] < 1e-9
    assert told["basis"] == ("NEAREST" if optimal else "CHAIN")
    assert told["asked"] == {"loss": "absolute", "prior": "uniform", "optimal": "yes" if optimal else "no"}


def test_a_design_at_any_size_and_for_mu(run):
    told = json.loads(run("design", "--n", "1000", "--mu", "0.5", "--prior", "uniform", "--json").succeeds())
    assert (told["basis"], told["mu_squared"], told["n"]) == ("CHAIN", "0.25", 1000)
    assert 0 <= told["gap"] <= 1e-9 * told["loss"]
    text = run("design", "--n", "5000", "--epsilon", "1", "--loss", "zero-one", "--prior", "uniform").succeeds()
    assert "A chain of thresholds" in text
    assert "Expected |error|" not in text  # nobody searches so many true counts for the worst


def test_right_where_it_matters(run):
    asked = ["design", "--n", "3", "--epsilon", "1", "--weights", "1,2,1,1"]
    told = json.loads(run(*asked, "--json").succeeds())
    assert told["chances"][1] == pytest.approx(2 * told["chances"][0])
    assert told["factor"] <= told["factor_bound"] <= told["factor"] * (1 + 1e-11)
    text = run(*asked).succeeds()
    assert "nearest, for every true count   0.534447\n" in text
    assert text.endswith("True count  Chance to be right\n0           0.3483\n1           0.6966\n2..3        0.3483\n")
    had = run("design", "--n", "3", "--epsilon", "1", "--chances", ".5,.6,.1,.5").succeeds()
    assert "Least, of what is asked for     1\n" in had


def test_weights_are_a_list_with_repetitions_or_a_file(run, tmp_path):
    column, line = tmp_path / "column.csv", tmp_path / "line.csv"
    column.write_text("4\n" * 11 + "1\n" * 90)
    line.write_text(",".join(["4"] * 11 + ["1"] * 90) + "\n")
    asked = ("design", "--n", 100, "--epsilon", "0.5", "--weights")
    texts = {run(*asked, given).succeeds() for given in ("4x11,1x90", "4 x 11, 1x90", column, line)}
    assert len(texts) == 1
    assert "0..10       0.259\n" in (text := texts.pop())
    assert text.count("\n") < 20
    chances = tmp_path / "chances.csv"
    chances.write_text("0.1\n" * 101)
    run("design", "--n", 100, "--epsilon", "0.5", "--chances", chances).succeeds()
    many = ",".join(str(1 + 0.001 * j) for j in range(101))
    assert "more; all are in the JSON (--json)\n" in run(*asked, many).succeeds()
    column.write_text("4\nmany\n")
    assert "line 2 holds something that is not a number" in run(*asked, column).fails_with(3)


def test_uniform_prior_and_zero_one_loss(run):
    told = json.loads(
        run("design", "--n", "7", "--epsilon", "1", "--loss", "zero-one", "--prior", "uniform", "--json").succeeds()
    )
    a = math.exp(-1)
    assert told["loss"] == pytest.approx(14 * a / (8 * (1 + a)), rel=1e-9)


def test_a_loss_of_your_own(run, tmp_path):
    file = tmp_path / "loss.csv"
    file.write_text("0,1,2\n1,0,1\n2,1,0\n")
    own, named = (
        json.loads(run("design", "--n", "2", "--epsilon", "1", "--loss", loss, "--json").succeeds())
        for loss in (str(file), "absolute")
    )
    assert own["loss"] == named["loss"]


@pytest.mark.parametrize("asked", [("--weights", "3,1,1,2"), ("--chances", ".5,.2,.1,.2")])
def test_right_where_it_matters_is_saved(run, tmp_path, asked):
    file = tmp_path / "right.csv"
    shown = run("design", "--n", "3", "--epsilon", "1", *asked, "--output", file).succeeds()
    assert f"Saved to {file}" in shown
    told = json.loads(run("design", "--n", "3", "--epsilon", "1", *asked, "--output", file, "--json").succeeds())
    assert told["saved_to"] == str(file)
    run("audit", file, "--epsilon", "1").succeeds()
    run("explain", "--n", "3", "--epsilon", "1", "--mechanism", file).succeeds()


def test_weights_are_taken_exactly(run):
    told = json.loads(run("design", "--n", "2", "--epsilon", "1", "--prior", "1/3,1/3,1/3", "--json").succeeds())
    assert told["asked"]["prior"] == "1/3,1/3,1/3"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--epsilon", "-1"], "--epsilon must be a finite number >= 0"),
        (["--epsilon", "1", "--n", "257", "--property", "fairness"], "a design is a linear program of up to 257"),
        (["--epsilon", "1", "--n", "16384"], "a design has at most 16,384 outcomes"),
        ([], "what is promised is missing"),
        (["--mu", "1", "--property", "fairness"], "only one (epsilon, delta) can be promised with properties"),
        (["--mu", "1", "--optimal"], "--optimal is for --epsilon and --delta only (got mu 1)"),
        (["--mu", "1", "--weights", "1,1,1,1", "--prior", "uniform"], "--weights and --chances stand alone"),
        (
            ["--mu", "1", "--weights", "1,1,1"],
            "--weights must be 4 numbers, one for each true count 0..3 (got 3 numbers)",
        ),
        (["--mu", "1", "--weights", "1x99999999"], "--weights must be at most 16,384 numbers"),
        (["--mu", "1", "--weights", "0,0,0,0"], "weights must not be all 0"),
        (["--epsilon", "1", "--chances", ".5,.9,.1,.5"], "chances[1] must be a chance that can be had"),
        (["--epsilon", "1", "--n", "2.5"], "--n must be a whole number"),
        (["--epsilon", "1", "--loss", "cubic"], "--loss must be one of absolute, squared, zero-one, or a CSV file"),
        (["--epsilon", "1", "--prior", "flat"], "--prior must be 'worst', 'uniform' or"),
        (["--epsilon", "1", "--prior", "0.5,0.6,0.1,0.1"], "the weights of the prior must sum to 1"),
        (["--epsilon", "1", "--prior", "0.5,0.5"], "--prior must be "),
        (["--epsilon", "1", "--property", "fair"], "--property must be one of fairness, weak-honesty, row-honesty"),
        (["--epsilon", "1", "--output", "mechanism.txt"], "mechanism.txt: the name must end in .csv or .json"),
        (["--epsilon", "1", "--output", "no-such-folder/m.csv"], "--output must be in a folder that exists"),
        (["--epsilon", "1", "--epsilon", "2"], "option '--epsilon' may be given only once"),
    ],
)
def test_bad_options(run, arguments, message):
    size = [] if "--n" in arguments else ["--n", "3"]
    assert run("design", *size, *arguments).fails_with(2).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [("0,1\nx,0\n", "line 2 holds something that is not a number"), ("0,1\n1\n", "line 2 has 1 cells")],
)
def test_bad_loss_files(run, tmp_path, text, message):
    file = tmp_path / "loss.csv"
    file.write_text(text)
    assert message in run("design", "--n", "1", "--epsilon", "1", "--loss", str(file)).fails_with(3)


def test_a_loss_file_of_another_size(run, tmp_path):
    file = tmp_path / "loss.csv"
    file.write_text("0,1\n1,0\n")
    assert "--loss must be a matrix of shape (4, 4)" in run(
        "design", "--n", "3", "--epsilon", "1", "--loss", str(file)
    ).fails_with(2)


def test_a_loss_too_long_for_a_file_name_is_none(run):
    message = run("design", "--n", "2", "--epsilon", "1", "--loss", "x" * 5000).fails_with(2)
    assert message.startswith("--loss must be one of ")
