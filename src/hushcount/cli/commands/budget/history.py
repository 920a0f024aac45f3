"""`hushcount budget history`: every charge."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.answer import json_text
from hushcount.cli.options.budget import LedgerOption, Name
from hushcount.cli.options.groups import OUTPUT
from hushcount.cli.options.output import Json
from hushcount.cli.words.history import history_csv, history_table
from hushcount.errors import BadUse

__all__ = ["history"]


def history(
    name: Name,
    ledger: LedgerOption,
    as_json: Json = False,
    as_csv: Annotated[bool, OUTPUT.option("--csv", help="Print CSV instead of text.")] = False,
) -> str:
    """List every charge to a budget.

    Shows what was asked, what it cost, and what was released.

    Example: hushcount budget history people --ledger people.ledger --csv
    """
    from hushcount.ledger import Ledger

    if as_json and as_csv:
        raise BadUse("history prints either --json or --csv")
    opened = Ledger(ledger)
    charges = opened.history(name)
    if as_json:
        return json_text({"budget": name, "charges": [charge.to_dict() for charge in charges]})
    return history_csv(charges) if as_csv else history_table(charges, opened.sources(name))
