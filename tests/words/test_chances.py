"""Chances in words: rounded to the safe side, and never certain where they are not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from hushcount.words.chances import at_least_as_often, how_often


@pytest.mark.parametrize(
    ("chance", "said"),
    [
        (0.4621171572600098, "in at least 46.2% of releases"),
        (0.4, "in at least 40% of releases"),
        (1 - 1e-9, "in more than 99.999% of releases"),
        (1e-9, "in less than 0.001% of releases"),
        (0.99991, "in at least 99.991% of releases"),
        (0.0012345, "in at least 0.12% of releases"),
        (1.0, "in more than 99.999% of releases"),
    ],
)
def test_how_often_at_least(chance, said):
    assert at_least_as_often(chance) == said


@given(st.floats(1e-4, 1 - 1e-4))
def test_a_chance_is_between_both(chance):
    (least,) = re.findall(r"at least ([0-9.]+)%", at_least_as_often(chance))
    (most,) = re.findall(r"at most ([0-9.]+)%", how_often(chance))
    assert float(least) <= 100 * chance * (1 + 1e-9)
    assert float(most) >= 100 * chance * (1 - 1e-9)
    assert float(most) - float(least) <= 0.1 + 1e-9
