"""Designed mechanisms in files."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

from hushcount.errors import BadUse
from hushcount.mechanisms.base import Mechanism
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.saved.files import save_mechanism
from hushcount.saved.mechanism import SavedMechanism

__all__ = ["save_designed"]


def save_designed(
    mechanism: Mechanism, privacy: Curve, path: str | PathLike[str], notes: Mapping[str, str]
) -> SavedMechanism:
    """Write a mechanism to a file with its promise (`hushcount.save_mechanism`).

    Raises:
        BadUse: the promise is not one (epsilon, delta), which is what such a file claims.
        TooLarge: more than 4,096 outcomes.
    """
    if not isinstance(privacy, EpsilonDelta):
        raise BadUse(f"a mechanism file claims one epsilon and delta (this design keeps {privacy.in_words()})")
    return save_mechanism(mechanism, path, epsilon=privacy.epsilon, delta=privacy.delta, name="designed", notes=notes)
