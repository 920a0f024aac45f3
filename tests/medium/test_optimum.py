"""The certified optimum behind a medium: promises of width, and what happens where the solver fails."""

import numpy as np
import pytest
from media_of_kinds import case as hard

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.linear_program import methods, solver as solver_module
from hushcount.linear_program.methods import Method
from hushcount.medium import Behind, Medium, Verdict, from_matrix, optimum, pam, psk, rounding
from hushcount.medium.certified import optimum as optimum_module
from hushcount.medium.certified.chain import interior_point
from hushcount.medium.certified.medium_optimum import Basis

STALLED = {"solver": "simplex", "simplex_iteration_limit": 0, "presolve": "off"}


def lossy():
    return psk(8, es_n0_db=0), 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("M", "decibels", "epsilon"), [(8, 0, 1), (8, 5, "1.8"), (16, 8, 1), (16, 10, 2), (24, 12, 1), (32, 15, 1)]
)
@pytest.mark.parametrize("delta", ["0", "1e-6", "0.01"])
def test_widths_are_as_promised(M, decibels, epsilon, delta):
    found = optimum(psk(M, es_n0_db=decibels), epsilon, delta)
    assert found.width <= (1e-9 if M <= 16 else 1e-7)


def test_first_method_that_works_ends_it():
    found = optimum(*lossy())
    assert (found.basis, found.tries, found.stopped) == (Basis.LINEAR_PROGRAM, (Method.SIMPLEX,), ())


@pytest.fixture
def broken_chain(monkeypatch):
    monkeypatch.setattr(interior_point, "MOST_STEPS", 1)


def test_a_failing_method_is_followed_by_the_next_and_both_are_reported(monkeypatch):
    good = optimum(*lossy())
    monkeypatch.setitem(solver_module.OPTIONS, Method.SIMPLEX, STALLED)
    found = optimum(*lossy())
    assert found.tries == (Method.SIMPLEX, Method.CHAIN)
    assert found.stopped == (Method.SIMPLEX,)
    assert found.upper == pytest.approx(good.upper, abs=1e-9)
    assert found.to_dict()["tries"] == ["SIMPLEX", "CHAIN"]
    assert found.to_dict()["stopped"] == ["SIMPLEX"]
    assert "stopped" not in str(found)  # of what came to an end, nothing is left open


@pytest.mark.parametrize("M", [8, 16])
def test_where_our_own_method_fails_highs_is_next(M, monkeypatch, broken_chain):
    monkeypatch.setattr(optimum_module, "_AT_ONCE", 8)
    monkeypatch.setitem(solver_module.OPTIONS, Method.SIMPLEX, STALLED)
    found = optimum(psk(M, es_n0_db=3), 1)
    first = (Method.SIMPLEX, Method.CHAIN) if M == 8 else (Method.CHAIN, Method.SIMPLEX)
    assert found.tries == (*first, Method.CROSSOVER)
    assert found.width <= 1e-9


def test_where_all_methods_fail_the_bounds_remain(monkeypatch, broken_chain):
    good = optimum(*lossy())
    for method in Method:
        monkeypatch.setitem(solver_module.OPTIONS, method, STALLED)
    found = optimum(*lossy())
    assert found.tries == (Method.SIMPLEX, Method.CHAIN, *solver_module.SMALL[1:])
    assert found.stopped == solver_module.SMALL
    assert found.lower <= good.lower
    assert found.upper >= good.upper - 1e-9
    assert 0 <= found.lower <= found.upper <= 1


def test_steps_are_limited(monkeypatch, broken_chain):
    monkeypatch.setattr(methods, "_DEAR_STEPS", 0)
    monkeypatch.setattr(methods, "_FIRST_STEPS", 0)
    found = optimum(psk(24, es_n0_db=12), 1)
    assert found.tries == (Method.CHAIN, *solver_module.SMALL)
    assert found.stopped == solver_module.SMALL
    assert found.lower <= found.upper


def test_bounds_alone_may_settle_it():
    assert optimum(psk(8, es_n0_db=20), 1).basis is Basis.WITHOUT_MEDIUM
    assert optimum(psk(8, es_n0_db=-10), 2).basis is Basis.MEDIUM_ALONE


def test_one_symbol():
    found = optimum([[1.0]], 1)
    assert (found.lower, found.upper, found.mechanism.entries.tolist()) == (0.0, 0.0, [[1.0]])


def test_least_absolute_error_is_certified():
    medium = pam(6, es_n0_db=6)
    plain, least = optimum(medium, 1), optimum(medium, 1, least_absolute_error=True)
    assert plain.least_absolute_error is None
    assert least.least_absolute_error <= least.absolute_error <= plain.absolute_error + 1e-9
    assert least.absolute_error == pytest.approx(least.least_absolute_error, abs=1e-6)
    assert least.width <= 1.2e-9


UNREACHED = [(rounding(5, 3), 4, 0), (rounding(5, 3), 40, 0.01)]
UNREACHED += [
    (case.medium, case.epsilon, case.delta) for case in (hard("identity", 4), hard("bits", 0), hard("cascade", 2))
]


@pytest.mark.parametrize(("medium", "epsilon", "delta"), UNREACHED)
def test_the_least_absolute_error_is_reached(medium, epsilon, delta):
    # also where a symbol never arrives, and where the solver's tolerance is as large as what the width leaves
    found = optimum(medium, epsilon, delta, least_absolute_error=True)
    assert 0 <= found.absolute_error - found.least_absolute_error <= 1e-5


@pytest.mark.slow
def test_256_symbols_have_a_linear_program():
    assert optimum(Medium(np.eye(256), "wide"), 1).width <= 1e-9


@pytest.mark.parametrize("delta", ["0", "0.01"])
@pytest.mark.parametrize(
    ("medium", "verdict"),
    [
        (psk(260, es_n0_db=20), Verdict.LOSSY),
        (psk(260, es_n0_db=31), Verdict.LOSSY),
        (psk(260, es_n0_db=45), Verdict.LOSSLESS),
        (from_matrix(psk(260, es_n0_db=45).matrix[::-1]), Verdict.UNDECIDED),  # not circulant, so without an inverse
        (from_matrix(psk(260, es_n0_db=20).matrix[::-1]), Verdict.LOSSY),
    ],
    ids=["lossy", "open", "lossless", "turned", "turned-and-lossy"],
)
def test_beyond_256_symbols_bounds_and_what_is_known_of_circulant_media_remain(medium, verdict, delta):
    found = Behind.of(medium, 1, delta)
    best = found.optimum
    assert (best.basis is Basis.BOUNDS) == (best.width > 1e-10)
    assert best.lower == max(found.without.lower, found.l.value)
    assert best.upper <= min(bound.value for bound in (*found.uppers, found.u5)) + 1e-12
    assert ("above 256 symbols" in " ".join(str(best).split())) == (best.basis is Basis.BOUNDS)
    assert found.losslessness.verdict is verdict
    if medium == psk(260, es_n0_db=31):
        assert best.width > 0.01
    if verdict is Verdict.LOSSLESS:
        assert found.losslessness.gap <= 1e-9
    with pytest.raises(TooLarge, match="up to 256 symbols"):
        optimum(medium, 1, delta, least_absolute_error=True)


@pytest.mark.parametrize(("epsilon", "delta"), [(-1, 0), (float("nan"), 0), ("x", 0), (1, 1), (1, -0.1), (1, "nan")])
def test_bad_promises(epsilon, delta):
    with pytest.raises(InvalidParameter, match=r"^(epsilon|delta) must"):
        optimum(np.eye(3), epsilon, delta)
