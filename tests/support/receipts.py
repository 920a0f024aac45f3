"""Receipts of releases that could have happened, with any released count, for the tests that read them."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any

from hushcount.counting import ReadOptions
from hushcount.mechanisms import Mechanism
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.given import promise_of
from hushcount.release.guarantee import Guarantee
from hushcount.release.law import Law
from hushcount.release.receipt import Reading, Receipt, version_of
from hushcount.release.table.receipt import TableReceipt


def receipt_of(
    mechanism: str | Mechanism, n: int, epsilon: Any, delta: Any = 0, *, released: int, adjacency: str = "replace-one"
) -> Receipt:
    """The receipt that a release writes, with a count that was not drawn."""
    law = Law.of(mechanism, promise_of(epsilon, delta))
    return Receipt.model_validate(
        {
            **Guarantee.of(law, law.at(n), Adjacency(adjacency)).to_fields(),
            "schema_version": version_of(law.promise, law.name),
            "released": released,
            "where": "age >= 65",
            "predicate": "age >= 65",
            "source": "people.csv",
            "table": None,
            "reading": Reading.of(ReadOptions()),
            "hushcount_version": "0.1.0",
            "released_at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
            "receipt_id": uuid.uuid4(),
            "ledger": None,
        }
    )


def without_keys(receipt: TableReceipt) -> TableReceipt:
    """The receipt as an earlier version wrote it, and as a ledger keeps it."""
    version = version_of(receipt.promise, receipt.mechanism)
    return TableReceipt.model_validate(receipt.model_dump(round_trip=True) | {"keys": None, "schema_version": version})
