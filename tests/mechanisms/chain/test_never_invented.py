"""Never an invented group: the chain, what hides least, draws and audits, against slow independent ways."""

import json
import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import brute
import mpmath
import numpy as np
import pytest
from chi_square import p_value
from flint import ctx
from neighbours import excess
from several_programs import Program

from hushcount import EpsilonDelta, audit, nearest, simulate
from hushcount.drawing.sampler import _resolve
from hushcount.errors import InvalidParameter
from hushcount.mechanisms.chain.never_invented import NeverInvented
from hushcount.privacy import AuditVerdict
from hushcount.promise import GaussianDP, SeveralPairs

FALSE_ALARM = 1e-6
SLACK = Fraction(1, 2**150)
PROMISES = [
    (1, 1e-5),
    (0.5, 0.01),
    (0, 0.1),
    (0, "1/16"),
    (2, 0.3),
    (0.1, 0.001),
    (3, 1e-9),
    (20, 0.02),
    ("1e-9", 0.05),
]
SEVERAL = [[(0.1, 0.1), (0.6, 0.01)], [(0, 0.25), (1, 0.01)], [(0.03, 0.25), (0.69, 0.013)], [(0.2, 0.01), (2, 1e-9)]]


def made(n, *promise) -> NeverInvented:
    mechanism = nearest(n, *promise, never_invented=True)
    assert isinstance(mechanism, NeverInvented)
    return mechanism


def brute_matrix(n, epsilon, delta):
    """x_j = max(g^j(1), c_{j+1}), and f and g step by step from it."""
    with mpmath.workdps(brute.digits(n, epsilon) + 200):
        f, g = brute.curves(epsilon, delta)
        gamma = brute.kernel_diagonal(n + 1, epsilon, delta)
        hidden, c, x = mpmath.mpf(1), gamma, []
        for _ in range(n + 1):
            x.append(max(hidden, c))
            hidden, c = g(hidden), g(c) + gamma
        x[n] = mpmath.mpf(1)
        rows = []
        for i in range(n + 1):
            cdf = [mpmath.mpf(0)]
            for j, chance in enumerate(x):
                cdf.append(chance)
                for _ in range(abs(j - i)):
                    cdf[-1] = f(cdf[-1]) if j > i else g(cdf[-1])
            rows.append([float(b - a) for a, b in pairwise(cdf)])
        return np.array(rows)


# --- the law ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("promise", PROMISES, ids=str)
@pytest.mark.parametrize("n", [1, 2, 3, 8, 25])
def test_it_is_the_chain(promise, n):
    expected = brute_matrix(n, *promise)
    assert np.allclose(made(n, *promise).matrix(), expected, rtol=1e-12, atol=1e-200)
    assert np.array_equal(expected[0], np.eye(n + 1)[0])


@pytest.mark.parametrize("pairs", SEVERAL, ids=str)
def test_several_pairs_are_the_maximum_of_both_laws(pairs):
    promise = SeveralPairs.of(pairs)
    mechanism, optimum = made(20, promise), nearest(20, promise)
    for i in range(1, 21):
        hidden = 1 - mechanism.chance_shown(i)
        for j in range(21):
            assert mechanism.cdf(i, j) == pytest.approx(max(optimum.cdf(i, j), hidden), abs=1e-15)


def test_one_pair_of_several_is_the_closed_form():
    for promise in ((0.5, 0.01), (0, 0.1), (2, 1e-6)):
        one, other = made(30, *promise), made(30, SeveralPairs.of([promise]))
        assert np.allclose(one.matrix(), other.matrix(), rtol=0, atol=1e-14)
        for measure in ("expected_absolute_error", "expected_squared_error", "bias", "error_probability"):
            values = [value() if callable(value := getattr(m, measure)) else value for m in (one, other)]
            assert values[0] == pytest.approx(values[1], rel=1e-11)


@pytest.mark.parametrize("promise", [*PROMISES, *([SeveralPairs.of(pairs)] for pairs in SEVERAL)], ids=str)
@pytest.mark.parametrize("n", [1, 2, 7])
def test_neighbors_keep_the_promise(promise, n):
    mechanism = made(n, *promise)
    for pair in mechanism.promise.all_pairs():
        assert excess(mechanism, pair.epsilon) <= pair.delta + SLACK


