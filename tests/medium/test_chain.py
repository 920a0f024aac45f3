"""The interior point on a chain of rows: what its multipliers prove, and how close it comes."""

from fractions import Fraction

import numpy as np
import pytest

from hushcount.linear_program.methods import SMALL
from hushcount.medium import Medium, from_matrix, pam, psk, qam, symmetric_channel
from hushcount.medium.at_promise import AtPromise
from hushcount.medium.certified.chain.interior_point import MOST_STEPS, iterates
from hushcount.medium.certified.chain.program import ChainProgram
from hushcount.medium.certified.chain.solved import solved
from hushcount.medium.certified.program import least_error
from hushcount.promise.epsilon_delta import EpsilonDelta

EASY = [("0.5", "0"), ("1", "0"), ("4", "0"), ("1", "1e-6"), ("1", "0.01"), ("0", "0.2"), ("3", "0.3")]
MEDIA = [
    psk(2, es_n0_db=-3),
    psk(3, es_n0_db=2),
    psk(8, es_n0_db=3),
    psk(7, es_n0_db=3),
    pam(6, es_n0_db=9),
    qam(16, es_n0_db=10),
    symmetric_channel(4, 0.2),
]


def turned(seed, M):
    """Return a medium without any symmetry."""
    T = np.random.default_rng(seed).dirichlet(np.full(M, 0.5), M)
    return from_matrix(0.5 * T + 0.5 * np.eye(M), normalise=True)


def exact_bound(program, q, delta, w, z, T):
    """Return the bound of the module by exact rational arithmetic, from its formulas, link by link."""
    M, R, a = program.columns, program.rows, program.left_out
    links = [(i, i + 1) for i in range(R - 1)] + [(i + 1, i) for i in range(R - 1)]
    c = [[Fraction(0)] * M for _ in range(R)]
    for (first, other), row in zip(links, z, strict=False):
        for j in range(M):
            c[first][j] -= q * row[j]
            c[other][j] += row[j]
    if program.is_halved:
        for j in range(M):
            c[R - 1][j] -= q * z[-1][j]
            c[R - 1][M - 1 - j] += z[-1][j]
    weight, spent = Fraction(0), q * delta * sum(max(row) for row in z)
    for i in range(R):
        c[i][i + a] += w[i]
        weight += w[i]
    for end, beyond in enumerate([w[R : R + a], w[R + a :]]):
        for k, value in enumerate(beyond, start=1):
            row, column = (0, a - k) if end == 0 else (R - 1, M - 1 - a + k)
            c[row][column] += value
            weight += value * q**k
            spent += delta * q**k * max(beyond[k - 1 :])
    return (sum(max(sum(T[k][j] * c[i][j] for j in range(M)) for k in range(M)) for i in range(R)) + spent) / weight


@pytest.mark.parametrize("left_out", [0, 2])
@pytest.mark.parametrize("delta", ["0", "0.03"])
@pytest.mark.parametrize("medium", [psk(8, es_n0_db=3), psk(7, es_n0_db=3), turned(3, 6)], ids=["8", "7", "6"])
def test_the_bound_of_any_multipliers_is_rounded_up(medium, delta, left_out):
    program = ChainProgram.of(medium, EpsilonDelta.of(1, delta), left_out)
    rng = np.random.default_rng(5)
    rows = [[Fraction(entry) for entry in row] for row in medium.matrix.tolist()]
    T = [[entry / sum(row) for entry in row] for row in rows]
    # e^-1 from both sides, so that the exact bound is within 1e-30 whichever way it depends on q
    q = Fraction("0.367879441171442321595523770161460867445811131")
    for _ in range(20):
        w = rng.exponential(size=len(program.limits.shares)) * (rng.random(len(program.limits.shares)) < 0.7)
        w[0] += 0.1
        z = rng.exponential(size=(program.links, program.columns)) ** 3 * 1e-2
        found = program.bound(w, z)
        exact = exact_bound(
            program,
            q,
            Fraction(delta),
            [Fraction(value) for value in w.tolist()],
            [[Fraction(value) for value in row] for row in z.tolist()],
            T,
        )
        assert Fraction(found) >= exact
        assert found == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize(("epsilon", "delta"), EASY)
