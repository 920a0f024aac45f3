"""Receipts of releases that could have happened, with any released count, for the tests that read them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from hushcount.counting import ReadOptions
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.keys import Keys
from hushcount.mechanisms import Mechanism
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.given import promise_of
from hushcount.release.guarantee import Guarantee
from hushcount.release.law import Law
from hushcount.release.receipt import Reading, Receipt, version_of
from hushcount.release.table.guarantee import TableGuarantee
from hushcount.release.table.receipt import TableReceipt


def receipt_of(
    mechanism: str | Mechanism,
    n: int,
    epsilon: Any,
    delta: Any = 0,
    *,
    released: int,
    adjacency: str = "replace-one",
    **said: Any,
) -> Receipt:
    """The receipt that a release writes, with a count that was not drawn."""
    law = Law.of(mechanism, promise_of(epsilon, delta))
    facts = Guarantee.of(law, law.at(n), Adjacency(adjacency)).to_fields()
    version = version_of(law.promise, law.name)
    return Receipt.model_validate(
        {**facts, **_COMMON, "receipt_id": uuid.uuid4(), "schema_version": version, "released": released, **said}
    )


def table_receipt_of(
    by: Sequence[str],
    keys: Sequence[Any],
    released: Sequence[int],
    n: int,
    epsilon: Any = 1,
    *,
    mechanism: str | Mechanism = "nearest",
    adjacency: str = "replace-one",
    **said: Any,
) -> TableReceipt:
    """The receipt of a table with counts that were not drawn; one more count than keys is that of all others."""
    law, declared = Law.of(mechanism, promise_of(epsilon, 0)), Keys.of(by, keys)
    cells = Cells(declared, "other" if len(released) > len(keys) else "left-out")
    price = law.promise.of_cells(Adjacency(adjacency).changed_cells(1, len(cells)))
    guarantee = TableGuarantee.of(law, Adjacency(adjacency), cells, price, np.full(1, n), has_totals=False)
    facts: dict[str, Any] = {
        "by": tuple(by),
        "keys_sha256": declared.sha256,
        "schema_version": version_of(law.promise, law.name),
    }
    facts["receipt_id"] = uuid.uuid4()
    return TableReceipt.model_validate(
        {**guarantee.to_fields(), **_COMMON, **facts, "released": tuple(released), **said}
    ).naming(declared)


_COMMON: dict[str, Any] = {
    "where": "age >= 65",
    "predicate": "age >= 65",
    "source": "people.csv",
    "table": None,
    "reading": Reading.of(ReadOptions()),
    "hushcount_version": "0.1.0",
    "released_at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    "ledger": None,
}


def without_keys(receipt: TableReceipt) -> TableReceipt:
    """The receipt as an earlier version wrote it, and as a ledger keeps it."""
    version = version_of(receipt.promise, receipt.mechanism)
    return TableReceipt.model_validate(receipt.model_dump(round_trip=True) | {"keys": None, "schema_version": version})
