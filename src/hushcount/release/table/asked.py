"""A table that is asked for, of declared cells or of groups from the data."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushcount.counting.cells.found import FROM_DATA_WORD, is_nearly_from_data
from hushcount.counting.cells.keys import Keys
from hushcount.counting.predicate.groups import Group
from hushcount.errors import InvalidParameter
from hushcount.promise.curve import Curve
from hushcount.release.aim import Aim
from hushcount.release.subject import Subject
from hushcount.release.table.cells import DeclaredCells
from hushcount.release.table.found import FoundQuestion, FromData
from hushcount.release.table.question import TableQuestion

if TYPE_CHECKING:
    from hushcount.mechanisms import Mechanism

__all__ = ["AskedTable", "KeysLike", "table_question"]

AskedTable = TableQuestion | FoundQuestion

KeysLike = str | Path | Iterable[Any] | Keys | FromData | None


def table_question(
    subject: Subject,
    by: str | Iterable[str | Group],
    keys: KeysLike,
    where: str,
    promise: Curve | Aim,
    *,
    adjacency: str = "replace-one",
    max_count: int | None = None,
    max_cells: int | None = None,
    totals: str | Path | Iterable[int] | None = None,
    keys_delimiter: str = ",",
    undeclared: str | None = None,
    mechanism: str | Mechanism = "nearest",
    adds_up_to: int | None = None,
) -> AskedTable:
    """Judge the arguments of `release_table`, which says what they are, for a source.

    Args:
        adds_up_to: as in `TableQuestion`.

    Raises:
        BadUse, BadData: as for `release_table` before it opens the source.
    """
    if isinstance(keys, FromData):
        return FoundQuestion.of(
            subject,
            by,
            where,
            promise,
            adjacency=adjacency,
            max_count=max_count,
            max_cells=max_cells,
            totals=totals,
            keys_delimiter=None if keys_delimiter == "," else keys_delimiter,
            undeclared=undeclared,
            mechanism=mechanism,
            round_trip=adds_up_to,
        )
    if isinstance(keys, str) and (keys == FROM_DATA_WORD or is_nearly_from_data(keys)):
        rule = "hushcount.release.FROM_DATA, if the groups come from the data; or a list of keys, or the path of a file"
        raise InvalidParameter("keys", keys, rule)
    other = "other" if undeclared is None else undeclared
    declared = DeclaredCells.of(
        subject, by, keys, totals=totals, undeclared=other, max_cells=max_cells, keys_delimiter=keys_delimiter
    )
    return TableQuestion.of(
        subject,
        declared,
        where,
        promise,
        adjacency=adjacency,
        max_count=max_count,
        mechanism=mechanism,
        adds_up_to=adds_up_to,
    )
