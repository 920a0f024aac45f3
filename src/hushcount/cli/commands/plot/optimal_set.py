"""`hushcount plot optimal-set`: which entries all optimal mechanisms share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from hushcount.cli.options.groups import PICTURE, QUESTION
from hushcount.cli.options.picture import Canvas, Size
from hushcount.cli.options.privacy import Promise
from hushcount.cli.options.values import whole

__all__ = ["optimal_set"]


@dataclass(frozen=True)
class _Canvas(Canvas):
    """A canvas with room for a legend below a square."""

    size: Size = "5x5.6"


def optimal_set(
    n: Annotated[str, QUESTION.option(metavar="COUNT", help="The largest possible count, at most 511.")],
    promise: Promise,
    canvas: _Canvas,
    ranges: Annotated[
        bool,
        PICTURE.option(
            "--ranges", help="Write the least and the largest value into entries that differ, for n up to 8."
        ),
    ] = False,
    sums: Annotated[
        bool,
        PICTURE.option(
            "--sums",
            help="Frame entries that differ but whose sum is the same in all optimal mechanisms, for n up to 31.",
        ),
    ] = False,
) -> str:
    """Draw which entries all optimal mechanisms share.

    A mechanism is optimal if it has the least worst-case error probability. Rows are true counts, columns are released
    counts. Filled entries are the same in every optimal mechanism; hatched ones differ.

    Example: hushcount plot optimal-set --n 4 --epsilon 0.5 --output shared.svg
    """
    from hushcount.figures import plot_shared_entries
    from hushcount.optimal_set import OptimalSet

    picture = canvas.picture()
    optimal = OptimalSet(whole(n, "n"), promise.epsilon, promise.delta)
    return picture.draw(plot_shared_entries, optimal, ranges=ranges, sums=sums)
