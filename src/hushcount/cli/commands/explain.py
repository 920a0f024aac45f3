"""`hushcount explain`: the accuracy of a release, without data."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.answer import json_text
from hushcount.cli.options.groups import QUESTION
from hushcount.cli.options.meaning import Meaning
from hushcount.cli.options.output import Json
from hushcount.cli.options.privacy import AtDelta, Drawing, Units
from hushcount.cli.options.values import whole

__all__ = ["explain"]


def explain(
    n: Annotated[
        str,
        QUESTION.option(
            metavar="COUNT",
            help="The largest possible count: the number of rows under replace-one (of units with --unit, and S times "
            "that with --rows-per-unit S), the value of --max under add-remove.",
        ),
    ],
    drawing: Drawing,
    meaning: Meaning,
    units: Units,
    at_delta: AtDelta = None,
    as_json: Json = False,
) -> str:
    """Show the accuracy of a release, without data.

    Prints the range, the promise and the chances of being off, as a release with these parameters does.

    With --mechanism never-invented it also tells which true counts are released as 0, and how often.

    With --within and --chance it answers the other way round: the least promise with which the count is so near so
    often, with --mechanism and, beside it, with the one that is off by more than that as rarely as possible. --odds,
    --power and --implies do so for what the promise means: the weakest promise that still means as much.

    With --rows-per-unit the promise is that of a unit with all its rows: it also tells at what one row is drawn, and
    how far that is from the least error possible.

    Beside within:T stand nearest and, with --mu, rounded-gaussian: for some --n within:T is right almost never.

    Example: hushcount explain --n 1000 --epsilon 0.5
    Example: hushcount explain --n 4820 --within 5 --chance 0.95
    Example: hushcount explain --n 4820 --odds 3
    Example: hushcount explain --n 300 --epsilon 1 --unit patient --rows-per-unit 3
    Example: hushcount explain --n 40 --epsilon 1 --delta 1e-5 --mechanism never-invented
    """
    from hushcount.counting.declared.units import Unit
    from hushcount.mechanisms.chain.never_invented import NeverInvented
    from hushcount.mechanisms.names import distance_of
    from hushcount.promise.adjacency import Adjacency
    from hushcount.release.beside import Beside
    from hushcount.release.guarantee import Guarantee
    from hushcount.release.hidden import hidden_fields, hidden_lines
    from hushcount.release.law import Law
    from hushcount.release.least import least_error, least_lines
    from hushcount.release.text import explain as in_words, implied

    top, relation = whole(n, "n"), Adjacency(drawing.adjacency_for())
    drawing = meaning.filled(drawing, at_delta)
    unit = Unit.of(units.unit, units.without_unit or "error", units.rows)
    asked = Law.of(drawing.law(), drawing.asked(), 1 if unit is None else unit.moves)
    law, aim = asked.reaching([top]), asked.aim
    mechanism = law.at(top)
    guarantee = Guarantee.of(law, mechanism, relation, unit)
    far = distance_of(law.name) if aim is None else aim.accuracy.within
    beyond = {} if far is None else {far: mechanism.probability_beyond(far)}
    hidden = mechanism if isinstance(mechanism, NeverInvented) else None
    beside = Beside.of(law, [top], aim)
    if as_json:
        told: dict[str, object] = {"beyond": beyond} if beyond else {}
        told |= hidden_fields(hidden) if hidden else {}
        told |= beside.to_fields() if beside else {}
        least = least_error(guarantee)
        told |= {} if least is None else {"least_error_probability": least}
        asked_for = meaning.to_fields() if aim is None else aim.to_fields(top)
        return json_text(guarantee.to_fields() | implied(law.promise, at_delta) | told | asked_for)
    head = meaning.to_lines(at_delta) if aim is None else aim.to_lines(top)
    tail = [*least_lines(guarantee), *(["", *hidden_lines(hidden)] if hidden else [])]
    return "".join(f"{line}\n" for line in [*head, in_words(guarantee, at_delta, beyond, beside), *tail])
