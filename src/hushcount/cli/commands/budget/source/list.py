"""`hushcount budget source list`: what may be asked about."""

from __future__ import annotations

from hushcount.cli.answer import json_text
from hushcount.cli.options.budget import LedgerOption, Name
from hushcount.cli.options.output import Json

__all__ = ["list_sources"]


def list_sources(name: Name, ledger: LedgerOption, as_json: Json = False) -> str:
    """Show the sources of a budget.

    Shows how they are read, whom a row belongs to, and their columns.

    Example: hushcount budget source list people --ledger people.ledger
    """
    from hushcount.ledger import Ledger

    opened = Ledger(ledger)
    sources = opened.sources(name)
    if as_json:
        return json_text({"budget": name, "sources": [source.to_dict() for source in sources]})
    protects = opened.terms(name).protects
    return "\n".join(f"{source.to_text(protects)}\n" for source in sources) or "No sources.\n"
