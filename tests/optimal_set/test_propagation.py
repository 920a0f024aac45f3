"""The propagation argument of [RV26] section IV and Appendix B."""

import json

import numpy as np
import pytest
import random_optima

from hushcount import BadUse, canonical, nearest
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.mechanisms import explicit_fair, truncated_geometric
from hushcount.optimal_set.families import three_outcome_optimum
from hushcount.optimal_set.propagation import propagate
from hushcount.optimal_set.shared import shared_count, shared_entries, shared_sums
from hushcount.optimal_set.steps import Rectangle, RowSum, Rule

PARAMETERS = [(0.5, 0.01), (2, 0.3), (1e-9, 1e-9), (0, 0.1), (40, 1e-6), (300, 1e-6)]


def is_near_diagonal(M):
    """The 13 entries that are highlighted in (17), for M = 5: the diagonal and those beside it."""
    i, j = np.ogrid[:M, :M]
    return np.abs(i - j) <= 1


# --- the paper's example, M = 5 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "delta"), PARAMETERS)
def test_equation_17_highlights(epsilon, delta):
    found = propagate(canonical(4, epsilon, delta))
    assert (found.increasing == is_near_diagonal(5)).all()
    assert found.increasing.sum() == 13


@pytest.mark.parametrize(("epsilon", "delta"), [p for p in PARAMETERS if p[0] > 0])
def test_equation_17_rectangles(epsilon, delta):
    """In the paper's numbers: rows 2 and 3, columns 1 and 2; rows 4 and 3, columns 4 and 5."""
    found = propagate(canonical(4, epsilon, delta))
    assert found.rectangles == (Rectangle(1, 2, 0, 1), Rectangle(3, 2, 3, 4))
    assert found.full_rows == (2,)


def test_equation_17_at_epsilon_0():
    """There all distances weigh the same: more constraints are active, and every row is full."""
    found = propagate(canonical(4, 0, 0.1))
    assert found.full_rows == (0, 1, 2, 3, 4)
    assert {Rectangle(1, 2, 0, 1), Rectangle(3, 2, 3, 4)} < set(found.rectangles)


def test_equation_17_argument():
    """From the diagonal to the middle row, and back."""
    steps = propagate(canonical(4, 0.5, 0.01)).steps
    assert [step.rule for step in steps] == (
        [Rule.DIAGONAL]
        + [Rule.ACTIVE] * 8
        + [Rule.UNION] * 2
        + [Rule.ACTIVE] * 2
        + [Rule.PARTS, Rule.BACK, Rule.PARTS, Rule.BACK, Rule.PARTS, Rule.BACK, Rule.BACK]
    )
    texts = [str(step) for step in steps]
    assert texts[0] == "No optimum has less on the diagonal, in rows 0..4."
    assert texts[1] == (
        "Row 1, outcome 0: row 0 has all there that row 1 allows it, and no optimum has less in row 0; so none has "
        "less in row 1."
    )
    assert texts[9] == "Row 1, outcomes 0..1: no optimum has less in 0 and 1; so none has less in them together."
    assert texts[13] == (
        "Row 2, outcomes 0..4: all optima have the same in all of them, and none has less in 0..1, 2 and 3..4; so all "
        "have the same in each."
    )
    assert texts[14] == (
        "Row 1, outcomes 0..1: no optimum has less than all that row 2 allows, and all have the same in row 2; so all "
        "have the same in row 1."
    )


def test_equation_17_drawing():
    assert str(propagate(canonical(4, 0.5, 0.01))) == (
        "  0 1 2 3 4\n"
        "0 = + . . .\n"
        "1 = = + . .\n"
        "2 . + = + .\n"
        "3 . . + = =\n"
        "4 . . . + =\n"
        "= all optima have the same   + no optimum has less   . neither is shown\n"
        "No less together: rows 1 and 2, outcomes 0..1.\n"
        "No less together: rows 3 and 2, outcomes 3..4."
    )


