"""Groups of commands whose help says of each command a whole sentence, however long it is."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

__all__ = ["WholeHelpGroup"]

_LONGEST = 1_000


class WholeHelpGroup(TyperGroup):
    """A group that does not cut off what its commands do at the end of a line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.commands[name].get_short_help_str(_LONGEST)) for name in self.commands])
