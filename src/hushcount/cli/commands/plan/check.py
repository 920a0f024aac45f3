"""`hushcount plan check`: what a plan costs, and how near its counts will be."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.answer import Answer, json_text
from hushcount.cli.exit_codes import BUDGET
from hushcount.cli.options.groups import QUESTION
from hushcount.cli.options.output import Json

__all__ = ["check"]


def check(
    plan: Annotated[
        str,
        QUESTION.argument(
            metavar="PLAN",
            help='The plan, a TOML file ("hushcount schema plan").',
            show_default=False,
        ),
    ],
    as_json: Json = False,
) -> Answer:
    """Show what a plan costs, and how near its counts will be.

    Everything is checked but the values of the sources. Nothing is charged. The exit code is 4 if the budget does not
    cover the plan.

    Example: hushcount plan check plan.toml
    """
    from hushcount.plan import read_plan

    found = read_plan(plan).check()
    text = json_text(found.to_dict()) if as_json else f"{found}\n"
    return Answer(text, 0 if found.is_covered else BUDGET)
