"""How charges add up against a budget, and what is left."""

from __future__ import annotations

from collections import Counter
from enum import Enum
from fractions import Fraction
from functools import partial
from importlib.util import find_spec

from hushcount.errors import BadUse, TooLarge
from hushcount.ledger.amounts import Amount
from hushcount.numbers.exact import LARGEST_BITS
from hushcount.numbers.text import amount_text
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.mu_delta import MuDelta, left_in_words

__all__ = [
    "MOST_COUNTED",
    "Accounting",
    "Spent",
    "check_installed",
    "fits_tightly",
    "left_over",
    "more_that_fit",
    "not_covered",
    "total_of",
]

Spent = Counter[Amount]
"""How often each cost was charged."""

NOTHING = EpsilonDelta(Fraction(0), Fraction(0))

MOST_COUNTED = 10_000
"""So many charges that are still covered are counted, and no more."""


class Accounting(Enum):
    """What several charges cost together."""

    BASIC = "basic"
    TIGHT = "tight"
    GAUSSIAN = "gaussian"

    @property
    def meaning(self) -> str:
        """In a sentence for the curator who chooses."""
        return _MEANING[self]


_MEANING = {
    Accounting.BASIC: (
        "The sum of the epsilons and the sum of the deltas, exactly. Each request may be chosen by what was answered "
        "before."
    ),
    Accounting.TIGHT: (
        "The composed privacy loss at the budget's delta, which lets more through than the sums. The first charge "
        "settles the price, and all charges have the same; what is asked may depend on all earlier answers."
    ),
    Accounting.GAUSSIAN: (
        "The sum of mu^2 and the sum of the deltas, exactly, both up to totals that are fixed beforehand. A release at "
        "epsilon is charged the mu that it keeps. Each request may be chosen by what was answered before."
    ),
}


def check_installed(accounting: Accounting) -> None:
    """See that what the accounting needs is there, before a budget depends on it.

    Raises:
        BadUse: tight accounting, and dp-accounting is not installed.
    """
    if accounting is Accounting.TIGHT and find_spec("dp_accounting") is None:
        raise BadUse("tight composition needs the package dp-accounting: pip install 'hushcount[composition]'")


def left_over(left: Amount, cost: Amount) -> Amount | None:
    """What is left after a charge where sums are what counts, or None where `left` does not cover it.

    Raises:
        TooLarge: the exact remainder would have more bits than an amount may have.
    """
    (has, has_delta), (takes, takes_delta) = _parts(left), _parts(cost)
    first, delta = has - takes, has_delta - takes_delta
    if not (type(left) is type(cost) and first >= 0 and delta >= 0):
        return None
    _check_length(first, delta)
    return type(left)(first, delta)


def total_of(spent: Spent) -> tuple[Fraction, Fraction]:
    """The sums of epsilon, or in a budget in mu of mu^2, and of delta."""
    firsts, deltas = (
        sum((_parts(cost)[part] * times for cost, times in spent.items()), Fraction(0)) for part in (0, 1)
    )
    return firsts, deltas


def _parts(amount: Amount) -> tuple[Fraction, Fraction]:
    return amount.epsilon if isinstance(amount, EpsilonDelta) else amount.mu_squared, amount.delta


def fits_tightly(total: Amount, price: Amount, times: int) -> bool:
    """Whether `times` charges of one price stay within `total`: by the exact sums, or by `compose` at its delta.

    With one price for all, the largest number of charges is settled before anything is answered, and the charges are so
    many (epsilon, delta)-DP releases, whatever is asked in them and whatever was looked at before ([KOV15] section 3
    allows adaptive queries). For prices that depend on earlier answers, the composed loss of what was charged so far
    proves nothing ([RRUV16]); so there is no such function for several prices.

    Raises:
        TooLarge: the exact sums would have more bits than an amount may have.
        BadUse: dp-accounting is not installed and would be needed.
    """
    if isinstance(total, MuDelta) or isinstance(price, MuDelta):
        return False  # no ledger wrote that
    epsilon, delta = times * price.epsilon, times * price.delta
    _check_length(epsilon, delta)
    if epsilon <= total.epsilon and delta <= total.delta:
        return True
    from hushcount.privacy.composition import compose

    return compose([(price.epsilon, price.delta)] * times, total.delta).epsilon <= total.epsilon


def more_that_fit(total: Amount, price: Amount, times: int) -> int:
    """How many charges of one price still fit into `total` after `times`, counted up to `MOST_COUNTED`."""
    fit, step = 0, 1
    while step and fit < MOST_COUNTED:
        asked = min(fit + step, MOST_COUNTED)
        if fits_tightly(total, price, times + asked):
            fit, step = asked, 2 * step
        else:
            step //= 2
    return fit


def _check_length(*amounts: Fraction) -> None:
    for amount in amounts:
        if not max(amount.numerator.bit_length(), amount.denominator.bit_length()) <= LARGEST_BITS:
            raise TooLarge(
                f"the exact balance of the budget would have more than {LARGEST_BITS:,} bits; ask for a short decimal"
            )


def not_covered(requested: Amount, left: Amount, budget: str) -> str:
    """Why a cost is not charged to a budget, and what may be asked for instead."""
    return (
        f"the budget {budget!r} does not cover {requested.in_words(amount_text)}: "
        f"{left_in_words(left, partial(amount_text, to_ask_for=isinstance(left, EpsilonDelta)), ' and ')} are left"
    )
