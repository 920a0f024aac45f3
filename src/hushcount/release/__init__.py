"""Release: from a source and a question to a private count and its receipt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hushcount.release.count import release_count
    from hushcount.release.receipt import Receipt
    from hushcount.release.session import Session
    from hushcount.release.table import release_table
    from hushcount.release.table_receipt import TableReceipt

__all__ = ["Receipt", "Session", "TableReceipt", "release_count", "release_table"]


def __getattr__(name: str) -> object:
    # Late, so that the words and figures of a release are there without the libraries that read data or keep a ledger.
    if name == "release_count":
        from hushcount.release.count import release_count

        return release_count
    if name == "Receipt":
        from hushcount.release.receipt import Receipt

        return Receipt
    if name == "Session":
        from hushcount.release.session import Session

        return Session
    if name == "release_table":
        from hushcount.release.table import release_table

        return release_table
    if name == "TableReceipt":
        from hushcount.release.table_receipt import TableReceipt

        return TableReceipt
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
