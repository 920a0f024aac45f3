"""Text and tables in HTML; whatever comes from outside is escaped here."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from html import escape

from hushcount.words.printable import printable

__all__ = ["escaped", "markup_table", "unbroken"]

_SHORT, _LONG = 14, 24
"""A key of at most so many characters stands on one line; a word of more may be broken anywhere."""
_WITH_HYPHEN = re.compile(rf"(?<!\S)(?=\S{{1,{_SHORT}}}(?!\S))\S+-\S+")


def escaped(text: str) -> str:
    """Return text for HTML, between tags or in an attribute in quotes: no markup, and no control character."""
    return escape(printable(text))


def unbroken(text: str) -> str:
    """Return text for HTML in which short words with a hyphen, such as 0-17, are not broken after it."""
    return _WITH_HYPHEN.sub(r'<span style="white-space:nowrap">\g<0></span>', escaped(text))


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
            style = f"text-align:{'right' if place in to_right else 'left'}{_breaks(cell, scope == 'row')}"
            made.append(f'<{tag} style="{style}">{escaped(cell)}</{tag[:2]}>')
        return f"<tr>{''.join(made)}</tr>\n"

    width = len(head)
    body = "".join(line(row, ["row"] * headings + [""] * (width - headings)) for row in rows)
    return (
        f"<table>\n<caption>{escaped(caption)}</caption>\n<thead>\n{line(head, ['col'] * width)}</thead>\n"
        f"<tbody>\n{body}</tbody>\n</table>\n"
    )


def _breaks(cell: str, is_key: bool) -> str:
    """Return where a line of a cell may end, if not as elsewhere on the page."""
    if is_key and len(cell) <= _SHORT:
        return ";white-space:nowrap"
    return "" if any(len(word) > _LONG for word in cell.split()) else ";overflow-wrap:normal"