@pytest.mark.parametrize(
    ("n", "rows"),
    [
        (3, ["= + + .", "= = = =", "= = = =", ". + + ="]),
        (4, ["= + + . .", "= = + + .", "= = = = =", ". + + = =", ". . + + ="]),
    ],
)
def test_figure_1(n, rows):
    """delta = 0, M = 4 and 5: the paper shows the shared entries."""
    lines = str(propagate(canonical(n, 0.5))).splitlines()
    assert [line[2:] for line in lines[1 : n + 2]] == rows


# --- any M ------------------------------------------------------------------------------------------------------------


@pytest.mark.grid
@pytest.mark.parametrize("epsilon", [1e-9, 0.3, 5, 400])
@pytest.mark.parametrize("M", range(2, 13))
def test_theorem_1_statement_3_equation_12(M, epsilon):
    found = propagate(canonical(M - 1, epsilon))
    assert (found.shared == shared_entries(canonical(M - 1, epsilon))).all()
    assert found.shared.sum() == shared_count(M)
    assert not found.rectangles


@pytest.mark.grid
@pytest.mark.parametrize(("epsilon", "delta"), [*PARAMETERS, (0.5, 0)])
@pytest.mark.parametrize("M", [1, 2, 3, 4, 5, 6, 9, 12])
def test_theorem_1_statement_3_equation_13(M, epsilon, delta):
    optimum = canonical(M - 1, epsilon, delta)
    found = propagate(optimum)
    for s in shared_sums(optimum):
        assert found.shares(s.row, s.first, s.last)
        assert found.shares(s.row, s.last + 1, M - 1) if s.last < M - 1 else True
    assert (found.shared == shared_entries(optimum)).all()
    if delta > 0 and M > 2:  # and nothing else
        assert (
            sum(found.shares(i, a, b) for i in range(M) for a in range(M) for b in range(a, M)) == 6 * (M - 2) + 2 * 3
        )


@pytest.mark.slow
@pytest.mark.parametrize("M", range(3, 13))
def test_the_rectangles_of_appendix_b(M):
    """(49) for prefixes of two and more outcomes, and its mirror image."""
    found = propagate(canonical(M - 1, 0.7, 0.02))
    halves = {Rectangle(i, i + 1, 0, i) for i in range(1, M // 2)}
    mirrored = {Rectangle(M - 1 - r.row, M - 1 - r.neighbour, M - 1 - r.last, M - 1 - r.first) for r in halves}
    assert set(found.rectangles) == halves | mirrored
    middle = {(M - 1) // 2, M // 2}
    assert set(found.full_rows) == middle
    assert (found.increasing == is_near_diagonal(M)).all()


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_a_unique_optimum_is_shared_whole(n):
    assert propagate(canonical(n, 0)).shared.all()
    if n <= 1:
        assert propagate(canonical(n, 0.5, 0.1)).shared.all()


# --- each step --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("make", [canonical, nearest])
@pytest.mark.parametrize(
    ("M", "epsilon", "delta"), [(4, 0.5, 0), (5, 0.4, 0.02), (6, 0.3, 0), (6, 0.8, 0.1), (5, 0, 0.1)]
)
def test_every_conclusion_holds_in_random_members(make, M, epsilon, delta):
    start = make(M - 1, epsilon, delta)
    found, P = propagate(start, start), start.matrix()
    for other in random_optima.random_members(M, epsilon, delta, 8):
        change = other - P
        for step in found.steps:
            for s in step.conclusions:
                more = change[s.row, s.first : s.last + 1].sum()
                assert more > -1e-8
                if step.rule in {Rule.PARTS, Rule.BACK}:
                    assert more < 1e-8
        assert np.abs(change[found.shared]).max() < 1e-8
        assert change[found.increasing].min() > -1e-8
        for s in found.shared_sums:
            assert abs(change[s.row, s.first : s.last + 1].sum()) < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "epsilon", "delta"), [(4, 0.5, 0.01), (4, 0.5, 0), (7, 0.5, 0.01), (8, 0.3, 0), (5, 0, 0)]
)
def test_every_premise_was_shown_before_and_every_step_is_used(n, epsilon, delta):
    found = propagate(canonical(n, epsilon, delta))
    held: set[RowSum] = set()
    used: set[RowSum] = set()
    for step in found.steps:
        for premise in step.premises:
            if step.rule in {Rule.PARTS, Rule.BACK} and premise is step.premises[0]:
                assert found.shares(premise.row, premise.first, premise.last)
            else:
                assert premise in held
        used.update(step.premises)
        if step.rule not in {Rule.PARTS, Rule.BACK}:
            held.update(step.conclusions)
    assert all(one in used or one.first == one.last for one in held)
    assert {(one.row, one.first) for one in held if one.first == one.last} == set(
        map(tuple, np.argwhere(found.increasing).tolist())
    )


# --- other members ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.4, 0), (0.4, 0.02), (3, 0), (0, 0.05)])
def test_other_members_show_nothing_that_is_not_shared(n, epsilon, delta):
    optimum = canonical(n, epsilon, delta)
    starts = [nearest(n, epsilon, delta), *([explicit_fair(n, epsilon)] if delta == 0 else [])]
    for start in starts:
        found = propagate(optimum, start)
        assert (found.shared <= shared_entries(optimum)).all()
        for s in shared_sums(optimum):
            assert found.shares(s.row, s.first, s.last)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "epsilon", "delta"), [(4, 0.4, 0), (4, 0.4, 0.02), (9, 1.3, 0), (8, 2, 1e-6), (5, 0, 0.1)]
)
@pytest.mark.parametrize("make", [canonical, nearest])
def test_a_matrix_tells_what_its_closed_form_does(make, n, epsilon, delta):
    start = make(n, epsilon, delta)
    assert propagate(start, start.matrix()).to_dict() == propagate(start, start).to_dict()


