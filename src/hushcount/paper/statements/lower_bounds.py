"""What no mechanism in front of a medium can undercut: (24), and the best inputs, (32) to (35)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from hushcount.medium import Medium
from hushcount.medium.certified.bounds import best_inputs
from hushcount.numbers.arrays import Floats
from hushcount.paper.formulas import least_error, worst_error
from hushcount.paper.grid import Grid
from hushcount.paper.media import (
    PROVED,
    any_media,
    behind,
    library_bounds,
    library_optimum,
    promises,
    words_of,
)
from hushcount.paper.statement import Case, Claim, Statement, fact, largest
from hushcount.paper.tolerances import EXACT, RECEIVED

__all__ = ["STATEMENTS", "assignment", "lower_bound"]

_EXAMPLE = [[0.5, 0.4, 0.1], [0.3, 0.2, 0.5], [0.2, 0.2, 0.6]]


def assignment(T: Floats) -> Floats:
    """Return Q_T (32): row i has its one where column i of T is largest, the first time where there are several."""
    Q = np.zeros_like(T)
    for i in range(len(T)):
        Q[i, int(np.argmax(T[:, i]))] = 1.0
    return Q


def lower_bound(T: Floats) -> float:
    """Return l(T) (34)."""
    return worst_error(assignment(T) @ T)


def _undercut(T: Medium, epsilon: float, delta: float, bound: float) -> Case:
    """Return by how much `bound` is above a proved lower bound of p_e*(T).

    A mechanism reaches as little, up to `best.width`, which shows that the proved bound is not too high.
    """
    best = behind(T, epsilon, delta)
    shown = f"bound {bound:.10g}, p_e*(T) from {best.lower:.10g} to {best.upper:.10g}"
    return Case(words_of(T, epsilon, delta), largest(bound - best.lower, abs(best.width)), shown)


def _equation_24(claim: Claim, grid: Grid) -> Iterator[Case]:
    for T, (epsilon, delta) in product(any_media(grid), promises(grid)):
        yield _undercut(T, epsilon, delta, claim(T.order, epsilon, delta))


def _equation_33(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check every unit vector as a row of P, of which all rows are mixtures; Q itself; the printed example."""
    for T in any_media(grid):
        Q, matrix = claim(T.matrix), T.matrix
        is_assignment = bool((Q.sum(axis=1) == 1).all() and set(Q.ravel()) == {0.0, 1.0})
        yield fact(f"{T.description}, one unit entry in each row", is_assignment)
        short = float((matrix.max(axis=0) - np.diagonal(Q @ matrix)).max())
        yield Case(f"{T.description}, all deterministic P", largest(short), f"[Q T]_ii is short by {short:.3g}")
        yield fact(f"{T.description}, by hushcount", np.array_equal(Q @ matrix, best_inputs(matrix) @ matrix))
    example = np.array(_EXAMPLE)
    Q = claim(example)
    printed = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 1]]), np.array([[0.5, 0.4, 0.1], [0.5, 0.4, 0.1], [0.2, 0.2, 0.6]])
    yield fact("the example with M = 3", np.array_equal(Q, printed[0]) and np.array_equal(Q @ example, printed[1]))


def _equation_34(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check (34) at every promise."""
    for T in any_media(grid):
        stated = claim(T.matrix)
        by_library = library_bounds(T, 1.0, 0.0)["l"]
        yield Case(f"{T.description}, by hushcount", np.nan if by_library is None else abs(stated - by_library))
        for epsilon, delta in promises(grid):
            yield _undercut(T, epsilon, delta, stated)


def _equation_35(claim: Claim, grid: Grid) -> Iterator[Case]:
    for T, (epsilon, delta) in product(any_media(grid), promises(grid)):
        yield _undercut(T, epsilon, delta, claim(T.matrix, epsilon, delta))
        best, by_library = behind(T, epsilon, delta), library_optimum(T, epsilon, delta)
        off = largest(abs(by_library.lower - best.lower), abs(by_library.upper - best.upper))
        yield Case(f"{words_of(T, epsilon, delta)}, by hushcount", off, f"{by_library.lower!r} to {by_library.upper!r}")


def _both(T: Floats, epsilon: float, delta: float) -> float:
    return max(least_error(len(T), epsilon, delta), lower_bound(T))


_REFERENCE = "tests/medium/test_reference_optima.py::test_bounds_and_optimum"
_PROPERTY = "tests/medium/test_optimum_property.py::test_proposition_1_and_every_mechanism_is_private_behind_the_medium"

_below = partial(Statement, locator="section V", compared_with=PROVED, tolerance=RECEIVED)
"""A lower bound of p_e*(T)."""

STATEMENTS = (
    Statement(
        name="(32), (33)",
        locator="section V, with the example for M = 3",
        formula="[P T]_ii <= [Q_T T]_ii for every stochastic P",
        compared_with="every deterministic P; the matrices in print",
        claim=assignment,
        check=_equation_33,
        tolerance=EXACT,
        implemented_by=("hushcount.medium.bounds",),
        tested_by=(_REFERENCE,),
    ),
    _below(
        name="(34)",
        formula="p_e*(T) >= l(T) = 1 - gamma(Q_T T)",
        claim=lower_bound,
        check=_equation_34,
        implemented_by=("hushcount.medium.bounds",),
        tested_by=(_REFERENCE, _PROPERTY),
    ),
    _below(
        name="(35)",
        formula="p_e*(T) >= max(p_e*, l(T))",
        claim=_both,
        check=_equation_35,
        implemented_by=("hushcount.medium.bounds", "hushcount.medium.optimum"),
        tested_by=(_REFERENCE, _PROPERTY),
    ),
)

EQUATION_24 = _below(
    name="(24)",
    formula="p_e*(T) >= p_e*",
    claim=least_error,
    check=_equation_24,
    implemented_by=("hushcount.medium.optimum",),
    tested_by=(_PROPERTY,),
)
