"""A table whose groups come from the data, and its receipt: a group is told only where a count above 0 is drawn for it.

Each group that the data have is drawn at the promise of a cell by the nearest optimum that always releases 0 as 0
(`hushcount.mechanisms.chain.never_invented`); that is as if every key that there could be were a declared cell, since
those without rows are released as 0, and a released 0 is not told. So a table costs what one of declared cells costs:
under add-remove, with K groups for a unit, K times the price of one draw.

What is told beside the groups that are shown must not follow from those that are hidden. So they are told in the order
of their keys, progress is not told, and an answer that could not be stored is never drawn again for the same charge
(`Question.is_drawn_once`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from hushcount.counting import OpenTable, parse_predicate
from hushcount.counting.cells.found import FROM_DATA_WORD, FoundCells, FoundTally
from hushcount.counting.cells.key_files import LARGEST_TOTAL
from hushcount.counting.predicate.groups import Group
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.inputs.arguments import integer
from hushcount.mechanisms.names import NEVER_INVENTED
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.release.aim import Aim
from hushcount.release.law import Law
from hushcount.release.question import QuestionBase, Settled
from hushcount.release.receipt import OF_FOUND, LedgerFacts
from hushcount.release.subject import Subject
from hushcount.release.table.cells import declared_groups, most_cells
from hushcount.release.table.draws import draw_cells
from hushcount.release.table.guarantee import TableGuarantee
from hushcount.release.table.keys import KeyColumn
from hushcount.release.table.receipt import TableReceipt

if TYPE_CHECKING:
    from hushcount.ledger import Question

__all__ = ["FROM_DATA", "FoundQuestion", "FromData", "SettledFound"]

_WHY_ADDED = (
    "add-remove where groups come from the data: a group is there only by its rows, so whether a row is there is what "
    "has to be private"
)
_WHY_MAXIMUM = "given: a public maximum for a group, above 0 and chosen without looking at the data"
_WHY_DELTA = "since otherwise what cannot be released without any row of a group cannot be released with one either"
_NEEDED = {"adjacency": "`adjacency` add-remove", "max_count": "`max_count`", "delta": "a `delta` above 0"}
_WHY_NOT = {
    "totals": "left out where groups come from the data: a known total is that of a declared cell",
    "keys_delimiter": "left out where groups come from the data: no file of keys is read",
    "undeclared": "left out where groups come from the data: no key is undeclared, and a missing one is a key",
    "mechanism": "left out where groups come from the data: they are drawn by the one that hides as little as possible",
    "within": "left out where groups come from the data: a group of one row is hidden or told wrong at any promise",
    "round_trip": "left out where groups come from the data: how many counts are hidden is private, so none add up",
}


class FromData(Enum):
    """That groups come from the data."""

    FROM_DATA = FROM_DATA_WORD


FROM_DATA = FromData.FROM_DATA
"""What `release_table` takes in place of keys, for groups that come from the data."""


@dataclass(frozen=True)
class FoundQuestion(QuestionBase[TableReceipt]):
    """A table of groups from the data that was judged; made by `FoundQuestion.of`. Nothing public is missing.

    Attributes:
        found: what tells the group of a row, and in how many a unit counts.
        top: the largest count of a group.
    """

    found: FoundCells
    top: int

    receipt_type = TableReceipt

    @classmethod
    def of(
        cls,
        subject: Subject,
        by: str | Iterable[str | Group],
        where: str,
        promise: Curve | Aim,
        *,
        adjacency: str = "replace-one",
        max_count: int | None = None,
        max_cells: int | None = None,
        **others: Any,
    ) -> FoundQuestion:
        """Judge the arguments of `release_table`, which says what they are, for a source.

        Args:
            others: arguments that only declared cells have, each of which must be as if it were left out.

        Raises:
            BadUse: one of them breaks its rule, or is not for groups from the data.
        """
        subject.check_texts(where=where)
        relation = Adjacency.of(adjacency)
        for argument, value in others.items():
            if not (value is None or (argument == "mechanism" and value in ("nearest", NEVER_INVENTED))):
                raise InvalidParameter(argument, value, _WHY_NOT[argument])
        _check_needed(relation, max_count, promise)
        top = integer(max_count, "max_count", least=1)
        if not top <= LARGEST_TOTAL:
            raise TooLarge("the counts of a table are drawn together, which takes a maximum below 2**62 (--max)")
        if isinstance(promise, Aim):
            raise InvalidParameter("within", promise.accuracy.within, _WHY_NOT["within"])
        moves = 1 if subject.unit is None else subject.unit.moves
        law, predicate = Law.of(NEVER_INVENTED, promise, moves), parse_predicate(where)
        found = FoundCells(declared_groups(subject, by), subject.unit, most_cells(subject.unit, max_cells))
        subject.judge(predicate, found)
        return cls(subject, where, predicate, relation, top, law, found, top)

    @property
    def cells(self) -> FoundCells:
        return self.found

    @property
    def by(self) -> tuple[str, ...]:
        """What tells the group of a row, in the one spelling of each."""
        return tuple(group.text for group in self.found.groups)

    @property
    def names(self) -> tuple[str, ...]:
        """What the key columns are called."""
        return tuple(group.name for group in self.found.groups)

    @property
    def promised(self) -> Curve:
        return self.law.promise.of_cells(self.adjacency.changed_cells(self.found.max_cells, None))

    def named(self, receipt: TableReceipt) -> TableReceipt:
        """Return the receipt with its keys, which it has."""
        return receipt

    def open(self) -> OpenTable:
        return self.subject.open(self.predicate, self.found)

    def settled(self, everything: int | None = None) -> SettledFound:
        return SettledFound(
            self, TableGuarantee.of_found(self.law, self.adjacency, self.found, self.promised, self.top)
        )

    def settled_as(self, charged: Question) -> SettledFound:
        return self.settled()


def _check_needed(relation: Adjacency, max_count: int | None, promise: Curve | Aim) -> None:
    """Check what groups from the data take; one error names all that is missing.

    Raises:
        InvalidParameter: the adjacency is another one, there is no maximum, or the promise has no delta above 0.
    """
    is_open = isinstance(promise, Aim) or promise.starts_above_zero
    rules = {
        "adjacency": None if relation is Adjacency.ADD_REMOVE else _WHY_ADDED,
        "max_count": None if max_count is not None else _WHY_MAXIMUM,
        "delta": None if is_open else f"above 0 where groups come from the data, {_WHY_DELTA}",
    }
    missing = {argument: rule for argument, rule in rules.items() if rule is not None}
    if not is_open and not isinstance(promise, EpsilonDelta):
        rule = "declared under this promise: groups from the data take a delta above 0 (of several pairs, each), "
        missing = {"keys": rule + _WHY_DELTA}
    for argument, rule in missing.items():
        others = [_NEEDED[other] for other in missing if other != argument]
        more = f"; also missing: {' and '.join(others)}" if others else ""
        raise InvalidParameter(argument, FROM_DATA.value if argument == "keys" else None, rule + more)


@dataclass(frozen=True)
class SettledFound(Settled[TableReceipt]):
    """A table of groups from the data of which only these are missing.

    Attributes:
        question: what is asked.
        guarantee: what is guaranteed about the released counts, whatever groups there are.
    """

    question: FoundQuestion
    guarantee: TableGuarantee = field(repr=False)

    @property
    def chances(self) -> Mapping[int, float]:
        return self.guarantee.cell.chances

    def charged(self) -> Question:
        from hushcount.ledger import Question  # ledgers take long to load, and a release without one needs none

        asked = self.question
        return Question(
            predicate=asked.predicate.sql,
            maximum=asked.top,
            adjacency=asked.adjacency,
            mechanism=asked.law.full_name,
            price=asked.promised,
            about={
                **asked.subject.about(),
                "by": list(asked.by),
                "keys": FROM_DATA.value,
                "max_cells": asked.found.max_cells,
                **asked.law.promise.to_fields("cell_"),
            },
            cells=0,
        )

    def released(
        self, table: OpenTable, ledger: LedgerFacts | None = None, progress: Callable[[float], None] | None = None
    ) -> TableReceipt:
        """See `Settled`; `progress` is not told, since its steps would tell how many groups there are."""
        asked = self.question
        keys, counts = self._shown(table.tally_found())
        fields = replace(self.guarantee, counts=len(counts)).to_fields() | asked.facts(ledger)
        told = {"by": asked.by, "keys_sha256": None, "keys": keys, "released": counts}
        version = {"schema_version": max(fields["schema_version"], OF_FOUND)}
        return TableReceipt.model_validate(fields | told | version)

    def _shown(self, tally: FoundTally) -> tuple[tuple[KeyColumn, ...], tuple[int, ...]]:
        """Draw every group, and return keys and counts of those above 0, by the code points of the keys."""
        import pyarrow as pa
        import pyarrow.compute as pc

        drawn = draw_cells(self.question.law.at, tally.matching, np.array([self.question.top]))
        is_shown, names = drawn > 0, [f"{at}" for at in range(len(tally.keys))]
        shown = pa.table([keys.filter(is_shown) for keys in tally.keys], names=names)
        # Bytes of UTF-8 are in the order of code points; missing keys come last
        order = pc.sort_indices(shown, [(name, "ascending") for name in names])
        columns = tuple(
            KeyColumn.model_construct(column=name, kind=kind.value, spelled=tuple(column.to_pylist()))
            for name, kind, column in zip(self.question.names, tally.kinds, shown.take(order).columns, strict=True)
        )
        return columns, tuple(drawn[is_shown][order.to_numpy()].tolist())
