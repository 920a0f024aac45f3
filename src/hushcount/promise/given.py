"""Reading a promise from what a caller gives, and from what JSON keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hushcount.errors import InvalidParameter
from hushcount.numbers.exact import Number, exact
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.several import SeveralPairs

__all__ = ["from_fields", "one_given", "promise_in", "promise_of", "with_null"]

_WITH = {"epsilon": "delta", "within": "chance"}


def promise_of(
    epsilon: Number | Curve | None = None,
    delta: Number = 0,
    *,
    mu: Number | None = None,
    rho: Number | None = None,
) -> Curve:
    """Return the one promise that is given: a promise as it is, epsilon (with delta), mu, or rho.

    Raises:
        InvalidParameter: none or more than one of them, or a number out of range.
    """
    if epsilon is mu is rho is None:
        raise InvalidParameter("epsilon", None, "given, with delta, or mu or rho in its place")
    chosen = one_given(epsilon=epsilon, mu=mu, rho=rho)
    if chosen != "epsilon" and exact(delta, "delta") != 0:
        raise InvalidParameter("delta", delta, f"left out beside {chosen}, which promises something at every delta")
    if mu is not None:
        return GaussianDP.of(mu)
    if rho is not None:
        return GaussianDP.of_rho(rho)
    if not isinstance(epsilon, Curve):
        return EpsilonDelta.of(epsilon, delta)  # type: ignore[arg-type]
    if exact(delta, "delta") != 0:
        raise InvalidParameter("delta", delta, "left out beside a promise")
    return epsilon


def one_given(**given: object) -> str:
    """Return which of epsilon, mu, rho and so on is given; epsilon where none is, so that it is what is missed.

    Args:
        given: all that could be, with None for what is not.

    Raises:
        InvalidParameter: more than one is.
    """
    found = [name for name, value in given.items() if value is not None]
    if len(found) > 1:
        *names, last = (f"{name} (with {_WITH[name]})" if name in _WITH else name for name in given)
        raise InvalidParameter(found[1], None, f"left out beside {found[0]}: one of {', '.join(names)} and {last}")
    return found[0] if found else "epsilon"


def with_null(promise: Curve, prefix: str = "") -> dict[str, Any]:
    """Return the fields of a promise in a receipt, which always has epsilon and delta: null if the promise has none."""
    return {f"{prefix}epsilon": None, f"{prefix}delta": None} | promise.to_fields(prefix)


def promise_in(fields: Mapping[str, Any], prefix: str = "") -> Curve:
    """Return the promise that `with_null` spelled, among other fields.

    Raises:
        InvalidParameter: nothing, or something else.
    """
    names = ("epsilon", "delta", "mu_squared", "pairs")
    return from_fields({name: fields[prefix + name] for name in names if fields.get(prefix + name) is not None})


def from_fields(fields: Mapping[str, Any]) -> Curve:
    """Return the promise that `Curve.to_fields` spelled.

    Raises:
        InvalidParameter: it spelled something else.
    """
    names, pairs = set(fields), fields.get("pairs")
    if names == {"epsilon", "delta"}:
        return EpsilonDelta.from_fields(fields)
    if names == {"mu_squared"}:
        return GaussianDP(exact(fields["mu_squared"], "mu_squared"))
    if names == {"pairs"} and isinstance(pairs, (list, tuple)) and all(isinstance(pair, Mapping) for pair in pairs):
        kept = [from_fields(pair) for pair in pairs]
        if all(isinstance(pair, EpsilonDelta) for pair in kept):
            return SeveralPairs(tuple(kept))  # type: ignore[arg-type]
    raise InvalidParameter("promise", None, "the fields of a promise: epsilon and delta, mu_squared, or pairs")
