"""Which predicates are read, and what they become."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from hushcount.counting import parse_predicate
from hushcount.errors import HushcountError, NoSuchColumn, PredicateRefused


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("age>=65", "age >= 65"),
        ("age != 3 and not (a or b)", "age <> 3 AND NOT (a OR b)"),
        ("a or b and c", "a OR (b AND c)"),
        ("NOT a = b", "NOT (a = b)"),
        ("x is null or x isnull", "x IS NULL OR x IS NULL"),
        ("x is not null", "x IS NOT NULL"),
        ("f is not true", "f IS NOT TRUE"),
        ("a not in (1, -2, 'x')", "a NOT IN (1, -2, 'x')"),
        ("a not between 1 and 2", "a NOT BETWEEN 1 AND 2"),
        ("s not like 'a%_'", "s NOT LIKE 'a%_'"),
        ("s = 'it''s'", "s = 'it''s'"),
        ('"Wei ""rd" = 1', '"Wei ""rd" = 1'),
        ("date > date '2024-01-31'", "\"date\" > DATE '2024-01-31'"),
        ("t < timestamp '2024-01-31T05:06'", "t < TIMESTAMP '2024-01-31 05:06:00'"),
        ("a + 2 * b - -1 > .5", "((a + (2 * b)) - -1) > 0.5"),
        ("a % 2 = 0", "(a % 2) = 0"),
        ("lower(trim(s)) = 'x'", "lower(trim(s)) = 'x'"),
        ("Quarter(d) = 2", "extract(quarter FROM d) = 2"),
        ("extract(YEAR from d) = 2024", "extract(year FROM d) = 2024"),
        ("case a when 1 then 'x' else 'y' end = 'x'", "CASE WHEN a = 1 THEN 'x' ELSE 'y' END = 'x'"),
        ("coalesce(f, false)", "coalesce(f, FALSE)"),
        ("flag", "flag"),
        ("TRUE", "TRUE"),
        ("(((a)))", "a"),
    ],
)
def test_normal_form(text: str, normal: str) -> None:
    predicate = parse_predicate(text)
    assert predicate.sql == normal
    assert parse_predicate(normal) == predicate


def test_columns_are_listed_once_in_order() -> None:
    assert parse_predicate("b > 1 and a in (1) or b is null or coalesce(c, a) = 1").columns == ("b", "a", "c")


def test_column_names_must_match_exactly() -> None:
    assert parse_predicate("Age = 1", ["Age", "sex"]).columns == ("Age",)
    with pytest.raises(NoSuchColumn, match=r"no such column: 'age'; did you mean 'Age'\?"):
        parse_predicate("age = 1", ["Age", "sex"])
    with pytest.raises(NoSuchColumn) as caught:
        parse_predicate("\"statsu\" = 'active'", ["status"])
    assert caught.value.suggestion == "status"
    with pytest.raises(NoSuchColumn) as caught:
        parse_predicate("qqq = 1", ["status"])
    assert caught.value.suggestion is None


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ('region = "North"', "no such column: 'North'; a text is in single quotes: 'North'"),
        ("region = North", "no such column: 'North'; a text is in single quotes: 'North'"),
        ("age > 1 AND NOT North <> region", "no such column: 'North'; a text is in single quotes: 'North'"),
        ("lower(region) = north", "no such column: 'north'; a text is in single quotes: 'north'"),
        ("region BETWEEN North AND 'S'", "no such column: 'North'; a text is in single quotes: 'North'"),
        ('region = "O\'Brien"', "no such column: \"O'Brien\"; a text is in single quotes: 'O''Brien'"),
        (f"region = {'x' * 61}", f"no such column: '{'x' * 59}...; a text is in single quotes"),
        ("region IN (\"North\", 'S')", "the list after IN may hold literals only; a text is in single quotes: 'North'"),
        ('region LIKE "N%"', "the pattern after LIKE must be a string literal; a text is in single quotes: 'N%'"),
        ("region = Age", "no such column: 'Age'; a text is in single quotes: 'Age'; did you mean 'age'?"),
        ("North = 'x'", "no such column: 'North'"),
        ("region = lower(North)", "no such column: 'North'"),
        ("North = South", "no such column: 'North'"),
        ("North IS NULL", "no such column: 'North'"),
        ("region LIKE lower('N%')", "the pattern after LIKE must be a string literal"),
    ],
)
def test_a_text_in_the_wrong_quotes_is_told_so(text: str, end: str) -> None:
    with pytest.raises(PredicateRefused) as caught:
        parse_predicate(text, ["region", "age"])
    assert str(caught.value).endswith(end)


@given(st.text(alphabet="ab1.'\"()<>=-+*/% \n;:?$[]{}~|&^#@!\\,_eEé\u200b", max_size=20))
def test_no_text_escapes_the_error_tree(text: str) -> None:
    try:
        predicate = parse_predicate(text)
    except PredicateRefused:
        return
    assert parse_predicate(predicate.sql) == predicate


_WORDS = ["a", "b", "1", "2.5", "'t'", "(", ")", "(", ")", ",", ".", "=", "<>", "<", ">=", "+", "-", "*", "/", "%"]
_WORDS += ["and", "or", "not", "in", "is", "null", "true", "between", "like", "case", "when", "then", "else", "end"]
_WORDS += ["from", "extract", "lower", "coalesce", "abs", "date", "timestamp", "'2024-01-01'", "select", "over", "cast"]
_WORDS += ["as", "if", "interval", "escape", "distinct"]


@given(st.lists(st.sampled_from(_WORDS), max_size=10))
def test_no_sequence_of_words_escapes_the_error_tree(words: list[str]) -> None:
    try:
        predicate = parse_predicate(" ".join(words))
    except PredicateRefused:
        return
    assert parse_predicate(predicate.sql) == predicate


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "a" + ")" * 5000,
        "(" * 4990 + "a" + ")" * 4990,
        "a" + " or a" * 5000,
        "not " * 2400 + "a",
        "a = " + "- " * 4900 + "1",
        "case when a then " * 500 + "1" + " end" * 500 + " = 1",
        "1 = " + "a+" * 4000 + "a",
        "lower(" * 1600 + "s" + ")" * 1600 + " = 'x'",
        "a" + " is null" * 1200,
        "a = " + "'x' " * 2000,
    ],
)
def test_size_and_depth_have_clean_limits(text: str) -> None:
    with pytest.raises(PredicateRefused, match=r"too long|too deeply|not among"):
        parse_predicate(text)


def test_a_long_chain_is_no_deep_tree() -> None:
    text = " or ".join(["a"] * 1990)
    assert parse_predicate(text).sql.count(" OR ") == 1989


def test_a_predicate_shows_no_tree_in_its_repr() -> None:
    assert repr(parse_predicate("a > 1")) == "Predicate(sql='a > 1', columns=('a',))"


def test_only_text_is_a_predicate() -> None:
    with pytest.raises(HushcountError, match="must be text"):
        parse_predicate(3)
