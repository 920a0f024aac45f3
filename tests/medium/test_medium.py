"""What can be done with any medium: composition, relabeling, restriction."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hushcount.errors import BadUse, InvalidParameter, TooLarge
from hushcount.medium import (
    Medium,
    binary_symmetric,
    from_matrix,
    gray_code,
    pam,
    psk,
    rounding,
    symmetric_channel,
    z_channel,
)


def random_medium(seed, order):
    rng = np.random.default_rng(seed)
    return from_matrix(rng.dirichlet(np.full(order, 0.3), size=order), normalise=True)


def test_composition_is_the_product():
    first, second = z_channel(3, 0.1), pam(8, es_n0_db=12)
    both = first @ second
    assert np.allclose(both.matrix, first.matrix @ second.matrix, rtol=1e-14, atol=0)
    assert both.description == f"a cascade: {first.description}, then {second.description}"
    assert (both @ both).description == "a cascade: " + ", then ".join([first.description, second.description] * 2)
    assert type(both) is Medium
    identity = symmetric_channel(8, 0)
    assert np.allclose((first @ identity).matrix, first.matrix, rtol=2e-16, atol=0)
    assert np.array_equal((rounding(8, 3) @ identity).matrix, rounding(8, 3).matrix)


def test_a_cascade_says_that_outputs_were_read_before():
    erased = from_matrix([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]], decide=[0, 1, 0])
    both = erased @ symmetric_channel(2, 0.1)
    assert both.description.startswith(f"a cascade: {erased.description}, its outputs read as counts, then ")
    assert "read as counts, then" not in (symmetric_channel(2, 0.1) @ erased).description


@given(st.integers(0, 1000), st.integers(1, 20))
def test_long_chains_stay_stochastic(seed, order):
    medium = chain = random_medium(seed, order)
    for _ in range(30):
        chain = chain @ medium
    assert np.allclose(chain.matrix, np.linalg.matrix_power(medium.matrix, 31), rtol=1e-9, atol=1e-12)


def test_composition_keeps_symmetries():
    a, b = psk(9, es_n0_db=5), psk(9, es_n0_db=9)
    assert (a @ b).is_circulant
    assert (a @ b).is_mirrored
    assert (pam(7, es_n0_db=1) @ pam(7, es_n0_db=9)).is_mirrored
    one_way = Medium(np.roll(np.eye(5), 1, axis=1), "shift") @ Medium(
        np.eye(5) / 2 + np.roll(np.eye(5), 1, axis=1) / 2, "x"
    )
    assert one_way.is_circulant
    assert not one_way.is_mirrored
    assert one_way.matrix[0].tolist() == [0, 0.5, 0.5, 0, 0]
    assert not (psk(8, es_n0_db=5) @ z_channel(3, 0.1)).is_mirrored


def test_two_hops_of_a_symmetric_channel():
    p, q = 0.1, 0.2
    both = binary_symmetric(1, p) @ binary_symmetric(1, q)
    assert math.isclose(both.matrix[0, 1], p * (1 - q) + q * (1 - p), rel_tol=1e-15)


def test_composition_refuses():
    with pytest.raises(BadUse, match="media of 4 and of 8 symbols do not follow on one another"):
        psk(4, es_n0_db=1) @ psk(8, es_n0_db=1)
    with pytest.raises(TypeError):
        psk(4, es_n0_db=1) @ 3


def test_relabelled():
    medium, labels = random_medium(1, 5), [3, 1, 4, 0, 2]
    renamed = medium.relabelled(labels)
    for i in range(5):
        for j in range(5):
            assert renamed.matrix[i, j] == medium.matrix[labels[i], labels[j]]
    assert np.array_equal(renamed.relabelled(np.argsort(labels)).matrix, medium.matrix)
    assert np.array_equal(medium.relabelled(range(5)).matrix, medium.matrix)
    gray = psk(8, es_n0_db=10).relabelled(np.argsort(gray_code(8)))
    for k in range(8):
        likeliest = np.argsort(gray.matrix[k])[::-1]
        assert all((k ^ int(j)).bit_count() == 1 for j in likeliest[1:3])


@pytest.mark.parametrize("bad", [[0, 1], [0, 1, 1], [0, 1, 3], [0, 1, -1], [0, 1, 2.0], "012", None, 3])
def test_bad_relabelling(bad):
    with pytest.raises(InvalidParameter, match=r"^labels must be"):
        random_medium(0, 3).relabelled(bad)


def test_restricted_to_the_likeliest():
    """Three points of 8-PSK, a third of a turn apart or nearly so."""
    medium = psk(8, es_n0_db=8)
    fewer = medium.restricted([0, 3, 5])
    assert fewer.order == 3
    assert fewer.description == f"{medium.description}, restricted to 3 symbols"
    read_as = [0, 0, 1, 1, 1, 2, 2, 0]  # 4 lies between 3 and 5: the first
    for k, sent in enumerate((0, 3, 5)):
        for other in range(3):
            expected = math.fsum(medium.matrix[sent, j] for j in range(8) if read_as[j] == other)
            assert math.isclose(fewer.matrix[k, other], expected, rel_tol=1e-15)
    assert medium.restricted([0, 3, 5], decoded=read_as).matrix.tolist() == fewer.matrix.tolist()
    assert fewer.mean_error_probability < medium.mean_error_probability


def test_restricted_in_other_ways():
    medium = random_medium(2, 6)
    assert np.allclose(medium.restricted(range(6), decoded=range(6)).matrix, medium.matrix, rtol=1e-15, atol=0)
    assert medium.restricted([4]).matrix.tolist() == [[1.0]]
    never = medium.restricted([0, 1], decoded=[0] * 6)
    assert never.matrix.tolist() == [[1, 0], [1, 0]]
    noiseless = symmetric_channel(6, 0).restricted([5, 2])
    assert noiseless.matrix.tolist() == [[1, 0], [0, 1]]


@given(st.integers(0, 1000), st.integers(1, 8), st.data())
def test_no_decoder_errs_less_on_average(seed, order, data):
    medium = random_medium(seed, order)
    labels = data.draw(st.lists(st.integers(0, order - 1), min_size=1, unique=True))
    decoded = data.draw(st.lists(st.integers(0, len(labels) - 1), min_size=order, max_size=order))
    best, other = medium.restricted(labels), medium.restricted(labels, decoded)
    assert best.mean_error_probability <= other.mean_error_probability + 1e-14


@pytest.mark.parametrize(
    ("labels", "decoded", "message"),
    [
        ([], None, "^labels must be different symbols out of 0..3, at least one"),
        ([1, 1], None, "^labels must be different symbols"),
        ([4], None, "^labels must be a list of integers from 0 to 3"),
        ("01", None, "^labels must be"),
        ([0, 1], [0, 1, 0], "^decoded must be a count for each of the 4 symbols"),
        ([0, 1], [0, 1, 0, 2], "^decoded must be a list of integers from 0 to 1"),
        ([0, 1], [0, 1, 0, 0.5], "^decoded must be an integer"),
    ],
)
def test_bad_restriction(labels, decoded, message):
    with pytest.raises(InvalidParameter, match=message):
        random_medium(0, 4).restricted(labels, decoded)


@pytest.mark.parametrize("bad", ["", "  ", "two\nlines", None, 7])
def test_a_description_is_one_line(bad):
    with pytest.raises(InvalidParameter, match=r"^description must be one line of text"):
        Medium(np.eye(2), bad)


def test_a_medium_is_checked_and_copied():
    given_matrix = np.eye(3)
    medium = Medium(given_matrix, "mine")
    given_matrix[0] = 0
    assert np.array_equal(medium.matrix, np.eye(3))
    for bad, kind in (
        (np.eye(3)[:2], InvalidParameter),
        (np.array([[0.5, 0.4], [0, 1]]), BadUse),
        (np.array([[np.nan, 1], [0, 1]]), InvalidParameter),
        (np.array([[1.5, -0.5], [0, 1]]), InvalidParameter),
        (np.eye(4097, dtype=np.float32), TooLarge),
    ):
        with pytest.raises(kind):
            Medium(bad, "mine")


def test_repr_is_short():
    assert repr(rounding(200, 5)) == "Medium(description='rounding of 0..199 to multiples of 5 (nearest)')"
