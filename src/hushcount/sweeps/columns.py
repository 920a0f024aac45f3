"""The columns of a row, taken from its class; the file formats know nothing else of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

__all__ = ["KINDS", "columns", "is_row", "nearest"]

KINDS: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}


def columns(row_class: Any) -> Mapping[str, tuple[type, bool]]:
    """Return for each field, in order, the type of its values and whether it may be None."""
    found: dict[str, tuple[type, bool]] = {}
    for field in fields(row_class):
        kind, *rest = str(field.type).split(" | ")
        found[field.name] = KINDS[kind], rest == ["None"]
    return found


def is_row(cells: Any, row_class: Any) -> bool:
    """Return whether the cells, a list of any length, may stand in the columns of that class."""
    kinds = columns(row_class).values()
    return len(cells) == len(kinds) and all(_is_cell(cell, *kind) for cell, kind in zip(cells, kinds, strict=True))


def _is_cell(value: Any, kind: type, may_be_none: bool) -> bool:
    """Return whether the value may stand in such a column; NaN never may."""
    if value is None:
        return may_be_none
    return type(value) is kind and not (isinstance(value, float) and math.isnan(value))


def nearest(number: Fraction) -> float:
    """Return the nearest float; infinite beyond the largest."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
