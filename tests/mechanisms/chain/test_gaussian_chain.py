"""Mechanisms on the curve of Gaussian differential privacy: the optimum, exact draws, and what is proven of them."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from brute import real
from chi_square import p_value
from hypothesis import given, settings, strategies as st
from neighbours import excess
from scipy.special import ndtr, ndtri

from hushcount import nearest, simulate
from hushcount.drawing.noise_guide import NoiseGuide
from hushcount.drawing.sampler import _resolve, draw_from
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.mechanisms.chain.gaussian_chain import _HALF_DENSITY, _INNER, _MARGIN, GivenGaussianChain
from hushcount.mechanisms.chain.nearest import NearestGaussian
from hushcount.mechanisms.chain.nearest_shifts import STEPS, NearestShifts, nearest_shifts
from hushcount.mechanisms.chain.noise_table import noise_table
from hushcount.mechanisms.chain.shifts import LARGEST_TABLE
from hushcount.privacy.closed_form_audit import ClosedFormAudit
from hushcount.promise import GaussianDP
from hushcount.promise.normal_floats import log_upper_tails, quantiles, scaled_tails, upper_tails

FALSE_ALARM = 1e-6
MUS = ["1e-9", "0.01", 0.3, 1, 4, 20, 100]


# --- the optimum ------------------------------------------------------------------------------------------------------


GAMMA = {
    (2, 0.5): "0.5987063256829237242408538",
    (5, 0.8): "0.428760498869689578973215",
    (9, 1.7): "0.6298631560905646635153943",
    (17, 0.6): "0.2604288812392237831750902",
    (40, 3): "0.8668771363547970449577375",
}
"""Computed separately, as the root of c_M = 1."""


@pytest.mark.parametrize(("M", "mu"), GAMMA)
def test_reference_values(M, mu):
    mechanism = nearest(M - 1, mu=mu)
    assert 1 - mechanism.error_probability == pytest.approx(float(GAMMA[M, mu]), abs=1e-15, rel=1e-15)
    assert np.ptp([mechanism.pmf(i, i) for i in range(M)]) < 1e-15


def root(M, mu):
    """Return gamma by bisection on c_M = 1 in 60 digits."""
    with mpmath.workdps(60):
        low, high = mpmath.mpf(0), mpmath.mpf(1)
        mu = real(mu)
        for _ in range(150):
            gamma = (low + high) / 2
            c = gamma
            for _ in range(M - 1):
                c = mpmath.ncdf(mpmath.sqrt(2) * mpmath.erfinv(2 * c - 1) - mu) + gamma
                if c >= 1:
                    break
            low, high = (low, gamma) if c > 1 else (gamma, high)
        return low


@pytest.mark.parametrize("mu", ["1e-9", "0.3", "1", "4"])
@pytest.mark.parametrize("M", [2, 3, 4, 7])
def test_gamma_is_the_root(M, mu):
    assert 1 - nearest(M - 1, mu=mu).error_probability == pytest.approx(float(root(M, mu)), abs=1e-15)


@pytest.mark.parametrize("mu", MUS)
def test_two_and_three_outcomes_in_closed_form(mu):
    """M = 2: gamma = Phi(mu / 2). M = 3: g(c_1) = (1 - gamma) / 2."""
    with mpmath.workdps(60):
        error = mpmath.ncdf(-real(mu) / 2)
        if float(mu) <= 64:  # beyond, thresholds of a larger error are near enough
            assert nearest(1, mu=mu).error_probability == pytest.approx(float(error), rel=1e-12)
    mechanism = nearest(2, mu=mu)
    below = ndtr(ndtri(1 - mechanism.error_probability) - float(mu))
    if float(mu) < 5:
        assert below == pytest.approx(mechanism.error_probability / 2, rel=1e-9)


def test_one_outcome():
    mechanism = nearest(0, mu=1)
    assert mechanism.matrix().tolist() == [[1.0]]
    assert mechanism.error_bounds() == (0.0, 0.0)
    assert mechanism.draw(0) == 0
    assert mechanism.expected_absolute_error() == mechanism.bias() == mechanism.probability_beyond(0) == 0


@pytest.mark.parametrize("mu", ["1e-300", "1e-9", "1e-6", "1e-3", "0.1", 1, 8, 40, 1000])
@pytest.mark.parametrize("n", [1, 2, 5, 100, 2 * STEPS, 2 * STEPS + 1, 20_000])
def test_optimal_to_a_millionth_of_a_millionth(n, mu):
    mechanism = nearest(n, mu=mu)
    low, high = mechanism.error_bounds()
    assert high - low < 1e-12
    assert low <= mechanism.error_probability <= high


@pytest.mark.slow
@pytest.mark.parametrize("mu", ["1e-9", "1e-6", "1e-5", "1e-3", "0.1", 1, 8])
@pytest.mark.parametrize("n", [10**6, 2 * LARGEST_TABLE, 2 * LARGEST_TABLE + 1, 10**7, 10**12, 10**30])
def test_optimal_at_any_n(n, mu):
    mechanism = nearest(n, mu=mu)
    low, high = mechanism.error_bounds()
    assert high - low < 1.2e-12
    shifts = mechanism.shifts
    assert len(shifts.table) <= LARGEST_TABLE
    assert len(shifts.knots) < 2**20
    j = np.unique(np.clip(np.concatenate([shifts.knots + k for k in (-1, 0, 1)] or [np.zeros(1, np.int64)]), 0, None))
    j = j[j < min(n // 2, 2**62)]
    if n < 2**62:
        assert (np.diff(shifts.many(j)) <= 0).all()  # thresholds rise


def test_no_chain_is_better_than_its_worst_row_says():
    """What `error_bounds` rests on: gamma lies between the least and the largest diagonal of any chain."""
    rng = np.random.default_rng(3)
    for _ in range(100):
        n, mu = int(rng.integers(1, 9)), float(rng.choice([0.1, 0.5, 1, 2]))
        mechanism = GivenGaussianChain(n, GaussianDP.of(mu), random_shifts(rng, n, mu))
        diagonal = np.diag(mechanism.matrix())
        gamma = 1 - nearest(n, mu=mu).error_probability
        assert diagonal.min() <= gamma + 1e-14
        assert gamma <= diagonal.max() + 1e-14


def test_asymptotics():
    """gamma = 2 Phi(mu / 2) - 1 + 2 pi^2 phi(mu / 2) / (mu M^2) (1 + o(1))."""
    for mu in (0.5, 1, 3):
        M = 3000
        gap = (1 - nearest(M - 1, mu=mu).error_probability) - math.erf(mu / 2 / math.sqrt(2))
        density = math.exp(-mu * mu / 8) / math.sqrt(2 * math.pi)
        assert gap == pytest.approx(2 * math.pi**2 * density / (mu * M**2), rel=0.01)


def test_better_than_clamped_and_rounded():
    mechanism = nearest(4, mu=0.8)
    assert 1 - mechanism.error_probability == pytest.approx(0.4288, abs=5e-5)
    assert 2 * ndtr(0.4) - 1 == pytest.approx(0.3108, abs=5e-5)


# --- the worst true count ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", ["0.01", "0.2", "0.5", 1, 3])
@pytest.mark.parametrize("n", [1, 2, 3, 8, 15, 60])
def test_the_edge_is_the_worst_true_count(n, mu):
    """The chance to be off by more than t falls toward the middle for every t, and so do all losses and the bias."""
    mechanism = nearest(n, mu=mu)
    matrix, counts = mechanism.matrix(), np.arange(n + 1)
    distance = np.abs(counts[:, None] - counts)
    for t in range(n):
        beyond = (matrix * (distance > t)).sum(axis=1)
        assert np.diff(beyond[: n // 2 + 1]).max(initial=0.0) < 1e-14
        assert mechanism.probability_beyond(t) == pytest.approx(beyond.max(), rel=1e-12, abs=1e-14)
    bias = matrix @ counts - counts
    assert np.diff(bias[: n // 2 + 1]).max(initial=0.0) < 1e-12
    assert mechanism.bias() == pytest.approx(bias.max(), rel=1e-12, abs=1e-13)
    assert mechanism.expected_absolute_error() == pytest.approx((matrix * distance).sum(axis=1).max(), rel=1e-12)
    assert mechanism.expected_squared_error() == pytest.approx((matrix * distance**2).sum(axis=1).max(), rel=1e-12)


# --- nearest: no mechanism that keeps the promise is nearer -----------------------------------------------------------


def random_shifts(rng, n, mu):
    """Return shifts of thresholds that do not fall, some of them level."""
    shifts, y = [], 0.0
    for _ in range(n):
        y = float(rng.choice([y + mu * (1 - 2.0**-30), y - rng.exponential(2), rng.normal(0, 2)], p=[0.2, 0.4, 0.4]))
        if shifts:
            y = min(y, shifts[-1] + mu * (1 - 2.0**-30))
        shifts.append(y)
    return tuple(shifts)


def chain_matrix(x, mu):
    """Return the mechanism of a chain x_0..x_n = 1, by the definition."""
    M = len(x)
    z = ndtri(x)
    cdf = np.array([[ndtr(z[j] + (j - i) * mu) for j in range(M)] for i in range(M)])
    cdf[:, -1] = 1
    return np.diff(np.c_[np.zeros(M), cdf], axis=1)


def test_two_hundred_random_private_mechanisms_are_dominated_by_their_chain():
    """Gaussian noise, cut and then garbled at random, is private; its chain is at least as near, on either side."""
    rng = np.random.default_rng(11)
    for _ in range(200):
        n, mu = int(rng.integers(1, 8)), float(rng.choice([0.1, 0.4, 1, 2.5]))
        bins = int(rng.integers(2, 30))
        cuts = np.sort(rng.uniform(-3 / mu, n + 3 / mu, bins - 1))
        noise = ndtr(mu * (np.append(cuts, np.inf)[None, :] - np.arange(n + 1)[:, None]))
        garbled = rng.dirichlet(np.full(n + 1, 0.3), size=bins)
        cdf = np.cumsum(np.diff(np.c_[np.zeros(n + 1), noise], axis=1) @ garbled, axis=1)
        cdf[:, -1] = 1
        chain = np.cumsum(chain_matrix(np.diag(cdf), mu), axis=1)
        above = np.triu(np.ones((n + 1, n + 1), dtype=bool))
        assert (cdf - chain)[above].max() < 1e-12
        assert (chain - cdf)[~above].max(initial=0.0) < 1e-12
        worst = 1 - np.diag(np.diff(np.c_[np.zeros(n + 1), cdf], axis=1)).min()
        assert nearest(n, mu=mu).error_probability <= worst + 1e-12


# --- privacy ----------------------------------------------------------------------------------------------------------


GRID = [Fraction(k, 4) for k in range(13)]


def test_random_chains_are_private():
    rng = np.random.default_rng(5)
    for _ in range(30):
        n, mu = int(rng.integers(1, 7)), float(rng.choice([0.1, 0.7, 2]))
        mechanism = GivenGaussianChain(n, GaussianDP.of(mu), random_shifts(rng, n, mu))
        for epsilon in GRID[::3]:
            assert excess(mechanism, epsilon) <= mechanism.promise.least_delta(epsilon) + Fraction(1, 2**150)


@pytest.mark.parametrize("mu", [0.3, 1, 2.5])
def test_a_smaller_mu_is_refuted(mu):
    """The mechanism uses up its promise: at 0.9 mu it is not private, at mu it is, for every epsilon on a grid."""
    mechanism, less = nearest(12, mu=mu), GaussianDP.of(Fraction(mu) * 9 / 10)
    found = [(excess(mechanism, e), mechanism.promise.least_delta(e), less.least_delta(e)) for e in GRID]
    assert all(delta <= promised + Fraction(1, 2**150) for delta, promised, _ in found)
    assert any(delta > smaller for delta, _, smaller in found)


def test_the_audit_in_closed_form_knows_the_curve():
    mechanism = nearest(10**6, mu=1)
    for epsilon in (Fraction(0), Fraction(1), Fraction(3)):
        found = ClosedFormAudit(mechanism, 1).least_delta(epsilon).interval
        promised = mechanism.promise.least_delta(epsilon)
        assert found.upper <= promised * (1 + Fraction(1, 2**50))
        assert promised * (1 - Fraction(1, 1000)) < found.lower <= promised
    far = ClosedFormAudit(nearest(8, mu=1), 3).least_delta(Fraction(1)).interval
    assert far.upper <= GaussianDP.of(3).least_delta(Fraction(1))


@pytest.mark.parametrize(
    "given", [(0.0, 1.1), (0.0, math.nan), (0.0,), (0, 1), (-math.inf, math.inf), (0.0, math.nextafter(1.0, 2.0))]
)
def test_thresholds_must_not_fall(given):
    with pytest.raises(InvalidParameter):
        GivenGaussianChain(2, GaussianDP.of(1), given)


@pytest.mark.parametrize("given", [(0.0, 1.0), (math.inf, -math.inf), (math.inf, math.inf), (5.0, -3.0)])
def test_thresholds_may_be_level_or_infinite(given):
    mechanism = GivenGaussianChain(2, GaussianDP.of(1), given)
    matrix = mechanism.matrix()
    assert np.allclose(matrix.sum(axis=1), 1, rtol=0, atol=1e-15)
    single = [[mechanism.pmf(i, j) for j in range(3)] for i in range(3)]
    assert np.allclose(matrix, single, rtol=1e-12, atol=0)
    assert mechanism.draw(np.arange(3)).shape == (3,)


# --- draws ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("n", "mu"), [(10, 1), (3, "0.1"), (10, 3), (6, "1e-9")])
def test_law_in_bulk_and_one_by_one(n, mu):
    mechanism, rng = nearest(n, mu=mu), np.random.default_rng(7)
    for true in range(n + 1):
        bulk = simulate(mechanism, np.full(100_000, true), rng=rng)
        assert p_value(bulk, mechanism.pmf(true)) > FALSE_ALARM
    single = np.array([simulate(mechanism, 1, rng=rng) for _ in range(4000)])
    assert p_value(single, mechanism.pmf(1)) > FALSE_ALARM


def test_negative_control():
    """The same test rejects draws whose mu is 30 % too large."""
    draws = simulate(nearest(10, mu="1.3"), np.full(100_000, 4), rng=np.random.default_rng(7))
    assert p_value(draws, nearest(10, mu=1).pmf(4)) < FALSE_ALARM


@settings(max_examples=150)
@given(
    st.sampled_from([1, 2, 3, 8, 21, 101, 20_000]),
    st.sampled_from(["1e-300", "1e-9", "1e-4", "0.01", "0.3", "1", "5", "40", "1e6"]),
    st.integers(0, 2**32),
)
def test_floats_decide_only_what_the_enclosures_confirm(n, mu, seed):
    rng, mechanism = np.random.default_rng(seed), nearest(n, mu=mu)
    check_paths_agree(mechanism, rng)


@pytest.mark.slow
@pytest.mark.parametrize("n", [10**6, 10**12, 2**61])
@pytest.mark.parametrize("mu", ["1e-6", "0.01", "1"])
def test_paths_agree_at_any_n(n, mu):
    mechanism = nearest(n, mu=mu)
    for seed in range(5):
        check_paths_agree(mechanism, np.random.default_rng(seed))


def check_paths_agree(mechanism, rng):
    true = rng.integers(0, mechanism.n + 1, size=10)
    true[:3] = 0, mechanism.n, mechanism.n // 2
    words = rng.integers(0, 2**64, size=10, dtype=np.uint64)
    words[2:6] = 0, 2**64 - 1, 2**63, 2**11
    u = (words >> np.uint64(11)) * 2.0**-53
    many = mechanism._locate_many(true, u)
    for k in range(10):
        i, word = int(true[k]), int(words[k])
        exact = _resolve(rng.bytes, mechanism, i, word)
        assert many[k] in (-1, exact)
        assert mechanism._locate(i, float(u[k])) in (-1, exact)


def test_the_float_path_decides_nearly_all():
    for n, mu in ((100, 1), (10**6, 1), (1000, "0.01"), (10**6, "1e-3")):
        mechanism = nearest(n, mu=mu)
        rng = np.random.default_rng(1)
        true = rng.integers(0, n + 1, 100_000)
        assert draw_from(rng.bytes, mechanism, true).exact < 20
        assert sum(draw_from(rng.bytes, mechanism, int(i)).exact for i in true[:3000]) < 3


def test_a_draw_on_a_threshold_asks_for_more_bits():
    """u = 1/2 is exactly Phi(0): the middle threshold of n = 1 seen from halfway is never reached by 64 bits alone."""
    mechanism = GivenGaussianChain(1, GaussianDP.of(2), (1.0,))  # Pr(0 | 0) = Phi(0) = 1/2
    bytes_asked = []

    def entropy(count):
        bytes_asked.append(count)
        return (2**63).to_bytes(8, "little") if len(bytes_asked) == 1 else b"\x01" * count

    assert draw_from(entropy, mechanism, 0).released == 1
    assert mechanism.cdf(0, 0) == 0.5
    assert mechanism.quantile(0, "0.5") == 0


def test_floats_are_as_right_as_is_said():
    """What the margins take for granted of tails and quantiles, at many points."""
    rng = np.random.default_rng(2)
    x = np.concatenate([rng.uniform(-9, 9, 4000), np.linspace(-1, 1, 400)])
    u = np.concatenate([rng.random(4000), ndtr(rng.uniform(-_INNER, _INNER, 1000))])
    far = np.linspace(0, 38, 500)
    with mpmath.workdps(40):
        for value, tail in zip(x, upper_tails(x), strict=True):
            assert abs(mpmath.ncdf(-value) - tail) < _MARGIN / 8
        for z, p in zip(quantiles(u), u, strict=True):
            assert abs(mpmath.ncdf(z) - p) < _MARGIN / 8
        for value, tail in zip(far, scaled_tails(far), strict=True):
            assert tail == pytest.approx(
                float(mpmath.exp(mpmath.mpf(value) ** 2 / 2) * mpmath.ncdf(-value)), rel=2.0**-50
            )
    with mpmath.workdps(40):
        for value, log in zip(far, log_upper_tails(far), strict=True):
            assert log == pytest.approx(float(mpmath.log(mpmath.ncdf(-value))), rel=1e-14)
    assert log_upper_tails(np.array([-50.0, 1e3])).tolist() == [0.0, pytest.approx(-500_007.826694812, rel=1e-12)]
    assert upper_tails(np.array([np.inf, 0, -np.inf])).tolist() == [0, 0.5, 1]


def test_the_table_of_the_noise_holds_it():
    """Every uniform's quantile is as near as is said: at the ends of bins, in the middle, and just inside."""
    table, rng = noise_table(), np.random.default_rng(6)
    k = np.concatenate([[1, 2, 3, 2**15 - 1, 2**15, 2**16 - 2], rng.integers(1, 2**16 - 1, 300)])
    for share in (0.0, 0.3, 0.5, 1 - 2.0**-30):
        u = (k + share) / 2**16
        found, near = table.near(u)
        with mpmath.workdps(40):
            z = [mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(value) - 1) for value in u]
        slack = _MARGIN / _HALF_DENSITY
        assert all(abs(value - a) <= b + slack for value, a, b in zip(z, table.middle[k], table.half[k], strict=True))
        assert all(abs(value - a) <= b + slack for value, a, b in zip(z, found, near, strict=True))
    assert table.half[0] == table.half[-1] == table.bend[0] == table.bend[-1] > 1e100


