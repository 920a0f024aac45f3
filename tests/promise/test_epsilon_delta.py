"""The (epsilon, delta) curve and its inverse."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from hushcount import EpsilonDelta, nearest
from hushcount.errors import InvalidParameter
from hushcount.medium import is_lossless, optimum, psk
from hushcount.numbers.exact import exact_text
from hushcount.numbers.text import plain_at_most
from hushcount.optimal_set import OptimalSet
from hushcount.promise import GaussianDP, SeveralPairs

EPSILONS = st.one_of(st.sampled_from([0.0, 1e-9, 1.0, 30.0]), st.floats(0, 8))
DELTAS = st.one_of(st.just(0.0), st.floats(0, 0.99))
UNIT = st.floats(0, 1)


@given(EPSILONS, DELTAS, UNIT)
def test_least_inverts_largest(epsilon, delta, y):
    curve = EpsilonDelta.of(epsilon, delta)
    x = curve.least(y)
    assert 0 <= x <= y + 1e-15
    assert curve.largest(x) >= y - 1e-12
    if x > 1e-12:
        assert curve.largest(x * (1 - 1e-6)) <= y + 1e-9


@given(EPSILONS, DELTAS, UNIT, UNIT)
def test_increasing_and_concave(epsilon, delta, x, y):
    curve = EpsilonDelta.of(epsilon, delta)
    low, high = sorted((x, y))
    assert curve.largest(low) <= curve.largest(high) + 1e-15
    assert curve.largest((x + y) / 2) >= (curve.largest(x) + curve.largest(y)) / 2 - 1e-12


@given(EPSILONS, DELTAS, UNIT)
def test_symmetric(epsilon, delta, x):
    """The complement of an event is an event: 1 - largest(x) is the least for 1 - x."""
    curve = EpsilonDelta.of(epsilon, delta)
    assert math.isclose(1 - curve.largest(x), curve.least(1 - x), abs_tol=1e-12)


def test_huge_epsilon_says_nothing():
    curve = EpsilonDelta.of(1000, 0)
    assert (curve.largest(0), curve.largest(0.5), curve.least(0.5), curve.least(1)) == (0, 1, 0, 1)


@pytest.mark.parametrize(("epsilon", "delta"), [(-1, 0), ("-1e-400", 0), (1, 1), (1, 1.5), (1, -1e-9), (1, "nan")])
def test_range(epsilon, delta):
    with pytest.raises(InvalidParameter, match=r"^(epsilon|delta) must be .* \(got .*\)$"):
        EpsilonDelta.of(epsilon, delta)


def test_message_names_argument_value_and_rule():
    with pytest.raises(InvalidParameter, match=r"^epsilon must be a finite number >= 0 \(got -1\.0\)$") as caught:
        EpsilonDelta.of(-1.0)
    assert (caught.value.argument, caught.value.value) == ("epsilon", -1.0)


def test_kept_exactly():
    curve = EpsilonDelta.of("1e-400", Fraction(1, 3))
    assert curve.epsilon == Fraction(1, 10**400)
    assert str(curve) == "(1e-400, 1/3)"


@pytest.mark.parametrize("epsilon", ["0", "0.1", "1", "5"])
@pytest.mark.parametrize("delta", ["0", "1e-6", "0.1", "0.9"])
def test_the_least_is_0_up_to_delta_and_strictly_increasing_from_there_on(epsilon, delta):
    """What makes the sums of all optima equal ("The nearest optimum"); their diagonal is above delta."""
    privacy = EpsilonDelta.of(epsilon, delta)
    start = float(delta)
    assert privacy.largest(0.0) == pytest.approx(start, rel=0, abs=1e-16)
    assert privacy.least(start) == pytest.approx(0, abs=1e-16)
    assert privacy.least(start / 2) == 0
    values = [privacy.least(start + (1 - start) * step / 64) for step in range(65)]
    assert all(low < high for low, high in pairwise(values))
    for n in (1, 4, 11):
        assert nearest(n, epsilon, delta).pmf(0, 0) > start


@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0), ("0.5", "1e-6"), (0.1, "1/3"), ("1e-400", "0.9")])
@pytest.mark.parametrize("prefix", ["", "left_"])
def test_fields_hold_it_exactly(epsilon, delta, prefix):
    promise = EpsilonDelta.of(epsilon, delta)
    fields = promise.to_fields(prefix)
    assert list(fields) == [f"{prefix}epsilon", f"{prefix}delta"]
    assert EpsilonDelta.from_fields({**fields, "more": 1}, prefix) == promise


def test_in_words():
    promise = EpsilonDelta.of(0.1, "0.00001")
    assert promise.in_words() == "epsilon about 0.1, delta 0.00001"
    assert promise.in_words(plain_at_most, " and ") == "epsilon at most 0.100001 and delta 0.00001"
    assert promise.in_words(exact_text) == f"epsilon {exact_text(Fraction(0.1))}, delta 0.00001"


def test_as_options():
    assert EpsilonDelta.of("1/3").to_options() == "--epsilon 1/3"
    assert EpsilonDelta.of("0.5", "1e-6").to_options() == "--epsilon 0.5 --delta 0.000001"


def test_one_cell_is_what_it_is():
    promise = EpsilonDelta.of("0.5", "1e-6")
    assert promise.of_cells(1) == promise
    assert promise.of_cells(2) == EpsilonDelta(Fraction(1), 1 - (1 - promise.delta) ** 2)


@pytest.mark.parametrize(("delta", "draws", "told"), [("0.1", 1, "10%"), ("0.09", 1, None), ("0.09", 2, "17.2%")])
def test_what_is_given_away(delta, draws, told):
    found = EpsilonDelta.of(1, delta).given_away(draws, "cell")
    assert (f"up to {told} the true count of" in found[0]) if told else found == []


@pytest.mark.parametrize("promise", [GaussianDP.of("0.5"), SeveralPairs.of([(1, 0)])], ids=str)
@pytest.mark.parametrize(
    "asked",
    [
        EpsilonDelta.of,
        lambda promise: OptimalSet(3, promise),
        lambda promise: optimum(psk(4, es_n0_db=3), promise),
        lambda promise: is_lossless(psk(4, es_n0_db=3), promise),
    ],
    ids=["pair", "optimal set", "optimum", "lossless"],
)
def test_what_takes_no_other_promise_says_so(asked, promise):
    with pytest.raises(InvalidParameter, match="epsilon must be a number: only epsilon and delta can be promised here"):
        asked(promise)


@pytest.mark.parametrize(("make", "instead"), [(EpsilonDelta, "EpsilonDelta.of"), (GaussianDP, "GaussianDP.of")])
def test_what_is_no_fraction_is_told_what_takes_it(make, instead):
    with pytest.raises(InvalidParameter, match=rf"there is {instead}\('0\.[25]'\) \(got '0\.2'\)"):
        make("0.2", *([Fraction(0)] if make is EpsilonDelta else []))
