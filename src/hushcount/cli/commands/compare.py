"""`hushcount compare`: the mechanisms for one (n, epsilon, delta) side by side."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.answer import json_text
from hushcount.cli.options.groups import QUESTION
from hushcount.cli.options.output import Json
from hushcount.cli.options.privacy import Promise
from hushcount.cli.options.values import whole

__all__ = ["compare"]


def compare(
    n: Annotated[str, QUESTION.option(metavar="COUNT", help="The largest possible count, at most 200.")],
    promise: Promise,
    as_json: Json = False,
) -> str:
    """Compare the mechanisms that could draw a count.

    Takes no data. Prints two tables with a row for each mechanism: its error over the true counts 0..n (worst case and
    mean), and the epsilon and delta that it needs (from an audit) with its properties. The epsilon that it needs is the
    least at --delta, and the delta the least at --epsilon. Below the tables are the cases in which nearest is worse
    than another. "fair", "hon.", "mono" and "sym." are fairness, weak, row and column honesty, row and column
    monotonicity, and symmetry, defined in docs/properties.md and in Python's help(hushcount.privacy.properties).

    One of them is geometric noise that is redrawn until it lands in range: for n >= 2 it is not private at its epsilon.
    At delta > 0 there are also two that need a delta, and the remarks name those that make no use of it.

    Example: hushcount compare --n 7 --epsilon 0.5
    """
    from hushcount.privacy import compare as compared

    found = compared(whole(n, "n"), promise.epsilon, promise.delta)
    if as_json:
        rows = [row.to_dict() for row in found]
        return json_text({"n": found.n, **found.privacy.to_fields(), "rows": rows, "remarks": found.remarks})
    return f"{found}\n"
