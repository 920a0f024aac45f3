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
from hushcount.cli.app import app, every_command
from hushcount.cli.audit import NOT_PRIVATE, UNDECIDED
from hushcount.errors import BadData, BudgetExceeded, HushcountError, InvalidParameter
from hushcount.release.explanation import printable

__all__ = ["EXIT_CODES", "main"]

BAD_USE, BAD_DATA, BUDGET, FAULT, OUTPUT_LOST, INTERRUPTED = 2, 3, 4, 70, 74, 130

EXIT_CODES = {
    0: "Done. From `audit`: private, not rejected by the log, or nothing claimed.",
    NOT_PRIVATE: "From `audit`: not private as claimed, or rejected by the log. From `budget verify`: not intact. "
    "From `paper`: a statement fails.",
    BAD_USE: "Bad use: an option, a parameter or the condition is wrong. Nothing was released.",
    BAD_DATA: "Bad data: the source, or the ledger, does not hold what was declared of it. Nothing was released.",
    BUDGET: "The budget does not cover the request, or is closed. Nothing was charged or released.",
    UNDECIDED: "From `audit`: whether the claim holds could not be decided.",
    FAULT: "A fault in hushcount or in a library it uses.",
    OUTPUT_LOST: "Standard output was closed or full before everything was written to it.",
    INTERRUPTED: "Interrupted with Ctrl-C.",
}
"""What each exit code means, for the reference."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line `arguments` (default: the process's own) and return its exit code."""
    os.environ.pop("_HUSHCOUNT_COMPLETE", None)  # shell completion is off, and would take the command over
    said = io.StringIO()
    try:
        # Held back until all went well: an error leaves nothing on standard output.
        with redirect_stdout(said), warnings.catch_warnings():
            if not sys.warnoptions:
                # A library's warning is neither our one line nor safe: it may quote the data.
                warnings.simplefilter("ignore")
            result = app(arguments, prog_name="hushcount", standalone_mode=False)
        if result == INTERRUPTED:  # how typer reports Ctrl-C
            raise KeyboardInterrupt
        if isinstance(result, Answer):
            return _print(result.text, result.note) or result.code
        # Most subcommands return their text; --help and --version have said it.
        return _print(result if isinstance(result, str) else said.getvalue())
    except typer.TyperException as error:
        return _fail(BAD_USE, _usage(error))
    except BadData as error:
        return _fail(BAD_DATA, _with_notes(error, str(error)))
    except BudgetExceeded as error:
        return _fail(BUDGET, str(error))
    except HushcountError as error:
        return _fail(BAD_USE, _with_notes(error, _in_options(error, sys.argv[1:] if arguments is None else arguments)))
    except KeyboardInterrupt:
        return _fail(INTERRUPTED, "interrupted")
    except ImportError as error:
        return _fail(FAULT, f"the installation is incomplete: {error.name or 'a module'} cannot be imported")
    except Exception as error:
        # Only the type: the message of an unforeseen error may quote the data.
        return _fail(FAULT, f"stopped by an unexpected {type(error).__name__}, which is a fault in hushcount")


def _print(text: str, note: str = "") -> int:
    if sys.stdout is None:
        return _fail(OUTPUT_LOST, "standard output is closed")
    try:
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="backslashreplace")
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # What is still in the buffer would fail again, with a traceback, when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return OUTPUT_LOST
        return _fail(OUTPUT_LOST, f"standard output could not be written: {error.strerror}")
    if note:
        _say(f"note: {note}")
    return 0


def _fail(code: int, message: str) -> int:
    _say(f"error: {message}")
    return code


def _say(message: str) -> None:
    if "://" in message:
        from hushcount.ledger.location import without_credentials

        message = without_credentials(message)
    if sys.stderr is not None:
        print(f"hushcount: {printable(message)}", file=sys.stderr, flush=True)


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
