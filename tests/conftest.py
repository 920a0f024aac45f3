"""What all tests share: one Hypothesis profile, and a PostgreSQL server for those that ask for one."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings
from postgresql_server import NotThere, running_server

# Repeatable, and without a clock (machines differ).
settings.register_profile("hushcount", deadline=None, derandomize=True, max_examples=60, print_blob=True)
settings.load_profile("hushcount")


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The URL of the server, up to the slash before a database."""
    try:
        with running_server() as url:
            yield url
    except NotThere as reason:
        # .ci/run sets it: there, no test of the ledger may be left out.
        (pytest.fail if os.environ.get("POSTGRESQL_REQUIRED") else pytest.skip)(str(reason))


@pytest.fixture
def database(server: str) -> str:
    """The URL of a place of its own in a database: a new, empty schema."""
    from sqlalchemy import NullPool, create_engine, text

    name = f"ledger_{os.urandom(8).hex()}"
    engine = create_engine(f"{server}postgres".replace("postgresql", "postgresql+psycopg", 1), poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
    return f"{server}postgres?options=-csearch_path%3D{name}"
