"""The mechanisms for a promise, under the names that commands, tables and pictures give them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import one_of
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.chain.never_invented import check_hides
from hushcount.mechanisms.chain.within import within
from hushcount.mechanisms.names import NEVER_INVENTED, ROUNDED_GAUSSIAN, distance_of
from hushcount.mechanisms.optima.canonical import canonical
from hushcount.mechanisms.optima.explicit_fair import explicit_fair
from hushcount.mechanisms.optima.nearest import nearest
from hushcount.mechanisms.peers.canonical_noise import clamped_canonical_noise, truncated_geometric
from hushcount.mechanisms.peers.clamped_gaussian import clamped_gaussian, zcdp_gaussian
from hushcount.mechanisms.peers.folded_geometric import folded_geometric
from hushcount.mechanisms.peers.geometric_rows import exponential, redrawn_geometric
from hushcount.mechanisms.peers.randomized_response import randomized_response, uniform
from hushcount.mechanisms.peers.rounded_gaussian import analytic_gaussian, rounded_gaussian
from hushcount.numbers.exact import Number
from hushcount.numbers.text import rounded_down
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.given import promise_of
from hushcount.promise.mu_delta import AT_DELTA

__all__ = ["ANALYTIC", "GAUSSIAN", "MECHANISMS", "NEEDS_DELTA", "check_name", "implied_epsilon", "named"]

MECHANISMS: Mapping[str, Callable[[int, Number, Number], Mechanism]] = MappingProxyType(
    {
        "nearest": nearest,
        "canonical": canonical,
        "clamped-canonical-noise": clamped_canonical_noise,
        "clamped-gaussian": clamped_gaussian,
        "explicit-fair": lambda n, epsilon, delta: explicit_fair(n, epsilon),
        "truncated-geometric": lambda n, epsilon, delta: truncated_geometric(n, epsilon),
        "folded-geometric": lambda n, epsilon, delta: folded_geometric(n, epsilon),
        "exponential": lambda n, epsilon, delta: exponential(n, epsilon),
        "randomized-response": randomized_response,
        "uniform": lambda n, epsilon, delta: uniform(n),
        "redrawn-geometric": lambda n, epsilon, delta: redrawn_geometric(n, epsilon),
    }
)
"""Each made from n, epsilon and delta, best first; a mechanism that ignores delta is what it is at delta 0."""

NEEDS_DELTA = ("clamped-canonical-noise", "clamped-gaussian")
"""The mechanisms of interest at delta > 0 only: at 0 the first is truncated-geometric, and the second does not
exist."""


GAUSSIAN: Mapping[str, Callable[[int, GaussianDP], Mechanism]] = MappingProxyType(
    {
        "nearest": nearest,
        ROUNDED_GAUSSIAN: rounded_gaussian,
        "zcdp-gaussian": lambda n, promise: zcdp_gaussian(n, promise.rho),
        "analytic-gaussian": lambda n, promise: analytic_gaussian(n, implied_epsilon(promise), AT_DELTA),
    }
)
"""Each made from n and mu, best first; zcdp-gaussian keeps the rho of that mu only."""

ANALYTIC = "analytic-gaussian"
"""It is made from n, epsilon and delta as well, but only where it is named."""

_MOST_USEFUL = 1024**2


def implied_epsilon(promise: GaussianDP) -> Fraction:
    """Return the epsilon that a mu implies at delta 1e-6, rounded down to six digits; 0 beyond mu 1,024, where it is
    only bounded."""
    least = promise.least_epsilon(AT_DELTA) if promise.mu_squared <= _MOST_USEFUL else None
    return rounded_down(least or Fraction(0))


def check_name(name: object, promise: Curve | None = None) -> None:
    """Check that a mechanism has this name: within:T, never-invented, or one of those for such a promise (one epsilon
    and delta, if none is given).

    Raises:
        InvalidParameter: none has.
    """
    if name == NEVER_INVENTED or (isinstance(name, str) and distance_of(name) is not None):
        return
    one_of(name, "mechanism", GAUSSIAN if isinstance(promise, GaussianDP) else [*MECHANISMS, ANALYTIC])


def named(name: str, n: int, epsilon: Number | Curve, delta: Number = 0) -> Mechanism:
    """Return the mechanism of that name for the counts 0..n and a promise: epsilon and delta, or a `GaussianDP`.

    Some ignore delta, and are what they are at delta 0.

    Raises:
        InvalidParameter: an unknown name, or a bad parameter.
    """
    check_name(name, epsilon if isinstance(epsilon, Curve) else None)
    distance = distance_of(name)
    if distance is not None:
        return within(n, epsilon, distance, delta)
    if name == NEVER_INVENTED:
        promise = promise_of(epsilon, delta)
        check_hides(promise, name)
        return nearest(n, promise, never_invented=True)
    if isinstance(epsilon, GaussianDP):
        return GAUSSIAN[name](n, epsilon)
    if isinstance(epsilon, EpsilonDelta):
        return named(name, n, epsilon.epsilon, epsilon.delta)
    if isinstance(epsilon, Curve):
        raise InvalidParameter("promise", None, "one epsilon and delta, mu or rho")
    return analytic_gaussian(n, epsilon, delta) if name == ANALYTIC else MECHANISMS[name](n, epsilon, delta)
