"""An accuracy that is asked for in place of a promise: the promise follows once the largest counts are known."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.inputs.arguments import one_of
from hushcount.mechanisms.accuracy import Accuracy
from hushcount.numbers.exact import Number, exact_text
from hushcount.numbers.text import lower_text
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.given import one_given, promise_of
from hushcount.words.paragraphs import row

if TYPE_CHECKING:
    from hushcount.release.payment import Payment

__all__ = ["CURRENCIES", "Aim", "asked"]

CURRENCIES = ("epsilon", "mu")
_NOTHING = EpsilonDelta.of(0).in_words()
_TELLS_NOTHING = ": the count then says nothing"


@dataclass(frozen=True)
class Aim:
    """What a promise has to reach.

    Attributes:
        accuracy: how near the released count has to be, and how often, whatever the true count is.
        delta: the delta of the promise.
        in_mu: whether the promise is sought in mu, in place of epsilon.
        rows: how far one change may move a count, S; then it is sought such that the promise of one row,
            `promise.per_row(S)`, reaches it.
    """

    accuracy: Accuracy
    delta: Fraction = Fraction(0)
    in_mu: bool = False
    rows: int = 1

    def for_rows(self, rows: int) -> Aim:
        """Return the same where one change may move a count by so many rows.

        Raises:
            InvalidParameter: there are several, and a delta: then no search has been proved to find the least epsilon.
        """
        if rows > 1 and self.delta:
            rule = "0 beside `within` and `chance` where several rows of a unit count; or give epsilon and delta"
            raise InvalidParameter("delta", None, rule)
        return replace(self, rows=rows)

    @property
    def kind(self) -> EpsilonDelta | GaussianDP:
        """Return a promise of the kind that will follow."""
        return GaussianDP(Fraction(1)) if self.in_mu else EpsilonDelta(Fraction(1), self.delta)

    def promise(self, tops: Iterable[int], mechanism: str) -> EpsilonDelta | GaussianDP:
        """Return the least promise of three significant digits that reaches it for counts up to each of `tops`.

        Args:
            mechanism: "nearest", or "within:T" with the distance asked for.

        Raises:
            InvalidParameter: another mechanism, or no promise is enough.
        """
        largest, *others = sorted(set(tops), reverse=True)
        found = self._least(largest, mechanism)
        for top in others:
            if not self.accuracy.is_reached(top, found.per_row(self.rows), mechanism):
                found = self._least(top, mechanism)
        return found

    def taken(self, top: int) -> dict[str, str]:
        """Return what each mechanism takes, of those with which there is a promise that reaches it."""
        found = {}
        for mechanism in ("nearest", f"within:{self.accuracy.within}"):
            with suppress(InvalidParameter, TooLarge):
                found[mechanism] = self.promise([top], mechanism).in_words()
        return found

    def asked_rows(self) -> list[str]:
        """Return what is asked, for people."""
        far, chance = self.accuracy.within, self.accuracy.chance
        near = f"off by at most {far}" if far else "right"
        return [row("Asked", f"{near} in at least {lower_text(100 * chance, 15)}% of releases")]

    def currency_rows(self, payment: Payment | None) -> list[str]:
        """Return what the promise is sought in, for people, where a budget suggests it or not."""
        if payment is None:
            return []
        names = {True: "mu", False: "epsilon"}
        beside = "as the budget is" if payment.is_in_mu == self.in_mu else f"the budget is in {names[payment.is_in_mu]}"
        return [row("Currency", f"{names[self.in_mu]}; {beside}")]

    def to_lines(self, top: int) -> list[str]:
        """Return what is asked, and what it takes for counts up to `top`, for people."""
        takes = [
            f"{promise} with {mechanism}{_TELLS_NOTHING if promise == _NOTHING else ''}"
            for mechanism, promise in self.taken(top).items()
        ]
        return [
            *self.asked_rows(),
            *(row("" if place else "Takes", each) for place, each in enumerate(takes)),
        ]

    def to_fields(self, top: int) -> dict[str, Any]:
        """Return the same as JSON has it."""
        return {
            "within": self.accuracy.within,
            "chance": exact_text(self.accuracy.chance),
            "takes": self.taken(top),
        }

    def to_options(self) -> str:
        """Return it as the command takes it."""
        accuracy = f"--within {self.accuracy.within} --chance {exact_text(self.accuracy.chance)}"
        if self.in_mu:
            return f"{accuracy} --currency mu"
        return f"{accuracy} --delta {exact_text(self.delta)}" if self.delta else accuracy

    def _least(self, top: int, mechanism: str) -> EpsilonDelta | GaussianDP:
        if self.in_mu:
            return GaussianDP.of(self.accuracy.least_mu(top, mechanism, rows=self.rows))
        least = self.accuracy.least_epsilon(top, self.delta, mechanism, rows=self.rows)
        return EpsilonDelta(Fraction(least), self.delta)


def asked(
    epsilon: Number | Curve | None = None,
    delta: Number = 0,
    *,
    mu: Number | None = None,
    rho: Number | None = None,
    within: int | None = None,
    chance: Number | None = None,
    currency: str | None = None,
    payment: Payment | None = None,
) -> Curve | Aim:
    """Return the promise that is given (`promise_of`), or the accuracy that is asked for in place of one.

    Args:
        within, chance: as for `epsilon_for`; both or neither.
        currency: "epsilon" (with `delta`) or "mu": what the promise is sought in. By default mu if the budget of
            `payment` is one in mu and `delta` is 0, and otherwise epsilon: it would charge another one more.

    Raises:
        InvalidParameter: one of the two is missing, a promise is given beside them, or a number is out of range.
    """
    if currency is not None:
        one_of(currency, "currency", CURRENCIES)
    if within is None and chance is None:
        if currency not in (None, "epsilon"):
            raise InvalidParameter("currency", currency, "left out where no accuracy is asked for")
        if epsilon is mu is rho is None:
            rule = "given, with delta, or in its place mu, or rho, or within with chance"
            raise InvalidParameter("epsilon", None, rule)
        one_given(epsilon=epsilon, mu=mu, rho=rho, within=within)
        return promise_of(epsilon, delta, mu=mu, rho=rho)
    for argument, value, other in (("chance", chance, "within"), ("within", within, "chance")):
        if value is None:
            raise InvalidParameter(argument, None, f"given beside `{other}`: how near, and how often at least")
    for argument, is_given in (("epsilon", epsilon is not None), ("mu", mu is not None), ("rho", rho is not None)):
        if is_given:
            raise InvalidParameter(
                argument, None, "left out beside `within` and `chance`, from which the promise follows"
            )
    assert within is not None
    assert chance is not None
    kept = EpsilonDelta.of(0, delta).delta
    in_mu = currency == "mu" or (currency is None and not kept and payment is not None and payment.is_in_mu)
    if in_mu and kept:
        raise InvalidParameter("delta", delta, "left out beside a currency that promises something at every delta")
    return Aim(Accuracy.of(within, chance), kept, in_mu)
