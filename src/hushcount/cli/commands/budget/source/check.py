"""`hushcount budget source check`: whether the sources are as they are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hushcount.cli.answer import Answer, json_text
from hushcount.cli.exit_codes import SAYS_NO
from hushcount.cli.options.budget import LedgerOption, Name
from hushcount.cli.options.output import Json
from hushcount.words.paragraphs import row
from hushcount.words.printable import printable

if TYPE_CHECKING:
    from hushcount.ledger import ListedSource

__all__ = ["check"]


def check(name: Name, ledger: LedgerOption, as_json: Json = False) -> Answer:
    """Check whether the sources of a budget are still as listed.

    Reads all of them, and shows where one is not. The answer may name lines of the data, so it is for the owner. What
    is listed by a name alone is not here, and is checked at each question. Exit code 0 means that all are as listed, 1
    that one is not.

    Example: hushcount budget source check people --ledger people.ledger
    """
    from hushcount.ledger import Ledger
    from hushcount.ledger.listing import misfit

    opened = Ledger(ledger)
    faults = [(source, misfit(opened, source)) for source in opened.sources(name)]
    code = SAYS_NO if any(fault for _, fault in faults) else 0
    if as_json:
        found = [
            {"name": source.name, "table": source.options.table, "checked": not source.is_named, "fault": fault}
            for source, fault in faults
        ]
        return Answer(json_text({"budget": name, "sources": found}), code)
    lines = [row("Source", printable(f"{source.full_name}: {_told(source, fault)}")) for source, fault in faults]
    return Answer("\n".join([*lines, ""]) if lines else "No sources.\n", code)


def _told(source: ListedSource, fault: str | None) -> str:
    if source.is_named:
        return "not here; its data come with each question, and are checked then"
    return fault or "as it is listed"
