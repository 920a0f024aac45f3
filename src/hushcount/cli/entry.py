"""Runs one command line: text to standard output, or one line to standard error and an exit code.

No error shows a traceback: its lines could hold cells of the data.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import Any

import typer

from hushcount.cli.answer import Answer
from hushcount.cli.app import command, every_command
from hushcount.cli.exit_codes import BAD_DATA, BAD_USE, BUDGET, INTERRUPTED, OUTPUT_LOST
from hushcount.cli.saying import fail, printed, say
from hushcount.errors import BadData, BudgetExceeded, HushcountError, InvalidParameter

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; see `hushcount.cli.main`, which hears of Ctrl-C and of what nobody foresaw."""
    os.environ.pop("_HUSHCOUNT_COMPLETE", None)  # shell completion is off, and would take the command over
    said = io.StringIO()
    try:
        # Held back until all went well: an error leaves nothing on standard output.
        with redirect_stdout(said), warnings.catch_warnings():
            if not sys.warnoptions:
                # A library's warning is neither our one line nor safe: it may quote the data.
                warnings.simplefilter("ignore")
            result = command()(arguments, prog_name="hushcount", standalone_mode=False)
        if result == INTERRUPTED:  # how typer reports Ctrl-C
            raise KeyboardInterrupt
        if isinstance(result, Answer):
            return _print(result.text, result.note) or result.code
        # Most subcommands return their text; --help and --version have said it.
        return _print(result if isinstance(result, str) else said.getvalue())
    except typer.TyperException as error:
        return fail(BAD_USE, _usage(error))
    except BadData as error:
        return fail(BAD_DATA, _with_notes(error, str(error)))
    except BudgetExceeded as error:
        return fail(BUDGET, str(error))
    except HushcountError as error:
        return fail(BAD_USE, _with_notes(error, _in_options(error, sys.argv[1:] if arguments is None else arguments)))


def _print(text: str, note: str = "") -> int:
    if sys.stdout is None:
        return fail(OUTPUT_LOST, "standard output is closed")
    error = printed(text)
    if error is not None:
        if isinstance(error, BrokenPipeError):  # who closed it wants no more
            return OUTPUT_LOST
        return fail(OUTPUT_LOST, f"standard output could not be written: {error.strerror}")
    if note:
        say(f"note: {note}")
    return 0


def _usage(error: typer.TyperException) -> str:
    message = error.format_message().strip().removesuffix(".")
    context = getattr(error, "ctx", None)
    command = "hushcount" if context is None else context.command_path
    return f"{message[:1].lower()}{message[1:]} (see '{command} --help')"


def _with_notes(error: HushcountError, message: str) -> str:
    return "; ".join([message, *getattr(error, "__notes__", ())])


def _in_options(error: HushcountError, arguments: Sequence[str]) -> str:
    """The error with an argument's name as it is typed: `--max must be ...` for `max_count must be ...`."""
    message = str(error)
    if isinstance(error, InvalidParameter) and message.startswith(error.argument):
        for parameter in _asked(arguments).params:
            spelling = max(parameter.opts, key=len)
            if spelling.startswith("-") and error.argument in (parameter.name, spelling.strip("-")):
                return f"{spelling}{message.removeprefix(error.argument)}"
    return message


def _asked(arguments: Sequence[str]) -> Any:
    """The command that the first words name."""
    words, commands = "hushcount", every_command()
    for word in arguments:
        if f"{words} {word}" not in commands:
            break
        words = f"{words} {word}"
    return commands[words]
