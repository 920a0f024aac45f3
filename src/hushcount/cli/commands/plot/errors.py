"""`hushcount plot errors`: how wrong mechanisms are, against epsilon."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.options.groups import QUESTION
from hushcount.cli.options.picture import At, Canvas, Mechanisms, Scale
from hushcount.cli.options.privacy import Delta
from hushcount.cli.options.values import name_of, whole

__all__ = ["errors"]


def errors(
    n: Annotated[str, QUESTION.option(metavar="COUNT", help="The largest possible count.")],
    epsilon: At,
    canvas: Canvas,
    delta: Delta = "0",
    names: Mechanisms = None,
    measure: Annotated[
        str,
        QUESTION.option(
            metavar="error-probability|absolute-error|squared-error|bias",
            help="What is drawn, in the worst case over true counts: the error probability, the expected |error| or "
            "squared error, or the largest bias.",
        ),
    ] = "error-probability",
    scale: Scale = "linear",
) -> str:
    """Draw an error of several mechanisms against epsilon.

    At most 11 of them. Without --mechanism, draws those that need no delta, except the uniform one, the fair one and
    the redrawn geometric noise.

    Example: hushcount plot errors --n 7 --epsilon 0.1:3:0.1 --output errors.png
    """
    from hushcount.figures import plot_errors
    from hushcount.figures.errors import DRAWN, MEASURES, checked_epsilons

    picture = canvas.picture()
    return picture.draw(
        plot_errors,
        whole(n, "n"),
        checked_epsilons(epsilon, "epsilon"),
        delta=delta,
        mechanisms=names or DRAWN,
        measure=name_of(measure, "measure", MEASURES),
        scale=scale,
    )
