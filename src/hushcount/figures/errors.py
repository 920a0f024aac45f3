"""How wrong mechanisms are, against epsilon or mu."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.figures.curves import Curves
from hushcount.figures.parameters import parameters
from hushcount.figures.style import checked_scale, in_fixed_style
from hushcount.inputs.arguments import integer, listed
from hushcount.inputs.grid import Values, grid_values
from hushcount.mechanisms.by_name import named
from hushcount.numbers.exact import Number
from hushcount.privacy.subjects import LARGEST_EPSILON
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP

if TYPE_CHECKING:
    from fractions import Fraction

    from matplotlib.axes import Axes

    from hushcount.mechanisms import Mechanism

__all__ = ["DRAWN", "DRAWN_UNDER_MU", "MEASURES", "NOT_PRIVATE", "checked_epsilons", "checked_mus", "plot_errors"]

MEASURES: dict[str, tuple[Callable[[Mechanism], float], str]] = {
    "error_probability": (lambda mechanism: mechanism.error_probability, "chance to be wrong"),
    "absolute_error": (lambda mechanism: mechanism.expected_absolute_error(), "expected |error|"),
    "squared_error": (lambda mechanism: mechanism.expected_squared_error(), "expected squared error"),
    "bias": (lambda mechanism: mechanism.bias(), "largest |bias|"),
}
"""What can be drawn: how it is computed, and its name. Each is a worst case over true counts."""

NOT_PRIVATE = "(not private)"
"""Stands in a legend beside a mechanism that does not keep the epsilon and delta it is drawn at."""

RHO_ALONE = "(rho-zCDP alone)"
"""Stands in a legend beside a mechanism that does not keep the mu it is drawn at, but its rho."""

MOST_POINTS = 1000
"""The most epsilons of one curve; a picture has few more pixels."""

DRAWN = ("nearest", "canonical", "truncated-geometric", "folded-geometric", "exponential", "randomized-response")
"""The mechanisms drawn by default."""

DRAWN_UNDER_MU = ("nearest", "rounded-gaussian", "zcdp-gaussian")
"""Those drawn by default against mu."""


@in_fixed_style
def plot_errors(
    n: int,
    epsilons: Values | None = None,
    ax: Axes | None = None,
    *,
    mus: Values | None = None,
    delta: Number = 0,
    mechanisms: Iterable[str] | None = None,
    measure: str = "error_probability",
    scale: str = "linear",
    title: str | None = None,
) -> Axes:
    """Draw one error of several mechanisms on 0..n against epsilon or mu, the worst case over true counts.

    The legend marks a mechanism as not private where it does not keep what its parameters promise.

    Args:
        n: the largest count, an integer >= 0.
        epsilons: >= 0 in nats, in rising order, a list or a text such as "0.1:3:0.1"; kept exactly.
        ax: where to draw; by default the axes of a new figure.
        mus: in place of epsilons: > 0, in rising order, given in the same way.
        delta: 0 <= delta < 1; some mechanisms do not use it, and the clamped ones need it above 0. 0 beside mus.
        mechanisms: up to 11 of the names that `hushcount.compare` knows; by default `DRAWN` or `DRAWN_UNDER_MU`.
        measure: error_probability, absolute_error, squared_error or bias.
        scale: the scale of the error: linear or log.
        title: above the picture, as it is; "" for none.

    Returns:
        The axes.

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it.
        BadUse: matplotlib is not installed.
    """
    n, rate = integer(n, "n", least=0), EpsilonDelta.of(0, delta).delta
    asked, promises = _promises(epsilons, mus, rate)
    names = listed(
        (DRAWN if mus is None else DRAWN_UNDER_MU) if mechanisms is None else mechanisms,
        "mechanisms",
        "a list of names",
    )
    if not (names and all(isinstance(name, str) for name in names) and len(set(names)) == len(names)):
        raise InvalidParameter("mechanisms", names, "different names, at least one")
    if not (isinstance(measure, str) and measure in MEASURES):
        raise InvalidParameter("measure", measure, f"one of {', '.join(MEASURES)}")
    checked_scale(scale)
    compute, words = MEASURES[measure]
    given = parameters(n=n, delta=rate if mus is None else None)
    curves = Curves(ax, len(names))
    made = [[named(name, n, promise) for promise in promises] for name in names]
    values = [list(map(compute, each)) for each in made]  # all of them before anything is drawn
    for name, each, heights in zip(names, made, values, strict=True):
        is_private = all(mechanism.proven_privacy is not None for mechanism in each)
        shown = name if is_private else f"{name} {NOT_PRIVATE if mus is None else RHO_ALONE}"
        curves.add(np.array(asked, dtype=float), heights, shown, whole=f"{shown}, {given}")
    curves.name("epsilon, nats" if mus is None else "mu", f"{words}, worst case", scale=scale)
    return curves.finish(title, f"{words[0].upper()}{words[1:]}: {given}")


def _promises(
    epsilons: Values | None, mus: Values | None, delta: Fraction
) -> tuple[tuple[Fraction, ...], list[EpsilonDelta | GaussianDP]]:
    """Return the numbers, and the promises that they are of."""
    if mus is None:
        asked = checked_epsilons(() if epsilons is None else epsilons)
        return asked, [EpsilonDelta(epsilon, delta) for epsilon in asked]
    if epsilons is not None or delta:
        raise InvalidParameter("mus", None, "left out beside epsilons or a delta")
    asked = checked_mus(mus)
    return asked, [GaussianDP.of(mu) for mu in asked]


def checked_epsilons(epsilons: Values, argument: str = "epsilons") -> tuple[Fraction, ...]:
    """Return the epsilons exactly; `hushcount.sweeps.grid_values` says how they may be given.

    Raises:
        InvalidParameter: a value below 0 or above 1,000,000,000, or values not in rising order.
        TooLarge: more than 1,000 values.
    """
    found = _rising(epsilons, argument, "numbers >= 0")
    if not found[0] >= 0:
        raise InvalidParameter(argument, None, "numbers >= 0 in rising order")
    if not found[-1] <= LARGEST_EPSILON:
        raise InvalidParameter(argument, found[-1], f"numbers of at most {LARGEST_EPSILON:,}")
    return found


def checked_mus(mus: Values, argument: str = "mus") -> tuple[Fraction, ...]:
    """Return the mus exactly, given as epsilons may be.

    Raises:
        InvalidParameter: a value that is not above 0 or above 1,000,000,000, or values not in rising order.
        TooLarge: more than 1,000 values.
    """
    found = _rising(mus, argument, "numbers > 0")
    if not (found[0] > 0 and found[-1] <= LARGEST_EPSILON):
        raise InvalidParameter(argument, None, f"numbers > 0 in rising order, of at most {LARGEST_EPSILON:,}")
    return found


def _rising(values: Values, argument: str, rule: str) -> tuple[Fraction, ...]:
    found = grid_values(values, argument)
    if not len(found) <= MOST_POINTS:
        raise TooLarge(f"a curve has at most {MOST_POINTS:,} points (got {len(found):,})")
    if not all(a < b for a, b in pairwise(found)):
        raise InvalidParameter(argument, None, f"{rule} in rising order")
    return found
