"""Receipts in files, and the mechanisms of those that were audited."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from hushcount.errors import BadData, BadUse
from hushcount.words.unreadable import unreadable

if TYPE_CHECKING:
    from hushcount.release.receipt import Receipt
    from hushcount.release.table.receipt import TableReceipt
    from hushcount.saved import Saved

__all__ = ["any_receipt", "count_receipt", "mechanism_in", "table_receipt"]

LARGEST_RECEIPT = 2**24
"""The most bytes of the receipt of a count; the predicate may be long."""

LARGEST_TABLE = 2**30
"""The most bytes of the receipt of a table, which has all its counts."""

_TABLE_ENDINGS = (".csv", ".parquet")


def any_receipt(path: str) -> Receipt | TableReceipt:
    """Return the receipt of a count or of a table.

    Raises:
        BadData: the file cannot be read, or holds none.
    """
    return table_receipt(path) or count_receipt(path)


def count_receipt(path: str, given: int = 0) -> Receipt:
    """Return the receipt of a count; `given` is how many are read with --cells, 0 without it."""
    from hushcount.release.receipt import Receipt

    raw = _bytes(path)
    if _is_of_table(raw):
        how = f"one table is read at a time (got {given} receipts)" if given else "it is read with --cells"
        raise BadUse(f"{path} is the receipt of a table: {how}")
    if len(raw) > LARGEST_RECEIPT:
        raise BadData(f"{path}: larger than any receipt ({LARGEST_RECEIPT:,} bytes)")
    try:
        return Receipt.from_json(raw)
    except BadData as error:
        if Path(path).suffix.lower() in _TABLE_ENDINGS:
            rule = "not a receipt: what `hushcount table --output` writes is none, --receipt FILE writes it"
            raise BadData(f"{path}: {rule}") from None
        raise BadData(f"{path}: {error}") from None


def table_receipt(path: str) -> TableReceipt | None:
    """Return the receipt of a table; None if the file holds another kind."""
    from hushcount.release.table.receipt import TableReceipt

    raw = _bytes(path)
    if not _is_of_table(raw):
        return None
    try:
        return TableReceipt.from_json(raw)
    except BadData as error:
        raise BadData(f"{path}: {error}") from None


def _bytes(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            raw = file.read(LARGEST_TABLE + 1)
    except (OSError, ValueError) as error:
        raise BadData(unreadable(path, error)) from None
    if len(raw) > LARGEST_TABLE:
        raise BadData(f"{path}: larger than any receipt ({LARGEST_TABLE:,} bytes)")
    return raw


def _is_of_table(raw: bytes) -> bool:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "keys_sha256" in found


def mechanism_in(path: str) -> Saved:
    """Return a saved mechanism.

    Raises:
        BadUse, BadData: as for `read_mechanism`.
    """
    from hushcount.saved.files import read_mechanism

    return read_mechanism(path)
