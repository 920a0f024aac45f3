"""Whom charges protect: one row, or all rows of one unit. No budget mixes the two: its total would hold for neither.

Where a budget lists sources, the list says it of each. Where it does not, the charges made so far settle it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from hushcount.errors import InvalidParameter
from hushcount.ledger.question import Question

__all__ = ["ROW", "UNIT", "Protected", "SourceKey", "check_alike", "protected_by", "source_key", "unit_column"]

ROW = "row"
"""Whom a budget protects if nothing is said."""

UNIT = "unit"
"""The same where a column of the source tells it."""

Protected = Counter[str | None]
"""How many charges protect the units of a column; those that protect rows are under None."""

SourceKey = tuple[object, object]
"""What tells the source of a question: the hash of its path, and its table."""


def unit_column(question: Question) -> str | None:
    """The column that tells the units of a question; None where rows are counted."""
    unit = question.about.get("unit")
    return str(unit["column"]) if isinstance(unit, dict) else None


def source_key(question: Question) -> SourceKey:
    """The source of a question."""
    return question.about.get("path_sha256"), question.about.get("table")


def protected_by(questions: Iterable[Question]) -> Protected:
    """Whom charges for these questions protect."""
    return Counter(map(unit_column, questions))


def check_alike(budget: str, earlier: Iterable[Question], source: SourceKey, column: str | None) -> None:
    """See that a question protects what those asked earlier do.

    About the same source it is the same column, or rows again; about another one it is units, or rows, as before. What
    was mixed before this was checked can still be asked for.

    Args:
        budget: its name.
        earlier: what was charged to it.
        source: what the question is about.
        column: what tells the units of the question; None where rows are counted.

    Raises:
        InvalidParameter: it protects something else.
    """
    seen = {(source_key(question), unit_column(question)) for question in earlier}
    of_source = {told for key, told in seen if key == source}
    if column in of_source or not seen:
        return
    of_all = {told for _, told in seen}
    if not of_source and any((told is None) == (column is None) for told in of_all):
        return
    columns = sorted(told for told in of_source or of_all if told is not None)
    ways = [*map(repr, columns), *(["left out (rows)"] if None in (of_source or of_all) else [])]
    rule = f"{' or '.join(ways)}, as in what was charged to the budget {budget!r} so far, which protects nothing else"
    raise InvalidParameter("unit", column, rule)
