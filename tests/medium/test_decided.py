"""Media with outputs of their own: private before the decision, right or wrong after it."""

import json
from copy import deepcopy
from fractions import Fraction
from functools import partial
from itertools import product as every

import numpy as np
import pytest
from exact_products import exact_product, surely_private
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

from hushcount.errors import BadData, BadUse, InvalidParameter, TooLarge
from hushcount.medium import (
    Conclusion,
    DecidedMedium,
    Medium,
    Verdict,
    binary_erasure,
    bounds,
    canonical_fits,
    corollary_2_1,
    from_matrix,
    gray_code,
    heard,
    is_lossless,
    largest_lossless_p,
    optimum,
    psk,
    read_medium,
    searched_labels,
    statement_2_max_norm,
    statement_2_row_norm,
    statement_3,
    statement_4,
    statement_5,
    statement_6,
)

ERASED = [[0.9, 0.1, 0], [0, 0.1, 0.9]]
QUANTIZED = [[0.6, 0.1, 0.1, 0.2], [0.1, 0.6, 0.1, 0.2], [0.05, 0.15, 0.6, 0.2]]


@st.composite
def media(draw):
    M = draw(st.integers(1, 5))
    N = M + draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(["dirichlet", "erasures", "zeros", "alike", "split", "far"]))
    if kind == "dirichlet":
        R = rng.dirichlet(np.full(N, 0.5), M)
    elif kind == "erasures":
        R = np.eye(M, N) + 0.2 * rng.dirichlet(np.ones(N), M)
    elif kind == "zeros":
        R = rng.dirichlet(np.full(N, 0.4), M) * (rng.random((M, N)) < 0.6) + 1e-3 * np.eye(M, N)
    elif kind == "alike":
        R = np.repeat(rng.dirichlet(np.ones(N), 1), M, axis=0)
    elif kind == "split":
        R = np.tile(np.eye(M) + 0.1, N)[:, :N]
    else:
        R = np.eye(M, N) + 1e-9 * rng.random((M, N))
    decide = draw(st.sampled_from(["likeliest", "any"]))
    if decide == "any":
        decide = rng.integers(0, M, N)
    epsilon = draw(st.sampled_from(["0", "0.1", "0.5", "2", "5"]))
    delta = draw(st.sampled_from(["0", "0", "1e-6", "0.05", "0.5"]))
    return from_matrix(R, normalise=True, decide=decide), epsilon, delta


def plain_optimum(T, epsilon, delta):
    """p_e*(T) by a program that knows nothing of ours: in the entries of G, privacy written out for G R."""
    M, N = T.received.shape
    mixed, rows, sides = np.kron(np.eye(M), T.received.T), [], []  # row by row, S = G R
    growth, width = np.exp(float(epsilon)), M * M + 1
    pairs = [(a, b) for a in range(M) for b in (a - 1, a + 1) if 0 <= b < M]
    slacks = len(pairs) * N
    for at, (a, b) in enumerate(pairs):
        total = np.zeros(width + slacks)
        for y in range(N):
            row = np.zeros(width + slacks)
            row[: M * M] = mixed[a * N + y] - growth * mixed[b * N + y]
            row[width + at * N + y] = -1
            total[width + at * N + y] = 1
            rows.append(row)
            sides.append(0.0)
        rows.append(total)
        sides.append(float(delta))
    for i in range(M):
        row = np.zeros(width + slacks)
        row[: M * M] = -sum((mixed[i * N + y] for y in range(N) if T.decide[y] == i), np.zeros(M * M))
        row[M * M] = 1
        rows.append(row)
        sides.append(0.0)
    sums = np.zeros((M, width + slacks))
    for i in range(M):
        sums[i, i * M : (i + 1) * M] = 1
    cost = np.zeros(width + slacks)
    cost[M * M] = -1
    found = linprog(cost, A_ub=np.array(rows), b_ub=sides, A_eq=sums, b_eq=np.ones(M))
    return 1 + found.fun if found.status == 0 else None


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(media())
def test_what_arrives_is_private_before_the_decision_and_as_rarely_wrong_as_said_after_it(case):
    T, epsilon, delta = case
    known, found = bounds(T, epsilon, delta), optimum(T, epsilon, delta)
    uppers = [bound for bound in known if bound.name != "l" and bound.value is not None]
    assert known[0].value <= found.lower <= found.upper <= min(bound.value for bound in uppers) + 1e-15
    for mechanism, value in [(found.mechanism, found.upper), *((b.mechanism, b.value) for b in uppers)]:
        arrived = exact_product(mechanism.entries, T.received)
        assert surely_private(arrived, epsilon, delta)
        right = [sum(p for p, k in zip(row, T.decide, strict=True) if k == i) for i, row in enumerate(arrived)]
        assert 1 - min(right) <= Fraction(value)
    arrived = exact_product(found.mechanism.entries, T.received)
    off = max(sum(abs(int(k) - i) * p for p, k in zip(row, T.decide, strict=True)) for i, row in enumerate(arrived))
    assert off <= Fraction(found.absolute_error) <= off + Fraction(1, 10**10)
    assert found.width <= 1e-9


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("0.05", "0"), ("1", "0"), ("4", "0"), ("0.5", "1e-300"), ("1", "1e-20")]
)
def test_outputs_that_hardly_arrive_are_private_at_no_more_cost(epsilon, delta):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        M = 2 + seed % 4
        R = rng.random((M, M + 5)) * 10.0 ** -rng.choice([0, 12, 100, 300], size=(M, M + 5)) + np.eye(M, M + 5)
        T = from_matrix(R, normalise=True, decide="likeliest")
        found = optimum(T, epsilon, delta)
        assert found.width <= 1e-9
        assert surely_private(exact_product(found.mechanism.entries, T.received), epsilon, delta)


