"""The value that a file of a mechanism holds."""

import pickle
from fractions import Fraction
from hashlib import sha256
from struct import pack

import numpy as np
import pytest

from hushcount import EpsilonDelta, Mechanism, audit, compose, from_matrix
from hushcount.errors import BadUse, InvalidParameter
from hushcount.saved import SavedMechanism
from hushcount.saved.mechanism import matrix_sha256

ROWS = [[0.5, 0.5, 0.0], [0.25, 0.5, 0.25], [0.0, 0.125, 0.875]]
CLAIM = EpsilonDelta.of("1/3", "1e-400")


def saved(**changes):
    return SavedMechanism(**{"entries": ROWS, "claim": CLAIM, "name": "mine", "notes": {"loss": "absolute"}, **changes})


def test_is_the_mechanism_of_its_matrix():
    mechanism, plain = saved(), from_matrix(ROWS)
    assert isinstance(mechanism, Mechanism)
    assert np.array_equal(mechanism.matrix(), plain.matrix())
    assert mechanism.quantile(1, Fraction(3, 4)) == plain.quantile(1, Fraction(3, 4)) == 1
    assert mechanism.expected_squared_error() == plain.expected_squared_error()
    assert set(mechanism.draw(np.zeros(100, dtype=int)).tolist()) == {0, 1}


def test_a_claim_proves_nothing():
    """Whatever asks a mechanism what it promises must not be told what some file says."""
    mechanism = saved()
    assert (mechanism.claim, mechanism.epsilon, mechanism.delta) == (CLAIM, None, None)
    assert audit(mechanism).verdict is None
    with pytest.raises(BadUse, match="promises no epsilon"):
        compose([mechanism], 0)


def test_is_a_value():
    assert saved() == saved(entries=np.array(ROWS))
    assert len({saved(), saved(entries=np.array(ROWS))}) == 1
    assert pickle.loads(pickle.dumps(saved())) == saved()
    for change in (
        {"claim": EpsilonDelta.of("1/3")},
        {"name": "other"},
        {"notes": {}},
        {"notes": {"loss": "squared"}},
        {"entries": np.eye(3)},
        {"entries": [[0.5, np.nextafter(0.5, 1), 0.0], *ROWS[1:]]},
    ):
        assert saved(**change) != saved()
    assert saved() != from_matrix(ROWS)


def test_nobody_can_change_it():
    given, notes = np.array(ROWS), {"loss": "absolute"}
    mechanism = saved(entries=given, notes=notes)
    given[0], notes["loss"] = 0, "none"
    assert mechanism == saved()
    with pytest.raises(ValueError, match="read-only"):
        mechanism.entries[0, 0] = 1
    with pytest.raises(TypeError):
        mechanism.notes["loss"] = "none"


def test_minus_zero_is_zero():
    mechanism = saved(entries=[[1.0, -0.0], [-0.0, 1.0]])
    assert not np.signbit(mechanism.entries).any()
    assert mechanism == saved(entries=np.eye(2))
    assert matrix_sha256(np.array([[1.0, -0.0], [-0.0, 1.0]])) == mechanism.sha256


def test_sha256_is_that_of_the_doubles_row_by_row():
    assert saved().sha256 == sha256(pack("<9d", *(entry for row in ROWS for entry in row))).hexdigest()
    transposed_in_memory = np.asfortranarray(ROWS)
    assert matrix_sha256(transposed_in_memory) == matrix_sha256(transposed_in_memory.astype(">f8")) == saved().sha256


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"entries": [[0.5, 0.4], [0, 1]]}, "^row 0 of matrix must sum to 1"),
        ({"entries": [[0.5, 0.5]]}, "^matrix must be square"),
        ({"claim": (1, 0)}, "^claim must be a promise, such as an EpsilonDelta"),
        ({"name": ""}, "^name must be one line of 1 to 60 "),
        ({"name": "x" * 61}, "^name must be one line of 1 to 60 "),
        ({"name": "a\nb"}, "^name must be one line"),
        ({"name": "a\x1b[0m"}, "^name must be one line"),
        ({"name": "\udc80"}, "^name must be one line"),
        ({"name": " a"}, "^name must be one line"),
        ({"name": None}, "^name must be one line"),
        ({"notes": [("a", "b")]}, "^notes must be a mapping"),
        ({"notes": {f"k{i}": "x" for i in range(101)}}, "^notes must be a mapping from key to text, of at most 100"),
        ({"notes": {"A": "x"}}, "^the key of a note must be "),
        ({"notes": {"": "x"}}, "^the key of a note must be "),
        ({"notes": {"a" * 41: "x"}}, "^the key of a note must be "),
        ({"notes": {1: "x"}}, "^the key of a note must be "),
        ({"notes": {"n": "x"}}, "^the key of a note must be "),
        ({"notes": {"loss": ""}}, "^note loss must be one line of 1 to 10,000 "),
        ({"notes": {"loss": 1}}, "^note loss must be one line"),
        ({"notes": {"loss": "x" * 10_001}}, "^note loss must be one line"),
    ],
)
def test_refused(changes, message):
    with pytest.raises(BadUse, match=message):
        saved(**changes)


def test_the_largest_that_are_taken():
    notes = {f"k-{i}_{'a' * 30}": "é" * 10_000 for i in range(100)}
    assert dict(saved(name="ñ" * 60, notes=notes).notes) == notes


def test_the_matrix_is_judged_as_everywhere():
    with pytest.raises(InvalidParameter, match="must be of real numbers"):
        saved(entries=[[True]])
