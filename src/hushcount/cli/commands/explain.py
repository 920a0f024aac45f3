"""`hushcount explain`: the accuracy of a release, without data."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.answer import json_text
from hushcount.cli.options.groups import QUESTION
from hushcount.cli.options.output import Json
from hushcount.cli.options.privacy import AtDelta, Drawing, checked_delta
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
    at_delta: AtDelta = None,
    as_json: Json = False,
) -> str:
    """Show the accuracy of a release, without data.

    Prints the range, the promise and the chances of being off, as a release with these parameters does.

    Example: hushcount explain --n 1000 --epsilon 0.5
    """
    from hushcount.promise.adjacency import Adjacency
    from hushcount.release.guarantee import Guarantee
    from hushcount.release.law import Law
    from hushcount.release.text import explain as in_words, implied

    top, relation, delta = whole(n, "n"), Adjacency.of(drawing.adjacency), checked_delta(at_delta)
    law = Law.of(drawing.law(), drawing.promise())
    guarantee = Guarantee.of(law, law.at(top), relation)
    if as_json:
        return json_text(guarantee.to_fields() | implied(law.promise, delta))
    return f"{in_words(guarantee, delta)}\n"
