"""The rows are the same, bit for bit, whoever computes them."""

import os
import subprocess
import sys

import pytest

from hushcount import BadUse, HushcountError, sweep
from hushcount.sweeps import medium_grid
from hushcount.sweeps.workers import rows_of

AXES = {"n": "3,7", "epsilon": "0.5,2", "delta": "0,1e-6", "medium": "psk", "es_n0_db": "0,10"}


@pytest.fixture(scope="module")
def alone():
    return sweep(**AXES, jobs=1)


def test_one_process_says_what_this_one_would(alone):
    grid = medium_grid("psk", "3,7", "0.5,2", "0,1e-6", es_n0_db="0,10")
    assert list(alone) == [point.row() for point in grid]


def test_two_processes_say_the_same(alone, tmp_path):
    assert sweep(**AXES, jobs=2, out=tmp_path / "two.parquet") == alone
    sweep(**AXES, jobs=1, out=tmp_path / "one.parquet")
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def test_workers_have_one_thread_for_linear_algebra(monkeypatch):
    """BLAS rounds otherwise where it divides a matrix of 128 rows among threads."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    loky = pytest.importorskip("joblib.externals.loky")
    list(rows_of(medium_grid("psk", 1, 1, 0, es_n0_db=3), "processes", 2))
    pool = loky.get_reusable_executor(reuse=True)
    assert pool.submit(os.getenv, "OPENBLAS_NUM_THREADS").result() == "1"


def test_a_dask_cluster_says_the_same(alone, tmp_path):
    """With three threads in a process, which must not disturb one another's precision."""
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=3, processes=False, dashboard_address=None) as cluster:
        with Client(cluster):
            assert sweep(**AXES, backend="dask", out=tmp_path / "dask.csv") == alone
        sweep(**AXES, backend=f"dask:{cluster.scheduler_address}", out=tmp_path / "address.csv")
    sweep(**AXES, jobs=1, out=tmp_path / "one.csv")
    assert (tmp_path / "dask.csv").read_bytes() == (tmp_path / "one.csv").read_bytes()
    assert (tmp_path / "address.csv").read_bytes() == (tmp_path / "one.csv").read_bytes()


def test_no_scheduler():
    with pytest.raises(BadUse, match=r"no Dask scheduler answers at smoke://signal"):
        sweep(**AXES, backend="dask:smoke://signal")


@pytest.mark.parametrize(
    ("backend", "module", "said"),
    [
        ("processes", "joblib", r"joblib: pip install 'hushcount\[sweep\]'"),
        ("dask", "distributed", r"Dask: pip install 'dask\[distributed\]'"),
        ("ray", "ray", "Ray: pip install ray"),
    ],
)
def test_what_is_not_installed(monkeypatch, backend, module, said):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(BadUse, match=f"^such a sweep needs .*{said}$"):
        list(rows_of(medium_grid("psk", 1, 1, 0, es_n0_db=3), backend, 1))


def test_a_worker_that_dies_is_told(monkeypatch):
    loky = pytest.importorskip("joblib.externals.loky")
    points = list(medium_grid("psk", "1:20", "1,2", 0, es_n0_db=3))
    rows = rows_of(points, "processes", 1)
    next(rows)
    (worker,) = loky.get_reusable_executor(reuse=True)._processes
    os.kill(worker, 9)
    with pytest.raises(HushcountError, match="a worker was ended from outside"):
        list(rows)
    assert len(list(rows_of(points[:2], "processes", 1))) == 2


def test_stopping_early_leaves_no_process():
    loky = pytest.importorskip("joblib.externals.loky")
    rows = rows_of(medium_grid("psk", "1:20", "1,2", 0, es_n0_db=3), "processes", 2)
    next(rows)
    workers = list(loky.get_reusable_executor(reuse=True)._processes.values())
    rows.close()
    assert len(workers) == 2
    for worker in workers:
        worker.join(5)
        assert not worker.is_alive()


def test_no_more_workers_than_points():
    loky = pytest.importorskip("joblib.externals.loky")
    assert len(list(rows_of(medium_grid("psk", 1, "1,2", 0, es_n0_db=3), "processes", 1000))) == 2
    assert len(loky.get_reusable_executor(reuse=True)._processes) <= 2
    assert list(rows_of([], "processes", 1)) == []


@pytest.mark.parametrize("jobs", [None, 1])
def test_a_number_of_cores_that_is_none(monkeypatch, jobs):
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "all")
    with pytest.raises(BadUse, match="LOKY_MAX_CPU_COUNT is no number"):
        list(rows_of(medium_grid("psk", 1, 1, 0, es_n0_db=3), "processes", jobs))


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors of POSIX")
@pytest.mark.parametrize("closed", ["2>&-", "<&- 2>&-", "<&- >&- 2>&-"])
def test_without_standard_files(closed, tmp_path):
    """Where a worker could not start, or would write into the file that got the number of standard error."""
    code = "from hushcount import sweep; sweep(2, '1,2', mechanisms='nearest', jobs=1, out='closed.csv')"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, map(os.path.abspath, sys.path)))}
    command = f'exec "$0" -c "$1" {closed}'
    done = subprocess.run(["sh", "-c", command, sys.executable, code], cwd=tmp_path, env=environment, check=False)
    assert done.returncode == 0
    sweep(2, "1,2", mechanisms="nearest", jobs=1, out=tmp_path / "open.csv")
    assert (tmp_path / "closed.csv").read_bytes() == (tmp_path / "open.csv").read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["closed.csv", "open.csv"]
