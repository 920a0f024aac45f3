"""The confidence sets of a receipt, of a count or of all cells of a table, and nothing else that can be read in it."""

from __future__ import annotations

from hushcount.mechanisms import Mechanism
from hushcount.numbers.exact import Number
from hushcount.reading.cells import CellSets, cell_sets
from hushcount.reading.confidence import checked_level
from hushcount.reading.law import law_of, laws_of
from hushcount.release.receipt import Receipt
from hushcount.release.table.receipt import TableReceipt

__all__ = ["sets_of"]


def sets_of(
    receipt: Receipt | TableReceipt,
    level: Number,
    *,
    simultaneous: bool = False,
    mechanism: Mechanism | None = None,
) -> CellSets:
    """Return a confidence set for each released count, as `interpret_table` does; a count is a single cell.

    Raises:
        InvalidParameter, BadUse, BadData, TooLarge: as for `interpret_table`.
    """
    wanted = checked_level(level)
    if isinstance(receipt, TableReceipt):
        is_found = receipt.keys_from is not None
        laws = laws_of(receipt, mechanism)
        one_draw = receipt.public_total is not None
        return cell_sets(
            laws, receipt.released, receipt.tops, wanted, simultaneous, one_draw=one_draw, if_shown=is_found
        )
    law = law_of(receipt, mechanism)
    return cell_sets({law.n: law}, [receipt.released], [law.n], wanted, simultaneous)
