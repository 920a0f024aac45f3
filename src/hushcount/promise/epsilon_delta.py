"""The (epsilon, delta) trade-off curve: what a neighbor's probability says about one's own.

Let a mechanism be (epsilon, delta)-DP ([KOV15], [DRS22]). If an event has probability x under one true count, its
probability under an adjacent count is at most `largest(x)` and at least `least(x)`:

    largest(x) = min(1, e^epsilon x + delta, 1 - e^-epsilon (1 - delta - x))
    least(y)   = max(0, e^-epsilon (y - delta), 1 - delta - e^epsilon (1 - y))

`least(y)` is the least x with `largest(x) >= y`. These two are all that the construction of the nearest optimum needs
of a privacy constraint (docs/theory.md).

A promise is parsed where it is typed or read (`of`, `from_fields`), and is one object from there. It alone knows how it
is spelled (`to_fields`, `in_words`), what several draws cost together (`of_cells`), and what it means.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer
from hushcount.numbers.enclosure import ENOUGH_BITS, ball, nearest_float, refinements
from hushcount.numbers.exact import Number, exact, exact_text
from hushcount.numbers.intervals import lower_fraction
from hushcount.numbers.text import plain, rounded_down
from hushcount.promise.curve import Curve
from hushcount.promise.piecewise_linear import PiecewiseLinear
from hushcount.promise.together import any_of, at_most_keepable, sum_of
from hushcount.words.chances import chance_text, factor_text, rarity_text

__all__ = ["EpsilonDelta"]

_DIGITS = 20
"""Digits of a delta that is irrational."""

_WORTH_SAYING = Fraction(1, 10)
"""The chance that something is given away, summed over all draws, from which it is said."""


@dataclass(frozen=True)
class EpsilonDelta(PiecewiseLinear):
    """Approximate differential privacy with exact parameters.

    Attributes:
        epsilon: >= 0, in nats; bounds the likelihood ratio by e**epsilon.
        delta: 0 <= delta < 1; the excess probability that (2) of [RV26] allows.
    """

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        for argument, value in (("epsilon", self.epsilon), ("delta", self.delta)):
            if not isinstance(value, Fraction):
                raise InvalidParameter(
                    argument, value, "a Fraction; for other numbers and texts there is EpsilonDelta.of('0.5')"
                )
        if not self.epsilon >= 0:
            raise InvalidParameter("epsilon", self.epsilon, "a finite number >= 0")
        if not 0 <= self.delta < 1:
            raise InvalidParameter("delta", self.delta, "a number >= 0 and < 1")

    @classmethod
    def of(cls, epsilon: Number, delta: Number = 0) -> EpsilonDelta:
        """Return the promise with both numbers checked and kept exactly; `hushcount.numbers.exact` says what is
        accepted.

        Raises:
            InvalidParameter: not a number, epsilon < 0, or delta outside [0, 1).
        """
        if isinstance(epsilon, Curve) and not isinstance(epsilon, EpsilonDelta):
            rule = f"a number: only epsilon and delta can be promised here, not {epsilon.in_words()}"
            raise InvalidParameter("epsilon", None, rule)
        kept = exact(epsilon, "epsilon"), exact(delta, "delta")
        try:
            return cls(*kept)
        except InvalidParameter as error:  # name the value that the caller wrote
            written = {"epsilon": epsilon, "delta": delta}[error.argument]
            raise InvalidParameter(error.argument, written, error.rule) from None

    def all_pairs(self) -> tuple[EpsilonDelta, ...]:
        return (self,)

    def largest(self, x: float) -> float:
        """Return `largest(x)` of the module's head, in floats; x in [0, 1]."""
        growth, delta = self._growth, float(self.delta)
        return min(1.0, growth * x + delta if x > 0 else delta, 1 - (1 - delta - x) / growth)

    def least(self, y: float) -> float:
        """Return `least(y)` of the module's head, in floats; y in [0, 1]."""
        growth, delta = self._growth, float(self.delta)
        return max(0.0, (y - delta) / growth, 1 - delta - growth * (1 - y) if y < 1 else 1 - delta)

    @property
    def shrinkage(self) -> float:
        """q = e^-epsilon, the nearest float."""
        return nearest_float(lambda precision: (-ball(self.epsilon)).exp())

    @property
    def _growth(self) -> float:
        try:
            return math.exp(self.epsilon)
        except OverflowError:
            return math.inf

    # --- what it is with others -------------------------------------------------------------------------------------

    def of_cells(self, changed: int) -> EpsilonDelta:
        """Return the promise of a table whose cells are each drawn at this promise, and of which one change affects
        up to `changed`.

        It is also what the table costs. It is rounded up where it is too long to keep exactly
        (`hushcount.promise.together`).

        Raises:
            InvalidParameter: a delta that would be rounded up to 1, which promises nothing.
        """
        delta = any_of(self.delta, changed)
        if not delta < 1:
            rule = f"smaller: one change affects up to {changed:,} cells, and for all of them it comes to 1"
            raise InvalidParameter("delta", None, rule)
        return EpsilonDelta(sum_of(self.epsilon, changed), delta)

    def per_row(self, rows: int) -> EpsilonDelta:
        """Return (epsilon / rows, delta') with delta' = delta (e^(epsilon / rows) - 1) / (e^epsilon - 1), or delta /
        rows at epsilon 0; see `Curve.per_row`.

        So many steps of it are (epsilon, delta' + e^(epsilon / rows) delta' + ... ), which is (epsilon, delta). With
        delta itself in place of delta' they would promise less.
        """
        rows = integer(rows, "rows", least=1)
        if rows == 1:
            return self
        epsilon = at_most_keepable(self.epsilon / rows)
        if epsilon == 0 or self.delta == 0:
            return EpsilonDelta(epsilon, at_most_keepable(self.delta / rows))
        delta = Fraction(0)
        for share in refinements(lambda _: ball(self.delta) * ball(epsilon).expm1() / (ball(epsilon) * rows).expm1()):
            if share.is_finite():
                delta = rounded_down(lower_fraction(share), _DIGITS)
            if share.rel_accuracy_bits() >= 2 * ENOUGH_BITS:
                break
        return EpsilonDelta(epsilon, delta)

    # --- how it is spelled ------------------------------------------------------------------------------------------

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any], prefix: str = "") -> EpsilonDelta:
        """Return the promise that `to_fields` spelled.

        Raises:
            KeyError: a field is missing.
            InvalidParameter: as for `of`.
        """
        return cls.of(fields[f"{prefix}epsilon"], fields[f"{prefix}delta"])

    def to_fields(self, prefix: str = "") -> dict[str, str]:
        """Return the promise as JSON and a ledger have it, exactly: {"epsilon": "0.5", "delta": "0"}, each name
        after `prefix`."""
        return {f"{prefix}epsilon": exact_text(self.epsilon), f"{prefix}delta": exact_text(self.delta)}

    def in_words(self, spelled: Callable[[Fraction], str] = plain, link: str = ", ") -> str:
        """Return "epsilon 0.5, delta 0", with numbers spelled by `spelled` and joined by `link`."""
        return f"epsilon {spelled(self.epsilon)}{link}delta {spelled(self.delta)}"

    def to_options(self) -> str:
        """Return the promise as one types it: "--epsilon 0.5", with "--delta" where it is not 0."""
        return f"--epsilon {exact_text(self.epsilon)}" + (f" --delta {exact_text(self.delta)}" if self.delta else "")

    @property
    def adding_up(self) -> str:
        return "its own epsilon and delta, and all of them together promise only the sums"

    def __str__(self) -> str:
        return f"({exact_text(self.epsilon)}, {exact_text(self.delta)})"

    # --- what it means ----------------------------------------------------------------------------------------------

    def protection(self, released: str, truth: str) -> str:
        """Return in words what the promise means for what is `released` in place of the `truth`."""
        bound = f"for any two tables that differ in this way, {released}"
        if self.epsilon == 0:
            bound += " leaves the odds between them as they were"
        else:
            bound += f" shifts their odds by a factor of {factor_text(self.epsilon)} (e^epsilon)"
        if self.delta == 0:
            nothing = "" if self.epsilon else f" So {released} says nothing about the data: none would serve as well."
            return f"{bound}, without exception (delta is 0).{nothing}"
        return (
            f"{bound}. Delta, {rarity_text(self.delta)}, is the chance of an exception: in the worst case, "
            f"{truth} is given away that often."
        )

    def given_away(self, draws: int, kind: str) -> list[str]:
        """Return a sentence on what deltas add up to in the worst case; nothing where `draws` times delta is below 0.1.

        An (epsilon, delta)-DP mechanism may give away its true count with chance up to delta, and no more: what a
        neighboring count cannot produce has probability at most delta. Draws are independent, so at least one of them
        does so with chance up to 1 - (1 - delta)^draws.

        Args:
            kind: what is drawn, such as "cell".
        """
        if draws * self.delta < _WORTH_SAYING:
            return []
        shown = chance_text(float(any_of(self.delta, draws)))
        some, kinds = ("the", kind) if draws == 1 else ("some", f"{kind}s")
        return [
            f"Delta is large for {draws:,} {kinds}: with a chance of up to {shown if shown[0].isdigit() else '100%'} "
            f"the true count of {some} {kind} is given away."
        ]
