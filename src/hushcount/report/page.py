"""A page about releases: one file that loads nothing and runs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hushcount.errors import InvalidParameter, type_of
from hushcount.inputs.arguments import listed
from hushcount.mechanisms import Mechanism
from hushcount.numbers.exact import Number
from hushcount.release.receipt import Receipt
from hushcount.release.table.receipt import TableReceipt
from hushcount.report.article import LEVEL, article, template
from hushcount.report.total import sum_of_prices
from hushcount.words.counted import counted
from hushcount.words.markup import escaped

__all__ = ["page", "report_page"]

_TITLE = "Private counts"


def report_page(
    receipts: Receipt | TableReceipt | Iterable[Receipt | TableReceipt],
    *,
    title: str | None = None,
    level: Number = LEVEL,
    simultaneous: bool = False,
    mechanism: Mechanism | None = None,
    headings: Iterable[str] | None = None,
    missing_label: str | None = None,
) -> str:
    """Return a page in HTML about releases of counts and tables; this costs no budget and needs no data.

    It has for each the question, the released counts as a table and as a picture with confidence sets, how far off they
    may be, the promise in words, and what it cost; and at the end what all of them cost together, where that can be
    summed. It is one file without scripts, which loads nothing from elsewhere, for a phone, a desk and paper. All texts
    of the receipts are escaped. A table shows its first 1,000 cells, the picture the first 150.

    Args:
        receipts: one or more, in the order of the page.
        title: above the page; "Private counts" if left out.
        level, simultaneous: as for `interpret_table`.
        mechanism: for receipts of an audited mechanism, that mechanism; without it they have no confidence sets.
        headings: what the releases are called, one for each receipt; by default by their questions.
        missing_label: what a missing key is called; "(missing)" if left out.

    Raises:
        InvalidParameter: no receipt, something else, a bad level, another number of headings, or a label that is a key.
        BadUse, BadData, TooLarge: as for `interpret`.
    """
    if isinstance(receipts, (Receipt, TableReceipt)):
        receipts = [receipts]
    given = listed(receipts, "receipts", "one or more receipts")
    if not given:
        raise InvalidParameter("receipts", None, "one or more receipts")
    for receipt in given:
        if not isinstance(receipt, (Receipt, TableReceipt)):
            raise InvalidParameter("receipts", type_of(receipt), "receipts; Receipt.from_json reads one")
    if not isinstance(title, (str, type(None))):
        raise InvalidParameter("title", title, "a text")
    titles = [None] * len(given) if headings is None else listed(headings, "headings", "texts")
    if len(titles) != len(given) or not all(isinstance(each, (str, type(None))) for each in titles):
        raise InvalidParameter("headings", None, f"{counted(len(given), 'text')}, one for each receipt")
    articles = [
        article(
            number,
            receipt,
            level,
            title=each,
            simultaneous=simultaneous,
            mechanism=mechanism,
            missing_label=missing_label,
        )
        for number, (receipt, each) in enumerate(zip(given, titles, strict=True), 1)
    ]
    return page(articles, given, title)


def page(articles: Iterable[str], receipts: Sequence[Receipt | TableReceipt], title: str | None = None) -> str:
    """Return the page of articles about these receipts, in HTML; `title` is as for `report_page`."""
    facts = {"title": escaped(title or _TITLE), "articles": "".join(articles), "together": _together(receipts)}
    return template("page.html").substitute(facts)


def _together(receipts: Sequence[Receipt | TableReceipt]) -> str:
    """Return what several releases cost together, where their promises are to the same units and can be summed."""
    different = list({receipt.receipt_id: receipt for receipt in receipts}.values())
    if len(different) < 2 or not _are_alike(different):
        return ""
    total = sum_of_prices([receipt.price for receipt in different])
    if total is None:
        return ""
    spent = f"The {len(different):,} releases on this page spent {total}, {different[0].adjacency}, together."
    return template("together.html").substitute(spent=escaped(spent))


def _are_alike(receipts: Sequence[Receipt | TableReceipt]) -> bool:
    """Return whether receipts call the same tables neighbors, as those of one budget do."""
    units = {each.unit and each.unit.column for each in receipts}
    budgets = {each.ledger and each.ledger.budget for each in receipts}
    return len({each.adjacency for each in receipts}) == 1 and (
        len(units) == 1 or (budgets.isdisjoint({None}) and len(budgets) == 1)
    )
