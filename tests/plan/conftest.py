"""A folder with people and their budget, and plans written there."""

from __future__ import annotations

import textwrap

import pytest

from hushcount.ledger import create_budget
from hushcount.plan import read_plan

HEAD = """
ledger = "people.ledger"
budget = "people"
outputs = "out"
"""


@pytest.fixture
def folder(tmp_path):
    rows = "".join(f"{20 + number % 60},{'ns'[number % 2]},p{number % 90}\n" for number in range(300))
    (tmp_path / "people.csv").write_text(f"age,region,person\n{rows}")
    create_budget(tmp_path / "people.ledger", "people", 1)
    return tmp_path


@pytest.fixture
def plan(folder):
    """Write a plan and read it."""

    def plan(text, head=HEAD):
        path = folder / "plan.toml"
        path.write_text(textwrap.dedent(head + text), encoding="utf-8")
        return read_plan(path)

    return plan
