"""A released table: each count with its confidence set, beside its key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hushcount.errors import InvalidParameter, TooLarge, type_of
from hushcount.figures.fonts import legible
from hushcount.figures.legend import legend
from hushcount.figures.scale import scale_top
from hushcount.figures.style import COLOURS, PALE, axes_or_new, axis_names, counted, in_fixed_style, titled, widen
from hushcount.inputs.arguments import one_of
from hushcount.numbers.text import plain_at_most
from hushcount.reading.sets import sets_of
from hushcount.release.table.names import CellNames
from hushcount.release.table.receipt import TableReceipt
from hushcount.words.printable import capital, printable, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hushcount.mechanisms import Mechanism
    from hushcount.numbers.exact import Number

__all__ = ["KINDS", "MOST_CELLS", "fitting_size", "plot_table"]

KINDS = ("dots", "bars")
"""How a released count is drawn."""

MOST_CELLS = 150
"""The most cells of one picture, 39 inches of it."""

_WIDTH, _AROUND, _EACH = 6.4, 1.9, 0.24
"""The width of a picture in inches, the height around the cells, and that of each."""

_LONGEST_KEY = 36
_TEXT, _OF_HEIGHT = 8.3, 0.5
"""The points of a key and a count, and what all of them together may take of a figure's height."""

_NEAR = 1.5
"""The axis goes to the largest possible count, if that is at most so many times what is drawn."""

_SET: dict[str, Any] = {
    **{"color": COLOURS[1], "linewidth": 2.0, "solid_capstyle": "butt"},
    **{"marker": "|", "markersize": 11.0, "markeredgewidth": 2.0},  # caps that stand out above and below the dot
}
_DOT: dict[str, Any] = {
    **{"color": COLOURS[0], "marker": "o", "markersize": 5.5, "linestyle": "none"},
    **{"markeredgecolor": "white", "markeredgewidth": 0.7},
}
_ARROW: dict[str, Any] = {"marker": ">", "markersize": 6.0, "linestyle": "none", "clip_on": False}
_BEYOND: dict[str, Any] = {"color": COLOURS[1], **_ARROW}
_BEYOND_SCALE: dict[str, Any] = {"color": COLOURS[0], **_ARROW}


def fitting_size(cells: int) -> tuple[float, float]:
    """Return the size in inches of a picture in which so many cells are legible."""
    return _WIDTH, _AROUND + _EACH * cells


