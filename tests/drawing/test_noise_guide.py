"""Thresholds as tables: what is settled is what a search among all finds, and nothing near one is settled."""

import numpy as np
import pytest

from hushcount import nearest
from hushcount.drawing.noise_guide import EvenCuts

N = 40_000


def thresholds(kind):
    j = np.arange(N)
    if kind == "of nearest":
        return nearest(N, mu="0.2")._tau
    if kind == "even":
        return j + 0.5
    if kind == "at the ends of cells":
        return j.astype(float)
    gaps = {"with gaps": np.where(j % 20_011 == 20_010, 700.25, 1.0), "stretching": 1 + j / N / 50}[kind]
    return np.cumsum(gaps) - 321.7


@pytest.mark.parametrize("kind", ["of nearest", "even", "at the ends of cells", "with gaps", "stretching"])
def test_what_is_settled_is_right_and_far_from_all_thresholds(kind):
    tau, rng = thresholds(kind), np.random.default_rng(8)
    even = EvenCuts.of(tau)
    assert even is not None
    anywhere = rng.uniform(tau[0] - 1e4, tau[-1] + 1e4, 20_000)
    edges = even.base + 64 * rng.integers(0, len(even.slope), 20_000) + rng.normal(0, 0.3, 20_000)
    beside = rng.choice(tau, 20_000) + rng.choice([-1, 1], 20_000) * 10.0 ** rng.uniform(-9, 1, 20_000)
    ends = np.concatenate([tau[0] + np.linspace(-300, 300, 20_000), tau[-1] + np.linspace(-300, 300, 20_000)])
    far = np.array([-1e15, -1e300, 1e15, 1e300])
    place = np.concatenate([anywhere, edges, beside, ends, far])
    reach = 10.0 ** rng.uniform(-9, 0, len(place))
    found = even.settle(place, reach)
    low, high = np.searchsorted(tau, place - reach), np.searchsorted(tau, place + reach)
    sure = found >= 0
    assert (found[sure] == low[sure]).all()
    assert (found[sure] == high[sure]).all()
    assert (found[-4:] == [0, 0, N, N]).all()
    assert (even.settle(anywhere, np.full(len(anywhere), 0.1)) >= 0).mean() > 0.7


def test_what_lines_do_not_suit():
    even = np.arange(N) + 0.5
    assert EvenCuts.of(even[:1000]) is None
    assert EvenCuts.of(even * (1 - 1e-5)) is None
    assert EvenCuts.of(np.where(np.arange(N) < 3, -np.inf, even)) is None
    assert EvenCuts.of(np.cumsum(1 + (np.arange(N) % 7 == 0))) is None
