"""`hushcount plot privacy-profile`: what mechanisms really guarantee."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from hushcount.cli.options.groups import QUESTION
from hushcount.cli.options.picture import NEEDED, ByName, Canvas, Mechanisms, Scale, matrix_in
from hushcount.cli.options.source import NumberDelimiter
from hushcount.cli.options.values import no_delimiter, whole
from hushcount.errors import BadUse, InvalidParameter
from hushcount.words.printable import printable

if TYPE_CHECKING:
    from hushcount.promise.curve import Curve

__all__ = ["privacy_profile"]

_STEPS = 60
_WITHOUT_CLAIM = 3
"""The epsilon up to which a profile is drawn where nothing is promised."""


def privacy_profile(
    canvas: Canvas,
    one: ByName,
    names: Mechanisms = None,
    matrices: Annotated[
        list[str] | None,
        QUESTION.option(
            "--matrix",
            metavar="FILE",
            help="A square matrix, one row per true count, in a .csv, .npy or .parquet file, or a saved mechanism in a "
            ".csv or .json file. May be repeated, and drawn beside mechanisms by name.",
        ),
    ] = None,
    delimiter: NumberDelimiter = None,
    at: Annotated[
        str | None,
        QUESTION.option(
            metavar="VALUES",
            help="The epsilons at which delta is found: numbers and ranges FIRST:LAST:STEP, in rising order. By "
            "default from 0 to twice --epsilon, or to what --mu implies at delta 1e-6, or to 3 without either.",
        ),
    ] = None,
    trade_off: Annotated[
        bool,
        QUESTION.option(
            "--trade-off",
            help="Instead draw the trade-off between the two errors of an adversary, and the least one that --epsilon "
            "and --delta, or --mu, allow; at most 512 outcomes.",
        ),
    ] = False,
    scale: Scale = "linear",
) -> str:
    """Draw what mechanisms really guarantee.

    Draws the least delta at each epsilon, found by an audit, for at most 11 mechanisms. A cross marks the epsilon and
    delta that a mechanism promises.

    Example: hushcount plot privacy-profile --n 7 --epsilon 1 --mechanism nearest --mechanism exponential --output p.png
    """
    from hushcount.figures import plot_privacy_profile, plot_tradeoff
    from hushcount.figures.errors import checked_epsilons
    from hushcount.mechanisms.by_name import named

    files = matrices or []
    picture = canvas.picture(*files)
    if trade_off and (at is not None or scale != "linear"):
        raise BadUse("--trade-off has no epsilons and one scale: leave out --at and --scale")
    shown: dict[str, Any] = {}
    claim = one.promise()
    if names or not files or one.n is not None:
        if one.n is None or claim is None:
            raise BadUse(NEEDED)
        top = whole(one.n, "n")
        shown = {name: named(name, top, claim) for name in names or ["nearest"]}
    if not files:
        no_delimiter(delimiter)
    for file in files:
        label = printable(Path(file).name)
        if label in shown:
            raise InvalidParameter("matrix", file, "a file of another name than the others")
        shown[label] = matrix_in(file, delimiter)
    if trade_off:
        return picture.draw(plot_tradeoff, shown, claim=claim)
    last = _last(claim)
    spread = [last * step / _STEPS for step in range(_STEPS + 1)]
    asked = checked_epsilons(spread if at is None else at, "at")
    return picture.draw(plot_privacy_profile, shown, asked, scale=scale)


def _last(claim: Curve | None) -> Fraction:
    """Return the epsilon up to which a profile is drawn: twice the one promised, or the one that mu implies at 1e-6."""
    from hushcount.promise.epsilon_delta import EpsilonDelta
    from hushcount.promise.mu_delta import AT_DELTA

    if isinstance(claim, EpsilonDelta):
        return 2 * claim.epsilon or Fraction(_WITHOUT_CLAIM)
    return (claim and claim.least_epsilon(AT_DELTA)) or Fraction(_WITHOUT_CLAIM)