def test_repairs_reach_every_output():
    T = from_matrix(
        [[0.9997, 0, 0, 0.0003, 0, 0], [5e-16, 0.74, 0, 0, 0.26, 0], [0, 0.01, 0.03, 0.32, 0.12, 0.52]],
        normalise=True,
        decide=[2, 1, 1, 0, 2, 2],
    )
    assert optimum(T, 4).width <= 1e-9


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(media())
def test_plain_program_finds_the_same(case):
    T, epsilon, delta = case
    plain, found = plain_optimum(T, epsilon, delta), optimum(T, epsilon, delta)
    if plain is not None:
        assert found.lower - 1e-6 <= plain <= found.upper + 1e-6
    assert found.upper >= optimum(Medium(T.matrix, "decided"), epsilon, delta).lower - 1e-12


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(media())
def test_verdicts_agree_with_the_optimum(case):
    T, epsilon, delta = case
    told, found = is_lossless(T, epsilon, delta), optimum(T, epsilon, delta)
    without = brute_error(T.order, epsilon, delta)
    assert told.verdict is not Verdict.LOSSLESS or not T.is_decided
    if told.verdict is Verdict.LOSSY:
        assert found.upper >= without + told.gap * (1 - 1e-9) - 1e-12
        assert told.gap < 0 or found.upper > without
    else:
        assert told.gap >= found.lower - without - 1e-12
        assert surely_private(exact_product(told.mechanism.entries, T.received), epsilon, delta)


def brute_error(M, epsilon, delta):
    return optimum(Medium(np.eye(M), "nothing"), epsilon, delta).upper


def test_one_erased_bit_in_closed_form():
    """Columns in proportion to those of G make G private; both true counts are wrong as often:
    x + p / (1 - p) = y and 1 - y = q x for G = [[x, 1 - x], [1 - y, y]]."""
    for p, epsilon in ((0.1, 1.0), (0.2, 0.5), (0.01, 3.0)):
        q, c = np.exp(-epsilon), p / (1 - p)
        least = 1 - (1 - p) * ((1 - c) / (1 + q) + c)
        found = optimum(binary_erasure(1, p, decide="likeliest"), epsilon)
        assert found.lower - 1e-12 <= least <= found.upper + 1e-12
        assert is_lossless(found.medium, epsilon).verdict is Verdict.LOSSY


def test_privacy_after_the_decision_is_not_enough():
    """What is optimal for the decided counts alone tells too much to whoever hears that a bit was erased, or not."""
    T = from_matrix(ERASED)
    naive = optimum(Medium(T.matrix, "decided"), 1)
    assert surely_private(exact_product(naive.mechanism.entries, T.matrix), 1, 0)
    assert not surely_private(exact_product(naive.mechanism.entries, T.received), 1, 0)
    assert optimum(T, 1).lower > naive.upper + 0.01


