"""What every mechanism keeps, whatever its form."""

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from for_each import for_each

from hushcount import EpsilonDelta, Mechanism, canonical, from_matrix, nearest
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.mechanisms import (
    analytic_gaussian,
    clamped_canonical_noise,
    clamped_gaussian,
    explicit_fair,
    exponential,
    folded_geometric,
    randomized_response,
    redrawn_geometric,
    rounded_gaussian,
    truncated_geometric,
    uniform,
    zcdp_gaussian,
)
from hushcount.promise import SeveralPairs

OPTIMA = [canonical, nearest]
PURE = [truncated_geometric, folded_geometric, explicit_fair, exponential, redrawn_geometric]
APPROXIMATE = [randomized_response, clamped_canonical_noise, clamped_gaussian]
PROMISES = {
    **{
        make: [
            (0, 0),
            (0, "0.1"),
            ("1e-17", 0),
            (0.5, 0),
            (0.5, 1e-3),
            (1, "0.5"),
            (3, 1e-12),
            (40, 0),
            (1000, 0),
        ]
        for make in OPTIMA
    },
    **{make: [(0,), ("1e-17",), (0.5,), (3,), (1000,)] for make in PURE},
    **{make: [(0, "0.1"), ("1e-17", 0.3), (0.5, 1e-3), (1, "0.5"), (3, 1e-12), (1000, 1e-6)] for make in APPROXIMATE},
    uniform: [()],
}
MAKERS = {
    **{make.__name__: make for make in OPTIMA + PURE},
    **{make.__name__: lambda n, epsilon, make=make: make(n, epsilon, "0.1") for make in APPROXIMATE},
    "uniform": lambda n, epsilon: uniform(n),
}
each_maker = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def walk(n) -> Mechanism:
    """One up in a quarter, one down in an eighth of all releases: a matrix without symmetry, whose sums are exact."""
    matrix = np.diag(np.full(n, 0.25), 1) + np.diag(np.full(n, 0.125), -1)
    return from_matrix(matrix + np.diag(1 - matrix.sum(axis=1)))


OTHER_PROMISES = {
    **{f"nearest-mu-{mu}": lambda n, mu=mu: nearest(n, mu=mu) for mu in ("1e-300", "1e-9", 0.1, 1, 4, 30, 1000)},
    "nearest-rho": lambda n: nearest(n, rho="1/3"),
    "rounded-gaussian": lambda n: rounded_gaussian(n, mu=0.3),
    "analytic-gaussian": lambda n: analytic_gaussian(n, 1, 1e-3),
    "zcdp-gaussian": lambda n: zcdp_gaussian(n, "1/3"),
    **{
        f"nearest-several-{k}": lambda n, pairs=pairs: nearest(n, SeveralPairs.of(pairs))
        for k, pairs in enumerate(
            [
                [(0.1, 0.1), (0.6, 0.01)],
                [(0, 0.3), (0.5, 1e-3), (3, 0)],
                [("1e-17", 0.2), (1000, 1e-12)],
                [(0.5, 1e-3)],
            ]
        )
    },
}

HIDING = {
    f"never-invented-{k}": lambda n, promise=promise: nearest(n, promise, never_invented=True)
    for k, promise in enumerate(
        [
            *(EpsilonDelta.of(*pair) for pair in [(0, "0.1"), ("1e-17", 0.2), (0.5, 1e-3), (1, 0.5), (3, 1e-12)]),
            *(EpsilonDelta.of(*pair) for pair in [(40, "0.25"), (1000, "1e-400"), ("1e400", 0.1)]),
            SeveralPairs.of([(0.1, 0.1), (0.6, 0.01)]),
            SeveralPairs.of([("1e-17", 0.2), (1000, 1e-12)]),
        ]
    )
}

FAMILIES = {
    **{
        "-".join([make.__name__, *map(str, promise)]): lambda n, make=make, promise=promise: make(n, *promise)
        for make, promises in PROMISES.items()
        for promise in promises
    },
    **OTHER_PROMISES,
    **HIDING,
    "explicit": walk,
}


@pytest.fixture(params=FAMILIES.values(), ids=list(FAMILIES))
def family(request) -> list[Mechanism]:
    """The mechanisms of one form and promise, of several sizes."""
    return [request.param(n) for n in (0, 1, 2, 3, 6, 7, 30)]


@pytest.fixture(params=[*MAKERS, "explicit", "nearest-mu-1", "nearest-several-0", "never-invented-2"])
def mechanism(request) -> Mechanism:
    """One of each form."""
    made: Mechanism = MAKERS[request.param](7, 0.5) if request.param in MAKERS else FAMILIES[request.param](7)
    return made


