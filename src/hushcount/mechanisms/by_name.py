"""The mechanisms for an epsilon and a delta, by the names that commands, tables and pictures give them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from hushcount.exact import Number
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.canonical import canonical
from hushcount.mechanisms.canonical_noise import clamped_canonical_noise, truncated_geometric
from hushcount.mechanisms.clamped_gaussian import clamped_gaussian
from hushcount.mechanisms.explicit_fair import explicit_fair
from hushcount.mechanisms.folded_geometric import folded_geometric
from hushcount.mechanisms.geometric_rows import exponential, redrawn_geometric
from hushcount.mechanisms.nearest import nearest
from hushcount.mechanisms.randomized_response import randomized_response, uniform

__all__ = ["MECHANISMS", "NEEDS_DELTA"]

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
"""Each from n, epsilon and delta, best first; where delta is not handed on, a mechanism is what it is at delta 0."""

NEEDS_DELTA = ("clamped-canonical-noise", "clamped-gaussian")
"""Those that are of interest at delta > 0 only: at 0 the first is truncated-geometric, the second does not exist."""
