"""`hushcount sweep`: tables, files, refusals, and what is left after Ctrl-C and kill."""

import csv
import os
import pty
import signal
import subprocess
import sys
import time

import pytest
from pyarrow import parquet

from hushcount.medium import optimum, psk

PSK = ["sweep", "--n", "3", "--medium", "psk", "--jobs", "1"]
LONG = ["sweep", "--n", "3", "--medium", "psk", "--snr-db", "0:7:1", "--epsilon", "0.1:4:0.1", "--jobs", "2"]
LONG_SIZE = 8 * 40


def table(text):
    return list(csv.DictReader(text.splitlines()))


@pytest.mark.slow
def test_the_table_is_printed(run):
    rows = table(run(*PSK, "--snr-db", "-10:0:5,inf", "--epsilon", "0.5,1/3").succeeds())
    places = [(row["es_n0_db"], row["epsilon"]) for row in rows]
    assert places == [(snr, epsilon) for snr in ("-10", "-5", "0", "inf") for epsilon in ("0.5", "1/3")]
    best = optimum(psk(4, es_n0_db=-10), "1/3")
    assert (float(rows[1]["lower"]), float(rows[1]["upper"])) == (best.lower, best.upper)
    assert rows[-1]["verdict"] == "LOSSLESS"


@pytest.mark.slow
def test_the_issue_s_example(run, tmp_path):
    out = tmp_path / "sweep.parquet"
    arguments = [
        "--n",
        7,
        "--medium",
        "psk",
        "--snr-db",
        "0:20:5",
        "--epsilon",
        "0.1:4:0.1",
        "--delta",
        0,
        "--output",
        out,
    ]
    told = run("sweep", *arguments).succeeds()
    assert told.startswith(f"200 points in {out}.\nThe medium: 127 lossless, 73 lossy.\nWidest certified interval")
    found = parquet.ParquetFile(out, pre_buffer=False).read(use_threads=False).to_pydict()
    assert len(found["lower"]) == 200
    assert all(low <= high for low, high in zip(found["lower"], found["upper"], strict=True))
    assert found["epsilon"][-1] == "4"
    assert run("sweep", *arguments).succeeds().startswith(f"200 points in {out} (200 of them were there already).")


@pytest.mark.slow
def test_mechanisms(run):
    told = run("sweep", "--n", "1:3", "--epsilon", "1", "--mechanism", "nearest,uniform", "--jobs", "1").succeeds()
    rows = table(told)
    assert [(row["mechanism"], row["n"]) for row in rows] == [(m, n) for m in ("nearest", "uniform") for n in "123"]
    assert {row["verdict"] for row in rows} == {"PRIVATE"}


