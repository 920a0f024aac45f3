"""What a table promises, against every small data set and every neighbour of it.

Counts come from plain Python (`plain_tables`, with which the tests of counting compare every engine), laws from the
matrices of the mechanism that draws, and the law of a table is the product over its cells. The price is the one that is
charged.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement, product
from math import exp

import numpy as np
import pytest
from plain_tables import Row, plain_table

from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.keys import Keys
from hushcount.counting.declared.units import Unit
from hushcount.errors import InvalidParameter
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.release.law import Law

KEYS = [("a",), ("b",)]
ROUNDING = 1e-12
"""Products and sums of a few hundred floats below 1."""

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE


def changed_cells(adjacency, undeclared, max_cells, declared=2):
    unit = None if max_cells is None else Unit("person")
    cells = Cells(Keys.of(["k"], range(declared)), undeclared, unit, max_cells or 1)
    return adjacency.changed_cells(cells.max_cells, len(cells))


def matrix_of(mechanism, promise, adjacency):
    return Law.of(mechanism, promise).at(2 if adjacency is ADD else SIZE).matrix()


def neighbours(adjacency, undeclared, max_cells, size):
    """Pairs of tables of counts, each once, of all neighbouring data sets of at most so many rows or units."""

    def counted(data):
        rows = [row for part in data for row in part]
        return tuple(
            plain_table(rows, KEYS, undeclared=undeclared, counts_units=max_cells is not None, max_cells=max_cells or 1)
        )

    values = [Row(("a",)), Row(("b",)), Row(("x",)), Row((None,)), Row(("a",), matches=False)]
    if max_cells is None:
        parts = [[value] for value in values]
    else:  # what the rows of one unit may be
        parts = [[], *([v] for v in values), [values[0], values[0], values[1]], [*values[:3]], [values[1], values[2]]]

    def of_unit(number, part):
        return [row._replace(unit=number) for row in part]

    pairs = set()
    for n in range(size + 1):
        for chosen in combinations_with_replacement(parts, n):
            data = [of_unit(number, part) for number, part in enumerate(chosen)]
            before = counted(data)
            if adjacency is ADD:
                pairs |= {(before, counted([*data, of_unit(n, part)])) for part in parts}
            else:
                pairs |= {
                    (before, counted([*data[:i], of_unit(i, part), *data[i + 1 :]])) for i in range(n) for part in parts
                }
    return {pair for one, other in pairs for pair in ((one, other), (other, one))}


def table_law(matrix, counts):
    """Of all tables that can be released, in a fixed order."""
    rows = [matrix[min(count, len(matrix) - 1)] for count in counts]
    return reduce(lambda law, row: np.multiply.outer(law, row).ravel(), rows, np.ones(1))


def excess(matrix, pairs, epsilon):
    """The largest delta that any pair takes at epsilon."""
    laws = {counts: table_law(matrix, counts) for pair in pairs for counts in pair}
    return max(np.maximum(laws[p] - exp(epsilon) * laws[q], 0).sum() for p, q in pairs)


def largest_loss(matrix, pairs):
    """The largest ln of a likelihood ratio."""
    return max(np.log(table_law(matrix, p) / table_law(matrix, q)).max() for p, q in pairs)


CASES = [
    pytest.param(adjacency, undeclared, max_cells, id=f"{adjacency.value}-{undeclared}-{max_cells or 'rows'}")
    for adjacency, undeclared, max_cells in product((REPLACE, ADD), ("other", "left-out"), (None, 1, 2))
]
SIZE = 3


@pytest.mark.grid
@pytest.mark.parametrize(("adjacency", "undeclared", "max_cells"), CASES)
@pytest.mark.parametrize("mechanism", ["nearest", "canonical"])
@pytest.mark.parametrize(("epsilon", "delta"), [("0.5", 0), ("0.3", "0.05"), (0, "0.1"), (2, "0.01")])
def test_the_promise_holds(adjacency, undeclared, max_cells, mechanism, epsilon, delta):
    cell, k = EpsilonDelta.of(epsilon, delta), changed_cells(adjacency, undeclared, max_cells)
    pairs = neighbours(adjacency, undeclared, max_cells, SIZE)
    assert max(sum(a != b for a, b in zip(p, q, strict=True)) for p, q in pairs) == k
    assert max(abs(a - b) for p, q in pairs for a, b in zip(p, q, strict=True)) == 1
    matrix, table = matrix_of(mechanism, cell, adjacency), cell.of_cells(k)
    assert table.epsilon == k * cell.epsilon
    assert table.delta == 1 - (1 - cell.delta) ** k
    assert table.delta <= k * cell.delta
    assert excess(matrix, pairs, float(table.epsilon)) <= float(table.delta) + ROUNDING


@pytest.mark.parametrize(("adjacency", "undeclared", "max_cells"), CASES)
def test_without_delta_it_is_attained(adjacency, undeclared, max_cells):
    """So no smaller epsilon could be promised."""
    cell = EpsilonDelta.of("0.5")
    table = cell.of_cells(changed_cells(adjacency, undeclared, max_cells))
    loss = largest_loss(matrix_of("nearest", cell, adjacency), neighbours(adjacency, undeclared, max_cells, SIZE))
    assert loss == pytest.approx(float(table.epsilon), rel=1e-12)


@pytest.mark.parametrize(("adjacency", "max_cells"), [(REPLACE, None), (REPLACE, 1), (REPLACE, 2), (ADD, 2)], ids=str)
def test_the_price_of_one_cell_would_not_do(adjacency, max_cells):
    """The negative control: where a change reaches several cells, what one cell promises is broken."""
    matrix = matrix_of("nearest", EpsilonDelta.of("0.3", "0.05"), adjacency)
    pairs = neighbours(adjacency, "other", max_cells, SIZE)
    assert excess(matrix, pairs, 0.3) > 0.05 + 1e-3


def test_counting_a_unit_in_more_cells_than_stated_would_not_do():
    """The negative control of max_cells: one that is not enforced."""
    cell = EpsilonDelta.of("0.5")
    table = cell.of_cells(changed_cells(ADD, "other", 1))
    assert largest_loss(matrix_of("nearest", cell, ADD), neighbours(ADD, "other", 2, SIZE)) > float(table.epsilon) + 0.4


@pytest.mark.parametrize(
    ("adjacency", "cells", "undeclared", "max_cells", "changed"),
    [
        (ADD, 5, "other", None, 1),
        (REPLACE, 5, "other", None, 2),
        (REPLACE, 1, "left-out", None, 1),
        (REPLACE, 1, "other", None, 2),
        (ADD, 5, "other", 3, 3),
        (REPLACE, 5, "other", 3, 6),
        (REPLACE, 5, "left-out", 3, 5),
        (ADD, 2, "other", 100, 3),
    ],
)
def test_how_many_cells_a_change_reaches(adjacency, cells, undeclared, max_cells, changed):
    assert changed_cells(adjacency, undeclared, max_cells, cells) == changed


@pytest.mark.parametrize("k", [3, 500, 10**6])
@pytest.mark.parametrize("delta", [1e-9, "1e-300", "1e-7", "3/40000001"])
def test_long_deltas_are_rounded_up(k, delta):
    cell = EpsilonDelta.of(0.1, delta)
    together = cell.of_cells(k)
    assert together.epsilon == k * cell.epsilon
    assert cell.delta <= together.delta < 1
    if k * cell.delta < 1:
        assert together.delta <= k * cell.delta * (1 + 10**-39)
    if k == 3:
        assert together.delta == 1 - (1 - cell.delta) ** 3
    elif k == 500:
        exactly = 1 - (1 - cell.delta) ** k
        assert 0 <= together.delta - exactly <= exactly / 10**38
    assert EpsilonDelta.of(str(together.epsilon), str(together.delta)) == together


@pytest.mark.parametrize(("delta", "k"), [("0.1", 10**6), ("0.99", 5000), (1 - Fraction(1, 10**300), 10)], ids=str)
def test_a_delta_that_rounds_to_one_is_refused(delta, k):
    """Stated as just below 1, it would be less than it is."""
    with pytest.raises(InvalidParameter, match=f"^delta must be smaller: one change affects up to {k:,} cells"):
        _ = EpsilonDelta.of(0.1, delta).of_cells(k)


def test_an_epsilon_too_long_to_keep_is_rounded_up():
    from fractions import Fraction

    epsilon = Fraction(2**4095 + 1, 2**4095 - 1)
    together = EpsilonDelta(epsilon, Fraction(0)).of_cells(7)
    assert 7 * epsilon <= together.epsilon <= 7 * epsilon * (1 + Fraction(1, 10**38))
