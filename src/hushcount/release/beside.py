"""What within:T gains and costs: beside it, what else draws at the same promise.

within:T is off by more than T as rarely as can be, whatever that costs elsewhere: for some ranges it is right almost
never (docs/theory.md, "Right within t"). So it is never told of without the chances of the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.mechanisms.names import ROUNDED_GAUSSIAN, distance_of
from hushcount.promise.curve import Curve
from hushcount.promise.gaussian import GaussianDP
from hushcount.release.aim import Aim
from hushcount.release.law import Law
from hushcount.words.chances import chance_text
from hushcount.words.paragraphs import dashed
from hushcount.words.tables import aligned

__all__ = ["Beside"]

_NEAREST = "nearest"
_LARGEST_ADVISED = 2**13
"""The largest count for which the chances of within:T are looked for unasked; its chain takes a second then."""


@dataclass(frozen=True)
class Beside:
    """Chances of within:T and of other mechanisms; made by `Beside.of`.

    Attributes:
        promise: what all of them keep.
        within: T.
        chances: by mechanism, within:T first, the chances to be off by more than 0 and T; the worst over the true
            counts, and over the ranges if there are several.
    """

    promise: Curve
    within: int
    chances: Mapping[str, Mapping[int, float]]

    @classmethod
    def of(cls, law: Law, tops: Iterable[int], aim: Aim | None = None) -> Beside | None:
        """Return it for within:T, on 0..top for each of `tops`; None for any other law.

        Args:
            aim: an accuracy that was asked for, where within:T is told of unasked, at the promise that it takes.
        """
        distinct, within = sorted(set(tops)), distance_of(law.name)
        if within is None:
            if aim is None or distinct[-1] > _LARGEST_ADVISED:
                return None
            within = aim.accuracy.within
            name = f"within:{within}"
            with suppress(InvalidParameter, TooLarge):  # there is no such promise, so that it is not told of
                return cls.of(replace(law, name=name, promise=aim.promise(distinct, name)), distinct)
            return None
        others = [_NEAREST, *([ROUNDED_GAUSSIAN] if isinstance(law.promise, GaussianDP) else [])]
        chances = {}
        for name in (law.name, *others):
            made = [replace(law, name=name).at(top) for top in distinct]
            chances[name] = {far: max(one.probability_beyond(far) for one in made) for far in sorted({0, within})}
        return cls(law.promise, within, chances)

    @property
    def is_rarely_right(self) -> bool:
        """Whether within:T is right less than half as often as nearest."""
        return 1 - self.chances[f"within:{self.within}"][0] < (1 - self.chances[_NEAREST][0]) / 2

    def to_lines(self) -> list[str]:
        """Return it for people, after an empty line."""
        head = ("", *(f"off by more than {far}" if far else "wrong" for far in self.chances[_NEAREST]))
        rows = [(f"  {name}", *map(chance_text, found.values())) for name, found in self.chances.items()]
        remark = (
            f"within:{self.within} is right less than half as often as nearest: for whom a count that is off by up to "
            f"{self.within} is as good as the right one."
        )
        return [
            "",
            f"At {self.promise.in_words()}, in what part of releases at most",
            *(line.rstrip() for line in aligned([head, *rows], to_right=range(1, len(head)))),
            *([dashed(remark)] if self.is_rarely_right else []),
        ]

    def to_fields(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        chances = {name: {str(far): chance for far, chance in found.items()} for name, found in self.chances.items()}
        return {"beside": {**self.promise.to_fields(), "chance_off_by_more_than": chances}}
