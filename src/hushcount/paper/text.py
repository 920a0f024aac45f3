"""The report as a table for people, with what has to be corrected below it."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator

from hushcount.paper.report import Report, StatementReport, Verdict
from hushcount.words.counted import counted
from hushcount.words.paragraphs import dashed

__all__ = ["report_text"]

LEAST_WIDTH, MOST_WIDTH = 80, 120

_NAME, _CASES, _DEVIATION, _VERDICT = 27, 5, 7, 9
_GAP = "  "
_IS_NUMBER = (False, False, True, True, False)
_WORDS = {
    Verdict.HOLDS: "holds",
    Verdict.CORRECTED: "corrected",
    Verdict.NOT_SHOWN: "not shown",
    Verdict.FAILS: "FAILS",
}
_WHERE = "Each statement in full, with functions and tests: docs/paper-map.md, or --json."
_HEAD = (("Statement",), ("Held against",), ("Cases",), ("Largest", "deviat."), ("Verdict",))


def report_text(report: Report, width: int = LEAST_WIDTH) -> str:
    """Return the table, what fails, what needs correcting, and remarks, without a newline at the end.

    Args:
        width: the width of the terminal; lines have 80 to 120 columns.
    """
    width = min(max(width, LEAST_WIDTH), MOST_WIDTH)
    held = width - _NAME - _CASES - _DEVIATION - _VERDICT - 4 * len(_GAP)
    lines = [*_row(_HEAD, held), "-" * width]
    for found in report.statements:
        cells = (
            _filled(found.statement.name, _NAME),
            _filled(found.statement.compared_with, held),
            (str(found.cases),),
            (_short(found.deviation),),
            (_WORDS[found.verdict],),
        )
        lines += _row(cells, held)
    for title, notes in (
        ("Fails", _failures),
        ("To be read differently than printed", _errata),
        ("Remarks", _remarks),
    ):
        told = [note for found in report.statements for note in notes(found)]
        if told:
            lines += ["", title]
            lines += [dashed(note, width) for note in told]
    lines += ["", *textwrap.wrap(_WHERE, width), *textwrap.wrap(_summary(report), width)]
    return "\n".join(lines)


def _row(cells: tuple[tuple[str, ...], ...], held: int) -> Iterator[str]:
    """Yield as many lines as the tallest cell has; words to the left, numbers to the right."""
    widths = (_NAME, held, _CASES, _DEVIATION, _VERDICT)
    for place in range(max(map(len, cells))):
        parts = [cell[place] if place < len(cell) else "" for cell in cells]
        sized = zip(parts, widths, _IS_NUMBER, strict=True)
        yield _GAP.join(part.rjust(size) if number else part.ljust(size) for part, size, number in sized).rstrip()


def _filled(text: str, width: int) -> tuple[str, ...]:
    return tuple(textwrap.wrap(text, width))


def _short(deviation: float) -> str:
    """Return the deviation in at most seven characters."""
    if deviation == 0:
        return "0"
    return f"{deviation:.1e}" if math.isfinite(deviation) else "none"


def _failures(found: StatementReport) -> Iterator[str]:
    if found.verdict is Verdict.FAILS:
        what = "there is no case" if found.worst is None else _told(found.worst.parameters, found.worst.shown)
        yield f"{found.statement.name}: {found.statement.formula}. {what}, deviation {_short(found.deviation)}."
    if found.verdict is Verdict.NOT_SHOWN:
        yield f"{found.statement.name}: what is printed ({_printed(found)}) failed nowhere."


def _errata(found: StatementReport) -> Iterator[str]:
    erratum, shown = found.statement.erratum, found.counter_example
    if erratum is not None and shown is not None and found.verdict is Verdict.CORRECTED:
        yield (
            f"{found.statement.name}. Printed: {erratum.printed}. {erratum.correction} "
            f"Counter-example: {_told(shown.parameters, shown.shown)}."
        )


def _printed(found: StatementReport) -> str:
    return "" if found.statement.erratum is None else found.statement.erratum.printed


def _remarks(found: StatementReport) -> Iterator[str]:
    if found.statement.remark:
        seen = f" {_told(found.worst.parameters, found.worst.shown)}." if _shows_more(found) and found.worst else ""
        yield f"{found.statement.name}. {found.statement.remark}{seen}"


def _shows_more(found: StatementReport) -> bool:
    """Return whether the worst case has numbers that belong to the remark."""
    return bool(found.worst and found.worst.shown and "in print" in found.worst.shown)


def _told(parameters: str, shown: str) -> str:
    return f"{parameters}: {shown}" if shown else parameters


def _summary(report: Report) -> str:
    counts = {verdict: sum(found.verdict is verdict for found in report.statements) for verdict in Verdict}
    cases = sum(found.cases for found in report.statements)
    good, bad = counts[Verdict.HOLDS], counts[Verdict.FAILS] + counts[Verdict.NOT_SHOWN]
    parts = [
        f"{good} {'holds' if good == 1 else 'hold'} as printed",
        f"{counts[Verdict.CORRECTED]} once corrected",
        f"{bad} {'fails' if bad == 1 else 'fail'}",
    ]
    return f"{counted(len(report.statements), 'statement')} in {counted(cases, 'case')}: {', '.join(parts)}."
