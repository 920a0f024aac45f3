"""The relation `keys` of `meaning.query`: what the declared keys are compared with, in the types of the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hushcount.counting.cells.group_files import Mapped
from hushcount.counting.cells.key_types import filled, typed_keys
from hushcount.counting.cells.keys import Keys
from hushcount.counting.meaning.groups import check_group, places_of
from hushcount.counting.meaning.types import INTEGER, ColumnType, Kind
from hushcount.counting.predicate.groups import Banded, Group, Part
from hushcount.errors import InvalidParameter
from hushcount.files.arrow_arrays import arrow_array

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Joined", "join_keys"]

_MOST_SHOWN = 10


@dataclass(frozen=True)
class Joined:
    """Keys to join with rows.

    Attributes:
        types: for each group, the type in which it is compared.
        missing: for each group, whether missing values are compared too.
        table: the relation `keys`.
    """

    types: tuple[ColumnType, ...]
    missing: tuple[bool, ...]
    table: pa.Table


def join_keys(keys: Keys, groups: Sequence[Group], types: Mapping[str, ColumnType]) -> Joined:
    """Return keys in the types in which they are compared.

    Args:
        groups: what tells the key of a row.
        types: the types of their columns in the source.

    Raises:
        InvalidParameter: a group cannot be computed from a column of that type, a key cannot be compared with it, or
            two are one.
    """
    import numpy as np
    import pyarrow as pa

    rows = np.arange(len(keys))
    compared: list[pa.Array] = []
    kinds, alike = [], []
    for group, texts, kind in zip(groups, keys.texts, keys.kinds, strict=True):
        held = types[group.column]
        check_group(group, held)
        if isinstance(group, Mapped):
            told, codes = group.codes_in(held, keys.date_format)
            taken, places = _codes_of(group, texts, rows.tolist())
            rows, compared = rows[taken], [column.take(arrow_array(taken, pa.int64())) for column in compared]
            compared.append(codes.take(arrow_array(places, pa.int64())))
            alike.append(texts)
        else:
            told, values = _values(group, texts, kind, held, keys.date_format)
            compared.append(values.take(arrow_array(rows.tolist(), pa.int64())))
            alike.append(values)
        kinds.append(told)
    keys.check_different(alike, "this one means the same as another")
    columns = {"cell": arrow_array(rows.tolist(), pa.int64())}
    for at, column in enumerate(compared):
        columns[f"key_{at}"] = column
        if column.null_count:
            columns |= {f"key_{at}": filled(column), f"missing_{at}": column.is_null()}
    return Joined(tuple(kinds), tuple(column.null_count > 0 for column in compared), pa.table(columns))


def _values(
    group: Group, texts: pa.Array, kind: Kind | None, held: ColumnType, date_format: str
) -> tuple[ColumnType, pa.Array]:
    """Return the type in which keys of a group are compared, and the keys in it."""
    import pyarrow as pa

    if isinstance(group, Banded):
        places = list(places_of(group, held))
        found = _places(group, group.labels, texts)
        return INTEGER, arrow_array([None if at is None else places[at] for at in found], pa.int64())
    if isinstance(group, Part):
        if group.labels is not None:
            _places(group, group.labels, texts)
        return typed_keys(group.name, texts, kind, INTEGER)
    return typed_keys(group.column, texts, kind, held, date_format)


def _places(group: Group, labels: Sequence[str | None], texts: pa.Array) -> list[int | None]:
    """Return where each key stands among those that a group has; None for a missing one."""
    known = {label: at for at, label in enumerate(labels) if label is not None}
    found = [None if text is None else known.get(text, -1) for text in texts.to_pylist()]
    if -1 in found:
        more = ", ..." if len(known) > _MOST_SHOWN else ""
        rule = f"those of {group.name!r}, {', '.join(list(known)[:_MOST_SHOWN])}{more}"
        raise InvalidParameter("keys", texts[found.index(-1)].as_py(), rule)
    return found


def _codes_of(group: Mapped, texts: pa.Array, cells: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return for each pair of a row and a value that a file maps to its key: the place of the row, and that of the
    value.

    Args:
        cells: the cell of each row.
    """
    places = _places(group, group.labels, texts)
    if None in places and group.codes.null_count:
        raise InvalidParameter("keys", None, f"without the missing key: the file of {group.name!r} has a text for it")
    codes: dict[int | None, list[int]] = {None: [len(group.codes)]}
    for code, label in enumerate(group.label_of):
        codes.setdefault(label, []).append(code)
    pairs = [(at, code) for at, cell in enumerate(cells) for code in codes[places[cell]]]
    return [at for at, _ in pairs], [code for _, code in pairs]
