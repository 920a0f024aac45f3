"""Receipts of releases that could have happened, with any released count, for the tests that read them."""

from __future__ import annotations

import uuid
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from hushcount.counting import ReadOptions
from hushcount.mechanisms import Mechanism
from hushcount.promise.adjacency import Adjacency
from hushcount.release.guarantee import figures, offered
from hushcount.release.receipt import SCHEMA_VERSION, Reading, Receipt


def receipt_of(
    mechanism: str | Mechanism, n: int, epsilon: Any, delta: Any = 0, *, released: int, adjacency: str = "replace-one"
) -> Receipt:
    """The receipt that a release writes, with a count that was not drawn."""
    law = offered(mechanism, epsilon, delta)(n)
    return Receipt.model_validate(
        {
            **asdict(figures(law, Adjacency(adjacency))),
            "schema_version": SCHEMA_VERSION,
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
