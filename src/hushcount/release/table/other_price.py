"""What a table would cost in the other currency, epsilon or mu, if its counts were as near as often."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.mechanisms.accuracy import Accuracy
from hushcount.numbers.exact import Number
from hushcount.numbers.text import plain_at_most
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.mu_delta import AT_DELTA, checked_delta
from hushcount.release.aim import Aim
from hushcount.release.table.guarantee import TableGuarantee
from hushcount.words.paragraphs import row

__all__ = ["other_price", "other_price_rows"]

_AS_ANY = 2**15
"""In a range so large, a count is right about as often as in any larger one, unless it is hardly ever right."""


def other_price(facts: TableGuarantee, aim: Aim | None = None) -> tuple[Curve, Curve] | None:
    """Return the promise of the other kind for the draw of a cell, and that for the table.

    At the first of them, `nearest` is right at least as often as a count of the worst cell, whatever the true count is;
    it is the least of three significant digits (`epsilon_for`, `mu_for`). The second is what k cells come to. None
    where there is no such promise: a count is always or never right, or several pairs are promised at once.

    Args:
        aim: an accuracy that was asked for; then the first promise is what reaches it, with the same mechanism.
    """
    if aim is not None:
        with suppress(InvalidParameter, TooLarge):
            tops = [facts.cell.maximum] if facts.maxima is None else facts.maxima
            each = Aim(aim.accuracy, in_mu=not aim.in_mu, rows=aim.rows).promise(tops, facts.cell.mechanism)
            return each, each.of_cells(facts.changed_draws)
        return None
    n, chance = min(facts.cell.maximum, _AS_ANY), 1 - Fraction(facts.cell.chances[0])
    if not 0 < chance < 1 or (n < facts.cell.maximum and n * chance < 100):
        return None
    if not isinstance(facts.cell.promise, EpsilonDelta | GaussianDP):
        return None
    in_mu = isinstance(facts.cell.promise, EpsilonDelta)
    other = Aim(Accuracy(0, chance), in_mu=in_mu, rows=facts.cell.moves).promise([n], "nearest")
    return other, other.of_cells(facts.changed_draws)


def other_price_rows(facts: TableGuarantee, at_delta: Number | None = None, aim: Aim | None = None) -> list[str]:
    """Return what the table would cost in the other currency, in a line that can be set beside its own price.

    Of a price in mu it is also said which epsilon it implies, at `at_delta` or else at 1e-6.
    """
    found = other_price(facts, aim)
    if found is None:
        return []
    each, table = found
    often = "right as often" if aim is None else "as near, as often"
    told = f"{each.in_words(plain_at_most)} each is {often}, and costs {table.in_words(plain_at_most)}"
    if not isinstance(table, GaussianDP):
        return [row("Compare", told)]
    asked = checked_delta(at_delta)
    return [row("Compare", told), row("", f"which implies {table.as_epsilon(AT_DELTA if asked is None else asked)}")]
