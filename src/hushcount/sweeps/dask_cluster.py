"""Workers of a Dask cluster: one that is running, or one started here."""

from __future__ import annotations

import logging
import multiprocessing
import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from itertools import islice
from typing import Any

from hushcount.errors import BadUse, HushcountError
from hushcount.sweeps.grid import Point, Row
from hushcount.sweeps.processes import cores
from hushcount.sweeps.worker import evaluated

__all__ = ["rows_by_dask"]

_AHEAD = 256
"""Points handed out ahead without --jobs, so that no worker waits."""


def rows_by_dask(points: Iterable[Point], address: str, jobs: int | None) -> Generator[Row]:
    """Yield the rows of all points, in whatever order they finish; see `workers.rows_of`.

    Args:
        address: that of a scheduler; empty for the cluster that this process is a client of, or else for a new one.
        jobs: how many points are computed at once, and how many workers are started.
    """
    dask = _distributed()
    rest = iter(points)
    with _client(dask, address, jobs) as client:
        waiting = {_submitted(client, point) for point in islice(rest, jobs or _AHEAD)}
        finished = dask.as_completed(waiting)
        try:
            for each in finished:
                waiting.remove(each)
                yield each.result()
                for point in islice(rest, 1):
                    waiting.add(more := _submitted(client, point))
                    finished.add(more)
        except dask.KilledWorker:
            raise HushcountError("a worker of the cluster ended repeatedly; what was finished is kept") from None
        finally:
            client.cancel(list(waiting))


def _submitted(client: Any, point: Point) -> Any:
    return client.submit(evaluated, point, pure=False)  # unhashed, since Dask would look for an earlier result


@contextmanager
def _client(dask: Any, address: str, jobs: int | None) -> Iterator[Any]:
    with ExitStack() as opened:
        if address:
            client = _connected(dask.Client, address)
            opened.callback(client.close)
        else:
            try:
                client = dask.get_client()
            except ValueError:
                with _deaf_children():
                    cluster = dask.LocalCluster(
                        n_workers=jobs or cores(),
                        threads_per_worker=1,
                        dashboard_address=None,
                        silence_logs=logging.CRITICAL,
                    )
                opened.callback(cluster.close)
                client = dask.Client(cluster)
                opened.callback(client.close)
        yield client


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Make processes that are started meanwhile leave Ctrl-C to this one, from their first moment.

    The signal is blocked in this thread; the thread that starts them inherits that, and so do they.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    # The first lock starts Python's resource tracker, which would unblock Ctrl-C if it were started later.
    multiprocessing.get_context("spawn").Lock()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _connected(client: Callable[..., Any], address: str) -> Any:
    try:
        return client(address)
    except (OSError, ValueError, TypeError) as error:
        raise BadUse(f"no Dask scheduler answers at {address} ({type(error).__name__})") from None


def _distributed() -> Any:
    """Return the module `distributed`.

    Raises:
        BadUse: it is not installed.
    """
    try:
        return import_module("distributed")
    except ImportError:
        raise BadUse("such a sweep needs Dask: pip install 'hushcount[dask]'") from None
