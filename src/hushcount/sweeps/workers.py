"""Who computes the points: processes here, or a Dask or Ray cluster.

A row must not depend on how many there are. So each worker computes one point at a time, since the precision of the
rigorous arithmetic is a setting of the whole process; and with one thread for linear algebra, since BLAS rounds
differently when it divides a large matrix among threads. The second is set for the processes here; the workers of Dask
and Ray come with it unless they are told otherwise.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from itertools import chain, islice
from typing import Any

from hushcount.arguments import integer
from hushcount.errors import BadUse, HushcountError, InvalidParameter
from hushcount.sweeps.grid import Point, Row

__all__ = ["MOST_JOBS", "checked_backend", "checked_jobs", "evaluated", "open_standard_files", "rows_of"]

_JOBLIB = "the package joblib: pip install 'hushcount[sweep]'"

_RULE = "processes, dask, dask:ADDRESS or ray"

_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)

MOST_JOBS = 1024
"""Workers; each is a process with Python and its libraries in it."""

_AHEAD = 2
"""Points handed out for each worker, so that none waits; not more than loky's queue to the workers takes, for what it
has to hold back makes it stumble when it is stopped."""

_PATIENCE = 1.0
"""Seconds for points to get into that queue, when all is to stop."""

_ALONE = threading.Lock()


def evaluated(point: Point) -> Row:
    """The row of a point.

    Raises:
        BadUse: the library refuses the point, naming it.
    """
    with _ALONE:
        try:
            return point.row()
        except HushcountError as error:
            raise BadUse(f"at {point}: {error}") from None


def checked_backend(backend: str) -> str:
    """Itself.

    Raises:
        InvalidParameter: none of those.
    """
    kind, colon, address = backend.partition(":") if isinstance(backend, str) else ("", "", "")
    if not ((kind in ("processes", "ray") and not colon) or (kind == "dask" and (address or not colon))):
        raise InvalidParameter("backend", backend, _RULE)
    return backend


def checked_jobs(jobs: int | None) -> int | None:
    """Itself.

    Raises:
        InvalidParameter: no integer >= 1, or more than 1,024.
    """
    if jobs is not None and not (jobs := integer(jobs, "jobs", least=1)) <= MOST_JOBS:
        raise InvalidParameter("jobs", jobs, f"at most {MOST_JOBS:,}")
    return jobs


def rows_of(points: Iterable[Point], backend: str, jobs: int | None) -> Generator[Row]:
    """The rows of all points, in whatever order they are finished.

    Raises:
        BadUse: what the backend needs is missing, or a point is refused.
        HushcountError: a worker died.
    """
    kind, _, address = backend.partition(":")
    if kind == "processes":
        return _by_processes(points, jobs)
    return _by_joblib(points, (lambda: _dask(address, jobs)) if kind == "dask" else _ray, jobs)


def _by_processes(points: Iterable[Point], jobs: int | None) -> Generator[Row]:
    loky = _module("joblib.externals.loky", _JOBLIB)
    from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait

    # joblib's own pool: it hands out one point at a time, where joblib.Parallel makes batches and is done with a whole
    # batch or nothing; and with one job as well, it computes in a process where BLAS has one thread.
    rest, done, cores = iter(points), False, _cores(loky)
    first = list(islice(rest, jobs or cores))  # no more workers than there are points
    workers, rest = max(1, len(first)), chain(first, rest)
    pool = loky.get_reusable_executor(workers, initializer=_prepared, initargs=(os.getpid(),), env=_ONE_THREAD)
    waiting: set[Future[Row]] = set()
    try:
        while True:
            with _standard_streams(), _interruptions_later():
                waiting |= {pool.submit(evaluated, point) for point in islice(rest, _AHEAD * workers - len(waiting))}
            if not waiting:
                break
            finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for each in finished:
                yield each.result()
        done = True
    except BrokenExecutor:
        raise HushcountError(
            "a worker was ended from outside, perhaps for want of memory: give fewer --jobs; what was finished is kept"
        ) from None
    finally:
        if not done:
            until = time.monotonic() + _PATIENCE
            while any(not (each.running() or each.done()) for each in waiting) and time.monotonic() < until:
                time.sleep(0.01)
            pool.shutdown(wait=True, kill_workers=True)


@contextmanager
def _interruptions_later() -> Iterator[None]:
    """Ctrl-C waits for the end of this. Processes that are started meanwhile inherit that and never hear of it, not
    even before `_prepared`, while they import what they need, where it would be a traceback from each."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # else it is started with the first worker, and lets interruptions in again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _cores(loky: Any) -> int:
    """Raises:
    BadUse: the environment says that there are x.
    """
    try:
        return int(loky.cpu_count())
    except ValueError:
        raise BadUse("the number of cores in the variable LOKY_MAX_CPU_COUNT is no number: correct it") from None


