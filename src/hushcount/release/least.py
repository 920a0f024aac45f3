"""How far a count is from the least error possible where one change may move it by several rows.

A count of which any S rows together keep (epsilon, delta) is drawn at `promise.per_row(S)`, by a mechanism that is
right as often as that allows and also near. A mechanism made for S rows at once can be right more often, as often as
`least_error_probability` says; but the one that is known to be wraps around, so that no release uses it.
"""

from __future__ import annotations

from fractions import Fraction

from hushcount.mechanisms.least_error import least_error_probability
from hushcount.numbers.text import lower_text
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.release.guarantee import Guarantee
from hushcount.words.paragraphs import wrapped

__all__ = ["least_error", "least_lines"]

_DIGITS = 4


def least_error(guarantee: Guarantee) -> float | None:
    """Return the least error probability of all mechanisms that keep the promise where one change moves a count by as
    many rows as may count; None for one row, where `nearest` has it, and for other promises than one (epsilon, delta),
    for which it is not known."""
    promise = guarantee.promise
    if guarantee.moves == 1 or not isinstance(promise, EpsilonDelta):
        return None
    return least_error_probability(guarantee.maximum, promise.epsilon, promise.delta, sensitivity=guarantee.moves)


def least_lines(guarantee: Guarantee) -> list[str]:
    """Return the same for people, beside the error of what draws the count, in lines."""
    least = least_error(guarantee)
    if least is None:
        return []
    ours, bound = (f"{lower_text(100 * Fraction(chance), _DIGITS)}%" for chance in (guarantee.chances[0], least))
    return [
        "",
        wrapped(
            f"Where one change may move a count by {guarantee.moves:,}, any private mechanism is wrong in {bound} of "
            f"releases or more, and this one in {ours}."
        ),
    ]
