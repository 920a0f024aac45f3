"""Designed mechanisms in files."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.chain.chain import Chain
from hushcount.promise.curve import Curve
from hushcount.saved.files import is_matrix_enough, save_mechanism
from hushcount.saved.mechanism import Saved

__all__ = ["save_designed"]


def save_designed(mechanism: Mechanism, privacy: Curve, path: str | PathLike[str], notes: Mapping[str, str]) -> Saved:
    """Write a mechanism to a file with its promise (`hushcount.save_mechanism`): that of the design, or, of a chain
    that is written as its thresholds, what it proves, which implies that of the design.

    Raises:
        TooLarge: more than 2^20 outcomes of a chain, or 4,096 of another mechanism.
    """
    if isinstance(mechanism, Chain) and not is_matrix_enough(privacy, mechanism.n):
        privacy = mechanism.promise
    return save_mechanism(mechanism, path, epsilon=privacy, name="designed", notes=notes)
