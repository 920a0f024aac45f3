"""Right where it matters: what can be had, what is refused, and where."""

import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from several_programs import Program

from hushcount import nearest, read_mechanism
from hushcount.errors import BadUse, InvalidParameter, TooLarge
from hushcount.optimal_set import right_where
from hushcount.optimal_set.by_chain.best import tamed
from hushcount.optimal_set.by_chain.filling import filled, least_chain, step_of
from hushcount.privacy import AuditVerdict, audit
from hushcount.promise import EpsilonDelta, GaussianDP, SeveralPairs

PAIRS = [[("0.5", "0")], [("1", "0.05")], [("0", "0.1")], [("0.1", "0.1"), ("0.6", "0.01")]]


def largest_factor(pairs, weights):
    M = len(weights)
    program = Program(M, [(float(epsilon), float(delta)) for epsilon, delta in pairs], extra=1)
    size = max(weights)
    for j, weight in enumerate(weights):
        program.at_most({j * M + j: -1.0, program.first_extra: weight / size}, 0.0)
    return program.largest({program.first_extra: 1.0})[0] / size


def promise_for(pairs):
    return EpsilonDelta.of(*pairs[0]) if len(pairs) == 1 else SeveralPairs.of(pairs)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(PAIRS), st.lists(st.integers(0, 5), min_size=1, max_size=7).filter(any))
def test_factor_is_a_program_s(pairs, weights):
    found = right_where(len(weights) - 1, promise_for(pairs), weights=weights)
    assert found.factor == pytest.approx(largest_factor(pairs, weights), abs=1e-8)
    assert found.factor <= found.factor_bound <= found.factor * (1 + 1e-10)
    matrix = found.mechanism.matrix()
    assert np.diagonal(matrix) == pytest.approx(found.chances)
    assert (np.diagonal(matrix) >= found.factor * np.array(weights) - 1e-15).all()


@pytest.mark.parametrize(
    "promise", [EpsilonDelta.of("0.3"), EpsilonDelta.of("0.3", "0.01"), EpsilonDelta.of(0), GaussianDP.of("0.7")]
)
@pytest.mark.parametrize("n", [0, 1, 2, 9])
def test_equal_weights_are_the_nearest_optimum(promise, n):
    found = right_where(n, promise, weights=[2] * (n + 1))
    truth = 1 - nearest(n, promise).error_probability
    assert 2 * found.factor == pytest.approx(truth, rel=1e-12)
    assert 2 * found.factor_bound >= truth


@pytest.mark.parametrize("promise", [EpsilonDelta.of(1), EpsilonDelta.of(1, "0.01"), GaussianDP.of(1)])
def test_chances_are_had_or_refused_where_they_fail(promise):
    best = 1 - nearest(5, promise).error_probability
    had = right_where(5, promise, chances=[best * 0.99] * 6)
    assert min(had.chances) >= best * 0.99 * (1 - 1e-15)
    if isinstance(promise, GaussianDP):
        assert audit(had.mechanism, mu=promise).verdict is AuditVerdict.PRIVATE
    else:
        assert audit(had.mechanism, epsilon=promise.epsilon, delta=promise.delta).verdict is AuditVerdict.PRIVATE
    with pytest.raises(InvalidParameter, match=r"chances\[5\] must be a chance that can be had"):
        right_where(5, promise, chances=[best * 1.001] * 6)
    with pytest.raises(InvalidParameter, match=r"chances\[2\] must be a chance that can be had"):
        right_where(5, promise, chances=[0.1, 0.9, 0.9, 0, 0, 0])


def test_being_right_more_often_here_costs_there():
    plain, more = (right_where(7, "0.5", weights=weights) for weights in ([1] * 8, [3, *[1] * 7]))
    assert more.chances[0] > 1.5 * plain.chances[0]
    assert more.chances[4] < plain.chances[4]


@pytest.mark.parametrize("promise", [EpsilonDelta.of("0.5"), EpsilonDelta.of("0.5", "0.01"), GaussianDP.of("0.5")])
@pytest.mark.parametrize("is_reversed", [False, True])
def test_counts_far_from_the_heavy_ones_are_as_good_as_nearest_s(promise, is_reversed):
    """The factor alone leaves them undetermined, and the last count with all that is left over."""
    weights = [4] * 11 + [1] * 190
    found = right_where(200, promise, weights=weights[::-1] if is_reversed else weights)
    chances = found.chances[::-1] if is_reversed else found.chances
    assert min(chances[:11]) >= 4 * found.factor
    assert min(chances) >= found.factor
    everywhere = 1 - nearest(200, promise).error_probability
    assert min(chances[80:]) >= 0.95 * everywhere
    assert found.factor <= found.factor_bound <= found.factor * (1 + 1e-10)


@pytest.mark.parametrize("promise", [EpsilonDelta.of("0.5"), GaussianDP.of("0.5")])
def test_small_chances_leave_the_rest_to_all_counts(promise):
    found = right_where(60, promise, chances=[0.01] * 61)
    everywhere = 1 - nearest(60, promise).error_probability
    assert min(found.chances) == pytest.approx(everywhere, rel=1e-6)


@given(st.sampled_from(PAIRS), st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0, 1))
def test_filling_lowers_nothing_and_keeps_to_what_can_be_had(pairs, gammas, share):
    step = step_of(tamed(promise_for(pairs)))
    wanted = [share * gamma for gamma in gammas]
    raised = filled(step, wanted)
    assert all(more >= less for more, less in zip(raised, wanted, strict=True))
    if least_chain(step, wanted).fails_at is None:
        assert least_chain(step, raised).fails_at is None


