"""`hushcount plot`: every picture from its options, every bad option one line."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest
from receipts import receipt_of, table_receipt_of

from hushcount import nearest, save_mechanism, sweep
from hushcount.cli.options import picture
from hushcount.optimal_set import OptimalSet

MATRIX = "0.5,0.3,0.2\n0.3,0.4,0.3\n0.2,0.3,0.5\n"
HEADS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}

COMMANDS = {
    "mechanism": ["mechanism", "--n", "7", "--epsilon", "0.5"],
    "mechanism-named": ["mechanism", "--n", "7", "--epsilon", "0.5", "--delta", "0.1", "--mechanism", "canonical"],
    "mechanism-file": ["mechanism", "--matrix", "m.csv", "--scale", "log"],
    "rows": ["rows", "--n", "30", "--epsilon", "1/2", "--true", "0", "--true", "12", "--scale", "log"],
    "mechanism-mu": ["mechanism", "--n", "7", "--mu", "0.5"],
    "rows-mu": ["rows", "--n", "30", "--rho", "0.1"],
    "profile-mu": ["privacy-profile", "--n", "7", "--mu", "1"],
    "trade-off-mu": ["privacy-profile", "--n", "7", "--mu", "1", "--matrix", "m.csv", "--trade-off"],
    "rows-file": ["rows", "--matrix", "m.csv"],
    "errors": ["errors", "--n", "7", "--epsilon", "0.5:1.5:0.5", "--measure", "absolute-error"],
    "errors-named": ["errors", "--n", "7", "--epsilon", "1,2", "--delta", "0.1", "--mechanism", "clamped-gaussian"],
    "errors-mu": ["errors", "--n", "7", "--mu", "0.5,1", "--measure", "bias", "--scale", "log"],
    "prices": ["prices", "--n", "100", "--within", "5", "--chance", "0.9", "--cells", "1:10,100,1000"],
    "optimal-set": ["optimal-set", "--n", "4", "--epsilon", "0.5", "--ranges", "--sums"],
    "medium": ["medium", "psk", "--order", "4", "--snr-db", "0:10:10,inf", "--epsilon", "0.5,1"],
    "medium-bits": ["medium", "z-channel", "--bits", "2", "--p", "0.1,1/5", "--epsilon", "1,2", "--delta", "0.1"],
    "medium-no-bounds": ["medium", "psk", "--order", "4", "--snr-db", "0,5", "--epsilon", "0.5,1", "--no-bounds"],
    "medium-counts": ["medium", "counts", "counts.csv", "--epsilon", "1,2", "--confidence", "0.99"],
    "medium-file": ["medium", "file", "m.csv", "--epsilon", "1,2"],
    "medium-rounding": ["medium", "rounding", "--order", "6", "--multiple", "2", "--epsilon", "1,2", "--scale", "log"],
    "privacy-profile": ["privacy-profile", "--n", "7", "--epsilon", "1", "--at", "0,1,2"],
    "privacy-profile-files": ["privacy-profile", "--matrix", "m.csv", "--matrix", "saved.json", "--scale", "log"],
    "privacy-profile-both": ["privacy-profile", "--n", "2", "--epsilon", "0", "--delta", "0.1", "--matrix", "m.csv"],
    "trade-off": ["privacy-profile", "--n", "7", "--epsilon", "1", "--mechanism", "nearest", "--trade-off"],
    "trade-off-file": ["privacy-profile", "--matrix", "m.csv", "--trade-off"],
    "sweep": ["sweep", "sweep.csv"],
    "sweep-axes": ["sweep", "sweep.csv", "--x", "n", "--y", "bias", "--only", "epsilon=1/2", "--only", "delta=0"],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Those that the commands name."""
    made = tmp_path_factory.mktemp("files")
    (made / "m.csv").write_text(MATRIX)
    (made / "counts.csv").write_text("900,50,50\n50,900,50\n50,50,900\n")
    save_mechanism(nearest(2, 1), made / "saved.json")
    sweep("1,2", "0.5,1", mechanisms="nearest,uniform", output=made / "sweep.csv", jobs=1)
    return {each.name: each.read_bytes() for each in made.iterdir()}


