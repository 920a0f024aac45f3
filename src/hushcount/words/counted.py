"""A number with its noun."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str) -> str:
    """Return `1 cell` or `1,234 cells`, for nouns that take an s."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
