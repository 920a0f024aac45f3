"""What a table of counts is, in plain Python: the reference of the tests that count, and of those about privacy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple


class Row(NamedTuple):
    """A row by what matters to a table: its key (None in a part that is missing), its unit, whether it matches."""

    key: tuple[Hashable, ...]
    unit: Hashable = None
    matches: bool = True


def plain_table(
    rows: Iterable[Row],
    keys: Sequence[tuple[Hashable, ...]],
    *,
    undeclared: str = "other",
    counts_units: bool = False,
    max_cells: int = 1,
) -> list[int]:
    """Counts by cell; those of the other cell last, if it is there. Rows without a unit are one unit."""
    cell_of = {key: cell for cell, key in enumerate(keys)}
    other = len(keys)
    counts = [0] * (other + (undeclared == "other"))
    reached: dict[Hashable, set[int]] = {}
    for number, row in enumerate(rows):
        cell = cell_of.get(row.key, other)
        if row.matches and cell < len(counts):
            reached.setdefault(row.unit if counts_units else ("row", number), set()).add(cell)
    for cells in reached.values():
        for cell in sorted(cells)[:max_cells]:
            counts[cell] += 1
    return counts


def plain_groups(
    rows: Iterable[Row], *, counts_units: bool = False, max_cells: int = 1, salt: str = ""
) -> Counter[tuple[Hashable, ...]]:
    """Counts by the keys that the rows have, all of which are texts; a unit counts in those of the least hashes."""

    def hashed(unit: Hashable, key: tuple[Hashable, ...]) -> bytes:
        parts = ("-" if part is None else f"{len(str(part))}:{part}" for part in (unit, *key))
        return sha256((salt + "".join(parts)).encode()).digest()

    reached: dict[Hashable, set[tuple[Hashable, ...]]] = {}
    for number, row in enumerate(rows):
        if row.matches:
            reached.setdefault(row.unit if counts_units else ("row", number), set()).add(row.key)
    return Counter(
        key
        for unit, keys in reached.items()
        for key in (sorted(keys, key=lambda key: hashed(unit, key))[:max_cells] if counts_units else keys)
    )


def plain_rows(
    rows: Iterable[Row], most: int, salt: str, keys: Sequence[tuple[Hashable, ...]] | None = None, other: bool = True
) -> Counter[tuple[Hashable, ...]]:
    """Counts of at most so many rows of each unit, in all cells together: those of the least hashes.

    By the keys that the rows have; or, with declared keys, by the number of the cell, which rows with no such key are
    in only if there is an `other` one.
    """
    cell_of = None if keys is None else {key: (cell,) for cell, key in enumerate(keys)}
    of_unit: dict[Hashable, Counter[tuple[Hashable, ...]]] = {}
    for row in rows:
        cell = row.key if cell_of is None else cell_of.get(row.key, (len(cell_of),) if other else None)
        if row.matches and cell is not None:
            of_unit.setdefault(row.unit, Counter())[cell] += 1

    def hashed(unit: Hashable, cell: tuple[Hashable, ...], ordinal: int) -> bytes:
        parts = ("-" if part is None else f"{len(str(part))}:{part}" for part in (unit, *cell, ordinal))
        return sha256((salt + "".join(parts)).encode()).digest()

    counts: Counter[tuple[Hashable, ...]] = Counter()
    for unit, cells in of_unit.items():
        places = [(cell, ordinal) for cell, many in cells.items() for ordinal in range(1, many + 1)]
        places.sort(key=lambda place: hashed(unit, *place))
        counts.update(cell for cell, _ in places[:most])
    return counts
