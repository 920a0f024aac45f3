"""Write the pages that are generated from the code: `python -m hushcount.cli.reference [FOLDER]`.

`FOLDER` (default `docs`) gets `cli.md`, the reference of the command line, `paper-map.md`, where each statement of the
paper is in the code, and the schemas of receipts and plans. The text depends on the code alone, not on the width of a
terminal.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

from hushcount.cli.command import by_group, usage
from hushcount.cli.exit_codes import EXIT_CODES
from hushcount.cli.tree import every_command
from hushcount.paper.map import paper_map
from hushcount.plan.document import schema_text as plan_schema_text
from hushcount.release.receipt import schema_text
from hushcount.release.table.receipt import schema_text as table_schema_text

__all__ = ["pages", "reference"]

_HEAD = """# The command line

This page is generated (`make docs`). Every error is one line on standard error that begins with `hushcount: error:`,
and leaves standard output empty.

| exit code | meaning |
|----------:|---------|
"""


def pages() -> dict[str, str]:
    """Return the generated files, by name."""
    return {
        "cli.md": reference(),
        "paper-map.md": paper_map(),
        "receipt.schema.json": schema_text(),
        "table-receipt.schema.json": table_schema_text(),
        "plan.schema.json": plan_schema_text(),
    }


def reference() -> str:
    """Return the reference of the command line, in Markdown."""
    parts = [_HEAD + "".join(f"| {code} | {meaning} |\n" for code, meaning in EXIT_CODES.items())]
    for words, command in every_command().items():
        order = ["COMMAND ..."] if hasattr(command, "commands") else usage(command.params)
        parts.append(_section(words, command, " ".join([words, *order])))
    return "\n".join(parts)


def _section(title: str, command: Any, usage: str) -> str:
    text = inspect.cleandoc(command.help).replace("Example: ", "    ")
    groups = by_group(command.params)
    rows = [
        row
        for group, found in groups.items()
        for row in [*([_title(group)] if len(groups) > 1 else []), *map(_row, found)]
    ]
    table = "| argument or option | default | meaning |\n|---|---|---|\n" + "".join(rows) if rows else ""
    return f"## {title}\n\n    {usage}\n\n{text}\n" + (f"\n{table}" if table else "")


def _title(group: str) -> str:
    return f"| **{group}** | | |\n"


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