@pytest.fixture
def folder(files, tmp_path, monkeypatch):
    """With the files, to work in."""
    monkeypatch.chdir(tmp_path)
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_every_picture(run, files, folder, name):
    """As SVG, in the size that the help tells, and no other file is left or changed."""
    assert run("plot", *COMMANDS[name], "--output", "1.svg").succeeds() == "Saved to 1.svg\n"
    found = {each.name: each.read_bytes() for each in folder.iterdir()}
    drawn = found.pop("1.svg")
    assert found == files
    assert drawn.startswith(b"<?xml")
    size = b'width="360pt" height="403.2pt"' if name == "optimal-set" else b'width="460.8pt" height="345.6pt"'
    assert size in drawn


@pytest.mark.slow
def test_the_same_command_writes_the_same_bytes(run, folder):
    for name in ("1.svg", "2.svg"):
        run("plot", *COMMANDS["errors"], "--output", name).succeeds()
    assert (folder / "1.svg").read_bytes() == (folder / "2.svg").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("form", HEADS)
def test_formats_and_sizes(run, folder, form):
    run("plot", *COMMANDS["mechanism"], "--output", f"a.{form}", "--size", "5x3.5").succeeds()
    content = (folder / f"a.{form}").read_bytes()
    assert content.startswith(HEADS[form])
    if form == "png":
        assert (int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")) == (1000, 700)
    if form == "svg":
        assert b'width="360pt" height="252pt"' in content


@pytest.mark.slow
def test_it_draws_what_was_asked_for(run, folder):
    """As a comment, an SVG tells the texts in it."""
    run("plot", *COMMANDS["optimal-set"], "--output", "a.svg").succeeds()
    text = (folder / "a.svg").read_text(encoding="utf-8")
    optimal = OptimalSet(4, "0.5")
    for i, j in np.argwhere(optimal.shared_entries).tolist():
        assert f"<!-- {optimal.canonical.pmf(i, j):.3f} -->" in text
    run("plot", *COMMANDS["mechanism-named"], "--output", "a.svg").succeeds()
    text = (folder / "a.svg").read_text(encoding="utf-8").replace("\xa0", " ")
    assert "<!-- canonical: n = 7, epsilon = 0.5, delta = 0.1 -->" in text


def test_only_takes_any_of_the_values_of_a_column(run, folder):
    """Given at once or one after the other; of several columns all conditions hold."""
    for only in (["n=1,2", "mechanism=nearest"], ["n=1", "n=2", "mechanism=nearest"]):
        options = [word for condition in only for word in ("--only", condition)]
        run("plot", "sweep", "sweep.csv", "--x", "epsilon", *options, "--output", "a.svg").succeeds()
        text = (folder / "a.svg").read_text(encoding="utf-8").replace("\xa0", " ")
        assert "<!-- n = 1 -->" in text
        assert "<!-- n = 2 -->" in text
        assert "<!-- Chance to be wrong, worst case: nearest -->" in text


def test_bounds_may_be_left_out(run, folder):
    for name, shown in (("medium", True), ("medium-no-bounds", False)):
        run("plot", *COMMANDS[name], "--output", "a.svg").succeeds()
        assert ("<!-- best simple scheme (u0 to u3) -->" in (folder / "a.svg").read_text(encoding="utf-8")) is shown


@pytest.mark.slow
def test_titles(run, folder):
    run("plot", *COMMANDS["mechanism"], "--output", "a.svg", "--title", "Механизм $1 & co").succeeds()
    assert "Механизм $1 &amp; co" in (folder / "a.svg").read_text(encoding="utf-8")
    run("plot", *COMMANDS["mechanism"], "--output", "a.svg", "--title", "").succeeds()
    message = run("plot", *COMMANDS["mechanism"], "--output", "a.svg", "--title", "\U00013080").fails_with(2)
    assert message.startswith(
        "--title must be in characters that an installed font has (none has '\U00013080', U+13080"
    )


def test_an_earlier_file_is_replaced_or_kept(run, folder):
    (folder / "a.svg").write_text("old")
    run("plot", *COMMANDS["rows"], "--output", "a.svg", "--true", "99").fails_with(2)
    assert (folder / "a.svg").read_text() == "old"
    run("plot", *COMMANDS["rows"], "--output", "a.svg").succeeds()
    assert (folder / "a.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.slow
def test_a_user_s_own_style_does_not_matter(shell, folder):
    """Nor do a backend that is not there, another hash seed, or the lack of a display."""
    (folder / "matplotlibrc").write_text("figure.facecolor: black\nlines.linewidth: 9\nsvg.fonttype: none\n")
    shell("plot", *COMMANDS["rows"], "--output", "1.svg").succeeds()
    (folder / "matplotlibrc").unlink()
    shell(
        "plot", *COMMANDS["rows"], "--output", "2.svg", environment={"PYTHONHASHSEED": "7", "DISPLAY": ":99"}
    ).succeeds()
    assert (folder / "1.svg").read_bytes() == (folder / "2.svg").read_bytes()


@pytest.mark.parametrize("output", ["a", "a.jpg", "a.svgz", "-"])
def test_other_endings(run, folder, output):
    message = run("plot", *COMMANDS["mechanism"], "--output", output).fails_with(2)
    assert message == f"--output must be a file name that ends in .png, .svg or .pdf (got {output!r})"


def test_places_that_cannot_be_written(run, folder):
    for output, message in (("none/a.svg", "--output must be in a folder that exists"),):
        assert run("plot", *COMMANDS["mechanism"], "--output", output).fails_with(2).startswith(message)
    (folder / "x.svg").mkdir()
    message = run("plot", *COMMANDS["mechanism"], "--output", "x.svg").fails_with(2)
    assert message.startswith("--output must be the name of an ordinary file")
    os.link("m.csv", "link.svg")
    message = run("plot", *COMMANDS["mechanism-file"], "--output", "link.svg").fails_with(2)
    assert message.startswith("--output must be another file than those that are read")
    assert (folder / "m.csv").read_text() == MATRIX


@pytest.mark.parametrize(
    "size", ["", "6", "6x", "6x1", "1x6", "41x6", "6 x 4", "-6x4", "6x4x3", "nanx4", "6,4x4", "1e1x4"]
)
def test_bad_sizes(run, folder, size):
    message = run("plot", *COMMANDS["mechanism"], "--output", "a.svg", "--size", size).fails_with(2)
    assert message.startswith("--size must be WIDTHxHEIGHT in inches, each from 2 to 40, such as 6.4x4.8 (got ")
    assert not (folder / "a.svg").exists()


def test_a_size_at_which_nothing_is_left_for_the_data(run, folder):
    arguments = ["errors", "--n", "3", "--epsilon", "1,2", "--title", "\n".join("many lines" for _ in range(9))]
    message = run("plot", *arguments, "--output", "a.svg", "--size", "2x2").fails_with(2)
    assert message == "the figure is too small for what stands around the data; make it larger"


@pytest.mark.parametrize("name", COMMANDS)
def test_without_matplotlib(run, folder, name, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    message = run("plot", *COMMANDS[name], "--output", "a.svg").fails_with(2)
    assert message == "figures need the package matplotlib: pip install 'hushcount[figures]'"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["mechanism"], 2, "a mechanism takes --n, and --epsilon, --mu or --rho; or --matrix FILE"),
        (["mechanism", "--n", "7"], 2, "a mechanism takes --n, and --epsilon, --mu or --rho"),
        (["mechanism", "--matrix", "m.csv", "--n", "2"], 2, "--matrix is a mechanism already: leave out"),
        (["mechanism", "--matrix", "m.csv", "--delta", "0"], 2, "--matrix is a mechanism already"),
        (["mechanism", "--matrix", "none.csv"], 3, "none.csv does not exist"),
        (["mechanism", "--matrix", "m.txt"], 2, "m.txt: the name must end in .csv"),
        (["mechanism", "--matrix", "wide.csv"], 3, "wide.csv: matrix must be square"),
        (["mechanism", "--matrix", "off.csv"], 3, "off.csv: row 0"),
        (["mechanism", "--n", "-1", "--epsilon", "1"], 2, "--n must be a whole number >= 0"),
        (["mechanism", "--n", "7", "--epsilon", "-1"], 2, "--epsilon must be"),
        (["mechanism", "--n", "7", "--epsilon", "1", "--delta", "1"], 2, "--delta must be"),
        (["mechanism", "--n", "7", "--epsilon", "1", "--mechanism", "foo"], 2, "--mechanism must be one of nearest"),
        (["mechanism", "--n", "7", "--epsilon", "1", "--scale", "x"], 2, "--scale must be one of linear, log"),
        (["mechanism", "--n", "5000", "--epsilon", "1"], 2, "a heat map has at most 1,024 outcomes"),
        (["rows", "--n", "7", "--epsilon", "1", "--true", "8"], 2, "--true must be different counts from 0 to n = 7"),
        (["rows", "--n", "7", "--epsilon", "1", "--true", "x"], 2, "--true must be a whole number"),
        (["errors", "--n", "7", "--epsilon", "2:1:1"], 2, "--epsilon must be"),
        (["errors", "--n", "7"], 2, "give --epsilon or --mu, and not both"),
        (["errors", "--n", "7", "--epsilon", "1", "--mu", "1"], 2, "give --epsilon or --mu, and not both"),
        (["errors", "--n", "7", "--mu", "0,1"], 2, "--mu must be numbers > 0 in rising order"),
        (["errors", "--n", "7", "--mu", "2,1"], 2, "--mu must be numbers >"),
        (["errors", "--n", "7", "--mu", "1", "--mechanism", "uniform"], 2, "--mechanism must be one of nearest, round"),
        (
            ["prices", "--n", "7", "--within", "1", "--chance", "0.9", "--cells", "0,1"],
            2,
            "--cells must be integers >= 1",
        ),
        (
            ["prices", "--n", "7", "--within", "1", "--chance", "0.9", "--cells", "2,1"],
            2,
            "--cells must be integers from",
        ),
        (["prices", "--n", "7", "--within", "7", "--chance", "0.9"], 2, "--chance must be one that is not reached"),
        (["prices", "--n", "7", "--within", "1", "--chance", "1"], 2, "--chance must be a number < 1"),
        (
            ["prices", "--n", "7", "--within", "1", "--chance", "0.9", "--at-delta", "0"],
            2,
            "--at-delta must be a number",
        ),
        (["errors", "--n", "7", "--epsilon", "2,1"], 2, "--epsilon must be numbers >= 0 in rising order"),
        (["errors", "--n", "7", "--epsilon", "1", "--measure", "x"], 2, "--measure must be one of error-probability"),
        (["errors", "--n", "7", "--epsilon", "1", "--mechanism", "x"], 2, "--mechanism must be one of nearest"),
        (["optimal-set", "--n", "600", "--epsilon", "1"], 2, "shared entries are drawn up to 512 outcomes"),
        (["medium", "foo", "--epsilon", "1"], 2, "KIND must be one of psk"),
        (["medium", "psk", "--order", "4", "--epsilon", "1"], 2, "psk needs one of --snr-db and --eb-n0-db"),
        (["medium", "psk", "--epsilon", "1", "--snr-db", "1"], 2, "psk needs --order"),
        (
            ["medium", "psk", "--order", "4", "--epsilon", "1", "--snr-db", "1", "--eb-n0-db", "1"],
            2,
            "give only one of --snr-db and --eb-n0-db",
        ),
        (
            ["medium", "psk", "--order", "4", "--epsilon", "1", "--snr-db", "1", "--fading", "x"],
            2,
            "--fading must be rayleigh, or left out (got 'x')",
        ),
        (["medium", "psk", "--order", "4", "--epsilon", "1", "--snr-db", "x"], 2, "--snr-db must be"),
        (
            ["medium", "psk", "--order", "4", "--epsilon", "1", "--snr-db", "1:9:1"],
            2,
            "a picture shows at most 8 media",
        ),
        (["medium", "psk", "--order", "4", "--epsilon", "1", "--p", "1"], 2, "--p is not for psk"),
        (["medium", "symmetric", "--order", "4", "--epsilon", "1", "--p", "2"], 2, "--p must be"),
        (["medium", "file", "off.csv", "--epsilon", "1"], 3, "off.csv: row 0"),
        (["privacy-profile"], 2, "a mechanism takes --n, and --epsilon, --mu or --rho"),
        (["privacy-profile", "--matrix", "m.csv", "--matrix", "m.csv"], 2, "--matrix must be a file of another name"),
        (["mechanism", "--n", "7", "--mu", "1", "--rho", "1"], 2, "--rho must be left out beside mu"),
        (["rows", "--n", "7", "--mu", "1", "--epsilon", "1"], 2, "--mu must be left out beside epsilon"),
        (["mechanism", "--n", "7", "--mu", "1", "--delta", "0.1"], 2, "--delta must be left out beside mu"),
        (["mechanism", "--n", "7", "--mu", "0"], 2, "--mu must be a finite number > 0"),
        (["mechanism", "--matrix", "m.csv", "--mu", "1"], 2, "--matrix is a mechanism already: leave out"),
        (["privacy-profile", "--matrix", "m.csv", "--delta", "0.1"], 2, "--delta goes with --epsilon"),
        (
            ["privacy-profile", "--matrix", "m.csv", "--mechanism", "nearest"],
            2,
            "a mechanism takes --n, and --epsilon, --mu or --rho",
        ),
        (["privacy-profile", "--matrix", "m.csv", "--at", "1,0"], 2, "--at must be numbers >= 0 in rising order"),
        (["privacy-profile", "--matrix", "m.csv", "--trade-off", "--at", "1"], 2, "--trade-off has no epsilons"),
        (["sweep", "none.csv"], 3, "none.csv does not exist"),
        (["sweep", "m.csv"], 3, "m.csv: is not a table that hushcount sweep wrote"),
        (["sweep", "m.txt"], 2, "FILE must be a file name that ends in .csv or .parquet"),
        (["sweep", "sweep.csv", "--x", "p"], 2, "--x must be something that varies: epsilon, n"),
        (["sweep", "sweep.csv", "--y", "verdict"], 2, "--y must be one of upper, absolute_error, squared_error"),
        (["sweep", "sweep.csv", "--only", "n"], 2, "--only must be with values of that column: 1, 2 (got 'n')"),
        (["sweep", "sweep.csv", "--only", "n=1,9"], 2, "--only must be with values of that column: 1, 2 (got 'n=1,9')"),
        (
            ["sweep", "sweep.csv", "--only", "verdict=PRIVATE"],
            2,
            "--only must be COLUMN=VALUE, with one of the columns",
        ),
        (["sweep", "sweep.csv", "--only", "n=9"], 2, "--only must be with values of that column: 1, 2 (got 'n=9')"),
        (["rows", "--n", "7", "--n", "7", "--epsilon", "1"], 2, "option '--n' may be given only once"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else None,
)
def test_bad_options(run, folder, arguments, code, message):
    (folder / "wide.csv").write_text("0.5,0.5\n")
    (folder / "off.csv").write_text("0.5,0.4\n0,1\n")
    assert run("plot", *arguments, "--output", "a.svg").fails_with(code).startswith(message)
    assert not (folder / "a.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["errors", "--n", "3", "--epsilon", "1e400"], "--epsilon must be numbers of at most 1,000,000,000 (got 1000"),
        (["medium", "psk", "--order", "4", "--snr-db", "1", "--epsilon", "1e400"], "--epsilon must be numbers of at"),
        (["privacy-profile", "--n", "3", "--epsilon", "1", "--at", "1e400"], "--at must be numbers of at most"),
        (["mechanism", "--n", "3", "--epsilon", "1", "--title", "a" * 10_000], "--title must be text of at most 1,000"),
        (["mechanism", "--n", "3", "--epsilon", "1", "--title", "\x1b[31m"], "--title must be text without control"),
    ],
    ids=["errors", "medium", "profile", "long", "control"],
)
def test_extremes(run, folder, arguments, message):
    assert run("plot", *arguments, "--output", "a.svg").fails_with(2).startswith(message)
    assert not (folder / "a.svg").exists()


@pytest.mark.parametrize("only", [[], ["--only", "n=2"]], ids=["all", "some"])
def test_a_table_without_a_row(run, folder, only):
    header = (folder / "sweep.csv").read_text().splitlines()[0]
    (folder / "none.csv").write_text(header + "\n")
    message = run("plot", "sweep", "none.csv", *only, "--output", "a.svg").fails_with(3)
    assert message == "none.csv: a table without a row"


@pytest.mark.skipif(sys.platform == "win32", reason="no name of a file on Windows")
def test_a_file_whose_name_cannot_be_written(run, folder):
    """It is drawn as an error would spell it."""
    (folder / "m.csv").rename("a\x07\n.csv")
    for kind in ("mechanism", "rows", "privacy-profile"):
        run("plot", kind, "--matrix", "a\x07\n.csv", "--output", "a.svg").succeeds()
        assert "<!-- a\\x07\\n.csv" in (folder / "a.svg").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "environment"),
    [(b"", {"MPLBACKEND": "nope"}), (b"\xff\xfe\n", {})],
    ids=["a backend that is none", "a file that is no text"],
)
def test_settings_that_matplotlib_refuses(shell, folder, settings, environment):
    (folder / "matplotlibrc").write_bytes(settings)
    outcome = shell("plot", *COMMANDS["rows"], "--output", "a.svg", environment=environment)
    assert outcome.fails_with(2).startswith("matplotlib does not start with its settings")
    assert not (folder / "a.svg").exists()


