"""What a promise means, asked the other way round: both sides of what is found, by the definition."""

from fractions import Fraction

import brute
import mpmath
import pytest
from hypothesis import given, strategies as st

from hushcount.errors import InvalidParameter
from hushcount.numbers.three_digits import grid_number, place_at_least
from hushcount.promise import EpsilonDelta, GaussianDP, epsilon_for_odds, mu_for_epsilon, mu_for_power
from hushcount.promise.from_meaning import largest_mu_implying


def above(number):
    """The number of the grid above this one."""
    return Fraction(grid_number(place_at_least(Fraction(number)) + 1))


@given(st.fractions(1, 10**9, max_denominator=10**30))
def test_the_largest_epsilon_that_shifts_odds_by_no_more_than_a_factor(factor):
    epsilon = epsilon_for_odds(factor)
    with mpmath.workdps(160):
        assert mpmath.exp(brute.real(Fraction(epsilon))) <= brute.real(factor) < mpmath.exp(brute.real(above(epsilon)))


@given(st.floats(0.051, 0.999999))
def test_the_largest_mu_with_which_tables_are_told_apart_no_more_often(power):
    mu = mu_for_power(power)

    def told_apart(value):
        return mpmath.ncdf(-mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf("0.9")) + brute.real(value))

    with mpmath.workdps(40):
        assert told_apart(Fraction(mu)) <= power < told_apart(above(mu))


@pytest.mark.parametrize("epsilon", [0, "0.1", 1, 20])
@pytest.mark.parametrize("delta", ["1e-90", "1e-6", "0.5"])
def test_the_largest_mu_that_implies_an_epsilon_at_a_delta(epsilon, delta):
    mu = mu_for_epsilon(epsilon, delta)
    assert GaussianDP.of(mu).least_delta(Fraction(epsilon)) <= Fraction(delta)
    assert GaussianDP(above(mu) ** 2).least_delta(Fraction(epsilon)) > Fraction(delta)
    finely = largest_mu_implying(epsilon, delta)
    assert Fraction(mu) <= finely < above(mu)


def test_published_figures():
    assert str(epsilon_for_odds(3)) == "1.09"
    assert str(epsilon_for_odds(1)) == "0"
    assert str(mu_for_epsilon(1, "1e-6")) == "0.236"
    assert str(mu_for_power("0.1")) == "0.363"


def test_what_is_found_means_what_was_asked():
    assert GaussianDP.of(mu_for_epsilon(1, "1e-6")).least_epsilon(Fraction(1, 10**6)) <= 1
    assert "a factor of at most 2.98" in EpsilonDelta.of(epsilon_for_odds(3)).protection("a", "b")
    assert " at most 10% of the time." in GaussianDP.of(mu_for_power("0.1")).protection("a", "b")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: epsilon_for_odds("0.99"), "odds must be a number >= 1"),
        (lambda: epsilon_for_odds("nan"), "odds must be"),
        (lambda: mu_for_power("0.05"), "power must be a number > 0.05 and < 1"),
        (lambda: mu_for_power(1), "power must be a number > 0.05 and < 1"),
        (lambda: mu_for_power("0." + "05" + 120 * "0" + "1"), "power must be larger: it needs a mu below"),
        (lambda: mu_for_epsilon(1, 0), "delta must be a number > 0 and < 1"),
        (lambda: mu_for_epsilon(-1, "0.1"), "epsilon must be a finite number >= 0"),
        (lambda: mu_for_epsilon("1e10", "0.1"), "epsilon must be at most 1,000,000,000"),
        (lambda: mu_for_epsilon(0, "1e-200"), "delta must be larger: it needs a mu below"),
    ],
)
def test_refusals(ask, message):
    with pytest.raises(InvalidParameter, match=message):
        ask()
