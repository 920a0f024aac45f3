"""A check that cannot fail checks nothing: of each statement, a version that is a little wrong, which must fail."""

from dataclasses import replace

import numpy as np
import pytest

from hushcount import from_matrix
from hushcount.medium import bounds
from hushcount.paper import Verdict, media, paper_statements
from hushcount.paper.formulas import canonical_matrix, inverse, kernel_matrix, least_error
from hushcount.paper.grid import REDUCED
from hushcount.paper.run import check_statement

CLAIMS = {statement.name: statement.claim for statement in paper_statements()}


def scaled(name, factor):
    return lambda *at: CLAIMS[name](*at) * factor


def raised(name, by):
    return lambda *at: CLAIMS[name](*at) + by


def with_one_more(M):
    """(12) and the entry beside the first diagonal one."""
    named = CLAIMS["Theorem 1 statement 3 (12)"](M)
    named[0, 1] = True
    return named


def with_one_less(M):
    named = CLAIMS["Fig. 1"](M)
    named[1, 0] = False
    return named


def first_row_up_to(M, last):
    gain = np.zeros((M, M))
    gain[0, : last + 1] = 1
    return gain


def mixed_too_far(name, share):
    """A mechanism moved beyond where its scheme ends, away from P*."""

    def claim(T, epsilon, delta):
        P = canonical_matrix(len(T), epsilon, delta)
        return P + share * (CLAIMS[name](T, epsilon, delta) - P)

    return claim


def example_with_another_entry():
    rows = [list(row) for row in CLAIMS["Example, M = 5"]()]
    rows[0][3] -= rows[0][4] / 2
    rows[0][4] += rows[0][4] / 2
    return rows


def one_step_short(M):
    """Distances on a line."""
    return np.abs(np.subtract.outer(np.arange(M), np.arange(M))).astype(float)


def beyond_the_end(name, share):
    """A claim about T, P* and a parameter, at a larger parameter."""
    return lambda T, P, parameter: CLAIMS[name](T, P, share * parameter)


def both_raised(name, by):
    return lambda *at: tuple(side + by for side in CLAIMS[name](*at))


