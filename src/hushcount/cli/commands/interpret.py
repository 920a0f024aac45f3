"""`hushcount interpret`: what released counts say about the true ones, from their receipts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from hushcount.cli.answer import json_text
from hushcount.cli.options.groups import OUTPUT, QUESTION, SOURCE
from hushcount.cli.options.output import Json
from hushcount.cli.options.privacy import AtDelta, asked_delta
from hushcount.cli.options.source import NumberDelimiter
from hushcount.cli.options.values import delimiter_of, no_delimiter, whole
from hushcount.cli.receipts import count_receipt, mechanism_in, table_receipt
from hushcount.errors import BadData, BadUse, InvalidParameter
from hushcount.words.unreadable import unreadable

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from hushcount.mechanisms import Mechanism
    from hushcount.reading.answers import AtLeast
    from hushcount.reading.count import Interpretation
    from hushcount.reading.table import TableInterpretation

__all__ = ["interpret"]

_LEVEL, _FALSE_ALARM = "0.95", "0.05"

_OPTIONS = {"suppress_below": "--suppress-below", "widest": "--widest", "round_to": "--round"}

MOST_DIGITS = 15
"""The most digits of a count in a file of weights: exact as a float."""


def interpret(
    receipts: Annotated[
        list[str],
        SOURCE.argument(
            metavar="RECEIPT...",
            help="The receipt of a release, as `release --output` or `--json` writes it; with --cells, one or more.",
        ),
    ],
    cells: Annotated[
        bool,
        QUESTION.option(
            "--cells",
            help="Read several counts: the sum and the histogram of the true counts, and with --level a confidence set "
            "for each. Give the receipt of a table (`hushcount table --receipt` writes it), or receipts of single "
            "counts, all of one mechanism, maximum, epsilon, delta and adjacency.",
        ),
    ] = False,
    level: Annotated[
        str | None,
        QUESTION.option(
            metavar="NUMBER",
            help="The level of the confidence set, > 0 and < 1, taken exactly; with --cells, of the set of each cell.",
            show_default=f"{_LEVEL}; with --cells no sets, unless another option needs them",
        ),
    ] = None,
    together: Annotated[
        bool,
        QUESTION.option(
            "--together",
            help="With --cells: make --level the probability that the sets of all m cells contain their true counts. "
            "Each set then has the level 1 - (1 - level) / m.",
        ),
    ] = False,
    count: Annotated[
        str | None,
        QUESTION.option(
            "--at-least",
            metavar="COUNT",
            help="Answer only whether the true count is at least this, with yes or no; with --cells, for each cell of "
            "a table.",
        ),
    ] = None,
    false_alarm: Annotated[
        str | None,
        QUESTION.option(
            metavar="NUMBER",
            help="With --at-least: the largest chance of a wrong yes, > 0 and < 1, taken exactly; with --together, of "
            "any in the table.",
            show_default=_FALSE_ALARM,
        ),
    ] = None,
    suppress_below: Annotated[
        str | None,
        OUTPUT.option(
            metavar="COUNT",
            help="With --cells: leave out released counts below this, their sets, and the sums that would tell them (a "
            "minimum frequency rule).",
        ),
    ] = None,
    widest: Annotated[
        str | None,
        OUTPUT.option(
            metavar="COUNT",
            help="With --cells: mark cells whose confidence set reaches over more than this, from its least count to "
            "its largest.",
        ),
    ] = None,
    round_to: Annotated[
        str | None,
        OUTPUT.option(
            "--round",
            metavar="BASE",
            help="With --cells: round the counts that are shown to multiples of this, such as 5, so that they add up "
            "to their rounded sum. For the output only: sets and sums are about the counts as released.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        OUTPUT.option(
            metavar="FILE",
            help="With --cells: write the confidence sets of all cells, or the answers, to this file, .csv or "
            ".parquet, one row for each cell in order, with its key and its released count. An existing file is "
            "replaced.",
        ),
    ] = None,
    prior: Annotated[
        str | None,
        QUESTION.option(
            metavar="uniform|FILE",
            help="The prior: uniform over all counts, or a CSV file of weights >= 0. The file has one weight a line, "
            "for each count from 0, or a count and its weight on each line; other counts have weight 0.",
            show_default="no posterior",
        ),
    ] = None,
    delimiter: NumberDelimiter = None,
    mechanism: Annotated[
        str | None,
        SOURCE.option(
            metavar="FILE",
            help="For a receipt of an audited mechanism: the file of the mechanism. Its SHA-256 is checked.",
        ),
    ] = None,
    at_delta: AtDelta = None,
    as_json: Json = False,
) -> str:
    """Show what a released count says about the true one.

    Uses the receipt alone: it reads no data and costs no budget. Prints the confidence set, the most likely counts and,
    if one exists, the unbiased estimate with an upper bound on its standard error. Whatever the true count is, the set
    contains it in at least the stated share of releases; this is exact, not an approximation. With --prior, also prints
    the mean, standard deviation and credible set of the posterior. With --cells, prints the sum and the histogram of
    the true counts of several releases and, with --level, a confidence set for each cell. With --at-least, answers that
    question alone, with the chance of yes and the largest that any private test has.

    Example: hushcount interpret receipt.json --level 0.99
    """
    from hushcount.reading.publication import LEAST

    told_at = asked_delta(at_delta)
    asked = {"suppress_below": suppress_below, "widest": widest, "round_to": round_to}
    rules = {name: whole(text, name, LEAST[name]) for name, text in asked.items() if text is not None}
    if cells or count is not None:
        no_delimiter(delimiter)
    if count is not None:
        if level is not None or prior is not None or rules:
            raise BadUse("--at-least is a question of its own, without --level, --prior and rules for what is shown")
        return _shown(
            _answers(receipts, cells, together, output, mechanism, whole(count, "count"), false_alarm), told_at, as_json
        )
    if false_alarm is not None:
        raise BadUse("--false-alarm is for --at-least")
    if cells:
        if prior is not None:
            raise BadUse("--prior is for one receipt, without --cells")
        return _shown(_table(receipts, level, together, rules, output, mechanism), told_at, as_json)
    _check_no_cells(together, output, rules)
    if len(receipts) > 1:
        raise BadUse(f"one receipt is read at a time (got {len(receipts)}), or several together with --cells")
    from hushcount.reading.count import interpret as interpreted

    found = interpreted(
        count_receipt(receipts[0]),
        level=_LEVEL if level is None else level,
        prior=_prior(prior, delimiter),
        mechanism=None if mechanism is None else mechanism_in(mechanism),
    )
    return _shown(found, told_at, as_json)


def _shown(found: Interpretation | TableInterpretation | AtLeast, at_delta: Fraction | None, as_json: bool) -> str:
    return json_text(found.to_dict(at_delta)) if as_json else f"{found.to_text(at_delta)}\n"


def _check_no_cells(together: bool, output: str | None, rules: dict[str, int]) -> None:
    given = {"--together": together, "--output": output is not None} | {_OPTIONS[name]: True for name in rules}
    for name, is_given in given.items():
        if is_given:
            raise BadUse(f"{name} is for the cells of a table, with --cells")


def _answers(
    receipts: list[str],
    cells: bool,
    together: bool,
    output: str | None,
    mechanism: str | None,
    count: int,
    false_alarm: str | None,
) -> AtLeast:
    from hushcount.reading.answers import at_least

    if not cells:
        _check_no_cells(together, output, {})
    if len(receipts) > 1:
        raise BadUse(f"--at-least is about one receipt (got {len(receipts)})")
    law, write = _outside(receipts, mechanism, output)
    receipt = table_receipt(receipts[0]) if cells else None
    found = at_least(
        receipt or count_receipt(receipts[0]),
        count,
        false_alarm=_FALSE_ALARM if false_alarm is None else false_alarm,
        simultaneous=together,
        mechanism=law,
    )
    write(found)
    return found


def _table(
    receipts: list[str],
    level: str | None,
    together: bool,
    rules: dict[str, int],
    output: str | None,
    mechanism: str | None,
) -> TableInterpretation:
    from hushcount.cli.progress import part_bar
    from hushcount.reading.publication import Publication
    from hushcount.reading.together import interpret_table

    law, write = _outside(receipts, mechanism, output)
    if level is None and (together or output is not None or rules):
        level = _LEVEL
    publication = Publication(**rules) if rules else None
    alone = table_receipt(receipts[0]) if len(receipts) == 1 else None
    with part_bar("reading") as progress:
        found = interpret_table(
            alone or [count_receipt(path, len(receipts)) for path in receipts],
            level=level,
            simultaneous=together,
            publication=publication,
            mechanism=law,
            progress=progress,
        )
    write(found)
    return found


def _outside(
    receipts: list[str], mechanism: str | None, output: str | None
) -> tuple[Mechanism | None, Callable[[TableInterpretation | AtLeast], None]]:
    """Return the mechanism that was brought along, and what writes the cells to the output, if there is one."""
    from hushcount.files.arrow_tables import check_table_file
    from hushcount.files.whole_files import checked_target, write_whole
    from hushcount.reading.output import cells_file

    inputs = receipts if mechanism is None else [*receipts, mechanism]
    if output is not None:
        check_table_file(output)
    target = None if output is None else checked_target(output, "output", *inputs)

    def write(found: TableInterpretation | AtLeast) -> None:
        if target is not None and output is not None:
            try:
                write_whole(target, cells_file(output, found))
            except OSError as error:
                raise BadUse(f"the cells could not be written: {error.strerror}") from None

    return None if mechanism is None else mechanism_in(mechanism), write


def _prior(text: str | None, delimiter: str | None) -> str | list[float] | dict[int, float] | None:
    if text is None or text == "uniform":
        no_delimiter(delimiter)
        return text
    from hushcount.files.csv_numbers import csv_lines, number_rows

    where = Path(text)
    try:
        with csv_lines(where) as lines:
            rows = list(number_rows(where, lines, names=("count", "weight"), delimiter=delimiter_of(delimiter)))
    except InvalidParameter:
        raise
    except (OSError, ValueError) as error:
        raise BadData(unreadable(text, error)) from None
    width = len(rows[0][1]) if rows else 0
    if width == 1:
        return [row[0] for _, row in rows]
    if width != 2:
        raise BadData(f"{text}: must hold weights, one a line, or lines of a count and its weight")
    weights: dict[int, float] = {}
    for line, (count, weight) in rows:
        if not (count.is_integer() and 0 <= count < 10**MOST_DIGITS):
            raise BadData(f"{text}: line {line} must begin with a count, of at most {MOST_DIGITS} digits")
        if int(count) in weights:
            raise BadData(f"{text}: line {line} gives {int(count)} a weight again")
        weights[int(count)] = weight
    return weights
