"""Mechanisms: stochastic matrices from true to released counts, held as laws rather than as tables.

The optima (`canonical`, `nearest`, and `explicit_fair` at delta 0), any matrix (`from_matrix`, and saved in a file:
`hushcount.load_mechanism`), and what a user would pick instead.
"""

from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.canonical import Canonical, canonical
from hushcount.mechanisms.canonical_noise import (
    ClampedCanonicalNoise,
    TruncatedGeometric,
    clamped_canonical_noise,
    truncated_geometric,
)
from hushcount.mechanisms.clamped_gaussian import ClampedGaussian, clamped_gaussian
from hushcount.mechanisms.explicit import Explicit, from_matrix
from hushcount.mechanisms.explicit_fair import ExplicitFair, explicit_fair
from hushcount.mechanisms.folded_geometric import FoldedGeometric, folded_geometric
from hushcount.mechanisms.geometric_rows import Exponential, RedrawnGeometric, exponential, redrawn_geometric
from hushcount.mechanisms.nearest import Nearest, nearest
from hushcount.mechanisms.randomized_response import RandomizedResponse, Uniform, randomized_response, uniform
from hushcount.mechanisms.saved import SavedMechanism

__all__ = [
    "Canonical",
    "ClampedCanonicalNoise",
    "ClampedGaussian",
    "Explicit",
    "ExplicitFair",
    "Exponential",
    "FoldedGeometric",
    "Mechanism",
    "Nearest",
    "RandomizedResponse",
    "RedrawnGeometric",
    "SavedMechanism",
    "TruncatedGeometric",
    "Uniform",
    "canonical",
    "clamped_canonical_noise",
    "clamped_gaussian",
    "explicit_fair",
    "exponential",
    "folded_geometric",
    "from_matrix",
    "nearest",
    "randomized_response",
    "redrawn_geometric",
    "truncated_geometric",
    "uniform",
]
