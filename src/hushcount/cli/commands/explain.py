"""`hushcount explain`: the figures of a release, without data."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

from hushcount._version import __version__
from hushcount.cli.options.groups import QUESTION
from hushcount.cli.options.output import Json
from hushcount.cli.options.privacy import Drawing
from hushcount.cli.options.values import whole

__all__ = ["explain"]


def explain(
    n: Annotated[
        str,
        QUESTION.option(
            metavar="COUNT",
            help="The largest possible count: the number of rows under replace-one, the value of --max under "
            "add-remove.",
        ),
    ],
    drawing: Drawing,
    as_json: Json = False,
) -> str:
    """Tell what a release is worth, without data.

    Prints the range, the promise and the chances of being off, as a release with these parameters would.

    Example: hushcount explain --n 1000 --epsilon 0.5
    """
    from hushcount.release.explanation import explain as in_words
    from hushcount.release.guarantee import figures, neighbours, offered

    top, relation = whole(n, "n"), neighbours(drawing.adjacency)
    settled = figures(offered(drawing.law(), drawing.epsilon, drawing.delta)(top), relation)
    if as_json:
        return json.dumps(asdict(settled) | {"hushcount_version": __version__}, indent=2) + "\n"
    return f"{in_words(settled)}\n"