def test_what_is_heard_are_the_outputs():
    T = from_matrix(ERASED)
    found, naive = optimum(T, 1), optimum(Medium(T.matrix, "decided"), 1)
    assert heard(found.mechanism, T).epsilon.upper <= 1
    assert heard(naive.mechanism, naive.medium).epsilon.upper <= 1
    assert heard(naive.mechanism, T).epsilon.lower > 1.1
    assert heard(found.mechanism, T, times=2).epsilon.upper <= 1  # what is not erased is what was sent, once or twice
    noisy = from_matrix(QUANTIZED)
    assert heard(optimum(noisy, 1).mechanism, noisy).epsilon.upper <= 1
    assert heard(optimum(noisy, 1).mechanism, noisy, times=2).epsilon.lower > 1.1


def test_where_no_count_has_two_outputs_nothing_more_is_told():
    plain = psk(4, es_n0_db=12)
    idle = from_matrix(np.hstack([plain.matrix, np.zeros((4, 2))]))
    turned = from_matrix(plain.matrix[:, [2, 0, 1, 3]], decide=[2, 0, 1, 3])
    for T in (idle, turned):
        assert isinstance(T, DecidedMedium)
        assert not T.is_decided
        assert is_lossless(T, 1).verdict is Verdict.LOSSLESS
        used = is_lossless(T, 1).mechanism
        assert surely_private(exact_product(used.entries, T.received), 1, 0)
    assert from_matrix(ERASED).is_decided


def test_the_largest_lossless_p_of_erasures_is_0():
    found = largest_lossless_p(partial(binary_erasure, 1, decide="likeliest"), 1)
    assert found.lossless_at == 0
    assert found.lossy_at is None or found.lossy_at < 1e-3


def test_splitting_an_output_costs_nothing():
    """Two outputs in proportion tell no more than their sum."""
    plain = psk(4, es_n0_db=3)
    split = np.repeat(plain.matrix, 2, axis=1) * np.tile([0.25, 0.75], 4)
    T = from_matrix(split, decide=np.repeat(np.arange(4), 2))
    for epsilon, delta in ((1, 0), ("0.3", "0.02")):
        one, other = optimum(plain, epsilon, delta), optimum(T, epsilon, delta)
        assert other.lower <= one.upper
        assert other.upper == pytest.approx(one.upper, abs=1e-9)
    lossless = is_lossless(psk(4, es_n0_db=12), 1)
    split = np.repeat(psk(4, es_n0_db=12).matrix, 2, axis=1) * 0.5
    told = is_lossless(from_matrix(split, decide=np.repeat(np.arange(4), 2)), 1)
    assert lossless.verdict is Verdict.LOSSLESS
    assert told.verdict is Verdict.UNDECIDED
    assert told.gap <= 1e-9


def test_a_decision_may_be_worse_than_the_likeliest():
    best, worse = (optimum(from_matrix(QUANTIZED, decide=decide), 1) for decide in ("likeliest", [0, 0, 1, 2]))
    assert best.upper < worse.lower


def test_no_statement_says_that_such_a_medium_costs_nothing():
    near = from_matrix(np.hstack([np.eye(3) * 0.98, np.full((3, 1), 0.02)]))
    plain = Medium(near.matrix, "decided")
    for statement in (statement_2_row_norm, statement_2_max_norm, canonical_fits):
        assert statement(near, "0.1").conclusion is Conclusion.NOTHING
    assert statement_3(near).conclusion is Conclusion.NOTHING
    assert corollary_2_1(near).conclusion is Conclusion.NOTHING
    assert statement_3(plain).conclusion is Conclusion.LOSSLESS_WHEN_SMALL
    assert canonical_fits(plain, "0.1").conclusion is Conclusion.LOSSLESS
    assert statement_5(near, "0.1").conclusion is Conclusion.NOTHING
    assert "read as one" in canonical_fits(near, "0.1").comparison


def test_what_the_decided_counts_cost_is_still_proved():
    alike = from_matrix([[0.5, 0.25, 0.25, 0], [0.5, 0.25, 0.25, 0], [0, 0.25, 0.25, 0.5]])
    assert statement_6(alike, 1).conclusion is Conclusion.LOSSY
    assert is_lossless(alike, 1).decided_by == "statement 6"
    T = [[0.5, 0.4, 0.1], [0.45, 0.35, 0.2], [0.1, 0.1, 0.8]]
    spread = from_matrix(np.repeat(T, 2, axis=1) * 0.5, decide=[0, 0, 1, 1, 2, 2])
    assert statement_4(spread).conclusion is Conclusion.LOSSY_WHEN_SMALL


