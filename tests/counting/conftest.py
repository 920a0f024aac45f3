"""Files and databases to count in, made on the spot."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from hushcount.counting import ReadOptions, Tally, count_matching

Write = Callable[..., Path]
Count = Callable[..., Tally]
Run = Callable[..., None]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write text (as UTF-8, line ends untouched) or bytes to a file and return its path."""

    def writer(content: str | bytes, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return writer


@pytest.fixture
def count(write: Write) -> Count:
    """Count in a CSV given as text or bytes, under options given by name."""

    def counter(content: str | bytes, where: str, **options: object) -> Tally:
        return count_matching(write(content), where, ReadOptions(**options))

    return counter


@pytest.fixture
def url(server: str) -> Iterator[str]:
    """A database of PostgreSQL of its own."""
    name = f"counted_{os.urandom(6).hex()}"
    with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        yield f"{server}{name}"
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def run(url: str) -> Run:
    """Run statements in that database."""

    def runner(*statements: str) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    return runner