@pytest.mark.slow
def test_mechanisms_in_mu(run, tmp_path):
    out = tmp_path / "mu.csv"
    asked = ("sweep", "--n", "1:3", "--mu", "0.5,1", "--jobs", "1")
    rows = table(run(*asked).succeeds())
    assert [row["mu"] for row in rows] == ["0.5", "1"] * 12
    assert {row["verdict"] for row in rows if row["mechanism"] != "zcdp-gaussian"} == {"PRIVATE"}
    told = run(*asked, "--mechanism", "nearest", "--output", out).succeeds()
    assert told.startswith(f"6 points in {out}.\nThe mechanisms: 6 private.\n")
    picture = tmp_path / "mu.png"
    run("plot", "sweep", out, "--only", "n=3", "--y", "needs_mu_upper", "--output", picture).succeeds()
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_one_point(run, tmp_path):
    out = tmp_path / "one.csv"
    told = run(
        "sweep", "--n", "2", "--epsilon", "1", "--mechanism", "redrawn-geometric", "--jobs", "1", "--output", out
    )
    assert told.succeeds().startswith(f"1 point in {out}.\nThe mechanisms: 1 not private.\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([*PSK, "--epsilon", "1"], "psk needs one of --snr-db and --eb-n0-db"),
        ([*PSK, "--epsilon", "1", "--snr-db", "1", "--eb-n0-db", "1"], "give only one of --snr-db and --eb-n0-db"),
        (
            [*PSK, "--epsilon", "1", "--snr-db", "1", "--fading", "x"],
            "--fading must be rayleigh, or left out (got 'x')",
        ),
        ([*PSK, "--epsilon", "1", "--snr-db", "20:0:5"], "--snr-db must be a range FIRST:LAST:STEP whose LAST is not"),
        ([*PSK, "--epsilon", "", "--snr-db", "1"], "--epsilon must be numbers and ranges"),
        ([*PSK, "--epsilon", "-1:1:1", "--snr-db", "1"], "--epsilon must be a finite number >= 0 (got -1)"),
        ([*PSK, "--epsilon", "1", "--delta", "1", "--snr-db", "1"], "--delta must be a number >= 0 and < 1"),
        ([*PSK, "--epsilon", "1", "--snr-db", "1", "--non-coherent"], "--non-coherent must be left out behind psk"),
        ([*PSK, "--epsilon", "1", "--snr-db", "1", "--mechanism", "nearest"], "--mechanism is for a sweep without"),
        ([*PSK, "--epsilon", "1", "--snr-db", "1", "--output", "x.txt"], "--output must be a file name that ends in"),
        (
            [*PSK, "--epsilon", "1", "--snr-db", "1", "--output", "/nowhere/x.csv"],
            "--output must be in a folder that exists",
        ),
        ([*PSK, "--epsilon", "1", "--snr-db", "1", "--restart"], "there is nothing to restart"),
        ([*PSK, "--epsilon", "1", "--snr-db", "1", "--backend", "fog"], "--backend must be processes, dask"),
        ([*PSK, "--epsilon", "0:1e6:1e-6", "--snr-db", "1"], "the range 0:1e6:1e-6 holds 1,000,000,000,001 numbers"),
        (["sweep", "--n", "3", "--epsilon", "1", "--p", "0.1"], "the options of a medium need --medium KIND"),
        (["sweep", "--n", "3", "--epsilon", "1", "--jobs", "x"], "--jobs must be a whole number"),
        (["sweep", "--n", "3", "--epsilon", "1", "--mechanism", "magic"], "--mechanism must be out of nearest,"),
        (["sweep", "--n", "3", "--epsilon", "1", "--jobs", "9" * 30], "--jobs must be at most 1,024 (got 9999"),
        (["sweep", "--n", "3", "--epsilon", "1,1e400"], "--epsilon must be at most 1,000,000,000, as for"),
        (
            ["sweep", "--n", "3"],
            "what is promised is missing: one of --epsilon (with --delta), --mu and --rho is needed",
        ),
        ([*PSK, "--mu", "1", "--snr-db", "1"], "--mu must be left out behind a medium: what arrives is promised"),
        ([*PSK, "--rho", "1", "--snr-db", "1"], "--rho must be left out behind a medium: what arrives is promised"),
        (["sweep", "--n", "3", "--mu", "1", "--rho", "1"], "--rho must be left out beside mu"),
        (["sweep", "--n", "3", "--mu", "1", "--delta", "0,1e-6"], "--delta must be left out beside mu"),
        (["sweep", "--n", "3", "--mu", "0:1:0.5"], "--mu must be a finite number > 0 (got 0)"),
    ],
)
def test_refusals(run, arguments, said):
    assert said in run(*arguments).fails_with(2)


@pytest.mark.slow
def test_an_output_of_another_kind_is_bad_data(run, tmp_path):
    out = tmp_path / "people.csv"
    out.write_text("name\nAnn\n")
    assert "is not the output of such a sweep" in run(
        *PSK, "--snr-db", "1", "--epsilon", "1", "--output", out
    ).fails_with(3)
    assert (
        run(*PSK, "--snr-db", "1", "--epsilon", "1", "--output", out, "--restart").succeeds().startswith("1 point in")
    )


def started(out, *more, **given):
    command = [sys.executable, "-m", "hushcount", *LONG, "--output", str(out), *more]
    return subprocess.Popen(command, start_new_session=True, **given)


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def lines(part):
    return part.read_bytes().count(b"\n") if part.exists() else 0


def processes(session):
    """What runs in a session, by its number; not what ended and waits for somebody to ask how."""
    told = subprocess.run(["ps", "-eww", "-o", "pid=,sess=,stat=,args="], capture_output=True, text=True, check=True)
    lines = [line.split(maxsplit=3) for line in told.stdout.splitlines()]
    return {int(pid): args for pid, found, stat, args in lines if int(found) == session and stat[0] != "Z"}


