"""Mechanisms by the names that a picture or an option gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from hushcount.errors import BadUse, InvalidParameter
from hushcount.figures.parameters import parameters
from hushcount.mechanisms import Explicit, Mechanism, from_matrix

__all__ = ["by_label", "mechanism_of", "name_of"]


def mechanism_of(given: Mechanism | ArrayLike) -> Mechanism:
    """A mechanism itself, or that of a square stochastic matrix.

    Raises:
        InvalidParameter: a medium.
        InvalidParameter, BadUse, TooLarge: see `hushcount.from_matrix`.
    """
    from hushcount.medium import Medium

    if isinstance(given, Medium):
        raise InvalidParameter("mechanism", given, "a mechanism or a matrix; of a medium pass its matrix")
    return given if isinstance(given, Mechanism) else from_matrix(given)


def name_of(mechanism: Mechanism) -> str:
    """Its name and parameters, as a title; a matrix has no name."""
    found = parameters(n=mechanism.n, epsilon=mechanism.epsilon, delta=mechanism.delta)
    return f"{'matrix' if isinstance(mechanism, Explicit) else mechanism.name}: {found}"


def by_label(given: Mechanism | Mapping[str, Mechanism | ArrayLike]) -> dict[str, Any]:
    """What each curve shows, by its label: several mechanisms or matrices, or a single mechanism under its name.

    Raises:
        InvalidParameter, BadUse: something else, or none.
    """
    if isinstance(given, Mechanism):
        return {name_of(given): given}
    if not (isinstance(given, Mapping) and given and all(isinstance(label, str) for label in given)):
        raise InvalidParameter("mechanisms", None, "a mechanism, or a dictionary of at least one by label")
    found = {}
    for label, each in given.items():
        try:
            found[label] = mechanism_of(each)
        except BadUse as error:
            raise BadUse(f"{label}: {error}") from None
    return found