def test_a_thousand_counts_and_what_is_told():
    found = right_where(1000, mu="0.2", weights=1 + np.arange(1001) % 3)
    assert found.factor <= found.factor_bound <= found.factor * (1 + 1e-10)
    told = found.to_dict()
    assert (told["n"], told["mu_squared"], len(told["chances"])) == (1000, "0.04", 1001)


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({}, BadUse, "one of weights and chances"),
        ({"weights": [1, 1, 1], "chances": [0.1] * 3}, BadUse, "one of weights and chances"),
        (
            {"weights": [1, 1]},
            InvalidParameter,
            r"weights must be 3 numbers, one for each true count 0..2 \(got 2 numbers\)",
        ),
        ({"weights": [[1, 1, 1]]}, InvalidParameter, r"\(got a table\)"),
        ({"weights": [0, 0, 0]}, BadUse, "must not be all 0"),
        ({"weights": [1, -1, 0]}, InvalidParameter, r"weights\[1\] must be 0, or a number from 1e-299 to 1e299"),
        ({"weights": [1, float("nan"), 0]}, InvalidParameter, r"weights\[1\]"),
        ({"weights": [1, 0, "1e-400"]}, InvalidParameter, r"weights\[2\] must be 0, or a number from 1e-299"),
        ({"weights": [5e-324, 0, 0]}, InvalidParameter, r"weights\[0\] must be 0, or a number from 1e-299"),
        ({"weights": [1e300, 0, 0]}, InvalidParameter, r"weights\[0\] must be 0, or a number from 1e-299"),
        ({"chances": ["1e-400"] * 3}, InvalidParameter, r"chances\[0\] must be 0, or a number from 1e-299"),
        ({"chances": [0.5, 1.5, 0]}, InvalidParameter, r"chances\[1\] must be a number from 0 to 1"),
        ({"chances": "0.5"}, InvalidParameter, r"chances must be 3 numbers, .* \(got a single one\)"),
    ],
)
def test_bad_input_is_named(asked, error, message):
    with pytest.raises(error, match=message):
        right_where(2, 1, **asked)


@pytest.mark.parametrize("size", ["1e-299", "1e-150", "1e150", "1e299"])
@pytest.mark.parametrize("promise", [EpsilonDelta.of(1), EpsilonDelta.of(0), GaussianDP.of(1)])
def test_weights_of_any_size(size, promise):
    found, plain = right_where(2, promise, weights=[size] * 3), right_where(2, promise, weights=[1] * 3)
    assert found.factor <= found.factor_bound
    assert found.factor * float(size) == pytest.approx(plain.factor, rel=1e-12)
    assert found.chances == pytest.approx(plain.chances, rel=1e-12)


def test_too_many():
    with pytest.raises(TooLarge, match="16,384"):
        right_where(2**14, 1, weights=[1])


@pytest.mark.parametrize("n", [0, 1, 2, 9])
@pytest.mark.parametrize("pair", [("0.5", "0"), ("1", "0.05"), ("0", "0.1")])
def test_it_is_saved_and_read_back_as_private_as_asked(n, pair, tmp_path):
    found = right_where(n, *pair, weights=[1 + j % 3 for j in range(n + 1)])
    saved = found.save(tmp_path / "right.csv", notes={"for": "tests"})
    back = read_mechanism(tmp_path / "right.csv")
    assert back == saved
    assert back.claim == EpsilonDelta.of(*pair)
    assert dict(back.notes) == {"basis": "RIGHT_WHERE", "for": "tests"}
    assert audit(back, epsilon=pair[0], delta=pair[1]).verdict is not AuditVerdict.NOT_PRIVATE
    assert np.diagonal(back.matrix()) == pytest.approx(found.chances, abs=1e-9)
    assert set(back.draw([n] * 20).tolist()) <= set(range(n + 1))


def test_at_mu_it_is_saved_as_private_as_asked(tmp_path):
    found = right_where(3, mu="0.7", weights=[1, 2, 1, 3])
    back = found.save(tmp_path / "right.csv")
    assert back == read_mechanism(tmp_path / "right.csv")
    assert back.claim == found.privacy == GaussianDP.of("0.7")
    assert audit(back, mu="0.7").verdict is AuditVerdict.PRIVATE
    assert np.diagonal(back.matrix()) == pytest.approx(found.chances, abs=1e-12)


@pytest.mark.parametrize("epsilon", ["0.5", "2"])
@pytest.mark.parametrize("at", [0, 1, 5])
def test_refused_chances_name_the_count_at_which_they_fail(epsilon, at):
    """One count more than can be had beside those before it: the largest that can is 1 - g(c)."""
    wanted = [0.1] * 6
    wanted[at] = 1.0
    most = right_where(5, epsilon, chances=[0.1] * at + [0.0] * (6 - at))
    assert most.factor >= 1 - 1e-9
    expected = at if at else 1  # a chance of 1 can be had at 0, and none at all right beside it
    with pytest.raises(
        InvalidParameter, match=rf"chances\[{expected}\] .* at the true count {expected} is at most "
    ) as no:
        right_where(5, epsilon, chances=wanted)
    told = float(re.search(r"at most ([0-9.e-]+) beside", str(no.value))[1])
    wanted = [*wanted[:expected], told, *[0.0] * (5 - expected)]
    assert right_where(5, epsilon, chances=wanted).factor >= 1 - 1e-9
    assert told > 0 or at == 0