@in_fixed_style
def plot_table(
    receipt: TableReceipt,
    ax: Axes | None = None,
    *,
    level: Number = "0.95",
    simultaneous: bool = False,
    kind: str = "dots",
    first: int = 1,
    last: int | None = None,
    mechanism: Mechanism | None = None,
    title: str | None = None,
    missing_label: str | None = None,
) -> Axes:
    """Draw the released counts of a table from top to bottom, with their confidence sets and the keys as labels.

    Sets of groups that come from the data cover the true count given that the group is shown, as the legend says. The
    released count also stands at the right as a number. Under add-remove an arrow marks a set that goes beyond the
    declared maximum. Another arrow marks the cell of all other keys where it would press the declared ones together.

    Args:
        receipt: the receipt of a table; one without keys has numbers as labels.
        ax: where to draw; by default the axes of a new figure, as high as the cells need.
        level, simultaneous, mechanism: as for `interpret_table`.
        kind: dots, or bars from 0.
        first, last: the cells to draw, counted from 1; by default all. At most 150.
        title: above the picture, as it is; "" for none. By default the question and the promise.
        missing_label: what a missing key is called; by default "(missing)".

    Returns:
        The axes.

    Raises:
        InvalidParameter: a bad argument, naming it; a label that is a key; a key in characters that no installed font
            has.
        TooLarge: more than 150 cells.
        BadUse, BadData: as for `interpret_table`; matplotlib is not installed.
    """
    if not isinstance(receipt, TableReceipt):
        raise InvalidParameter("receipt", type_of(receipt), "the receipt of a table; TableReceipt.from_json reads one")
    one_of(kind, "kind", KINDS)
    if not receipt.released:
        raise InvalidParameter("receipt", None, "one of a table with counts: no group of this one is shown")
    cells = _chosen(len(receipt.released), first, last)
    names = receipt.names.with_missing(missing_label)
    sets = sets_of(receipt, level, simultaneous=simultaneous, mechanism=mechanism)
    highest = [max(receipt.released[cell], sets[cell].confidence_set[-1][1]) for cell in cells]
    most, top = scale_top(highest, receipt.other if cells[-1] == receipt.cells else None), max(receipt.tops)
    end = top if top <= _NEAR * most else 1.02 * most
    ax = axes_or_new(ax, fitting_size(len(cells)))
    entries: dict[str, Any] = {}
    for place, cell in enumerate(cells):
        count, is_beyond = receipt.released[cell], receipt.released[cell] > end
        if kind == "bars":
            entries["released count"] = ax.barh(
                place, min(count, end), height=0.72, color=PALE, edgecolor=COLOURS[0], linewidth=0.6
            )
        if is_beyond:
            (entries["beyond the scale"],) = ax.plot([end], [place], **_BEYOND_SCALE)
            continue
        spans = sets[cell].confidence_set
        for first_count, last_count in spans:
            (line,) = ax.plot([first_count - 0.15, last_count + 0.15], [place, place], **_SET)
            entries[sets.full_name] = line
        if receipt.adjacency == "add-remove" and spans and spans[-1][1] == receipt.tops[cell]:
            (entries["or more"],) = ax.plot([spans[-1][1]], [place], **_BEYOND)
        if kind == "dots":
            (entries["released count"],) = ax.plot([count], [place], **_DOT)
    _axes(ax, receipt, names, cells, end)
    legend(ax, [(artist, name) for name, artist in entries.items()])
    promise = f"{receipt.price.in_words(plain_at_most)}, {receipt.adjacency}, for the table"
    promise += "" if receipt.public_total is None else f"; one draw: both add up to {receipt.public_total:,}"
    titled(ax, title, "\n".join([capital(receipt.asked), promise, *receipt.guarantee.limited]))
    return ax


def _chosen(count: int, first: int, last: int | None) -> range:
    end = count if last is None else last
    if not (isinstance(first, int) and isinstance(end, int) and 1 <= first <= end <= count):
        raise InvalidParameter("cells", f"{first}:{end}", f"FIRST:LAST, from 1 to {count}, the number of cells")
    if not end - first < MOST_CELLS:
        raise TooLarge(f"a picture has at most {MOST_CELLS} cells (got {end - first + 1:,}); choose some of them")
    return range(first - 1, end)


def _axes(ax: Axes, receipt: TableReceipt, names: CellNames, cells: Sequence[int], end: float) -> None:
    """Name cells and axis, and write the released counts at the right."""
    widen(ax, (-0.02 * max(end, 1), 1.02 * max(end, 1)), (len(cells) - 0.4, -0.6))
    ax.set_yticks(range(len(cells)), [shortened(names.label(cell), _LONGEST_KEY) for cell in cells])
    size = min(_TEXT, _OF_HEIGHT * ax.figure.bbox.height / ax.figure.dpi * 72 / len(cells))
    for label in ax.get_yticklabels():
        legible(label, "the key")
    for place, cell in enumerate(cells):
        ax.annotate(
            f"{receipt.released[cell]:,}",
            (1.0, place),
            (4, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
            fontsize=size,
        )
    counted(ax.xaxis, end)
    ax.grid(visible=True, axis="x", linewidth=0.4, color="#cccccc")
    ax.set_axisbelow(True)
    axis_names(
        ax,
        "rows" if receipt.unit is None or receipt.unit.rows_per_unit else f"units ({printable(receipt.unit.column)})",
        "",
    )
    ax.tick_params(axis="y", length=0, labelsize=size)
