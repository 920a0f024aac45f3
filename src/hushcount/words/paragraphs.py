"""Paragraphs in lines that fit on any terminal."""

from __future__ import annotations

import textwrap

__all__ = ["LABEL", "WIDTH", "dashed", "labelled", "row", "wrapped"]

WIDTH = 78
"""The most characters of a line."""

LABEL = 12
"""Characters of the names on the left."""


def wrapped(paragraph: str, *, first: str = "", rest: str = "", width: int = WIDTH) -> str:
    """Return a paragraph in lines of at most `width` characters, longer words aside.

    Args:
        first, rest: the beginning of the first line and of the others.
    """
    return textwrap.fill(
        paragraph, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False, break_long_words=False
    )


def row(name: str, text: str, label: int = LABEL) -> str:
    """Return a line, however long, beside its name, for which there are `label` characters."""
    return f"{name:<{label}}{text}"


def labelled(name: str, paragraph: str) -> str:
    """Return a paragraph beside its name."""
    return wrapped(paragraph, first=name.ljust(LABEL), rest=" " * LABEL)


def dashed(paragraph: str, width: int = WIDTH) -> str:
    """Return a paragraph as the item of a list."""
    return wrapped(paragraph, first="- ", rest="  ", width=width)
