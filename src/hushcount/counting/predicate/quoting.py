"""Names and texts as standard SQL spells them."""

from __future__ import annotations

import re

__all__ = ["is_plain_name", "quoted_name", "quoted_text"]

_PLAIN_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")


def is_plain_name(name: str) -> bool:
    """Return whether a name, if it is no SQL word, needs no quotes."""
    return _PLAIN_NAME.fullmatch(name) is not None


def quoted_name(name: str) -> str:
    """Return `name` as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """Return `text` as an SQL string."""
    return "'" + text.replace("'", "''") + "'"
