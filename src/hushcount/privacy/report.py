"""What the texts of audits have in common: the claim, and a table of what it needs with its witnesses.

Numbers are rounded to six digits: what a mechanism needs is rounded up, what draws certify is rounded down, so that
each can be claimed as it stands. Chances are rounded to nearest.
"""

from __future__ import annotations

from fractions import Fraction

from hushcount.numbers.text import lower_text, nearest_text, short
from hushcount.privacy.findings import Witness
from hushcount.words.paragraphs import WIDTH, labelled, wrapped
from hushcount.words.tables import aligned

__all__ = ["NO_CLAIM", "Row", "chance_text", "claim_line", "page", "row"]

NO_CLAIM = "No claim was made, so none is judged; an epsilon makes one."

_CHANCE_DIGITS = 3
_SHORTEST_EVENT = 8
_HEAD = ("count", "chance", "other", "chance", "outcomes")

Row = tuple[str, ...]


def page(head: list[str], needs: str, rows: list[Row], paragraphs: list[str]) -> str:
    """Return lines on top, a table of what `needs` names, and paragraphs, without a newline at the end."""
    return "\n\n".join(["\n".join(head), "\n".join(_table([("", needs, *_HEAD), *rows])), *map(wrapped, paragraphs)])


def claim_line(epsilon: Fraction | None, delta: Fraction, distance: int) -> str:
    """Return what is judged, and between which true counts."""
    claim = "nothing claimed" if epsilon is None else f"epsilon {short(epsilon)}, delta {short(delta)}"
    return labelled("Claim", f"{claim}, between true counts {distance:,} apart")


def chance_text(chance: Fraction) -> str:
    """Return a chance as text; a chance that is only near 1 never reads as 1."""
    shown = nearest_text(chance, _CHANCE_DIGITS)
    return lower_text(chance, _CHANCE_DIGITS) if shown == "1" and chance < 1 else shown


def row(what: str, needs: str, witness: Witness | None, chance: str = "-", other_chance: str = "-") -> Row:
    """Return one line of the table: what is needed, and the pair and the outcomes that need it."""
    if witness is None:
        return what, needs, "-", "-", "-", "-", "none exceeds"
    spans = [str(first) if first == last else f"{first}..{last}" for first, last in witness.outcomes]
    return what, needs, str(witness.true), chance, str(witness.other), other_chance, ", ".join(spans)


def _table(rows: list[Row]) -> list[str]:
    """Return the table with the outcomes last, as many ranges of them as there is room for."""
    left = aligned([row[:-1] for row in rows], range(1, len(rows[0]) - 1))
    room = max(_SHORTEST_EVENT, WIDTH - len(left[0]) - 2)
    return [f"{line}  {_cut(row[-1], room)}" for line, row in zip(left, rows, strict=True)]


def _cut(spans: str, room: int) -> str:
    if len(spans) <= room or ", " not in spans:
        return spans
    return spans[: spans.rfind(", ", 0, max(room - 3, spans.find(", ") + 2)) + 2] + "..."
