"""The largest lossless epsilon and the required SNR: proved on both sides."""

import math
from fractions import Fraction
from functools import partial

import pytest

from hushcount.errors import InvalidParameter
from hushcount.medium import (
    binary_erasure,
    binary_symmetric,
    is_lossless,
    largest_lossless_epsilon,
    largest_lossless_p,
    psk,
    required_snr,
    rounding,
    symmetric_channel,
    z_channel,
)
from hushcount.medium.theorem_2.lossless import Verdict


@pytest.mark.parametrize(
    ("T", "delta"), [(psk(8, es_n0_db=10), 0), (psk(8, es_n0_db=0), 0), (symmetric_channel(4, 0.1), 0)]
)
def test_largest_lossless_epsilon(T, delta):
    found = largest_lossless_epsilon(T, delta)
    assert found.lossless_at < found.lossy_at
    assert found.width <= 1e-4 * float(found.lossy_at)
    assert is_lossless(T, found.lossless_at, delta)
    assert is_lossless(T, found.lossy_at, delta).verdict is Verdict.LOSSY


@pytest.mark.parametrize(
    "channel",
    [partial(binary_symmetric, 2), partial(binary_erasure, 2), partial(z_channel, 2), partial(symmetric_channel, 5)],
)
@pytest.mark.parametrize("epsilon", ["0.1", 1, 4])
def test_largest_lossless_p(channel, epsilon):
    found = largest_lossless_p(channel, epsilon)
    assert found.lossless_at < found.lossy_at <= found.lossless_at * (1 + Fraction(2, 10**5))
    assert is_lossless(channel(p=found.lossless_at), epsilon)
    assert is_lossless(channel(p=found.lossy_at), epsilon).verdict is Verdict.LOSSY


def test_largest_lossless_p_of_a_symmetric_channel_is_that_of_randomized_response():
    # behind it a mechanism that adds nothing is private up to (1 - p) (M - 1) / p = e^epsilon
    found = largest_lossless_p(partial(symmetric_channel, 2), 1)
    assert found.lossless_at <= 1 / (1 + math.e) < found.lossy_at


def test_largest_lossless_p_ends_where_epsilon_is_huge_or_0():
    assert largest_lossless_p(partial(symmetric_channel, 4), 200).lossless_at == 0
    assert largest_lossless_p(partial(symmetric_channel, 4), 0).lossless_at > Fraction(74, 100)


@pytest.mark.parametrize("bad", [None, 8, lambda p: 3, lambda: 3, lambda p: psk(2, es_n0_db=3), partial(psk, 8)])
def test_bad_channels_are_refused(bad):
    with pytest.raises(InvalidParameter, match="channel must be"):
        largest_lossless_p(bad, 1)


def test_required_snr_of_8_psk_at_epsilon_2():
    found = required_snr(partial(psk, 8), 2)
    assert 7.2550 < found.lossy_at < found.lossless_at < 7.2556
    assert is_lossless(psk(8, es_n0_db=found.lossless_at), 2)
    assert is_lossless(psk(8, es_n0_db=found.lossy_at), 2).verdict is Verdict.LOSSY


def test_required_snr_is_a_number_of_four_decimals_and_its_neighbour_costs():
    found = required_snr(partial(psk, 8), 2)
    assert found.to_dict() == {"lossless_at": "7.2553", "lossy_at": "7.2552"}


@pytest.mark.parametrize(
    ("order", "decibels"),
    [
        (2, -7.2184),
        (3, -6.6503),
        (4, -4.2081),
        (5, -1.6406),
        (6, 2.7447),
        (7, 1.9249),
        (8, 3.2185),
        (16, 9.5230),
        (32, 15.5784),
        (64, 21.7132),
        (128, 27.8429),
    ],
)
def test_required_snr_of_psk_at_epsilon_1(order, decibels):
    # not monotone in the order; up to 64 confirmed by dense inverses, and by a grid
    found = required_snr(partial(psk, order), 1)
    assert float(found.lossless_at) == pytest.approx(decibels, abs=1.01e-4)
    assert found.width == 1e-4


@pytest.mark.slow
def test_required_snr_where_the_least_entries_are_far_below_the_working_precision():
    # phi = e^-192, 2^-277 of what is computed with 192 bits
    found = required_snr(partial(psk, 32), 12)
    assert found.width == 1e-4
    assert is_lossless(psk(32, es_n0_db=40), 12).decided_by == "P* T^-1 >= 0"


@pytest.mark.parametrize("decibels", [-40, 0, 80])
def test_a_promise_of_0_costs_nothing_behind_any_modulation(decibels):
    assert required_snr(partial(psk, 4), 0).to_dict() == {"lossless_at": "-40", "lossy_at": None}
    assert is_lossless(psk(4, es_n0_db=decibels), 0)


def test_a_medium_that_always_costs_something_has_no_lossless_point():
    found = largest_lossless_epsilon(rounding(8, 2))
    assert found.lossless_at is None
    assert found.width is None
    assert found.to_dict()["lossless_at"] is None


@pytest.mark.parametrize(
    "bad", [None, 8, "psk", lambda es_n0_db: 3, lambda: 3, lambda decibels: psk(2, es_n0_db=decibels)]
)
def test_bad_modulations_are_refused(bad):
    with pytest.raises(InvalidParameter, match="modulation must be"):
        required_snr(bad, 1)