def test_inside_the_set_only_common_constraints_are_active():
    """(18) strictly within its range: the middle row comes from the constraints that all optima share."""
    found = propagate(canonical(2, 0.5, 0.01), three_outcome_optimum(0.5, 0.01, u=0.8, v=0.9))
    assert (found.shared == shared_entries(canonical(2, 0.5, 0.01))).all()
    assert (found.increasing == found.shared).all()


# --- output and bad input ---------------------------------------------------------------------------------------------


def test_to_dict():
    found = propagate(canonical(4, 0.5, 0.01))
    told = json.loads(json.dumps(found.to_dict()))
    assert len(told["increasing"]) == 13
    assert [0, 0] in told["shared"]
    assert told["full_rows"] == [2]
    assert told["rectangles"][0] == {"row": 1, "neighbour": 2, "first": 0, "last": 1}
    assert told["steps"][0]["rule"] == "DIAGONAL"
    assert told["steps"][-1]["text"] == str(found.steps[-1])
    assert {"row": 0, "first": 1, "last": 4} in told["shared_sums"]


def test_wide_drawings_line_up():
    lines = str(propagate(canonical(11, 0.5))).splitlines()
    assert {len(line) for line in lines[:13]} == {3 * 13 - 1}


def test_bad_input():
    with pytest.raises(BadUse, match=r"starts from an optimum, and this is none\."):
        propagate(canonical(4, 0.5), truncated_geometric(4, 0.5))
    with pytest.raises(BadUse):
        propagate(canonical(4, 0.5), nearest(4, 0.6).matrix())
    with pytest.raises(InvalidParameter, match="n of the mechanism"):
        propagate(canonical(4, 0.5), nearest(3, 0.5))
    with pytest.raises(TooLarge, match="64"):
        propagate(canonical(64, 0.5))
    with pytest.raises(InvalidParameter, match="epsilon"):
        propagate(canonical(4, 10**10))
    found = propagate(canonical(4, 0.5))
    for row, first, last in ((5, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 5)):
        with pytest.raises(InvalidParameter):
            found.shares(row, first, last)
    with pytest.raises(ValueError, match="read-only"):
        found.shared[0, 0] = False
