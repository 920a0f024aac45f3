"""One release on a page: the question, the answer, its picture and table, the promise, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from itertools import islice
from string import Template

from hushcount.mechanisms import Mechanism
from hushcount.numbers.exact import Number
from hushcount.numbers.text import plain_at_most
from hushcount.reading.cells import CellSets
from hushcount.reading.sets import sets_of
from hushcount.reading.text import ranges_text
from hushcount.release import text
from hushcount.release.receipt import Receipt
from hushcount.release.table.names import CellNames
from hushcount.release.table.receipt import TableReceipt
from hushcount.release.table.text import chances_in_words, hiding_rows, promised, range_text
from hushcount.report.picture import Line, is_beyond, pictures
from hushcount.words.markup import escaped, markup_table, unbroken
from hushcount.words.printable import capital

__all__ = ["LEVEL", "MOST_DRAWN", "MOST_ROWS", "article", "template"]

MOST_ROWS, MOST_DRAWN = 1000, 150
"""The most cells in the table and in the picture of a page."""


LEVEL = "0.95"
"""The usual level of the confidence sets."""


def template(name: str) -> Template:
    """Return a template of this room."""
    return Template(files(__package__ or "").joinpath(name).read_text(encoding="utf-8"))


def article(
    number: int,
    receipt: Receipt | TableReceipt,
    level: Number = LEVEL,
    *,
    title: str | None = None,
    simultaneous: bool = False,
    mechanism: Mechanism | None = None,
    missing_label: str | None = None,
) -> str:
    """Return the part of a page that is about one receipt, in HTML.

    Args:
        number: which one it is on the page, from 1.
        title: what it is called, above its question; None where the question is what it is called.
        level, simultaneous: as for `interpret_table`.
        mechanism: for a receipt of an audited mechanism, that mechanism; without it there are no confidence sets.
        missing_label: what a missing key is called in a table; None for "(missing)".
    """
    is_audited = receipt.mechanism == "audited"
    has_sets = not is_audited or mechanism is not None
    law = mechanism if is_audited else None
    sets = sets_of(receipt, level, simultaneous=simultaneous, mechanism=law) if has_sets else None
    table = receipt if isinstance(receipt, TableReceipt) else None
    names = CellNames(None, 1) if table is None else table.names.with_missing(missing_label)
    question = capital(receipt.asked)
    facts = {
        "number": str(number),
        "title": unbroken(question if title is None else title),
        "question": "" if title is None else f"<p>{unbroken(question)}</p>\n",
        "answer": _count(receipt, sets) if isinstance(receipt, Receipt) else "",
        "picture": _picture(receipt, sets, names),
        "table": "" if table is None else _table(table, sets, names),
        "reach": _reach(receipt),
        "promise": _paragraphs(_promised(receipt)),
        "cost": _paragraphs(_cost(receipt)),
        "made": "<br>".join(map(escaped, [receipt.made[0], _how(receipt)])),
    }
    return template("article.html").substitute(facts)


_grouped = "{:,}".format


def _paragraphs(texts: Iterable[str]) -> str:
    return "".join(f"<p>{escaped(each)}</p>\n" for each in texts)


def _set_text(receipt: Receipt | TableReceipt, sets: CellSets, cell: int) -> str:
    """Return the set of a cell; one that ends at a declared cap means that or more."""
    cap = sets.maxima[cell] if receipt.adjacency == "add-remove" else None
    return ranges_text(sets[cell].confidence_set, cap, _grouped)


def _count(receipt: Receipt, sets: CellSets | None) -> str:
    said = "" if sets is None else f"{sets.name}: {_set_text(receipt, sets, 0)}"
    return f'<p class="released">{receipt.released:,}</p>\n' + _paragraphs([said] if said else [])


def _picture(receipt: Receipt | TableReceipt, sets: CellSets | None, names: CellNames) -> str:
    if isinstance(receipt, TableReceipt):
        released, top, has_other = receipt.released, max(receipt.tops, default=0), receipt.other is not None
        if not released:
            return ""
    else:
        released, top, has_other = (receipt.released,), receipt.maximum, False
    lines = [
        Line(
            "released count" if isinstance(receipt, Receipt) else names.label(cell),
            count,
            () if sets is None else sets[cell].confidence_set,
        )
        for cell, count in enumerate(islice(released, MOST_DRAWN))
    ]
    what = "Released counts" if isinstance(receipt, TableReceipt) else "Released count"
    beside = "" if sets is None else f", with {sets.name}"
    more = len(released) - len(lines)
    has_other = has_other and not more
    caption = f"{what} (dot{', or arrow where it is beyond the scale' if is_beyond(lines, has_other) else ''})"
    caption += "" if sets is None else f"; {sets.full_name} (bar)"
    caption += f"; the first {len(lines):,} of {len(released):,} cells" if more else ""
    caption = ". ".join([caption, *receipt.guarantee.limited])
    said = f"{what}{beside}; the numbers are in the text"
    drawn = "".join(pictures(lines, top, said, has_other=has_other))
    return f"<figure>\n{drawn}<figcaption>{escaped(caption)}</figcaption>\n</figure>\n"


def _table(receipt: TableReceipt, sets: CellSets | None, names: CellNames) -> str:
    head = [*names.columns, "released", *([] if sets is None else [sets.name])]
    rows = [
        [*names.row(cell), f"{count:,}", *([] if sets is None else [_set_text(receipt, sets, cell)])]
        for cell, count in enumerate(islice(receipt.released, MOST_ROWS))
    ]
    headings, more = len(names.columns), len(receipt.released) - len(rows)
    caption = f"Released table: {receipt.guarantee.cells_text}"
    made = markup_table(caption, head, rows, headings, [headings])
    rest = f"<p>... and {more:,} more; the receipt has all of them</p>\n" if more else ""
    rest += _paragraphs([sets.coverage()] if sets else [])
    return f'<div class="wide" role="region" tabindex="0" aria-label="{escaped(caption)}">\n{made}</div>\n{rest}'


def _reach(receipt: Receipt | TableReceipt) -> str:
    """Return the range, and how often a count is off."""
    if isinstance(receipt, TableReceipt):
        facts = receipt.guarantee
        possible, after = range_text(facts, _grouped), chances_in_words(facts)
        whatever, cell = "Whatever the true counts are, the released count of a cell is", facts.cell
    else:
        possible, after = f"0 to {receipt.maximum:,}", []
        whatever, cell = "Whatever the true count is, the released count is", receipt.guarantee
    after = [*(f"{capital(each)}." for each in after), *receipt.guarantee.limited]
    if isinstance(receipt, TableReceipt) and receipt.guarantee.is_found:
        head, *sizes = hiding_rows(receipt.guarantee)
        made = markup_table("What becomes of a group, by its true count", head, sizes, 1)
        return _paragraphs([f"The range is {possible}."]) + made + _paragraphs(after)
    rows = text.chances_in_words(cell.chances, cell.maximum)
    made = markup_table(whatever, ["how far off", "how often"], rows, 1).replace("more than ", "more than&nbsp;")
    return _paragraphs([f"The range is {possible}."]) + made + _paragraphs(after)


def _promised(receipt: Receipt | TableReceipt) -> list[str]:
    return promised(receipt.guarantee) if isinstance(receipt, TableReceipt) else text.promised(receipt.guarantee)


def _cost(receipt: Receipt | TableReceipt) -> list[str]:
    whole = " for the whole table" if isinstance(receipt, TableReceipt) else ""
    spent = f"It spent {receipt.price.in_words(plain_at_most)}, {receipt.adjacency}{whole}."
    charged = ["It was charged to no budget"] if receipt.ledger is None else receipt.ledger.in_words()
    return [spent, *(f"{each}." for each in charged)]


def _how(receipt: Receipt | TableReceipt) -> str:
    name = receipt.mechanism if receipt.audit is None else f"{receipt.audit.name} (audited)"
    return f"Drawn by the mechanism {name}; hushcount {receipt.hushcount_version}"
