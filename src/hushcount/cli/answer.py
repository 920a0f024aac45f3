"""What a subcommand hands to `entry.main` when its exit code is part of the answer."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Answer"]


@dataclass(frozen=True)
class Answer:
    """Text for standard output, and the exit code once it is written."""

    text: str
    code: int
