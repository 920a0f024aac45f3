"""What processes do that run a plan, or release one count, at the same time as others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hushcount.errors import BudgetExceeded
from hushcount.plan import read_plan
from hushcount.release import Session

Tell = Callable[[Any], None]


def run_plan(path: Path, start: Any, tell: Tell) -> None:
    """Waits for the others, then runs a plan and tells the receipts by name; or nothing, if it cannot be paid for."""
    plan = read_plan(path)
    start.wait()
    try:
        tell({name: receipt.to_json() for name, receipt in plan.run().receipts.items()})
    except BudgetExceeded:
        tell({})


def release(folder: Path, where: str, epsilon: str, start: Any, tell: Tell) -> None:
    """Waits for the others, then releases a count and tells the receipt; or nothing, if it cannot be paid for."""
    with Session(folder / "people.csv", folder / "people.ledger", "people") as session:
        start.wait()
        try:
            tell({where: session.count(where, epsilon).to_json()})
        except BudgetExceeded:
            tell({})
