"""The paper's propagation argument as an algorithm: from active constraints to what all optima share.

Let P be an optimum and P' any other one. Call a sum of neighboring outcomes of one row, P_r(U), *held* if it is proved
that P'_r(U) >= P_r(U), and *shared* if P'_r(U) = P_r(U). These are held:

- the diagonal entries: those of an optimum are at least gamma, and P's are gamma;
- P_i(U), where P_k(U) is held, k and i are adjacent and P_k(U) = e^epsilon P_i(U) + delta: privacy of P' gives
  P'_i(U) >= e^-epsilon (P'_k(U) - delta) >= e^-epsilon (P_k(U) - delta) = P_i(U);
- sums of held sums side by side.

(All of them would grow strictly if all diagonal entries did; a whole row cannot, which is the paper's proof that P is
optimal.) Going back, these are shared:

- whole rows, which sum to 1, and what the shared sums of the same row leave when added or taken away;
- the held parts that make up a shared sum: none is less, and together they are the same;
- a held P_k(U), where P_i(U) is shared and P_k(U) = e^epsilon P_i(U) + delta: P'_k(U) <= e^epsilon P'_i(U) + delta =
  P_k(U).

Every conclusion is right whatever P is, but another P has other active constraints and may give other conclusions; the
canonical one gives all of [RV26] (12) and (13). A partition of the positions 0..M between the outcomes of a row tells
which sums are shared: the sum from one position to another is shared iff they are in the same part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushcount.errors import BadUse, InvalidParameter, TooLarge
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.explicit import as_mechanism
from hushcount.mechanisms.optima.canonical import Canonical
from hushcount.mechanisms.optima.optimum import Optimum
from hushcount.optimal_set.active import ActiveConstraints
from hushcount.optimal_set.membership import contains
from hushcount.optimal_set.steps import Rectangle, RowSum, Rule, Step
from hushcount.privacy.subjects import LARGEST_EPSILON

__all__ = ["LARGEST_PROPAGATION", "Propagation", "propagate"]

LARGEST_PROPAGATION = 64
"""The most outcomes; the work grows with the cube of their number, and a longer argument would not be read."""

Booleans = NDArray[np.bool_]
Positions = tuple[int, ...]
"""For each position between the outcomes of a row, the first position of its part."""


@dataclass(frozen=True, eq=False)
class Propagation:
    """The result of `propagate`.

    Attributes:
        steps: the argument, in order; only steps that lead to what is reported here.
        increasing: which single entries are held, shape (M, M): no optimum has less there, and each would grow if all
            diagonal entries did. (The paper highlights them.)
        shared: which single entries all optima share, shape (M, M).
        shared_sums: the smallest sums that all optima share, besides whole rows; all others are made of them.
        rectangles: the active constraints on more than one outcome that the steps use. (The paper dashes them.)
        full_rows: the rows held as a whole, at which the argument turns back.
    """

    steps: tuple[Step, ...]
    increasing: Booleans
    shared: Booleans
    shared_sums: tuple[RowSum, ...]
    rectangles: tuple[Rectangle, ...]
    full_rows: tuple[int, ...]
    _positions: tuple[Positions, ...] = field(repr=False)

    def shares(self, row: int, first: int, last: int) -> bool:
        """Return whether the sum over the outcomes first..last of a row is shown to be the same in every optimum.

        Raises:
            InvalidParameter: 0 <= first <= last <= n fails, or there is no such row.
        """
        n = len(self._positions) - 1
        if not 0 <= row <= n:
            raise InvalidParameter("row", row, f"an integer from 0 to n = {n}")
        if not 0 <= first <= last <= n:
            raise InvalidParameter("first and last", (first, last), f"integers with 0 <= first <= last <= n = {n}")
        parts = self._positions[row]
        return parts[first] == parts[last + 1]

    def to_dict(self) -> dict[str, Any]:
        """Return the result, ready for JSON; entries are [row, outcome]."""
        return {
            "steps": [step.to_dict() for step in self.steps],
            "increasing": np.argwhere(self.increasing).tolist(),
            "shared": np.argwhere(self.shared).tolist(),
            "shared_sums": [found.to_dict() for found in self.shared_sums],
            "rectangles": [rectangle.to_dict() for rectangle in self.rectangles],
            "full_rows": list(self.full_rows),
        }

    def __str__(self) -> str:
        """Return a drawing like the paper's: rows are true counts, columns outcomes."""
        marks = np.where(self.shared, "=", np.where(self.increasing, "+", "."))
        width = len(str(len(marks) - 1))
        lines = [" ".join(f"{name:>{width}}" for name in ["", *range(len(marks))])]
        lines += [" ".join(f"{cell:>{width}}" for cell in [row, *cells]) for row, cells in enumerate(marks)]
        lines.append("= all optima have the same   + no optimum has less   . neither is shown")
        lines += [f"No less together: {rectangle}." for rectangle in self.rectangles]
        return "\n".join(lines)


