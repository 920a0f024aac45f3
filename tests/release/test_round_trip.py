"""Counts that add up: the least change, found by trying all."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, strategies as st

from hushcount import release_table, round_trip
from hushcount.errors import InvalidParameter


def squares(one, other):
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


@st.composite
def cases(draw):
    tops = draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    released = [draw(st.integers(0, top)) for top in tops]
    return released, draw(st.integers(0, sum(tops))), tops


@given(cases())
def test_it_is_the_least_change(case):
    released, total, tops = case
    found = round_trip(released, total, tops)
    assert sum(found) == total
    assert all(0 <= count <= top for count, top in zip(found, tops, strict=True))
    others = [other for other in product(*(range(top + 1) for top in tops)) if sum(other) == total]
    assert squares(found, released) == min(squares(other, released) for other in others)
    assert round_trip(found, total, tops) == found


@pytest.mark.parametrize(
    ("released", "total", "maximum", "expected"),
    [
        ([5, 5, 5], 16, 9, [6, 5, 5]),
        ([5, 5, 5], 17, 9, [6, 6, 5]),
        ([5, 5, 5], 14, 9, [5, 5, 4]),
        ([0, 9, 5], 3, 9, [0, 3, 0]),
        ([0, 9, 5], 0, 9, [0, 0, 0]),
        ([0, 9, 5], 27, 9, [9, 9, 9]),
        ([3, 3], 6, [3, 3], [3, 3]),
        ([], 0, 5, []),
        ([2**70, 0], 2**70 + 1, 2**70, [2**70, 1]),
        ([2**62 - 1] * 4, 4 * (2**62 - 1) - 5, 2**62 - 1, [2**62 - 2] * 3 + [2**62 - 3]),
    ],
)
def test_by_hand(released, total, maximum, expected):
    found = round_trip(released, total, maximum)
    assert found == expected
    assert all(type(count) is int for count in found)


def test_many_cells():
    released = [cell % 11 for cell in range(10_000)]
    found = round_trip(released, sum(released) + 12_345, 10)
    assert sum(found) == sum(released) + 12_345
    assert {after - before for before, after in zip(released, found, strict=True)} <= {0, 1, 2}


@pytest.mark.parametrize(
    ("released", "total", "maximum", "message"),
    [
        ([1, 2], 7, 3, "total must be at most 6"),
        ([1, 2], -1, 3, "total must be an integer >= 0"),
        ([1, 2], 1.5, 3, "total must be an integer"),
        ([1, 4], 5, 3, "released must be counts from 0 to their maxima"),
        ([1, -1], 5, 3, "released must be an integer >= 0"),
        ([1, 2], 3, [3], "maximum must be one count, or one for each of the 2 cells"),
        ([1, 2], 3, "33", "maximum must be one count"),
        (None, 3, 3, "released must be released counts"),
    ],
)
def test_bad_input(released, total, maximum, message):
    with pytest.raises(InvalidParameter, match=f"^{message}"):
        round_trip(released, total, maximum)


def test_a_receipt_is_not_its_counts(tmp_path):
    (tmp_path / "t.csv").write_text("k\na\n")
    receipt = release_table(tmp_path / "t.csv", "k", ["a"], 1)
    with pytest.raises(InvalidParameter, match=r"^released must be the counts of a receipt, receipt\.released"):
        round_trip(receipt, 1, receipt.maximum)
    assert sum(round_trip(receipt.released, 1, receipt.maximum)) == 1
