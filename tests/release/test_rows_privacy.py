"""What a count of rows of units promises, against every small data set and every neighbor of it.

A unit may have any rows before and any others after. Counts come from plain Python (`plain_tables`), laws from the
matrices of the mechanism that draws.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement, product
from math import exp

import numpy as np
import pytest
from plain_tables import Row, plain_rows

from hushcount.mechanisms import least_error_probability, nearest
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.several import SeveralPairs
from hushcount.release.law import Law

ROUNDING = 1e-12
REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE
SIZE = 3
SALTS = ("0123456789abcdef" * 2, "f" * 32)
PROMISES = [
    EpsilonDelta.of("0.5"),
    EpsilonDelta.of("0.5", "0.01"),
    EpsilonDelta.of(0, "0.1"),
    EpsilonDelta.of(2, "0.2"),
]


def excess_of(one, other, epsilon):
    return np.maximum(one - exp(epsilon) * other, 0).sum()


def of_distance(matrix, rows, epsilon):
    """The largest excess between counts at most so many rows apart."""
    n = len(matrix)
    return max(
        (excess_of(matrix[i], matrix[k], epsilon) for i in range(n) for k in range(n) if 0 < abs(i - k) <= rows),
        default=0.0,
    )


# --- one count --------------------------------------------------------------------------------------------------------


def counted(units, most):
    return sum(min(most, many) for many in units)


@pytest.mark.parametrize("adjacency", [REPLACE, ADD])
@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("promise", PROMISES, ids=str)
@pytest.mark.parametrize("mechanism", ["nearest", "canonical", "within:1"])
def test_a_count_keeps_it(adjacency, most, promise, mechanism):
    """Whatever the matching rows of one unit are, before and after: in number all that matters."""
    top = most * SIZE if adjacency is REPLACE else 4
    matrix = Law.of(mechanism, promise, most).at(top).matrix()
    moved = 0
    for units in combinations_with_replacement(range(most + 3), SIZE):
        rest = units[:-1]
        others = [counted(rest, most)] if adjacency is ADD else [counted([*rest, m], most) for m in range(most + 3)]
        for other in others:
            here, there = min(counted(units, most), top), min(other, top)
            moved = max(moved, abs(here - there))
            for one, another in ((here, there), (there, here)):
                found = excess_of(matrix[one], matrix[another], float(promise.epsilon))
                assert found <= float(promise.delta) + ROUNDING
    assert moved == most


def test_the_figures_of_the_theory():
    """M = 12, s = 3: what is kept, what keeping delta itself would do, and how far from the best it is."""
    promise = EpsilonDelta.of("0.5", "0.01")
    law = Law.of("nearest", promise, 3)
    assert of_distance(law.at(11).matrix(), 3, 0.5) == pytest.approx(0.01, rel=1e-6)  # attained
    faulty = nearest(11, promise.epsilon / 3, promise.delta).matrix()
    assert of_distance(faulty, 3, 0.5) == pytest.approx(0.0358, abs=5e-5)
    assert 1 - law.at(11).error_probability == pytest.approx(0.1340, abs=5e-5)
    assert 1 - least_error_probability(11, "0.5", "0.01", sensitivity=3) == pytest.approx(0.1628, abs=5e-5)


@pytest.mark.parametrize("most", [2, 3])
def test_no_smaller_price_would_do(most):
    matrix = Law.of("nearest", EpsilonDelta.of("0.5"), most).at(3 * most).matrix()
    losses = [np.log(matrix[i] / matrix[i + most]).max() for i in range(2 * most + 1)]
    assert max(losses) == pytest.approx(0.5, rel=1e-12)
    unbounded = np.log(matrix[0] / matrix[most + 1]).max()  # of a unit whose rows are not bounded
    assert unbounded > 0.5 + 0.1


@pytest.mark.parametrize("epsilon", [0, 0.3, 1, 2])
def test_in_mu(epsilon):
    promise = GaussianDP.of("0.8")
    matrix = Law.of("nearest", promise, 3).at(9).matrix()
    kept = float(promise.least_delta(Fraction(epsilon)))
    assert of_distance(matrix, 3, epsilon) <= kept + ROUNDING
    assert of_distance(matrix, 4, epsilon) > kept


def test_several_pairs():
    promise = SeveralPairs.of([(1, 0), ("0.4", "0.05")])
    matrix = Law.of("nearest", promise, 2).at(6).matrix()
    for pair in promise.pairs:
        assert of_distance(matrix, 2, float(pair.epsilon)) <= float(pair.delta) + ROUNDING


# --- a table ----------------------------------------------------------------------------------------------------------

KEYS = [("a",), ("b",)]
A, B, X = Row(("a",)), Row(("b",)), Row(("x",))
PARTS = [
    [],
    [A],
    [B],
    [X],
    [A, A],
    [B, B],
    [A, B],
    [A, A, A],
    [A, A, B, X],
    [B, B, B, X, X],
    [A._replace(matches=False)],
]


def table_of(data, most, salt, other):
    rows = [row._replace(unit=f"u{at}") for at, part in data for row in part]
    counts = plain_rows(rows, most, salt, KEYS, other)
    return tuple(counts[(cell,)] for cell in range(len(KEYS) + other))


def neighbours(adjacency, most, other, size=2, salts=SALTS):
    """Ordered pairs of tables of counts that are neighbors, under the same salt."""
    pairs = set()
    for salt, n in product(salts, range(size + 1)):
        for chosen in product(PARTS, repeat=n):
            data = list(enumerate(chosen))
            before = table_of(data, most, salt, other)
            if adjacency is ADD:
                after = [table_of([*data, (n, part)], most, salt, other) for part in PARTS]
            else:
                after = [table_of([*data[:-1], (n - 1, part)], most, salt, other) for part in PARTS if n]
            pairs |= {(before, each) for each in after}
    return {pair for one, another in pairs for pair in ((one, another), (another, one))}


def table_law(matrix, counts):
    rows = [matrix[min(count, len(matrix) - 1)] for count in counts]
    return reduce(lambda law, row: np.multiply.outer(law, row).ravel(), rows, np.ones(1))


def excess(matrix, pairs, epsilon):
    laws = {counts: table_law(matrix, counts) for pair in pairs for counts in pair}
    return max(excess_of(laws[p], laws[q], epsilon) for p, q in pairs)


def largest_loss(matrix, pairs):
    return max(np.log(table_law(matrix, p) / table_law(matrix, q)).max() for p, q in pairs)


CASES = [(adjacency, most, other) for adjacency in (REPLACE, ADD) for most in (1, 2, 3) for other in (True, False)]


@pytest.mark.slow
@pytest.mark.parametrize(("adjacency", "most", "other"), CASES)
def test_a_table_keeps_it(adjacency, most, other):
    """Also where a unit moves from one cell to others: it moves counts by at most S up and S down, in all cells."""
    pairs = neighbours(adjacency, most, other)
    k = adjacency.changed_cells(1, 2 + other)
    moves = [sum(abs(a - b) for a, b in zip(p, q, strict=True)) for p, q in pairs]
    assert max(moves) == k * most
    top = 2 * most if adjacency is REPLACE else 3
    for promise in PROMISES:
        price = promise.of_cells(k)
        matrix = Law.of("nearest", promise, most).at(top).matrix()
        assert excess(matrix, pairs, float(price.epsilon)) <= float(price.delta) + ROUNDING
    pure = Law.of("nearest", EpsilonDelta.of("0.5"), most).at(top).matrix()
    assert largest_loss(pure, pairs) == pytest.approx(0.5 * k, rel=1e-12)  # attained: nothing less could be promised
    in_mu = GaussianDP.of("0.8")
    matrix, together = Law.of("nearest", in_mu, most).at(top).matrix(), in_mu.of_cells(k)
    for epsilon in (0, 0.5, 1.5):
        assert excess(matrix, pairs, epsilon) <= float(together.least_delta(Fraction(epsilon))) + ROUNDING


@pytest.mark.slow
def test_the_price_of_one_cell_would_not_do_where_a_unit_moves():
    pairs = neighbours(REPLACE, 2, True)
    promise = EpsilonDelta.of("0.3", "0.05")
    matrix = Law.of("nearest", promise, 2).at(4).matrix()
    assert excess(matrix, pairs, 0.3) > 0.05 + 1e-2
    in_mu = GaussianDP.of("0.8")
    matrix = Law.of("nearest", in_mu, 2).at(4).matrix()
    assert excess(matrix, pairs, 0.5) > float(in_mu.least_delta(Fraction(1, 2))) + 1e-2


def test_so_many_rows_in_each_cell_would_not_do():
    """The negative control of "in all cells together": a bound on each cell alone."""
    matrix = Law.of("nearest", EpsilonDelta.of("0.5"), 2).at(3).matrix()
    assert largest_loss(matrix, {((2, 2, 0), (0, 0, 0))}) > 0.5 + 0.4


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 2, 3])
def test_groups_from_the_data(most):
    """A group that is there only by the rows of one unit is shown with chance delta, which is attained."""
    groups = [("a",), ("b",), (None,)]
    parts = [[], [A], [A, A], [A, B], [B, B, B], [Row((None,)), A, A], [A, A, A, A]]
    pairs = set()
    for salt, n in product(SALTS, range(3)):
        for chosen in product(parts, repeat=n):
            data = list(enumerate(chosen))

            def told(data, salt=salt):
                rows = [row._replace(unit=f"u{at}") for at, part in data for row in part]
                counts = plain_rows(rows, most, salt)
                return tuple(counts[key] for key in groups)

            pairs |= {(told(data), told([*data, (n, part)])) for part in parts}
    pairs |= {(q, p) for p, q in pairs}
    for promise in (EpsilonDelta.of("0.5", "0.05"), EpsilonDelta.of(1, "0.01")):
        matrix = Law.of("never-invented", promise, most).at(4).matrix()
        found = excess(matrix, pairs, float(promise.epsilon))
        assert found <= float(promise.delta) + ROUNDING
        assert found == pytest.approx(float(promise.delta), rel=1e-9)
        if most > 1:
            faulty = nearest(4, EpsilonDelta(promise.epsilon / most, promise.delta), never_invented=True).matrix()
            assert excess(faulty, pairs, float(promise.epsilon)) > float(promise.delta) * 1.5
