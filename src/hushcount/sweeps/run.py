"""A sweep: every point of a grid computed once, whatever happens in between."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Any

from hushcount._version import __version__
from hushcount.errors import BadUse, HushcountError, InvalidParameter
from hushcount.files.whole_files import checked_target, write_whole
from hushcount.inputs.arguments import path_text
from hushcount.inputs.grid import Values
from hushcount.sweeps.files import content, form_of, read_rows
from hushcount.sweeps.grid import Grid, Point, Row, check_without_mu, medium_grid
from hushcount.sweeps.grid_of_mechanisms import mechanism_grid
from hushcount.sweeps.medium_row import MediumPoint
from hushcount.sweeps.part import Part
from hushcount.sweeps.processes import open_standard_files
from hushcount.sweeps.workers import checked_backend, checked_jobs, rows_of

__all__ = ["Progress", "Sweep", "run_sweep", "sweep"]

Progress = Callable[[int, int], None]
"""Called with how many points are done and how many there are: once at the beginning, then after each point."""


@dataclass(frozen=True)
class Sweep:
    """The result of `run_sweep`.

    Attributes:
        rows: one for each point, in the order of the grid.
        reused: how many of them were already in the output.
    """

    rows: tuple[Row, ...]
    reused: int


def sweep(
    n: Values,
    epsilon: Values | None = None,
    delta: Values = 0,
    *,
    mu: Values | None = None,
    rho: Values | None = None,
    medium: str | None = None,
    mechanisms: str | list[str] | None = None,
    output: str | PathLike[str] | None = None,
    jobs: int | None = None,
    backend: str = "processes",
    restart: bool = False,
    progress: Progress | None = None,
    **medium_arguments: Any,
) -> tuple[Row, ...]:
    """Return what is certain about each point of a grid: behind a medium, or else of the mechanisms that `compare`
    knows.

    Every axis is a number, a list of numbers, or a text of numbers and ranges `FIRST:LAST:STEP` separated by commas
    (`grid_values`). All are taken exactly. The rows are the same for any number of workers.

    Args:
        n: the largest counts; integers >= 0, behind a medium from 1 to 255.
        epsilon, delta: >= 0 in nats, and 0 <= delta < 1.
        mu, rho: without a medium, in place of epsilon and delta: Gaussian differential privacy, mu^2 = 2 rho; mu above
            0 and at most 1,000.
        medium: a kind of medium with n + 1 symbols: psk, pam, qam, fsk, apsk, cross-qam, binary-symmetric,
            binary-erasure, z-channel, symmetric or rounding. None for a sweep of mechanisms.
        mechanisms: without a medium, some of nearest, canonical, clamped-canonical-noise, clamped-gaussian,
            explicit-fair, truncated-geometric, folded-geometric, exponential, randomized-response, uniform and
            redrawn-geometric, in a list or separated by commas; all by default, save those that need delta > 0 at 0.
            In mu, some of nearest, rounded-gaussian, zcdp-gaussian and analytic-gaussian.
        output: a .csv or .parquet file to which the rows are also written, in one step at the end. Until then each
            finished row is kept in `output` + ".part"; a later call with the same arguments continues from there. Where
            `output` already exists, from a smaller grid and the same version of hushcount, its rows are reused.
        jobs: how many workers; by default one for each core.
        backend: "processes" on this machine; "dask" for the Dask cluster that this process is a client of, or else a
            new local one; "dask:ADDRESS" for the cluster of a scheduler.
        restart: discard what is in `output` and in `output` + ".part".
        progress: see `Progress`.
        **medium_arguments: es_n0_db or eb_n0_db (in dB; "inf" for no noise), p, or multiple, an axis each; fading,
            labels, coherent, to; each as the function that makes the medium takes it.

    Returns:
        A `MediumRow`, a `MechanismRow` or, in mu or rho, a `MuRow` for each point, in the order of the grid: mechanism,
        n, the SNR, p or multiple, epsilon, delta, of which delta varies fastest; or mechanism, n, mu or rho.

    Raises:
        InvalidParameter, BadUse: a bad argument; the backend lacks a package; or `output` holds something else.
        TooLarge: more than 1,000,000 points, or a point that is too large.
        BadData: `output` cannot be read.
        HushcountError: a worker died.
    """
    if medium is None:
        if medium_arguments:
            raise BadUse(f"{', '.join(medium_arguments)} needs a medium")
        grid = mechanism_grid(mechanisms, n, epsilon, delta, mu=mu, rho=rho)
    else:
        if mechanisms is not None:
            raise BadUse("mechanisms are swept without a medium: behind one, the best of all is found")
        known = [field.name for field in fields(MediumPoint)[2:-2]]
        if unknown := [name for name in medium_arguments if name not in known]:
            raise BadUse(f"{', '.join(unknown)} is not an argument of a medium: those are {', '.join(known)}")
        check_without_mu(mu, rho)
        if epsilon is None:
            raise InvalidParameter("epsilon", None, "given")
        grid = medium_grid(medium, n, epsilon, delta, **medium_arguments)
    return run_sweep(grid, output, jobs=jobs, backend=backend, restart=restart, progress=progress).rows


def run_sweep(
    grid: Grid,
    output: str | PathLike[str] | None = None,
    *,
    jobs: int | None = None,
    backend: str = "processes",
    restart: bool = False,
    progress: Progress | None = None,
) -> Sweep:
    """Return the rows of a grid that is already made; see `sweep` for arguments and errors."""
    jobs, backend = checked_jobs(jobs), checked_backend(backend)
    open_standard_files()
    if output is None:
        if restart:
            raise BadUse("there is nothing to restart without an output file")
        return _completed(grid, {}, jobs, backend, progress, lambda row: None)
    path = path_text(output, "output")
    form, target = form_of(path), checked_target(path, "output")
    known = {} if restart else _in_output(target, form, grid)
    with Part(target, grid, restart=restart) as part:
        known |= {row.point: row for row in part.rows}
        found = _completed(grid, known, jobs, backend, progress, part.append)
        try:
            write_whole(target, content(form, grid.row_class, found.rows))
        except OSError as error:
            raise BadUse(
                f"{target} cannot be written: {error.strerror or error}; the rows are in {part.path}"
            ) from None
        part.remove()
    return found


def _in_output(target: Path, form: str, grid: Grid) -> dict[Point, Row]:
    """Return the rows of an earlier output that are still valid."""
    if not target.exists() or not target.stat().st_size:
        return {}
    rows: dict[Point, Row] = {row.point: row for row in read_rows(target, form, grid.row_class)}
    if not rows.keys() <= set(grid):
        raise BadUse(
            f"{target} holds points that are not in this grid and would be lost: name another output, or discard it "
            "with --restart"
        )
    return {point: row for point, row in rows.items() if row.hushcount_version == __version__}


def _completed(
    grid: Grid,
    known: dict[Point, Row],
    jobs: int | None,
    backend: str,
    progress: Progress | None,
    keep: Callable[[Row], None],
) -> Sweep:
    reused, total = len(known), len(grid)
    tell = progress or (lambda done, total: None)
    tell(reused, total)
    missing = (point for point in grid if point not in known)
    found = dict(known)
    if reused == total:
        return Sweep(tuple(found[point] for point in grid), reused)
    with closing(rows_of(missing, backend, jobs)) as rows:
        for row in rows:
            if row.hushcount_version != __version__:
                raise HushcountError(
                    f"the workers have hushcount {row.hushcount_version}, this is {__version__}: install the same"
                )
            keep(row)
            found[row.point] = row
            tell(len(found), total)
    return Sweep(tuple(found[point] for point in grid), reused)
