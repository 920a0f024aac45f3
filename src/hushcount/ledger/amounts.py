"""What a budget counts: epsilon and delta, or in a budget in mu, mu^2 and delta.

A budget in mu is charged for releases of both kinds (`MuDelta.covering`), since what is epsilon-DP is mu-GDP too. A
budget in epsilon and delta is charged for epsilon and delta alone: mu implies an epsilon at every delta > 0, and which
of these pairs to charge cannot be told from sums of epsilon and delta.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hushcount.errors import InvalidParameter
from hushcount.numbers.exact import exact, exact_text
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.mu_delta import MuDelta
from hushcount.promise.several import SeveralPairs

__all__ = ["Amount", "amount_in", "cost_of", "in_columns"]

Amount = EpsilonDelta | MuDelta
"""A total, a cost, or what is left."""

_SQUARED = "mu^2 "
"""Stands before an amount of mu^2 in the column of epsilon, so that no older hushcount reads it as an epsilon."""


def cost_of(promise: Curve, draws: int, total: Amount, budget: str) -> Amount:
    """Return what so many draws at a promise are charged in a budget with such a total.

    Of several pairs at once it is what the one with the least delta is charged: which one must not depend on answers.

    Raises:
        InvalidParameter: they cannot be charged to such a budget.
    """
    if isinstance(promise, SeveralPairs):
        promise = promise.of_least_delta
    if isinstance(total, MuDelta):
        return MuDelta.covering(promise, draws)
    if isinstance(promise, EpsilonDelta):
        return promise.of_cells(draws)
    rule = (
        "one in mu (`hushcount budget create --mu`) for a release in mu, which has no epsilon and "
        "delta of its own: it implies an epsilon at every delta, and no one of these pairs is its price"
    )
    raise InvalidParameter("budget", budget, rule)


def in_columns(amount: Amount, prefix: str = "") -> dict[str, str]:
    """Return an amount as an entry of the history keeps it: the columns `epsilon` and `delta`, `prefix` before each."""
    if isinstance(amount, EpsilonDelta):
        return amount.to_fields(prefix)
    delta = exact_text(amount.delta)
    return {f"{prefix}epsilon": f"{_SQUARED}{exact_text(amount.mu_squared)}", f"{prefix}delta": delta}


def amount_in(columns: Mapping[str, Any], prefix: str = "") -> Amount:
    """Return the amount that `in_columns` spelled.

    Raises:
        KeyError: a column is missing.
        InvalidParameter: it spelled nothing of the kind.
    """
    first = columns[f"{prefix}epsilon"]
    if not first.startswith(_SQUARED):
        return EpsilonDelta.from_fields(columns, prefix)
    return MuDelta(exact(first.removeprefix(_SQUARED), "mu_squared"), exact(columns[f"{prefix}delta"], "delta"))
