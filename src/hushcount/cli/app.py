"""The application that the subcommands make up. A subcommand returns its text; `entry.main` prints it."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

import typer

from hushcount._version import __version__
from hushcount.cli.audit import audit
from hushcount.cli.budget import budget
from hushcount.cli.compare import compare
from hushcount.cli.design import design
from hushcount.cli.explain import explain
from hushcount.cli.interpret import interpret
from hushcount.cli.medium import medium
from hushcount.cli.once import OnceCommand
from hushcount.cli.optimal_set import optimal_set
from hushcount.cli.paper import paper
from hushcount.cli.plot import plot
from hushcount.cli.release import release
from hushcount.cli.schema import schema
from hushcount.cli.sweep import sweep
from hushcount.cli.table import table
from hushcount.cli.whole_help import WholeHelpGroup

__all__ = ["app", "command", "every_command"]

app = typer.Typer(
    cls=WholeHelpGroup,
    name="hushcount",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for _command in (
    release,
    table,
    explain,
    interpret,
    audit,
    compare,
    optimal_set,
    design,
    medium,
    sweep,
    paper,
    schema,
):
    app.command(_command.__name__.replace("_", "-"), cls=OnceCommand)(_command)
app.add_typer(budget)
app.add_typer(plot)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hushcount {__version__}")
        raise typer.Exit


@app.callback()
def hushcount(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Publish how many rows of a table satisfy a condition, with differential privacy.

    The released count is always a possible count, and wrong as rarely as the privacy asked for allows.
    """


@cache
def command() -> Any:
    """What runs a command line: the tree of all commands, made once in a process."""
    return typer.main.get_command(app)


def every_command() -> dict[str, Any]:
    """Each command by the words that call it; a group stands before the commands in it."""
    found: dict[str, Any] = {}

    def add(words: str, one: Any) -> None:
        found[words] = one
        for name, inner in getattr(one, "commands", {}).items():
            add(f"{words} {name}", inner)

    add("hushcount", command())
    return found
