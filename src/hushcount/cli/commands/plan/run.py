"""`hushcount plan run`: all releases of a plan."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.options.groups import QUESTION

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
        return f"{asked.run(show)}\n"
