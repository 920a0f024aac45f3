"""Files to count in, made on the spot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hushcount.counting import ReadOptions, Tally, count_matching

Write = Callable[..., Path]
Count = Callable[..., Tally]


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
