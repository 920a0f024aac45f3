"""What all tests share: one Hypothesis profile, and a PostgreSQL server or Spark for those that ask for one."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser as browsers
import postgresql_server
import pytest
import spark_session
import unspelled as unspelled_tables
from hypothesis import settings

# A shell has what it starts in the background ignore Ctrl-C, and so would every process that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Repeatable, and without a clock (machines differ).
settings.register_profile("hushcount", deadline=None, derandomize=True, max_examples=60, print_blob=True)
settings.load_profile("hushcount")

SERVICES = {"server": "postgresql", "spark": "spark", "browser": "browser"}
"""The marker of a test by the fixture it asks for."""


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a service. Tests that need Spark come first: of several workers the first then takes them all,
    and one Java starts. Those that take longest come next."""
    for item in items:
        for fixture, marker in SERVICES.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(marker)
    items.sort(key=lambda item: [item.get_closest_marker(first) is None for first in ("spark", "early")])


@pytest.fixture(params=unspelled_tables.TABLES)
def unspelled(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A Parquet file in which something cannot be spelled."""
    from pyarrow import parquet

    path = tmp_path / "t.parquet"
    parquet.write_table(request.param(), path)
    return path


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The URL of the server, up to the slash before a database."""
    try:
        with postgresql_server.running_server() as url:
            yield url
    except postgresql_server.NotThere as reason:
        # .ci/run sets it: there, no test may be left out.
        (pytest.fail if os.environ.get("POSTGRESQL_REQUIRED") else pytest.skip)(str(reason))


@pytest.fixture
def database(server: str) -> str:
    """The URL of a place of its own in a database: a new, empty schema."""
    import psycopg

    name = f"ledger_{os.urandom(8).hex()}"
    with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}".encode())
    return f"{server}postgres?options=-csearch_path%3D{name}"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a ledger can be made: in a SQLite file, and on the server."""
    return str(tmp_path / "people.ledger" if request.param == "sqlite" else request.getfixturevalue("database"))


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browsers.Browser]:
    """A real browser, of which every request is recorded."""
    try:
        with browsers.running_browser(tmp_path_factory.mktemp("browser")) as found:
            yield found
    except browsers.NotThere as reason:
        (pytest.fail if os.environ.get("BROWSER_REQUIRED") else pytest.skip)(str(reason))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Spark session."""
    try:
        with spark_session.running_spark(str(tmp_path_factory.mktemp("spark"))) as session:
            yield session
    except spark_session.NotThere as reason:
        (pytest.fail if os.environ.get("SPARK_REQUIRED") else pytest.skip)(str(reason))
