"""What a reader is shown of cells: a minimum frequency, marks of wide sets, and controlled rounding."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, strategies as st
from receipts import receipt_of, table_receipt_of

from hushcount import interpret_table
from hushcount.errors import BadUse, InvalidParameter
from hushcount.reading import Publication
from hushcount.reading.publication import rounded_together

RECEIPT = table_receipt_of(["city"], ["a", "b", "c"], [20, 3, 14, 0], 50)


def read(receipt=RECEIPT, **rules):
    return interpret_table(receipt, level="0.95", publication=Publication(**rules))


@given(st.lists(st.integers(0, 60), max_size=12), st.integers(2, 11))
def test_rounding_is_controlled(counts, base):
    found = rounded_together(counts, base)
    assert all(each % base == 0 and abs(each - count) < base for each, count in zip(found, counts, strict=True))
    assert 2 * abs(sum(found) - sum(counts)) <= base


@given(st.lists(st.integers(0, 12), max_size=6), st.integers(2, 5))
def test_no_other_rounding_that_adds_up_is_nearer(counts, base):
    found = rounded_together(counts, base)
    ways = itertools.product(*({count - count % base, count + -count % base} for count in counts))
    errors = [sum(abs(a - b) for a, b in zip(way, counts, strict=True)) for way in ways if sum(way) == sum(found)]
    assert sum(abs(a - b) for a, b in zip(found, counts, strict=True)) == min(errors)


def test_small_counts_and_their_sets_are_left_out():
    found = read(suppress_below=10)
    table = found.to_arrow().to_pydict()
    assert table["released"] == [20, None, 14, None]
    assert table["mark"] == [None, "suppressed", None, "suppressed"]
    for name in ("lower", "upper", "confidence_set", "most_likely"):
        assert [value is None for value in table[name]] == [False, True, False, True]
    facts = found.to_dict()
    assert [spans is None for spans in facts["cells"]["confidence_sets"]] == [False, True, False, True]
    assert facts["publication"] == {
        "suppress_below": 10,
        "widest": None,
        "round_to": None,
        "counts": [20, None, 14, None],
        "marks": [None, "suppressed", None, "suppressed"],
    }
    assert " b - - - suppressed c 14 " in " ".join(str(found).split())
    assert "Suppressed: 2 of 4 released counts, those below 10." in " ".join(str(found).split())
    assert ">suppressed</td>" in found._repr_html_()


def test_no_sum_tells_what_is_suppressed():
    """Neither a sum nor an estimate of one, nor the histogram, from which the counts could be had."""
    found = read(suppress_below=10)
    text, facts = " ".join(str(found).split()), found.to_dict()
    assert "sum" not in text.replace("Sums over all cells would tell them too, and are left out.", "").lower()
    assert "istogram" not in text
    hidden = [name for name in facts if "sum" in name or "histogram" in name]
    assert len(hidden) == 7
    assert {name: facts[name] for name in (*hidden, "no_unbiased")} == dict.fromkeys((*hidden, "no_unbiased"))
    for rules in ({"suppress_below": 1, "widest": 3}, {"round_to": 5}):
        shown = interpret_table(
            table_receipt_of(["k"], ["a", "b"], [20, 14], 50), level="0.9", publication=Publication(**rules)
        )
        assert "sum of the released   34" in str(shown)
        assert shown.to_dict()["released_sum"] == 34


def test_wide_sets_are_marked():
    table = read(widest=0).to_arrow().to_pydict()
    assert table["mark"] == ["wide"] * 4
    assert table["released"] == [20, 3, 14, 0]
    span = table["upper"][0] - table["lower"][0]
    assert read(widest=span).published.marks[0] is None
    assert read(widest=span - 1).published.marks[0] == "wide"


def test_rounded_counts_stand_in_the_place_of_released_ones():
    found = read(suppress_below=2, round_to=5)
    table = found.to_arrow().to_pydict()
    assert "released" not in table
    assert table["rounded"] == [20, 0, 15, None]
    assert "rounded" in str(found).split("What each says")[1].split("\n")[1]
    assert "for the output only" in " ".join(str(found).split())
    assert found.released_sum == 37


def test_single_receipts_and_columns_with_the_same_names():
    receipts = [receipt_of("nearest", 50, 1, released=count) for count in (7, 1)]
    table = read(receipts, suppress_below=5, round_to=5).to_arrow().to_pydict()
    assert (table["cell"], table["rounded"]) == ([1, 2], [5, None])
    named = table_receipt_of(["rounded"], ["x"], [7], 50)
    assert list(read(named, round_to=5).to_arrow().column_names)[:3] == ["rounded_key", "is_other", "rounded"]


def test_rules_are_judged():
    for rules in ({"suppress_below": 0}, {"widest": -1}, {"round_to": 1}, {"round_to": 2.5}):
        with pytest.raises(InvalidParameter, match=f"{next(iter(rules))} must be an integer"):
            Publication(**rules)
    with pytest.raises(BadUse, match="at least one of suppress_below"):
        Publication()
    with pytest.raises(BadUse, match="take a level"):
        interpret_table(RECEIPT, publication=Publication(round_to=5))
