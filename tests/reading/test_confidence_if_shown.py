"""Confidence sets of groups that are seen only if they are released as more than 0: coverage among those."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from hushcount import nearest
from hushcount.promise import SeveralPairs
from hushcount.reading.confidence import confidence_set, confidence_sets

LEVEL = Fraction(95, 100)
PAIRS = SeveralPairs.of([(1, "1e-5"), ("0.5", "1e-2")])


@pytest.mark.parametrize(
    ("n", "promise"),
    [(200, (1, "1e-5")), (12, (1, "1e-5")), (60, ("0.5", "0.01")), (60, (0, "0.01")), (80, (PAIRS,)), (1, (1, "0.1"))],
)
@pytest.mark.parametrize("level", [LEVEL, Fraction(1, 2), Fraction(999, 1000)])
def test_coverage_given_that_it_is_shown(n, promise, level):
    """For i = 1..50, in chances of the law over that of being shown; the set is what the construction says."""
    law = nearest(n, *promise, never_invented=True)
    counts = range(law.least_shown, n + 1)
    sets = dict(zip(counts, confidence_sets(law, counts, level, if_shown=True), strict=True))
    assert all(len(spans) == 1 and 1 <= spans[0][0] <= j <= spans[0][1] <= n for j, spans in sets.items())
    for i in range(1, min(n, 50) + 1):
        row = law.pmf(i) / law.chance_shown(i)
        inside = {j for j in counts if sets[j][0][0] <= i <= sets[j][0][1]}
        assert sum(row[j] for j in inside) >= float(level) - 1e-12
        reach = next(t for t in range(n + 1) if row[max(1, i - t) : i + t + 1].sum() >= float(level) - 1e-12)
        assert inside == {j for j in counts if abs(i - j) <= reach}


def test_a_released_12():
    """The unconditional set would cover a shown group of 5 never, and is had by leaving the condition out."""
    law = nearest(40, 1, "1e-5", never_invented=True)
    assert next(confidence_sets(law, [12], LEVEL, if_shown=True)) == ((1, 15),)
    assert confidence_set(law, 12, LEVEL)[0][0] > 5


def test_a_large_cap():
    law = nearest(10**9, 1, "1e-5", never_invented=True)
    assert next(confidence_sets(law, [12], LEVEL, if_shown=True)) == ((1, 15),)
    far = next(confidence_sets(law, [10**6], LEVEL, if_shown=True))
    assert far == confidence_set(nearest(10**9, 1, "1e-5"), 10**6, LEVEL)


def test_no_count_is_the_likeliest():
    """Why none is told (docs/theory.md): for small released counts, the likelihood and that given that the group is
    shown point to counts far apart; where they agree, it is on the released count, or next to it."""

    def likeliest_two_ways(n, epsilon, delta):
        law = nearest(n, epsilon, delta, never_invented=True)
        matrix, shown = law.matrix()[1:], np.array([law.chance_shown(i) for i in range(1, n + 1)])
        return {
            j: (int(matrix[:, j].argmax()) + 1, int((matrix[:, j] / shown).argmax()) + 1)
            for j in range(law.least_shown, n + 1)
        }

    found = likeliest_two_ways(40, 1, "1e-5")
    assert (found[11], found[12]) == ((11, 1), (12, 1))
    assert all(found[j] == (j, j) for j in range(13, 41))
    found = likeliest_two_ways(200, "0.1", "1e-6")
    assert [found[j] for j in (109, 110, 118, 119)] == [(109, 1), (110, 2), (118, 10), (119, 119)]


@pytest.mark.parametrize(
    ("n", "promise"), [(40, (1, "1e-5")), (60, ("0.5", "0.01")), (60, (0, "0.01")), (80, (PAIRS,)), (9, (3, "0.2"))]
)
def test_given_that_it_is_shown_the_least_count_is_told_of_one_unit_most_often(n, promise):
    """At every promise: so the likeliest count given that it is shown would be 1 there, and says nothing."""
    law = nearest(n, *promise, never_invented=True)
    given = [law.pmf(i, law.least_shown) / law.chance_shown(i) for i in range(1, n + 1)]
    assert all(after <= before + 1e-12 for before, after in pairwise(given))
    assert given[0] > given[-1]
