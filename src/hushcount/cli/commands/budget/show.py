"""`hushcount budget show`: what was spent, and what is left."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.answer import json_text
from hushcount.cli.options.budget import LedgerOption
from hushcount.cli.options.groups import BUDGET
from hushcount.cli.options.output import Json

__all__ = ["show"]


def show(
    name: Annotated[
        str | None,
        BUDGET.argument(metavar="NAME", help="The name of the budget; if left out, all budgets of the ledger."),
    ] = None,
    *,
    ledger: LedgerOption,
    as_json: Json = False,
) -> str:
    """Show what is spent of a budget, and what is left.

    Example: hushcount budget show people --ledger people.ledger
    """
    from hushcount.ledger import Ledger

    opened = Ledger(ledger)
    found = [opened.budget(each) for each in (opened.budgets() if name is None else [name])]
    if as_json:
        return json_text({"budgets": [each.to_dict() for each in found]})
    return "\n".join(f"{each}\n" for each in found)
