"""What is proved from multipliers: never above the truth, close to it for good multipliers."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from hushcount.linear_program.certificates import lower_bound, polished, proves_infeasible
from hushcount.linear_program.model import ModelBuilder
from hushcount.linear_program.solver import solve
from hushcount.numbers.arrays import UNIT


def random_model(rng, *, scale=1.0):
    builder = ModelBuilder()
    columns = builder.columns(
        6, lower=rng.uniform(-1, -0.1, 6), upper=rng.uniform(0.1, 1, 6), cost=rng.normal(size=6) * scale
    )
    inside = rng.uniform(-0.1, 0.1, 6)
    for _ in range(4):
        kind = rng.integers(3)
        values = rng.normal(size=6) * 10.0 ** rng.integers(-3, 4)
        side = float(values @ inside)
        builder.rows(
            [(columns[None, :], values[None, :])],
            lower=side if kind != 1 else -np.inf,
            upper=side if kind != 0 else np.inf,
        )
    return builder.build()


def dense(model):
    matrix = np.zeros((model.rows, model.columns))
    for row in range(model.rows):
        span = slice(model.starts[row], model.starts[row + 1])
        matrix[row, model.indices[span]] = model.values[span]
    return matrix


def exact_bound(model, y, factors):
    """The bound in rationals, for the true numbers factors * floats."""
    true = iter(factors)
    A = [[Fraction(v) * next(true) for v in row] for row in dense(model).tolist()]
    c, lo, hi, rl, ru = (
        [Fraction(v) * next(true) if np.isfinite(v) else v for v in array.tolist()]
        for array in (model.cost, model.lower, model.upper, model.row_lower, model.row_upper)
    )
    total = Fraction(0)
    kept = []
    for i, multiplier in enumerate(y.tolist()):
        bound = rl[i] if multiplier > 0 else ru[i]
        usable = multiplier != 0 and isinstance(bound, Fraction)
        kept.append(Fraction(multiplier) if usable else Fraction(0))
        total += kept[-1] * bound if usable else 0
    for j in range(model.columns):
        reduced = c[j] - sum(kept[i] * A[i][j] for i in range(model.rows))
        total += min(reduced * lo[j], reduced * hi[j])
    return total


def optimum(model):
    matrix = dense(model)
    upper = [(row, side) for row, side in zip(matrix, model.row_upper, strict=True) if np.isfinite(side)]
    lower = [(-row, -side) for row, side in zip(matrix, model.row_lower, strict=True) if np.isfinite(side)]
    rows, sides = zip(*upper, *lower, strict=True)
    found = linprog(
        model.cost, A_ub=np.array(rows), b_ub=sides, bounds=list(zip(model.lower, model.upper, strict=True))
    )
    return found


@pytest.mark.parametrize("seed", range(60))
def test_bound_is_below_the_exact_one_for_any_true_numbers_behind_the_floats(seed):
    rng = np.random.default_rng(seed)
    model = random_model(rng, scale=10.0 ** rng.integers(-12, 12))
    y = rng.normal(size=model.rows) * 10.0 ** rng.integers(-6, 7, model.rows)
    numbers = model.rows * model.columns + 3 * model.columns + 2 * model.rows
    proved = lower_bound(model, y)
    for side in (0, 1):  # no change, and every true number as far off as it may be
        factors = [1 + side * Fraction(int(sign)) * Fraction(UNIT) for sign in rng.choice([-1, 1], numbers)]
        exact = exact_bound(model, y, factors)
        assert Fraction(proved) <= exact
        assert exact - Fraction(proved) <= Fraction(2.0**-46) * Fraction(
            1 + float(np.abs(y).sum()) * 6e4 + float(np.abs(model.cost).sum())
        )


@pytest.mark.parametrize("seed", range(40))
def test_bound_from_optimal_duals_meets_the_optimum(seed):
    model = random_model(np.random.default_rng(seed))
    found = optimum(model)
    dual = solve(model).dual
    assert lower_bound(model, dual) <= found.fun + 1e-7
    assert lower_bound(model, dual) >= found.fun - 1e-7


def test_infeasibility_is_proved_by_a_ray_and_never_for_a_feasible_model():
    builder = ModelBuilder()
    x = builder.columns((1, 2))
    builder.rows([(x, 1.0)], lower=3.0)  # two columns of at most 1
    model = builder.build()
    assert proves_infeasible(model, np.array([1.0]))
    assert not proves_infeasible(model, np.array([-1.0]))
    assert not proves_infeasible(model, np.array([0.0]))
    assert not proves_infeasible(model, np.array([np.nan]))
    rng = np.random.default_rng(3)
    for seed in range(30):
        model = random_model(np.random.default_rng(seed))
        assert not any(proves_infeasible(model, rng.normal(size=model.rows)) for _ in range(50))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_multipliers_that_are_no_numbers_prove_nothing(bad):
    model = random_model(np.random.default_rng(0))
    assert lower_bound(model, np.full(model.rows, bad)) == -np.inf


def test_polishing_pays_for_the_largest_infeasibility_of_a_row_only():
    builder = ModelBuilder()
    x = builder.columns((1, 100), cost=1.0)
    builder.rows([(x, 1.0)], lower=1.0, upper=1.0)
    model = builder.build()
    y = np.array([1.0 + 1e-6])
    assert lower_bound(model, y) == pytest.approx(1 - 99e-6, rel=1e-9)
    assert lower_bound(model, polished(model, y)) == pytest.approx(1, rel=1e-12)


def test_polishing_leaves_rows_alone_that_are_no_sums_to_one():
    builder = ModelBuilder()
    x = builder.columns((2, 3), lower=-1.0, cost=-1.0)
    builder.rows([(x, 1.0)], lower=1.0, upper=1.0)  # lower bounds below 0
    builder.rows([(x, 0.5)], upper=1.0)
    model = builder.build()
    y = np.zeros(4)
    assert polished(model, y).tolist() == y.tolist()


def test_a_model_without_rows_is_bounded_by_its_columns():
    builder = ModelBuilder()
    builder.columns(2, cost=[1.0, -1.0])
    assert lower_bound(builder.build(), np.empty(0)) == pytest.approx(-1.0, abs=1e-12)
