"""Exact draws: the law, the fallback, the bits, the processes."""

import multiprocessing
import os

import numpy as np
import pytest
from chi_square import p_value
from flint import ctx
from hypothesis import given, settings, strategies as st

from hushcount import canonical, from_matrix, nearest, simulate
from hushcount.drawing.guide_table import GuideTable
from hushcount.drawing.noise_guide import LARGEST_CUTS
from hushcount.drawing.sampler import _draw_from, _resolve
from hushcount.errors import TooLarge
from hushcount.mechanisms.optima.nearest_noise import MirroredGuide

FALSE_ALARM = 1e-6
"""Each statistical test is wrong this often, and draws from a fixed seed."""

LAWS = [
    nearest(10, 0.5),
    nearest(7, 1, 0.05),
    nearest(6, 0.1),
    nearest(1, 0.3),
    canonical(10, 0.5),
    canonical(7, 1, 0.05),
    from_matrix([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0, 0.5, 0.5]]),
]


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", LAWS, ids=lambda m: f"{m.name}-{m.n}-{m.epsilon}-{m.delta}")
def test_law_in_bulk_and_one_by_one(mechanism):
    rng = np.random.default_rng(7)
    for true in range(mechanism.n + 1):
        bulk = simulate(mechanism, np.full(200_000, true), rng=rng)
        assert p_value(bulk, mechanism.pmf(true)) > FALSE_ALARM
    single = np.array([simulate(mechanism, 0, rng=rng) for _ in range(20_000)])
    assert p_value(single, mechanism.pmf(0)) > FALSE_ALARM


@pytest.mark.parametrize("make", [nearest, canonical])
def test_negative_control(make):
    """The same test rejects draws whose epsilon is 30 % too large."""
    draws = simulate(make(10, 0.65), np.full(200_000, 4), rng=np.random.default_rng(7))
    assert p_value(draws, make(10, 0.5).pmf(4)) < FALSE_ALARM


@pytest.mark.parametrize("make", [nearest, canonical])
def test_law_from_the_operating_system(make):
    mechanism = make(10, 0.5)
    assert p_value(mechanism.draw(np.full(100_000, 2)), mechanism.pmf(2)) > 1e-9


EPSILONS = st.one_of(st.sampled_from([0.0, 1e-17, 1e-9, 1e-12, 1.0, 40.0, 709.0, 1000.0]), st.floats(1e-3, 3))
DELTAS = st.one_of(st.sampled_from([0.0, 0.5, 1e-6]), st.floats(1e-9, 0.8))


@pytest.mark.slow
@settings(max_examples=150)
@given(st.sampled_from([0, 1, 2, 3, 8, 21, 101, 10**6, 10**12]), EPSILONS, DELTAS, st.integers(0, 2**32))
def test_floats_decide_only_what_the_enclosures_confirm(n, epsilon, delta, seed):
    """The two paths compute the same function of the uniform: this is what makes mixing them exact."""
    rng = np.random.default_rng(seed)
    for mechanism in (nearest(n, epsilon, delta), canonical(n, epsilon, delta)):
        true = rng.integers(0, n + 1, size=12)
        words = rng.integers(0, 2**64, size=12, dtype=np.uint64)
        words[:4] = 0, 2**64 - 1, 2**63, 2**11
        u = (words >> np.uint64(11)) * 2.0**-53
        many = mechanism._locate_many(true, u)
        for k in range(12):
            i, word = int(true[k]), int(words[k])
            position = _resolve(rng.bytes, mechanism, i, word)
            assert 0 <= mechanism._outcome(i, position) <= n
            assert many[k] in (-1, position)
            assert mechanism._locate(i, float(u[k])) in (-1, position)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.sampled_from([0, 1, 3, 8, 101, 10**6, 10**12]), EPSILONS, DELTAS, st.integers(0, 2**32))
