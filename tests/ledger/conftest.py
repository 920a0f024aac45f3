"""Where the ledgers of the tests are: in a SQLite file, and on a real PostgreSQL server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hushcount.ledger import Ledger, create_budget


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "people.ledger")


@pytest.fixture
def budget(place: str) -> Callable[..., Ledger]:
    """Makes a ledger with the budget `people` of so much epsilon and delta."""

    def budget(epsilon: object, delta: object = 0, **terms: str) -> Ledger:
        create_budget(place, "people", epsilon, delta, **terms)
        return Ledger(place)

    return budget
