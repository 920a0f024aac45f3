"""The options that say what is promised, and to whom."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from hushcount.cli.options.groups import PRIVACY

if TYPE_CHECKING:
    from hushcount.promise.epsilon_delta import EpsilonDelta
    from hushcount.release.subject import Subject
    from hushcount.saved import SavedMechanism

__all__ = ["Adjacency", "Delta", "Drawing", "Epsilon", "Promise", "UnitColumn", "Units", "WithoutUnit"]

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
Adjacency = Annotated[
    str,
    PRIVACY.option(
        metavar="replace-one|add-remove",
        help="Which tables are neighbors. replace-one: one row is replaced, and the number of rows is public. "
        "add-remove: one row is added or removed, and the number of rows is private.",
    ),
]
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


@dataclass(frozen=True)
class Drawing(Promise):
    """What determines the law of a released count, together with its range."""

    adjacency: Adjacency = "replace-one"
    mechanism: Annotated[
        str,
        PRIVACY.option(
            metavar="nearest|canonical|FILE",
            help="How the count is drawn. nearest and canonical are wrong equally rarely in the worst case; when "
            "wrong, nearest is also as close as possible. Or the file of a saved mechanism (CSV or JSON) for the same "
            "range of counts. It is audited first, and refused unless it is private at --epsilon and --delta, "
            "whatever the file claims.",
        ),
    ] = "nearest"

    def law(self) -> str | SavedMechanism:
        """Return the name that --mechanism gives, or else the mechanism saved in that file; `./nearest` is always a
        file.

        Raises:
            BadData: there is no such file, or it holds no saved mechanism.
        """
        if not self._is_file():
            return self.mechanism
        from hushcount.saved.files import read_mechanism  # with it come the audits, which only a file needs

        return read_mechanism(self.mechanism)

    def law_for(self, subject: Subject) -> str | SavedMechanism:
        """Return the law for a release from data.

        Raises:
            InvalidParameter: the file is part of the data, so an error could reveal a cell.
            BadData: as for `law`.
        """
        if self._is_file():
            subject.check_declared("mechanism", self.mechanism)
        return self.law()

    def _is_file(self) -> bool:
        from hushcount.release.law import PROVEN  # with it come the mechanisms

        text = self.mechanism
        return text not in PROVEN and (text != os.path.basename(text) or "." in text or os.path.exists(text))


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
