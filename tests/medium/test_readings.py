"""What is left of a promise where a symbol is heard through another medium, or more than once."""

import itertools
import math
from fractions import Fraction
from functools import reduce
from operator import mul

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hushcount import audit, read_mechanism, save_mechanism
from hushcount.errors import BadUse, InvalidParameter, TooLarge
from hushcount.medium import (
    binary_symmetric,
    from_counts,
    from_matrix,
    heard,
    optimum,
    psk,
    symmetric_channel,
    z_channel,
)

FOR_3_DB = optimum(psk(8, es_n0_db=3), 1).mechanism


@pytest.mark.parametrize(
    ("decibels", "times", "epsilon"), [(3, 1, "1"), (6, 1, "1.74639"), (10, 1, "6.76827"), (3, 2, "2.77092")]
)
def test_a_mechanism_for_8_psk_at_3_db_protects_less_elsewhere(decibels, times, epsilon):
    found = heard(FOR_3_DB, psk(8, es_n0_db=decibels), times=times)
    assert found.epsilon.to_text() == epsilon
    assert f"heard {'twice' if times == 2 else 'once'}: epsilon {epsilon} at delta 0" in str(found)


def exactly(G, T, times):
    """The rows of what is heard, one column for each sequence of readings, nothing rounded and nothing grouped."""

    def shares(rows):
        rows = [[Fraction(x) for x in row] for row in np.asarray(rows).tolist()]
        return [[x / sum(row) for x in row] for row in rows]

    G, T = shares(G), shares(T)
    columns = itertools.product(range(len(T[0])), repeat=times)
    product = [[reduce(mul, (row[y] for y in reading)) for row in T] for reading in columns]
    return [[sum(map(mul, row, column)) for column in product] for row in G]


def excess(a, b, growth):
    return sum(max(x - growth * y, Fraction(0)) for x, y in zip(a, b, strict=True))


def worst_excess(rows, growth):
    pairs = [pair for i in range(len(rows) - 1) for pair in ((i, i + 1), (i + 1, i))]
    return max(excess(rows[k], rows[i], growth) for k, i in pairs)


def check(G, T, delta, times):
    """The upper end is enough, and what is a little below the lower one is not: all in rationals."""
    rows, found = exactly(G, T, times), heard(G, T, str(delta), times=times).epsilon
    if found.is_infinite:
        pairs = [pair for i in range(len(rows) - 1) for pair in ((i, i + 1), (i + 1, i))]
        never = max(sum(x for x, y in zip(rows[k], rows[i], strict=True) if y == 0) for k, i in pairs)
        assert never > delta
        return
    low, high = found.known
    assert high - low <= high * Fraction(1, 10**15) + Fraction(1, 2**61)
    above, below = (Fraction(math.exp(end)) * (1 + side) for end, side in ((high, 2**-40), (low, -(2**-40))))
    assert worst_excess(rows, above) <= delta
    if low > 2**-30:
        assert worst_excess(rows, below) > delta


chances = st.sampled_from([0.0, 1e-300, 1e-12, 0.01, 0.3, 1.0, 2.0])


def stochastic(size):
    row = st.lists(chances, min_size=size, max_size=size).filter(lambda values: sum(values) > 0.1)
    return st.lists(row, min_size=size, max_size=size).map(lambda rows: np.array([np.array(r) / sum(r) for r in rows]))


@settings(max_examples=80, deadline=None)
@given(
    st.data(), st.integers(2, 4), st.integers(1, 3), st.sampled_from([Fraction(0), Fraction(1, 1000), Fraction(3, 10)])
)
def test_both_ends_are_those_of_the_ungrouped_product_in_rationals(data, size, times, delta):
    check(data.draw(stochastic(size)), data.draw(stochastic(size)), delta, times)


@pytest.mark.parametrize("delta", ["0", "0.01"])
@pytest.mark.parametrize("T", [psk(8, es_n0_db=6), symmetric_channel(5, "0.1"), z_channel(2, "0.2")])
def test_heard_once_it_is_what_an_audit_of_the_product_finds(T, delta):
    G = optimum(T, 1, delta).mechanism
    found = heard(G, T, delta).epsilon
    assert found.exact_upper <= 1  # as promised
    assert found.upper == pytest.approx(
        audit(G.matrix() @ T.shares, delta=delta).least_epsilon.interval.upper, rel=1e-9
    )