@pytest.mark.parametrize(
    ("n", "mu"),
    [(1, 8), (7, "0.9"), (100, 1), (100, "0.1"), (3000, "0.01"), (10**6, "0.01"), (10**7, 1), (10**12, "0.1")],
)
def test_the_guide_decides_only_what_the_enclosures_confirm(n, mu):
    mechanism, rng = nearest(n, mu=mu), np.random.default_rng(9)
    true = rng.integers(0, n + 1, 4000)
    true[:300], true[300:600] = rng.integers(0, min(n, 20) + 1, 300), n - rng.integers(0, min(n, 20) + 1, 300)
    guide = mechanism._guide(true)
    assert isinstance(guide, NoiseGuide)
    leading = rng.integers(0, 2**16, 4000).astype(np.uint16)
    leading[:4] = 0, 1, 2**16 - 2, 2**16 - 1
    found = guide.positions_at(true, leading)
    assert (found < 0).mean() < 0.2
    checked = np.concatenate([np.arange(100), np.arange(300, 400), np.arange(600, 700)])
    for k in checked[found[checked] >= 0].tolist():
        for rest in (0, 2**48 - 1):
            assert _resolve(rng.bytes, mechanism, int(true[k]), int(leading[k]) << 48 | rest) == found[k]


def test_level_and_infinite_thresholds_in_bulk():
    given = (math.inf, 3.0, 3.5, 3.5 - 2.0**-40, 0.0, -9.0, -math.inf, -math.inf)
    mechanism, rng = GivenGaussianChain(8, GaussianDP.of(1), given), np.random.default_rng(3)
    true = np.tile(np.arange(9), 500)
    guide = mechanism._guide(true)
    leading = rng.integers(0, 2**16, len(true)).astype(np.uint16)
    found = guide.positions_at(true, leading)
    assert (found >= 0).any()
    for k in np.flatnonzero(found >= 0)[:300].tolist():
        assert _resolve(rng.bytes, mechanism, int(true[k]), int(leading[k]) << 48) == found[k]
    for i in range(9):
        bulk = simulate(mechanism, np.where(np.arange(50_000) < 49_999, i, 0), rng=rng)[:-1]
        assert p_value(bulk, mechanism.pmf(i)) > FALSE_ALARM


