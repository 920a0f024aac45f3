"""A promise from what a caller gives, and from what JSON keeps."""

from __future__ import annotations

from collections.abc import Mapping

from hushcount.errors import InvalidParameter
from hushcount.numbers.exact import Number, exact
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.several import SeveralPairs

__all__ = ["from_fields", "promise_of"]


def promise_of(
    epsilon: Number | Curve | None = None,
    delta: Number = 0,
    *,
    mu: Number | None = None,
    rho: Number | None = None,
) -> Curve:
    """The one promise that is given: a promise as it is, epsilon (with delta), mu, or rho.

    Raises:
        InvalidParameter: none or more than one of them, or a number out of range.
    """
    numbers = [number for number in (epsilon, mu, rho) if number is not None]
    if numbers != [epsilon] and (len(numbers) > 1 or delta != 0):
        raise InvalidParameter("promise", None, "one of epsilon (with delta), mu, rho or a promise")
    if mu is not None:
        return GaussianDP.of(mu)
    if rho is not None:
        return GaussianDP.of_rho(rho)
    if not isinstance(epsilon, Curve):
        return EpsilonDelta.of(epsilon, delta)  # type: ignore[arg-type]
    if delta != 0:
        raise InvalidParameter("delta", delta, "left out beside a promise")
    return epsilon


def from_fields(fields: Mapping[str, object]) -> Curve:
    """What `Curve.fields` made.

    Raises:
        InvalidParameter: it made something else.
    """
    names = set(fields)
    if names == {"epsilon", "delta"}:
        return EpsilonDelta.of(fields["epsilon"], fields["delta"])  # type: ignore[arg-type]
    if names == {"mu_squared"}:
        return GaussianDP(exact(fields["mu_squared"], "mu_squared"))  # type: ignore[arg-type]
    pairs = fields.get("pairs")
    if names == {"pairs"} and isinstance(pairs, list) and all(isinstance(pair, Mapping) for pair in pairs):
        kept = [from_fields(pair) for pair in pairs]
        if all(isinstance(pair, EpsilonDelta) for pair in kept):
            return SeveralPairs(tuple(kept))  # type: ignore[arg-type]
    raise InvalidParameter("promise", None, "the fields of a promise: epsilon and delta, mu_squared, or pairs")
