"""`hushcount compare`: the mechanisms for one n and one promise side by side."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.answer import json_text
from hushcount.cli.options.groups import QUESTION
from hushcount.cli.options.output import Json
from hushcount.cli.options.privacy import AnyPromise
from hushcount.cli.options.values import whole

__all__ = ["compare"]


def compare(
    n: Annotated[str, QUESTION.option(metavar="COUNT", help="The largest possible count, at most 200.")],
    promise: AnyPromise,
    names: Annotated[
        list[str] | None,
        QUESTION.option(
            "--mechanism",
            metavar="NAME",
            help="A mechanism to compare with nearest, in place of all: by its name in the tables, within:T, or at "
            "--delta > 0 analytic-gaussian or never-invented. May be repeated.",
        ),
    ] = None,
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

    With --mu or --rho the mechanisms are nearest and the Gaussian ones: rounded and clamped (rounded-gaussian),
    discrete as the US Census uses it, which keeps rho-zCDP alone (zcdp-gaussian), and the analytic one for the epsilon
    that mu implies at delta 1e-6. The second table then tells the mu that each needs.

    Example: hushcount compare --n 7 --epsilon 0.5
    Example: hushcount compare --n 100 --mu 0.3
    Example: hushcount compare --n 8 --epsilon 0.1 --mechanism within:1
    """
    from hushcount.privacy import compare as compared

    found = compared(whole(n, "n"), promise.promise(), mechanisms=names)
    if as_json:
        rows = [row.to_dict() for row in found]
        return json_text({"n": found.n, **found.privacy.to_fields(), "rows": rows, "remarks": found.remarks})
    return f"{found}\n"
