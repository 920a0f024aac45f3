"""Exact confidence bounds of a probability from counts (Clopper and Pearson), rigorously rounded outward.

With N trials, x successes and an error e, the true probability is, with chance >= 1 - e, at least the p at which x or
more successes have chance e. With the same chance it is at most the p at which x or fewer have chance e ([CP34]). These
chances are regularized incomplete beta functions, I_p(x, N - x + 1) and I_(1-p)(N - x, x + 1), here as balls; a
false-position search keeps an end that is surely on the safe side, and stops within a relative 1e-9 of the bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx

from hushcount.numbers.enclosure import ball

__all__ = ["largest_probability", "least_probability"]

_BITS = 128
_CLOSE = 1e-9
_MOST_STEPS = 100


def least_probability(successes: int, trials: int, error: Fraction) -> float:
    """Return the Clopper-Pearson lower bound at a one-sided error, 0 < error < 1; 0.0 without a success.

    The search starts from x / (N e) error^(1/x): the chance of x or more is at most (N e p / x)^x. The error may be
    below every float, so it is taken by its logarithm.
    """
    if successes == 0:
        return 0.0
    a, b = successes, trials - successes + 1
    start = successes / (trials * math.e) * math.exp(_log(error) / successes)
    return _safe_end(lambda p: p.beta_lower(a, b, 1), start * (1 - 1e-6), 0.0, successes / trials, error)


def largest_probability(successes: int, trials: int, error: Fraction) -> float:
    """Return the Clopper-Pearson upper bound at a one-sided error, 0 < error < 1; 1.0 without a failure.

    The search starts from (x + L + sqrt(L^2 + 2 x L)) / N with L = -ln(error), which Chernoff's bound allows.
    """
    if successes == trials:
        return 1.0
    a, b = trials - successes, successes + 1
    log = -_log(error)
    start = (successes + log + math.sqrt(log * log + 2 * successes * log)) / trials
    return _safe_end(
        lambda p: (1 - p).beta_lower(a, b, 1), min(1.0, start * (1 + 1e-6)), 1.0, successes / trials, error
    )


def _log(error: Fraction) -> float:
    with ctx.workprec(_BITS):
        return float(ball(error).log().mid())


def _safe_end(chance: Callable[[arb], arb], safe: float, surely_safe: float, unsafe: float, error: Fraction) -> float:
    with ctx.workprec(_BITS):
        limit, level = ball(error), _log(error)

        def height(p: float) -> tuple[bool, float]:
            found = chance(arb(p))
            mid = found.mid()
            return bool(found <= limit), float(mid.log().mid()) - level if mid > 0 else -math.inf

        is_safe, low = height(safe)
        if not is_safe:
            safe, low = surely_safe, -math.inf
        _, high = height(unsafe)
        repeated = 0
        for _ in range(_MOST_STEPS):
            if abs(unsafe - safe) <= _CLOSE * unsafe:
                break
            share = high / (high - low) if low < 0 < high and math.isfinite(high - low) else 0.5
            # A little past the estimate, so that both ends close in.
            past = math.copysign(_CLOSE / 4 * unsafe, (safe - unsafe) * (1 if repeated < 1 else -1))
            middle = unsafe + (safe - unsafe) * share + past
            if not min(safe, unsafe) < middle < max(safe, unsafe):
                middle = (safe + unsafe) / 2
            is_safe, found = height(middle)
            if is_safe:  # the Illinois rule: an end that stays twice counts half
                safe, low, high, repeated = middle, found, high / (2 if repeated > 0 else 1), 1
            else:
                unsafe, high, low, repeated = middle, found, low / (2 if repeated < 0 else 1), -1
    return safe
