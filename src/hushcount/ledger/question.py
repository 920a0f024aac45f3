"""What was asked of a budget: everything that settles a release, except the data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from hushcount.counting.predicate.groups import by_words
from hushcount.errors import HushcountError, InvalidParameter
from hushcount.inputs.arguments import integer
from hushcount.numbers.exact import LARGEST_BITS, exact
from hushcount.numbers.text import plain
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.curve import Curve
from hushcount.promise.given import promise_in
from hushcount.words.counted import counted

__all__ = ["Question", "canonical_json"]

_ALL = "TRUE"
"""The condition of every row, in its normal form."""


@dataclass(frozen=True)
class Question:
    """A counting query, or a table of them, with its price. Two that are equal have one answer, which is paid for once.

    Attributes:
        predicate: the condition in its normal form.
        maximum: the largest count that may be released, at most 4,096 bits long; the least is 0.
        adjacency: which tables are neighbors.
        mechanism: the name of what draws the count; another mechanism has another name.
        price: the promise that the answer keeps, which is what it costs: epsilon and delta, or mu.
        about: whatever else makes it this question and not another, ready for JSON: the name of the source, its table,
            how it is read. Never a true count, a cell or a hash of the data.
        cells: how many counts the answer has, for a table of counts; None for a single count, and 0 where the groups
            come from the data, so that the answer alone says how many it has.

    Raises:
        InvalidParameter: an attribute is of another type, or `about` is not JSON.
    """

    predicate: str
    maximum: int
    adjacency: Adjacency
    mechanism: str
    price: Curve
    about: Mapping[str, Any] = field(default_factory=dict)
    cells: int | None = None

    def __post_init__(self) -> None:
        for argument, value, kind in (
            ("predicate", self.predicate, str),
            ("adjacency", self.adjacency, Adjacency),
            ("mechanism", self.mechanism, str),
            ("price", self.price, Curve),
            ("about", self.about, Mapping),
        ):
            if not isinstance(value, kind):
                raise InvalidParameter(argument, value, f"of type {kind.__name__}")
        object.__setattr__(self, "maximum", integer(self.maximum, "maximum", least=0))
        if not self.maximum.bit_length() <= LARGEST_BITS:
            raise InvalidParameter("maximum", None, f"a count of at most {LARGEST_BITS:,} bits")
        if self.cells is not None:
            object.__setattr__(self, "cells", integer(self.cells, "cells", least=0))
        try:
            text = canonical_json(dict(self.about))
        except (TypeError, ValueError):
            raise InvalidParameter("about", None, "a mapping that JSON can encode") from None
        object.__setattr__(self, "about", json.loads(text))

    def to_json(self) -> str:
        """Return one text for equal questions; `from_json` gives back an equal question."""
        return canonical_json(
            {
                "predicate": self.predicate,
                "minimum": 0,
                "maximum": self.maximum,
                "adjacency": self.adjacency.value,
                "mechanism": self.mechanism,
                **self.price.to_fields(),
                "about": self.about,
                **({} if self.cells is None else {"cells": self.cells}),
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Question:
        """Return the question that `to_json` spelled."""
        parts = json.loads(text)
        return cls(
            predicate=parts["predicate"],
            maximum=parts["maximum"],
            adjacency=Adjacency(parts["adjacency"]),
            mechanism=parts["mechanism"],
            price=promise_in(parts),
            about=parts["about"],
            cells=parts.get("cells"),
        )

    @property
    def draws(self) -> tuple[Curve, int]:
        """Return the promise of a draw, and how many draws a change can affect: for a table those that make its price.

        The price and 1 for a count, and where `about` says nothing of a cell, or something that makes another price;
        also where so many rows of a unit count, which may change more cells by less.
        """
        if self.cells is not None and self.rows_per_unit is None:
            with suppress(HushcountError, TypeError):
                each, changed = promise_in(self.about, "cell_"), integer(self._changed, "changed", least=1)
                if each.of_cells(changed) == self.price:
                    return each, changed
        return self.price, 1

    @property
    def _changed(self) -> int:
        """How many draws of a table one change can affect."""
        if self.is_one_count:
            return 1
        most = None if self.is_drawn_once else self.cells or 1
        return self.adjacency.changed_cells(self.about.get("max_cells") or 1, most)

    @property
    def is_one_count(self) -> bool:
        """Whether the cells of a table are one count, drawn once, since their sum is public."""
        return self.about.get("one_count") is True

    @property
    def is_drawn_once(self) -> bool:
        """Whether an answer that was not stored may not be drawn again for the same charge.

        Where the groups come from the data, an answer is as long as they make it, and so whether it can be stored (on a
        disk that is nearly full) says something of it. Drawn again for the same charge, the answers that are seen would
        be chosen among several by their length. So such a charge is for one draw, whatever becomes of it.
        """
        return self.cells == 0

    @property
    def rows_per_unit(self) -> object:
        """The most rows of a unit that were counted; None where rows were counted without such a bound, or units."""
        unit = self.about.get("unit")
        return unit.get("rows_per_unit") if isinstance(unit, dict) else None

    def counted(self, place: str = "") -> str:
        """What was counted, in the words of a receipt, with the place after what it is."""
        unit = self.about.get("unit")
        if not isinstance(unit, dict):
            return f"rows{place}"
        column, most = unit["column"], self.rows_per_unit
        return f"units ({column}){place}" if most is None else f"rows{place}, at most {most} of each {column},"

    def __str__(self) -> str:
        """Return what was counted, where, and which rows, in words; for a table, also its cells and what each was
        drawn at."""
        source, table = self.about.get("source"), self.about.get("table")
        place = "" if source is None else f" of {source}" if table is None else f" of {table} in {source}"
        asked = self.counted(place)
        asked = f"all {asked}".rstrip(",") if self.predicate == _ALL else f"{asked} where {self.predicate}"
        return f"{asked}{self._cells_text()} (0 to {self.maximum}, {self.mechanism})"

    def _cells_text(self) -> str:
        """Return which table of counts was asked for, if it was one, and how its price comes about."""
        if self.cells is None:
            return ""
        by = [str(group) for group in self.about.get("by", ())]
        what = "groups from the data" if self.is_drawn_once else counted(self.cells, "cell")
        words = f", {what}{f' {by_words(by)}' if by else ''}{', drawn as one count' if self.is_one_count else ''}"
        k = self._changed
        for name, called in (("epsilon", "epsilon"), ("mu_squared", "mu^2")):
            each = self.about.get(f"cell_{name}")
            if each is not None:
                return f"{words}, {called} {plain(exact(each))} x {k:,}"
        return words

    def in_equal_room(self, receipt: str) -> str:
        """Return the receipt with blanks added so that all answers to the question take the same room.

        With groups from the data they cannot: how long an answer is follows from the groups that it tells. See
        `is_drawn_once`.

        Raises:
            InvalidParameter: the receipt is not an answer to the question.
        """
        maximum, cells = self.maximum, self.cells
        try:
            released = json.loads(receipt)["released"] if receipt.isascii() else None
        except (ValueError, KeyError, TypeError, AttributeError):
            released = None
        counts = [released] if cells is None else released
        if not (
            isinstance(counts, list)
            and (self.is_drawn_once or len(counts) == (cells or 1))
            and all(type(count) is int and self.is_drawn_once <= count <= maximum for count in counts)
        ):
            number = "" if self.is_drawn_once else f"{cells} "
            what = "a whole number" if cells is None else f"a list of {number}whole numbers"
            rule = f"a JSON object in ASCII with {what} `released` from {int(self.is_drawn_once)} to {maximum}"
            raise InvalidParameter("receipt", None, rule)
        if self.is_drawn_once:
            return receipt.rstrip(" ")
        room = len(counts) * len(str(maximum))
        return receipt.rstrip(" ") + " " * (room - sum(len(str(count)) for count in counts))

    @property
    def sha256(self) -> str:
        """The hash by which the ledger recognizes it."""
        return sha256(self.to_json().encode("ascii")).hexdigest()


def canonical_json(value: object) -> str:
    """Return the one spelling of a JSON value that is hashed: ASCII, sorted keys, no blanks."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False)
