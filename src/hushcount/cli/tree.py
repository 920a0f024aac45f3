"""The commands, each imported and built when it is asked for.

The tree of commands is the tree of folders below `commands`. A group is a package, which names its commands in
`COMMANDS` and says what they are for in its docstring. A command is a file with one public function. A subcommand
returns its text, and `entry.main` prints it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from hushcount._version import __version__
from hushcount.cli import commands
from hushcount.cli.bundles import flat
from hushcount.cli.command import Command, as_typed
from hushcount.cli.completion import completion_options

__all__ = ["command", "every_command", "named"]


class _Commands(Mapping[str, Any]):
    """The commands of a package by name."""

    def __init__(self, package: ModuleType) -> None:
        self._package, self._built = package, dict[str, Any]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._package.COMMANDS)

    def __len__(self) -> int:
        return len(self._package.COMMANDS)

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            if name not in self._package.COMMANDS:
                raise KeyError(name)
            self._built[name] = _built(name, self._module(name))
        return self._built[name]

    def summary(self, name: str) -> str:
        """Return the first line about a command, without building it."""
        module = self._module(name)
        about = module if hasattr(module, "COMMANDS") else _function(module)
        return (inspect.getdoc(about) or "").partition("\n")[0]

    def _module(self, name: str) -> ModuleType:
        return import_module(f"{self._package.__name__}.{name.replace('-', '_')}")


class _Group(TyperGroup):
    """Commands under one word."""

    def __init__(self, name: str, package: ModuleType, parameters: Sequence[Any] = ()) -> None:
        super().__init__(name=name, help=inspect.getdoc(package), params=[*parameters], rich_markup_mode=None)
        self._lazily = _Commands(package)
        self.commands: Any = self._lazily

    def get_params(self, ctx: Any) -> list[Any]:
        return as_typed(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each command with the whole first line about it."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._lazily.summary(name)) for name in self._lazily])


def _function(module: ModuleType) -> Callable[..., Any]:
    (name,) = module.__all__
    function: Callable[..., Any] = getattr(module, name)
    return function


def _built(name: str, module: ModuleType) -> Any:
    return _Group(name, module) if hasattr(module, "COMMANDS") else _command(name, _function(module))


def _command(name: str, function: Callable[..., Any]) -> Any:
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(name, cls=Command)(flat(function))
    return typer.main.get_command(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hushcount {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """The options of `hushcount` itself."""


@cache
def command() -> Any:
    """Return what runs a command line, made once in a process."""
    return _Group("hushcount", commands, [*_command("hushcount", _root).params, *completion_options()])


def every_command() -> dict[str, Any]:
    """Return each command under the words that call it; a group stands before its commands."""
    found: dict[str, Any] = {}

    def add(words: str, one: Any) -> None:
        found[words] = one
        for name, inner in getattr(one, "commands", {}).items():
            add(f"{words} {name}", inner)

    add("hushcount", command())
    return found


def named(arguments: Sequence[str]) -> Any:
    """Return the command that the first words of a command line name."""
    one = command()
    for word in arguments:
        inner = getattr(one, "commands", {}).get(word)
        if inner is None:
            break
        one = inner
    return one