def test_zero_is_never_released_as_anything_else():
    for n in (1, 5, 40, 10**12):
        mechanism = made(n, 0.1, 1e-3)
        assert not mechanism.draw(np.zeros(20_000, dtype=np.int64)).any()
        assert not any(mechanism.draw(0) for _ in range(200))
        assert mechanism.pmf(0, 0) == 1


# --- what is hidden ---------------------------------------------------------------------------------------------------


def test_reference_values():
    file = Path(__file__).parents[2] / "data" / "promises.json"
    for case in json.loads(file.read_text())["hidden"]:
        mechanism = made(60, repr(case["epsilon"]), repr(case["delta"]))
        for true, shown in case["shown"].items():
            assert mechanism.chance_shown(int(true)) == pytest.approx(float(shown), rel=1e-14)


def test_figures_of_the_documentation():
    mechanism = made(40, 1, 1e-5)
    assert [round(mechanism.chance_shown(i), 3) for i in (11, 12)] == [0.348, 0.76]
    assert mechanism.least_shown == 11
    assert made(11, 0.5, 0.01).least_shown == 7
    q = math.exp(-1)  # two-sided geometric noise that reaches 13 from 12, and from 11
    assert [round(q**k / (1 + q), 3) for k in (1, 2)] == [0.269, 0.099]
    assert q**12 / (1 + q) < 1e-5 < q**11 / (1 + q)


@pytest.mark.parametrize("promise", PROMISES, ids=str)
def test_from_which_count_on_groups_are_shown_so_often(promise):
    mechanism = made(60, *promise)
    shown = [mechanism.chance_shown(i) for i in range(61)]
    assert shown == sorted(shown)
    for chance in (0, 1e-4, 0.05, 0.5, 0.999):
        expected = next((i for i, one in enumerate(shown) if one >= chance), None)
        assert mechanism.first_shown(chance) == expected
    always = mechanism.first_shown(1)
    assert always is None or (shown[always] == 1 and mechanism.pmf(always - 1, 0) > 0 == mechanism.pmf(always, 0))
    for bad in (-0.1, 1.1, "nan", None):
        with pytest.raises(InvalidParameter, match=r"^chance must be"):
            mechanism.first_shown(bad)


