"""within:T is never told of without what it costs: nearest, and under mu rounded Gaussian noise, stand beside it."""

from __future__ import annotations

import pytest

from hushcount.mechanisms import nearest, within
from hushcount.mechanisms.peers.rounded_gaussian import rounded_gaussian
from hushcount.promise import EpsilonDelta, GaussianDP, SeveralPairs
from hushcount.release.beside import Beside
from hushcount.release.law import Law

MU = GaussianDP.of("0.357")
PAIRS = SeveralPairs.of([("0.1", "0.1"), (1, 0)])


def test_the_chances_are_those_of_the_mechanisms():
    found = Beside.of(Law.of("within:5", MU), [300])
    made = {"within:5": within(300, MU, 5), "nearest": nearest(300, MU), "rounded-gaussian": rounded_gaussian(300, MU)}
    assert found.chances == {
        name: {0: one.error_probability, 5: one.probability_beyond(5)} for name, one in made.items()
    }


@pytest.mark.parametrize("promise", [EpsilonDelta.of("0.2"), EpsilonDelta.of("0.2", "1e-3"), PAIRS], ids=str)
def test_without_a_mu_there_is_no_gaussian_noise(promise):
    assert list(Beside.of(Law.of("within:2", promise), [50]).chances) == ["within:2", "nearest"]


def test_of_several_ranges_the_worst_is_told():
    found = Beside.of(Law.of("within:2", MU), [50, 7, 50])
    assert found.chances["within:2"][0] == max(within(n, MU, 2).error_probability for n in (7, 50))
    assert found.chances["nearest"][2] == max(nearest(n, MU).probability_beyond(2) for n in (7, 50))


@pytest.mark.parametrize("name", ["nearest", "canonical"])
def test_nothing_stands_beside_another(name):
    assert Beside.of(Law.of(name, EpsilonDelta.of(1)), [50]) is None


@pytest.mark.parametrize("promise", [MU, EpsilonDelta.of("0.1"), EpsilonDelta.of(1)], ids=str)
@pytest.mark.parametrize("t", [1, 2, 3, 4])
def test_where_it_is_hardly_ever_right(promise, t):
    """docs/theory.md, "Right within t": unless (n + 1) mod (2 t + 1) is one of 1..t + 1."""
    for n in range(30 * (2 * t + 1), 31 * (2 * t + 1)):
        found = Beside.of(Law.of(f"within:{t}", promise), [n])
        right = 1 - found.chances[f"within:{t}"][0]
        if 1 <= (n + 1) % (2 * t + 1) <= t + 1:
            assert right > (1 - found.chances["nearest"][0]) / 5
        else:
            assert found.is_rarely_right
            assert right < (1 - found.chances["nearest"][0]) / 50


def test_the_figures_of_the_theory_page():
    chances = Beside.of(Law.of("within:5", MU), [3000]).chances
    told = [f"{chances[name][far]:.6f}" for name in ("within:5", "rounded-gaussian", "nearest") for far in (5, 0)]
    assert told == ["0.049584", "0.999510", "0.049588", "0.858330", "0.076962", "0.858328"]
