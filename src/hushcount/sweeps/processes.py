"""Workers that are processes of this machine, each with a pipe to it and a pipe from it.

They belong to a process group of their own, so that Ctrl-C in the terminal reaches this process alone, which ends them:
from the first moment on, when they are still importing what they need and would each print a traceback. They import
nothing of the program that sweeps, which need not protect its main module. And they begin with one thread for linear
algebra, which a process that has loaded it cannot ask for any more.
"""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from queue import SimpleQueue

from hushcount.errors import HushcountError
from hushcount.sweeps.grid import Point, Row

__all__ = ["Worker", "cores", "open_standard_files", "rows_by_processes"]

_START = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from hushcount.sweeps.worker import serve; serve()"
)

_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)

_OWN_GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""How Windows says so."""

_QUOTA = Path("/sys/fs/cgroup/cpu.max")
"""How much processor time a Linux container may take, per how much time."""


class Worker:
    """A process that turns points into rows, one at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | _ONE_THREAD,
            process_group=0,
            creationflags=_OWN_GROUP,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._orders, self._answers = self._process.stdin, self._process.stdout
        self._orders.write(pickle.dumps(sys.path))

    @property
    def pid(self) -> int:
        return self._process.pid

    def answer(self, point: Point) -> Row | Exception:
        """The row of a point, or the error that it makes.

        Raises:
            OSError, EOFError, pickle.UnpicklingError: the worker ended, or is being ended.
        """
        self._orders.write(pickle.dumps(point))
        self._orders.flush()
        answer: Row | Exception = pickle.load(self._answers)
        return answer

    def kill(self) -> None:
        """End it at once; who waits for an answer gets an error."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Close the pipes, which nobody waits at any more."""
        for pipe in (self._orders, self._answers):
            with suppress(OSError):  # what it was still to be told
                pipe.close()


def rows_by_processes(points: Iterable[Point], jobs: int | None) -> Generator[Row]:
    """The rows of all points, in whatever order they are finished; see `workers.rows_of`."""
    rest, answers = iter(points), SimpleQueue[Row | Exception | None]()
    first = list(islice(rest, jobs or cores()))  # no more workers than there are points
    rest, taking = chain(first, rest), threading.Lock()
    workers: list[Worker] = []
    threads: list[threading.Thread] = []

    def employ(worker: Worker) -> None:
        """All on one worker: its points are handed to it one by one, as it has done with the one before."""
        end: Exception | None = None
        try:
            while (point := _next(rest, taking)) is not None:
                answers.put(worker.answer(point))
        except (OSError, EOFError, pickle.UnpicklingError):
            end = HushcountError(
                "a worker was ended from outside, perhaps for want of memory: give fewer --jobs; what was finished is "
                "kept"
            )
        except Exception as error:  # of the points themselves
            end = error
        answers.put(end)

    try:
        for _ in first:
            workers.append(Worker())
            thread = threading.Thread(target=employ, args=(workers[-1],), daemon=True)
            thread.start()
            threads.append(thread)
        busy = len(workers)
        while busy:
            answer = answers.get()
            if isinstance(answer, Exception):
                raise answer
            if answer is None:
                busy -= 1
            else:
                yield answer
    finally:
        for worker in workers:
            worker.kill()
        for thread in threads:
            thread.join()
        for worker in workers:
            worker.close()


def _next(points: Iterator[Point], taking: threading.Lock) -> Point | None:
    with taking:
        return next(points, None)


def cores() -> int:
    """How many processors this process may use: of the machine, by its affinity, and by the quota of its container."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError, ValueError):  # none there; "max"
        share, period = map(int, _QUOTA.read_text().split())
        allowed = min(allowed, math.ceil(share / period))
    return max(1, allowed)


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
