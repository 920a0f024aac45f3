"""The set of optima as a linear program: the face of the privacy polytope on which every diagonal entry is gamma.

Rows and columns 1..M, F_i(j) the sum of the first j entries of row i, c_j = Pr(output <= j | j) as in `nearest`. Every
optimum has F_j(j) = c_j for all j (docs/theory.md, "The nearest optimum"), and for j <= M / 2 the constraint of row j
over row j + 1 on the first j outcomes is tight: c_j = e^epsilon F_{j+1}(j) + delta. So a worst subset is known, and
privacy says of rows j and j + 1, j <= M / 2:

    p_jk >= e^epsilon p_{j+1,k} for k <= j,      p_jk <= e^epsilon p_{j+1,k} for k > j,
    sum over k > j of (p_{j+1,k} - e^epsilon p_jk)^+ <= delta:

no slack in one direction, and half of the terms in the other. (At epsilon = 0 the sums imply the last line. So they do
for the two middle rows of an even M, whose first line, mirrored, says that all its terms are >= 0.) The rows of the
lower half say the same mirrored; together they are all adjacent pairs. At delta = 0 the first line is an equality,
which is (12) of [RV26]: those entries are known, and are fixed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushcount.linear_program.model import ModelBuilder
from hushcount.linear_program.polytope import LEAST_SIZE, Columns, matrix_columns
from hushcount.mechanisms.optima.nearest import Nearest
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import nearest_float
from hushcount.optimal_set.shared import shared_entries, shared_values

__all__ = ["Face"]


@dataclass
class Face:
    """The face in a builder, to which a cost and more rows may be added.

    Attributes:
        builder: the `ModelBuilder`.
        entries: column numbers of the matrix, shape (M, M).
        free: which entries are not known, shape (M, M).
        margin: the number of a column whose value every inequality on free entries leaves as slack, so that a point
            where it is above 0 is inside the face; None if not asked for.
    """

    builder: ModelBuilder
    entries: Columns
    free: NDArray[np.bool_]
    margin: int | None

    @classmethod
    def of(cls, optimum: Nearest, *, is_mirrored: bool = False, with_margin: bool = False) -> Face:
        """Return the face of (n, epsilon, delta).

        Args:
            is_mirrored: hold only the optima with p(n - i, n - j) = p(i, j), in half as many columns.
            with_margin: add the column `margin`; no cost makes it large yet.
        """
        builder = ModelBuilder()
        lower, upper = _bounds(optimum)
        entries = matrix_columns(builder, optimum.n + 1, lower, upper, is_mirrored=is_mirrored, privacy=optimum.privacy)
        margin = int(builder.columns(1)[0]) if with_margin else None
        face = cls(builder, entries, lower < upper, margin)
        face._add_half(entries, face.free, optimum)
        if not is_mirrored:
            face._add_half(entries[::-1, ::-1], face.free[::-1, ::-1], optimum)
        if with_margin:
            face._at_most_zero([(entries[face.free], -1.0)], face.free[face.free])
        return face

    def _add_half(self, entries: Columns, free: NDArray[np.bool_], optimum: Nearest) -> None:
        """Add the rows of the matrix up to the middle, and the pairs from there toward the middle."""
        builder, M, delta = self.builder, len(entries), float(optimum.delta)
        q = optimum.privacy.shrinkage
        for j in range((M + 1) // 2):
            head = nearest_float(lambda p, j=j: optimum._upto(j, j, p))  # type: ignore[misc]
            tail = nearest_float(lambda p, j=j: optimum._above(j, j, p))  # type: ignore[misc]
            builder.rows([(entries[j : j + 1, : j + 1], 1.0)], lower=head, upper=head)
            builder.rows([(entries[j : j + 1, j + 1 :], 1.0)], lower=tail, upper=tail)
        for j in range(M // 2):
            here, next_, is_free = entries[j], entries[j + 1], free[j] | free[j + 1]
            left, right = slice(0, j + 1), slice(j + 1, M)
            if delta > 0:
                self._at_most_zero([(next_[left], 1.0), (here[left], -q)], is_free[left])
            self._at_most_zero([(here[right], q), (next_[right], -1.0)], is_free[right])
            if optimum.epsilon == 0 or 2 * (j + 1) == M:  # the other direction follows from the sums
                continue
            terms = [(next_[right], q), (here[right], -1.0)]
            if delta > 0:
                slack = builder.columns(M - 1 - j, upper=q * delta, size=max(q * delta, LEAST_SIZE))
                builder.rows([(slack[None, :], 1.0)], upper=q * delta)
                terms.append((slack, -1.0))
            self._at_most_zero(terms, is_free[right])

    def _at_most_zero(self, terms: list[tuple[Columns, float]], is_free: NDArray[np.bool_]) -> None:
        spare: list[tuple[Columns, Floats]] = []
        if self.margin is not None:
            spare = [(np.full(len(is_free), self.margin, dtype=np.int64), is_free.astype(np.float64))]
        self.builder.rows([*terms, *spare], upper=0.0)


def _bounds(optimum: Nearest) -> tuple[Floats, Floats]:
    """Return the least and largest value of each entry, as far as the face tells at once."""
    known, values = shared_entries(optimum), shared_values(optimum)
    lower, upper = np.zeros(known.shape), np.full(known.shape, optimum.error_probability)
    lower[known] = upper[known] = values[known]
    return lower, upper
