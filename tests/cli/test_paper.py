"""`hushcount paper`: the table, the figures, the exit codes."""

import json
import re
import sys
from dataclasses import replace

import numpy as np
import pytest

from hushcount.paper import paper_statements, registry

STATEMENTS = paper_statements()


@pytest.fixture
def wrong(monkeypatch):
    """Lemma 1 does not hold."""
    changed = (replace(each, claim=lambda M, q: -np.eye(M)) if each.name == "Lemma 1" else each for each in STATEMENTS)
    monkeypatch.setattr(registry, "_STATEMENTS", tuple(changed))


def test_a_part_of_the_paper(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = run("paper", "--only", "Appendix A", "--only", "(9)").succeeds()
    lines = told.splitlines()
    assert [line.split("  ")[0] for line in lines[3:] if re.search(r"  (holds|corrected)$", line)] == [
        "Appendix A, cosine sum",
        "Appendix A, odd M",
        "Appendix A, even M",
        "(9)",
    ]
    assert "Counter-example: M = 2, q = 0.95: eigenvalue 2 of 2: formula 38.05, matrix 1.95" in " ".join(told.split())
    assert lines[-1].startswith("4 statements in ")
    assert lines[-2].endswith("docs/paper-map.md, or --json.")
    assert list(tmp_path.iterdir()) == []


def test_json(run):
    told = json.loads(run("paper", "--only", "Example", "--json").succeeds())
    assert told["holds"] is True
    assert (told["figures"], told["figures_left_out"]) == ([], None)
    (found,) = told["statements"]
    assert found["name"] == "Example, M = 5"
    assert found["verdict"] == "CORRECTED"
    assert found["largest_deviation"] == 0
    assert found["counter_example"]["shown"].endswith("determinant -1.9e-11")
    assert "hushcount_version" in told


def test_a_failure_is_exit_code_1(run, wrong):
    outcome = run("paper", "--only", "Lemma 1")
    assert (outcome.code, outcome.err) == (1, "")
    assert "0 hold as printed, 0 once corrected, 1 fails." in outcome.out
    outcome = run("paper", "--only", "Lemma 1", "--json")
    assert outcome.code == 1
    assert json.loads(outcome.out)["holds"] is False


@pytest.mark.slow
def test_figures_are_written_and_do_not_change(run, tmp_path):
    written = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        told = run("paper", "--only", "Fig. 1", "--output", tmp_path / name).succeeds()
        assert told.endswith(f"Figures written: {tmp_path / name / 'figure-1.svg'}\n")
        written.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert written[0] == written[1]
    assert list(written[0]) == ["figure-1.svg"]
    assert b"<svg" in written[0]["figure-1.svg"]


@pytest.mark.slow
@pytest.mark.parametrize(("form", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_formats(run, tmp_path, form, start):
    told = json.loads(run("paper", "--only", "Fig. 1", "--output", tmp_path, "--format", form, "--json").succeeds())
    target = tmp_path / f"figure-1.{form}"
    assert told["figures"] == [str(target)]
    assert target.read_bytes().startswith(start)


def test_without_matplotlib_the_table_still_comes(run, tmp_path, monkeypatch):
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    told = run("paper", "--only", "Fig. 1", "--output", tmp_path).succeeds()
    assert "Fig. 1" in told
    assert told.splitlines()[-1].startswith("Figures left out: figures need the package matplotlib")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "Theorem 3"], "--only must be how the name of a statement begins, such as 'Theorem 1 "),
        (["--only", ""], "--only must be how the name of a statement begins"),
        (["--format", "gif"], "--format must be one of svg, png, pdf (got 'gif')"),
        (["--output", "nowhere/at/all"], "--output must be in a folder that exists"),
    ],
)
def test_bad_options(run, arguments, message):
    assert run("paper", *arguments).fails_with(2).startswith(message)


def test_progress_is_for_terminals_and_leaves_no_trace(run, monkeypatch):
    assert run("paper", "--only", "(9)").err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    said = run("paper", "--only", "Appendix A").err
    assert "0/3" in said
    assert "left: Appendix A, cosine sum" in said
    assert said.endswith("\x1b[2K")  # the line is cleared


@pytest.mark.slow
def test_a_user_s_own_style_does_not_matter(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shell("paper", "--only", "Fig. 1").succeeds()
    plain = (tmp_path / "figure-1.svg").read_bytes()
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\nfont.family: nowhere\naxes.facecolor: black\n")
    shell("paper", "--only", "Fig. 1").succeeds()
    assert (tmp_path / "figure-1.svg").read_bytes() == plain
