"""The rows are the same, bit for bit, whoever computes them."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from hushcount import BadUse, HushcountError, sweep
from hushcount.sweeps import mechanism_grid, medium_grid, processes
from hushcount.sweeps.processes import Worker
from hushcount.sweeps.workers import rows_of

pytestmark = pytest.mark.slow

AXES = {"n": "3,7", "epsilon": "0.5,2", "delta": "0,1e-6", "medium": "psk", "es_n0_db": "0,10"}


POINTS = list(medium_grid("psk", "1:20", "1,2", 0, es_n0_db=3))


@pytest.fixture
def started(monkeypatch):
    """The workers that are started."""
    found = []

    class Known(Worker):
        def __init__(self):
            super().__init__()
            found.append(self)

    monkeypatch.setattr(processes, "Worker", Known)
    return found


@pytest.fixture(scope="module")
def alone():
    return sweep(**AXES, jobs=1)


def test_one_process_says_what_this_one_would(alone):
    grid = medium_grid("psk", "3,7", "0.5,2", "0,1e-6", es_n0_db="0,10")
    assert list(alone) == [point.row() for point in grid]


def test_two_processes_say_the_same(alone, tmp_path):
    assert sweep(**AXES, jobs=2, output=tmp_path / "two.parquet") == alone
    sweep(**AXES, jobs=1, output=tmp_path / "one.parquet")
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def test_workers_have_one_thread_for_linear_algebra(monkeypatch):
    """BLAS rounds otherwise where it divides a matrix of 128 rows among threads."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    worker = Worker()
    try:
        assert worker.answer(Asking("os.environ['OPENBLAS_NUM_THREADS']")) == "1"
    finally:
        worker.kill()
        worker.close()


def test_a_dask_cluster_says_the_same(alone, tmp_path):
    """With three threads in a process, which must not disturb one another's precision."""
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=3, processes=False, dashboard_address=None) as cluster:
        with Client(cluster):
            assert sweep(**AXES, backend="dask", output=tmp_path / "dask.csv") == alone
            assert sweep(2, mu="0.5,1", backend="dask") == tuple(
                point.row() for point in mechanism_grid(None, 2, mu="0.5,1")
            )
        sweep(**AXES, backend=f"dask:{cluster.scheduler_address}", output=tmp_path / "address.csv")
    sweep(**AXES, jobs=1, output=tmp_path / "one.csv")
    assert (tmp_path / "dask.csv").read_bytes() == (tmp_path / "one.csv").read_bytes()
    assert (tmp_path / "address.csv").read_bytes() == (tmp_path / "one.csv").read_bytes()


def test_no_scheduler():
    with pytest.raises(BadUse, match=r"no Dask scheduler answers at smoke://signal"):
        sweep(**AXES, backend="dask:smoke://signal")


def test_what_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BadUse, match=r"^such a sweep needs Dask: pip install 'hushcount\[dask\]'$"):
        list(rows_of(POINTS, "dask", 1))


def test_a_worker_that_dies_is_told(started):
    rows = rows_of(POINTS, "processes", 1)
    next(rows)
    os.kill(started[0].pid, 9)
    with pytest.raises(HushcountError, match="a worker was killed, perhaps for lack of memory"):
        list(rows)
    assert len(list(rows_of(POINTS[:2], "processes", 1))) == 2


def test_stopping_early_leaves_no_process(started):
    rows = rows_of(POINTS, "processes", 2)
    next(rows)
    rows.close()
    assert len(started) == 2
    for worker in started:
        with pytest.raises(ProcessLookupError):
            os.kill(worker.pid, 0)


def test_no_more_workers_than_points(started):
    assert len(list(rows_of(POINTS[:2], "processes", 1000))) == 2
    assert len(started) == 2
    assert list(rows_of([], "processes", 1)) == []
    assert len(started) == 2


def test_workers_end_with_who_gave_the_orders(tmp_path):
    """Killed while they compute: they hear the end of their input."""
    code = (
        "import os; from hushcount.sweeps.processes import Worker; worker = Worker(); print(worker.pid, flush=True); "
        "worker._orders.flush(); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == -9
    deadline = time.monotonic() + 30
    while Path(f"/proc/{int(done.stdout)}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@dataclass(frozen=True)
class Asking:
    """In place of a point: asks a worker for the value of an expression, or makes it fail."""

    expression: str

    def __reduce__(self):
        return eval, (
            f"type('Point', (), dict(row=lambda self: eval({self.expression!r}, dict(os=__import__('os')))))()",
        )


@pytest.mark.parametrize(
    ("expression", "error"),
    [("1 / 0", ZeroDivisionError), ("(_ for _ in ()).throw(ValueError(lambda: 0))", RuntimeError)],
)
def test_what_nobody_foresaw_is_told_by_its_type(expression, error):
    """Also where the error itself cannot be sent."""
    with pytest.raises(error, match=r"^(division by zero|ValueError)$"):
        list(rows_of([Asking(expression)], "processes", 1))


def test_what_a_library_prints_is_no_answer(capfd):
    assert list(rows_of([Asking("os.write(1, b'chatter') and 7")], "processes", 1)) == [7]
    assert capfd.readouterr() == ("", "chatter")


def test_the_program_that_sweeps_need_not_protect_its_main_module(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("from hushcount import sweep\nprint(len(sweep(2, '1,2', mechanisms='nearest', jobs=2)))\n")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")


@pytest.mark.parametrize(
    ("quota", "found"), [("150000 100000", 2), ("max 100000", None), ("50000 100000", 1), ("", None), ("0 100000", 1)]
)
def test_cores_by_the_quota_of_a_container(monkeypatch, tmp_path, quota, found):
    monkeypatch.setattr(processes, "_QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(64)), raising=False)
    assert processes.cores() == 64
    (tmp_path / "cpu.max").write_text(quota)
    assert processes.cores() == (found or 64)


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors of POSIX")
@pytest.mark.parametrize("closed", ["2>&-", "<&- 2>&-", "<&- >&- 2>&-"])
def test_without_standard_files(closed, tmp_path):
    """Where a worker could not start, or would write into the file that got the number of standard error."""
    code = "from hushcount import sweep; sweep(2, '1,2', mechanisms='nearest', jobs=1, output='closed.csv')"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, map(os.path.abspath, sys.path)))}
    command = f'exec "$0" -c "$1" {closed}'
    done = subprocess.run(["sh", "-c", command, sys.executable, code], cwd=tmp_path, env=environment, check=False)
    assert done.returncode == 0
    sweep(2, "1,2", mechanisms="nearest", jobs=1, output=tmp_path / "open.csv")
    assert (tmp_path / "closed.csv").read_bytes() == (tmp_path / "open.csv").read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["closed.csv", "open.csv"]