def workers_of(session):
    """Of ours, or of Dask's."""
    return [pid for pid, args in processes(session).items() if "sweeps.worker" in args or "spawn_main" in args]


def is_alive(session):
    return bool(processes(session))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("moment", range(10))
def test_interrupted_while_its_workers_start(tmp_path, moment):
    """One line: none from those that were still importing what they need, at whatever they are."""
    with started(tmp_path / "sweep.csv", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as interrupted:
        wait_for(lambda: len(workers_of(interrupted.pid)) >= 1 + moment % 2)
        time.sleep(moment * 0.01)
        os.killpg(interrupted.pid, signal.SIGINT)
        said = interrupted.communicate(timeout=60)
    assert said == ("", "hushcount: note: interrupted; nothing was finished\n")
    assert interrupted.returncode == 130
    wait_for(lambda: not is_alive(interrupted.pid))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("moment", range(3))
def test_interrupted_while_a_dask_cluster_starts(tmp_path, moment):
    """The same, and heard: it was ignored until the cluster was there."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with started(tmp_path / "sweep.csv", "--backend", "dask", **pipes) as interrupted:
        wait_for(lambda: workers_of(interrupted.pid))
        time.sleep(moment * 0.3)
        os.killpg(interrupted.pid, signal.SIGINT)
        said = interrupted.communicate(timeout=60)
    assert said == ("", "hushcount: note: interrupted; nothing was finished\n")
    assert interrupted.returncode == 130
    wait_for(lambda: not is_alive(interrupted.pid))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_killed_interrupted_and_finished(run, tmp_path):
    """kill -9, then Ctrl-C in the terminal, then left alone: the same bytes as in one go, and no process left over."""
    out, part, straight = (tmp_path / name for name in ("sweep.csv", "sweep.csv.part", "straight.csv"))
    with started(out, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as killed:
        wait_for(lambda: lines(part) > 20)
        killed.kill()
        assert killed.wait() == -signal.SIGKILL
    before = lines(part) - 1
    wait_for(lambda: not is_alive(killed.pid))
    assert 20 <= before < LONG_SIZE
    assert not out.exists()

    with started(out, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as interrupted:
        wait_for(lambda: lines(part) > before + 40)
        os.killpg(interrupted.pid, signal.SIGINT)
        said = interrupted.communicate(timeout=60)
    kept = lines(part) - 1
    note = f"interrupted; {kept:,} of {LONG_SIZE:,} points are kept in {out}.part: the same command goes on from there"
    assert said == ("", f"hushcount: note: {note}\n")
    assert interrupted.returncode == 130
    wait_for(lambda: not is_alive(interrupted.pid))
    assert not out.exists()

    assert (
        f"{LONG_SIZE:,} points in {out} ({kept:,} of them were there already).\n"
        in run(*LONG, "--output", out).succeeds()
    )
    assert not part.exists()
    run(*LONG, "--output", straight).succeeds()
    assert out.read_bytes() == straight.read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of POSIX")
def test_time_left_is_shown_on_a_terminal_only(tmp_path):
    command = [sys.executable, "-m", "hushcount", *PSK, "--snr-db", "0:2:1", "--epsilon", "1,2"]
    above, below = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=below, env={**os.environ, "TERM": "xterm"}) as shown:
        os.close(below)
        shows = []
        while True:
            try:
                some = os.read(above, 10_000)
            except OSError:  # the other end is closed
                break
            if not some:
                break
            shows.append(some)
        told = shown.stdout.read().decode()
    os.close(above)
    screen = b"".join(shows).decode()
    assert "6/6" in screen
    assert "left" in screen
    assert len(table(told)) == 6
    plain = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (plain.stdout, plain.stderr) == (told, "")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of POSIX")
def test_a_terminal_that_goes_away_stops_nothing():
    command = [sys.executable, "-m", "hushcount", *PSK, "--snr-db", "0:9:1", "--epsilon", "1:9:1"]
    above, below = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=below, env=environment, start_new_session=True
    ) as shown:
        os.close(below)
        os.read(above, 1)
        os.close(above)
        told = shown.stdout.read().decode()
    assert shown.returncode == 0
    assert len(table(told)) == 90