# --- the law, of any promise and size ---------------------------------------------------------------------------------


@for_each("mechanism", of="family")
def test_rows_are_distributions(mechanism):
    matrix = mechanism.matrix()
    assert matrix.shape == (mechanism.n + 1, mechanism.n + 1)
    assert matrix.dtype == np.float64
    assert (matrix >= 0).all()
    assert np.allclose(matrix.sum(axis=1), 1, rtol=0, atol=1e-14)


@pytest.mark.slow
@for_each("mechanism", of="family")
def test_single_probabilities_are_the_rows(mechanism):
    for i, row in enumerate(mechanism.matrix()):
        assert np.array_equal(mechanism.pmf(i), row)
        single = [mechanism.pmf(i, j) for j in range(mechanism.n + 1)]
        assert np.allclose(single, row, rtol=1e-12, atol=0)
        assert np.allclose(
            [mechanism.cdf(i, j) for j in range(-1, mechanism.n + 2)], [0, *np.cumsum(row), 1], atol=1e-13
        )
        assert mechanism.pmf(i, -1) == mechanism.pmf(i, mechanism.n + 1) == 0


@for_each("mechanism", of="family")
def test_error_probability_is_the_worst_diagonal(mechanism):
    worst = max(math.fsum(np.delete(row, i)) for i, row in enumerate(mechanism.matrix()))
    assert math.isclose(mechanism.error_probability, worst, rel_tol=1e-12)


@pytest.mark.slow
@for_each("mechanism", of="family")
def test_within_and_beyond(mechanism):
    matrix, n = mechanism.matrix(), mechanism.n
    distance = np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1)))
    for t in (0, 1, 2, 5, n + 3):
        beyond, within = ((matrix * chosen).sum(axis=1) for chosen in (distance > t, distance <= t))
        for i in range(n + 1):
            assert math.isclose(mechanism.probability_beyond(t, i), beyond[i], rel_tol=1e-12)
            assert math.isclose(mechanism.probability_within(t, i), within[i], rel_tol=1e-12)
        assert math.isclose(mechanism.probability_beyond(t), beyond.max(), rel_tol=1e-12)
        assert math.isclose(mechanism.probability_within(t), within.min(), rel_tol=1e-12)


@pytest.mark.slow
@for_each("mechanism", of="family")
def test_expected_errors(mechanism):
    matrix, n = mechanism.matrix(), mechanism.n
    error = np.arange(n + 1)[None, :] - np.arange(n + 1)[:, None]
    absolute, squared, bias = ((matrix * x).sum(axis=1) for x in (np.abs(error), error**2, error))
    for i in range(n + 1):
        assert math.isclose(mechanism.expected_absolute_error(i), absolute[i], rel_tol=1e-12)
        assert math.isclose(mechanism.expected_squared_error(i), squared[i], rel_tol=1e-12)
        assert math.isclose(mechanism.bias(i), bias[i], rel_tol=1e-12, abs_tol=1e-15)
    assert math.isclose(mechanism.expected_absolute_error(), absolute.max(), rel_tol=1e-12)
    assert math.isclose(mechanism.expected_squared_error(), squared.max(), rel_tol=1e-12)
    assert math.isclose(mechanism.bias(), np.abs(bias).max(), rel_tol=1e-12, abs_tol=1e-15)


