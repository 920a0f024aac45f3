"""What to type at a command line, as the shell will read it."""

from __future__ import annotations

import shlex

from hushcount.words.printable import printable

__all__ = ["as_option"]


def as_option(name: str, value: str) -> str:
    """Return the option `--name value`, quoted so that a shell passes the value on as it is."""
    return f"--{name} {printable(shlex.quote(value))}"
