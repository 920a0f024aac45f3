"""The options that say what is promised, and to whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from hushcount.cli.options.groups import PRIVACY
from hushcount.cli.options.values import whole
from hushcount.errors import BadUse, InvalidParameter

if TYPE_CHECKING:
    from fractions import Fraction

    from hushcount.promise.curve import Curve
    from hushcount.promise.epsilon_delta import EpsilonDelta
    from hushcount.release.aim import Aim
    from hushcount.release.payment import Payment
    from hushcount.release.subject import Subject
    from hushcount.saved import Saved

__all__ = [
    "Adjacency",
    "AnyPromise",
    "AtDelta",
    "Delta",
    "Drawing",
    "Epsilon",
    "Mu",
    "Promise",
    "Rho",
    "UnitColumn",
    "Units",
    "WithoutUnit",
    "asked_delta",
]

Epsilon = Annotated[
    str,
    PRIVACY.option(
        metavar="NUMBER",
        help="The privacy parameter epsilon, >= 0; smaller is more private. A decimal (0.5, 1e-3) or a ratio (1/3), "
        "taken exactly.",
    ),
]
Delta = Annotated[
    str,
    PRIVACY.option(
        metavar="NUMBER",
        help="The privacy parameter delta, >= 0 and < 1: how much a probability may exceed the bound that epsilon "
        "sets. Taken exactly.",
    ),
]
Mu = Annotated[
    str | None,
    PRIVACY.option(
        metavar="NUMBER",
        help="In place of epsilon, the mu of Gaussian differential privacy, > 0: neighboring tables are as hard to "
        "tell apart as normal distributions whose means differ by mu standard deviations. mu^2 adds up. Taken exactly.",
        show_default=False,
    ),
]
Rho = Annotated[
    str | None,
    PRIVACY.option(
        metavar="NUMBER",
        help="The same as --mu, told by rho: mu^2 = 2 rho, which also gives rho-zCDP.",
        show_default=False,
    ),
]
AtDelta = Annotated[
    str | None,
    PRIVACY.option(
        metavar="NUMBER",
        help="Also tell which epsilon the promise implies at this delta, rounded up; of a promise in mu it is told "
        "anyway.",
        show_default="1e-6 for a promise in mu",
    ),
]
_NEIGHBORS = (
    "Which tables are neighbors. replace-one: one row is replaced, and the number of rows is public. "
    "add-remove: one row is added or removed, and the number of rows is private."
)
Adjacency = Annotated[str, PRIVACY.option(metavar="replace-one|add-remove", help=_NEIGHBORS)]
WithoutUnit = Annotated[
    str | None,
    PRIVACY.option(
        metavar="error|one-unit",
        help="How to treat rows whose unit is missing: as an error, or all together as one unit.",
        show_default="error",
    ),
]
UnitColumn = Annotated[
    str | None,
    PRIVACY.option(
        "--unit",
        metavar="COLUMN",
        help="The column of the source that identifies the unit that a row belongs to.",
        show_default="each row is one unit",
    ),
]


def asked_delta(at_delta: str | None, *, is_receipt: bool = False) -> Fraction | None:
    """Return what --at-delta gives, judged before anything is charged or written.

    Args:
        is_receipt: whether a receipt is printed, which says no more than what is promised.

    Raises:
        InvalidParameter: no number >= 0 and < 1, or beside a receipt.
    """
    from hushcount.promise.mu_delta import checked_delta  # with it comes flint, which --help does not need

    if at_delta is not None and is_receipt:
        raise InvalidParameter("at_delta", None, "left out with --json, which prints the receipt: it is told in text")
    return None if at_delta is None else checked_delta(at_delta)


@dataclass(frozen=True)
class Promise:
    """The options epsilon and delta."""

    epsilon: Epsilon
    delta: Delta = "0"

    def promise(self) -> EpsilonDelta:
        """Return what was typed, as one value.

        Raises:
            InvalidParameter: as for `EpsilonDelta.of`.
        """
        from hushcount.promise.epsilon_delta import EpsilonDelta  # with it comes flint, which --help does not need

        return EpsilonDelta.of(self.epsilon, self.delta)


def _epsilon_among(options: str) -> Any:
    """Return the option --epsilon, where one of several is needed."""
    return PRIVACY.option(
        metavar="NUMBER",
        help="The privacy parameter epsilon, >= 0: smaller protects more. A decimal (0.5, 1e-3) or a ratio (1/3), "
        f"taken exactly. One of {options} is needed.",
        show_default=False,
    )


@dataclass(frozen=True)
class AnyPromise:
    """What a release promises: epsilon and delta, or mu."""

    epsilon: Annotated[str | None, _epsilon_among("--epsilon, --mu and --rho")] = None
    delta: Delta = "0"
    mu: Mu = None
    rho: Rho = None

    def promise(self) -> Curve:
        """What was typed, as one value.

        Raises:
            BadUse: none of --epsilon, --mu and --rho, or more than one, or a number out of range.
        """
        from hushcount.promise.given import promise_of  # with it comes flint, which --help does not need

        if self.epsilon is self.mu is self.rho is None:
            raise BadUse("what is promised is missing: one of --epsilon (with --delta), --mu and --rho is needed")
        return promise_of(self.epsilon, self.delta, mu=self.mu, rho=self.rho)


@dataclass(frozen=True)
class Drawing(AnyPromise):
    """What determines the law of a released count, together with its range."""

    epsilon: Annotated[str | None, _epsilon_among("--epsilon, --mu, --rho, and --within with --chance")] = None
    within: Annotated[
        str | None,
        PRIVACY.option(
            metavar="COUNT",
            help="In place of --epsilon, with --chance: how far off the released count may be. The promise is then the "
            "least one of three significant digits with which it is off by at most so much with at least that chance, "
            "whatever the true count is.",
            show_default=False,
        ),
    ] = None
    chance: Annotated[
        str | None,
        PRIVACY.option(
            metavar="NUMBER",
            help="The chance that --within is about, > 0 and <= 1. Taken exactly.",
            show_default=False,
        ),
    ] = None
    currency: Annotated[
        str | None,
        PRIVACY.option(
            metavar="epsilon|mu",
            help="What the promise of --within and --chance is sought in: epsilon, at --delta, or mu.",
            show_default="mu for a budget in mu, unless --delta is above 0; otherwise epsilon",
        ),
    ] = None
    adjacency: Annotated[
        str | None,
        PRIVACY.option(
            metavar="replace-one|add-remove", help=_NEIGHBORS, show_default="that of the budget, or else replace-one"
        ),
    ] = None
    mechanism: Annotated[
        str,
        PRIVACY.option(
            metavar="nearest|canonical|never-invented|rounded-gaussian|within:T|FILE",
            help="How the count is drawn. nearest and canonical are wrong as rarely as possible in the worst case; "
            "of all that are, at one epsilon and delta, nearest is also as close as possible when wrong. "
            "rounded-gaussian, with --mu or --rho, is wrong more often than nearest, but closer if the range "
            "is large beside 1 / mu: compare them. Or the file of a saved mechanism (CSV or JSON) for the same "
            "range of counts. It is audited first, and refused unless it keeps what is promised (--epsilon and "
            "--delta, --mu or --rho), whatever the file claims. within:T, with a whole number T, is off by "
            "more than T as rarely as possible, and after that wrong as rarely as possible: which may be "
            "nearly always, so see --explain. never-invented, at --delta above 0, always releases 0 as 0, and "
            "other counts as 0 as rarely as that allows.",
        ),
    ] = "nearest"

    def asked(self, payment: Payment | None = None) -> Curve | Aim:
        """Return what is promised, or the accuracy that is asked for in place of it.

        Args:
            payment: the budget that is charged, if any, whose currency is the default.

        Raises:
            BadUse: neither, both, or a number out of range.
        """
        from hushcount.release.aim import asked  # with it come the mechanisms

        is_missing = self.within is self.chance is self.epsilon is self.mu is self.rho is None
        if is_missing and self.currency in (None, "epsilon"):
            raise BadUse(
                "what is promised is missing: one of --epsilon (with --delta), --mu, --rho, and --within with "
                "--chance is needed"
            )
        distance = None if self.within is None else whole(self.within, "within")
        return asked(
            self.epsilon,
            self.delta,
            mu=self.mu,
            rho=self.rho,
            within=distance,
            chance=self.chance,
            currency=self.currency,
            payment=payment,
        )

    def adjacency_for(self, payment: Payment | None = None) -> str:
        """Return what --adjacency names, or else the adjacency of the budget, or else replace-one.

        Raises:
            InvalidParameter: it is not that of the budget, or there is none of that name.
        """
        from hushcount.release.payment import adjacency_of

        return adjacency_of(self.adjacency, payment)

    def law(self) -> str | Saved:
        """Return the name that --mechanism gives, or else the mechanism saved in that file; `./nearest` is always a
        file.

        Raises:
            BadData: there is no such file, or it holds no saved mechanism.
        """
        from hushcount.mechanisms.names import is_file_name

        if not is_file_name(self.mechanism):
            return self.mechanism
        from hushcount.saved.files import read_mechanism  # with it come the audits, which only a file needs

        return read_mechanism(self.mechanism)

    def law_for(self, subject: Subject) -> str | Saved:
        """Return the law for a release from data.

        Raises:
            InvalidParameter: the file is part of the data, so an error could reveal a cell.
            BadData: as for `law`.
        """
        from hushcount.mechanisms.names import is_file_name

        if is_file_name(self.mechanism):
            subject.check_declared("mechanism", self.mechanism)
        return self.law()


@dataclass(frozen=True)
class Units:
    """Whom a row belongs to."""

    unit: Annotated[
        str | None,
        PRIVACY.option(
            metavar="COLUMN",
            help="The column that identifies the unit (person, household) that a row belongs to. Units are then "
            "counted instead of rows, each once if any of its rows matches, and one change is one unit with all its "
            "rows.",
            show_default="rows are counted",
        ),
    ] = None
    without_unit: WithoutUnit = None
    rows_per_unit: Annotated[
        str | None,
        PRIVACY.option(
            metavar="S",
            help="With --unit: count rows in place of units, at most S of each unit, and in all cells of a table "
            "together. One change is still one unit with all its rows; the count is the less accurate the larger S is.",
            show_default="units are counted",
        ),
    ] = None

    @property
    def rows(self) -> int | None:
        """The number that --rows-per-unit gives.

        Raises:
            InvalidParameter: it is not a whole number.
        """
        return None if self.rows_per_unit is None else whole(self.rows_per_unit, "rows_per_unit", least=1)
