"""Media given as numbers, in memory or in a file."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from hushcount.errors import BadData, BadUse, InvalidParameter
from hushcount.files.csv_numbers import NUMBER
from hushcount.files.number_tables import read_table
from hushcount.inputs.arguments import path_text
from hushcount.inputs.arrays import array
from hushcount.inputs.stochastic import stochastic_rows
from hushcount.medium.channels.decided import DecidedMedium, Decision
from hushcount.medium.medium import Medium

__all__ = ["HasTransitionMatrix", "as_medium", "from_matrix", "read_medium"]


class HasTransitionMatrix(Protocol):
    """An object with an attribute or a method `transition_matrix`, such as the channel of another package."""

    transition_matrix: Any


def from_matrix(
    matrix: ArrayLike | HasTransitionMatrix,
    *,
    normalise: bool = False,
    description: str = "a given matrix",
    decide: Decision | None = None,
) -> Medium:
    """Return a medium from its matrix: entry (i, j) is Pr(received = j | sent = i).

    A matrix with more columns than rows has outputs, such as erasures, that are read as counts: a `DecidedMedium`. What
    must be private behind it is the output, before it is read.

    Args:
        matrix: real numbers >= 0, shape (n + 1, N) with N > n, each row summing to 1 up to the rounding of its entries
            (`hushcount.inputs.stochastic.ROW_SUM_TOLERANCE` times N); copied. Or an object that has such a
            matrix as its attribute or method `transition_matrix`.
        normalise: whether to divide each row by its sum first, whatever that is.
        description: one line that says what it is.
        decide: the count 0..n that each output is read as; or `"likeliest"`, the k with the largest entry in its
            column, and the least of several such k. By default output j is count j if the matrix is square, and
            otherwise the likeliest.

    Raises:
        InvalidParameter: not such a matrix of finite numbers >= 0, or no count for each output.
        BadUse: a row whose sum is not 1, or is 0 where it is to be divided by; the message names the row.
        TooLarge: more than 4,096 symbols, or 65,536 outputs.
    """
    found: Any = getattr(matrix, "transition_matrix", matrix)
    given = array(found() if callable(found) else found, "matrix", "rectangular")
    is_wide = given.ndim == 2 and 0 < given.shape[0] < given.shape[1]
    rows = stochastic_rows(given, square=not is_wide, normalise=normalise)
    if decide is None and not is_wide:
        return Medium(rows, description)
    made = DecidedMedium.of(rows, "likeliest" if decide is None else decide, description)
    is_plain = not is_wide and np.array_equal(made.decide, np.arange(len(rows)))
    return Medium(rows, description) if is_plain else made


def as_medium(medium_or_matrix: Medium | ArrayLike | HasTransitionMatrix) -> Medium:
    """Return a medium as it is, or the medium of a matrix, or of an object that has one (`from_matrix`)."""
    return medium_or_matrix if isinstance(medium_or_matrix, Medium) else from_matrix(medium_or_matrix)


def read_medium(
    path: str | PathLike[str], *, normalise: bool = False, delimiter: str = ",", decide: Decision | None = None
) -> Medium:
    """Return the medium in a file: a matrix of numbers, rows = sent, columns = received.

    Args:
        path: `.csv`, `.npy` (no pickled objects) or `.parquet`, as `read_matrix` reads them.
        normalise: whether to divide each row by its sum first, whatever that is.
        delimiter: the one character between the numbers of a CSV file.
        decide: as for `from_matrix`.

    Raises:
        InvalidParameter, BadUse: not a path, another ending, no delimiter, or no count for each output.
        BadData: the file cannot be read, or holds something else; the message names the file and the place.
    """
    where = Path(path_text(path, "path"))
    found = read_table(where, NUMBER, delimiter=delimiter)
    try:
        return from_matrix(found, normalise=normalise, description=f"the matrix in {where.name!r}", decide=decide)
    except BadUse as error:
        if isinstance(error, InvalidParameter) and error.argument == "decide":
            raise
        raise BadData(f"{where}: {error}") from None
