"""A promise as a curve: what the chance of an event under one count says about its chance under a neighbor's.

A trade-off curve f is nondecreasing, concave and continuous on [0, 1]; `largest` is f(x), the largest chance of an
event whose chance under the neighbor is x, and `least` is g(y), the least x with f(x) >= y. All promises here are
symmetric, 1 - f(x) = g(1 - x), so g alone tells everything ([DRS22]; docs/theory.md, "Any promise").

Values are balls at the working precision. A chance y comes with its complement `rest` = 1 - y, each with its own
relative accuracy, so that nothing near 1 loses its digits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb

from hushcount.numbers.text import plain, plain_upper, typed

__all__ = ["Curve"]

_TINY = Fraction(1, 2**1000)


class Curve(ABC):
    """A symmetric trade-off curve: a promise between true counts at distance 1."""

    @abstractmethod
    def least_after(self, y: arb, rest: arb, steps: int) -> arb:
        """Enclose g applied `steps` >= 0 times to y in [0, 1], where rest = 1 - y."""

    def largest_after(self, x: arb, rest: arb, steps: int) -> arb:
        """Enclose f applied `steps` >= 0 times to x in [0, 1], where rest = 1 - x; f^k(x) = 1 - g^k(1 - x)."""
        return 1 - self.least_after(rest, x, steps)

    @abstractmethod
    def fixed_point(self) -> arb:
        """Enclose y* with g(y*) = 1 - y*, the value of the canonical noise's distribution function at 0."""

    @property
    def starts_above_zero(self) -> bool:
        """Whether f(0) > 0: what never happens under one count may happen under a neighbor."""
        return False

    @abstractmethod
    def least_delta(self, epsilon: Fraction) -> Fraction:
        """Return the least delta with which the promise implies (epsilon, delta)-DP, rounded up; epsilon >= 0.

        It is the sup over x of f(x) - e^epsilon x ([DRS22] Proposition 2.12).
        """

    @abstractmethod
    def enough_epsilon(self, delta: Fraction) -> Fraction | None:
        """Return some epsilon with which the promise implies (epsilon, delta)-DP; None where there is none."""

    def is_implied(self, epsilon: Fraction, delta: Fraction) -> bool:
        """Return whether the promise implies (epsilon, delta)-DP; False where that cannot be decided."""
        return self.least_delta(epsilon) <= delta

    def least_epsilon(self, delta: Fraction) -> Fraction | None:
        """Return the least epsilon >= 0 with which the promise implies (epsilon, delta)-DP; delta in [0, 1).

        Rounded up by at most 2^-60 of it (2^-1000 where it is tiny); None where there is none.
        """
        high = Fraction(0) if self.is_implied(Fraction(0), delta) else self.enough_epsilon(delta)
        if not high:
            return high
        low = high / 2
        while low > _TINY and self.is_implied(low, delta):
            low, high = low / 2, low
        while high - low > high / 2**60:
            middle = (low + high) / 2
            low, high = (low, middle) if self.is_implied(middle, delta) else (middle, high)
        return high

    # --- what it is with others -------------------------------------------------------------------------------------

    @abstractmethod
    def of_cells(self, changed: int) -> Curve:
        """Return what a table of cells drawn at this promise promises, where one change affects up to `changed` cells.

        It is also what the table costs; rounded up where it is too long to keep exactly.
        """

    @abstractmethod
    def per_row(self, rows: int) -> Curve:
        """Return a promise between counts at distance 1 that keeps this one up to distance `rows`.

        It is the promise for the draw where one change may add or remove so many rows; rounded down where it is
        irrational, or too long to keep.

        Raises:
            InvalidParameter: `rows` is not an integer >= 1.
        """

    # --- how it is spelled ------------------------------------------------------------------------------------------

    @abstractmethod
    def to_fields(self, prefix: str = "") -> dict[str, Any]:
        """Return what JSON keeps of it, numbers as exact text, with `prefix` before each name.

        `hushcount.promise.given` reads it back.
        """

    @abstractmethod
    def in_words(self, spelled: Callable[[Fraction], str] = plain, link: str = ", ") -> str:
        """Return "epsilon 0.5, delta 0", with numbers written by `spelled` and joined by `link`."""

    @abstractmethod
    def to_options(self) -> str:
        """Return it as one types it: "--mu 0.5"."""

    # --- what it means ----------------------------------------------------------------------------------------------

    @abstractmethod
    def protection(self, released: str, truth: str) -> str:
        """Return what it means, in words, for what is `released` in place of the `truth`."""

    @property
    def currency(self) -> str:
        """Return, in words, what is larger where less is promised."""
        return "epsilon"

    @property
    @abstractmethod
    def adding_up(self) -> str:
        """Return, in words, what adds up over releases and how the promise of all of them together is stated."""

    def given_away(self, draws: int, kind: str) -> list[str]:
        """Return a sentence on what may come out in so many draws beyond any odds, where it is worth saying.

        `kind` is what is drawn, such as "cell".
        """
        return []

    def as_epsilon(self, delta: Fraction) -> str:
        """Return the epsilon that it implies at a delta, rounded up, in words."""
        epsilon = self.least_epsilon(delta)
        return f"{'no epsilon' if epsilon is None else f'epsilon {plain_upper(epsilon)}'} at delta {typed(delta)}"