def test_an_output_is_required(run):
    assert "--output" in run("plot", *COMMANDS["mechanism"]).fails_with(2)


def test_a_group_by_itself_helps(run):
    assert "privacy-profile" in run("plot", "--help").succeeds()


@pytest.mark.slow
@pytest.mark.parametrize("file", ["m.csv", "saved.json"])
def test_a_mechanism_from_a_file_is_called_by_it(run, folder, file):
    for kind in ("mechanism", "rows"):
        run("plot", kind, "--matrix", file, "--output", "a.svg").succeeds()
        assert f"<!-- {file}: n = 2 -->" in (folder / "a.svg").read_text(encoding="utf-8").replace("\xa0", " ")


def test_matplotlib_says_nothing_on_its_own(monkeypatch, folder):
    """It would tell of the font cache that it makes, on standard error."""
    import logging

    monkeypatch.setattr(logging.getLogger("matplotlib"), "level", logging.NOTSET)
    picture.Picture.of("a.svg", "3x3", None)
    assert not logging.getLogger("matplotlib.font_manager").isEnabledFor(logging.WARNING)


def test_a_table(run, tmp_path):
    receipt = tmp_path / "r.json"
    receipt.write_text(table_receipt_of(["k"], list(range(160)), [1] * 160, 4).to_json())
    words = ("plot", "table", receipt, "--output", tmp_path / "t.svg")
    assert run(*words).fails_with(2) == "a picture has at most 150 cells (got 160); choose some of them"
    assert run(*words, "--cells", "1:20", "--kind", "bars").succeeds() == f"Saved to {tmp_path / 't.svg'}\n"
    small = (tmp_path / "t.svg").read_bytes()
    assert b'height="482.4pt"' in small
    run(*words, "--cells", "21:160", "--together", "--level", "0.5").succeeds()
    assert b'height="2556pt"' in (tmp_path / "t.svg").read_bytes()
    run(*words, "--cells", "1:20", "--size", "5x9").succeeds()
    assert b'height="648pt"' in (tmp_path / "t.svg").read_bytes()
    assert run(*words, "--cells", "20").fails_with(2).startswith("--cells must be FIRST:LAST, such as 1:100")
    assert run(*words, "--cells", "9:8").fails_with(2).startswith("--cells must be FIRST:LAST, from 1 to 160")
    receipt.write_text(receipt_of("nearest", 5, 1, released=2).to_json())
    assert "not the receipt of a table" in run(*words).fails_with(3)
