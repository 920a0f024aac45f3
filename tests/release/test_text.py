"""The words: chances and factors are rounded to the safe side and never claim certainty that is not there."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from hushcount.mechanisms import from_matrix, nearest
from hushcount.numbers.exact import exact
from hushcount.numbers.text import plain_upper
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.release.guarantee import Guarantee
from hushcount.release.law import Law
from hushcount.release.text import explain
from hushcount.words.chances import chance_text, factor_text
from hushcount.words.printable import printable


@pytest.mark.parametrize(
    ("chance", "text"),
    [
        (0.5, "50%"),
        (0.4, "40%"),
        (0.1 + 0.2, "30%"),
        (0.60653, "60.7%"),
        (0.0451, "4.6%"),
        (0.00451, "0.46%"),
        (1e-5, "0.001%"),
        (9.99e-6, "less than 0.001%"),
        (5e-324, "less than 0.001%"),
        (0.0, "less than 0.001%"),
        (0.9549, "95.5%"),
        (0.99954, "99.954%"),
        (0.99951, "99.951%"),
        (0.99999, "99.999%"),
        (0.999991, "more than 99.999%"),
        (1.0, "more than 99.999%"),
    ],
)
def test_chance(chance, text):
    assert chance_text(chance) == text


@given(st.floats(1e-5, 0.99999))
def test_chance_is_rounded_up_by_less_than_its_last_digit(chance):
    shown = Decimal(chance_text(chance).removesuffix("%")) / 100
    assert shown < 1
    exactly = Decimal(repr(chance))
    assert (
        exactly * (1 - Decimal("1e-12"))
        <= shown
        <= exactly + min(exactly, 1 - exactly) / 10 + Decimal("0.0010001") * (exactly > Decimal("0.0999"))
    )


@pytest.mark.parametrize(
    ("epsilon", "text"),
    [
        ("1e-400", "barely more than 1"),
        ("0.001", "at most 1.01"),
        ("0.5", "at most 1.65"),
        ("1", "at most 2.72"),
        ("2.302585", "at most 10"),
        ("4.7", "at most 110"),
        ("10", "at most 22,100"),
        ("100", "less than 10^44"),
        ("1000", "less than 10^435"),
        ("1e300", "more than 10^400000"),
    ],
)
def test_factor(epsilon, text):
    assert factor_text(Fraction(epsilon)) == text


def guarantee(n, epsilon, delta=0, adjacency="replace-one", mechanism="nearest"):
    law = Law.of(mechanism, EpsilonDelta.of(epsilon, delta))
    return Guarantee.of(law, law.at(n), Adjacency.of(adjacency))


def words(*asked, **options):
    return " ".join(explain(guarantee(*asked, **options)).split())


def test_epsilon_and_delta_in_words():
    assert "a factor of at most 2.72 (e^epsilon), without exception (delta is 0)." in words(5, 1)
    assert "(e^epsilon). Delta, 1 in 3,000,000, is the chance" in words(5, 1, "1/3000000")
    assert "Delta, 20%, is the chance" in words(5, 1, "0.2")
    assert "Delta, less than 1 in 10^399, is the chance" in words(5, 1, "9e-400")
    assert "leaves the odds between them as they were, without exception" in words(5, 0)
    assert "So the released count says nothing about the data" in words(5, 0)
    assert "says nothing about the data" not in words(5, "1e-300")


def test_a_float_is_shortened_to_read():
    assert "Privacy epsilon about 0.1, delta 0, replace-one" in words(5, 0.1)


def test_the_meaning_of_the_adjacency_is_there():
    for name in ("replace-one", "add-remove"):
        assert Adjacency.of(name).meaning in words(5, 1, adjacency=name)


def test_an_audited_mechanism_is_told_from_one_that_is_private_by_proof():
    third = from_matrix([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])
    settled = guarantee(2, "0.5", "0.1", mechanism=third)
    lines = explain(settled).splitlines()
    assert lines[2:5] == [
        "Mechanism   explicit (audited)",
        "Audit       at this epsilon it takes delta 0.0878197",
        f"Contents    SHA-256 {settled.audit.matrix_sha256[:32]}...",
    ]
    assert max(map(len, lines)) <= 78
    closed = explain(guarantee(2, 1, mechanism=nearest(2, 1)))
    assert "Mechanism   nearest (audited)\nAudit       at this epsilon it takes delta 0\n\n" in closed
    assert "audited" not in explain(guarantee(2, 1))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(1, 3), "0.333334"),
        (Fraction(1, 2), "0.5"),
        (Fraction(10), "10"),
        (Fraction(1, 10**400), "1e-400"),
        (Fraction(10**20 + 1), "1.00001e+20"),
        (Fraction(0.1), "0.100001"),
    ],
)
def test_rounded_up(number, text):
    assert Fraction(plain_upper(number)) == Fraction(text)
    assert number <= exact(plain_upper(number)) <= number * Fraction(100001, 100000)


def test_printable():
    assert printable("a\tb\nc\x1b[0m\u202eé\udc80") == "a\\tb\\nc\\x1b[0m\\u202eé\\udc80"
