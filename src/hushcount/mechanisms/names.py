"""The names of the mechanisms that are private by proof, as options and receipts have them."""

from __future__ import annotations

import os
import re

__all__ = ["NEVER_INVENTED", "ROUNDED_GAUSSIAN", "WITHIN", "distance_of", "is_file_name", "is_proven"]

NEVER_INVENTED = "never-invented"
"""The one that always releases 0 as 0, at delta > 0."""

ROUNDED_GAUSSIAN = "rounded-gaussian"
"""Gaussian noise, rounded and clamped, for a promise in mu."""

_AT_ANY_N = ("nearest", "canonical", NEVER_INVENTED, ROUNDED_GAUSSIAN)

WITHIN = "within:(0|[1-9][0-9]{0,8})"
"""Those that are off by more than a distance as rarely as possible."""


def distance_of(name: str) -> int | None:
    """Return the distance in a name, 5 for "within:5"; None for any other name."""
    found = re.fullmatch(WITHIN, name)
    return None if found is None else int(found[1])


def is_proven(name: object) -> bool:
    """Return whether a mechanism that is private by proof has this name."""
    return isinstance(name, str) and (name in _AT_ANY_N or distance_of(name) is not None)


def is_file_name(text: str, folder: str = "") -> bool:
    """Return whether a mechanism is given as a file, and not by a name; `./nearest` is always a file.

    Args:
        folder: where the path of the file starts.
    """
    is_path = text != os.path.basename(text) or "." in text
    return not is_proven(text) and (is_path or os.path.exists(os.path.join(folder, text)))
