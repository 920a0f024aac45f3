"""Sweeps that are broken off, extended, mixed up: every point once, in the order of the grid, never from elsewhere."""

import errno
import json
import os
import sys
from dataclasses import replace

import pytest

from hushcount import BadData, BadUse, HushcountError, sweep
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.sweeps import MechanismRow, mechanism_grid, read_sweep, run_sweep
from hushcount.sweeps.files import csv_text, read_rows
from hushcount.sweeps.part import Part, part_of

AXES = {"n": 3, "epsilon": "0.5:2:0.5", "mechanisms": "nearest,canonical"}
SIZE = 8


@pytest.fixture(params=["csv", "parquet"])
def out(request, tmp_path):
    return tmp_path / f"sweep.{request.param}"


@pytest.fixture
def whole(here):
    rows = sweep(**AXES)
    here.computed = 0
    return rows


def broken_off(here, out, after, **axes):
    here.stop = after
    with pytest.raises(KeyboardInterrupt):
        sweep(**{**AXES, **axes}, output=out)
    here.stop = None


def test_rows_are_in_the_order_of_the_grid_whatever_the_order_of_the_workers(here, out):
    rows = sweep(**AXES, output=out)
    assert [row.point for row in rows] == list(mechanism_grid(AXES["mechanisms"], 3, "0.5:2:0.5", 0))
    assert read_rows(out, out.suffix, MechanismRow) == list(rows)
    assert [path.name for path in out.parent.iterdir()] == [out.name]


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 5, 7])
def test_a_sweep_goes_on_where_it_was_broken_off(here, whole, out, after):
    straight = out.with_name(f"straight{out.suffix}")
    sweep(**AXES, output=straight)
    broken_off(here, out, after)
    assert part_of(out).exists()
    assert not out.exists()
    here.computed = 0
    assert sweep(**AXES, output=out) == whole
    assert here.computed == SIZE - after
    assert out.read_bytes() == straight.read_bytes()
    assert not part_of(out).exists()


def test_nothing_is_left_where_nothing_was_finished(here, out):
    broken_off(here, out, 0)
    assert list(out.parent.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "kept"),
    [
        (lambda text: text[:-1], 4),
        (lambda text: text[:-200], 4),
        (lambda text: text + b'["nearest", 3', 5),
        (lambda text: text + b"\n", 5),
        (lambda text: text + b"\0" * 4096, 5),
        (lambda text: text + b"[1, 2]\n", 5),
        (lambda text: text.replace(b'"PRIVATE", false', b'"PRIVATE", 0', 1), 0),
        (lambda text: text.split(b"\n")[0] + b"\n", 0),
        (lambda text: text[:20], 0),
        (lambda text: b"", 0),
    ],
    ids=["no end", "torn", "begun", "empty line", "zeros", "no row", "bad cell", "header", "torn header", "empty"],
)
def test_a_torn_end_is_cut_off(here, whole, out, damage, kept):
    broken_off(here, out, 5)
    part = part_of(out)
    part.write_bytes(damage(part.read_bytes()))
    here.computed = 0
    broken_off(here, out, 1)
    assert len(part.read_bytes().splitlines()) == 1 + kept + 1
    assert sweep(**AXES, output=out) == whole
    assert here.computed == SIZE - kept


@pytest.mark.slow
@pytest.mark.parametrize("other", [{"n": 4}, {"epsilon": "0.5:2.5:0.5"}, {"delta": "1e-6"}, {"mechanisms": "nearest"}])
def test_another_sweep_is_not_mixed_in(here, out, other):
    broken_off(here, out, 5)
    before = part_of(out).read_bytes()
    with pytest.raises(BadUse, match=r"holds the beginning of another sweep.*--restart"):
        sweep(**{**AXES, **other}, output=out)
    assert part_of(out).read_bytes() == before
    rows = sweep(**{**AXES, **other}, output=out, restart=True)
    assert rows == sweep(**{**AXES, **other})
    assert not part_of(out).exists()


def test_the_beginning_of_another_version_is_not_mixed_in(here, out):
    broken_off(here, out, 5)
    header, *rows = part_of(out).read_text().splitlines(keepends=True)
    told = {**json.loads(header), "hushcount_version": "0.0.1"}
    part_of(out).write_text("".join([json.dumps(told) + "\n", *rows]))
    with pytest.raises(BadUse, match="another version"):
        sweep(**AXES, output=out)


@pytest.mark.parametrize("held", [b"my notes\n", b"my notes", b"{}\n", b"x" * 5000])
def test_somebody_else_s_file_is_left_alone(here, out, held):
    part_of(out).write_bytes(held)
    with pytest.raises(BadUse, match="holds the beginning of another sweep"):
        sweep(**AXES, output=out)
    assert part_of(out).read_bytes() == held


@pytest.mark.skipif(sys.platform == "win32", reason="files of POSIX")
@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("there", [True, False])
def test_the_beginning_is_not_written_through_a_link(here, out, there, restart):
    notes = out.with_name("notes.txt")
    if there:
        notes.write_text("mine")
    part_of(out).symlink_to(notes)
    with pytest.raises(BadUse, match=r"\.part cannot be written: it is a link"):
        sweep(**AXES, output=out, restart=restart)
    assert notes.exists() == there
    assert not there or notes.read_text() == "mine"


