"""Who computes the points: processes here, or a Dask cluster.

A row must not depend on how many workers there are. So each computes one point at a time, since the precision of the
rigorous arithmetic is a setting of the whole process. And each has one thread for linear algebra, since BLAS rounds
differently when it divides a large matrix among threads. The processes here are started that way; so are the workers of
Dask, unless they are told otherwise.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer
from hushcount.sweeps.grid import Point, Row

__all__ = ["MOST_JOBS", "checked_backend", "checked_jobs", "rows_of"]

_RULE = "processes, dask or dask:ADDRESS"

MOST_JOBS = 1024
"""The most workers; each is a process with Python and its libraries in it."""


def checked_backend(backend: str) -> str:
    """Return `backend` if it is a known one.

    Raises:
        InvalidParameter: it is not.
    """
    kind, colon, address = backend.partition(":") if isinstance(backend, str) else ("", "", "")
    if not ((kind == "processes" and not colon) or (kind == "dask" and (address or not colon))):
        raise InvalidParameter("backend", backend, _RULE)
    return backend


def checked_jobs(jobs: int | None) -> int | None:
    """Return `jobs` if it may be used.

    Raises:
        InvalidParameter: it is not an integer >= 1, or is above 1,024.
    """
    if jobs is not None and not (jobs := integer(jobs, "jobs", least=1)) <= MOST_JOBS:
        raise InvalidParameter("jobs", jobs, f"at most {MOST_JOBS:,}")
    return jobs


def rows_of(points: Iterable[Point], backend: str, jobs: int | None) -> Generator[Row]:
    """Yield the rows of all points, in whatever order they finish.

    Raises:
        BadUse: what the backend needs is missing, or a point is refused.
        HushcountError: a worker died.
    """
    kind, _, address = backend.partition(":")
    if kind == "processes":
        from hushcount.sweeps.processes import rows_by_processes

        return rows_by_processes(points, jobs)
    from hushcount.sweeps.dask_cluster import rows_by_dask

    return rows_by_dask(points, address, jobs)
