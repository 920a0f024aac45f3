"""Arrays of a linear program: what is refused, and what the builder makes of blocks."""

import numpy as np
import pytest

from hushcount.errors import InvalidParameter
from hushcount.linear_program.model import LinearModel, ModelBuilder

GOOD = {
    "cost": [1.0, 2.0],
    "lower": [0.0, 0.0],
    "upper": [1.0, 1.0],
    "row_lower": [1.0],
    "row_upper": [np.inf],
    "starts": [0, 2],
    "indices": [0, 1],
    "values": [1.0, 1.0],
    "sizes": [1.0, 1.0],
}


def model(**changed):
    kinds = {"starts": np.int32, "indices": np.int32}
    return LinearModel(
        **{name: np.array(value, dtype=kinds.get(name, np.float64)) for name, value in (GOOD | changed).items()}
    )


@pytest.mark.parametrize("name", ["cost", "lower", "upper", "values", "sizes"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_every_array_must_be_finite(name, bad):
    with pytest.raises(InvalidParameter, match=f"{name} must be finite"):
        model(**{name: [bad, 1.0]})


@pytest.mark.parametrize("bounds", [{"row_lower": [np.nan]}, {"row_upper": [np.nan]}, {"row_upper": [0.5]}])
def test_row_bounds_must_be_numbers_in_order(bounds):
    with pytest.raises(InvalidParameter, match="lower <= upper"):
        model(**bounds)


def test_column_bounds_must_be_in_order():
    with pytest.raises(InvalidParameter, match="lower <= upper"):
        model(lower=[2.0, 0.0])


@pytest.mark.parametrize(
    "lengths",
    [
        {"lower": [0.0]},
        {"upper": [1.0, 1.0, 1.0]},
        {"row_upper": [2.0, 2.0]},
        {"starts": [0, 1, 2]},
        {"indices": [0]},
        {"values": [1.0]},
        {"sizes": [1.0]},
        {"indices": [0, 2]},
        {"indices": [-1, 0]},
        {"starts": [1, 2]},
    ],
)
def test_lengths_must_agree(lengths):
    with pytest.raises(InvalidParameter):
        model(**lengths)


def test_activity_and_pulled_back_are_the_matrix_products():
    rng = np.random.default_rng(5)
    builder = ModelBuilder()
    x = builder.columns((3, 4))
    dense = np.zeros((6, 12))
    for row in range(6):
        if row == 2:
            builder.rows([(np.empty((1, 0), dtype=np.int64), 1.0)])  # a row without columns
            continue
        chosen = rng.integers(12, size=5)  # with repetitions
        values = rng.normal(size=5)
        np.add.at(dense[row], chosen, values)
        builder.rows([(x.ravel()[chosen][None, :], values[None, :])], lower=-1.0, upper=1.0)
    built = builder.build()
    point, duals = rng.normal(size=12), rng.normal(size=6)
    assert np.allclose(built.activity(point), dense @ point)
    pulled, sizes = built.pulled_back(duals)
    assert np.allclose(pulled, dense.T @ duals)
    assert np.allclose(sizes, np.abs(dense).T @ np.abs(duals))


def test_costs_add_up_where_a_column_stands_for_several_entries():
    builder = ModelBuilder()
    half = builder.columns(2, cost=1.0)
    builder.add_cost(np.concatenate([half, half[::-1]]), [1.0, 2.0, 3.0, 4.0])
    assert builder.build().cost.tolist() == [6.0, 6.0]


def test_violation_is_the_worst_of_rows_and_bounds():
    built = model(row_lower=[1.0], row_upper=[1.5])
    assert built.violation(np.array([0.5, 0.25])) == 0.25
    assert built.violation(np.array([1.0, 1.0])) == 0.5
    assert built.violation(np.array([-0.75, 1.0])) == 0.75
    assert built.violation(np.array([0.5, 0.5])) == 0.0


def test_scaling_changes_no_float_but_by_powers_of_two():
    builder = ModelBuilder()
    x = builder.columns(
        3, lower=[0.0, -0.3, 0.1], upper=[1.0, 0.7, 0.9], cost=[3.0, -1.0, 0.3], size=[1e-3, 0.3, 700.0]
    )
    builder.rows([(x[None, :], [[0.1, 0.7, 1e-5]])], lower=0.2, upper=0.9)
    builder.rows([(x[None, :2], 1.0)])
    model = builder.build()
    assert model.sizes.tolist() == [2.0**-10, 0.25, 512.0]
    scaled, factors = model.scaled()
    assert np.array_equal(scaled.cost, model.cost * model.sizes)
    assert np.array_equal(scaled.upper * model.sizes, model.upper)
    assert np.array_equal(scaled.row_upper, model.row_upper * factors)
    assert np.array_equal(scaled.activity(np.ones(3)), model.activity(model.sizes) * factors)
    largest = np.maximum.reduceat(np.abs(scaled.values), scaled.starts[:-1])
    assert ((largest >= 0.7) & (largest <= 1.42)).all()


def test_a_row_of_zeros_is_scaled_by_1():
    builder = ModelBuilder()
    columns = builder.columns(2, cost=1.0)
    builder.rows([(np.stack([columns, columns]), [[0.0, 0.0], [4.0, 2.0]])], lower=[-1.0, 1.0])
    scaled, factors = builder.build().scaled()
    assert factors.tolist() == [1.0, 0.25]
    assert scaled.values.tolist() == [0.0, 0.0, 1.0, 0.5]


def test_scaling_by_given_factors():
    builder = ModelBuilder()
    columns = builder.columns(2, cost=1.0, size=0.5)
    builder.rows([(columns[None, :], [[4.0, 2.0]])], lower=1.0)
    scaled, factors = builder.build().scaled(np.array([8.0]))
    assert (factors.tolist(), scaled.values.tolist(), scaled.row_lower.tolist()) == ([8.0], [16.0, 8.0], [8.0])
