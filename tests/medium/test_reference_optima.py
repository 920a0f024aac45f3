"""Independent values of the bounds and of the optimum behind a medium."""

import json
from pathlib import Path

import pytest

from hushcount.medium import bounds, from_matrix, optimum, psk
from hushcount.medium.at_promise import AtPromise
from hushcount.promise.epsilon_delta import EpsilonDelta

DATA = Path(__file__).parent.parent / "data"
CASES = [
    *json.loads((DATA / "fixed_medium_psk.json").read_text()),
    *json.loads((DATA / "fixed_medium_matrix.json").read_text()),
]


@pytest.mark.grid
@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case.get('M', 'T')}, {case.get('es_n0_db')}, {case['epsilon']}"
)
def test_bounds_and_optimum(case):
    T = from_matrix(case["T"], normalise=True) if "T" in case else psk(case["M"], es_n0_db=case["es_n0_db"])
    found = optimum(T, case["epsilon"], case["delta"])
    assert found.width <= 1e-9
    assert found.upper == pytest.approx(case["pe_T"], abs=1e-6)
    privacy = EpsilonDelta.of(case["epsilon"], case["delta"])
    assert AtPromise(T, privacy).without.upper == pytest.approx(case["pe"], abs=1e-9)
    known = {bound.name: bound.value for bound in bounds(T, case["epsilon"], case["delta"])}
    names = ["l", "u0", "u1", "u2"] + (["u3"] if case["beta_R"] <= 1 or case["epsilon"] == 2 else [])
    for name in names:
        if known[name] is None:
            continue
        if name == "u2" and T.is_circulant:  # the reference takes one of many v, `bounds` one of the best
            assert known[name] <= case[name] + 1e-9
        else:
            assert known[name] == pytest.approx(case[name], abs=1e-6), name
    below = [value for name, value in known.items() if name != "l" and value is not None]
    assert max(known["l"], case["pe"]) <= found.lower + 1e-9
    assert found.upper <= min(below) + 1e-12
