"""Keys that follow from what is declared of a group: every band, every month, every text of a file.

The keys of all other groups are declared, alone or together with these. Alone, each of them is combined with all keys
that follow, which are then in the order of their declaration.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from hushcount.counting.cells.keys import Keys
from hushcount.counting.meaning.types import Kind
from hushcount.counting.predicate.groups import Group, Part
from hushcount.errors import InvalidParameter
from hushcount.files.arrow_arrays import arrow_array
from hushcount.inputs.arguments import listed

__all__ = ["MOST_CELLS", "completed", "keys_of", "undeclared_names"]

MOST_CELLS = 10_000_000
"""The most cells that are made by combining keys."""


def undeclared_names(groups: Sequence[Group]) -> tuple[str, ...]:
    """Return the names of the groups whose keys do not follow from their declaration."""
    return tuple(group.name for group in groups if group.labels is None)


def keys_of(by: Sequence[str], alone: Sequence[str], keys: Iterable[Any] | None) -> Keys:
    """Return keys that were given one by one, of all groups or of those `alone` whose keys do not follow.

    Raises:
        InvalidParameter: as for `Keys.of`.
    """
    if keys is None or hasattr(keys, "columns") or len(alone) in (0, len(by)):
        return Keys.of(alone or by, keys)
    rows = listed(keys, "keys", "a list of keys")
    is_whole = bool(rows) and all(isinstance(row, (tuple, list)) and len(row) == len(by) for row in rows)
    return Keys.of(by if is_whole else alone, rows)


def completed(keys: Keys | None, groups: Sequence[Group]) -> Keys:
    """Return the keys of all groups.

    Args:
        keys: those that were given, of all groups or of those whose keys do not follow; None if all keys follow.

    Raises:
        InvalidParameter: there would be too many.
    """
    import numpy as np
    import pyarrow as pa

    by = tuple(group.name for group in groups)
    given = None if keys is None else dict(zip(keys.by, zip(keys.texts, keys.kinds, strict=True), strict=True))
    known = {group.name: group.labels for group in groups if group.labels is not None}
    if keys is not None and keys.by == by:
        return replace(keys, kinds=tuple(_kind(group, kind) for group, kind in zip(groups, keys.kinds, strict=True)))
    lengths = [1 if keys is None else len(keys), *map(len, known.values())]
    if not np.prod(lengths, dtype=float) <= MOST_CELLS:
        raise InvalidParameter("by", None, f"groups with at most {MOST_CELLS:,} cells together")
    grid = np.unravel_index(np.arange(int(np.prod(lengths))), lengths)
    places = dict(zip(known, grid[1:], strict=True))
    texts, kinds = [], []
    for group in groups:
        if group.name in known:
            column, at, kind = arrow_array(known[group.name], pa.string()), places[group.name], None
        else:
            assert given is not None
            (column, kind), at = given[group.name], grid[0]
        texts.append(column.take(pa.array(at)))
        kinds.append(_kind(group, kind))
    return Keys(by, tuple(texts), tuple(kinds))


def _kind(group: Group, given: Kind | None) -> Kind | None:
    """Return what the keys of a group are: what the group says, or else what was declared of them."""
    if isinstance(group, Part):
        return given or Kind.INTEGER
    return given if group.labels is None else Kind.TEXT
