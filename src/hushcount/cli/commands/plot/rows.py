"""`hushcount plot rows`: the released counts of single true counts."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.options.groups import QUESTION
from hushcount.cli.options.picture import Canvas, OneMechanism, Scale
from hushcount.cli.options.values import whole

__all__ = ["rows"]


def rows(
    canvas: Canvas,
    which: OneMechanism,
    true_counts: Annotated[
        list[str] | None,
        QUESTION.option(
            "--true",
            metavar="COUNT",
            help="A true count to draw. Make it up; do not take it from your data. May be repeated, up to 11 times.",
        ),
    ] = None,
    scale: Scale = "linear",
) -> str:
    """Draw the released counts of single true counts.

    Draws a curve for each, with the true count marked; by default for 0, the middle and n, or for n >= 256 the middle
    only. Shows the released counts that have nearly all of the probability, so n may be of any size.

    Example: hushcount plot rows --n 30 --epsilon 0.5 --true 0 --true 12 --output rows.svg
    """
    from hushcount.figures import plot_rows

    picture = canvas.picture(which.matrix)
    wanted = [whole(true, "true") for true in true_counts] if true_counts else None
    shown = which.chosen()
    return picture.about(which.matrix, shown.n).draw(plot_rows, shown, wanted, scale=scale)
