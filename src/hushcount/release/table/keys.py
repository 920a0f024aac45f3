"""The keys of a table's cells as its receipt has them: column by column, as they were spelled, with what they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, Field

from hushcount.counting.cells.keys import FoundKeys, Keys
from hushcount.counting.meaning.types import Kind
from hushcount.files.arrow_arrays import arrow_array
from hushcount.release.receipt_parts import FROZEN

__all__ = ["KeyColumn", "key_columns", "keys_in"]


class KeyColumn(BaseModel):
    """The keys of one column."""

    model_config = FROZEN

    column: str = Field(min_length=1, description="The name of the column.")
    kind: Literal["integer", "decimal", "text", "boolean", "date"] = Field(description="What its keys are.")
    spelled: tuple[str | None, ...] = Field(
        description="The keys in the order of the cells, as they were declared, or as the data have them; null is the "
        "missing key."
    )


def key_columns(keys: Keys, pinned: Mapping[str, str]) -> tuple[KeyColumn, ...]:
    """Return the keys for a receipt.

    Args:
        pinned: as in `ReadOptions.types`; it tells what keys are whose declaration does not.
    """
    kinds = keys.meant(pinned)
    return tuple(
        KeyColumn.model_construct(column=name, kind=kinds[name].value, spelled=tuple(texts.to_pylist()))
        for name, texts in zip(keys.by, keys.texts, strict=True)
    )


def keys_in(columns: Sequence[KeyColumn], date_format: str, *, is_found: bool = False) -> Keys:
    """Return the keys that a receipt has.

    Args:
        date_format: as in `ReadOptions`, of the source.
        is_found: whether they come from the data.

    Raises:
        InvalidParameter: of declared ones there are none, or two are the same.
    """
    import pyarrow as pa

    return (FoundKeys if is_found else Keys)(
        tuple(each.column for each in columns),
        tuple(arrow_array(each.spelled, pa.string()) for each in columns),
        tuple(Kind(each.kind) for each in columns),
        date_format,
    )
