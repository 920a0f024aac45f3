"""A promise as a curve: what the chance of an event under one count says about its chance under a neighbour's.

A trade-off curve f is nondecreasing, concave and continuous on [0, 1]; `largest` is f(x), the largest chance of an
event whose chance under the neighbour is x, and `least` is g(y), the least x with f(x) >= y. All promises here are
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

    @abstractmethod
    def least_delta(self, epsilon: Fraction) -> Fraction:
        """The least delta with which the promise implies (epsilon, delta)-DP, sup over x of f(x) - e^epsilon x
        ([DRS22] Proposition 2.12), rounded up; epsilon >= 0."""

    def least_epsilon(self, delta: Fraction) -> Fraction | None:
        """The least epsilon >= 0 with which the promise implies (epsilon, delta)-DP, rounded up by at most 2^-60 of
        it (2^-1000 where it is tiny); None where there is none below 2^20; delta in [0, 1)."""
        if self.least_delta(Fraction(0)) <= delta:
            return Fraction(0)
        high = Fraction(1)
        while self.least_delta(high) > delta:
            high *= 2
            if high > 2**20:
                return None
        low = high / 2
        while low > Fraction(1, 2**1000) and self.least_delta(low) <= delta:
            low, high = low / 2, low
        while high - low > high / 2**60:
            middle = (low + high) / 2
            low, high = (low, middle) if self.least_delta(middle) <= delta else (middle, high)
        return high

    # --- what it is with others -------------------------------------------------------------------------------------

    @abstractmethod
    def of_cells(self, changed: int) -> Curve:
        """What a table promises whose cells are drawn at this promise, and of which one change affects up to `changed`.

        It is also what the table costs; rounded up where it is too long to keep exactly.
        """

    # --- how it is spelled ------------------------------------------------------------------------------------------

    @abstractmethod
    def to_fields(self, prefix: str = "") -> dict[str, Any]:
        """What JSON keeps of it, numbers as exact text, each name after `prefix`; `hushcount.promise.given` reads it
        back."""

    @abstractmethod
    def in_words(self, spelled: Callable[[Fraction], str] = plain, link: str = ", ") -> str:
        """ "epsilon 0.5, delta 0", with numbers spelled and joined so."""

    @abstractmethod
    def to_options(self) -> str:
        """As one types it: "--mu 0.5"."""

    # --- what it means ----------------------------------------------------------------------------------------------

    @abstractmethod
    def protection(self, released: str, truth: str) -> str:
        """What it means, in words, for what is `released` in place of the `truth`."""

    @property
    @abstractmethod
    def adding_up(self) -> str:
        """What adds up over releases, and with what of it the promise of all of them is stated, in words."""

    def given_away(self, draws: int, kind: str) -> list[str]:
        """What may come out in so many draws beyond any odds, in a sentence where it is worth saying; `kind` is what is
        drawn, such as "cell"."""
        return []

    def as_epsilon(self, delta: Fraction) -> str:
        """The epsilon that it implies at a delta, rounded up, in words."""
        epsilon = self.least_epsilon(delta)
        return f"{'no epsilon' if epsilon is None else f'epsilon {plain_upper(epsilon)}'} at delta {typed(delta)}"