@pytest.mark.parametrize("medium", [*MEDIA, turned(1, 5), turned(2, 9)], ids=str)
def test_it_meets_the_simplex(medium, epsilon, delta):
    privacy = EpsilonDelta.of(epsilon, delta)
    found = solved(ChainProgram.of(medium, privacy), 1e-10)
    used = AtPromise(medium, privacy).received(found.P)
    best = max(1 + solution.bound for solution, _ in least_error(medium, privacy, SMALL))
    assert found.bound <= used.error_probability
    assert used.error_probability - found.bound <= 2e-9
    assert found.bound <= best + 1e-12
    assert used.error_probability >= best - 1e-12


def test_every_iterate_is_private_and_every_bound_holds():
    medium, privacy = psk(8, es_n0_db=3), EpsilonDelta.of(1, "0.01")
    at, steps = AtPromise(medium, privacy), list(iterates(ChainProgram.of(medium, privacy)))
    least = min(1 - step.t for step in steps)
    assert 8 < len(steps) <= MOST_STEPS
    for step in steps:
        assert step.P.min() > 0
        assert np.allclose(step.P.sum(axis=1), 1, rtol=0, atol=1e-14)
        assert at.received(step.P).error_probability == pytest.approx(1 - step.t, abs=1e-12)
        assert 1 - step.bound <= least


def test_a_mirrored_medium_is_solved_by_half():
    program = ChainProgram.of(psk(8, es_n0_db=3), EpsilonDelta.of(1))
    whole = ChainProgram(program.T, program.q, program.delta, is_halved=False)
    assert (program.rows, whole.rows) == (4, 8)
    one, other = solved(program, 1e-10), solved(whole, 1e-10)
    assert one.bound == pytest.approx(other.bound, abs=1e-9)
    assert np.array_equal(one.P, one.P[::-1, ::-1])


def test_the_same_floats_each_time():
    program = ChainProgram.of(psk(12, es_n0_db=6), EpsilonDelta.of("0.5", "0.01"))
    one, other = solved(program, 1e-9), solved(program, 1e-9)
    assert one.bound == other.bound
    assert one.P.tobytes() == other.P.tobytes()


def test_it_stops_where_floats_end():
    # rows that hardly differ, and much of delta: where the method is known to end early
    found = solved(ChainProgram.of(pam(32, es_n0_db=20), EpsilonDelta.of("0.05", "0.1")), 0.0)
    used = AtPromise(pam(32, es_n0_db=20), EpsilonDelta.of("0.05", "0.1")).received(found.P)
    assert 0 <= used.error_probability - found.bound <= 1e-7


def test_multipliers_that_prove_nothing():
    program = ChainProgram.of(Medium(np.eye(4), "perfect"), EpsilonDelta.of(1))
    ones, nothing = np.ones(program.rows), np.zeros((program.links, 4))
    assert program.bound(np.zeros(program.rows), nothing) == np.inf
    assert program.bound(np.full(program.rows, np.nan), nothing) == np.inf
    assert program.bound(ones, nothing - 1) == pytest.approx(1)  # below 0 counts as 0
    assert program.bound(ones, np.full((program.links, 4), np.inf)) == np.inf


def test_what_a_step_does_not_see_is_judged_all_the_same():
    medium = psk(64, es_n0_db=30)  # entries down to 0, many of which underflow in products
    program = ChainProgram.of(medium, EpsilonDelta.of(1))
    assert ((program.seen == 0) & (program.T > 0)).any()
    assert np.array_equal(program.seen > 0, 1e-40 * program.T.max(axis=0) < program.T)
    found = solved(program, 1e-9)
    used = AtPromise(medium, EpsilonDelta.of(1)).received(found.P)
    assert 0 <= used.error_probability - found.bound <= 1e-8