def test_a_guide_table_settles_only_what_the_enclosures_confirm(n, epsilon, delta, seed):
    rng = np.random.default_rng(seed)
    spread = rng.integers(0, min(n, 3) + 1, size=8000)
    for mechanism in (nearest(n, epsilon, delta), canonical(n, epsilon, delta)):
        for true in (np.full(40_000, n // 3), n - spread):
            table = GuideTable.worth_building(mechanism, true)
            leading = rng.integers(0, 2**16, size=len(true), dtype=np.uint16)
            positions = table.positions_at(true, leading)
            for k in rng.choice(np.flatnonzero(positions >= 0), size=4) if (positions >= 0).any() else ():
                for rest in (0, 2**48 - 1, int(rng.integers(2**48))):
                    word = int(leading[k]) << 48 | rest
                    assert _resolve(rng.bytes, mechanism, int(true[k]), word) == positions[k]


def test_guide_tables_are_built_where_they_pay():
    mechanism = nearest(100, 0.1)
    assert GuideTable.worth_building(mechanism, np.full(500, 3)) is None
    assert GuideTable.worth_building(nearest(10**12, 1e-9), np.arange(10**5) * 10**6) is None
    table = GuideTable.worth_building(mechanism, np.tile([7, 9, 91], 10**5))  # 9 and 91 are mirror images
    assert len(table.positions) == 2**11 + 2**11 + 3  # with one for each row between and beside, as if never drawn
    assert (table.positions < 0).mean() < 0.05
    # Far from the edges all rows are one, shifted.
    table = GuideTable.worth_building(nearest(10**12, 0.1), np.arange(10**5) * 10**6 + 10**6)
    assert len(table.positions) == 2**11 + 2


def test_rows_that_the_sample_has_missed_are_left_to_slower_ways():
    mechanism, true = nearest(100, 0.1), np.full(10**5, 30)
    true[1:4] = 0, 100, 31
    table = GuideTable.worth_building(mechanism, true)
    leading = np.full(len(true), 2**15, dtype=np.uint16)
    assert (table.positions_at(true, leading)[:4] >= 0).tolist() == [True, False, False, False]


@pytest.mark.slow
@settings(max_examples=80)
@given(
    st.sampled_from([1, 2, 3, 8, 101, 10**4, 10**7, 10**12]),
    st.sampled_from(["0.001", "0.01", "0.1", "0.7", "2", "5", "30"]),
    DELTAS,
    st.integers(0, 2**32),
)
def test_noise_and_thresholds_settle_only_what_the_enclosures_confirm(n, epsilon, delta, seed):
    """The nearest optimum is noise that is cut at thresholds, with the same positions for the same uniforms."""
    rng = np.random.default_rng(seed)
    mechanism = nearest(n, epsilon, delta)
    true = rng.integers(0, n + 1, size=2000)
    true[::3] = np.minimum(true[::3], rng.integers(0, 9, size=len(true[::3])))
    true[1::3] = n - true[::3][: len(true[1::3])]
    guide = mechanism._guide(true)
    assert isinstance(guide, MirroredGuide)
    leading = rng.integers(0, 2**16, size=len(true), dtype=np.uint16)
    leading[:6] = 0, 1, 2, 2**16 - 1, 2**16 - 2, 2**15
    positions = guide.positions_at(true, leading)
    assert (positions >= 0).mean() > (0.5 if n <= LARGEST_CUTS else 0.2)  # in a larger range, not the edges
    for k in [*range(12), *rng.integers(0, len(true), size=20).tolist()]:
        if positions[k] >= 0:
            for rest in (0, 2**48 - 1):
                word = int(leading[k]) << 48 | rest
                assert _resolve(rng.bytes, mechanism, int(true[k]), word) == positions[k]


@pytest.mark.slow
@settings(max_examples=100)
@given(
    st.sampled_from([1, 2, 3, 8, 101, 500, 5000, 10**6, 10**12, 2**52]),
    st.sampled_from(["0.001", "0.02", "0.1", "0.7", "3", "29"]),
    DELTAS,
    st.integers(0, 2**32),
)
def test_single_draws_from_the_noise_are_those_of_the_enclosures(n, epsilon, delta, seed):
    rng, mechanism = np.random.default_rng(seed), nearest(n, epsilon, delta)
    words = [*rng.integers(0, 2**64, 8, dtype=np.uint64).tolist(), 0, 1, 2**64 - 1, 2**63, 2**63 - 1]
    words += [word >> int(shift) for word, shift in zip(words[:8], rng.integers(1, 60, 8), strict=True)]
    for k, word in enumerate(words):
        true = int(rng.integers(0, (min(n, 16) if k % 2 else n) // 2 + 1))
        found = mechanism._noise_draw.locate(true, (word >> 11) * 2.0**-53)
        assert found in (-1, _resolve(rng.bytes, mechanism, true, word))


def test_fallback_is_rare_and_counted():
    rng = np.random.default_rng(3)
    for mechanism in (nearest(100, 0.1), nearest(10**12, 0.1), nearest(100, 1, 1e-6), canonical(10**12, 0.1)):
        draws = _draw_from(rng.bytes, mechanism, np.full(300_000, 50))
        assert draws.exact <= 2


def test_fallback_carries_the_load_where_floats_are_too_coarse():
    """At n = epsilon^-1 = 10^12 a cell is about as wide as 10^4 floats; above 2^53 outcomes no float is trusted."""
    rng = np.random.default_rng(3)
    draws = _draw_from(rng.bytes, nearest(10**12, 1e-12), rng.integers(0, 10**12, size=4000))
    assert 1 <= draws.exact < 800
    huge = nearest(10**18, "0.1")
    draws = _draw_from(rng.bytes, huge, np.full(50, 10**17))
    assert draws.exact == 50
    assert np.abs(draws.released - 10**17).max() < 1000


def test_counts_beyond_an_array():
    huge = nearest(10**20, 1)
    assert abs(huge.draw(10**19) - 10**19) < 100
    with pytest.raises(TooLarge, match="draw one count at a time"):
        huge.draw([5])


def threshold_bits(mechanism, true, position, bits):
    """The first `bits` bits of the threshold below `position`."""
    with ctx.workprec(bits + 64):
        scaled = mechanism._below(true, position, bits + 64) * 2**bits
        return int(scaled.floor().unique_fmpz())


@pytest.mark.parametrize("mechanism", [nearest(4, 1), nearest(5, 0.3, 0.01), canonical(4, 1), canonical(5, 0.2, 0.1)])
@pytest.mark.parametrize("words", [1, 2, 5])
def test_straddling_bits_are_extended_until_they_decide(mechanism, words):
    """Bits that agree with a threshold for 64, 128 or 320 places, then fall to one side or the other."""
    for true in (0, 2, mechanism.n):
        for position in range(1, mechanism.n + 1):
            start = threshold_bits(mechanism, true, position, 64 * words)
            for last, expected in ((b"\x00" * 8, position - 1), (b"\xff" * 8, position)):
                fed = [(start >> 64 * k & (2**64 - 1)).to_bytes(8, "little") for k in reversed(range(words))] + [last]
                asked = iter(fed)
                draws = _draw_from(lambda count, asked=asked: next(asked), mechanism, true)
                assert draws.released == mechanism._outcome(true, expected)
                assert draws.exact == 1
                assert next(asked, None) is None  # every byte was used, and no more asked for


def test_straddling_bits_in_bulk():
    mechanism = nearest(4, 1)
    start = threshold_bits(mechanism, 1, 2, 64).to_bytes(8, "little")
    fed = iter([start * 3, b"\x00" * 8, b"\xff" * 8, b"\x00" * 8])
    draws = _draw_from(lambda count: next(fed), mechanism, [1, 1, 1])
    assert (draws.released.tolist(), draws.exact) == ([1, 2, 1], 3)


def _draw_in_worker(queue):
    queue.put(nearest(1000, 0.01).draw(np.full(500, 500)).tolist())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_workers_draw_independently():
    """A buffer of randomness filled before a fork would be used twice, and the two releases subtract to nothing."""
    nearest(1000, 0.01).draw(500)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    workers = [context.Process(target=_draw_in_worker, args=(queue,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    one, two = (queue.get(timeout=60) for _ in workers)
    for worker in workers:
        worker.join()
    assert sum(a == b for a, b in zip(one, two, strict=True)) < 50
    assert one != nearest(1000, 0.01).draw(np.full(500, 500)).tolist()


def test_memory_of_bulk_draws_is_the_answer():
    import tracemalloc

    true = np.full(10**6, 40)
    tracemalloc.start()
    nearest(100, 0.1).draw(true)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60e6


@pytest.mark.parametrize("make", [nearest, canonical])
@pytest.mark.parametrize("epsilon", [0, "1e-300", "3e-17", "7e-9", 1, 800])
@pytest.mark.parametrize("delta", [0, "1e-300", "0.5"])
def test_the_only_outcome_is_drawn_whatever_the_bits(make, epsilon, delta):
    """The topmost word was divided by 0."""

    def topmost(size):
        return b"\xff" * size

    assert _draw_from(topmost, make(0, epsilon, delta), 0).released == 0
    assert _draw_from(topmost, make(0, epsilon, delta), np.zeros((2, 3), dtype=int)).released.tolist() == [[0] * 3] * 2
