"""`hushcount design`: the best private mechanism for a loss."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from hushcount.cli.answer import json_text
from hushcount.cli.options.groups import OUTPUT, QUESTION
from hushcount.cli.options.output import Json
from hushcount.cli.options.privacy import AnyPromise
from hushcount.cli.options.source import NumberDelimiter
from hushcount.cli.options.values import delimiter_of, name_of, no_delimiter, numbers, whole
from hushcount.errors import BadUse, InvalidParameter, TooLarge
from hushcount.inputs.arguments import nearest_name

if TYPE_CHECKING:
    from hushcount.mechanisms.base import Mechanism
    from hushcount.optimal_set.designing import Design
    from hushcount.optimal_set.diagonals import RightWhere
    from hushcount.optimal_set.losses import Loss
    from hushcount.optimal_set.objective import Prior
    from hushcount.promise.curve import Curve

__all__ = ["design"]

_MOST_RUNS = 20
"""The most lines of chances that a reader bears."""


def design(
    n: Annotated[
        str,
        QUESTION.option(
            metavar="COUNT",
            help="The largest possible count, at most 16383; at most 256 with a property, --optimal or a loss that "
            "falls away from the true count.",
        ),
    ],
    promise: AnyPromise,
    loss: Annotated[
        str,
        QUESTION.option(
            metavar="absolute|squared|zero-one|FILE",
            help="The loss to minimize: |error|, its square, the probability of being wrong, or a loss of your own: a "
            "CSV file with a line for each true count 0..n, which has a number for each released count 0..n.",
        ),
    ] = "absolute",
    prior: Annotated[
        str,
        QUESTION.option(
            metavar="worst|uniform|W,W,...",
            help="How true counts are weighted: the worst case, equal weights, or n + 1 weights that sum to 1.",
        ),
    ] = "worst",
    delimiter: NumberDelimiter = None,
    required: Annotated[
        list[str] | None,
        QUESTION.option(
            "--property",
            metavar="NAME",
            help="A property to require: fairness, weak-honesty, row-honesty, column-honesty, row-monotonicity, "
            "column-monotonicity or symmetry. May be repeated.",
        ),
    ] = None,
    optimal: Annotated[
        bool,
        QUESTION.option("--optimal", help="Only mechanisms with the least worst-case error probability."),
    ] = False,
    weights: Annotated[
        str | None,
        QUESTION.option(
            metavar="W,W,...|FILE",
            help="In place of a loss: be right as often as possible in proportion to these n + 1 weights, one for each "
            "true count from 0; 4x11,1x190 stands for 4 eleven times, then 1. Or a CSV file of them.",
        ),
    ] = None,
    chances: Annotated[
        str | None,
        QUESTION.option(
            metavar="P,P,...|FILE",
            help="In place of a loss: be right at least this often, one chance for each true count from 0, given as "
            "--weights are, or be refused with the first count at which that cannot be had.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        OUTPUT.option(
            metavar="FILE",
            help="Save the mechanism to this .csv or .json file, for the --mechanism of a release. An existing file "
            "is replaced.",
        ),
    ] = None,
    as_json: Json = False,
) -> str:
    """Design the best private mechanism for a loss.

    Takes no data. Finds the mechanism on 0..n with the least expected loss of all that keep the promise, proves that it
    keeps it, and bounds how far it is from the best possible.

    Example: hushcount design --n 7 --epsilon 0.5 --loss absolute --property fairness --output mechanism.csv
    """
    from hushcount.files.whole_files import checked_target
    from hushcount.optimal_set import OptimalSet, design as designed
    from hushcount.optimal_set.imposed import NAMES
    from hushcount.promise.epsilon_delta import EpsilonDelta
    from hushcount.saved.files import form_of

    top = whole(n, "n")
    if output is not None:
        form_of(output)
        checked_target(output, "output")
    if weights is not None or chances is not None:
        if (loss, prior, required, optimal) != ("absolute", "worst", None, False):
            raise BadUse("--weights and --chances stand alone: without a loss, a prior, a property and --optimal")
        return _right_where(top, promise.promise(), weights, chances, output, delimiter=delimiter, as_json=as_json)
    losses, over, names = (
        _loss(loss, delimiter),
        _prior(prior),
        [name_of(each, "property", NAMES) for each in required or ()],
    )
    if optimal:
        pair = promise.promise()
        if not isinstance(pair, EpsilonDelta):
            raise BadUse(f"--optimal is for --epsilon and --delta only (got {pair.in_words()})")
        found = OptimalSet(top, pair.epsilon, pair.delta).best(losses, over, properties=names)
    else:
        found = designed(top, promise.promise(), loss=losses, prior=over, properties=names)
    asked = {"loss": loss, "prior": prior, "optimal": "yes" if optimal else "no"}
    if output is not None:
        found.save(output, notes=asked)
    if as_json:
        return json_text({**found.to_dict(), "asked": asked, "saved_to": output})
    return _text(found, asked, output)


def _loss(text: str, delimiter: str | None) -> Loss:
    from hushcount.files.csv_numbers import csv_lines, number_rows
    from hushcount.optimal_set.losses import LOSSES

    if text in LOSSES:
        no_delimiter(delimiter)
        return text
    if not os.path.isfile(text):  # no text is an error here, even one too long for a name
        raise InvalidParameter(
            "loss", text, f"one of {', '.join(LOSSES)}, or a CSV file of losses", nearest_name(text, LOSSES)
        )
    where = Path(text)
    with csv_lines(where) as lines:
        return [row for _, row in number_rows(where, lines, delimiter=delimiter_of(delimiter))]


def _prior(text: str) -> Prior:
    return text.split(",") if "," in text else text


def _text(found: Design, asked: dict[str, str], saved_to: str | None) -> str:
    from hushcount.words.paragraphs import wrapped
    from hushcount.words.printable import printable

    mechanism = found.mechanism
    over = {"worst": "worst case over true counts", "uniform": "mean over true counts"}
    among = "mechanisms with the least worst-case error probability" if asked["optimal"] == "yes" else "all mechanisms"
    lines = [
        f"Range       0 to {mechanism.n}",
        f"Promise     {found.privacy.in_words()}: proved",
        f"Among       {among}" + (f" with {', '.join(found.properties)}" if found.properties else ""),
        f"Loss        {printable(asked['loss'])}, {over.get(asked['prior'], 'mean with the given weights')}",
        "",
        f"Its loss                       {found.loss:.10g}",
        f"No such mechanism is below     {found.lower_bound:.10g}",
        f"Chance to be wrong, worst      {mechanism.error_probability:.6g}",
        *_expected_error(mechanism),
        "",
        wrapped(found.basis.value),
    ]
    if saved_to is not None:
        lines += ["", f"Saved to {printable(saved_to)}"]
    return "\n".join([*lines, ""])


def _expected_error(mechanism: Mechanism) -> list[str]:
    try:
        return [f"Expected |error|, worst        {mechanism.expected_absolute_error():.6g}"]
    except TooLarge:  # it is searched for among a few thousand true counts only
        return []


def _right_where(
    top: int,
    promise: Curve,
    weights: str | None,
    chances: str | None,
    output: str | None,
    *,
    delimiter: str | None,
    as_json: bool,
) -> str:
    from hushcount.optimal_set.diagonals import LARGEST, right_where

    if weights is not None and chances is not None:
        raise BadUse("one of --weights and --chances is enough")
    found = right_where(
        top,
        promise,
        weights=None if weights is None else numbers(weights, "weights", LARGEST, delimiter),
        chances=None if chances is None else numbers(chances, "chances", LARGEST, delimiter),
    )
    if output is not None:
        found.save(output)
    if as_json:
        asked = {"weights": weights, "chances": chances}
        return json_text({**found.to_dict(), "asked": asked, "saved_to": output})
    return _right_text(found, output, is_asked=chances is not None)


def _right_text(found: RightWhere, saved_to: str | None, *, is_asked: bool) -> str:
    from hushcount.mechanisms import nearest
    from hushcount.words.printable import printable

    told = "Least, of what is asked for     " if is_asked else "Chance to be right, per weight  "
    everywhere = 1 - nearest(found.mechanism.n, found.privacy).error_probability
    lines = [
        f"Range       0 to {found.mechanism.n}",
        f"Promise     {found.privacy.in_words()}: proved",
        "",
        f"{told}{found.factor:.10g}",
        f"No such mechanism is above      {found.factor_bound:.10g}",
        f"nearest, for every true count   {everywhere:.6g}",
        "",
        *_chance_table(found.chances),
        *([] if saved_to is None else ["", f"Saved to {printable(saved_to)}"]),
    ]
    return "\n".join([*lines, ""])


def _chance_table(chances: Sequence[float]) -> list[str]:
    """Return the chances, those next to one another that agree to four digits in one line."""
    from hushcount.words.tables import aligned

    runs, first = [("True count", "Chance to be right")], 0
    for text, run in groupby(f"{chance:.4g}" for chance in chances):
        last = first + len(list(run)) - 1
        runs.append((f"{first}" if first == last else f"{first}..{last}", text))
        first = last + 1
    shown, others = runs[: _MOST_RUNS + 1], len(runs) - 1 - _MOST_RUNS
    more = [f"... {others:,} more; all are in the JSON (--json)"] if others > 0 else []
    return [*aligned(shown), *more]
