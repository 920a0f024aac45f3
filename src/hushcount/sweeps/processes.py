"""Workers that are processes of this machine, each with a pipe to it and a pipe from it.

They belong to a process group of their own, so that Ctrl-C in the terminal reaches only this process, which ends them.
This holds from their first moment, when they are still importing and would each print a traceback. They import nothing
of the program that sweeps, so it need not protect its main module. They start with one thread for linear algebra, which
a process can no longer ask for once it has loaded it.
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
"""The flag for a process group of its own on Windows."""

_QUOTA = Path("/sys/fs/cgroup/cpu.max")
"""How much processor time a Linux container may take, and per how much time."""


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
        """Return the row of a point, or the error that it raises.

        Raises:
            OSError, EOFError, pickle.UnpicklingError: the worker has ended, or is being ended.
        """
        self._orders.write(pickle.dumps(point))
        self._orders.flush()
        answer: Row | Exception = pickle.load(self._answers)
        return answer

    def kill(self) -> None:
        """End it at once; whoever waits for an answer gets an error."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Close the pipes, at which nobody waits any more."""
        for pipe in (self._orders, self._answers):
            with suppress(OSError):  # what it had still to be sent
                pipe.close()


def rows_by_processes(points: Iterable[Point], jobs: int | None) -> Generator[Row]:
    """Yield the rows of all points, in whatever order they finish; see `workers.rows_of`."""
    rest, answers = iter(points), SimpleQueue[Row | Exception | None]()
    first = list(islice(rest, jobs or cores()))  # no more workers than there are points
    rest, taking = chain(first, rest), threading.Lock()
    workers: list[Worker] = []
    threads: list[threading.Thread] = []

    def employ(worker: Worker) -> None:
        """Feed one worker, handing it each point when it has finished the one before."""
        end: Exception | None = None
        try:
            while (point := _next(rest, taking)) is not None:
                answers.put(worker.answer(point))
        except (OSError, EOFError, pickle.UnpicklingError):
            end = HushcountError(
                "a worker was killed, perhaps for lack of memory: use fewer --jobs; what was finished is kept"
            )
        except Exception as error:  # raised by the points themselves
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
    """Return how many processors this process may use: of the machine, by its affinity, and by its container's
    quota."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError, ValueError):  # no such file, or "max"
        share, period = map(int, _QUOTA.read_text().split())
        allowed = min(allowed, math.ceil(share / period))
    return max(1, allowed)


def open_standard_files() -> None:
    """Connect standard input, output and error to nothing where they are closed; call this before files are opened.

    Otherwise the next file would get the number of a closed one, and what a worker writes to standard error would go
    into it.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)  # the lowest free number
            if opened == descriptor:
                os.set_inheritable(opened, True)
            else:  # no such numbers here
                os.close(opened)
