"""One release on a page: the question, the answer, its picture and table, the promise, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from itertools import islice
from string import Template

from hushcount.mechanisms import Mechanism
from hushcount.numbers.exact import Number
from hushcount.numbers.text import plain_at_most, typed
from hushcount.reading.cells import CellSets
from hushcount.reading.sets import sets_of
from hushcount.reading.text import ranges_text
from hushcount.release import text
from hushcount.release.receipt import Receipt
from hushcount.release.table.names import CellNames
from hushcount.release.table.receipt import TableReceipt
from hushcount.release.table.text import chances_in_words, hiding_table, promised, range_text
from hushcount.report.picture import Line, pictures
from hushcount.words.markup import escaped, markup_table

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
) -> str:
    """Return the part of a page that is about one receipt, in HTML.

    Args:
        number: which one it is on the page, from 1.
        title: what it is called, above its question; None where the question is what it is called.
        level, simultaneous: as for `interpret_table`.
        mechanism: for a receipt of an audited mechanism, that mechanism; without it there are no confidence sets, and
            none for groups that come from the data.
    """
    is_audited = receipt.mechanism == "audited"
    is_found = isinstance(receipt, TableReceipt) and receipt.keys_from is not None
    has_sets = not is_found and (not is_audited or mechanism is not None)
    law = mechanism if is_audited else None
    sets = sets_of(receipt, level, simultaneous=simultaneous, mechanism=law) if has_sets else None
    table = receipt if isinstance(receipt, TableReceipt) else None
    by = "" if table is None else f", by {', '.join(table.by)}"
    question = _capital(f"{receipt.question}{by}")
    facts = {
        "number": str(number),
        "title": escaped(question if title is None else title),
        "question": _paragraphs([] if title is None else [question]),
        "answer": _count(receipt, sets) if isinstance(receipt, Receipt) else "",
        "picture": _picture(receipt, sets),
        "table": "" if table is None else _table(table, sets),
        "reach": _reach(receipt),
        "promise": _paragraphs(_promised(receipt)),
        "cost": _paragraphs(_cost(receipt)),
        "made": "<br>".join(map(escaped, [receipt.made[0], _how(receipt)])),
    }
    return template("article.html").substitute(facts)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _paragraphs(texts: Iterable[str]) -> str:
    return "".join(f"<p>{escaped(each)}</p>\n" for each in texts)


def _set_name(sets: CellSets) -> str:
    return f"{typed(100 * sets.level)}% confidence set"


def _set_text(receipt: Receipt | TableReceipt, sets: CellSets, cell: int) -> str:
    """Return the set of a cell; one that ends at a declared cap means that or more."""
    return ranges_text(sets[cell].confidence_set, sets.maxima[cell] if receipt.adjacency == "add-remove" else None)


def _count(receipt: Receipt, sets: CellSets | None) -> str:
    said = "" if sets is None else f"{_set_name(sets)}: {_set_text(receipt, sets, 0)}"
    return f'<p class="released">{receipt.released:,}</p>\n' + _paragraphs([said] if said else [])


def _picture(receipt: Receipt | TableReceipt, sets: CellSets | None) -> str:
    if isinstance(receipt, TableReceipt):
        names, released, top = receipt.names, receipt.released, max(receipt.tops, default=0)
        if not released:
            return ""
    else:
        names, released, top = CellNames(None, 1), (receipt.released,), receipt.maximum
    lines = [
        Line(
            "released count" if isinstance(receipt, Receipt) else names.label(cell),
            count,
            () if sets is None else sets[cell].confidence_set,
        )
        for cell, count in enumerate(islice(released, MOST_DRAWN))
    ]
    what = "Released counts" if isinstance(receipt, TableReceipt) else "Released count"
    beside = "" if sets is None else f", with {_set_name(sets)}"
    caption = f"{what} (dot){'' if sets is None else f', {_set_name(sets)} (bar)'}"
    if sets is not None and sets.simultaneous:
        caption += " for all cells together"
    more = len(released) - len(lines)
    caption += f"; the first {len(lines):,} of {len(released):,} cells" if more else ""
    drawn = "".join(pictures(lines, top, f"{what}{beside}; the numbers are in the text"))
    return f"<figure>\n{drawn}<figcaption>{escaped(caption)}</figcaption>\n</figure>\n"


def _table(receipt: TableReceipt, sets: CellSets | None) -> str:
    names = receipt.names
    head = [*names.columns, "released", *([] if sets is None else [_set_name(sets)])]
    rows = [
        [*names.row(cell), f"{count:,}", *([] if sets is None else [_set_text(receipt, sets, cell)])]
        for cell, count in enumerate(islice(receipt.released, MOST_ROWS))
    ]
    headings, more = len(names.columns), len(receipt.released) - len(rows)
    caption = f"Released table: {receipt.guarantee.cells_text}"
    made = markup_table(caption, head, rows, headings, [headings])
    rest = f"<p>... and {more:,} more; the receipt has all of them</p>\n" if more else ""
    return f'<div class="wide" role="region" tabindex="0" aria-label="{escaped(caption)}">\n{made}</div>\n{rest}'


def _reach(receipt: Receipt | TableReceipt) -> str:
    """Return the range, and how often a count is off."""
    if isinstance(receipt, TableReceipt):
        facts = receipt.guarantee
        possible, after = range_text(facts), chances_in_words(facts)
        whatever, cell = "Whatever the true counts are, the released count of a cell is", facts.cell
    else:
        possible, after = f"0 to {receipt.maximum}", []
        whatever, cell = "Whatever the true count is, the released count is", receipt.guarantee
    if isinstance(receipt, TableReceipt) and receipt.guarantee.is_found:
        head, *sizes = hiding_table(receipt.guarantee)
        made = markup_table("What becomes of a group, by its true count", head, sizes, 1)
        return _paragraphs([f"The range is {possible}."]) + made + _paragraphs(f"{_capital(each)}." for each in after)
    rows = text.chances_in_words(cell.chances, cell.maximum)
    made = markup_table(whatever, ["how far off", "how often"], rows, 1)
    return _paragraphs([f"The range is {possible}."]) + made + _paragraphs(f"{_capital(each)}." for each in after)


def _promised(receipt: Receipt | TableReceipt) -> list[str]:
    return promised(receipt.guarantee) if isinstance(receipt, TableReceipt) else text.promised(receipt.guarantee)


def _cost(receipt: Receipt | TableReceipt) -> list[str]:
    price = receipt.price if isinstance(receipt, TableReceipt) else receipt.promise
    whole = " for the whole table" if isinstance(receipt, TableReceipt) else ""
    spent = f"It spent {price.in_words(plain_at_most)}, {receipt.adjacency}{whole}."
    charged = ["It was charged to no budget"] if receipt.ledger is None else receipt.ledger.in_words()
    return [spent, *(f"{each}." for each in charged)]


def _how(receipt: Receipt | TableReceipt) -> str:
    name = receipt.mechanism if receipt.audit is None else f"{receipt.audit.name} (audited)"
    return f"Drawn by the mechanism {name}; hushcount {receipt.hushcount_version}"