def test_more_readings_tell_more():
    once, *more = (heard(FOR_3_DB, psk(8, es_n0_db=3), times=k).epsilon.lower for k in (1, 2, 3, 5))
    assert once < more[0] < more[1] < more[2]


def test_composition_bounds_what_is_heard_twice_of_binary_mechanisms():
    """Two readings through T are no worse than two through no medium at all: epsilon of G itself, then."""
    G, T = [[0.7, 0.3], [0.3, 0.7]], binary_symmetric(1, "0.1")
    alone = heard(G, np.eye(2)).epsilon
    assert alone.upper == pytest.approx(math.log(7 / 3))
    assert heard(G, np.eye(2), times=9).epsilon.upper == pytest.approx(math.log(7 / 3))  # the symbol was drawn once
    assert heard(G, T).epsilon.upper < heard(G, T, times=2).epsilon.upper < alone.lower


def test_what_tells_nothing_keeps_everything():
    even, T = np.full((3, 3), 1 / 3), psk(3, es_n0_db=5)
    assert heard(even, T, times=3).epsilon.known == (0, 0)
    assert heard(np.eye(3), even, times=3).epsilon.known == (0, 0)
    assert heard([[1.0]], [[1.0]]).epsilon.known == (0, 0)


def test_an_outcome_that_one_count_never_has_is_infinite_below_its_chance():
    G, T = np.eye(2), z_channel(1, "0.5")
    assert heard(G, T).epsilon.is_infinite
    assert heard(G, T).to_dict()["epsilon"] == {"lower": None, "upper": None}
    assert "epsilon infinite at delta 0" in str(heard(G, T))
    assert heard(G, T, "0.4").epsilon.is_infinite
    assert heard(G, T, "0.5").epsilon.known == (0, 0)
    assert heard(G, T, "0.5", times=2).epsilon.is_infinite  # from 1, a reading of 1 has the chance 3/4
    assert heard(G, T, "0.75", times=2).epsilon.known == (0, 0)


def test_a_saved_mechanism_is_taken(tmp_path):
    save_mechanism(FOR_3_DB, tmp_path / "G.json", epsilon=1, name="in front")
    saved = heard(read_mechanism(tmp_path / "G.json"), psk(8, es_n0_db=6))
    assert saved == heard(FOR_3_DB, psk(8, es_n0_db=6).matrix).__class__(
        "8-PSK, Es/N0 = 6 dB (Eb/N0 = 1.2288 dB)", 1, Fraction(0), saved.epsilon
    )


def test_what_is_told_is_ready_for_json():
    told = heard(FOR_3_DB, psk(8, es_n0_db=6), "0.001", times=2).to_dict()
    assert (told["medium"], told["times"], told["delta"]) == ("8-PSK, Es/N0 = 6 dB (Eb/N0 = 1.2288 dB)", 2, "0.001")
    assert 0 < told["epsilon"]["lower"] <= told["epsilon"]["upper"]


def test_bad_arguments():
    T = psk(8, es_n0_db=3)
    with pytest.raises(BadUse, match="a mechanism of 2 outcomes does not fit a medium of 8 symbols"):
        heard(np.eye(2), T)
    with pytest.raises(BadUse, match="media that are known, not of one that was measured"):
        heard(np.eye(2), from_counts([[9, 1], [1, 9]], all_rows=True))
    for times in (0, -1, 1.5, "2", True):
        with pytest.raises(InvalidParameter, match="times must be"):
            heard(FOR_3_DB, T, times=times)
    for delta in (-1, 1, float("nan")):
        with pytest.raises(InvalidParameter, match="delta must be"):
            heard(FOR_3_DB, T, delta)


@pytest.mark.parametrize(("order", "most"), [(8, 13), (160, 2), (161, 1), (2, 1446)])
def test_the_most_readings(order, most, monkeypatch):
    monkeypatch.setattr("hushcount.medium.readings._least_epsilon", lambda *_: None)
    T = from_matrix(np.eye(order))
    assert heard(np.eye(order), T, times=most).times == most
    for more in (most + 1, 10**30):
        with pytest.raises(TooLarge, match=f"{more:,} readings of {order:,} symbols have too many outcomes"):
            heard(np.eye(order), T, times=more)
