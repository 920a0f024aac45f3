"""`hushcount plot errors`: how wrong mechanisms are, against epsilon."""

from __future__ import annotations

from typing import Annotated

import typer

from hushcount.cli.options import Delta, whole
from hushcount.cli.plot.options import SIZE, At, Mechanisms, Output, Picture, Scale, Size, Title

__all__ = ["errors"]


def errors(
    n: Annotated[str, typer.Option(metavar="COUNT", help="The largest possible count.")],
    epsilon: At,
    output: Output,
    delta: Delta = "0",
    names: Mechanisms = None,
    measure: Annotated[
        str,
        typer.Option(
            metavar="error-probability|absolute-error|squared-error|bias",
            help="What is drawn, worst case over true counts: the chance to be wrong, the expected |error| or squared "
            "error, or the largest bias.",
        ),
    ] = "error-probability",
    scale: Scale = "linear",
    title: Title = None,
    size: Size = SIZE,
) -> str:
    """Draw an error of several mechanisms against epsilon, up to 11 of them.

    Without --mechanism those that need no delta are drawn, but for the uniform one, the fair one and the redrawn
    geometric noise.

    Example: hushcount plot errors --n 7 --epsilon 0.1:3:0.1 --output errors.png
    """
    from hushcount.figures import plot_errors
    from hushcount.figures.errors import DRAWN, checked_epsilons

    picture = Picture.of(output, size, title)
    return picture.draw(
        plot_errors,
        whole(n, "n"),
        checked_epsilons(epsilon, "epsilon"),
        delta=delta,
        mechanisms=names or DRAWN,
        measure=measure.replace("-", "_"),
        scale=scale,
    )
