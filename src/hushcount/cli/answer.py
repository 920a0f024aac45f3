"""What a subcommand hands to `entry.main` when there is more to its answer than text."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Answer"]


@dataclass(frozen=True)
class Answer:
    """Text for standard output; the exit code and a note for standard error, once it is written."""

    text: str
    code: int = 0
    note: str = ""
