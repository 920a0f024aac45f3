"""Tables in plain text."""

from __future__ import annotations

from collections.abc import Collection, Sequence

__all__ = ["aligned"]


def aligned(rows: Sequence[Sequence[str]], to_right: Collection[int] = ()) -> list[str]:
    """Return a line for each row, its columns two blanks apart, without blanks at the end.

    Args:
        rows: rows with the same number of cells.
        to_right: the columns that are aligned to the right, as numbers are.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place in to_right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
