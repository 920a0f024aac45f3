"""Completion by the shell: `hushcount --install-completion` and `--show-completion`."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import Any

import typer
from typer.main import get_install_completion_arguments

from hushcount.errors import BadUse

__all__ = ["completion_options", "completions", "is_asked"]

_VARIABLE = "_HUSHCOUNT_COMPLETE"
_TOLD = (
    "Set up the current shell to complete commands and options.",
    "Print what --install-completion installs.",
)


def completion_options() -> list[Any]:
    """Return Typer's two options, whose failures become errors like any other."""
    options: list[Any] = [*get_install_completion_arguments()]
    for option, told in zip(options, _TOLD, strict=True):
        option.callback, option.help = _guarded(option.callback), told
    return options


def _guarded(act: Any) -> Callable[..., Any]:
    def callback(ctx: Any, param: Any, value: Any) -> Any:
        try:
            with redirect_stderr(io.StringIO()):
                return act(ctx, param, value)
        except SystemExit:
            raise typer.Exit from None
        except typer.Exit:
            raise BadUse(
                "completion is there for bash, zsh, fish and PowerShell: start hushcount from one of them"
            ) from None
        except OSError as error:
            raise BadUse(f"completion could not be installed: {error.strerror}") from None

    return callback


def is_asked(arguments: Sequence[str]) -> bool:
    """Return whether a shell asks what could come next; if not, its variable must not take over another command."""
    if not arguments and re.fullmatch("complete_[a-z]+", os.environ.get(_VARIABLE, "")):
        return True
    os.environ.pop(_VARIABLE, None)
    return False


def completions(command: Any) -> str:
    """Return what could come next, for the shell that asks; nothing where that is unknown, since a prompt is no
    place for an error."""
    said = io.StringIO()
    with suppress(Exception, SystemExit), redirect_stdout(said), redirect_stderr(io.StringIO()):
        command([], prog_name="hushcount", standalone_mode=False)
    return said.getvalue()
