"""The groups in which a command shows its options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer

__all__ = ["BUDGET", "COMPUTATION", "GROUPS", "MEDIUM", "OUTPUT", "PICTURE", "PRIVACY", "QUESTION", "SOURCE", "Group"]


@dataclass(frozen=True)
class Group:
    """Options with one title above them."""

    title: str

    def option(self, *spellings: str, **given: Any) -> Any:
        """Return an option of the group; see `typer.Option`."""
        return typer.Option(*spellings, rich_help_panel=self.title, **given)

    def argument(self, **given: Any) -> Any:
        """Return an argument of the group; see `typer.Argument`."""
        return typer.Argument(rich_help_panel=self.title, **given)


QUESTION, PRIVACY, SOURCE, MEDIUM = Group("Question"), Group("Privacy"), Group("Source"), Group("Medium")
BUDGET, COMPUTATION, PICTURE, OUTPUT = Group("Budget"), Group("Computation"), Group("Picture"), Group("Output")

GROUPS = (
    *(each.title for each in (QUESTION, PRIVACY, SOURCE, MEDIUM, BUDGET, COMPUTATION, PICTURE, OUTPUT)),
    "Help",
)
"""The titles of the groups, in the order shown; the last is for what belongs to no other."""
