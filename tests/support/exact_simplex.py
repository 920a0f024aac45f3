"""Linear programs in rational numbers, solved exactly: by pivots without rounding, from where HiGHS ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import highspy
import numpy as np
from flint import fmpq, fmpq_mat, fmpz, fmpz_mat

PATIENCE, MOST_PIVOTS = 300, 3000


@dataclass(frozen=True)
class Vertex:
    """An optimal vertex: the objective, all x, and how many pivots it took from the basis of HiGHS."""

    value: fmpq
    x: list[fmpq]
    pivots: int


class Program:
    """Maximize x[goal] subject to A x <= b, with = in the first `equalities` rows, and x >= 0.

    Places 0, 1, ... are those of x, then come the slacks of rows, n + r that of row r. A basis is a list of as many
    places as there are rows; the others are 0.
    """

    def __init__(self, rows: Sequence[Sequence[fmpq]], b: Sequence[fmpq], equalities: int, goal: int) -> None:
        whole = [_whole([*row, limit]) for row, limit in zip(rows, b, strict=True)]
        self.A, self.b = fmpz_mat([row[:-1] for row in whole]), [row[-1] for row in whole]
        self.n, self.m, self.goal = self.A.ncols(), self.A.nrows(), goal
        self.fixed = range(self.n, self.n + equalities)
        self.transposed, self.table = self.A.transpose(), self.A.tolist()

    def solve(self) -> Vertex:
        """Return an optimal vertex.

        Where no place is below 0, the steps are those of the primal simplex, and where the objective grows with none,
        those of the dual one. Else the basis is given up for one that is feasible. The steepest goes first, and after
        `PATIENCE` pivots the first, by which no basis comes again (R. G. Bland, 1977).
        """
        basis = self._where_highs_ends()
        for pivots in range(MOST_PIVOTS):
            try:
                at = _Basis(self, basis)
            except ZeroDivisionError:  # singular once coefficients are exact
                basis = self._identical_rows()
                continue
            (x, size), (prices, _), places = at.moved(self.b), at.gradient(_unit(self.n, self.goal)), set(basis)
            below = [k for k in basis if x[k] < 0]
            paying = [k for k in range(self.n + self.m) if k not in places and self._pays(k, prices)]
            if not below and not paying:
                return Vertex(fmpq(x[self.goal], size), [fmpq(value, size) for value in x[: self.n]], pivots)
            if below and paying:
                basis = self._identical_rows()
                continue
            is_steepest = pivots < PATIENCE
            if below:
                leaves = min(below, key=lambda k: x[k]) if is_steepest else below[0]
                cost = _unit(self.n, leaves) if leaves < self.n else [-v for v in self.table[leaves - self.n]]
                growth, _ = at.gradient(cost)
                free = [k for k in range(self.n + self.m) if k not in places and self._pays(k, growth)]
                enters = min(free, key=lambda k: (fmpq(-prices[k], growth[k]), k))
            else:
                enters = max(paying, key=lambda k: prices[k]) if is_steepest else paying[0]
                change, _ = at.moved([-v for v in self._column(enters)])
                falling = [k for k in basis if change[k] < 0]
                leaves = min(falling, key=lambda k: (fmpq(x[k], -change[k]), k))
            basis = sorted((places - {leaves}) | {enters})
        raise AssertionError(f"more than {MOST_PIVOTS} pivots")

    def _pays(self, k: int, prices: Sequence[fmpz]) -> bool:
        return k not in self.fixed and prices[k] > 0

    def _column(self, k: int) -> list[fmpz]:
        return [row[k] for row in self.table] if k < self.n else _unit(self.m, k - self.n)

    def _identical_rows(self) -> list[int]:
        """Return a basis that is there for any program whose equalities have no column in common: the first column of
        each, and the other slacks."""
        first = [next(k for k, v in enumerate(row) if v) for row in self.table[: len(self.fixed)]]
        return first + list(range(self.fixed.stop, self.n + self.m))

    def _where_highs_ends(self) -> list[int]:
        lp, highs = highspy.HighsLp(), highspy.Highs()  # type: ignore[no-untyped-call]
        sizes: list[fmpz] = [max((abs(v) for v in row), key=int) or fmpz(1) for row in self.table]
        A = np.array([[float(fmpq(v, size)) for v in row] for row, size in zip(self.table, sizes, strict=True)])
        b = np.array([float(fmpq(v, size)) for v, size in zip(self.b, sizes, strict=True)])
        lp.num_col_, lp.num_row_ = self.n, self.m
        lp.col_cost_ = -np.eye(self.n)[self.goal]
        lp.col_lower_, lp.col_upper_ = np.zeros(self.n), np.full(self.n, np.inf)
        equal = np.arange(self.m) < len(self.fixed)
        lp.row_lower_, lp.row_upper_ = np.where(equal, b, -np.inf), b
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.concatenate([[0], np.cumsum((A != 0).sum(axis=1))])
        lp.a_matrix_.index_, lp.a_matrix_.value_ = np.nonzero(A)[1], A[A != 0]
        options: dict[str, bool | float | str] = {
            "output_flag": False,
            "solver": "simplex",
            "presolve": "off",
            "small_matrix_value": 1e-12,
            "primal_feasibility_tolerance": 1e-10,
            "dual_feasibility_tolerance": 1e-10,
        }
        for name, value in options.items():
            highs.setOptionValue(name, value)
        highs.passModel(lp)
        highs.run()
        found = highs.getBasis()
        is_basic = [status == highspy.HighsBasisStatus.kBasic for status in (*found.col_status, *found.row_status)]
        basis = [k for k, basic in enumerate(is_basic) if basic and k not in self.fixed]
        return basis if len(basis) == self.m else self._identical_rows()


class _Basis:
    """A basis: columns of x, and the rows without slack; as many."""

    def __init__(self, program: Program, basis: Sequence[int]) -> None:
        self.program, n = program, program.n
        self.columns = [k for k in basis if k < n]
        self.tight = sorted(set(range(program.m)) - {k - n for k in basis if k >= n})
        self.K = fmpz_mat([[program.table[r][k] for k in self.columns] for r in self.tight])
        if self.K.rank() < len(self.tight):
            raise ZeroDivisionError

    def moved(self, right: Sequence[fmpz]) -> tuple[list[fmpz], fmpz]:
        """Return all places for a right-hand side, over a common denominator > 0."""
        part, size = _solved(self.K, _upright(right[r] for r in self.tight))
        x = _spread(part, self.columns, self.program.n)
        slacks = _upright(right) * size - self.program.A * _upright(x)
        return x + slacks.entries(), size

    def gradient(self, cost: Sequence[fmpz]) -> tuple[list[fmpz], fmpz]:
        """Return by how much cost . x grows with each place that is not basic, over a common denominator > 0."""
        part, size = _solved(self.K.transpose(), _upright(cost[k] for k in self.columns))
        y = _upright(_spread(part, self.tight, self.program.m))
        grown = _upright(cost) * size - self.program.transposed * y
        return grown.entries() + (-y).entries(), size


def _solved(K: fmpz_mat, right: fmpz_mat) -> tuple[list[fmpz], fmpz]:
    """Return K^-1 times a column, over a common denominator > 0."""
    found: fmpq_mat = K.solve(right)  # type: ignore[assignment]
    part, size = found.numer_denom()
    return part.entries(), size


def _whole(row: Sequence[fmpq]) -> list[fmpz]:
    """Return a row of rational numbers times their common denominator."""
    common = fmpz(1)
    for entry in row:
        common = common.lcm(entry.q)
    return [(entry * common).p for entry in row]


def _upright(values: Iterable[fmpz]) -> fmpz_mat:
    return fmpz_mat([[value] for value in values])


def _unit(length: int, place: int) -> list[fmpz]:
    return [fmpz(int(k == place)) for k in range(length)]


def _spread(values: Sequence[fmpz], places: Sequence[int], length: int) -> list[fmpz]:
    found = [fmpz(0)] * length
    for place, value in zip(places, values, strict=True):
        found[place] = value
    return found
