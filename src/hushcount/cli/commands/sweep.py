"""`hushcount sweep`: every point of a grid, in parallel, into a table."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

from hushcount.cli.answer import Answer
from hushcount.cli.exit_codes import INTERRUPTED
from hushcount.cli.options.groups import COMPUTATION, MEDIUM, OUTPUT, PRIVACY, QUESTION
from hushcount.cli.options.medium import MODULATIONS, NoiseValues, Signal
from hushcount.cli.options.values import whole
from hushcount.cli.progress import progress_bar
from hushcount.errors import BadUse
from hushcount.words.counted import counted
from hushcount.words.printable import printable

if TYPE_CHECKING:
    from hushcount.sweeps import Grid, Sweep

__all__ = ["sweep"]


def sweep(
    *,
    n: Annotated[
        str,
        QUESTION.option(
            metavar="VALUES", help="The largest possible counts: numbers and ranges, such as 7 or 3,7,15 or 1:20."
        ),
    ],
    epsilon: Annotated[
        str | None,
        PRIVACY.option(
            metavar="VALUES",
            help="The privacy parameters epsilon: numbers and ranges FIRST:LAST:STEP separated by commas, such as "
            "0.1,0.5 or 0.1:4:0.1. Taken exactly; a range ends with LAST if a step leads there. One of --epsilon, --mu "
            "and --rho is needed.",
            show_default=False,
        ),
    ] = None,
    medium: Annotated[
        str | None,
        MEDIUM.option(
            metavar="KIND",
            help="Behind a medium of n + 1 symbols: psk, pam, qam, fsk, apsk, cross-qam, binary-symmetric, "
            "binary-erasure, z-channel, symmetric or rounding, as for hushcount medium. Without it, mechanisms are "
            "swept.",
        ),
    ] = None,
    noise: NoiseValues,
    signal: Signal,
    delta: Annotated[
        str, PRIVACY.option(metavar="VALUES", help="The privacy parameters delta, in the same way.")
    ] = "0",
    mu: Annotated[
        str | None,
        PRIVACY.option(
            metavar="VALUES",
            help="Without a medium, in place of epsilon: the mu of Gaussian differential privacy, in the same way.",
        ),
    ] = None,
    rho: Annotated[
        str | None, PRIVACY.option(metavar="VALUES", help="The same as --mu, told by rho: mu^2 = 2 rho.")
    ] = None,
    multiple: Annotated[str | None, MEDIUM.option(metavar="VALUES", help="rounding: to multiples of this.")] = None,
    mechanisms: Annotated[
        str | None,
        QUESTION.option(
            "--mechanism",
            metavar="NAMES",
            help="Without a medium: mechanisms as in hushcount compare, for --epsilon or for --mu, separated by "
            "commas. All of them by default.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        OUTPUT.option(
            metavar="FILE",
            help="The file of the table: .csv or .parquet. Finished rows are kept beside it in FILE.part, from which "
            "the same command resumes after an interruption. If FILE exists, from a smaller grid, its rows are "
            "reused. Without this option the table is printed as CSV.",
        ),
    ] = None,
    restart: Annotated[
        bool, OUTPUT.option("--restart", help="Discard the output file and the finished rows beside it.")
    ] = False,
    jobs: Annotated[
        str | None, COMPUTATION.option(metavar="COUNT", help="The number of workers; one for each core by default.")
    ] = None,
    backend: Annotated[
        str,
        COMPUTATION.option(
            metavar="processes|dask|dask:ADDRESS",
            help="Where to compute: in processes on this machine, or on a Dask cluster (a local one, or that of the "
            "scheduler at ADDRESS). The table is the same.",
        ),
    ] = "processes",
) -> Answer:
    """Compute a grid of promises, sizes and noise levels.

    Takes no data. Behind a medium, a row has the least worst-case error probability with its proven bounds, the bounds
    in closed form, whether the medium costs anything, and which rule decided. Without a medium, it has the errors of a
    mechanism and the results of an audit. docs/sweeps.md describes the columns. Results do not depend on the number of
    workers.

    Example: hushcount sweep --n 10,100 --mu 0.1:2:0.1 --output mu.csv
    Example: hushcount sweep --n 7 --medium psk --snr-db 0:20:5 --epsilon 0.1:4:0.1 --output sweep.parquet
    """
    from hushcount.sweeps import mechanism_grid, medium_grid, run_sweep
    from hushcount.sweeps.grid import check_without_mu

    if epsilon is mu is rho is None:
        raise BadUse("what is promised is missing: one of --epsilon (with --delta), --mu and --rho is needed")

    given: dict[str, Any] = {**vars(noise), **vars(signal), "multiple": multiple}
    given["coherent"] = False if given.pop("non_coherent") else None
    if medium is None:
        if any(value is not None for value in given.values()):
            raise BadUse("the options of a medium need --medium KIND")
        grid = mechanism_grid(mechanisms, n, epsilon, delta, mu=mu, rho=rho)
    else:
        if mechanisms is not None:
            raise BadUse("--mechanism is for a sweep without --medium: behind one, the best of all is found")
        if noise.es_n0_db is not None and noise.eb_n0_db is not None:
            raise BadUse("give only one of --snr-db and --eb-n0-db")
        if medium in MODULATIONS and noise.es_n0_db is None and noise.eb_n0_db is None:
            raise BadUse(f"{medium} needs one of --snr-db and --eb-n0-db")
        check_without_mu(mu, rho)
        assert epsilon is not None
        grid = medium_grid(medium, n, epsilon, delta, **given)
    workers = None if jobs is None else whole(jobs, "jobs")
    done = 0

    def count(so_far: int, total: int) -> None:
        nonlocal done
        done = so_far
        show(so_far, total, "")

    try:
        with progress_bar("points") as show:
            found = run_sweep(grid, output, jobs=workers, backend=backend, restart=restart, progress=count)
    except KeyboardInterrupt:
        if output is None:
            raise
        kept = f"{done:,} of {len(grid):,} points are kept in {output}.part: the same command goes on from there"
        return Answer("", INTERRUPTED, f"interrupted; {kept if done else 'nothing was finished'}")
    return Answer(_table(grid, found) if output is None else _summary(grid, found, output))


def _table(grid: Grid, found: Sweep) -> str:
    from hushcount.sweeps.files import csv_text

    return csv_text(grid.row_class, found.rows)


def _summary(grid: Grid, found: Sweep, path: str) -> str:
    reused = f" ({found.reused:,} of them were there already)" if found.reused else ""
    verdicts = Counter(row.verdict.lower().replace("_", " ") for row in found.rows)
    told = ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(verdicts.items()))
    widest = max(row.upper - row.lower for row in found.rows)
    return (
        f"{counted(len(found.rows), 'point')} in {printable(path)}{reused}.\n"
        f"{'The medium' if grid.is_behind_medium else 'The mechanisms'}: {told}.\n"
        f"Widest certified interval of the error probability: {widest:.2g}.\n"
    )