# --- tables of shifts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", ["1e-6", "1"])
@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 20_000, 10**7, 10**12 + 1])
def test_one_by_one_and_many_at_once(n, mu):
    shifts = nearest_shifts(float(mu), n)
    rng = np.random.default_rng(4)
    picked = np.concatenate(
        [rng.integers(0, n, 200), np.arange(min(n, 5)), n - 1 - np.arange(min(n, 5)), [(n - 1) // 2]]
    )
    if len(shifts.knots):
        picked = np.concatenate([picked, shifts.knots[:5], shifts.knots[-3:], shifts.knots[-3:] - 1, [LARGEST_TABLE]])
    many = shifts.many(picked)
    assert many.tolist() == [shifts.at(int(j)) for j in picked]
    assert (shifts.many(n - 1 - picked) == -many).all()
    if n % 2:
        assert shifts.at((n - 1) // 2) == 0


@pytest.mark.parametrize("mu", ["1e-12", "1e-6", "1e-3", "0.3", "100"])
@pytest.mark.parametrize("n", [1, 2, 5, 129, 130, 20_001, 10**7, 10**12, 2**61])
def test_one_threshold_by_itself_is_that_of_the_mechanism(n, mu):
    shifts, alone, mechanism = nearest_shifts(float(mu), n), NearestShifts.of(float(mu), n), nearest(n, mu=mu)
    rng = np.random.default_rng(6)
    anywhere = [int(n ** rng.random()) - 1 for _ in range(30)]
    edges = [STEPS - 1, STEPS, LARGEST_TABLE - 1, LARGEST_TABLE, LARGEST_TABLE + 1, 10 * LARGEST_TABLE]
    for j in (*anywhere, *edges, 0, n // 3, (n - 1) // 2, n // 2, n - 1):
        if 0 <= j < n:
            assert alone.at(j) == pytest.approx(shifts.at(j), rel=1e-14, abs=1e-14)
            assert shifts.at(j) <= mechanism.shift_at_most(j) <= shifts.at(j) + 1e-11
            if j < STEPS:
                assert alone.at(j) == shifts.at(j)


@pytest.mark.parametrize("mu", ["1e-9", "1e-5", "1e-3", "0.3", "1", "8"])
@pytest.mark.parametrize("n", [1, 2, 7, 129, 130, 9_000, 10**5])
def test_gamma_by_itself_is_between_the_bounds_that_all_rows_prove(n, mu):
    low, high = nearest(n, mu=mu).error_bounds()
    assert low - 1e-13 <= 1 - NearestShifts.of(float(mu), n).gamma <= high + 1e-13
    if float(mu) < 8:
        assert NearestShifts.rough(float(mu), n).kappa == pytest.approx(NearestShifts.of(float(mu), n).kappa, rel=1e-3)


# --- limits -----------------------------------------------------------------------------------------------------------


def test_sums_too_long_are_refused():
    mechanism = nearest(10**12, mu="1e-9")
    with pytest.raises(TooLarge, match=r"expected errors are sums of more than"):
        mechanism.expected_absolute_error()
    assert mechanism.probability_beyond(5) > 0.99


def test_what_it_says_of_itself():
    mechanism = nearest(5, mu="0.5")
    assert isinstance(mechanism, NearestGaussian)
    assert mechanism.epsilon is mechanism.delta is None
    assert mechanism.proven_privacy == GaussianDP.of("0.5")
    assert mechanism == nearest(5, rho="0.125")
    assert hash(mechanism) == hash(nearest(5, GaussianDP.of("1/2")))
    with pytest.raises(InvalidParameter, match=r"^n must be an integer"):
        nearest(-1, mu=1)
    with pytest.raises(InvalidParameter, match=r"^privacy must be a GaussianDP"):
        NearestGaussian(3, (1, 0))
