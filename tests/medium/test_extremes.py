"""Media and promises at the ends of their ranges: what is told is consistent, whatever floats do."""

import warnings

import numpy as np
import pytest

from hushcount.medium import bounds, from_matrix, is_lossless, optimum, psk
from hushcount.medium.at_promise import AtPromise
from hushcount.medium.theorem_2.lossless import Verdict

MEDIA = {
    "perfect": np.eye(4),
    "permuted": np.eye(4)[[1, 2, 3, 0]],
    "useless": np.full((4, 4), 0.25),
    "one symbol": [[1]],
    "integers": [[1, 0], [0, 1]],
    "a column of zeros": [[0.5, 0.5, 0], [0.25, 0.75, 0], [1, 0, 0]],
    "always the first": [[1.0, 0, 0]] * 3,
    "least float": [[1 - 2.0**-53, 2.0**-53], [2.0**-1074, 1]],
    "nearly singular": [[0.5, 0.5], [0.5 - 2.0**-53, 0.5 + 2.0**-53]],
    "nearly useless": psk(5, es_n0_db=-1000),
    "far errors": psk(5, es_n0_db=30),
}
PROMISES = [
    *[(0, 0), (1, 0), (1e-300, 0), (700, 0), (1e6, 0), (1, 1e-300), (1, "0.999999"), (0, "0.999999")],
    *[("1e-9", "1e-12"), (700, 1e-300), (20, "1e-12")],
]


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "delta"), PROMISES, ids=str)
@pytest.mark.parametrize("kind", MEDIA)
def test_bounds_optimum_and_verdict_agree(kind, epsilon, delta):
    given = MEDIA[kind]
    T = from_matrix(given) if not hasattr(given, "order") else given
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        known, best, verdict = (ask(T, epsilon, delta) for ask in (bounds, optimum, is_lossless))
    assert 0 <= best.lower <= best.upper <= 1
    assert best.width <= 1e-9
    assert known[0].value <= best.upper
    assert all(bound.value >= best.lower for bound in known[1:] if bound.value is not None)
    without = AtPromise.of(T, epsilon, delta).without
    low, high = without.lower, without.upper
    assert best.upper >= low
    if verdict.verdict is Verdict.LOSSLESS:
        assert best.lower <= high
    if verdict.verdict is Verdict.LOSSY:
        assert best.upper > low
