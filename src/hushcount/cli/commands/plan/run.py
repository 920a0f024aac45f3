"""`hushcount plan run`: all releases of a plan."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.answer import json_text
from hushcount.cli.options.groups import QUESTION
from hushcount.cli.options.output import Json

__all__ = ["run"]


def run(
    plan: Annotated[
        str,
        QUESTION.argument(
            metavar="PLAN",
            help='The plan, a TOML file ("hushcount schema plan").',
            show_default=False,
        ),
    ],
    as_json: Json = False,
) -> str:
    """Release everything in a plan, and write its files.

    All of it is charged together, or nothing if the budget does not cover it. Each source is opened once. If this is
    broken off, the same command goes on from there, and charges nothing twice.

    Example: hushcount plan run plan.toml
    """
    from hushcount.cli.progress import progress_bar
    from hushcount.plan import read_plan

    asked = read_plan(plan)
    with progress_bar("releases") as show:
        found = asked.run(show)
    return json_text(found.to_dict()) if as_json else f"{found}\n"