def test_least_absolute_error():
    T = from_matrix(QUANTIZED, decide=[0, 1, 2, 1])
    plain, least = optimum(T, 1), optimum(T, 1, least_absolute_error=True)
    assert least.least_absolute_error <= least.absolute_error <= plain.absolute_error
    assert least.absolute_error == pytest.approx(least.least_absolute_error, abs=1e-6)
    assert surely_private(exact_product(least.mechanism.entries, T.received), 1, 0)
    assert least.upper <= plain.upper + 1e-9


def test_too_many_outputs_have_bounds():
    rng = np.random.default_rng(1)
    T = from_matrix(rng.dirichlet(np.ones(40_000), 2), normalise=True)
    found = optimum(T, 1)
    assert found.tries == ()
    assert found.lower <= found.upper
    with pytest.raises(TooLarge, match=r"up to 256 symbols and 32,768 outputs \(got 2 and 40,000\)"):
        optimum(T, 1, least_absolute_error=True)


def test_the_likeliest_count_is_the_default():
    T = from_matrix(QUANTIZED)
    assert isinstance(T, DecidedMedium)
    assert T.decide.tolist() == [0, 1, 2, 0]
    assert T == from_matrix(QUANTIZED, decide="likeliest") == from_matrix(QUANTIZED, decide=[0, 1, 2, 0])
    assert from_matrix(QUANTIZED, decide=[0, 1, 2, 1]) != T
    assert T.reading == "4, read as 0 1 2 0, the likeliest count, the least of several"
    assert from_matrix(QUANTIZED, decide=[0, 1, 2, 1]).reading == "4, read as 0 1 2 1"
    assert np.allclose(T.matrix, [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.25, 0.15, 0.6]], rtol=1e-15)
    assert deepcopy(T) == T
    assert hash(deepcopy(T)) == hash(T)
    read = json.loads(json.dumps(T.to_dict(), allow_nan=False))
    assert read["received"] == QUANTIZED
    assert (read["outputs"], read["decide"], read["is_likeliest"]) == (4, [0, 1, 2, 0], True)
    assert read["promised_of"] == "the outputs, before they are read as counts"
    with pytest.raises(ValueError, match="read-only"):
        T.received[0, 0] = 1


def test_a_square_matrix_is_read_as_it_is_unless_a_decision_is_stated():
    square = [[0.25, 0.75], [0.5, 0.5]]
    assert type(from_matrix(square)) is Medium
    assert type(from_matrix(square, decide=[0, 1])) is Medium
    T = from_matrix(square, decide="likeliest")
    assert isinstance(T, DecidedMedium)
    assert T.decide.tolist() == [1, 0]
    assert T.matrix.tolist() == [[0.75, 0.25], [0.5, 0.5]]


def test_what_is_made_of_it_keeps_its_outputs():
    T = from_matrix(QUANTIZED, decide=[0, 1, 2, 1])
    anew = T.relabelled([2, 0, 1])
    assert np.array_equal(anew.matrix, T.matrix[np.ix_([2, 0, 1], [2, 0, 1])])
    assert np.array_equal(anew.received, T.received[[2, 0, 1]])
    few = T.restricted([0, 2])
    assert np.array_equal(few.received, T.received[[0, 2]])
    assert few.decide.tolist() == [0, 1, 1, 0]
    assert T.restricted([0, 2], decoded=[1, 1, 0, 0]).decide.tolist() == [1, 1, 0, 0]
    first = psk(3, es_n0_db=3)
    both = first @ T
    assert isinstance(both, DecidedMedium)
    assert np.allclose(both.received, first.matrix @ T.received, rtol=1e-14)
    assert np.allclose(both.matrix, first.matrix @ T.matrix, rtol=1e-14)
    onward = T @ first  # who decides sends the count on; what arrives at the end is a count
    assert type(onward) is Medium
    assert np.allclose(onward.matrix, T.matrix @ first.matrix, rtol=1e-14)
    found = searched_labels(T, 1, swaps=3)
    assert isinstance(found.medium, DecidedMedium)
    assert found.optimum.upper <= optimum(T, 1).upper


