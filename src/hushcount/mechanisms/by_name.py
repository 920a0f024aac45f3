"""The mechanisms for an epsilon and a delta, under the names that commands, tables and pictures give them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from hushcount.inputs.arguments import one_of
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.optima.canonical import canonical
from hushcount.mechanisms.optima.explicit_fair import explicit_fair
from hushcount.mechanisms.optima.nearest import nearest
from hushcount.mechanisms.peers.canonical_noise import clamped_canonical_noise, truncated_geometric
from hushcount.mechanisms.peers.clamped_gaussian import clamped_gaussian
from hushcount.mechanisms.peers.folded_geometric import folded_geometric
from hushcount.mechanisms.peers.geometric_rows import exponential, redrawn_geometric
from hushcount.mechanisms.peers.randomized_response import randomized_response, uniform
from hushcount.numbers.exact import Number

__all__ = ["MECHANISMS", "NEEDS_DELTA", "named"]

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


def named(name: str, n: int, epsilon: Number, delta: Number = 0) -> Mechanism:
    """Return the mechanism of that name for the counts 0..n; some ignore delta, and are what they are at delta 0.

    Raises:
        InvalidParameter: an unknown name, or a bad parameter.
    """
    one_of(name, "mechanism", MECHANISMS)
    return MECHANISMS[name](n, epsilon, delta)
