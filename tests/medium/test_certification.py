"""All that is told of media, held against rational arithmetic, and up to 6 symbols against an exact simplex.

`CERTIFICATION` in the environment says how many media of each kind are gone through; 2 by default.
"""

import functools
import math
import os
from fractions import Fraction

import media_of_kinds
import numpy as np
import pytest
from exact_media import ExactMedium
from flint import fmpq, fmpq_mat
from media_of_kinds import KINDS

from hushcount.linear_program.methods import SMALL
from hushcount.medium import (
    Behind,
    Conclusion,
    Verdict,
    canonical_fits,
    corollary_2_1,
    from_matrix,
    largest_lossless_epsilon,
    psk,
    required_snr,
    statement_1,
    statement_2_max_norm,
    statement_2_row_norm,
    statement_3,
    statement_4,
    statement_5,
    statement_6,
)
from hushcount.medium.certified.chain.program import ChainProgram
from hushcount.medium.certified.chain.solved import solved
from hushcount.medium.certified.program import least_error

COUNT = int(os.environ.get("CERTIFICATION", "2"))
LARGEST_EXACT, LARGEST_STATED = 6, 9
WIDTH = 1e-9
"""What is promised up to 32 symbols."""

SHARP = fmpq(1, 10**60)
"""Far more than the ends of e^-epsilon, 1e-75 apart, can make of anything."""


def exactly(value):
    return fmpq(*Fraction(value).as_integer_ratio())


def check_mechanism(exact, mechanism, value, absolute=None):
    S = exact.product(mechanism.entries)
    assert exact.is_private(S)
    assert max(1 - S[i, i] for i in range(exact.M)) <= exactly(value)
    if absolute is not None:
        rows = S.tolist()
        assert max(sum(abs(i - j) * s for j, s in enumerate(row)) for i, row in enumerate(rows)) <= exactly(absolute)
    return S


def is_small(exact):
    """Whether the exact simplex is of use: numbers of a thousand bits take long, and e^-5000 has 7,000."""
    bits = max(entry.q.bit_length() for entry in (exact.low, *exact.T.entries()))
    return (LARGEST_EXACT if bits < 700 else 4) >= exact.M and bits < 4000


def check_optimum(exact, at):
    found = at.optimum
    assert 0 <= found.lower <= found.upper <= 1
    assert found.width <= WIDTH
    check_mechanism(exact, found.mechanism, found.upper, found.absolute_error)
    for bound in at.bounds:
        if bound.name == "l":
            assert bound.value <= found.upper
        elif bound.value is not None:
            assert bound.value >= found.lower
            check_mechanism(exact, bound.mechanism, bound.value)
    columns = exact.T.transpose().tolist()
    assert exactly(at.bounds[0].value) <= 1 - min(max(column) for column in columns)
    assert exactly(found.upper) >= exact.without[1]
    if is_small(exact):
        assert exactly(found.lower) <= exact.optimum[0]
        assert exactly(found.upper) >= exact.optimum[1]
    return found


def check_closest(exact, at):
    found = at.closest
    check_mechanism(exact, found.mechanism, found.upper, found.absolute_error)
    assert found.upper <= at.optimum.upper + WIDTH / 2
    assert found.least_absolute_error <= found.absolute_error
    if differs(exact) > exactly("1e-6"):
        assert found.absolute_error - found.least_absolute_error <= 1e-3


def differs(exact):
    """How much of a row the next one may lack; where that is next to nothing, floats have no room."""
    return 1 - exact.high + exact.delta