def propagate(optimum: Optimum[Any], mechanism_or_matrix: Mechanism | ArrayLike | None = None) -> Propagation:
    """Derive, step by step, what all optima share from the active constraints of one of them ([RV26] section IV and
    Appendix B).

    Args:
        optimum: any optimum in closed form; it gives n, epsilon and delta.
        mechanism_or_matrix: the optimum to start from; the canonical one by default. In a matrix of floats, equality is
            judged to 1e-12 relative (`ActiveConstraints`), so the argument is right up to errors of that order, and an
            epsilon or a delta so small counts as 0.

    Raises:
        BadUse: the mechanism to start from is not an optimum (`contains`).
        TooLarge: more than 64 outcomes.
    """
    M = optimum.n + 1
    if not M <= LARGEST_PROPAGATION:
        limit = f"above the limit of {LARGEST_PROPAGATION}"
        raise TooLarge(f"an argument about {M:,} outcomes is {limit}; `shared_entries` and `shared_sums` need none")
    if not optimum.epsilon <= LARGEST_EPSILON:
        raise InvalidParameter("epsilon", optimum.epsilon, f"at most {LARGEST_EPSILON:,} for an argument")
    start = Canonical(optimum.n, optimum.privacy) if mechanism_or_matrix is None else mechanism_or_matrix
    mechanism = as_mechanism(start)
    membership = contains(optimum, mechanism)
    if not membership:
        raise BadUse(f"the argument starts from an optimum, and this is none. {membership}")
    constraints = ActiveConstraints(mechanism, optimum.privacy)
    held = _Held(M, constraints)
    shared = _Shared(M, constraints, held)
    steps = (*held.steps(shared.used), *shared.steps)
    return Propagation(
        steps=steps,
        increasing=_table([[held.has(row, j, j + 1) for j in range(M)] for row in range(M)]),
        shared=_table([[parts[j] == parts[j + 1] for j in range(M)] for parts in shared.positions]),
        shared_sums=tuple(shared.smallest()),
        rectangles=tuple(_rectangles(steps)),
        full_rows=tuple(row for row in range(M) if held.has(row, 0, M)),
        _positions=tuple(shared.positions),
    )


class _Held:
    """The held sums, shorter ones first, so that a sum is followed by itself only where its parts are not held."""

    def __init__(self, M: int, constraints: ActiveConstraints) -> None:
        # Bit `end` of starting[row][start], and bit `start` of ending[row][end]: outcomes start..end-1 are held.
        self._starting = [[0] * (M + 1) for _ in range(M)]
        self._ending = [[0] * (M + 1) for _ in range(M)]
        self._reasons: dict[RowSum, tuple[Rule, tuple[RowSum, ...]]] = {}
        for length in range(1, M + 1):
            spans = [(start, start + length) for start in range(M - length + 1)]
            for row, (start, end) in product(range(M), spans):
                if length == 1 and start == row:
                    self._add(RowSum(row, row, row), Rule.DIAGONAL, ())
                elif middle := next(self.middles(row, start, end), None):
                    self._add(RowSum(row, start, end - 1), Rule.UNION, self.parts(row, start, middle, end))
            for (k, i), (start, end) in product(_neighbours(M), spans):
                is_new = self.has(k, start, end) and not self.has(i, start, end)
                if is_new and constraints.is_active(k, i, start, end - 1):
                    self._add(RowSum(i, start, end - 1), Rule.ACTIVE, (RowSum(k, start, end - 1),))

    def __iter__(self) -> Iterator[RowSum]:
        """Yield the held sums in the order of derivation."""
        return iter(self._reasons)

    def has(self, row: int, start: int, end: int) -> bool:
        return bool(self._starting[row][start] >> end & 1)

    def middles(self, row: int, start: int, end: int) -> Iterator[int]:
        """Yield the positions that part start..end-1 into two held sums."""
        bits = self._starting[row][start] & self._ending[row][end]
        while bits:
            yield bits.bit_length() - 1
            bits ^= 1 << bits.bit_length() - 1

    def parts(self, row: int, *positions: int) -> tuple[RowSum, ...]:
        """Return the held sums between these positions, those that are unions in their parts."""
        found: list[RowSum] = []
        for start, end in pairwise(positions):
            held = RowSum(row, start, end - 1)
            rule, premises = self._reasons[held]
            found += premises if rule is Rule.UNION else [held]
        return tuple(found)

    def steps(self, used: set[RowSum]) -> Iterator[Step]:
        """Yield the steps that lead to the sums in `used` and to single outcomes, in order."""
        needed = set(used)
        for held in reversed(self._reasons):
            if held in needed or held.first == held.last:
                needed.update((held, *self._reasons[held][1]))
        yield Step(Rule.DIAGONAL, (), tuple(held for held in self if self._reasons[held][0] is Rule.DIAGONAL))
        for held, (rule, premises) in self._reasons.items():
            if held in needed and rule is not Rule.DIAGONAL:
                yield Step(rule, premises, (held,))

    def _add(self, held: RowSum, rule: Rule, premises: tuple[RowSum, ...]) -> None:
        self._starting[held.row][held.first] |= 1 << held.last + 1
        self._ending[held.row][held.last + 1] |= 1 << held.first
        self._reasons[held] = rule, premises


