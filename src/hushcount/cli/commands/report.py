"""`hushcount report`: releases as a page to publish."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.options.groups import OUTPUT, QUESTION, SOURCE
from hushcount.cli.options.output import MissingLabel
from hushcount.cli.receipts import any_receipt, mechanism_in
from hushcount.errors import BadUse, InvalidParameter
from hushcount.words.printable import printable

__all__ = ["report"]

_ENDINGS = (".html", ".htm")


def report(
    receipts: Annotated[
        list[str],
        SOURCE.argument(
            metavar="RECEIPT...",
            help="Receipts of counts and tables, in the order of the page; also of older versions.",
        ),
    ],
    output: Annotated[
        str, OUTPUT.option(metavar="FILE", help="The file of the page, .html. An existing file is replaced.")
    ],
    title: Annotated[
        str | None, OUTPUT.option(metavar="TEXT", help="The title of the page.", show_default="Private counts")
    ] = None,
    headings: Annotated[
        list[str] | None,
        OUTPUT.option(
            "--heading",
            metavar="TEXT",
            help="What a release is called, above its question. Repeated once for each receipt, in their order.",
            show_default="its question",
        ),
    ] = None,
    missing_label: MissingLabel = None,
    level: Annotated[
        str, QUESTION.option(metavar="NUMBER", help="The level of the confidence sets, > 0 and < 1, taken exactly.")
    ] = "0.95",
    together: Annotated[
        bool,
        QUESTION.option(
            "--together", help="Make --level the probability that the sets of all cells of a table hold, as interpret."
        ),
    ] = False,
    mechanism: Annotated[
        str | None,
        SOURCE.option(
            metavar="FILE",
            help="For receipts of an audited mechanism: its file. Without it they have no confidence sets.",
        ),
    ] = None,
) -> str:
    """Write a page about releases, to publish or to print.

    Has the question, the released counts as a table and as a picture, the promise in plain words, and what it cost.
    Uses the receipts alone: it reads no data and costs no budget. The page is one file, which loads nothing from
    elsewhere and runs no script.

    Example: hushcount report receipt.json --output report.html
    """
    from hushcount.files.whole_files import checked_target, write_whole
    from hushcount.report.page import report_page

    if not output.lower().endswith(_ENDINGS):
        raise InvalidParameter("output", output, f"a file whose name ends in {' or '.join(_ENDINGS)}")
    inputs = receipts if mechanism is None else [*receipts, mechanism]
    target = checked_target(output, "output", *inputs)
    law = None if mechanism is None else mechanism_in(mechanism)
    found = [any_receipt(path) for path in receipts]
    page = report_page(
        found,
        title=title,
        level=level,
        simultaneous=together,
        mechanism=law,
        headings=headings,
        missing_label=missing_label,
    )
    try:
        write_whole(target, page)
    except OSError as error:
        raise BadUse(f"the page could not be written: {error.strerror}") from None
    return f"Saved to {printable(output)}\n"
