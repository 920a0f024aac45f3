"""Properties of [CKS18], imposed on a matrix that a linear program looks for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

import numpy as np

from hushcount.errors import SolverFailed
from hushcount.inputs.arguments import listed, one_of
from hushcount.linear_program.model import ModelBuilder
from hushcount.linear_program.polytope import Columns
from hushcount.numbers.arrays import Floats
from hushcount.privacy.matrix_properties import Holding, Properties, properties, property_rules

__all__ = ["NAMES", "Imposed"]

NAMES = tuple(field.name for field in fields(Properties))

_MOST_PASSES = 20
"""The most passes; lowering by rounding errors settles in a few."""


class Imposed:
    """Some of the seven properties.

    Args:
        names: as in `hushcount.privacy.Properties`.

    Raises:
        InvalidParameter: not a list, or an unknown name.
    """

    def __init__(self, names: Iterable[str]) -> None:
        given = listed(names, "properties", "a list of names")
        for name in given:
            one_of(name, "properties", NAMES, f"among {', '.join(NAMES)}")
        self.names = tuple(dict.fromkeys(given))

    @property
    def is_symmetric(self) -> bool:
        """Whether mirrored columns are called for, which give symmetry without any row."""
        return "symmetry" in self.names

    def shared(self, entries: Columns) -> Columns:
        """Return the column numbers with one column for the whole diagonal, if fairness is imposed."""
        if "fairness" not in self.names:
            return entries
        tied = entries.copy()
        np.fill_diagonal(tied, entries[0, 0])
        return tied

    def add_to(self, builder: ModelBuilder, entries: Columns) -> None:
        """Add the other properties as rows."""
        M = len(entries)
        rules = property_rules(M)
        for name in self.names:
            if name == "weak_honesty":
                builder.rows([(np.diagonal(entries).copy(), 1.0)], lower=1 / M)
            elif name not in ("symmetry", "fairness"):
                for (i, j), (k, m), _ in rules[name]:
                    differ = entries[i, j] != entries[k, m]
                    builder.rows([(entries[i, j][differ], 1.0), (entries[k, m][differ], -1.0)], lower=0.0)

    def settled(self, matrix: Floats) -> Floats:
        """Return the matrix with entries lowered until the inequalities hold exactly; the diagonal stays. This
        repairs what a solver's rounding breaks."""
        mended = matrix
        for _ in range(_MOST_PASSES):
            before = mended
            if "column_monotonicity" in self.names:
                mended = _falling_from_the_diagonal(mended)
            if "row_monotonicity" in self.names:
                mended = _falling_from_the_diagonal(mended.T).T
            if "column_honesty" in self.names:
                mended = np.minimum(mended, np.diagonal(mended)[:, None])
            if "row_honesty" in self.names:
                mended = np.minimum(mended, np.diagonal(mended)[None, :])
            if np.array_equal(before, mended):
                break
        return mended

    def check(self, matrix: Floats) -> None:
        """
        Raises:
            SolverFailed: a property fails by more than rounding to floats explains (`hushcount.privacy.properties`).
        """
        if not self.names:
            return
        found = properties(matrix)
        lost = [name for name in self.names if getattr(found, name) is Holding.FAILS]
        if lost:
            raise SolverFailed(
                f"no mechanism found: {', '.join(lost)} could not be kept to 1e-12; ask for a less extreme epsilon and "
                "delta, or for fewer outcomes"
            )


def _falling_from_the_diagonal(matrix: Floats) -> Floats:
    """Return the matrix with every entry cut to the next one nearer to the diagonal."""
    fallen = matrix.copy()
    for i, row in enumerate(fallen):
        row[i:] = np.minimum.accumulate(row[i:])
        row[: i + 1] = np.minimum.accumulate(row[: i + 1][::-1])[::-1]
    return fallen
