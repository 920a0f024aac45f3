"""Mechanisms by name: each is called what the table calls it."""

import numpy as np
import pytest

from hushcount.errors import InvalidParameter
from hushcount.mechanisms.by_name import MECHANISMS, NEEDS_DELTA


@pytest.mark.parametrize("name", MECHANISMS)
def test_each_bears_its_name(name):
    mechanism = MECHANISMS[name](3, "0.5", "1e-6")
    assert (mechanism.name, mechanism.n) == (name, 3)


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name not in NEEDS_DELTA])
def test_most_are_there_at_delta_0(name):
    assert MECHANISMS[name](3, "0.5", 0).name == name


def test_those_that_need_a_delta_are_nothing_new_at_0():
    assert NEEDS_DELTA == ("clamped-canonical-noise", "clamped-gaussian")
    clamped, truncated = (MECHANISMS[name](3, "0.5", 0) for name in ("clamped-canonical-noise", "truncated-geometric"))
    assert np.array_equal(clamped.matrix(), truncated.matrix())
    with pytest.raises(InvalidParameter, match="delta must be"):
        MECHANISMS["clamped-gaussian"](3, "0.5", 0)
