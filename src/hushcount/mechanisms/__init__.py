"""Mechanisms: stochastic matrices from true to released counts, held as laws rather than as tables."""

from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.canonical import Canonical, canonical
from hushcount.mechanisms.explicit import Explicit, from_matrix
from hushcount.mechanisms.nearest import Nearest, nearest

__all__ = ["Canonical", "Explicit", "Mechanism", "Nearest", "canonical", "from_matrix", "nearest"]
