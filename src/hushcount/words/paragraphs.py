"""Paragraphs in lines that fit on any terminal."""

from __future__ import annotations

import textwrap

__all__ = ["LABEL", "WIDTH", "dashed", "labelled", "row", "wrapped"]

WIDTH = 78
"""Characters of a line."""

LABEL = 12
"""Characters of the names on the left."""


def wrapped(paragraph: str, *, first: str = "", rest: str = "", width: int = WIDTH) -> str:
    """A paragraph in lines of at most `width` characters, longer words aside.

    Args:
        first, rest: what the first line and the others begin with.
    """
    return textwrap.fill(
        paragraph, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False, break_long_words=False
    )


def row(name: str, text: str) -> str:
    """A line, however long, beside its name."""
    return f"{name:<{LABEL}}{text}"


def labelled(name: str, paragraph: str) -> str:
    """A paragraph beside its name."""
    return wrapped(paragraph, first=name.ljust(LABEL), rest=" " * LABEL)


def dashed(paragraph: str, width: int = WIDTH) -> str:
    """A paragraph as the item of a list."""
    return wrapped(paragraph, first="- ", rest="  ", width=width)