def check_verdict(exact, at):
    found, best = at.losslessness, at.optimum
    low, high = exact.without
    if found.mechanism is not None:
        check_mechanism(exact, found.mechanism, Fraction(int(high.p), int(high.q)) + Fraction(found.gap))
    if found.verdict is Verdict.LOSSLESS:
        assert found.gap <= 1e-9
        assert exactly(best.upper) - high <= exactly(1e-9)
        assert exactly(best.lower) <= high
    if found.verdict is Verdict.LOSSY:
        assert exactly(best.upper) >= high + exactly(found.gap)
    if is_small(exact):
        if found.verdict is Verdict.LOSSLESS:
            assert exact.optimum[0] - low <= SHARP
        elif found.verdict is Verdict.LOSSY:
            assert exact.optimum[0] > high
            assert exact.optimum[0] - high >= exactly(found.gap)
        else:
            assert exact.optimum[1] - low <= exactly(found.gap)
    return found


def check_statements(exact, at):
    """Hold each statement against T^-1 and P* T^-1 as rational numbers, and its conclusion against the optimum."""
    medium, epsilon, delta = at.medium, at.privacy.epsilon, at.privacy.delta
    P, back = exact.canonical, exact.inverse
    found = {
        statement: statement(medium, epsilon, delta)
        for statement in (
            canonical_fits,
            statement_1,
            statement_2_row_norm,
            statement_2_max_norm,
            statement_5,
            statement_6,
        )
    }
    for_small = {statement_3: statement_3(medium, delta), corollary_2_1: corollary_2_1(medium, delta)}
    outside = statement_4(medium)
    for applied in found.values():
        if is_small(exact) and applied.conclusion is Conclusion.LOSSLESS:
            assert exact.optimum[0] - exact.without[0] <= SHARP
        elif is_small(exact) and applied.conclusion is Conclusion.LOSSY:
            assert exact.optimum[0] > exact.without[1]
        elif applied.conclusion is Conclusion.LOSSY:
            assert exactly(at.optimum.upper) > exact.without[0]
    if back is None:
        assert all(
            applied.conclusion is Conclusion.NOTHING or name is statement_6
            for name, applied in (found | for_small | {statement_4: outside}).items()
        )
        return
    assert found[statement_6].conclusion is Conclusion.NOTHING
    moved, size = P * back, float(max(map(abs, back.entries())))
    one = fmpq_mat(exact.M, exact.M, [int(i == j) for i in range(exact.M) for j in range(exact.M)])
    off = [[abs(entry) for entry in row] for row in (back - one).tolist()]
    gamma, least = P[0, 0], min(moved.entries())
    phi = (gamma - exact.delta) * exact.high ** (exact.M // 2)
    sides = {
        canonical_fits: (least, fmpq(0), 1),
        statement_2_row_norm: (phi, max(map(sum, off)), -1),
        statement_2_max_norm: (phi / (exact.M * gamma), max(map(max, off)), -1),
    }
    for statement, (larger, smaller, sign) in sides.items():
        applied = found[statement]
        quantity, threshold = (larger, smaller)[::sign]
        told = (applied.quantity, applied.threshold)
        assert told == pytest.approx((float(quantity), float(threshold)), rel=1e-12, abs=size * 2.0**-64)
        if abs(larger - smaller) > SHARP * max(1, abs(larger)):
            assert (applied.conclusion is Conclusion.LOSSLESS) == (larger > smaller)
    columns = [sum(column, fmpq(0)) for column in back.transpose().tolist()]
    assert (outside.conclusion is Conclusion.LOSSY_WHEN_SMALL) == (min(columns) < 0)
    for applied in for_small.values():
        if applied.conclusion is Conclusion.LOSSLESS_WHEN_SMALL:
            assert min(columns) > 0
            there = ExactMedium(medium, str(applied.epsilon), str(delta))
            assert min((there.canonical * back).entries()) >= -SHARP * max(map(abs, back.entries()))


@pytest.mark.grid
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_all_that_is_told_of_a_medium_is_so(kind):
    for case in map(functools.partial(media_of_kinds.case, kind), range(COUNT)):
        exact = ExactMedium(case.medium, case.epsilon, case.delta)
        at = Behind.of(case.medium, case.epsilon, case.delta)
        try:
            check_optimum(exact, at)
            check_verdict(exact, at)
            if exact.M <= LARGEST_STATED:
                check_statements(exact, at)
                check_closest(exact, at)
        except Exception as error:
            error.add_note(str(case))
            raise


@pytest.mark.grid
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_interior_point_and_highs_meet_the_exact_simplex(kind):
    for case in map(functools.partial(media_of_kinds.case, kind), range(COUNT)):
        exact = ExactMedium(case.medium, case.epsilon, case.delta)
        at = Behind.of(case.medium, case.epsilon, case.delta)
        if not is_small(exact):
            continue
        low, high = exact.optimum
        own = solved(ChainProgram.of(case.medium, at.privacy), 1e-10)
        proved = [(own.bound, own.P)]
        proved += [(1 + found.bound - 2.0**-51, x) for found, x in least_error(case.medium, at.privacy, SMALL)]
        for bound, matrix in proved:
            assert bound == -math.inf or exactly(bound) <= low, case
            if matrix is not None:
                assert exactly(at.received(matrix).error_probability) >= high, case
        columns = exact.T.transpose().tolist()
        if differs(exact) > exactly("1e-6") and all(map(any, columns)):  # else it has no room
            assert at.received(own.P).error_probability - own.bound <= WIDTH, case


def test_what_is_not_so_is_refused():
    medium = psk(5, es_n0_db=3)
    exact, sharper = ExactMedium(medium, "0.5", "0.01"), Behind.of(medium, "0.500000001", "0.01")
    told = sharper.optimum
    assert exact.is_private(exact.product(Behind.of(medium, "0.5", "0.01").optimum.mechanism.entries))
    assert not exact.is_private(exact.product(told.mechanism.entries))
    assert exactly(told.upper) < exact.optimum[0]
    with pytest.raises(AssertionError):
        check_mechanism(ExactMedium(medium, "0.500000001", "0.01"), told.mechanism, told.lower)


def is_lossless_exactly(medium, epsilon, delta="0"):
    exact = ExactMedium(medium, epsilon, delta)
    return exact.optimum[0] - exact.without[0] <= SHARP


def fits_exactly(medium, epsilon):
    """Whether P* T^-1 >= 0, which decides for a circulant medium at delta = 0 ([RV26] Theorem 2, statement 5)."""
    exact = ExactMedium(medium, epsilon, "0")
    return min((exact.canonical * exact.inverse).entries()) >= 0


@pytest.mark.grid
@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["0.5", "1", "2"])
@pytest.mark.parametrize("order", [2, 3, 5, 6, 8, 12])
def test_a_required_snr_parts_a_grid(order, epsilon):
    found = required_snr(functools.partial(psk, order), epsilon)
    grid = [found.lossless_at + Fraction(step, 2) for step in range(9)]
    assert all(fits_exactly(psk(order, es_n0_db=point), epsilon) for point in grid)
    grid = [found.lossy_at - Fraction(step, 2) for step in range(9)]
    assert not any(fits_exactly(psk(order, es_n0_db=point), epsilon) for point in grid)


@pytest.mark.grid
@pytest.mark.slow
@pytest.mark.parametrize("delta", ["0", "0.01"])
@pytest.mark.parametrize("seed", range(4))
def test_a_largest_lossless_epsilon_parts_a_grid(seed, delta):
    rng, M = np.random.default_rng(seed), 3 + seed % 2
    medium = from_matrix(0.8 * np.eye(M) + 0.2 * rng.dirichlet(np.ones(M), M), normalise=True)
    found = largest_lossless_epsilon(medium, delta)
    grid = [found.lossless_at * part for part in (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), 1)]
    assert all(is_lossless_exactly(medium, str(point), delta) for point in grid)
    grid = [found.lossy_at * part for part in (1, Fraction(11, 10), 2, 4)]
    assert not any(is_lossless_exactly(medium, str(point), delta) for point in grid)
