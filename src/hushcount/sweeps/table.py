"""The table that a finished sweep wrote, read back as rows."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from hushcount.errors import BadData
from hushcount.inputs.arguments import path_text
from hushcount.sweeps.files import form_of, read_rows
from hushcount.sweeps.mechanism_row import MechanismRow
from hushcount.sweeps.medium_row import MediumRow
from hushcount.sweeps.mu_row import MuRow
from hushcount.words.unreadable import unreadable

__all__ = ["read_sweep"]


def read_sweep(path: str | PathLike[str]) -> Sequence[MediumRow] | Sequence[MechanismRow] | Sequence[MuRow]:
    """Return the rows of a table that `hushcount sweep` wrote.

    Raises:
        InvalidParameter: not a path, or another ending than .csv or .parquet.
        BadData: the file cannot be read, or holds something else.
    """
    where = Path(path_text(path, "path"))
    form = form_of(str(where), "path")
    try:
        where.open("rb").close()
    except (OSError, ValueError) as error:
        raise BadData(unreadable(where, error)) from None
    for row_class in (MediumRow, MechanismRow, MuRow):
        try:
            return read_rows(where, form, row_class)  # type: ignore[return-value]
        except BadData:
            continue
    raise BadData(f"{where}: is not a table that hushcount sweep wrote")
