"""Text and tables in HTML; whatever comes from outside is escaped here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape

from hushcount.words.printable import printable

__all__ = ["escaped", "markup_table"]


def escaped(text: str) -> str:
    """Return text for HTML, between tags or in an attribute in quotes: no markup, and no control character."""
    return escape(printable(text))


def markup_table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], headings: int, to_right: Collection[int] = ()
) -> str:
    """Return a table.

    Args:
        caption: what the table shows.
        head: the names of the columns.
        rows: the cells, each a text.
        headings: how many columns, from the left, tell what a row is about.
        to_right: the columns that are aligned to the right, as numbers are.
    """

    def line(cells: Sequence[str], scopes: Sequence[str]) -> str:
        made = []
        for place, (cell, scope) in enumerate(zip(cells, scopes, strict=True)):
            tag = f'th scope="{scope}"' if scope else "td"
            style = "right" if place in to_right else "left"
            made.append(f'<{tag} style="text-align:{style}">{escaped(cell)}</{tag[:2]}>')
        return f"<tr>{''.join(made)}</tr>\n"

    width = len(head)
    body = "".join(line(row, ["row"] * headings + [""] * (width - headings)) for row in rows)
    return (
        f"<table>\n<caption>{escaped(caption)}</caption>\n<thead>\n{line(head, ['col'] * width)}</thead>\n"
        f"<tbody>\n{body}</tbody>\n</table>\n"
    )
