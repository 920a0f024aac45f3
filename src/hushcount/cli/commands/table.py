"""`hushcount table`: one private count for each declared cell, with one promise for all of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from hushcount.cli.answer import Answer
from hushcount.cli.options.budget import Charging
from hushcount.cli.options.groups import OUTPUT, QUESTION
from hushcount.cli.options.output import check_explain
from hushcount.cli.options.privacy import AtDelta, Drawing, Units, asked_delta
from hushcount.cli.options.source import Reading, Source, keep
from hushcount.cli.options.values import delimiter_of, whole
from hushcount.errors import BadUse, InvalidParameter
from hushcount.words.printable import printable

if TYPE_CHECKING:
    from hushcount.counting.cells.keys import Keys
    from hushcount.counting.predicate.groups import Group
    from hushcount.release.table.asked import AskedTable
    from hushcount.release.table.found import FromData
    from hushcount.release.table.question import TableQuestion
    from hushcount.release.table.receipt import TableReceipt

__all__ = ["table"]

_LIKE_MISSING = frozenset(["missing", "na", "n/a", "null", "none"])
"""Keys, in small letters and without parentheses, that may be meant as the missing one."""


def table(
    by: Annotated[
        str,
        QUESTION.option(
            metavar="COLUMN[,COLUMN]",
            help="The columns that define the cell of a row, separated by commas; quoted as in CSV if necessary. Or "
            "what is computed from one of them: year(COLUMN), quarter(COLUMN), month(COLUMN), day(COLUMN); bands of a "
            "number, such as "
            '"age: 0-17, 18-64, 65+" (half-open unless all are whole: "x: [0, 1.5), [1.5, 3)"; with "missing" as the '
            'last, for missing values) or "age by 10 from 0 to 100"; groups of values, "region from regions.csv", a '
            "file with the column region and one more.",
        ),
    ],
    source: Source,
    reading: Reading,
    drawing: Drawing,
    units: Units,
    charging: Charging,
    keys: Annotated[
        str | None,
        QUESTION.option(
            metavar="FILE|LIST",
            help="The cells: a file of keys (its name ends in .csv or .parquet) with the columns of --by and a header; "
            'or, for one column, a list such as "a,b,c", quoted as in CSV. A single key that looks like the name of a '
            "file must be quoted. As in the data, an unquoted field that is nan, or matches --null, is the missing key "
            "(but not an empty field in a list). Keys are declared, because which groups occur in the data is private. "
            "A cell without rows is released like any other. Required, unless --totals is given, or they follow from "
            "--by, as those of bands and months do; beside such, only the others need be given. Or from-data: the "
            "groups come from the data, and those are told for which a count above 0 is drawn; it takes --adjacency "
            "add-remove, --max and a --delta above 0. A key of that name is quoted, as '\"from-data\"'.",
        ),
    ] = None,
    totals: Annotated[
        str | None,
        QUESTION.option(
            metavar="FILE",
            help="A file like that of --keys with one more column, total: the known, public total of each cell, which "
            "is then its largest count. It declares the cells. If --keys is given too, it must have the same cells, "
            "and sets their order.",
        ),
    ] = None,
    keys_delimiter: Annotated[
        str | None,
        QUESTION.option(
            metavar="CHARACTER",
            help="The character between the fields of CSV files that --keys, --totals and --by name; tab or \\t stands "
            "for the tab character.",
            show_default=",",
        ),
    ] = None,
    undeclared: Annotated[
        str | None,
        QUESTION.option(
            metavar="other|left-out",
            help="How to treat rows whose key is not declared: count them in one more cell, the last, or leave them "
            "out. A missing key is such a key unless it is declared.",
            show_default="other",
        ),
    ] = None,
    where: Annotated[
        str,
        QUESTION.option(
            metavar="EXPR",
            help='Which rows to count: one SQL condition on the columns of a row, such as "age >= 65".',
            show_default="all",
        ),
    ] = "TRUE",
    max_count: Annotated[
        str | None,
        QUESTION.option(
            "--max",
            metavar="COUNT",
            help="The largest count of a cell, chosen without looking at the data; a larger true count is treated as "
            "this. Required under add-remove, unless every cell has a total.",
            show_default="the number of rows (or units) under replace-one",
        ),
    ] = None,
    max_cells: Annotated[
        str | None,
        QUESTION.option(
            metavar="K",
            help="The largest number of cells in which a unit counts: the first that it reaches, in the order of the "
            "keys, or with keys from-data some that a lot decides. Required with --unit, unless --rows-per-unit is "
            "given; the cost grows with it.",
        ),
    ] = None,
    round_trip: Annotated[
        str | None,
        QUESTION.option(
            metavar="total=N",
            help="Also give counts that add up to N, the public total of what is counted in the cells: the released "
            "counts with the least change, within the range of each cell. Costs nothing.",
        ),
    ] = None,
    explain: Annotated[
        bool,
        OUTPUT.option(
            "--explain",
            help="Release nothing and charge nothing: check keys, options and the columns of the source without "
            "judging any row, and show the cost, the ranges and how often a count is off. Under replace-one the rows, "
            "or units, are counted, since their number is public.",
        ),
    ] = False,
    at_delta: AtDelta = None,
    as_json: Annotated[
        bool,
        OUTPUT.option(
            "--json",
            help="Print the receipt instead of text. It has the counts in the order of its keys, with the cell of "
            "undeclared keys last.",
        ),
    ] = False,
    output: Annotated[
        str | None,
        OUTPUT.option(
            metavar="FILE",
            help="Also write all cells to this file, .csv or .parquet. An existing file is replaced.",
        ),
    ] = None,
    receipt_file: Annotated[
        str | None,
        OUTPUT.option(
            "--receipt",
            metavar="FILE",
            help="Also write the receipt, as JSON, to this file. An existing file is replaced.",
        ),
    ] = None,
) -> Answer:
    """Release a table of private counts, one for each cell.

    Each cell is drawn at --epsilon and --delta. The whole table promises, and costs, k times epsilon and 1 - (1 -
    delta)^k, where k is the number of cells that one change can affect. k is 1 under add-remove and 2 under
    replace-one, or 1 where one of two cells is what the public number of rows leaves (one declared key, and all
    others); with --unit it is --max-cells, or twice that. With --rows-per-unit it is 1 or 2, and each cell is drawn
    such that so many rows together keep --epsilon and --delta.

    The text shows the first cells, or all of them if no --output, --receipt or --ledger keeps them.

    Example: hushcount table people.csv --by region --keys regions.csv --epsilon 0.5 --output table.csv
    """
    from hushcount.cli.progress import part_bar
    from hushcount.counting.predicate.groups import FromFile
    from hushcount.files.whole_files import checked_target
    from hushcount.release.answer import answer
    from hushcount.release.inputs import inputs_of
    from hushcount.release.subject import Subject
    from hushcount.release.table.asked import table_question
    from hushcount.release.table.cells import declared_groups
    from hushcount.release.table.output import check_output, table_file
    from hushcount.release.table.round_trip import round_trip as adding_up
    from hushcount.release.table.text import MOST_SHOWN

    options = reading.given()
    given, total = _groups(by), _total(round_trip)
    if total is not None and as_json and output is None:
        raise BadUse("--round-trip with --json needs --output FILE, which has both counts")
    if explain:
        check_explain(json=as_json, output=output, receipt=receipt_file)
    told_at = asked_delta(at_delta, is_receipt=as_json)
    payment = charging.payment()
    relation = drawing.adjacency_for(payment)
    place = source.place(is_needed=payment is None)
    subject = Subject.of(place, options, units.unit, units.without_unit, payment, rows_per_unit=units.rows)
    files = [group.path for group in given if isinstance(group, FromFile)]
    inputs = inputs_of(subject, charging.ledger, totals, keys, drawing.mechanism, *files)
    if output is not None:
        check_output(output, [group.name for group in given])
    target = None if output is None else checked_target(output, "output", *inputs)
    receipt_target = None if receipt_file is None else checked_target(receipt_file, "receipt", *inputs)
    if target is not None and target == receipt_target:
        raise InvalidParameter("receipt", receipt_file, "another file than --output")
    law = drawing.law_for(subject)
    delimiter = delimiter_of(keys_delimiter)
    groups = declared_groups(subject, given, delimiter)
    question = table_question(
        subject,
        groups,
        _keys(groups, keys, subject.options.null),
        where,
        drawing.asked(payment),
        adjacency=relation,
        max_count=None if max_count is None else whole(max_count, "max_count"),
        max_cells=None if max_cells is None else whole(max_cells, "max_cells", least=1),
        totals=totals,
        keys_delimiter=delimiter,
        undeclared=undeclared,
        mechanism=law,
        adds_up_to=total,
    )
    if output is not None:
        check_output(output, question.names)
    hints = _hints(question)
    if explain:
        from hushcount.release.table.preview import preview

        return Answer(f"{preview(question, payment, told_at)}\n", note=hints)
    with part_bar("drawing") as progress:
        found = answer(question, payment, progress)
    receipt = question.named(found.receipt)
    adjusted = None if total is None else adding_up(receipt.released, total, receipt.tops)
    if receipt_target is not None:
        keep(receipt_target, receipt.to_json(), receipt)
    if target is not None and output is not None:
        keep(target, table_file(output, receipt, adjusted), receipt, "table", receipt_file)
    note = " ".join(filter(None, [found.note, hints, _one_draw(question, receipt)]))
    if as_json:
        return Answer(receipt.to_json(), note=note)
    if output is not None:
        most, rest = MOST_SHOWN, f", in {printable(output)}"
    elif receipt_file is not None:
        most, rest = MOST_SHOWN, ", in the receipt; --output FILE writes all of them"
    elif charging.ledger is not None:
        most, rest = MOST_SHOWN, "; asked again with --output FILE, which writes all of them, it costs nothing"
    else:
        most, rest = None, ""
    text = receipt.to_text(
        adjusted=adjusted,
        most=most,
        rest=rest,
        at_delta=told_at,
        aim=question.law.aim,
    )
    return Answer(f"{text}\n", note=note)


def _hints(question: AskedTable) -> str:
    """Return what to know about the keys, and about the total that counts are to add up to; never of those from the
    data."""
    from hushcount.counting.cells.found import FoundCells
    from hushcount.counting.predicate.groups import Banded
    from hushcount.release.table.question import TableQuestion

    hints, cells = [], question.cells
    is_found = isinstance(cells, FoundCells)
    if not isinstance(cells, FoundCells) and not cells.keys.all_composed:
        hints.append(
            "A key is not in Unicode's composed form (NFC), and texts are compared by code points: a letter with an "
            "accent can be one or two, and a key finds only rows that spell it alike."
        )
    if not isinstance(cells, FoundCells):
        hints += [_as_text(texts.to_pylist()) for texts in cells.keys.texts]
    for group in cells.groups:
        if isinstance(group, Banded) and group.gaps:
            several = f", and {len(group.gaps) - 3:,} more ranges" if len(group.gaps) > 3 else ""
            lie = f"Between the bands of {group.name} is {', '.join(group.gaps[:3])}{several}"
            what = "is in no group" if is_found else "counts as an undeclared key does"
            hints.append(f"{printable(lie)}, which {what}.")
    if isinstance(question, TableQuestion) and question.adds_up_to is not None and _is_narrowed(question):
        hints.append(
            "The total of --round-trip must be that of what is counted in the cells, after --where, --unit and "
            "--undeclared; if it is that of all rows, the adjusted counts are too large."
        )
    return " ".join(filter(None, hints))


def _as_text(keys: Sequence[str | None]) -> str:
    """Return what to know of a key that is spelled like a missing value, and is a text, if the missing key is not
    declared beside it."""
    spelled = next((key for key in keys if key is not None and key.strip("()").lower() in _LIKE_MISSING), None)
    if spelled is None or None in keys:
        return ""
    return (
        f"The key {spelled!r} is a text. The key of missing values is nan, without quotes, or what --null declares; in "
        "a file it is an empty field if nothing is declared."
    )


def _one_draw(question: AskedTable, receipt: TableReceipt) -> str:
    """Return how nearly the same table would have been one draw, which costs half as much."""
    from hushcount.release.table.question import TableQuestion

    by = question.one_draw_by if isinstance(question, TableQuestion) and receipt.public_total is None else None
    return "" if by is None else f"As one draw, {by}, nearly the same table costs half as much: --explain shows it."


def _is_narrowed(question: TableQuestion) -> bool:
    cells = question.cells
    return question.predicate.sql != "TRUE" or cells.unit is not None or not cells.keeps_other


def _groups(by: str) -> list[Group]:
    from hushcount.counting.predicate.groups import Group, parse_groups

    return parse_groups(by) or [Group(name) for name in _columns(by)]


def _columns(by: str) -> list[str]:
    try:
        records = list(csv.reader(io.StringIO(by), skipinitialspace=True, strict=True))
    except csv.Error:
        records = []
    if len(records) != 1:
        raise InvalidParameter("by", by, "names of columns with commas between them, quoted as in CSV")
    return records[0]


def _keys(groups: Sequence[Group], given: str | None, null: str) -> Keys | FromData | str | None:
    from hushcount.counting.cells.completion import undeclared_names
    from hushcount.counting.cells.key_files import keys_or_file
    from hushcount.release.table.found import FROM_DATA

    if given == FROM_DATA.value:
        return FROM_DATA

    by = undeclared_names(groups) or [group.name for group in groups]
    return None if given is None else keys_or_file(given, by, null)


def _total(round_trip: str | None) -> int | None:
    if round_trip is None:
        return None
    name, _, number = round_trip.partition("=")
    if name != "total":
        raise InvalidParameter("round_trip", round_trip, "of the form total=N, with the public total N")
    return whole(number, "round_trip")