WRONG = {
    "(1)": [raised("(1)", 1e-9), lambda P, epsilon: np.maximum(P[0] - np.exp(epsilon) * P[1], 0).sum()],
    "(2), convexity": [
        lambda P, Q, share: CLAIMS["(2), convexity"](P, Q, 1 + share),
        lambda P, Q, share: np.where(np.arange(len(P))[:, None] % 2, P, Q),
    ],
    "(5)": [lambda P: 1 - np.diagonal(P).max(), raised("(5)", 1e-9)],
    "(6), fewer constraints": [lambda upper, lower, k: np.maximum(upper - k * lower, 0).max()],
    "(7)": [one_step_short, lambda M: CLAIMS["(7)"](M).clip(max=M // 2 - 1)],
    "Lemma 1": [lambda M, q: kernel_matrix(M, q) - np.eye(M), lambda M, q: kernel_matrix(M, 1.0)],
    "Appendix A, cosine sum": [scaled("Appendix A, cosine sum", 1 + 1e-8)],
    "Appendix A, odd M": [scaled("Appendix A, odd M", 1 + 1e-8), raised("Appendix A, odd M", 1e-8)],
    "Appendix A, even M": [scaled("Appendix A, even M", 1 + 1e-8)],
    "(9)": [scaled("(9)", 1 + 1e-9)],
    "Theorem 1 (10)": [raised("Theorem 1 (10)", 1e-8), raised("Theorem 1 (10)", -1e-8)],
    "Theorem 1 (11)": [
        lambda M, epsilon, delta: canonical_matrix(M, epsilon * 1.0001, delta),
        lambda M, epsilon, delta: canonical_matrix(M, epsilon, delta * 0.9999),
    ],
    "Theorem 1 statement 1": [lambda M, epsilon, delta: True, lambda M, epsilon, delta: epsilon > 0],
    "Theorem 1 statement 2": [
        lambda M, epsilon, delta: M <= 3 or epsilon == delta == 0,
        lambda M, epsilon, delta: epsilon == delta == 0,
        lambda M, epsilon, delta: M == 2 or epsilon == 0,
        lambda M, epsilon, delta: M == 2,
    ],
    "Theorem 1 statement 2 proof": [
        lambda M, epsilon: CLAIMS["Theorem 1 statement 2 proof"](M, epsilon) - {(1, M - 1, M)},
        lambda M, epsilon: CLAIMS["Theorem 1 statement 2 proof"](M, epsilon) - {(2, 3)},
    ],
    "Theorem 1 statement 3 (12)": [with_one_more],
    "Theorem 1 statement 3 count": [raised("Theorem 1 statement 3 count", 1)],
    "Theorem 1 statement 3 (13)": [
        lambda M: [*CLAIMS["Theorem 1 statement 3 (13)"](M), first_row_up_to(M, 1)],
    ],
    "Fig. 1": [with_one_more, with_one_less],
    "Theorem 1 statement 4": [lambda M, epsilon, delta: epsilon > 0 or delta > 0],
    "(17)": [lambda epsilon, delta: tuple(1.0001 * letter for letter in CLAIMS["(17)"](epsilon, delta))],
    "(48)": [lambda M: M // 2 + (M > 2), raised("(48)", -1)],
    "(49)": [lambda M: M // 2 + (M > 2)],
    "Appendix B, proof of (13)": [lambda i: (i, i)],
    "(18)": [
        lambda epsilon, delta: ((CLAIMS["(18)"](epsilon, delta)[0][0], np.exp(epsilon)), (1.0, 2.0)),
        lambda epsilon, delta: tuple((low, high * 1.001) for low, high in CLAIMS["(18)"](epsilon, delta)),
    ],
    "Appendix D": [scaled("Appendix D", 1.001), scaled("Appendix D", 0.999)],
    "(19)": [lambda epsilon: CLAIMS["(19)"](epsilon) | {1: (np.exp(epsilon), np.exp(3 * epsilon))}],
    "(20), (21)": [
        lambda k: (k**2 - k, k**3 - k),
        lambda k: (k**2 - 1, k**3 - 1),
    ],
    "Corollary 1.1": [
        lambda M, epsilon, delta: ((1 - delta) / (1 + np.exp(epsilon)), (M - 1) / M),
        lambda M, epsilon, delta: (CLAIMS["Corollary 1.1"](M, epsilon, delta)[0], 1 - 1 / (M + 1)),
    ],
    "Example, M = 5": [example_with_another_entry],
    "Lemma 2 (22), (23)": [scaled("Lemma 2 (22), (23)", 0.4), raised("Lemma 2 (22), (23)", 1e-6)],
    "(50)": [scaled("(50)", 0.99), scaled("(50)", 2)],
    "Appendix C (51)": [
        lambda M, epsilon, delta: (CLAIMS["Appendix C (51)"](M, epsilon, delta)[0], least_error(M, epsilon, delta) / 2),
        lambda M, epsilon, delta: (1e-2, 1.0),
    ],
    "Lemma 2, limit": [raised("Lemma 2, limit", 1e-3)],
    "(24)": [raised("(24)", 1e-6)],
    "P* T^-1 >= 0": [lambda T, epsilon, delta: True, lambda T, epsilon, delta: epsilon < 3],
    "Theorem 2 statement 1 (25)": [
        lambda T, epsilon, delta: (canonical_matrix(len(T), epsilon, delta) @ inverse(T)).min() < -1e-12,
    ],
    "Theorem 2 statement 2 (27)": [lambda T, epsilon, delta: np.abs(inverse(T) - np.eye(len(T))).sum(axis=1).max() < 3],
    "Theorem 2 statement 2 (28)": [lambda T, epsilon, delta: np.abs(inverse(T) - np.eye(len(T))).max() < 1],
    "Theorem 2 statement 3 (29)": [
        lambda T: 1e-3,
        lambda T: None if (reach := CLAIMS["Theorem 2 statement 3 (29)"](T)) is None else min(50 * reach, 0.9),
    ],
    "Theorem 2 statement 4": [lambda T: True],
    "Theorem 2 statement 5": [lambda T, epsilon, delta: True, lambda T, epsilon, delta: False],
    "Theorem 2 statement 6": [lambda M, epsilon, delta: True],
    "(30), (31)": [scaled("(30), (31)", 8), lambda T: CLAIMS["(30), (31)"](T) * len(T)],
    "Corollary 2.1": [lambda T: True],
    "(32), (33)": [lambda T: np.eye(len(T)), lambda T: np.equal(T, T.max(axis=0)).T / 2],
    "(34)": [raised("(34)", 1e-8), raised("(34)", -1e-8)],
    "(35)": [raised("(35)", 1e-6)],
    "u0 (36)": [
        lambda T, epsilon, delta: np.eye(len(T)),
        lambda T, epsilon, delta: canonical_matrix(len(T), 1.01 * epsilon, delta),
    ],
    "u1 (37)": [mixed_too_far("u1 (37)", 1.01), mixed_too_far("u1 (37)", 0.99)],
    "u2 (42)": [mixed_too_far("u2 (42)", 1.5)],
    "u3 (46)": [mixed_too_far("u3 (46)", 1.01)],
    "Proposition 1 (47)": [lambda T, epsilon, delta: canonical_matrix(len(T), 1.1 * epsilon, delta)],
    "(38), (39)": [
        lambda T, P, theta: CLAIMS["(38), (39)"](T, P, 1.001 * theta),
        lambda T, P, theta: CLAIMS["(38), (39)"](T, P, -theta),
    ],
    "(40), (41)": [both_raised("(40), (41)", 1e-8), beyond_the_end("(40), (41)", 1.01)],
    "(43)": [beyond_the_end("(43)", 1.01), lambda T, P, beta: T],
    "(44), (45)": [both_raised("(44), (45)", 1e-8), beyond_the_end("(44), (45)", 1.01)],
    "M-PSK": [lambda M, decibels: CLAIMS["M-PSK"](M, decibels + 3)],
    "Fig. 2, high privacy": [lambda: ((0.0, 0.6),), lambda: ((10.0, 3.2),)],
    "Fig. 2, order of the curves": [lambda decibels: decibels[::-1]],
    "Fig. 2, asymptotes": [raised("Fig. 2, asymptotes", 1e-8), raised("Fig. 2, asymptotes", -1e-8)],
}


def test_every_statement_has_a_control():
    assert list(WRONG) == list(CLAIMS)


@pytest.mark.grid
@pytest.mark.parametrize(
    ("name", "claim"),
    [
        pytest.param(name, claim, id=f"{name}-{number}")
        for name, claims in WRONG.items()
        for number, claim in enumerate(claims)
    ],
)
def test_what_is_a_little_wrong_fails(name, claim):
    statement = next(each for each in paper_statements() if each.name == name)
    found = check_statement(replace(statement, claim=claim, erratum=None), REDUCED)
    assert found.verdict is Verdict.FAILS, found
    assert found.cases > 0


# --- nothing leans on what is on trial -------------------------------------------------------------------------------

NEEDS_THE_LOWER_END = (
    "(24)",
    "Theorem 2 statement 1 (25)",
    "Theorem 2 statement 4",
    "Theorem 2 statement 5",
    "Theorem 2 statement 6",
    "(34)",
    "(35)",
    "u0 (36)",
    "u1 (37)",
    "u2 (42)",
    "u3 (46)",
    "Proposition 1 (47)",
    "Fig. 2, order of the curves",
    "Fig. 2, asymptotes",
)
NEEDS_THE_UPPER_END = (
    "(24)",
    "P* T^-1 >= 0",
    "Theorem 2 statement 2 (27)",
    "Theorem 2 statement 2 (28)",
    "Theorem 2 statement 3 (29)",
    "Theorem 2 statement 5",
    "Corollary 2.1",
    "(34)",
    "(35)",
    "u0 (36)",
    "u1 (37)",
    "u2 (42)",
    "u3 (46)",
    "Proposition 1 (47)",
    "Fig. 2, high privacy",
    "Fig. 2, order of the curves",
    "Fig. 2, asymptotes",
)


def that_fail(names):
    statements = (replace(each, erratum=None) for each in paper_statements() if each.name in names)
    found = [check_statement(statement, REDUCED) for statement in statements]
    assert len(found) == len(names)
    return tuple(each.statement.name for each in found if each.verdict is Verdict.FAILS)


@pytest.fixture
def anew():
    """What is known of media is looked for again, before and after."""
    for cache in (media.behind, media.library_optimum, media.library_bounds):
        cache.cache_clear()
    yield
    for cache in (media.behind, media.library_optimum, media.library_bounds):
        cache.cache_clear()


@pytest.mark.slow
def test_an_upper_end_that_says_nothing_fails(monkeypatch, anew):
    """Of a mechanism that releases every count alike: what it reaches is above p_e*(T), and far."""
    found = media.optimum  # type: ignore[attr-defined]

    def useless(T, epsilon, delta):
        uniform = from_matrix(np.full((T.order, T.order), 1 / T.order))
        return replace(found(T, epsilon, delta), mechanism=uniform, upper=1 - 1 / T.order)

    monkeypatch.setattr(media, "optimum", useless)
    assert that_fail(NEEDS_THE_UPPER_END) == NEEDS_THE_UPPER_END


@pytest.mark.slow
def test_a_lower_end_that_says_nothing_fails(monkeypatch, anew):
    monkeypatch.setattr(media, "least_received_error", lambda T, epsilon, delta: 0.0)
    assert that_fail(NEEDS_THE_LOWER_END) == NEEDS_THE_LOWER_END


@pytest.mark.slow
def test_a_bound_that_the_library_does_not_have_fails(monkeypatch, anew):
    names = "(34)", "u0 (36)", "u1 (37)", "u2 (42)", "u3 (46)"
    monkeypatch.setattr(media, "bounds", lambda *at: [replace(bound, used=None, value=None) for bound in bounds(*at)])
    assert that_fail(names) == names


@pytest.mark.slow
def test_an_interval_of_the_library_that_is_wide_fails(monkeypatch, anew):
    found = media.optimum  # type: ignore[attr-defined]
    monkeypatch.setattr(media, "optimum", lambda *at: replace(found(*at), lower=0.0))
    assert that_fail(("(35)",)) == ("(35)",)
