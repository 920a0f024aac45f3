"""At least so many: the level at every smaller count, the least threshold, power, and what no private test exceeds."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from receipts import receipt_of, table_receipt_of

from hushcount import canonical, from_matrix, nearest, release_table
from hushcount.errors import BadUse, InvalidParameter
from hushcount.mechanisms import randomized_response, truncated_geometric, within
from hushcount.promise import EpsilonDelta, GaussianDP, SeveralPairs
from hushcount.reading import ThresholdTest, at_least
from hushcount.release import FROM_DATA

ALPHAS = [Fraction(1, 1000), Fraction(1, 20), Fraction(1, 3), Fraction(97, 100)]
HALF = EpsilonDelta.of("0.5", "1e-3")


def laws(n):
    """Mechanisms of every kind, with their promises."""
    yield nearest(n, "0.5"), EpsilonDelta.of("0.5", 0)
    yield nearest(n, "0.5", "1e-3"), HALF
    yield nearest(n, mu="0.7"), GaussianDP.of(mu="0.7")
    yield nearest(n, 1, "1e-3", never_invented=True), EpsilonDelta.of(1, "1e-3")
    yield canonical(n, "0.5", "1e-3"), HALF
    yield canonical(n, 2), EpsilonDelta.of(2, 0)
    yield truncated_geometric(n, "0.5"), EpsilonDelta.of("0.5", 0)
    yield randomized_response(n, 1), EpsilonDelta.of(1, 0)
    yield from_matrix(canonical(n, 2).matrix()), EpsilonDelta.of(2, 0)
    if n > 1:
        yield within(n, EpsilonDelta.of("0.5", 0), 1), EpsilonDelta.of("0.5", 0)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 12])
def test_level_and_least_threshold(n):
    """By enumeration: the level holds at every smaller count, and one released count less would break it."""
    for law, promise in laws(n):
        P = law.matrix()
        for t in range(1, n + 1):
            for alpha in ALPHAS:
                test = ThresholdTest(law, promise, t, alpha)
                worst = P[:t, ::-1].cumsum(axis=1)[:, ::-1].max(axis=0)  # Pr(released >= c), of the worst
                c = n + 1 if test.threshold is None else test.threshold
                assert c > n or worst[c] <= float(alpha) + 1e-12
                assert worst[c - 1] > float(alpha) - 1e-12
                assert test.level == pytest.approx(0 if c > n else worst[c], abs=1e-12)
                assert [test.says(j) for j in range(n + 1)] == [j >= c for j in range(n + 1)]


@pytest.mark.parametrize("n", [1, 2, 7, 12])
def test_power_and_who_is_told(n):
    for law, promise in laws(n):
        P = law.matrix()
        for t in range(1, n + 1):
            for alpha in ALPHAS:
                test = ThresholdTest(law, promise, t, alpha)
                c = n + 1 if test.threshold is None else test.threshold
                power = P[:, c:].sum(axis=1)
                assert [test.chance(i) for i in range(n + 1)] == pytest.approx(power.tolist(), abs=1e-12)
                told = [i for i in range(t, n + 1) if (power[i:] >= 0.95).all()]
                assert test.told_from() == (told[0] if told else None)
                for i in range(t - 1, n + 1):
                    assert test.chance(i) <= test.largest_chance(i) + 1e-12
                tellable = [i for i in range(t, n + 1) if test.largest_chance(i) >= 0.95]
                assert test.tellable_from() == (tellable[0] if tellable else None)


@pytest.mark.parametrize("promise", [HALF, GaussianDP.of(mu="0.7"), SeveralPairs.of([("0.5", "1e-3"), (1, "1e-6")])])
def test_tests_of_chains_are_as_good_as_their_level_allows(promise):
    """The chance of yes is f^k of that at t - 1; with it, f^k(alpha) is what no test exceeds, and is attained."""
    law = nearest(40, promise)
    test = ThresholdTest(law, promise, 15, Fraction(1, 20))
    exactly = ThresholdTest(law, promise, 15, Fraction(test.level))
    for true in range(14, 41):
        assert test.chance(true) == pytest.approx(exactly.largest_chance(true), rel=1e-9)


def test_ties_of_rationals_are_within_the_level():
    """At epsilon 0 chances are rational: 1/4 of each of 4 counts keeps alpha = 1/4 exactly."""
    for law in (nearest(3, 0), canonical(3, 0), from_matrix(np.full((4, 4), 0.25))):
        assert ThresholdTest(law, EpsilonDelta.of(0, 0), 2, Fraction(1, 4)).threshold == 3
        assert ThresholdTest(law, EpsilonDelta.of(0, 0), 2, Fraction(249, 1000)).threshold is None


def test_large_ranges():
    for law in (nearest(10**12, "0.1", "1e-6"), canonical(10**12, "1e-3")):
        test = ThresholdTest(law, law.proven_privacy or EpsilonDelta.of("1e-3", 0), 10**6, Fraction(1, 20))
        c = test.threshold
        assert c is not None
        assert c > 10**6
        assert max(law.enclosed_above(i, c - 1, 128) for i in (0, 10**6 - 1)) <= 0.05
        assert max(law.enclosed_above(i, c - 2, 128) for i in (0, 10**6 - 1)) > 0.05


def test_edges():
    receipt = receipt_of("nearest", 10, 1, released=10)
    assert at_least(receipt, 0).answers == (True,)
    assert at_least(receipt, 0).test.told_from() == at_least(receipt, 0).test.tellable_from() == 0
    assert at_least(receipt, 0).test.chance(0) == at_least(receipt, 0).test.largest_chance(0) == 1
    above = at_least(receipt, 11)
    assert above.answers == (False,)
    assert above.test.threshold is None
    assert above.test.chance(10) == above.test.level == 0
    assert above.test.told_from() is None
    assert above.test.tellable_from() is None
    assert at_least(receipt_of("nearest", 0, 1, released=0), 1).answers == (False,)
    for count in (-1, 2.5, True, "3"):
        with pytest.raises(InvalidParameter, match="count must be an integer"):
            at_least(receipt, count)
    for alpha in (0, 1, -1, 2, float("nan")):
        with pytest.raises(InvalidParameter, match="false_alarm must be"):
            at_least(receipt, 5, false_alarm=alpha)
    with pytest.raises(BadUse, match="cells of a table"):
        at_least(receipt, 5, simultaneous=True)
    with pytest.raises(InvalidParameter, match="true must be"):
        at_least(receipt, 5).test.largest_chance(3)
    with pytest.raises(InvalidParameter, match="true must be"):
        at_least(receipt, 5).test.chance(11)


def test_words_of_a_count():
    receipt = receipt_of("nearest", 500, "0.5", released=112)
    found = at_least(receipt, 100)
    assert str(found).startswith("Released count: 112, at least 100? yes\n")
    assert "  yes                   if 105 or more is released\n" in str(found)
    assert "  told with 95%         true counts from 110 on\n" in str(found)
    assert "  could be told         from 109 on, by any private test\n" in str(found)
    facts = found.to_dict()
    assert (facts["at_least"], facts["test"]["threshold"]) == (True, 105)
    assert [each["true"] for each in facts["test"]["chances"]] == [99, 100, 109, 110]
    never = at_least(receipt_of("canonical", 500, "0.5", released=112), 100)
    assert never.answers == (False,)
    assert "the answer is always no" in str(never)


def test_a_count_above_the_largest():
    """There is nothing to test, so that no chances are told."""
    cells, totals = table_receipt_of(["k"], [1, 2], [3, 4], 24), at_least(table_receipt_of(["k"], [1], [0], 0), 1)
    for found, top in [
        (at_least(cells, 5000), 24),
        (at_least(receipt_of("nearest", 7, 1, released=7), 8), 7),
        (totals, 0),
    ]:
        text = " ".join(str(found).split())
        assert f"yes never: the largest count is {top}" in text
        assert f"No released count can be {found.count:,}: the largest is {top}." in text
        assert not any(words in text for words in ("chance of yes", "some might", "told", "A no is"))


def test_totals_of_which_some_are_smaller():
    frame = pa.table({"k": ["a"] * 9 + ["b"] * 50})
    receipt = release_table(frame, "k", ["a", "b"], 1, totals=[9, 50], undeclared="left-out", source_name="t")
    found = at_least(receipt, 20)
    assert "Where the largest count of a cell is below 20, the answer is always no." in " ".join(str(found).split())
    assert "Where the largest" not in str(at_least(receipt, 9))


def test_where_the_answer_is_always_no_nothing_is_said_of_a_wrong_yes():
    text = " ".join(
        str(at_least(table_receipt_of(["k"], [1, 2], [3, 4], 500, "0.5", mechanism="canonical"), 100)).split()
    )
    assert "the answer is always no" in text
    assert "some might say yes" not in text


def test_groups_that_are_shown_are_above_what_is_never_told():
    """No count from 1 to 10 is ever told, so that a threshold there is all groups that are shown."""
    frame = pa.table({"k": ["a"] * 60})
    law = {"epsilon": 1, "delta": "1e-5", "max_count": 500, "adjacency": "add-remove", "source_name": "t"}
    receipt = release_table(frame, "k", FROM_DATA, **law)
    assert "yes                   for every group that is shown\n" in str(at_least(receipt, 8))
    assert re.search("yes                   if 5[0-9] or more is released\n", str(at_least(receipt, 50)))
    single = receipt_of("never-invented", 500, 1, "1e-5", released=60)
    assert at_least(single, 8).test.threshold < 11
    assert "yes                   if 11 or more is released\n" in str(at_least(single, 8))


def test_cells_and_all_of_them_together():
    receipt = table_receipt_of(["city"], ["a", "b", "c"], [20, 3, 14], 50)
    each, together = at_least(receipt, 10), at_least(receipt, 10, simultaneous=True)
    assert each.answers == (True, False, True)
    assert together.test.false_alarm == Fraction(1, 60)
    assert together.test.threshold > each.test.threshold
    assert each.to_arrow().to_pydict() == {
        "city": ["a", "b", "c"],
        "is_other": [False] * 3,
        "released": [20, 3, 14],
        "maximum": [50] * 3,
        "threshold": [each.test.threshold] * 3,
        "at_least": [True, False, True],
    }
    assert "Cells: 3, at least 10? yes for 2\n" in str(each)
    assert " b 3 no c 14 yes " in " ".join(str(each).split())
    assert "epsilon 2, delta 0, replace-one, for the table" in str(each)
    assert (each.to_dict()["epsilon"], each.to_dict()["table_epsilon"]) == ("1", "2")
    assert each.to_dict()["at_least"] == [True, False, True]
