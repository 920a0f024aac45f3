"""What a table declares about its cells, judged: keys, totals, largest counts, and in how many cells a unit counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.completion import completed, keys_of, undeclared_names
from hushcount.counting.cells.group_files import Mapped, read_group
from hushcount.counting.cells.key_files import DELIMITER, LARGEST_TOTAL, read_keys, read_totals
from hushcount.counting.cells.keys import Keys, column_list, group_list
from hushcount.counting.declared.units import Unit
from hushcount.counting.predicate.groups import FromFile, Group
from hushcount.errors import InvalidParameter, NoSuchColumn
from hushcount.inputs.arguments import integer, listed
from hushcount.inputs.delimiters import check_delimiter
from hushcount.promise.adjacency import Adjacency
from hushcount.release.subject import Subject

__all__ = ["DeclaredCells", "declared_groups", "most_cells"]

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class DeclaredCells:
    """The cells of a table; made by `DeclaredCells.of`.

    Attributes:
        cells: the cells, and in how many of them a unit counts.
        totals: the known total of each declared cell; None where there is none.
    """

    cells: Cells
    totals: Counts | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        subject: Subject,
        by: str | Iterable[str | Group],
        keys: str | Path | Iterable[Any] | Keys | None,
        *,
        totals: str | Path | Iterable[int] | None = None,
        undeclared: str = "other",
        max_cells: int | None = None,
        keys_delimiter: str = ",",
    ) -> DeclaredCells:
        """Judge what `release_table` says of its cells, for a source; that function says what the arguments are.

        Raises:
            BadUse: an argument breaks its rule.
            BadData: a file of keys or totals cannot be read, or does not hold what it should.
        """
        groups = declared_groups(subject, by, keys_delimiter)
        files = {
            argument: declaration
            for argument, declaration in (("keys", keys), ("totals", totals))
            if isinstance(declaration, (str, Path))
        }
        for argument, file in files.items():
            subject.check_declared(argument, file)
        is_read = any(str(file).lower().endswith(".csv") for file in files.values())
        if keys_delimiter != "," and not (is_read or any(isinstance(group, Mapped) for group in groups)):
            raise InvalidParameter(DELIMITER, keys_delimiter, "left out where no CSV file of keys or totals is read")
        declared, known = _declared(groups, keys, totals, subject.options.null, keys_delimiter)
        declared = replace(declared, date_format=subject.options.date_format)
        return cls(Cells(declared, undeclared, subject.unit, most_cells(subject.unit, max_cells), groups), known)

    @property
    def by(self) -> tuple[str, ...]:
        """What tells the cell of a row, in the one spelling of each."""
        return tuple(group.text for group in self.cells.groups)

    @property
    def is_without_cap(self) -> bool:
        """Whether every cell has a total, so that none is left for a largest count of its own."""
        return self.totals is not None and not self.cells.keeps_other

    def checked_cap(self, adjacency: Adjacency, max_count: int | None) -> int | None:
        """Return the largest count of the cells without a total; None where the number of rows, or units, is it.

        Raises:
            InvalidParameter: `max_count` is missing under add-remove, not wanted, or not an integer >= 0.
        """
        if max_count is not None:
            cap = integer(max_count, "max_count", least=0)
            if self.is_without_cap:
                raise InvalidParameter("max_count", max_count, "left out where every cell has a total")
            return cap
        if adjacency is Adjacency.ADD_REMOVE and not self.is_without_cap:
            what = "a cell" if self.totals is None else "the cell of undeclared keys"
            rule = f"given under add-remove: a public maximum for {what}, chosen without the data"
            raise InvalidParameter("max_count", None, rule)
        return None

    def about(self) -> dict[str, Any]:
        """Return what a ledger's question says of them."""
        return {
            "by": list(self.by),
            "keys_sha256": self.cells.keys.sha256,
            "undeclared": self.cells.undeclared,
            "max_cells": self.cells.max_cells,
            "totals_sha256": None if self.totals is None else sha256(self.totals.astype("<i8").tobytes()).hexdigest(),
        }

    @contextmanager
    def telling_names_apart(self) -> Iterator[None]:
        """Add to an error about key columns that do not exist how several names are given."""
        try:
            yield
        except NoSuchColumn as error:
            if error.column in self.cells.keys.by and "," in error.column:
                names = [name.strip() for name in error.column.split(",")]
                rule = f"columns of the source; for several give a list, {names}"
                raise InvalidParameter("by", error.column, rule) from None
            raise


