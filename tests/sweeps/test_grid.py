"""Grids: their points, and everything that is refused before a sweep begins."""

import math
from itertools import product

import pytest

from hushcount import BadUse, compare
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.mechanisms.by_name import MECHANISMS
from hushcount.medium.channels.by_name import MEDIA, takes
from hushcount.sweeps import MechanismPoint, mechanism_grid, medium_grid

SNR = {"es_n0_db": 3}


def test_points_are_the_product_delta_fastest():
    grid = medium_grid("psk", "3,1", "1,0.5", "0,1e-6", es_n0_db="inf,-10:0:5")
    told = [(point.n, point.es_n0_db, point.epsilon, point.delta) for point in grid]
    assert told == list(product((3, 1), ("inf", "-10", "-5", "0"), ("1", "0.5"), ("0", "0.000001")))
    assert len(grid) == len(told)
    assert {point.medium for point in grid} == {"psk"}


def test_mechanisms_are_those_of_compare():
    for delta in (0, "1e-6"):
        assert {point.mechanism for point in mechanism_grid(None, 3, 1, delta)} == {
            row.mechanism for row in compare(3, 1, delta)
        }
    assert set(MECHANISMS) == {row.mechanism for row in compare(3, 1, "1e-6")}


def test_those_that_need_delta_are_left_out_at_0():
    grid = mechanism_grid(None, "1:2", "1,2", "0,1e-6")
    assert len(list(grid)) == len(grid) == 11 * 2 * 2 * 2 - 2 * 2 * 2
    with pytest.raises(InvalidParameter, match=r"^delta must be a number > 0"):
        mechanism_grid("nearest,clamped-gaussian", 3, 1, "0,1e-6")
    with pytest.raises(InvalidParameter, match=r"^epsilon must be at most"):
        mechanism_grid(None, 3, "1,2e9", "0,1e-6")


def test_clamped_noise_that_is_asked_for_is_kept_at_delta_0():
    grid = mechanism_grid("clamped-canonical-noise", 3, 1, 0)
    assert list(grid) == [MechanismPoint("clamped-canonical-noise", 3, "1", "0")]


def test_the_same_grid_has_the_same_digest_however_it_is_written():
    def digest(kind="psk", n=3, epsilon="0.1:0.3:0.1", delta=0, **given):
        return medium_grid(kind, n, epsilon, delta, **(given or SNR)).sha256

    assert digest() == digest(epsilon="0.1,0.2,0.3", n=[3], es_n0_db="3.0")
    others = [digest(n=1), digest(epsilon="0.3,0.2,0.1"), digest(delta="1e-9"), digest(eb_n0_db=3), digest("pam")]
    others += [digest(es_n0_db=4), digest(es_n0_db=3, fading="rayleigh"), mechanism_grid(None, 3, 1, 0).sha256]
    assert len({digest(), *others}) == 1 + len(others)


def test_too_many_points():
    with pytest.raises(TooLarge, match=r"the grid has 255 x 101 x 100 = 2,575,500 points.*7 hours"):
        medium_grid("psk", "1:255", "0.1:10:0.1", 0, es_n0_db="0:100:1")
    assert len(medium_grid("psk", "1:100", "0.1:10:0.1", 0, es_n0_db="1:100:1")) == 1_000_000


@pytest.mark.parametrize(
    ("kind", "n", "given", "said"),
    [
        ("smoke", 3, SNR, "medium must be one of psk, pam"),
        ("psk", 3, {}, "es_n0_db must be given behind psk, or else the SNR per bit"),
        ("psk", 3, {"es_n0_db": 3, "eb_n0_db": 3}, "es_n0_db must be left out where the SNR per bit"),
        ("psk", 3, {"p": "0.1"}, "p must be left out behind psk"),
        ("psk", 3, {**SNR, "labels": "gray"}, "labels must be left out behind psk"),
        ("psk", 3, {**SNR, "coherent": False}, "coherent must be left out"),
        ("psk", 3, {"es_n0_db": "2000"}, "es_n0_db must be a number from -1,000 to 1,000"),
        ("psk", 3, {"es_n0_db": "-inf"}, "es_n0_db must be"),
        ("psk", 3, {"es_n0_db": []}, "es_n0_db must be at least one number"),
        ("psk", 3, {**SNR, "fading": "fog"}, "fading must be None or 'rayleigh'"),
        ("psk", 0, SNR, "n must be at least 1"),
        ("psk", "1:300", SNR, "n may be at most 255 .got 256"),
        ("qam", "3,6", SNR, "n must be such that n . 1 is a square.*, for qam .got 6"),
        ("qam", "8", {**SNR, "labels": "gray"}, "n must be such that n . 1 is a power of 4"),
        ("qam", "3", {**SNR, "labels": "natural"}, "labels must be 'row-major', 'snake' or 'gray'"),
        ("z-channel", "1,5", {"p": "0.1"}, "n must be a power of 2 less 1 .* for z-channel .got 5"),
        ("z-channel", "1", {}, "p must be given behind z-channel"),
        ("symmetric", "1", {"p": "0:1.5:0.5"}, "p must be a number from 0 to 1 .got 3/2"),
        ("rounding", "1", {"multiple": "0"}, "multiple must be integers >= 1"),
        ("rounding", "1", {"multiple": "2", "to": "mars"}, "to must be 'nearest'"),
    ],
)
def test_what_no_medium_takes(kind, n, given, said):
    with pytest.raises(BadUse, match=said):
        medium_grid(kind, n, 1, 0, **given)


@pytest.mark.parametrize(
    "make", [lambda *at: medium_grid("psk", 3, *at, **SNR), lambda *at: mechanism_grid(None, 3, *at)]
)
@pytest.mark.parametrize(
    ("epsilon", "delta", "said"),
    [("-1:1:1", 0, "epsilon must be a finite number >= 0"), (1, "0,1", "delta must be a number >= 0 and < 1")],
)
def test_bad_promises(make, epsilon, delta, said):
    with pytest.raises(InvalidParameter, match=said):
        make(epsilon, delta)


@pytest.mark.parametrize("kind", MEDIA)
def test_every_kind_has_a_grid(kind):
    given = SNR if "es_n0_db" in takes(kind) else {"multiple": 2} if kind == "rounding" else {"p": "1/10"}
    n = 31 if kind in ("apsk", "cross-qam") else 3
    (point,) = medium_grid(kind, n, "1/3", 0, **given)
    assert (point.medium, point.n, point.epsilon) == (kind, n, "1/3")


@pytest.mark.parametrize(("kind", "orders"), [("apsk", "16 or 32"), ("cross-qam", "32, 128 or 512")])
def test_sizes_that_a_modulation_lacks(kind, orders):
    with pytest.raises(InvalidParameter, match=f"^n must be such that n [+] 1 is {orders}"):
        medium_grid(kind, "15,3,31", 1, 0, **SNR)


def test_infinity_as_a_number():
    assert [point.es_n0_db for point in medium_grid("psk", 3, 1, 0, es_n0_db=[math.inf, 3])] == ["inf", "3"]
    assert [point.eb_n0_db for point in medium_grid("psk", 3, 1, 0, eb_n0_db=math.inf)] == ["inf"]
