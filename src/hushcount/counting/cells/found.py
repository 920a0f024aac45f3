"""Groups that are not declared: they come from the data, in memory only, and a release tells which of them it may.

What one row does to the groups must be told by that row alone. So the type of a key column has to be declared: where
the values tell it, one row could change how the keys of all others are spelled. (A CSV column is read as text unless
its type is pinned.) No value of such a column is an error, whatever it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hushcount.counting.cells.key_types import check_kind
from hushcount.counting.declared.units import Unit
from hushcount.counting.meaning.groups import check_group, places_of
from hushcount.counting.meaning.types import ColumnType, Kind
from hushcount.counting.predicate.groups import Banded, Group, Part
from hushcount.errors import InvalidParameter
from hushcount.files.arrow_arrays import arrow_array
from hushcount.inputs.arguments import integer
from hushcount.words.shell import as_option

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["FROM_DATA_WORD", "FoundCells", "FoundTally", "is_nearly_from_data"]

FROM_DATA_WORD = "from-data"
"""What is written in place of declared keys for groups from the data."""


def is_nearly_from_data(text: str) -> bool:
    """Return whether a text in place of keys was probably meant to be that word, and is not."""
    return text != FROM_DATA_WORD and "".join(filter(str.isalnum, text.casefold())) in ("fromdata", "fromthedata")


@dataclass(frozen=True, eq=False)
class FoundCells:
    """What tells the group of a row, and in how many groups a unit may count.

    Attributes:
        groups: what tells the key of a row: columns, their years, months and days, and bands. A row in no band is in no
            group; a missing key is a key like any other.
        unit: whom a row belongs to; None if each row stands for itself.
        max_cells: K, the most groups in which a unit counts; 1 without a unit. They are those with the least hashes of
            the salt, the unit and the key, so that they follow from the matching rows of the unit alone.
        salt: what is hashed with them, for tests; None stands for 128 random bits, new for each count and kept nowhere.
    """

    groups: tuple[Group, ...]
    unit: Unit | None = None
    max_cells: int = 1
    salt: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for group in self.groups:
            if type(group) is not Group and not isinstance(group, (Part, Banded)):
                rule = "columns, years, months, days or bands: the groups of a file declare their keys"
                raise InvalidParameter("by", group.name, rule)
        object.__setattr__(self, "max_cells", integer(self.max_cells, "max_cells", least=1))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the source that tell the group of a row; one may be there twice."""
        return tuple(group.column for group in self.groups)

    @property
    def as_texts(self) -> tuple[str, ...]:
        """Those of them whose values are the keys, which are read as text where nothing declares their type."""
        return tuple(group.column for group in self.groups if type(group) is Group)

    def check_types(self, types: Mapping[str, ColumnType]) -> None:
        """Check that the types of the columns are declared, and that keys can be told from such values.

        Raises:
            InvalidParameter: they are not, or cannot.
        """
        for group in self.groups:
            kind, name = types[group.column], group.column
            if kind.open or kind.loose:
                rule = (
                    f"a column whose type is declared, where groups come from the data: else one row could change how "
                    f"the keys of all others are spelled. Pin it ({as_option('type', f'{name}=...')}), or have the "
                    "budget list the source (`hushcount budget source add`)"
                )
                raise InvalidParameter("by", name, rule)
            check_group(group, kind)
            if type(group) is Group:
                check_kind(name, kind)

    def kinds(self, types: Mapping[str, ColumnType]) -> tuple[Kind, ...]:
        """Return what the keys of each group are."""
        return tuple(_kind(group, types[group.column]) for group in self.groups)

    def spelled(self, columns: Sequence[pa.ChunkedArray], types: Mapping[str, ColumnType]) -> tuple[pa.Array, ...]:
        """Return the keys as they are told: a band by its label, all else as the query has it."""
        return tuple(
            _labels(group, column, types[group.column]) if isinstance(group, Banded) else column
            for group, column in zip(self.groups, columns, strict=True)
        )


@dataclass(frozen=True, repr=False, eq=False)
class FoundTally:
    """True groups and counts, to be held in memory only; the `repr` shows nothing of them, so that no log does.

    Attributes:
        everything: the number of rows of the table, or of its units.
        keys: for each group of `by`, the keys as texts; null is the missing one.
        kinds: what these are.
        matching: the matching rows, or units, of each group, all above 0.
        predicate: the predicate as normalized SQL.
    """

    everything: int
    keys: tuple[pa.ChunkedArray, ...]
    kinds: tuple[Kind, ...]
    matching: NDArray[np.int64]
    predicate: str

    def __repr__(self) -> str:
        return f"FoundTally(<hidden>, predicate={self.predicate!r})"


def _kind(group: Group, kind: ColumnType) -> Kind:
    if isinstance(group, Part):
        return Kind.INTEGER
    return Kind.TEXT if isinstance(group, Banded) or kind.kind is Kind.UNKNOWN else kind.kind


def _labels(group: Banded, places: pa.ChunkedArray, kind: ColumnType) -> pa.ChunkedArray:
    import pyarrow as pa

    of = dict(zip(map(str, places_of(group, kind)), group.labels, strict=False))
    return pa.chunked_array([arrow_array([of.get(place) for place in places.to_pylist()], pa.large_string())])
