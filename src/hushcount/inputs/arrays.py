"""Arguments that are NumPy's, judged alike wherever they come in: arrays and generators."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushcount.errors import InvalidParameter

__all__ = ["array", "generator"]


def array(values: ArrayLike, argument: str, rule: str) -> NDArray[Any]:
    """`values` as an array of whatever shape and type. No value is repeated in an error.

    Raises:
        InvalidParameter: ragged or endless, or with masked entries, of which only the caller knows what they stand for.
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
    """NumPy sees the mask of an array, but not of one inside a list."""
    if isinstance(values, (list, tuple)):
        return any(map(_has_masked, values))
    return isinstance(values, np.ma.MaskedArray) and bool(np.ma.is_masked(values))


def generator(value: object, argument: str) -> np.random.Generator:
    """`value` itself.

    Raises:
        InvalidParameter: it is no `numpy.random.Generator`.
    """
    if not isinstance(value, np.random.Generator):
        raise InvalidParameter(argument, value, "a numpy.random.Generator")
    return value
