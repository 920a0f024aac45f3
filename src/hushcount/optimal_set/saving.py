"""Designed mechanisms in files."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

from hushcount.mechanisms.base import Mechanism
from hushcount.promise.curve import Curve
from hushcount.saved.files import save_mechanism
from hushcount.saved.mechanism import SavedMechanism

__all__ = ["save_designed"]


def save_designed(
    mechanism: Mechanism, privacy: Curve, path: str | PathLike[str], notes: Mapping[str, str]
) -> SavedMechanism:
    """Write a mechanism to a file with its promise (`hushcount.save_mechanism`).

    Raises:
        BadUse: the promise is several pairs, which no such file claims.
        TooLarge: more than 4,096 outcomes.
    """
    return save_mechanism(mechanism, path, epsilon=privacy, name="designed", notes=notes)
