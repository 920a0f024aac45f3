"""Media given as numbers, in memory or in a file."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from numpy.typing import ArrayLike

from hushcount.errors import BadData, BadUse
from hushcount.files.csv_numbers import NUMBER
from hushcount.files.number_tables import read_table
from hushcount.inputs.arguments import path_text
from hushcount.inputs.stochastic import stochastic_rows
from hushcount.medium.medium import Medium

__all__ = ["as_medium", "from_matrix", "read_medium"]


def from_matrix(matrix: ArrayLike, *, normalise: bool = False, description: str = "a given matrix") -> Medium:
    """Return a medium from its matrix: entry (i, j) is Pr(received = j | sent = i).

    Args:
        matrix: real numbers >= 0, shape (n + 1, n + 1), each row summing to 1 up to the rounding of its entries
            (`hushcount.inputs.stochastic.ROW_SUM_TOLERANCE` times n + 1); copied.
        normalise: whether to divide each row by its sum first, whatever that is.
        description: one line that says what it is.

    Raises:
        InvalidParameter: not a square matrix of finite numbers >= 0.
        BadUse: a row whose sum is not 1, or is 0 where it is to be divided by; the message names the row.
        TooLarge: more than 4,096 symbols.
    """
    return Medium(stochastic_rows(matrix, normalise=normalise), description)


def as_medium(medium_or_matrix: Medium | ArrayLike) -> Medium:
    """Return a medium as it is, or the medium of a matrix (`from_matrix`)."""
    return medium_or_matrix if isinstance(medium_or_matrix, Medium) else from_matrix(medium_or_matrix)


def read_medium(path: str | PathLike[str], *, normalise: bool = False, delimiter: str = ",") -> Medium:
    """Return the medium in a file: a square matrix of numbers, rows = sent.

    Args:
        path: `.csv`, `.npy` (no pickled objects) or `.parquet`, as `read_matrix` reads them.
        normalise: whether to divide each row by its sum first, whatever that is.
        delimiter: the one character between the numbers of a CSV file.

    Raises:
        InvalidParameter, BadUse: not a path, another ending, or no delimiter.
        BadData: the file cannot be read, or holds something else; the message names the file and the place.
    """
    where = Path(path_text(path, "path"))
    found = read_table(where, NUMBER, delimiter=delimiter)
    try:
        return from_matrix(found, normalise=normalise, description=f"the matrix in {where.name!r}")
    except BadUse as error:
        raise BadData(f"{where}: {error}") from None