@pytest.mark.parametrize("pairs", [*([pair] for pair in PROMISES[:6]), *SEVERAL[:3]], ids=str)
@pytest.mark.parametrize("M", range(2, 9))
def test_no_mechanism_hides_less(pairs, M):
    """Linear programs: the largest chance that count i is not released as 0, where 0 always is."""
    pairs = [(float(Fraction(epsilon)), float(Fraction(delta))) for epsilon, delta in pairs]
    mechanism = made(M - 1, SeveralPairs.of(pairs))
    for i in {1, M // 2, M - 1}:
        program = Program(M, pairs)
        program.at_most({0: -1.0}, -1.0)
        best, _ = program.largest({i * M + j: 1.0 for j in range(1, M)})
        assert mechanism.chance_shown(i) == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize("n", [1, 6, 11, 40, 1000])
@pytest.mark.parametrize("promise", PROMISES, ids=str)
def test_what_is_never_released(promise, n):
    """J is the first j >= 1 with c_{j+1} > g^j(1); 1..J-1 have chance 0 in every row, all others are released."""
    mechanism, optimum = made(n, *promise), nearest(n, *promise)
    J = mechanism.least_shown
    assert 1 <= J <= n
    assert mechanism.never_released == range(1, J)
    assert optimum.cdf(J, J) > 1 - mechanism.chance_shown(J)
    assert J == 1 or optimum.cdf(J - 1, J - 1) <= 1 - mechanism.chance_shown(J - 1)
    for i in {0, 1, J - 1, J, n}:
        assert all(mechanism.pmf(i, j) == 0 for j in {1, J // 2, J - 1} if 1 <= j < J)
    assert mechanism.pmf(J, J) > 0


def test_equal_chains_are_told_apart_at_epsilon_0():
    """At delta 1/9 and n = 3, c_2 = 1/9 + 4/9 and so on are rationals, some of them equal to g^j(1)."""
    delta = Fraction(1, 9)
    for n in range(1, 30):
        for j in range(1, n + 1):
            c = delta + (1 - delta) * (j + 1) / (n + 1) if j < n else Fraction(1)
            if c > 1 - min(Fraction(1), j * delta):
                break
        assert made(n, 0, delta).least_shown == j


def test_chance_given_that_it_is_shown():
    mechanism = made(25, 1, 1e-4)
    matrix = brute_matrix(25, 1, 1e-4)
    for i in range(1, 26):
        shown = matrix[i, 1:].sum()
        for j in range(26):
            expected = matrix[i, 1 : j + 1].sum() / shown
            assert mechanism.cdf_if_shown(i, j) == pytest.approx(expected, rel=1e-10, abs=1e-15)
            with ctx.workprec(128):
                above = mechanism.enclosed_above_if_shown(i, j, 128)
                assert (above + mechanism.enclosed_cdf_if_shown(i, j, 128) - 1).contains(0)
        assert mechanism.cdf_if_shown(i, -1) == 0
        assert mechanism.cdf_if_shown(i, 99) == 1
    for bad in (0, 26, -1):
        with pytest.raises(InvalidParameter, match=r"^true must be"):
            mechanism.cdf_if_shown(bad, 3)


def test_tiny_chances_keep_their_digits():
    mechanism = made(50, 1, "1e-250")
    assert mechanism.chance_shown(1) == 1e-250
    assert mechanism.cdf_if_shown(1, 49) == pytest.approx(0.0, abs=1e-12)
    assert mechanism.pmf(1, 50) == 1e-250


# --- draws ------------------------------------------------------------------------------------------------------------

DRAWN = [
    *((n, EpsilonDelta.of(*promise)) for n in (1, 2, 9, 40) for promise in PROMISES),
    *((12, SeveralPairs.of(pairs)) for pairs in SEVERAL),
    *(
        (n, EpsilonDelta.of(*promise))
        for n in (10**6, 10**12)
        for promise in [(0.01, 1e-6), ("1e-7", 1e-9), (1, 1e-30)]
    ),
    (30, EpsilonDelta.of(1, "1e-320")),
    (10**6, EpsilonDelta.of(0, "1e-6")),
]


@pytest.mark.parametrize(("n", "promise"), DRAWN, ids=str)
def test_floats_decide_only_what_the_enclosures_confirm(n, promise):
    """Uniforms at random, and beside the end of what is hidden; whole words, and their 16 leading bits."""
    mechanism, rng = made(n, promise), np.random.default_rng(7)
    true = np.unique(np.minimum(n, [0, 1, 2, 3, 5, 8, 13, 30, 500, 2000, n // 2, n - 1, n])).repeat(6)
    words = rng.integers(0, 2**64, size=len(true), dtype=np.uint64)
    for k, i in enumerate(true.tolist()):
        hidden = 1 - Fraction(mechanism.chance_shown(i))
        if k % 3 == 0:
            edge = hidden if mechanism._outcome(i, 0) == 0 else 1 - hidden
            words[k] = min(max(int(edge * 2**64) + int(rng.integers(-(2**12), 2**12)), 0), 2**64 - 1)
    many = mechanism._locate_many(true, (words >> np.uint64(11)) * 2.0**-53)
    leading = (words >> np.uint64(48)).astype(np.uint16)
    guide = mechanism._guide(np.resize(true, 2**14))
    guided = np.full(len(true), -1) if guide is None else guide.positions_at(true, leading)
    for k, (i, word) in enumerate(zip(true.tolist(), words.tolist(), strict=True)):
        exact = _resolve(rng.bytes, mechanism, i, word)
        assert many[k] in (-1, exact)
        assert guided[k] in (-1, exact)
        assert mechanism._locate(i, (word >> 11) * 2.0**-53) in (-1, exact)
        assert i or mechanism._outcome(0, exact) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("n", "epsilon", "delta"), [(25, 1, 1e-3), (9, 0.5, 0.05), (60, 0.5, 1e-3)])
def test_draws_fit_the_law_and_no_other(n, epsilon, delta):
    """Error rate 1e-6; the control has an epsilon 30 % too large."""
    mechanism, other = made(n, epsilon, delta), made(n, epsilon * 1.3, delta)
    for i in (n // 2, n):
        many = simulate(mechanism, np.full(200_000, i), rng=np.random.default_rng(i))
        assert p_value(many, mechanism.pmf(i)) > FALSE_ALARM
        single = np.array([mechanism.draw(i) for _ in range(5_000)])
        assert p_value(single, mechanism.pmf(i)) > FALSE_ALARM
    i = n // 2
    law = mechanism.pmf(i) + (mechanism.pmf(i) == 0) * 1e-9
    assert p_value(simulate(other, np.full(200_000, i), rng=np.random.default_rng(1)), law / law.sum()) < FALSE_ALARM


def test_mixed_counts_are_drawn_as_single_ones():
    mechanism = made(40, 1, 1e-3)
    true = np.tile(np.arange(41), 20_000)
    drawn = simulate(mechanism, true, rng=np.random.default_rng(5))
    for i in range(4, 41):
        assert p_value(drawn[true == i], mechanism.pmf(i)) > FALSE_ALARM


# --- audits and measures ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 6, 15])
@pytest.mark.parametrize("promise", [*PROMISES, (40, 0.25)], ids=str)
@pytest.mark.parametrize("distance", [1, 2, 5])
def test_both_audits_agree(promise, n, distance):
    """Those in closed form leave out what is never released; those of the matrix look at every outcome."""
    mechanism = made(n, *promise)
    for epsilon in {Fraction(promise[0]), Fraction(promise[0]) / 2, Fraction(1, 3), Fraction(0)}:
        closed = audit(mechanism, epsilon=epsilon, distance=distance).least_delta.interval
        listed = audit(mechanism.matrix(), epsilon=epsilon, distance=distance).least_delta.interval
        assert closed.lower == pytest.approx(listed.lower, abs=1e-12)
        assert closed.upper == pytest.approx(listed.upper, abs=1e-12)
        assert closed.upper - closed.lower < 1e-15


@pytest.mark.parametrize("n", [5, 40, 10**4, 10**12])
def test_an_audit_confirms_the_promise_and_refutes_a_smaller_one(n):
    mechanism = made(n, 1, 1e-5)
    assert audit(mechanism, epsilon=1, delta=1e-5).verdict is AuditVerdict.PRIVATE
    assert audit(mechanism, epsilon=1, delta=0.99e-5).verdict is AuditVerdict.NOT_PRIVATE
    assert audit(mechanism, epsilon=0.99, delta=1e-5).verdict is AuditVerdict.NOT_PRIVATE


@pytest.mark.parametrize("promise", [(1, 1e-5), (0.3, 1e-3), (0.1, 1e-4)])
def test_worst_errors_are_found_among_all_counts(promise):
    mechanism = made(300, *promise)
    counts = range(301)
    for measure in (
        mechanism.expected_absolute_error,
        mechanism.expected_squared_error,
        lambda i=None: abs(mechanism.bias(i)),
    ):
        assert measure() == pytest.approx(max(measure(i) for i in counts), rel=1e-12)
    for t in (0, 3, 20):
        assert mechanism.probability_beyond(t) == max(mechanism.probability_beyond(t, i) for i in counts)


def test_moments_of_a_large_range_are_sums_of_its_row():
    mechanism = made(3000, "0.05", 1e-4)
    for i in (1, 20, 150, 1500, 3000):
        row, error = mechanism.pmf(i), np.arange(3001) - i
        for found, weight in (
            (mechanism.expected_absolute_error(i), np.abs(error)),
            (mechanism.expected_squared_error(i), error**2),
            (mechanism.bias(i), error),
        ):
            assert found == pytest.approx(math.fsum(row * weight), rel=1e-10, abs=1e-10)


# --- what is refused --------------------------------------------------------------------------------------------------


def test_promises_that_hide_everything_are_refused_with_the_reason():
    for pairs in ([(1, 0)], [(1, 0.1), (2, 0)]):
        with pytest.raises(InvalidParameter, match=r"^delta must be > 0 where no group may be invented: at delta 0"):
            made(5, SeveralPairs.of(pairs))
    with pytest.raises(InvalidParameter, match=r"^delta must be > 0"):
        nearest(5, 1, never_invented=True)
    for promise in (GaussianDP.of(1), GaussianDP.of_rho(1)):
        with pytest.raises(InvalidParameter, match=r"^never_invented must be left out here: under a promise"):
            nearest(5, promise, never_invented=True)
    with pytest.raises(InvalidParameter, match=r"^never_invented must be left out here"):
        nearest(5, mu=1, never_invented=True)
    with pytest.raises(InvalidParameter, match=r"^optimum must be a nearest optimum"):
        NeverInvented(made(5, 1, 0.1))
