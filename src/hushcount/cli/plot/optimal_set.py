"""`hushcount plot optimal-set`: which entries all optimal mechanisms share."""

from __future__ import annotations

from typing import Annotated

import typer

from hushcount.cli.options import Delta, Epsilon, whole
from hushcount.cli.plot.options import Output, Picture, Size, Title

__all__ = ["optimal_set"]


def optimal_set(
    n: Annotated[str, typer.Option(metavar="COUNT", help="The largest possible count, at most 511.")],
    epsilon: Epsilon,
    output: Output,
    delta: Delta = "0",
    ranges: Annotated[
        bool, typer.Option("--ranges", help="Write the least and largest value into entries that differ, up to n = 8.")
    ] = False,
    sums: Annotated[
        bool,
        typer.Option(
            "--sums",
            help="Frame entries that differ, but whose sum is the same in all optimal mechanisms, up to n = 31.",
        ),
    ] = False,
    title: Title = None,
    size: Size = "5x5.6",
) -> str:
    """Draw which entries all mechanisms with the least worst-case error probability share.

    Rows are true counts, columns released ones. Filled entries are the same in every optimal mechanism, hatched ones
    differ.

    Example: hushcount plot optimal-set --n 4 --epsilon 0.5 --output shared.svg
    """
    from hushcount.figures import plot_shared_entries
    from hushcount.optimal_set import OptimalSet

    picture = Picture.of(output, size, title)
    return picture.draw(plot_shared_entries, OptimalSet(whole(n, "n"), epsilon, delta), ranges=ranges, sums=sums)
