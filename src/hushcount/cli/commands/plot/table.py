"""`hushcount plot table`: a released table with its confidence sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from hushcount.cli.options.groups import PICTURE, QUESTION, SOURCE
from hushcount.cli.options.output import MissingLabel
from hushcount.cli.options.picture import Canvas
from hushcount.cli.options.values import whole
from hushcount.cli.receipts import mechanism_in, table_receipt
from hushcount.errors import BadData, InvalidParameter

__all__ = ["table"]


@dataclass(frozen=True)
class _Tall(Canvas):
    """A canvas that is as high as what is drawn needs."""

    size: Annotated[
        str,
        PICTURE.option(
            metavar="WIDTHxHEIGHT",
            help="The size in inches, each from 2 to 40; a PNG has 200 dots per inch.",
            show_default="6.4 wide, and as high as the cells need",
        ),
    ] = ""


def table(
    receipt: Annotated[
        str,
        SOURCE.argument(metavar="RECEIPT", help="The receipt of a table, as `table --receipt` or `--json` writes it."),
    ],
    canvas: _Tall,
    level: Annotated[
        str, QUESTION.option(metavar="NUMBER", help="The level of the confidence sets, > 0 and < 1, taken exactly.")
    ] = "0.95",
    together: Annotated[
        bool,
        QUESTION.option(
            "--together", help="Make --level the probability that the sets of all cells hold, as interpret."
        ),
    ] = False,
    cells: Annotated[
        str | None,
        QUESTION.option(
            metavar="FIRST:LAST", help="The cells to draw, counted from 1; at most 150.", show_default="all"
        ),
    ] = None,
    kind: Annotated[
        str, PICTURE.option(metavar="dots|bars", help="Draw a released count as a dot, or as a bar from 0.")
    ] = "dots",
    missing_label: MissingLabel = None,
    mechanism: Annotated[
        str | None,
        SOURCE.option(metavar="FILE", help="For a receipt of an audited mechanism: the file of the mechanism."),
    ] = None,
) -> str:
    """Draw the counts of a table with their confidence sets.

    Uses the receipt alone: it reads no data and costs no budget. The picture is as high as the cells need.

    Example: hushcount plot table receipt.json --output table.png
    """
    from hushcount.figures.table import MOST_CELLS, fitting_size, plot_table

    found = table_receipt(receipt)
    if found is None:
        raise BadData(f"{receipt}: not the receipt of a table, which `hushcount table --receipt FILE` writes")
    first, last = _ends(cells, len(found.released))
    width, height = fitting_size(min(max(last - first + 1, 1), MOST_CELLS))
    fitting = Canvas(canvas.output, canvas.title, canvas.size or f"{width}x{height:.2f}")
    inputs = [receipt] if mechanism is None else [receipt, mechanism]
    return fitting.picture(*inputs).draw(
        plot_table,
        found,
        level=level,
        simultaneous=together,
        kind=kind,
        first=first,
        last=last,
        missing_label=missing_label,
        mechanism=None if mechanism is None else mechanism_in(mechanism),
    )


def _ends(cells: str | None, count: int) -> tuple[int, int]:
    if cells is None:
        return 1, count
    first, colon, last = cells.partition(":")
    if not colon:
        raise InvalidParameter("cells", cells, "FIRST:LAST, such as 1:100")
    return whole(first, "cells"), whole(last, "cells")
