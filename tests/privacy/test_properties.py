"""The properties of [CKS18]: each with a mechanism that has it and one that has not."""

import inspect
import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import hushcount
from hushcount import canonical, from_matrix, mechanisms, nearest
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.privacy import Holding, properties

HOLDS, ROUNDING, FAILS = Holding.HOLDS, Holding.WITHIN_ROUNDING, Holding.FAILS
NAMES = [
    "fairness",
    "weak_honesty",
    "row_honesty",
    "column_honesty",
    "row_monotonicity",
    "column_monotonicity",
    "symmetry",
]

UNIFORM = np.full((4, 4), 0.25)
HALVES = np.array([[0.5, 0.5, 0, 0], [0.25, 0.5, 0.25, 0], [0, 0.25, 0.5, 0.25], [0, 0, 0.5, 0.5]])
# Geometric noise with ratio 1/2 clamped to 0..3, in thirds: its first and last columns are heavy.
CLAMPED = np.array([[16, 4, 2, 2], [8, 8, 4, 4], [4, 4, 8, 8], [2, 2, 4, 16]]) / 24
HEAVY_EDGE = np.array([[0.875, 0.0625, 0.0625], [0.75, 0.125, 0.125], [0.5, 0.25, 0.25]])


@pytest.mark.parametrize(
    ("name", "has", "has_not"),
    [
        ("fairness", HALVES, CLAMPED),
        ("weak_honesty", UNIFORM, HEAVY_EDGE),
        ("row_honesty", CLAMPED, [[0.5, 0.5], [0.75, 0.25]]),
        ("column_honesty", HALVES, HEAVY_EDGE),
        ("row_monotonicity", CLAMPED, canonical(4, 1).matrix()),
        ("column_monotonicity", HALVES, canonical(4, 1).matrix()),
        ("symmetry", HALVES, HEAVY_EDGE),
    ],
)
def test_each_property_has_an_example_and_a_counterexample(name, has, has_not):
    assert getattr(properties(has), name) is not FAILS
    assert getattr(properties(has_not), name) is FAILS


def by_definition(matrix, equal=lambda x, y: x == y, at_least=lambda x, y: x >= y):
    """The seven definitions, word by word."""
    p = np.asarray(matrix)
    M = len(p)
    counts = range(M)
    return {
        "fairness": all(equal(p[i, i], p[0, 0]) for i in counts),
        "weak_honesty": all(at_least(p[i, i] * M, 1) for i in counts),
        "row_honesty": all(at_least(p[j, j], p[i, j]) for i in counts for j in counts),
        "column_honesty": all(at_least(p[i, i], p[i, j]) for i in counts for j in counts),
        "row_monotonicity": all(
            at_least(p[i, j], p[k, j]) for j in counts for i in counts for k in counts if i <= j and k == i - 1 >= 0
        )
        and all(at_least(p[i, j], p[k, j]) for j in counts for i in counts for k in counts if i >= j and k == i + 1),
        "column_monotonicity": all(
            at_least(p[i, j], p[i, k]) for i in counts for j in counts for k in counts if j <= i and k == j - 1 >= 0
        )
        and all(at_least(p[i, j], p[i, k]) for i in counts for j in counts for k in counts if j >= i and k == j + 1),
        "symmetry": all(equal(p[i, j], p[M - 1 - i, M - 1 - j]) for i in counts for j in counts),
    }


@st.composite
def dyadic_matrices(draw):
    """Rows of sixteenths, so that floats and their sums are exact."""
    size = draw(st.integers(1, 4))
    rows = [draw(st.lists(st.integers(0, 16), min_size=size - 1, max_size=size - 1)) for _ in range(size)]
    cuts = [sorted([0, *row, 16]) for row in rows]
    return np.diff(np.array(cuts), axis=1) / 16


@given(dyadic_matrices())
def test_exact_matrices_are_decided_by_the_definition(matrix):
    found = properties(matrix)
    expected = by_definition(matrix)
    for name in NAMES:
        assert getattr(found, name) is (HOLDS if expected[name] else FAILS)


@pytest.mark.slow
@pytest.mark.parametrize("make", [canonical, nearest])
@given(n=st.integers(0, 9), epsilon=st.sampled_from([0, 0.1, 0.7, 2, 40]), delta=st.sampled_from([0, 0.01, 0.4]))
def test_closed_form_and_its_rounded_matrix_agree(make, n, epsilon, delta):
    mechanism = make(n, epsilon, delta)
    exact, rounded = properties(mechanism), properties(mechanism.matrix())
    for name in NAMES:
        assert getattr(exact, name) is not ROUNDING
        assert (getattr(exact, name) is FAILS) == (getattr(rounded, name) is FAILS)


