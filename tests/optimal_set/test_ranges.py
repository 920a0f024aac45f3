"""The range of every entry over all optima, against independent values and against members."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import random_optima

from hushcount import canonical, nearest
from hushcount.errors import InvalidParameter, SolverFailed, TooLarge
from hushcount.linear_program.solution import Outcome
from hushcount.optimal_set import OptimalSet
from hushcount.optimal_set.ranges import entry_ranges

REFERENCE = json.loads((Path(__file__).parent.parent / "data" / "optimal_set.json").read_text())
GRID = [(1, 0.5, 0), (2, 1, 0), (2, 0.5, 0.1), (3, 0.3, 0), (4, 0.3, 0.05), (5, 1, 0), (6, 0.1, 0.01), (6, 2, 0)]


@pytest.mark.parametrize("case", REFERENCE, ids=lambda case: f"M={case['M']}, {case['epsilon']}, {case['delta']}")
def test_independent_values(case):
    optimal = OptimalSet(case["M"] - 1, case["epsilon"], case["delta"])
    found = optimal.ranges
    assert np.abs(found.lower - case["lower"]).max() <= case["tol"]
    assert np.abs(found.upper - case["upper"]).max() <= case["tol"]
    assert optimal.radius == pytest.approx(case["radius"], abs=case["tol"])
    assert found.gap <= 1e-9


@pytest.mark.parametrize(("n", "epsilon", "delta"), [(3, 0.4, 0), (4, 0.3, 0.05), (3, 0, 0.2)])
def test_plain_linear_programs_find_the_same(n, epsilon, delta):
    least, largest = random_optima.entry_ranges(n + 1, epsilon, delta)
    found = entry_ranges(nearest(n, epsilon, delta))
    assert np.abs(found.lower - least).max() <= 1e-7
    assert np.abs(found.upper - largest).max() <= 1e-7


@pytest.mark.parametrize(("n", "epsilon", "delta"), GRID)
def test_theorem_1_statement_3_shared_entries_have_no_width_and_others_have(n, epsilon, delta):
    optimal = OptimalSet(n, epsilon, delta)
    width = optimal.ranges.upper - optimal.ranges.lower
    assert width[optimal.shared_entries].max() < 1e-7
    if not optimal.is_unique:
        assert width[~optimal.shared_entries].min() > 1e-4


@pytest.mark.parametrize(("n", "epsilon", "delta"), GRID)
def test_bounds_hold_for_members_and_the_radius_for_the_bound(n, epsilon, delta):
    optimal = OptimalSet(n, epsilon, delta)
    found = optimal.ranges
    center = canonical(n, epsilon, delta).matrix()
    members = [nearest(n, epsilon, delta).matrix(), center, *random_optima.random_members(n + 1, epsilon, delta, 4)]
    for matrix in members:
        assert (matrix >= found.lower - 1e-9).all()
        assert (matrix <= found.upper + 1e-9).all()
        assert np.abs(matrix - center).max() <= optimal.radius + 1e-9
    assert optimal.radius <= optimal.radius_bound + 1e-9
    # The nearest optimum has the largest entries next to the diagonal.
    for i in range(n):
        assert found.upper[i, i + 1] == pytest.approx(members[0][i, i + 1], rel=1e-12)


def test_ranges_are_mirrored():
    found = entry_ranges(nearest(6, 0.5, 0.01))
    assert np.array_equal(found.lower, found.lower[::-1, ::-1])
    assert np.array_equal(found.upper, found.upper[::-1, ::-1])


def test_one_entry_alone_and_from_all():
    alone, together = OptimalSet(5, 0.5, 0.01), OptimalSet(5, 0.5, 0.01)
    assert together.ranges is together.ranges
    for place in [(0, 3), (4, 1), (2, 2), (0, 1)]:
        one, other = alone.entry_range(*place), together.entry_range(*place)
        assert one.lower == pytest.approx(other.lower, abs=1e-9)
        assert one.upper == pytest.approx(other.upper, abs=1e-9)
        assert one.width == pytest.approx(one.upper - one.lower)


@pytest.mark.parametrize(("i", "j"), [(-1, 0), (0, 4), (0, 1.0), (True, 0), ("0", 0)])
def test_entries_outside_are_refused(i, j):
    with pytest.raises(InvalidParameter, match=r"^[ij] must be"):
        OptimalSet(3, 0.5).entry_range(i, j)


@pytest.mark.parametrize(
    ("n", "epsilon", "delta"),
    [(0, 1, 0), (1, 0, 0), (4, 0, 0), (5, 1000, 0), (5, 25, 0), (5, 1e-9, 0), (4, "1e-400", 0)],
)
def test_edges_have_ranges(n, epsilon, delta):
    optimal = OptimalSet(n, epsilon, delta)
    found = optimal.ranges
    assert (found.lower <= found.upper).all()
    assert (found.lower >= 0).all()
    values = canonical(n, epsilon, delta).matrix()
    assert (found.lower <= values).all()
    assert (values <= found.upper).all()
    assert (
        found.upper[~np.eye(n + 1, dtype=bool)] >= canonical(n, epsilon, delta).matrix()[~np.eye(n + 1, dtype=bool)]
    ).all()
    if optimal.is_unique:
        assert optimal.radius == 0
    else:
        assert optimal.radius > 0


@pytest.mark.parametrize(("n", "epsilon", "delta"), [(2, 0, "0.5"), (3, 0, "0.1"), (5, 0, "0.3")])
def test_rational_limits_are_rounded_outward(n, epsilon, delta):
    # At epsilon 0, an entry next to the diagonal may be all that is left of its row: p_e* = (1 - delta) n / (n + 1).
    limit = (1 - Fraction(delta)) * n / (n + 1)
    assert Fraction(float(OptimalSet(n, epsilon, delta).ranges.upper[0, 1])) >= limit or n > 2


@pytest.mark.parametrize("epsilon", ["1e-6", "1e-12", "1e-15", "1e-100"])
def test_radius_is_never_above_its_bound(epsilon):
    optimal = OptimalSet(2, epsilon)
    assert 0 < optimal.radius <= optimal.radius_bound


def test_too_many_outcomes_are_refused():
    with pytest.raises(TooLarge, match="65 outcomes"):
        _ = OptimalSet(65, 0.5).ranges


def test_a_bound_that_cannot_be_certified_is_an_error(monkeypatch):
    from hushcount.linear_program.solution import Solution
    from hushcount.linear_program.solver import Solver

    failed = Solution(Outcome.FAILED, None, math.inf, -math.inf, 1.0, 1.0, None, ())
    monkeypatch.setattr(Solver, "minimise", lambda self, cost: failed)
    with pytest.raises(SolverFailed, match="no range found"):
        entry_ranges(nearest(3, 0.5))
