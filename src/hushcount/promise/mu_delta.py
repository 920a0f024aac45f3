"""Gaussian differential privacy but for a chance of delta: what a budget in mu promises of all that it pays for.

Releases at mu_i, the i-th of which may also give everything away with a chance of delta_i, are together

    G_mu (x) f_0,D     with  mu^2 = sum of mu_i^2  and  D = sum of delta_i    (at least 1 - prod (1 - delta_i)),

also where later questions are chosen by earlier answers, as long as both totals are fixed in advance: each release is a
post-processing of a piece of a Brownian motion with drift and of a piece of an exponential clock that reveals the data
when it rings, and choices only decide how the two are cut ([ST22], [KTH23]; docs/theory.md, "A budget in mu"). It is

    (epsilon, D + (1 - D) delta_mu(epsilon))-DP for every epsilon,   delta_mu as in `hushcount.promise.gaussian`.

An (epsilon, delta)-DP release is one at the mu of epsilon alone, with its delta beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hushcount.errors import InvalidParameter
from hushcount.numbers.exact import Number, exact, exact_text
from hushcount.numbers.text import plain, plain_upper, typed
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP, mu_squared_of_pure_epsilon, root_text
from hushcount.promise.together import any_of, sum_of

__all__ = ["AT_DELTA", "MuDelta", "checked_delta", "left_in_words"]

AT_DELTA = Fraction(1, 10**6)
"""The delta at which the implied epsilon is stated by default."""


def checked_delta(at_delta: Number | None) -> Fraction | None:
    """Return the delta at which someone asks for the implied epsilon, exactly; None where nobody asks.

    Raises:
        InvalidParameter: no number >= 0 and < 1.
    """
    if at_delta is None:
        return None
    kept = exact(at_delta, "at_delta")
    if not 0 <= kept < 1:
        raise InvalidParameter("at_delta", at_delta, "a number >= 0 and < 1")
    return kept


@dataclass(frozen=True)
class MuDelta:
    """A total of mu^2 and one of delta, or a part of it.

    Attributes:
        mu_squared: >= 0.
        delta: 0 <= delta < 1.
    """

    mu_squared: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        for argument, value in (("mu_squared", self.mu_squared), ("delta", self.delta)):
            if not isinstance(value, Fraction):
                raise InvalidParameter(argument, value, "a Fraction")
        if not self.mu_squared >= 0:
            raise InvalidParameter("mu_squared", self.mu_squared, "a finite number >= 0")
        if not 0 <= self.delta < 1:
            raise InvalidParameter("delta", self.delta, "a number >= 0 and < 1")

    @classmethod
    def of(cls, gaussian: GaussianDP, delta: Number = 0) -> MuDelta:
        """Check delta and keep it exactly.

        Raises:
            InvalidParameter: delta outside [0, 1).
        """
        kept = exact(delta, "delta")
        if not 0 <= kept < 1:
            raise InvalidParameter("delta", delta, "a number >= 0 and < 1")
        return cls(gaussian.mu_squared, kept)

    @classmethod
    def covering(cls, promise: Curve, draws: int = 1) -> MuDelta:
        """Return the least that so many draws at a promise are charged: their mu^2, or that of epsilon, with its delta.

        mu^2 adds up over draws. That is less than what the sum of their epsilons would be charged, where mu^2 grows
        like the square of epsilon, and for large ones almost in proportion to it.

        Raises:
            InvalidParameter: it is several pairs at once; `SeveralPairs.of_least_delta` is the one to charge.
        """
        if isinstance(promise, GaussianDP):
            return cls(sum_of(promise.mu_squared, draws), Fraction(0))
        if isinstance(promise, EpsilonDelta):
            return cls(draws * mu_squared_of_pure_epsilon(promise.epsilon), any_of(promise.delta, draws))
        raise InvalidParameter("promise", None, "mu, or one pair of epsilon and delta, to be charged to a budget")

    def least_delta(self, epsilon: Fraction) -> Fraction:
        """Return D + (1 - D) delta_mu(epsilon), the least delta that it implies at an epsilon, rounded up."""
        if self.mu_squared == 0:
            return self.delta
        return self.delta + (1 - self.delta) * GaussianDP(self.mu_squared).least_delta(epsilon)

    def least_epsilon(self, delta: Fraction) -> Fraction | None:
        """Return the least epsilon with which it implies (epsilon, delta)-DP, rounded up; None where there is none."""
        if not self.delta <= delta:
            return None
        if self.mu_squared == 0:
            return Fraction(0)
        return GaussianDP(self.mu_squared).least_epsilon((delta - self.delta) / (1 - self.delta))

    def as_epsilon(self, delta: Fraction) -> str:
        """Return the epsilon that it implies at a delta, rounded up, in words."""
        epsilon = self.least_epsilon(delta)
        return f"{'no epsilon' if epsilon is None else f'epsilon {plain_upper(epsilon)}'} at delta {typed(delta)}"

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any], prefix: str = "") -> MuDelta:
        """Return what `to_fields` spelled.

        Raises:
            KeyError: a field is missing.
            InvalidParameter: a number is out of range.
        """
        return cls(*(exact(fields[prefix + name], name) for name in ("mu_squared", "delta")))

    def to_fields(self, prefix: str = "") -> dict[str, str]:
        """Return it as JSON has it, exactly: {"mu_squared": "0.25", "delta": "0"}, with `prefix` before each name."""
        return {f"{prefix}mu_squared": exact_text(self.mu_squared), f"{prefix}delta": exact_text(self.delta)}

    def in_words(self, spelled: Callable[[Fraction], str] = plain, link: str = ", ", *, left: bool = False) -> str:
        """Return "mu 0.5 (mu^2 0.25), delta 0", with exact numbers written by `spelled` and joined by `link`.

        mu is rounded up, or down if it is what is `left`.
        """
        mu = root_text(self.mu_squared, down=left)
        return f"mu {mu} (mu^2 {spelled(self.mu_squared)}){link}delta {spelled(self.delta)}"

    def __str__(self) -> str:
        return f"(mu^2 {exact_text(self.mu_squared)}, delta {exact_text(self.delta)})"


def left_in_words(left: MuDelta | EpsilonDelta, spelled: Callable[[Fraction], str] = plain, link: str = ", ") -> str:
    """Return what is left of a budget of either kind, as `in_words` does, but never more than there is."""
    return left.in_words(spelled, link, left=True) if isinstance(left, MuDelta) else left.in_words(spelled, link)
