"""Names and texts as standard SQL spells them."""

from __future__ import annotations

__all__ = ["quoted_name", "quoted_text"]


def quoted_name(name: str) -> str:
    """`name` as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """`text` as an SQL string."""
    return "'" + text.replace("'", "''") + "'"
