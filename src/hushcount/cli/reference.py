"""Writes the pages that are generated from the code: `python -m hushcount.cli.reference [FOLDER]`.

`FOLDER` (default `docs`) gets `cli.md`, the reference of the command line, `paper-map.md`, where each statement of the
paper is in the code, and the schemas `receipt.schema.json` and `table-receipt.schema.json`. The text depends on the
code alone, not on the width of a terminal.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

from hushcount.cli.app import every_command
from hushcount.cli.exit_codes import EXIT_CODES
from hushcount.paper.map import paper_map
from hushcount.release.receipt import schema_text
from hushcount.release.table_receipt import schema_text as table_schema_text

__all__ = ["pages", "reference"]

_HEAD = """# The command line

This page is generated (`make docs`). Every error is one line on standard error that begins with `hushcount: error:`,
and leaves standard output empty.

| exit code | meaning |
|----------:|---------|
"""


def pages() -> dict[str, str]:
    """The generated files, by name."""
    return {
        "cli.md": reference(),
        "paper-map.md": paper_map(),
        "receipt.schema.json": schema_text(),
        "table-receipt.schema.json": table_schema_text(),
    }


def reference() -> str:
    """The reference of the command line, in Markdown."""
    parts = [_HEAD + "".join(f"| {code} | {meaning} |\n" for code, meaning in EXIT_CODES.items())]
    for words, command in every_command().items():
        arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
        names = [argument.metavar if argument.required else f"[{argument.metavar}]" for argument in arguments]
        options = ["[OPTIONS]"] if len(command.params) > len(arguments) else []
        order = [*options, "COMMAND ..."] if hasattr(command, "commands") else [*names, *options]
        parts.append(_section(words, command, usage=" ".join([words, *order])))
    return "\n".join(parts)


def _section(title: str, command: Any, usage: str) -> str:
    text = inspect.cleandoc(command.help).replace("Example: ", "    ")
    rows = [_row(parameter) for parameter in command.params]
    table = "| argument or option | default | meaning |\n|---|---|---|\n" + "".join(rows) if rows else ""
    return f"## {title}\n\n    {usage}\n\n{text}\n" + (f"\n{table}" if table else "")


def _row(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        name = f"`{parameter.metavar}`"
    else:
        flags = " / ".join(f"`{flag}`" for flag in [*parameter.opts, *parameter.secondary_opts])
        name = flags if parameter.is_flag else f"{flags} `{parameter.metavar}`"
    return f"| {_cell(name)} | {_cell(_default(parameter))} | {_cell(parameter.help)} |\n"


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    if getattr(parameter, "is_flag", False):
        flags = parameter.opts if parameter.default else parameter.secondary_opts
        return f"`{flags[0]}`" if flags else ""
    return "" if parameter.default is None else f"`{parameter.default}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _write(folder: Path) -> None:
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    _write(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