@pytest.mark.skipif(sys.platform == "win32", reason="files of POSIX")
def test_the_beginning_is_an_ordinary_file(here, out):
    os.mkfifo(part_of(out))
    with pytest.raises(BadUse, match=r"\.part is not an ordinary file"):
        sweep(**AXES, output=out)
    part_of(out).unlink()
    part_of(out).mkdir()
    with pytest.raises(BadUse, match=r"\.part cannot be written: "):
        sweep(**AXES, output=out)


def test_a_grid_is_extended(here, whole, out):
    sweep(**{**AXES, "epsilon": "1,2"}, output=out)
    here.computed = 0
    assert sweep(**AXES, output=out) == whole
    assert here.computed == SIZE - 4
    assert run_sweep(mechanism_grid(AXES["mechanisms"], 3, "0.5:2:0.5", 0), out).reused == SIZE
    assert here.computed == SIZE - 4


def test_an_extension_that_is_broken_off(here, whole, out):
    sweep(**{**AXES, "epsilon": "1,2"}, output=out)
    broken_off(here, out, 1)
    here.computed = 0
    assert sweep(**AXES, output=out) == whole
    assert here.computed == SIZE - 4 - 1


def test_points_are_not_lost_to_a_smaller_grid(here, out):
    sweep(**AXES, output=out)
    before = out.read_bytes()
    with pytest.raises(BadUse, match=r"points that are not in this grid.*--restart"):
        sweep(**{**AXES, "epsilon": 1}, output=out)
    assert out.read_bytes() == before
    assert len(sweep(**{**AXES, "epsilon": 1}, output=out, restart=True)) == 2


def test_rows_of_another_version_are_computed_again(here, whole, tmp_path):
    out = tmp_path / "sweep.csv"
    old = [replace(row, hushcount_version="0.0.1", upper=1.0) for row in whole[:3]]
    out.write_text(csv_text(MechanismRow, [*old, *whole[3:]]))
    assert sweep(**AXES, output=out) == whole
    assert here.computed == 3


def test_another_file_is_not_overwritten(here, out):
    out.write_text("name,age\nAnn,70\n")
    with pytest.raises(BadData, match="is not the output of such a sweep"):
        sweep(**AXES, output=out)
    assert out.read_text() == "name,age\nAnn,70\n"


