"""What every command is: each option at most once, in groups, and texts kept as they were typed."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from typer.core import TyperCommand

from hushcount.cli.options.groups import GROUPS

__all__ = ["Command", "as_typed", "by_group", "usage"]


class _Text:
    """A converter that leaves values alone: options are texts, lists of texts and flags, and the library judges them.

    Typer would build a pydantic validator for each option, which takes longer than the rest of the start.
    """

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        return () if value is None and (param.multiple or param.nargs == -1) else value


def as_typed(parameters: Sequence[Any]) -> list[Any]:
    """Return the parameters so that their values reach a command as they were typed."""
    for parameter in parameters:
        parameter._runtime_param = _Text()
    return [*parameters]


class Command(TyperCommand):
    """A command that refuses a second value of an option that takes one, and shows its options in groups."""

    def get_params(self, ctx: Any) -> list[Any]:
        return as_typed(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read a command line; refuse a second value, since the last would silently win, and may be a privacy
        parameter."""
        given = list(args)  # parsing uses `args` up
        self._check_promise(ctx, given)
        rest = super().parse_args(ctx, args)
        if ctx.resilient_parsing:  # a shell asks what could come next
            return rest
        _, _, in_order = self.make_parser(ctx).parse_args(given)
        for parameter, times in Counter(in_order).items():
            if times > 1 and not getattr(parameter, "multiple", False):
                ctx.fail(f"Option '{max(parameter.opts, key=len)}' may be given only once (got {times})")
        return rest

    def _check_promise(self, ctx: Any, args: list[str]) -> None:
        """Refuse --mu and --rho in so many words where only --epsilon and --delta can be promised."""
        known = {name for parameter in self.params for name in parameter.opts}
        for name in (word.partition("=")[0] for word in takewhile(lambda word: word != "--", args)):
            if name in ("--mu", "--rho") and name not in known and "--epsilon" in known:
                ctx.fail(f"{name} is not for {self.name}, which promises --epsilon and --delta only")

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return usage(self.params)

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write the text of the help, with its example as one can copy it."""
        formatter.write_paragraph()
        with formatter.indentation():
            text = inspect.cleandoc(self.help or "")
            formatter.write_text(_copyable(text, formatter.width - formatter.current_indent))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write a section of the help for each group."""
        for title, parameters in by_group(self.get_params(ctx)).items():
            with formatter.section(title):
                formatter.write_dl([_record(each, ctx) for each in parameters])


def by_group(parameters: Sequence[Any]) -> dict[str, list[Any]]:
    """Return the parameters of a command by group: the required ones first, then arguments."""
    groups: dict[str, list[Any]] = {title: [] for title in GROUPS}
    for parameter in sorted(parameters, key=lambda each: (not each.required, each.param_type_name)):
        groups[parameter.rich_help_panel or GROUPS[-1]].append(parameter)
    return {title: found for title, found in groups.items() if found}


def _copyable(text: str, width: int) -> str:
    """Return the text with an example that is too long for a line broken before options, as a shell reads on."""
    before, mark, example = text.partition(_EXAMPLE)
    if not mark:
        return text
    first, *options = re.split(" (?=--)", example.strip())
    lines = [_EXAMPLE + first]
    for option in options:
        if len(f"{lines[-1]} {option} \\") <= width:
            lines[-1] += f" {option}"
        else:
            lines[-1] += " \\"
            lines.append(f"    {option}")
    return "\n".join([f"{before}{_AS_IT_STANDS}", *lines])


_EXAMPLE = "Example: "
_AS_IT_STANDS = "\b"
"""The line that keeps the lines of its paragraph from being filled."""


def _record(parameter: Any, ctx: Any) -> tuple[str, str]:
    name, text = parameter.get_help_record(ctx)
    text = text.replace(f"[default: ({parameter.show_default})", f"[default: {parameter.show_default}")
    return parameter.metavar if parameter.param_type_name == "argument" else name, text


def usage(parameters: Sequence[Any]) -> list[str]:
    """Return the words that follow the name of a command: what must be given before what may be."""
    arguments = [each for each in parameters if each.param_type_name == "argument"]
    options = [each for each in parameters if each.param_type_name == "option"]
    return [
        *(each.metavar if each.required else f"[{each.metavar}]" for each in arguments),
        *(f"{each.opts[0]} {each.metavar}" for each in options if each.required),
        "[OPTIONS]",
    ]