@pytest.mark.parametrize(
    ("decide", "message"),
    [
        ([0, 1, 2], "^decide must be 'likeliest', or 4 counts from 0 to 2$"),
        ([0, 1, 2, 3], "^decide must be 'likeliest', or 4 counts from 0 to 2$"),
        ([0, 1, 2, -1], "^decide must be 'likeliest', or 4 counts"),
        ([0, 1, 2, 1.0], "^decide must be an integer"),
        ([0, 1, 2, True], "^decide must be an integer"),
        ("best", "^decide must be 'likeliest', or a count for each output"),
        (7, "^decide must be 'likeliest', or a count for each output"),
    ],
)
def test_no_decision(tmp_path, decide, message):
    with pytest.raises(InvalidParameter, match=message):
        from_matrix(QUANTIZED, decide=decide)
    file = tmp_path / "R.csv"
    file.write_text("\n".join(",".join(map(str, row)) for row in QUANTIZED))
    with pytest.raises(InvalidParameter, match=message):
        read_medium(file, decide=decide)
    assert np.array_equal(read_medium(file).received, QUANTIZED)
    assert read_medium(file, decide=[0, 0, 1, 2]).decide.tolist() == [0, 0, 1, 2]


def test_fewer_outputs_than_counts_are_refused(tmp_path):
    tall = [[1, 0], [0, 1], [0.5, 0.5]]
    with pytest.raises(InvalidParameter, match=r"^matrix must be square"):
        from_matrix(tall)
    with pytest.raises(InvalidParameter, match=r"^matrix must be square"):
        from_matrix(tall, decide=[0, 1])
    with pytest.raises(BadUse, match=r"^3 counts cannot be told by 2 outputs$"):
        DecidedMedium.of(np.array(tall), [0, 1], "tall")
    with pytest.raises(BadUse, match=r"^row 1 of matrix must sum to 1"):
        from_matrix([[0.5, 0.25, 0.25], [0.5, 0.5, 0.5]])
    with pytest.raises(TooLarge, match="65,537 columns"):
        from_matrix(np.full((1, 65537), 1 / 65537))
    file = tmp_path / "R.csv"
    file.write_text("0.5,0.25,0.25\n0.5,0.5,0.5\n")
    with pytest.raises(BadData, match="row 1 of matrix must sum to 1"):
        read_medium(file)


# --- erased bits ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", ["natural", "gray"])
@pytest.mark.parametrize("p", ["1/3", "0", "1", "1e-200"])
def test_erasures_are_outputs(labels, p):
    chance = Fraction(p)
    for bits in (1, 2, 3, 4):
        T = binary_erasure(bits, p, labels=labels, decide="likeliest")
        words = range(2**bits) if labels == "natural" else gray_code(2**bits).tolist()
        for y, word in enumerate(every((0, 1, 2), repeat=bits)):
            erased = word.count(2)
            agree = [
                all(digit in (2, sent >> (bits - 1 - place) & 1) for place, digit in enumerate(word)) for sent in words
            ]
            expected = float(chance**erased * (1 - chance) ** (bits - erased))
            assert T.received[:, y].tolist() == [expected if each else 0.0 for each in agree]
            assert T.decide[y] == agree.index(True)
        assert T.is_likeliest
        assert T.description == f"{bits} {labels}-labeled bits over a binary erasure channel, p = {p}"


def test_who_hears_erasures_hears_more():
    """Guessing what was erased is done to the outputs, so it can only make privacy easier."""
    for p in ("0.05", "0.3"):
        erased, guessed = (binary_erasure(2, p, decide=decide) for decide in ("likeliest", "guess"))
        naive = optimum(guessed, 1).mechanism
        assert not surely_private(exact_product(naive.entries, erased.received), 1, 0)


@pytest.mark.parametrize(
    ("bits", "options", "message"),
    [
        (9, {"decide": "likeliest"}, "^bits must be an integer from 1 to 8"),
        (13, {}, "^bits must be an integer from 1 to 12"),
        (0, {"decide": "likeliest"}, "^bits must be an integer >= 1"),
        (2, {"decide": "coin"}, "^decide must be 'guess' or 'likeliest'"),
        (2, {"decide": [0, 1]}, "^decide must be 'guess' or 'likeliest'"),
        (2, {"decide": "likeliest", "labels": "snake"}, "^labels must be 'natural' or 'gray'"),
    ],
)
def test_bad_erasures(bits, options, message):
    with pytest.raises(InvalidParameter, match=message):
        binary_erasure(bits, "0.1", **options)
