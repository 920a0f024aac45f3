"""What a count that a chain drew says about the true one, at any size: sets of the construction, by bisection."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from hushcount import epsilon_for, interpret, nearest
from hushcount.mechanisms import within
from hushcount.mechanisms.chain.gaussian_chain import GivenGaussianChain
from hushcount.mechanisms.chain.point_chain import GivenPointChain
from hushcount.mechanisms.peers.rounded_gaussian import RoundedGaussian
from hushcount.promise import EpsilonDelta, GaussianDP, SeveralPairs
from hushcount.reading.confidence import _is_accepted, confidence_sets, likeliest_counts, likelihoods, ranges
from hushcount.release import release_count

PAIRS = SeveralPairs.of([("0.5", "0.001"), ("0.2", "0.05")])
CHAINS = {
    "mu": lambda n: nearest(n, mu="0.4"),
    "mu small": lambda n: nearest(n, mu="0.01"),
    "mu large": lambda n: nearest(n, mu=7),
    "several pairs": lambda n: nearest(n, PAIRS),
    "within, mu": lambda n: within(n, t=2, mu="0.4"),
    "within": lambda n: within(n, "0.3", 2, "0.01"),
    "rounded": lambda n: RoundedGaussian(n, GaussianDP.of("0.4")),
}
LEVELS = [Fraction(1, 2), Fraction(19, 20), Fraction(9999, 10000)]


def accepted(mechanism, released, level):
    """By the construction, true count after true count."""
    counts = range(mechanism.n + 1)
    return ranges(true for true in counts if _is_accepted(mechanism, true, abs(true - released), 1 - level))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 12, 33])
@pytest.mark.parametrize("name", CHAINS)
def test_sets_of_chains_are_those_of_the_construction(name, n):
    mechanism = CHAINS[name](n)
    assert mechanism.is_steady
    for level in LEVELS:
        found = list(confidence_sets(mechanism, range(n + 1), level))
        assert found == [accepted(mechanism, released, level) for released in range(n + 1)]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 12, 33])
@pytest.mark.parametrize("name", CHAINS)
def test_likeliest_counts_of_chains_have_the_largest_entries(name, n):
    mechanism = CHAINS[name](n)
    for released, found in enumerate(likeliest_counts(mechanism, range(n + 1))):
        column = likelihoods(mechanism, released, range(n + 1))
        told = [true for first, last in found for true in range(first, last + 1)]
        assert (column[told] >= column.max() * (1 - 1e-11)).all()


def test_a_chain_that_is_not_steady_is_scanned():
    """Thresholds close together low down and far apart above: a set need not be an interval."""
    shifts = GivenGaussianChain(6, GaussianDP.of(1), (3.0, 2.0, -2.0, -1.0, -0.0, -5.0))
    assert not shifts.is_steady
    points = GivenPointChain(4, EpsilonDelta.of(2), (0.9, 0.5, 0.15, 0.8))
    assert not points.is_steady
    for mechanism in (shifts, points):
        found = list(confidence_sets(mechanism, range(mechanism.n + 1), Fraction(1, 2)))
        assert found == [accepted(mechanism, j, Fraction(1, 2)) for j in range(mechanism.n + 1)]


@pytest.mark.parametrize("promise", [GaussianDP.of("0.3"), PAIRS], ids=["mu", "pairs"])
@pytest.mark.parametrize("n", [5000, 10**6, 10**12])
def test_sets_of_large_ranges(promise, n):
    mechanism, level = nearest(n, promise), Fraction(19, 20)
    for released in (0, 3, n // 2, n - 1):
        ((first, last),) = next(confidence_sets(mechanism, [released], level))
        assert first <= released <= last
        for true, is_inside in ((first, True), (last, True), (first - 1, False), (last + 1, False)):
            if 0 <= true <= n:
                assert _is_accepted(mechanism, true, abs(true - released), 1 - level) == is_inside
        ((low, high),) = next(likeliest_counts(mechanism, [released]))
        around = [true for true in range(low - 2, high + 3) if 0 <= true <= n]
        column = likelihoods(mechanism, released, around)
        assert column.max() <= likelihoods(mechanism, released, [low])[0] * (1 + 1e-11)


def test_a_receipt_in_mu_of_many_rows_is_read(tmp_path):
    data = tmp_path / "rows.csv"
    data.write_text("a\n" + "1\n" * 5000)
    receipt = release_count(data, "a = 1", mu=1)
    found = interpret(receipt)
    assert found.confidence_set[0][0] <= receipt.released <= found.confidence_set[-1][1]
    assert json.loads(json.dumps(found.to_dict()))["released"] == receipt.released
    assert epsilon_for(5000, 5, "0.9") > 0