class _Shared:
    """What is shared: whole rows taken apart, then from the middle to the edges, until nothing new is found."""

    def __init__(self, M: int, constraints: ActiveConstraints, held: _Held) -> None:
        self._constraints, self._held = constraints, held
        self._of_row = [[one for one in held if one.row == row] for row in range(M)]
        self.positions: list[Positions] = [(*range(M), 0) for _ in range(M)]
        self.steps: list[Step] = []
        self.used: set[RowSum] = set()
        self._spans = [(start, start + length) for length in range(2, M + 1) for start in range(M - length + 1)]
        rows = sorted(range(M), key=lambda row: abs(2 * row + 1 - M))
        for row in rows:
            self._take_apart(row)
        known = -1
        while known < len(self.steps):
            known = len(self.steps)
            for row in rows:
                self._take_back(row)
                self._take_apart(row)

    def smallest(self) -> Iterator[RowSum]:
        """Yield the shared sums that are not made of others; none in a row that shares nothing but its sum of 1."""
        for row, labels in enumerate(self.positions):
            parts: dict[int, list[int]] = {}
            for position, label in enumerate(labels):
                parts.setdefault(label, []).append(position)
            spans = sorted(span for part in parts.values() for span in pairwise(part))
            if len(spans) > 1:
                yield from (RowSum(row, start, end - 1) for start, end in spans)

    def _take_back(self, row: int) -> None:
        """Add the held sums whose neighbor is shared and gives them all that it allows."""
        for neighbour in (row - 1, row + 1):
            if not 0 <= neighbour < len(self.positions):
                continue
            for held in self._of_row[row]:
                ends = held.first, held.last + 1
                is_new = self._has(neighbour, *ends) and not self._has(row, *ends)
                if is_new and self._constraints.is_active(row, neighbour, held.first, held.last):
                    theirs = RowSum(neighbour, held.first, held.last)
                    self._add(Step(Rule.BACK, (theirs, held), (held,)), (held,))

    def _take_apart(self, row: int) -> None:
        """Add the held parts that make up a shared sum; shorter sums first."""
        for start, end in self._spans:
            if self._has(row, start, end):
                for middle in self._held.middles(row, start, end):
                    if not self._has(row, start, middle):
                        parts = self._held.parts(row, start, middle, end)
                        self._add(Step(Rule.PARTS, (RowSum(row, start, end - 1), *parts), parts), parts)

    def _has(self, row: int, start: int, end: int) -> bool:
        return self.positions[row][start] == self.positions[row][end]

    def _add(self, step: Step, used: tuple[RowSum, ...]) -> None:
        self.steps.append(step)
        self.used.update(used)
        for found in step.conclusions:
            labels = self.positions[found.row]
            low, high = sorted((labels[found.first], labels[found.last + 1]))
            self.positions[found.row] = tuple(low if label == high else label for label in labels)


def _table(cells: list[list[bool]]) -> Booleans:
    """Return a read-only table."""
    table = np.array(cells)
    table.setflags(write=False)
    return table


def _neighbours(M: int) -> list[tuple[int, int]]:
    """Return adjacent rows (k, i), first downwards, then upwards, so that a sum held in one row reaches all rows in
    one pass."""
    down = list(pairwise(range(M)))
    return down + [(k, i) for i, k in reversed(down)]


def _rectangles(steps: Iterable[Step]) -> list[Rectangle]:
    found = set()
    for step in steps:
        if step.rule in {Rule.ACTIVE, Rule.BACK}:
            held, theirs = step.premises[-1], step.conclusions[0] if step.rule is Rule.ACTIVE else step.premises[0]
            if held.first < held.last:
                found.add(Rectangle(held.row, theirs.row, held.first, held.last))
    return sorted(found)
