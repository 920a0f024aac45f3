"""`hushcount plot errors`: how wrong mechanisms are, against epsilon or mu."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.options.groups import PRIVACY, QUESTION
from hushcount.cli.options.picture import Canvas, Mechanisms, Scale
from hushcount.cli.options.privacy import Delta
from hushcount.cli.options.values import name_of, whole
from hushcount.errors import BadUse

__all__ = ["errors"]


def errors(
    n: Annotated[str, QUESTION.option(metavar="COUNT", help="The largest possible count.")],
    canvas: Canvas,
    epsilon: Annotated[
        str | None,
        PRIVACY.option(
            metavar="VALUES",
            help="The privacy parameters epsilon: numbers and ranges FIRST:LAST:STEP separated by commas, in rising "
            "order, such as 0.1:4:0.1. Taken exactly. One of --epsilon and --mu is needed.",
            show_default=False,
        ),
    ] = None,
    mu: Annotated[
        str | None,
        PRIVACY.option(
            metavar="VALUES",
            help="In place of --epsilon, the mu of Gaussian differential privacy, > 0, given in the same way.",
            show_default=False,
        ),
    ] = None,
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
    """Draw an error of several mechanisms against epsilon or mu.

    At most 11 of them. Without --mechanism, draws those that need no delta, except the uniform one, the fair one and
    the redrawn geometric noise; against mu, nearest and the Gaussian ones of hushcount compare --mu.

    Example: hushcount plot errors --n 7 --epsilon 0.1:3:0.1 --output errors.png
    Example: hushcount plot errors --n 30 --mu 0.1:3:0.1 --output errors.png
    """
    from hushcount.figures import plot_errors
    from hushcount.figures.errors import MEASURES, checked_epsilons, checked_mus

    if (epsilon is None) == (mu is None):
        raise BadUse("give --epsilon or --mu, and not both")
    picture = canvas.picture()
    return picture.draw(
        plot_errors,
        whole(n, "n"),
        None if epsilon is None else checked_epsilons(epsilon, "epsilon"),
        mus=None if mu is None else checked_mus(mu, "mu"),
        delta=delta,
        mechanisms=names,
        measure=name_of(measure, "measure", MEASURES),
        scale=scale,
    )
