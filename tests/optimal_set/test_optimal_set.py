"""`OptimalSet`: one door to what the modules know."""

import numpy as np
import pytest

from hushcount import canonical, nearest
from hushcount.errors import InvalidParameter
from hushcount.mechanisms import truncated_geometric
from hushcount.optimal_set import OptimalSet


def test_it_is_told_by_n_epsilon_and_delta():
    optimal = OptimalSet(4, "1/3", "1e-6")
    assert optimal.nearest == nearest(4, "1/3", "1e-6")
    assert optimal.canonical == canonical(4, "1/3", "1e-6")
    assert optimal == OptimalSet(4, "1/3", "0.000001")
    assert optimal != OptimalSet(4, "1/3")
    assert optimal.n == 4
    assert optimal.error_probability == nearest(4, "1/3", "1e-6").error_probability


def test_in_asks_contains():
    optimal = OptimalSet(4, 0.5)
    assert canonical(4, 0.5) in optimal
    assert truncated_geometric(4, 0.5) not in optimal
    assert nearest(4, 0.5).matrix() in optimal


def test_closed_forms_take_any_n():
    optimal = OptimalSet(10**9, "0.8")
    assert optimal.is_full_rank_guaranteed
    assert not optimal.is_unique
    assert 0 < optimal.radius_bound <= optimal.error_probability * (1 + 1e-15)  # both rounded, one of them up


def test_the_argument_starts_from_the_canonical_member_or_another():
    optimal = OptimalSet(4, 0.5)
    assert optimal.propagate().shared.tolist() == optimal.shared_entries.tolist()
    assert np.array_equal(optimal.propagate(optimal.canonical).shared, optimal.propagate().shared)


@pytest.mark.parametrize("method", ["vertices", "sample", "rank"])
@pytest.mark.parametrize("bad", [0, 5, "seed", np.random.RandomState(0)])
def test_generators_are_numpy_s(method, bad):
    arguments = [3] if method == "vertices" else []
    with pytest.raises(InvalidParameter, match=r"rng must be a numpy\.random\.Generator"):
        getattr(OptimalSet(4, 0.1), method)(*arguments, bad)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((-1, 1), "n"),
        ((2.5, 1), "n"),
        ((True, 1), "n"),
        ((3, -1), "epsilon"),
        ((3, None), "epsilon"),
        ((3, 1, 1), "delta"),
    ],
)
def test_bad_parameters_are_named(arguments, named):
    with pytest.raises(InvalidParameter, match=f"^{named} must be"):
        OptimalSet(*arguments)
