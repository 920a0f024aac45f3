"""`hushcount optimal-set`: what is known about all optimal mechanisms at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from hushcount.cli.answer import json_text
from hushcount.cli.options.groups import OUTPUT, QUESTION
from hushcount.cli.options.output import Json
from hushcount.cli.options.privacy import Promise
from hushcount.cli.options.values import whole

if TYPE_CHECKING:
    from hushcount.optimal_set import OptimalSet, Ranges

__all__ = ["optimal_set"]

_SHOWN = 12
"""The most outcomes for which a matrix of ranges is printed."""


def optimal_set(
    n: Annotated[str, QUESTION.option(metavar="COUNT", help="The largest possible count.")],
    promise: Promise,
    steps: Annotated[
        bool, OUTPUT.option("--steps", help="Also print the argument why all optima share these entries.")
    ] = False,
    as_json: Json = False,
) -> str:
    """Show what all optimal mechanisms have in common.

    Takes no data. A mechanism is optimal if it has the least worst-case error probability of all (epsilon, delta)-DP
    mechanisms on 0..n. Prints whether there is only one, whether all are invertible (of full rank), how far an entry
    can be from that of the canonical one (the radius, and its bound in closed form), which entries all share, and
    certified bounds on the others. Entries and ranges are computed for n up to 32, and printed for n up to 11; --json
    has them all.

    Example: hushcount optimal-set --n 4 --epsilon 0.5
    """
    from hushcount.optimal_set import OptimalSet

    optimal = OptimalSet(whole(n, "n"), promise.epsilon, promise.delta)
    if as_json:
        return json_text(_facts(optimal))
    return "\n".join([*_lines(optimal, steps), ""])


def _is_listed(optimal: OptimalSet) -> bool:
    """Return whether entries are computed one by one, and a singular optimum is looked for: where that takes seconds
    at most."""
    from hushcount.optimal_set.rank_search import LARGEST_SEARCHED

    return optimal.n < LARGEST_SEARCHED


def _is_searched(optimal: OptimalSet) -> bool:
    return optimal.is_full_rank_guaranteed or _is_listed(optimal)


def _facts(optimal: OptimalSet) -> dict[str, Any]:
    from hushcount.numbers.exact import exact_text

    facts: dict[str, Any] = {
        "n": optimal.n,
        "epsilon": exact_text(optimal.nearest.epsilon),
        "delta": exact_text(optimal.nearest.delta),
        "error_probability": optimal.error_probability,
        "is_unique": optimal.is_unique,
        "radius_bound": optimal.radius_bound,
        "full_rank_guarantee": optimal.full_rank_guarantee.to_dict(),
        "rank": optimal.rank().to_dict() if _is_searched(optimal) else None,
    }
    if _is_listed(optimal):
        facts |= {
            "radius": optimal.radius,
            "shared_entries": optimal.shared_entries.tolist(),
            "shared_sums": [vars(found) for found in optimal.shared_sums],
            "ranges": optimal.ranges.to_dict(),
            "propagation": optimal.propagate().to_dict(),
        }
    return facts


def _lines(optimal: OptimalSet, steps: bool) -> Iterator[str]:
    from hushcount.words.paragraphs import wrapped

    yield f"True counts 0 to {optimal.n}, {optimal.nearest.privacy.in_words()}"
    yield ""
    yield f"Least worst-case chance to be wrong   {optimal.error_probability:.10g}"
    yield f"Optimal mechanisms                    {'one' if optimal.is_unique else 'infinitely many'}"
    if _is_listed(optimal):
        yield f"Radius around the canonical one       {optimal.radius:.10g}"
    yield f"Its bound in closed form              {optimal.radius_bound:.10g}"
    yield ""
    yield wrapped(f"Rank: {optimal.rank().verdict.value if _is_searched(optimal) else optimal.full_rank_guarantee}")
    if optimal.is_full_rank_guaranteed:
        yield wrapped(str(optimal.full_rank_guarantee))
    yield ""
    if not _is_listed(optimal):
        yield "Entries are told one by one for n up to 32."
        return
    shared = int(optimal.shared_entries.sum())
    yield wrapped(
        f"Shared by all: {shared} of {optimal.shared_entries.size} entries, and for each true count i the chances to "
        "release at most i - 1 and at most i."
    )
    yield ""
    argument = optimal.propagate()
    if optimal.n < _SHOWN:
        yield str(argument)
        yield ""
        yield "Least and largest chance of each released count (columns), by true count (rows)"
        yield from _table(optimal.ranges)
    if steps:
        yield ""
        yield from (f"{number}. {step}" for number, step in enumerate(argument.steps, start=1))


def _table(ranges: Ranges) -> Iterator[str]:
    """Yield two lines for each row: the largest values above the least ones."""
    from hushcount.cli.words.decimals import decimals

    M = len(ranges.lower)
    yield "    " + "".join(f"{j:>8}" for j in range(M))
    for i in range(M):
        for name, values in ((str(i), ranges.upper[i]), ("", ranges.lower[i])):
            yield f"{name:>4}" + "".join(f"{decimals(value):>8}" for value in values.tolist())
