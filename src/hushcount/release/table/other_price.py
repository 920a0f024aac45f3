"""What a table would cost in the other currency, epsilon or mu, if its counts were right as often."""

from __future__ import annotations

from fractions import Fraction

from hushcount.mechanisms.accuracy import epsilon_for, mu_for
from hushcount.numbers.exact import Number
from hushcount.numbers.text import plain_at_most
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.mu_delta import AT_DELTA, checked_delta
from hushcount.release.table.guarantee import TableGuarantee
from hushcount.words.paragraphs import row

__all__ = ["other_price", "other_price_rows"]

_AS_ANY = 2**15
"""In a range so large, a count is right about as often as in any larger one, unless it is hardly ever right."""


def other_price(facts: TableGuarantee) -> tuple[Curve, Curve] | None:
    """Return the promise of the other kind for the draw of a cell, and that for the table.

    At the first of them, `nearest` is right at least as often as a count of the worst cell, whatever the true count is;
    it is the least of three significant digits (`epsilon_for`, `mu_for`). The second is what k cells come to. None
    where there is no such promise: a count is always or never right, or several pairs are promised at once.
    """
    n, chance = min(facts.cell.maximum, _AS_ANY), 1 - Fraction(facts.cell.chances[0])
    if not 0 < chance < 1 or (n < facts.cell.maximum and n * chance < 100):
        return None
    if isinstance(facts.cell.promise, EpsilonDelta):
        each: Curve = GaussianDP.of(mu_for(n, 0, chance))
    elif isinstance(facts.cell.promise, GaussianDP):
        each = EpsilonDelta.of(epsilon_for(n, 0, chance))
    else:
        return None
    return each, each.of_cells(facts.changed_cells)


def other_price_rows(facts: TableGuarantee, at_delta: Number | None = None) -> list[str]:
    """Return what the table would cost in the other currency, in a line that can be set beside its own price.

    Of a price in mu it is also said which epsilon it implies, at `at_delta` or else at 1e-6.
    """
    found = other_price(facts)
    if found is None:
        return []
    each, table = found
    asked = checked_delta(at_delta)
    implied = f" ({table.as_epsilon(AT_DELTA if asked is None else asked)})" if isinstance(table, GaussianDP) else ""
    told = f"{each.in_words(plain_at_most)} each is right as often, and costs {table.in_words(plain_at_most)}{implied}"
    return [row("Compare", told)]
