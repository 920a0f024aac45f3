"""Text from outside on one line of a terminal."""

from __future__ import annotations

__all__ = ["capital", "printable", "shortened"]


def printable(text: str) -> str:
    """Return `text` on one line: line breaks, terminal controls and undecodable bytes become escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def shortened(text: str, longest: int) -> str:
    """Return printable text, cut to `longest` characters, of which the last three then are dots."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def capital(text: str) -> str:
    """Return `text` as a sentence or a title begins, the first letter in upper case."""
    return text[:1].upper() + text[1:]