def test_an_empty_file_is_filled(here, whole, out):
    out.touch()
    assert sweep(**AXES, output=out) == whole


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"output": "x.txt"}, "output must be a file name that ends in"),
        ({"output": "/no such folder/x.csv"}, "output must be in a folder that exists"),
        ({"output": 3}, "output must be the path"),
        ({"jobs": 0}, "jobs must be an integer >= 1"),
        ({"jobs": True}, "jobs must be"),
        ({"jobs": 1025}, "jobs must be at most 1,024"),
        ({"jobs": 10**30}, "jobs must be at most 1,024"),
        ({"epsilon": "1,1e400"}, "epsilon must be at most 1,000,000,000, as for an audit"),
        ({"backend": "threads"}, "backend must be processes, dask"),
        ({"backend": "dask:"}, "backend must be"),
        ({"backend": "ray"}, "backend must be"),
        ({"backend": None}, "backend must be"),
        ({"restart": True}, "nothing to restart"),
        ({"es_n0_db": 3}, "es_n0_db needs a medium"),
        ({"medium": "psk", "es_n0_db": 3}, "mechanisms are swept without a medium"),
        ({"medium": "psk", "mechanisms": None}, "es_n0_db must be given behind psk"),
        ({"medium": ["psk"], "mechanisms": None}, "medium must be one of psk"),
        ({"medium": "psk", "mechanisms": None, "snr": 3}, "snr is not an argument of a medium: those are es_n0_db, "),
        ({"medium": "psk", "mechanisms": None, "es_n0_db": 3, "fading": ["rayleigh"]}, "fading must be a name"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_bad_arguments(given, said):
    with pytest.raises(BadUse, match=said):
        sweep(**{**AXES, **given})


def test_two_sweeps_of_one_output(here, out):
    grid = mechanism_grid("nearest", 3, 1, 0)
    with Part(out, grid, restart=False), pytest.raises(BadUse, match="is in use: another sweep"):
        run_sweep(grid, out)
    assert len(run_sweep(grid, out).rows) == 1


def test_a_full_disk_while_rows_come_in(here, whole, out, monkeypatch):
    written = 0

    class Full:
        def __init__(self, file):
            self.file = file

        def __getattr__(self, name):
            return getattr(self.file, name)

        def write(self, line):
            nonlocal written
            written += 1
            if written == 4:
                self.file.write(line[: len(line) // 2])
                raise OSError(errno.ENOSPC, "No space left on device")
            return self.file.write(line)

    with monkeypatch.context() as patched:
        original = Part.__init__

        def opened(self, *args, **kwargs):
            original(self, *args, **kwargs)
            self._file = Full(self._file)

        patched.setattr(Part, "__init__", opened)
        with pytest.raises(BadUse, match="cannot be written: No space left"):
            sweep(**AXES, output=out)
    here.computed = 0
    assert sweep(**AXES, output=out) == whole
    assert here.computed == SIZE - 3


def test_a_full_disk_at_the_end(here, whole, out, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("hushcount.sweeps.run.write_whole", full)
        with pytest.raises(BadUse, match=r"cannot be written: No space left on device; the rows are in .*\.part"):
            sweep(**AXES, output=out)
    here.computed = 0
    assert sweep(**AXES, output=out) == whole
    assert here.computed == 0


def test_progress(here, out):
    told = []
    broken_off(here, out, 3)
    sweep(**AXES, output=out, progress=lambda *counts: told.append(counts))
    assert told == [(done, SIZE) for done in range(3, SIZE + 1)]


def test_workers_of_another_version(monkeypatch):
    def rows(points, backend, jobs):
        return (replace(point.row(), hushcount_version="0.0.1") for point in points)

    monkeypatch.setattr("hushcount.sweeps.run.rows_of", rows)
    with pytest.raises(HushcountError, match=r"the workers have hushcount 0.0.1"):
        sweep(**AXES)


def test_a_relative_path_and_a_link(here, whole, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real").mkdir()
    (tmp_path / "sweep.csv").symlink_to("real/table.dat")
    assert sweep(**AXES, output="sweep.csv") == whole
    assert (tmp_path / "real" / "table.dat").read_text() == csv_text(MechanismRow, whole)
    assert (tmp_path / "sweep.csv").is_symlink()


@pytest.mark.parametrize("point_error", [InvalidParameter("x", 1, "two"), HushcountError("no")])
def test_a_point_that_is_refused_is_named(monkeypatch, point_error):
    from hushcount.sweeps.worker import evaluated

    def fails(_):
        raise point_error

    point = next(iter(mechanism_grid("nearest", 3, 1, 0)))
    monkeypatch.setattr(type(point), "row", fails)
    with pytest.raises(BadUse, match=r"at MechanismPoint\(mechanism='nearest', n=3, epsilon='1', delta='0'\): "):
        evaluated(point)


# --- in mu ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("after", [1, 3])
def test_in_mu_too_a_sweep_goes_on_where_it_was_broken_off(here, out, after):
    asked = {"n": 2, "mu": "0.5,1", "mechanisms": "nearest,rounded-gaussian"}
    rows = sweep(**asked)
    here.computed, here.stop = 0, after
    with pytest.raises(KeyboardInterrupt):
        sweep(**asked, output=out)
    here.stop = None
    with pytest.raises(BadUse, match="holds the beginning of another sweep"):
        sweep(2, rho="0.5,1", mechanisms="nearest,rounded-gaussian", output=out)
    assert sweep(**asked, output=out) == rows == tuple(read_sweep(out))
    assert here.computed == 4
    wider = sweep(2, mu="0.5,1,2", mechanisms="nearest,rounded-gaussian", output=out)
    assert (len(wider), here.computed) == (6, 6)
    with pytest.raises(BadData, match="is not the output of such a sweep"):
        sweep(2, "0.5,1", output=out)


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({}, "epsilon"),
        ({"epsilon": 1, "mu": 1}, "mu"),
        ({"mu": 1, "rho": 1}, "rho"),
        ({"mu": 1, "delta": "1e-6"}, "delta"),
        ({"mu": "0,1"}, "mu"),
        ({"rho": "-1:1:1"}, "rho"),
        ({"mu": "1001"}, "mu"),
        ({"rho": "500001"}, "rho"),
        ({"mu": 1, "mechanisms": "canonical"}, "mechanism"),
        ({"epsilon": 1, "mechanisms": "rounded-gaussian"}, "mechanism"),
        ({"mu": "1e-7,1", "mechanisms": "analytic-gaussian"}, "mu"),
        ({"mu": 1, "medium": "psk", "es_n0_db": 3}, "mu"),
        ({"rho": 1, "epsilon": 1, "medium": "psk", "es_n0_db": 3}, "rho"),
        ({"medium": "psk", "es_n0_db": 3}, "epsilon"),
    ],
    ids=str,
)
def test_bad_grids_in_mu(given, argument):
    with pytest.raises(InvalidParameter) as caught:
        sweep(3, **given)
    assert caught.value.argument == argument


def test_what_cannot_be_audited_is_refused_before_anything_is_computed(here):
    with pytest.raises(TooLarge, match=r"over mu, n may be at most 16,383 \(got 20,000\)"):
        sweep("1,20000", mu=1, mechanisms="nearest")
    assert here.computed == 0


@pytest.mark.slow
def test_in_mu_processes_give_the_same(here):
    assert sweep("1,3", mu="0.5,2") == run_sweep(mechanism_grid(None, "1,3", mu="0.5,2"), jobs=2).rows
