"""Mechanisms under the names that a picture or an option gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from hushcount.errors import BadUse, InvalidParameter
from hushcount.figures.parameters import numbers_of, parameters
from hushcount.mechanisms import Explicit, Mechanism
from hushcount.mechanisms.explicit import as_mechanism
from hushcount.medium.medium import Medium
from hushcount.promise.gaussian import GaussianDP

__all__ = ["by_label", "mechanism_of", "name_of", "size_in_common"]


def mechanism_of(given: Mechanism | ArrayLike) -> Mechanism:
    """Return the mechanism given, or the one that a square stochastic matrix is.

    Raises:
        InvalidParameter: a medium.
        InvalidParameter, BadUse, TooLarge: see `hushcount.from_matrix`.
    """
    if isinstance(given, Medium):
        raise InvalidParameter("mechanism", given, "a mechanism or a matrix; of a medium pass its matrix")
    return as_mechanism(given)


def name_of(mechanism: Mechanism) -> str:
    """Return its name and parameters, as a title; a matrix has no name."""
    promise = mechanism.proven_privacy
    own = {"epsilon": mechanism.epsilon, "delta": mechanism.delta}
    told = numbers_of(promise) if isinstance(promise, GaussianDP) else own
    found = parameters(n=mechanism.n, **told)
    return f"{'matrix' if isinstance(mechanism, Explicit) else mechanism.name}: {found}"


def by_label(given: Mechanism | Mapping[str, Mechanism | ArrayLike]) -> dict[str, Any]:
    """Return what each curve shows, by its label: several mechanisms or matrices, or a single mechanism under its name.

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


def size_in_common(shown: Iterable[Mechanism]) -> str:
    """Return the end of a title that says what n is, if it is the same for all; else nothing."""
    sizes = {mechanism.n for mechanism in shown}
    return f": {parameters(n=sizes.pop())}" if len(sizes) == 1 else ""
