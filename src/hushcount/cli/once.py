"""Every option once: of two values the last would silently win, and one of them is a privacy parameter."""

from __future__ import annotations

from collections import Counter
from typing import Any

from typer.core import TyperCommand

__all__ = ["OnceCommand"]


class OnceCommand(TyperCommand):
    """A command that refuses a second value of an option that takes one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given = list(args)  # parsing uses `args` up
        rest = super().parse_args(ctx, args)
        _, _, in_order = self.make_parser(ctx).parse_args(given)
        for parameter, times in Counter(in_order).items():
            if times > 1 and not getattr(parameter, "multiple", False):
                ctx.fail(f"Option '{max(parameter.opts, key=len)}' may be given only once (got {times})")
        return rest
