"""A table before it is asked for: what it costs and how well it does, without a look at any value."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import numpy as np

from hushcount.counting.cells.keys import Keys
from hushcount.numbers.exact import exact_text
from hushcount.promise.adjacency import Adjacency
from hushcount.release.count.preview import price_lines
from hushcount.release.explanation import Asked, printable, question, row
from hushcount.release.table.request import TableRequest, TableSettled
from hushcount.release.table.text import TableFacts, chance_lines, price_rows, promised

if TYPE_CHECKING:
    from hushcount.release.payment import Payment

__all__ = ["preview"]

_KEYS_SHOWN = 5
_LONGEST = 66


def preview(request: TableRequest, range_of_mechanism: int | None = None, payment: Payment | None = None) -> str:
    """The text about a table that is not released; ends without a newline. Costs nothing.

    Keys and options were judged with the request. Here the source is opened, and its columns are: their names, and
    their types where the source itself declares them. No row is counted. So under replace-one the number of rows is not
    known, and the chances only where the ranges do not depend on it.

    Args:
        range_of_mechanism: of one that was brought along: the number of rows, or the maximum, must be that.
        payment: the ledger and the budget that would be charged, if there are any; they are read only.

    Raises:
        BadUse, BadData: as a release does before it counts; also a budget that does not exist or has another adjacency.
    """
    with request.open():
        pass
    settled = _settled(request, range_of_mechanism)
    figures = TableSettled.of(request, None, np.ones(1, dtype=np.int64)) if settled is None else settled
    if payment is not None:
        payment.check(figures)
    facts = cast(TableFacts, SimpleNamespace(**figures.promised))
    asked = SimpleNamespace(source=request.source, table=request.options.table, unit=request.unit, where=request.where)
    by = printable(", ".join(request.cells.keys.by))
    return "\n".join(
        [
            f"Table, not released: {_cells(request)}",
            "No value was read, and nothing was charged.",
            "",
            row("Question", f"{question(cast(Asked, asked))}, by {by}"),
            row("Keys", _some(request.cells.keys)),
            row("Meaning", _meaning(request.cells.keys, request.options.types)),
            row("Range", _range(request)),
            *price_rows(facts),
            *price_lines(request.promise.table, payment),
            "",
            *(_unknown(request) if settled is None else chance_lines(facts)),
            "",
            *promised(facts),
        ]
    )


def _settled(request: TableRequest, range_of_mechanism: int | None) -> TableSettled | None:
    """The table as it is settled if there are rows enough; None if its ranges depend on their number."""
    if request.adjacency is Adjacency.ADD_REMOVE:
        return request.settled(0)
    common = range_of_mechanism if request.max_count is None else request.max_count
    known = [] if request.totals is None else [int(request.totals.max())]
    if common is None and (not known or request.cells.keeps_other):
        return None
    return request.settled(max([*known, *([] if common is None else [common])]))


def _cells(request: TableRequest) -> str:
    cells = len(request.cells.keys)
    other = ", and one for all other keys" if request.cells.keeps_other else ""
    return f"{cells:,} {'cell' if cells == 1 else 'cells'}{other}"


def _some(keys: Keys) -> str:
    """The first keys, on one line."""
    shown = "; ".join(printable(", ".join(keys.shown(cell))) for cell in range(min(len(keys), _KEYS_SHOWN)))
    if len(keys) <= _KEYS_SHOWN and len(shown) <= _LONGEST:
        return shown
    return f"{shown[: _LONGEST - 4]} ..."


def _meaning(keys: Keys, pinned: Mapping[str, str]) -> str:
    """What the keys are taken for, where a declaration of the source does not say otherwise."""
    told = [f"{printable(name)}: {words}" for name, words in keys.meaning(pinned).items()]
    return "; ".join(told)


def _range(request: TableRequest) -> str:
    what = "rows" if request.unit is None else "units"
    cap = request.max_count
    if request.adjacency is Adjacency.ADD_REMOVE:
        common = f"{cap}"
    else:
        common = f"the number of {what}" if cap is None else f"{cap}, or the number of {what} if that is less"
    if request.totals is None:
        return f"0 to {common}, in every cell"
    other = f", and 0 to {common} for all other keys" if request.cells.keeps_other else ""
    return f"0 to the known total of each cell{other}"


def _unknown(request: TableRequest) -> list[str]:
    what = "rows" if request.unit is None else "units"
    cell = request.promise.cell
    price = f"--epsilon {exact_text(cell.epsilon)}" + (f" --delta {exact_text(cell.delta)}" if cell.delta else "")
    return [
        f"How often a count is off depends on the number of {what}; for N of them, see",
        f"  hushcount explain --n N {price}",
    ]
