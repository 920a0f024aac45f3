"""How charges add up: exactly, or by their composed privacy loss."""

from __future__ import annotations

import sys
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st
from ledgers import question

from hushcount.errors import BadUse, BudgetExceeded, InvalidParameter
from hushcount.ledger import Accounting, Ledger, create_budget
from hushcount.ledger.accounting import MOST_COUNTED, fits_tightly, left_over, more_that_fit, total_of
from hushcount.numbers.exact import exact, exact_text
from hushcount.numbers.text import decimal_at_most
from hushcount.privacy import compose
from hushcount.promise.epsilon_delta import EpsilonDelta

AMOUNTS = st.one_of(
    st.decimals(0, "0.3", places=4).map(exact),
    st.floats(0, 0.3).map(exact),
    st.fractions(0, Fraction(3, 10), max_denominator=10**6),
)


def pair(epsilon, delta=0):
    return EpsilonDelta.of(epsilon, delta)


@pytest.mark.slow
@given(st.lists(st.tuples(AMOUNTS, AMOUNTS), max_size=12))
def test_basic_accounting_is_the_sum_of_fractions(prices):
    left, spent = pair(1, "0.9"), Counter()
    for epsilon, delta in prices:
        price = pair(epsilon, delta)
        rest = left_over(left, price)
        sums = total_of(spent + Counter([price]))
        assert (rest is not None) == (sums[0] <= 1 and sums[1] <= Fraction(9, 10))
        if rest is not None:
            left, spent = rest, spent + Counter([price])
            assert (left.epsilon, left.delta) == (1 - sums[0], Fraction(9, 10) - sums[1])


@given(st.fractions(0, 10**6), st.integers(1, 9))
def test_a_decimal_one_may_ask_for(number, digits):
    below = exact(decimal_at_most(number, digits))
    assert below <= number
    if number:
        # The next decimal of so many digits is too large.
        unit = Fraction(10) ** (len(str(int(number))) - digits) if number >= 1 else None
        assert unit is None or below + unit > number
        assert number < 10 ** (-digits) or below > number * (1 - Fraction(10) ** (1 - digits))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("0", "0"),
        ("1/3", "0.333333"),
        ("2", "2"),
        ("1e-400", "1e-400"),
        ("0.1234567", "0.123456"),
        ("123456789", "123456000"),
    ],
)
def test_decimals(number, text):
    assert decimal_at_most(exact(number)) == text


def test_a_decimal_has_no_more_bits_than_may_be_asked_for():
    number = Fraction(1, 2**4095 - 1)
    text = decimal_at_most(number)
    assert 0 < exact(text) <= number
    assert exact_text(exact(text)) == text


def most(total, price):
    return more_that_fit(total, price, 0)


@pytest.mark.slow
def test_tight_accounting_lets_more_through_and_never_more_than_it_says():
    granted = most(pair(1, "1e-6"), pair("0.01"))
    assert granted > 400
    assert (
        compose([("0.01", 0)] * granted, "1e-6").epsilon <= 1 < compose([("0.01", 0)] * (granted + 1), "1e-6").epsilon
    )


def test_tight_accounting_takes_what_the_exact_sum_takes():
    """The float that compose gives for 3/10 is above it."""
    assert fits_tightly(pair("0.3"), pair("0.1"), 3)
    assert not fits_tightly(pair("0.3"), pair("0.1"), 4)
    assert not fits_tightly(pair("0.3"), pair("0.1000000001"), 3)


def test_tight_accounting_counts_delta():
    total = pair(1, "1e-6")
    assert fits_tightly(total, pair("0.5", "1e-6"), 1)
    assert not fits_tightly(total, pair("0.5", "0.9"), 1)
    assert not fits_tightly(total, pair("0.1", "6e-7"), 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "price", [("0.01", 0), ("0.01", "1e-10"), ("1/3", "1e-9"), (1, 0), (2, 0), (0, "1e-7"), (0.1, 0)]
)
def test_what_fits_is_counted(price):
    total, price = pair(1, "1e-6"), pair(*price)
    counted = most(total, price)
    assert counted == 0 or fits_tightly(total, price, counted)
    assert not fits_tightly(total, price, counted + 1)
    for times in {0, 1, counted // 2, counted, counted + 5}:
        assert more_that_fit(total, price, times) == max(counted - times, 0)


def test_counting_ends():
    assert most(pair(1), pair(0)) == most(pair(0), pair(0)) == MOST_COUNTED


@pytest.fixture
def tight(place):
    made = create_budget(place, "people", 1, "1e-6", composition="tight")
    assert (made.terms.accounting, made.left, made.more) == (Accounting.TIGHT, made.terms.total, None)
    return Ledger(place)


def test_a_tight_budget(tight):
    total, price = pair(1, "1e-6"), pair("0.25", "1e-8")
    covered = most(total, price)
    assert covered >= 4
    for number in range(covered):
        assert tight.charge("people", question(f"id = {number}", "0.25", "1e-8")).charge.left is None
        found = tight.budget("people")
        more = covered - number - 1
        assert (found.more, found.left) == (more, price if more else pair(0))
    with pytest.raises(BudgetExceeded) as caught:
        tight.charge("people", question("one more", "0.25", "1e-8"))
    assert caught.value.remaining == pair(0)
    assert (found.spent_epsilon, found.spent_delta) == (covered * Fraction(1, 4), covered * exact("1e-8"))
    assert tight.verify().is_intact


@pytest.mark.parametrize("price", [("0.2", 0), ("0.05", 0), ("0.1", "1e-9"), (0.1, 0), (0, 0)])
def test_under_tight_accounting_the_first_charge_settles_the_price(tight, price):
    """Prices chosen by earlier answers would not compose; see [RRUV16]."""
    tight.charge("people", question("a", "0.1"))
    with pytest.raises(
        BadUse, match=r"all charges of a budget have the price of the first, here epsilon 0\.1, delta 0"
    ):
        tight.charge("people", question("b", *price))
    assert len(tight.history("people")) == 1
    tight.charge("people", question("b", "1/10"))
    assert tight.verify().is_intact


def test_a_refused_first_charge_settles_nothing(tight):
    with pytest.raises(BudgetExceeded) as caught:
        tight.charge("people", question("a", 3))
    assert caught.value.remaining == pair(1, "1e-6")
    tight.charge("people", question("a", "0.1"))


def test_tight_accounting_needs_dp_accounting(monkeypatch, file):
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    monkeypatch.setitem(sys.modules, "dp_accounting.pld", None)
    with pytest.raises(BadUse, match=r"hushcount\[composition\]"):
        create_budget(file, "people", 1, "1e-6", composition="tight")
    create_budget(file, "people", 1, "1e-6")


def test_accountings_explain_themselves():
    for accounting in Accounting:
        assert accounting.meaning.endswith(".")
    with pytest.raises(InvalidParameter, match="one of basic, tight"):
        create_budget("x", "people", 1, composition="advanced")
