"""The charges to a budget in the words of `hushcount budget history`."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

from hushcount.words.counted import counted
from hushcount.words.printable import printable

if TYPE_CHECKING:
    from hushcount.ledger import Charge, ListedSource, Question

__all__ = ["history_csv", "history_table"]

_ALL = "TRUE"
"""The condition of every row, in its normal form."""


def history_csv(charges: tuple[Charge, ...]) -> str:
    """One record for each charge; what is nested is JSON in a field."""
    text = io.StringIO()
    columns = [
        "number", "charged_at", "state", "request_id", "predicate", "minimum", "maximum", "adjacency", "mechanism",
        "epsilon", "delta", "left_epsilon", "left_delta", "released", "delivered_at", "about", "hash",
    ]  # fmt: skip
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for charge in charges:
        cells = charge.to_dict()
        writer.writerow({**cells, "about": json.dumps(cells["about"])})
    return text.getvalue()


def _counted(question: Question) -> str:
    """What was counted, in the words of a receipt."""
    unit = question.about.get("unit")
    return f"units ({unit['column']})" if isinstance(unit, dict) else "rows"


def _asked(question: Question) -> str:
    """The question in words: what was counted, where, and which; of a table, its cells and what each was drawn at."""
    source, table, what = question.about.get("source"), question.about.get("table"), _counted(question)
    place = "" if source is None else f" of {source}" if table is None else f" of {table} in {source}"
    asked = f"all {what}{place}" if question.predicate == _ALL else f"{what}{place} where {question.predicate}"
    return f"{asked}{_cells(question)} (0 to {question.maximum}, {question.mechanism})"


def _cells(question: Question) -> str:
    """Which table of counts was asked for, if it was one, and how its price comes about."""
    if question.cells is None:
        return ""
    from hushcount.release.explanation import short
    from hushcount.release.table.promise import most_changed

    about = question.about
    by, each = ", ".join(map(str, about.get("by", ()))), about.get("cell_epsilon")
    words = f", {counted(question.cells, 'cell')}{f' by {by}' if by else ''}"
    if each is None:
        return words
    k = most_changed(question.adjacency, about.get("max_cells") or 1, question.cells)
    return f"{words}, epsilon {short(each)} x {k:,}"


def _mixed(charges: tuple[Charge, ...], sources: tuple[ListedSource, ...]) -> list[str]:
    """A warning where the charges do not all protect the same, and no list says that they do."""
    asked = [charge.question for charge in charges]
    unlisted = [question for question in asked if not any(source.is_asked_by(question) for source in sources)]
    kinds = list(dict.fromkeys(map(_counted, unlisted)))
    if len(kinds) < 2:
        return []
    from hushcount.words.paragraphs import wrapped

    note = (
        f"Note: these charges count different things ({printable(', '.join(kinds))}), and each protects what it "
        "counts: one row, or one unit with all of its rows. What they add up to holds for no one of these alone. A "
        "budget for each is clearer."
    )
    return ["", wrapped(note)]


def history_table(charges: tuple[Charge, ...], sources: tuple[ListedSource, ...]) -> str:
    """One line for each charge, and what to know of them together.

    Args:
        sources: those that the budget lists.
    """
    from hushcount.numbers.exact import exact_text
    from hushcount.release.explanation import short

    if not charges:
        return "No charges.\n"
    rows = [("entry", "charged at (UTC)", "epsilon", "delta", "left", "released", "question")]
    for charge in charges:
        price, question = charge.question.price, charge.question
        rows.append(
            (
                str(charge.number),
                f"{charge.charged_at:%Y-%m-%d %H:%M:%S}",
                short(exact_text(price.epsilon)),
                short(exact_text(price.delta)),
                "-" if charge.left is None else short(exact_text(charge.left.epsilon)),
                charge.state if charge.released is None else str(charge.released),
                printable(_asked(question)),
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "".join(f"{line}\n" for line in [*lines, *_mixed(charges, sources)])