@pytest.mark.grid
@for_each("mechanism", of="family")
def test_quantile_inverts_cdf(mechanism):
    for i in {0, mechanism.n // 2, mechanism.n}:
        for level in ("0.001", 0.25, 0.5, "0.9", "0.999999"):
            j = mechanism.quantile(i, level)
            assert mechanism.cdf(i, j) >= float(level) * (1 - 1e-15)
            assert j == 0 or mechanism.cdf(i, j - 1) <= float(level) * (1 + 1e-15)
        assert mechanism.quantile(i, 0) == 0
        positive = [j for j in range(mechanism.n + 1) if mechanism.pmf(i, j) > 0]
        assert mechanism.quantile(i, 1) >= positive[-1]
    for bad in (-0.1, 1.5, "nan"):
        with pytest.raises(InvalidParameter, match=r"^probability must"):
            mechanism.quantile(0, bad)


@for_each("mechanism", of="family")
def test_draws(mechanism):
    one = mechanism.draw(0)
    assert type(one) is int
    assert 0 <= one <= mechanism.n
    many = mechanism.draw(np.full((3, 5), mechanism.n, dtype=np.uint8))
    assert many.shape == (3, 5)
    assert many.dtype == np.int64
    assert ((many >= 0) & (many <= mechanism.n)).all()
    assert mechanism.draw([]).shape == (0,)


# --- what is refused, and what is taken, whatever the promise ---------------------------------------------------------


def test_a_true_count_is_never_repeated(mechanism):
    secret = 987654321
    calls = [
        lambda: mechanism.pmf(secret),
        lambda: mechanism.pmf(secret, 0),
        lambda: mechanism.cdf(-secret, 0),
        lambda: mechanism.quantile(secret, 0.5),
        lambda: mechanism.probability_within(1, secret),
        lambda: mechanism.expected_absolute_error(secret),
        lambda: mechanism.bias(secret),
        lambda: mechanism.draw(secret),
        lambda: mechanism.draw([0, secret]),
        lambda: mechanism.draw(str(secret)),
        lambda: mechanism.draw([float(secret)]),
        lambda: mechanism.draw([[secret], [0, 0]]),
        lambda: mechanism.draw(2**80 + secret),
    ]
    for call in calls:
        with pytest.raises(InvalidParameter, match=r"^true must be (an )?integer counts? from 0 to n = \d+$") as caught:
            call()
        assert str(secret) not in str(caught.value)
        assert caught.value.value is None


@each_maker
@pytest.mark.parametrize("bad", [-1, 1.5, "7", None, True, 2.0])
def test_n(make, bad):
    with pytest.raises(InvalidParameter, match=r"^n must be an integer"):
        make(bad, 1)


@each_maker
@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_numpy_integers_are_integers(make, kind):
    plain, mechanism = make(7, 0.5), make(kind(7), 0.5)
    assert type(mechanism.n) is int
    assert mechanism == plain
    assert make(np.int32(2**31 - 1), 0.5).error_probability == make(2**31 - 1, 0.5).error_probability


@pytest.mark.slow
@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_numpy_integers_are_counts(mechanism, kind):
    i, n = mechanism.n // 2, mechanism.n
    assert mechanism.pmf(kind(i), kind(n)) == mechanism.pmf(i, n)
    assert mechanism.cdf(kind(i), kind(0)) == mechanism.cdf(i, 0)
    assert mechanism.quantile(kind(i), 0.3) == mechanism.quantile(i, 0.3)
    assert mechanism.probability_within(kind(1), kind(i)) == mechanism.probability_within(1, i)
    assert mechanism.probability_beyond(kind(1)) == mechanism.probability_beyond(1)
    assert mechanism.expected_absolute_error(kind(i)) == mechanism.expected_absolute_error(i)
    assert mechanism.expected_squared_error(kind(i)) == mechanism.expected_squared_error(i)
    assert mechanism.bias(kind(i)) == mechanism.bias(i)
    assert type(mechanism.draw(kind(i))) is int


@pytest.mark.grid
@pytest.mark.parametrize(("make", "delta"), [
    *((make, delta) for make in (*OPTIMA, *APPROXIMATE) for delta in ("1e-400", "0.25")),
    *((make, None) for make in (*OPTIMA, *PURE)),
])  # fmt: skip
@pytest.mark.parametrize("n", [0, 1, 4, 7])
def test_epsilon_beyond_the_floats(make, delta, n):
    rest = () if delta is None else (delta,)
    assert np.array_equal(make(n, "1e-400", *rest).matrix(), make(n, 0, *rest).matrix())
    for epsilon in ("1e400", Fraction(10) ** 308 * 2):
        if make is clamped_gaussian:
            with pytest.raises(InvalidParameter, match=r"^epsilon must be at most 1,000,000,000"):
                make(n, epsilon, *rest)
            continue
        mechanism, counts = make(n, epsilon, *rest), np.arange(n + 1)
        assert np.array_equal(mechanism.matrix(), np.eye(n + 1))
        assert np.array_equal(mechanism.draw(counts), counts)
        assert mechanism.draw(n) == n
        assert mechanism.error_probability == mechanism.expected_squared_error() == mechanism.bias() == 0


def test_a_bool_is_no_count(mechanism):
    for bad in (True, np.True_, [True, False], np.array([False])):
        with pytest.raises(InvalidParameter, match=r"^true must be"):
            mechanism.draw(bad)
    for bad in (True, np.False_):
        for ask in (mechanism.pmf, mechanism.quantile, mechanism.cdf):
            with pytest.raises(InvalidParameter, match=r"^true must be"):
                ask(bad, 0)
        for ask in (mechanism.pmf, mechanism.cdf):
            with pytest.raises(InvalidParameter, match=r"^released must be an integer"):
                ask(0, bad)
        with pytest.raises(InvalidParameter, match=r"^t must be an integer >= 0"):
            mechanism.probability_within(bad)


def test_masked_counts_are_refused(mechanism):
    """NumPy would release the number that stands behind the mask."""
    some = np.ma.array([0, 0, 0], mask=[False, True, False])
    for bad in (some, [some], np.ma.masked, np.ma.array(0, mask=True)):
        with pytest.raises(InvalidParameter, match=r"^true must be .*, without masked entries$"):
            mechanism.draw(bad)
    assert mechanism.draw(np.ma.array([0, 0], mask=False)).shape == (2,)


def test_parameters_cannot_be_smuggled_past_the_checks():
    for epsilon, delta in (
        (Fraction(-1), Fraction(0)),
        (Fraction(1), Fraction(1)),
        (2.5, Fraction(0)),
        (Fraction(1), "x"),
    ):
        with pytest.raises(InvalidParameter, match=r"^(epsilon|delta) must be"):
            EpsilonDelta(epsilon, delta)
    with pytest.raises(InvalidParameter, match=r"^privacy must be an EpsilonDelta"):
        type(nearest(3, 1))(3, (1, 0))


@each_maker
@pytest.mark.parametrize("bad", [-1, 1.5, None])
def test_t(make, bad):
    with pytest.raises(InvalidParameter, match=r"^t must be an integer"):
        make(3, 1).probability_within(bad)


@each_maker
def test_matrix_refuses_politely(make):
    assert make(4095, 1).pmf(0).shape == (4096,)
    with pytest.raises(TooLarge, match=r"limit of 4,096 outcomes; pmf, cdf and draw need no matrix"):
        make(4096, 1).matrix()
    with pytest.raises(TooLarge, match=r"ask for pmf\(true, released\)"):
        make(10**12, 1).pmf(5)


@pytest.mark.parametrize(
    "mechanism",
    [
        *(make(10**12, "0.01", delta) for make in OPTIMA for delta in (0, 1e-6)),
        *(make(10**12, "0.01") for make in PURE),
        *(make(10**12, "0.01", 1e-6) for make in APPROXIMATE),
        uniform(10**12),
        nearest(10**12, mu="0.1"),
        nearest(10**12, "0.01", 1e-6, never_invented=True),
    ],
    ids=lambda mechanism: f"{mechanism.name}-{mechanism.delta}",
)
def test_constant_memory_at_any_n(mechanism):
    mechanism.draw(5)
    tracemalloc.start()
    mechanism.pmf(10**11, 10**11 + 3)
    mechanism.cdf(10**11, 10**11 + 3)
    mechanism.quantile(10**11, 0.1)
    mechanism.probability_within(2)
    mechanism.expected_absolute_error()
    mechanism.draw(10**11)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**20


@pytest.mark.parametrize("make", [*OPTIMA, *APPROXIMATE])
def test_frozen_and_equal_by_value(make):
    mechanism = make(5, "0.5", "0.1")
    assert mechanism == make(5, 0.5, "1/10")
    assert hash(mechanism) == hash(make(5, 0.5, "1/10"))
    assert mechanism != make(5, 0.5, 0.1)
    with pytest.raises(AttributeError):
        mechanism.n = 6


@pytest.mark.parametrize("make", PURE)
def test_frozen_and_equal_by_value_at_delta_0(make):
    mechanism = make(5, "0.5")
    assert mechanism == make(5, 0.5)
    assert hash(mechanism) == hash(make(5, 0.5))
    assert mechanism != make(6, 0.5)
    assert len({other(5, 0.5) for other in PURE}) == len(PURE)
    with pytest.raises(AttributeError):
        mechanism.n = 6


@pytest.mark.parametrize("make", [*OPTIMA, *APPROXIMATE, *PURE])
def test_bad_epsilon_and_delta(make):
    bad_epsilons = [-1, "nan", math.inf, None, "1e9999"]
    rest = () if make in PURE else (0.1,)
    for bad in bad_epsilons:
        with pytest.raises(InvalidParameter, match=r"^epsilon must be"):
            make(3, bad, *rest)
    if make not in PURE:
        for bad in (-0.1, 1, 1.5, "nan", None):
            with pytest.raises(InvalidParameter, match=r"^delta must be"):
                make(3, 1, bad)