def declared_groups(subject: Subject, by: str | Iterable[str | Group], keys_delimiter: str = ",") -> tuple[Group, ...]:
    """Return what `by` names, with the files read that say which values belong together.

    Raises:
        BadUse: it names nothing, or one thing twice; such a file is a source; or the delimiter breaks its rule.
        BadData: such a file cannot be read, or does not hold what it should.
    """
    check_delimiter(keys_delimiter, DELIMITER)
    null = subject.options.null
    if keys_delimiter in null:
        raise InvalidParameter(DELIMITER, keys_delimiter, "no part of what stands for a missing value")
    given = group_list(by)
    subject.check_texts(by="".join(group.text for group in given))
    for group in given:
        if isinstance(group, FromFile):
            subject.check_declared("by", group.path)
    groups = tuple(read_group(group, null, keys_delimiter) if isinstance(group, FromFile) else group for group in given)
    column_list([group.name for group in groups])  # a file may give one the name of another
    return groups


def _declared(
    groups: Sequence[Group],
    keys: str | Path | Iterable[Any] | Keys | None,
    totals: str | Path | Iterable[int] | None,
    null: str,
    delimiter: str,
) -> tuple[Keys, Counts | None]:
    """Return the keys, and their totals if they are known; `null` and `delimiter` are those of CSV files."""
    by = tuple(group.name for group in groups)
    if keys is None and isinstance(totals, (str, Path)):
        declared, known_totals = read_totals(totals, by, None, null, delimiter)
        return completed(declared, groups), known_totals
    alone = undeclared_names(groups)
    if isinstance(keys, Keys) or (keys is None and not alone):
        given = keys
    elif isinstance(keys, (str, Path)):
        given = read_keys(keys, by, null, alone, delimiter)
    else:
        given = keys_of(by, alone, keys)
    declared = completed(given, groups)
    if totals is None:
        return declared, None
    if isinstance(totals, (str, Path)):
        return read_totals(totals, by, declared, null, delimiter)
    known = [integer(total, "totals", least=0) for total in listed(totals, "totals", "a file, or one number a key")]
    if len(known) != len(declared) or not all(total <= LARGEST_TOTAL for total in known):
        raise InvalidParameter("totals", None, f"one number below 2**62 for each of the {len(declared)} keys")
    return declared, np.array(known, dtype=np.int64)


def most_cells(unit: Unit | None, max_cells: int | None) -> int:
    """Return the most cells in which a row, or a unit, counts; `Cells` judges the number given for a unit.

    Raises:
        InvalidParameter: `max_cells` is missing with a unit, or given without one, or beside a bound on its rows.
    """
    if unit is None:
        if max_cells is not None:
            raise InvalidParameter("max_cells", max_cells, "left out without a unit: a row is in one cell")
        return 1
    if unit.rows_per_unit is not None:
        if max_cells is not None:
            rule = "left out where rows are counted, so many of each unit at most: that is for all cells together"
            raise InvalidParameter("max_cells", max_cells, rule)
        return 1
    if max_cells is None:
        rule = (
            "given with a unit, which may have rows in several cells: the largest number of cells in which it counts "
            "(the first that it reaches); the cost grows with it. Or count its rows, at most so many (--rows-per-unit)"
        )
        raise InvalidParameter("max_cells", None, rule)
    return max_cells
