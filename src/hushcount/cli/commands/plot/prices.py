"""`hushcount plot prices`: what a table costs in epsilon and in mu, against its number of cells."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.options.groups import PRIVACY, QUESTION
from hushcount.cli.options.picture import Canvas, Scale
from hushcount.cli.options.values import whole

__all__ = ["prices"]


def prices(
    n: Annotated[str, QUESTION.option(metavar="COUNT", help="The largest possible count of a cell.")],
    within: Annotated[
        str, QUESTION.option(metavar="COUNT", help="How far off a released count of a cell may be, at most.")
    ],
    chance: Annotated[
        str, QUESTION.option(metavar="NUMBER", help="The chance of that at least, > 0 and <= 1. Taken exactly.")
    ],
    canvas: Canvas,
    cells: Annotated[
        str | None,
        QUESTION.option(
            metavar="VALUES",
            help="How many cells one change affects: whole numbers and ranges FIRST:LAST or FIRST:LAST:STEP separated "
            "by commas, in rising order.",
            show_default="from 1 to 1,000",
        ),
    ] = None,
    at_delta: Annotated[
        str,
        PRIVACY.option(metavar="NUMBER", help="The delta at which it is told which epsilon mu implies, > 0 and < 1."),
    ] = "1e-6",
    scale: Scale = "log",
) -> str:
    """Draw what a table costs, in epsilon and in mu.

    Draws the price against the number of cells that one change affects. Each cell is drawn by nearest, at the least
    epsilon or the least mu with which it is off by at most --within with at least --chance. Epsilons are
    drawn as they add up, at delta 0, and as they compose at --at-delta (with the package dp-accounting). Squares of mu
    add up; of the mu of a table, the epsilon is drawn that it implies at --at-delta.

    Example: hushcount plot prices --n 1000 --within 5 --chance 0.95 --output prices.png
    """
    from hushcount.figures import plot_prices
    from hushcount.figures.prices import CELLS, checked_cells

    picture = canvas.picture()
    asked = CELLS if cells is None else checked_cells(cells)
    return picture.draw(
        plot_prices, whole(n, "n"), whole(within, "within"), chance, asked, at_delta=at_delta, scale=scale
    )