def open_standard_files() -> None:
    """Lets standard input, output and error lead nowhere where they are closed; to be called before files are opened.

    The next file would get the number of one that is closed, and what a worker says on standard error would go into it.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            if opened == descriptor:
                os.set_inheritable(opened, True)
            else:  # no such numbers here
                os.close(opened)


@contextmanager
def _standard_streams() -> Iterator[None]:
    """In place of an output that Python has not (it was closed, or there is no console), one that leads nowhere: who
    starts a process flushes both first."""
    with ExitStack() as stack:
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:
                nowhere = stack.enter_context(open(os.devnull, "w"))
                setattr(sys, name, nowhere)
                stack.callback(setattr, sys, name, None)
        yield


def _by_joblib(points: Iterable[Point], cluster: Callable[[], Any], jobs: int | None) -> Generator[Row]:
    joblib = _module("joblib", _JOBLIB)
    with cluster() as backend:
        with joblib.parallel_config(backend=backend):  # a setting of this thread, not to be left on in between
            parallel = joblib.Parallel(n_jobs=jobs or -1, return_as="generator_unordered")
        yield from parallel(joblib.delayed(evaluated)(point) for point in points)


@contextmanager
def _dask(address: str, jobs: int | None) -> Iterator[str]:
    """The cluster at the address; or else that of this process, if it has one, or one that is started for it."""
    dask, joblib = _module("distributed", "Dask: pip install 'dask[distributed]'"), _module("joblib", _JOBLIB)
    opened: list[Any] = []
    try:
        if address:
            opened.append(_connected(dask.Client, address))
        else:
            try:
                dask.get_client()
            except ValueError:
                workers = jobs or joblib.cpu_count()
                with _deaf_children():
                    opened.append(_local_cluster(dask, workers))
                opened.append(dask.Client(opened[0]))
        yield "dask"
    finally:
        for each in reversed(opened):
            each.close()


def _local_cluster(dask: Any, workers: int) -> Any:
    return dask.LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=logging.ERROR
    )


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes that are started meanwhile leave Ctrl-C to this one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _connected(client: Callable[..., Any], address: str) -> Any:
    try:
        return client(address)
    except (OSError, ValueError, TypeError) as error:
        raise BadUse(f"no Dask scheduler answers at {address} ({type(error).__name__})") from None


@contextmanager
def _ray() -> Iterator[str]:
    _module("ray.util.joblib", "Ray: pip install ray").register_ray()
    yield "ray"


def _module(name: str, words: str) -> Any:
    """Raises:
    BadUse: it is not installed.
    """
    try:
        import_module(name.partition(".")[0])
    except ImportError:
        raise BadUse(f"such a sweep needs {words}") from None
    return import_module(name)


def _prepared(giver: int) -> None:
    """Makes a worker leave Ctrl-C to the process that gives the orders, and end when that is gone, however it ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(giver,), daemon=True).start()


def _end_with(giver: int) -> None:
    while os.getppid() == giver:
        time.sleep(0.5)
    os._exit(1)
