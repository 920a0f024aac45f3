"""A number with its noun."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str) -> str:
    """`1 cell`, `1,234 cells`: of nouns that take an s."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
