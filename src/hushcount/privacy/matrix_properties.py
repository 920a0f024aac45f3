"""The structural properties of Cormode, Kulkarni and Srivastava [CKS18], decided exactly (docs/properties.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushcount.inputs.stochastic import stochastic_rows
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.explicit import Explicit
from hushcount.privacy.entries import BallTable, FloatTable, Holding

__all__ = ["Comparison", "Holding", "Properties", "properties", "property_rules"]

Cells = tuple[NDArray[np.intp], NDArray[np.intp]]
Comparison = tuple[Cells, Cells, bool]
"""Cells, those they are compared with, and whether for equality; otherwise the first must be at least the second."""


@dataclass(frozen=True)
class Properties:
    """Which of the seven properties hold; `properties` defines them."""

    fairness: Holding
    weak_honesty: Holding
    row_honesty: Holding
    column_honesty: Holding
    row_monotonicity: Holding
    column_monotonicity: Holding
    symmetry: Holding

    def to_dict(self) -> dict[str, str]:
        """Return the name of each verdict, ready for JSON."""
        return {field.name: getattr(self, field.name).name for field in fields(self)}


def properties(mechanism_or_matrix: Mechanism | ArrayLike) -> Properties:
    """Decide the seven properties of [CKS18] for a mechanism or a square matrix.

    p(i, j) is the chance to release j when the truth is i, both 0..n.

    - fairness: p(i, i) = p(k, k) for all i, k: the truth is released equally often whatever it is.
    - weak honesty: p(i, i) >= 1 / (n + 1): the truth is released at least as often as by a blind guess.
    - row honesty: p(j, j) >= p(i, j) for all i, j: a released value is nowhere likelier than when it is true.
    - column honesty: p(i, i) >= p(i, j) for all i, j: no released value is likelier than the truth.
    - row monotonicity: for each released j, p(i, j) does not increase as the true i moves away from j, on either side.
    - column monotonicity: for each true i, p(i, j) does not increase as the released j moves away from i, on either
      side.
    - symmetry: p(i, j) = p(n - i, n - j).

    **Rows and columns.** [CKS18] transposes: it has a *column* of the matrix for each true count where hushcount has a
    row. The names are theirs, so "row" here is one released value under all true counts, which is a column of
    `matrix()`, and "column" is all released values under one true count, which is a row of it.

    **Equality.** The floats of a matrix are taken as exact rationals, divided by the exact sum of their row, and
    compared as such: HOLDS and FAILS are exact statements. A matrix that was rounded to floats has lost most exact
    ties. So what fails only between numbers that agree to `ENTRY_TOLERANCE` (1e-12 relative, the accuracy of every
    float of this package) is WITHIN_ROUNDING: it may hold for the matrix that was rounded to this one. The
    probabilities of a mechanism in closed form are rational functions of e^-epsilon; two that agree to 4,096 bits are
    taken as equal.

    Args:
        mechanism_or_matrix: a mechanism (in closed form: of at most 256 outcomes), or a square matrix
            (`hushcount.from_matrix`).

    Raises:
        InvalidParameter, BadUse: the matrix is not square and row-stochastic.
        TooLarge: a mechanism in closed form of more than 256 outcomes; its `matrix()` may have 4,096.
    """
    table: FloatTable | BallTable
    if isinstance(mechanism_or_matrix, Mechanism) and not isinstance(mechanism_or_matrix, Explicit):
        table = BallTable(mechanism_or_matrix)
    elif isinstance(mechanism_or_matrix, Explicit):
        table = FloatTable(mechanism_or_matrix.entries)
    else:
        table = FloatTable(stochastic_rows(mechanism_or_matrix))
    size = table.size
    found = {name: table.decide(rule) for name, rule in property_rules(size).items()}
    return Properties(weak_honesty=table.decide_diagonal_share(), **found)


def property_rules(M: int) -> dict[str, Iterator[Comparison]]:
    """Return each property but weak honesty as comparisons of the cells of an M x M matrix."""
    return {
        "fairness": _fairness(M),
        "row_honesty": map(_transposed, _column_honesty(M)),
        "column_honesty": _column_honesty(M),
        "row_monotonicity": map(_transposed, _column_monotonicity(M)),
        "column_monotonicity": _column_monotonicity(M),
        "symmetry": _symmetry(M),
    }


def _fairness(M: int) -> Iterator[Comparison]:
    i = np.arange(M)
    yield (i[1:], i[1:]), (i[1:] * 0, i[1:] * 0), True


def _column_honesty(M: int) -> Iterator[Comparison]:
    j = np.arange(M)
    for i in range(M):
        here = np.full(M, i)
        yield (here, here), (here, j), False


def _column_monotonicity(M: int) -> Iterator[Comparison]:
    j = np.arange(M - 1)
    for i in range(M):
        here = np.full(M - 1, i)
        near = np.where(j < i, j + 1, j)
        yield (here, near), (here, 2 * j + 1 - near), False


def _symmetry(M: int) -> Iterator[Comparison]:
    j = np.arange(M)
    for i in range((M + 1) // 2):
        yield (np.full(M, i), j), (np.full(M, M - 1 - i), M - 1 - j), True


def _transposed(comparison: Comparison) -> Comparison:
    (i, j), (k, m), is_equality = comparison
    return (j, i), (m, k), is_equality
