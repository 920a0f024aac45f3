"""`hushcount plot rows`: what single true counts are released as."""

from __future__ import annotations

from typing import Annotated

import typer

from hushcount.cli.options import whole
from hushcount.cli.plot.options import (
    SIZE,
    Count,
    Matrix,
    MechanismName,
    OptionalDelta,
    OptionalEpsilon,
    Output,
    Picture,
    Scale,
    Size,
    Title,
    chosen,
)

__all__ = ["rows"]


def rows(
    output: Output,
    n: Count = None,
    epsilon: OptionalEpsilon = None,
    delta: OptionalDelta = None,
    name: MechanismName = None,
    matrix: Matrix = None,
    true_counts: Annotated[
        list[str] | None,
        typer.Option(
            "--true",
            metavar="COUNT",
            help="A true count to draw, made up, not one of your data. May be repeated, up to 11 times.",
        ),
    ] = None,
    scale: Scale = "linear",
    title: Title = None,
    size: Size = SIZE,
) -> str:
    """Draw what single true counts are released as, a curve for each, with the true count marked.

    By default 0, the middle and n; from n = 256 on the middle. Of each the released counts with nearly all of the
    probability are shown, so that n may be of any size.

    Example: hushcount plot rows --n 30 --epsilon 0.5 --true 0 --true 12 --output rows.svg
    """
    from hushcount.figures import plot_rows

    picture = Picture.of(output, size, title, *([] if matrix is None else [matrix]))
    wanted = [whole(true, "true") for true in true_counts] if true_counts else None
    shown = chosen(name, matrix, n, epsilon, delta)
    return picture.about(matrix, shown.n).draw(plot_rows, shown, wanted, scale=scale)
