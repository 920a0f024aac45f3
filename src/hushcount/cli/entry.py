"""Run one command line: text to standard output, or one line to standard error, and an exit code.

No error shows a traceback: its lines could hold cells of the data.
"""

from __future__ import annotations

import io
import re
import sys
import warnings
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import Any

import typer

from hushcount.cli.answer import Answer
from hushcount.cli.completion import completions, is_asked
from hushcount.cli.exit_codes import BAD_DATA, BAD_USE, BUDGET, INTERRUPTED, OUTPUT_LOST
from hushcount.cli.progress import sign_of_life
from hushcount.cli.saying import fail, printed, say
from hushcount.cli.standard_input import remove_spooled
from hushcount.cli.tree import command, named
from hushcount.errors import BadData, BudgetExceeded, HushcountError, InvalidParameter

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; see `hushcount.cli.main`, which handles Ctrl-C and unforeseen errors."""
    typed = sys.argv[1:] if arguments is None else arguments
    if is_asked(typed):
        return _print(completions(command()))
    said = io.StringIO()
    try:
        # Held back until all went well: an error leaves nothing on standard output.
        with redirect_stdout(said), warnings.catch_warnings(), sign_of_life():
            if not sys.warnoptions:
                # A library's warning is not our one line, and not safe: it may quote the data.
                warnings.simplefilter("ignore")
            result = command()(typed, prog_name="hushcount", standalone_mode=False)
        if result == INTERRUPTED:  # how typer reports Ctrl-C
            raise KeyboardInterrupt
        if isinstance(result, Answer):
            return _print(result.text, result.note) or result.code
        # Most subcommands return their text; --help and --version have printed it.
        return _print(result if isinstance(result, str) else said.getvalue())
    except typer.TyperException as error:
        return fail(BAD_USE, _usage(error))
    except BadData as error:
        return fail(BAD_DATA, _with_notes(error, str(error)))
    except BudgetExceeded as error:
        return fail(BUDGET, str(error))
    except HushcountError as error:
        return fail(BAD_USE, _with_notes(error, _in_options(error, typed)))
    finally:
        remove_spooled()


def _print(text: str, note: str = "") -> int:
    if sys.stdout is None:
        return fail(OUTPUT_LOST, "standard output is closed")
    error = printed(text)
    if error is not None:
        if isinstance(error, BrokenPipeError):  # the reader wants no more
            return OUTPUT_LOST
        return fail(OUTPUT_LOST, f"standard output could not be written: {error.strerror}")
    if note:
        say(f"note: {note}")
    return 0


def _usage(error: typer.TyperException) -> str:
    # What only resembles it hides what it is the beginning of
    typed, alike = getattr(error, "option_name", ""), getattr(error, "possibilities", None) or ()
    if any(each.startswith(typed) for each in alike):
        error.possibilities = [each for each in alike if each.startswith(typed)]  # type: ignore[attr-defined]
    message = error.format_message().strip().removesuffix(".")
    context = getattr(error, "ctx", None)
    command = "hushcount" if context is None else context.command_path
    return f"{message[:1].lower()}{message[1:]} (see '{command} --help')"


def _with_notes(error: HushcountError, message: str) -> str:
    return "; ".join([message, *getattr(error, "__notes__", ())])


def _in_options(error: HushcountError, arguments: Sequence[str]) -> str:
    """Return the error with an argument's name as it is typed: `--max must be ...` for `max_count must be ...`,
    `SOURCE must be ...` for a positional one."""
    message = str(error)
    if isinstance(error, InvalidParameter) and message.startswith(error.argument):
        found = [spelling for each in named(arguments).params if (spelling := _spelled(each, error.argument))]
        typed = {word.partition("=")[0] for word in arguments}
        rest = _OTHER.sub(lambda other: _option(other, arguments), message.removeprefix(error.argument))
        if found:
            return f"{next((each for each in found if each in typed), found[0])}{rest}"
        return f"{error.argument}{rest}"
    return message


_OTHER = re.compile(r"`([a-z_]+)`")
"""Another argument that a rule names."""


def _option(other: re.Match[str], arguments: Sequence[str]) -> str:
    found = [spelling for each in named(arguments).params if (spelling := _spelled(each, other[1]))]
    return found[0] if found else other[0]


def _spelled(parameter: Any, argument: str) -> str:
    """Return how a parameter of a command is typed, if it is the `argument`; of a positional one the word in the
    help."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar) if parameter.name == argument and parameter.metavar.isupper() else ""
    spelling: str = max(parameter.opts, key=len)
    word = spelling.strip("-")
    return spelling if argument in (parameter.name, word, word.removeprefix("non-")) else ""
