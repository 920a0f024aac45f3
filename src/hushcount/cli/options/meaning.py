"""The options that ask for a promise by what it means, and the promise that follows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from hushcount.cli.options.groups import PRIVACY
from hushcount.cli.options.privacy import Drawing
from hushcount.errors import BadUse, InvalidParameter

__all__ = ["Meaning"]

_PROMISES = ("epsilon", "mu", "rho", "within", "chance")


@dataclass(frozen=True)
class Meaning:
    """What a promise has to mean at most; at most one of them."""

    odds: Annotated[
        str | None,
        PRIVACY.option(
            metavar="NUMBER",
            help="In place of --epsilon: the factor by which odds may shift, >= 1. The promise is then the largest "
            "epsilon of three significant digits with which they shift by no more, with --delta.",
            show_default=False,
        ),
    ] = None
    power: Annotated[
        str | None,
        PRIVACY.option(
            metavar="NUMBER",
            help="In place of --mu: how often, at most, a test that mistakes one table for the other 5% of the time "
            "may recognize that other one, > 0.05 and < 1. The promise is then the largest mu of three significant "
            "digits.",
            show_default=False,
        ),
    ] = None
    implies: Annotated[
        str | None,
        PRIVACY.option(
            metavar="NUMBER",
            help="In place of --mu: the epsilon that it may imply at most, at --at-delta. The promise is then the "
            "largest mu of three significant digits.",
            show_default=False,
        ),
    ] = None

    def filled(self, drawing: Drawing, at_delta: str | None) -> Drawing:
        """Return the options of a draw with the promise that follows; as they are, if none is asked for.

        Raises:
            BadUse: two of them, or a promise is given beside them, or a number is out of range.
        """
        asked = {name: value for name, value in vars(self).items() if value is not None}
        if not asked:
            return drawing
        name, *others = [*asked, *(other for other in _PROMISES if getattr(drawing, other) is not None)]
        if others:
            raise BadUse(f"leave out --{others[0]} beside --{name}, from which the promise follows")
        from hushcount.promise import epsilon_for_odds, mu_for_epsilon, mu_for_power
        from hushcount.promise.mu_delta import AT_DELTA  # with it comes flint, which --help does not need

        if self.odds is not None:
            return replace(drawing, epsilon=str(epsilon_for_odds(self.odds)))
        if self.power is not None:
            return replace(drawing, mu=str(mu_for_power(self.power)))
        assert self.implies is not None
        try:
            return replace(drawing, mu=str(mu_for_epsilon(self.implies, at_delta or AT_DELTA)))
        except InvalidParameter as error:
            argument, written = {"epsilon": ("implies", self.implies), "delta": ("at_delta", at_delta)}[error.argument]
            raise InvalidParameter(argument, written, error.rule) from None

    def to_lines(self, at_delta: str | None) -> list[str]:
        """Return what is asked, for people."""
        from hushcount.words.paragraphs import row

        if self.odds is not None:
            return [row("Asked", f"odds shift by a factor of at most {self.odds}")]
        if self.power is not None:
            return [row("Asked", f"told apart at most {self.power} of the time by whoever is wrong 0.05 of the time")]
        if self.implies is not None:
            return [row("Asked", f"epsilon at most {self.implies} at delta {at_delta or '1e-6'}")]
        return []

    def to_fields(self) -> dict[str, str]:
        """Return the same as JSON has it."""
        return {name: value for name, value in vars(self).items() if value is not None}
