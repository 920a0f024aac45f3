"""`hushcount budget create`: a budget, and the ledger for it."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.answer import Answer, json_text
from hushcount.cli.options.budget import LedgerOption
from hushcount.cli.options.groups import BUDGET, PRIVACY, SOURCE
from hushcount.cli.options.output import Json
from hushcount.cli.options.privacy import Adjacency, Rho, UnitColumn, WithoutUnit
from hushcount.cli.options.source import Reading, given_place
from hushcount.errors import BadUse, InvalidParameter

__all__ = ["create"]


def create(
    name: Annotated[
        str, BUDGET.argument(metavar="NAME", help="The name of the budget; use one budget for each data set.")
    ],
    ledger: LedgerOption,
    reading: Reading,
    epsilon: Annotated[
        str | None,
        PRIVACY.option(
            metavar="NUMBER",
            help="The epsilon that all releases together may cost: under basic composition, the sum of theirs. A "
            "decimal (0.5, 1e-3) or a ratio (1/3), taken exactly. One of --epsilon, --mu and --rho is needed.",
            show_default=False,
        ),
    ] = None,
    delta: Annotated[
        str,
        PRIVACY.option(
            metavar="NUMBER", help="The delta that they may cost, >= 0 and < 1; 0 allows only releases with delta 0."
        ),
    ] = "0",
    mu: Annotated[
        str | None,
        PRIVACY.option(
            metavar="NUMBER",
            help="In place of epsilon: the sum of the mu^2 of all releases may come to the square of this. Releases at "
            "an epsilon are charged the mu that they keep, with their delta beside, up to --delta.",
            show_default=False,
        ),
    ] = None,
    rho: Rho = None,
    adjacency: Adjacency = "replace-one",
    protects: Annotated[
        str | None,
        PRIVACY.option(
            metavar="WORD",
            help="Whom the budget protects, in a word, such as person. Without --source, --unit is an older name for "
            "it.",
            show_default="row, or unit with --unit",
        ),
    ] = None,
    composition: Annotated[
        str,
        PRIVACY.option(
            metavar="basic|tight",
            help="How releases compose. basic: epsilons and deltas are summed. tight: privacy losses are composed at "
            "the budget's delta, which allows more; all releases must then have the epsilon and delta of the first.",
        ),
    ] = "basic",
    source: Annotated[
        str | None,
        SOURCE.option(
            metavar="FILE|URL",
            help="The first source that the budget lists. It is read once, and releases need not name it. - is "
            "standard input. Without a source, the budget is for a data owner who asks alone.",
        ),
    ] = None,
    source_name: Annotated[
        str | None, SOURCE.option(metavar="NAME", help="The name of the data on standard input, which stays theirs.")
    ] = None,
    unit: UnitColumn = None,
    without_unit: WithoutUnit = None,
    as_json: Json = False,
) -> Answer:
    """Set the budget of a data set.

    Creates the ledger if there is none yet; no other command does. Neither the budget nor its terms can be changed
    later. A source is listed with how it is read and the types of all its columns, and releases are judged by that
    alone.

    Example: hushcount budget create people --source people.csv --ledger people.ledger --epsilon 1 --protects person
    """
    from hushcount.counting import ReadOptions
    from hushcount.ledger import create_budget

    given = reading.given()
    if epsilon is mu is rho is None:
        raise BadUse("the total is missing: one of --epsilon, --mu and --rho is needed")
    if source is None:
        for option in given:
            raise InvalidParameter(option, None, "given with --source, which it is about")
    made = create_budget(
        ledger,
        name,
        epsilon,
        delta,
        mu=mu,
        rho=rho,
        adjacency=adjacency,
        protects=protects,
        source=given_place(source, source_name),
        options=None if source is None else ReadOptions(**given),
        unit=unit,
        without_unit=without_unit,
        composition=composition,
    )
    told = [str(made), *(each.to_text(made.terms.protects) for each in made.sources)]
    text = json_text(made.to_dict()) if as_json else "\n".join(f"{each}\n" for each in told)
    return Answer(text, note=" ".join(note for each in made.sources for note in each.schema.notes))
