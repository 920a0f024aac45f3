"""NumPy arguments that are checked in the same way everywhere: arrays and generators."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushcount.errors import InvalidParameter

__all__ = ["array", "generator"]


def array(values: ArrayLike, argument: str, rule: str) -> NDArray[Any]:
    """Return `values` as an array of any shape and type. No error repeats a value.

    Raises:
        InvalidParameter: ragged or endless, or with masked entries, whose meaning only the caller knows.
    """
    try:
        if _has_masked(values):
            raise InvalidParameter(argument, None, f"{rule}, without masked entries")
        return np.asarray(values)
    except InvalidParameter:
        raise
    except (ValueError, OverflowError, RecursionError):
        raise InvalidParameter(argument, None, rule) from None


def _has_masked(values: object) -> bool:
    """Return whether entries are masked; NumPy sees the mask of an array, but not of one inside a list."""
    if isinstance(values, (list, tuple)):
        return any(map(_has_masked, values))
    return isinstance(values, np.ma.MaskedArray) and bool(np.ma.is_masked(values))


def generator(value: object, argument: str) -> np.random.Generator:
    """Return `value` if it is a `numpy.random.Generator`.

    Raises:
        InvalidParameter: it is not.
    """
    if not isinstance(value, np.random.Generator):
        raise InvalidParameter(argument, value, "a numpy.random.Generator")
    return value