def test_the_optima():
    """Both are fair, weakly honest and symmetric; only the canonical one is always honest, only the other can be
    monotone beyond three outcomes."""
    circle, near = properties(canonical(7, "0.1")), properties(nearest(7, "0.1"))
    for found in (circle, near):
        assert found.fairness is found.weak_honesty is found.symmetry is HOLDS
    assert circle.row_honesty is circle.column_honesty is HOLDS
    assert circle.row_monotonicity is circle.column_monotonicity is FAILS
    assert near.row_honesty is near.column_honesty is FAILS
    assert properties(nearest(7, 2)).column_monotonicity is HOLDS


def test_the_definitions_can_be_found():
    """Where `help(hushcount.privacy.properties)` shows them, and on a page; in the same words."""
    shown = " ".join(inspect.getdoc(hushcount.privacy.properties).split())
    page = (Path(__file__).parents[2] / "docs" / "properties.md").read_text()
    for row in re.findall(r"^\| ([a-z ]+) \| (.+) \| (.+) \|$", page, flags=re.MULTILINE):
        if row[0] == "property":
            continue
        assert row[0].replace(" ", "_") in NAMES
        if "monotonicity" not in row[0]:
            assert f"- {row[0]}: {row[1]}" in shown
    for name in NAMES:
        assert f"| {name.replace('_', ' ')} | " in page
        assert f"- {name.replace('_', ' ')}: " in shown
    for text in (shown, page):
        assert "transposes" in text


EXAMPLES = [
    (call, cells.strip("| ").split(" | "))
    for call, cells in re.findall(
        r"^\| `(\w+\(.+\))` (\|.*\|)$",
        (Path(__file__).parents[2] / "docs" / "properties.md").read_text(),
        flags=re.MULTILINE,
    )
]


@pytest.mark.parametrize(("call", "told"), EXAMPLES)
def test_the_examples_of_the_page(call, told):
    found = properties(eval(call, {name: getattr(mechanisms, name) for name in mechanisms.__all__}))
    assert ["no" if getattr(found, name) is FAILS else "yes" for name in NAMES] == told
    assert ROUNDING.name not in found.to_dict().values()
    assert len(EXAMPLES) == 6


def test_rounding_is_told_from_failing():
    matrix = canonical(6, "0.3").matrix()
    matrix[2, 2] = np.nextafter(matrix[2, 2], 1)
    assert properties(matrix).fairness is ROUNDING
    matrix[2, 2] *= 1 + 1e-10
    matrix[2, 3] -= matrix[2].sum() - 1
    assert properties(matrix / matrix.sum(axis=1, keepdims=True)).fairness is FAILS


def test_row_sums_count():
    """Equal floats in rows of different sums are not equal probabilities."""
    third = 1 / 3
    matrix = np.array([[third, third, third], [third, third, third + 2**-53], [third, third, third]])
    assert properties(matrix).fairness is ROUNDING
    assert properties(np.full((3, 3), third)).fairness is HOLDS


def test_output_and_refusals():
    found = properties(HALVES)
    assert list(found.to_dict()) == NAMES
    assert json.loads(json.dumps(found.to_dict()))["fairness"] == "HOLDS"
    assert properties(from_matrix(HALVES)) == found
    with pytest.raises(InvalidParameter, match="square"):
        properties([[0.5, 0.5]])
    with pytest.raises(TooLarge, match=r"up to 256 outcomes \(got 257\); use the matrix\(\)"):
        properties(nearest(256, 1))
    assert properties(nearest(256, 1).matrix()).symmetry is not FAILS


@pytest.mark.slow
def test_sums_of_rows_that_are_off_by_as_much_as_is_allowed():
    M = 2600
    off = round(0.98 * M) * 2.0**-52
    fair = 0.5 * (np.eye(M) + np.roll(np.eye(M), 1, axis=1))
    fair[0] *= 1 + off
    fair[1] *= 1 - off
    assert properties(fair).fairness is not FAILS
    dishonest = np.eye(M)
    dishonest[0, 0] = 0.5 * (1 + 1.05e-12)
    dishonest[0, 9] = 1 + off - dishonest[0, 0]
    dishonest[1, :2] = 0.5, 0.5 - off
    assert properties(dishonest).row_honesty is not HOLDS
