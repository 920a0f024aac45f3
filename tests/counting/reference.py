"""Random tables, random predicates over them, and what each predicate means in plain Python (three-valued)."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

Row = Mapping[str, Any]
Meaning = Callable[[Row], Any]

_OPERATORS = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_DAYS = st.dates(date(1999, 1, 1), date(2001, 12, 31))
_TEXTS = st.text(alphabet="abB,\"'\n\ré %_;", max_size=3)

rows = st.lists(
    st.fixed_dictionaries(
        {
            "i": st.none() | st.integers(-3, 3) | st.sampled_from([2**53, 2**53 + 1, -(2**63), 2**63 - 1]),
            "x": st.none() | st.floats(-4, 4) | st.sampled_from([math.nan, math.inf, -math.inf, 0.5, 2.0, 1e308]),
            "s": st.none() | _TEXTS,
            "b": st.none() | st.booleans(),
            "d": st.none() | _DAYS,
        }
    ),
    max_size=6,
)


@dataclass(frozen=True)
class Part:
    """SQL text and its meaning; None stands for NULL."""

    sql: str
    meaning: Meaning

    def __repr__(self) -> str:
        return self.sql


def _column(name: str) -> Part:
    def read(row: Row) -> Any:
        value = row[name]
        return None if isinstance(value, float) and math.isnan(value) else value

    return Part(name, read)


def _constant(sql: str, value: Any) -> Part:
    return Part(sql, lambda row: value)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


numbers = st.sampled_from(["0", "1", "-2", "2.5", "-0.5", "9007199254740993", "9007199254740992.5", "1e30"]).map(
    lambda sql: _constant(sql, Fraction(sql))
)
texts = _TEXTS.map(lambda text: _constant(_quoted(text), text))
days = _DAYS.map(lambda day: _constant(f"date '{day}'", day)) | _DAYS.map(lambda day: _constant(f"'{day}'", day))
number_columns = st.sampled_from([_column("i"), _column("x")])
text_columns = st.sampled_from(
    [
        _column("s"),
        Part("coalesce(s, 'b')", lambda row: "b" if row["s"] is None else row["s"]),
        Part("case when b then s else 'a' end", lambda row: row["s"] if row["b"] else "a"),
    ]
)


def _calculated(sign: str, left: Part, right: Part) -> Part:
    def meaning(row: Row) -> Any:
        a, b = left.meaning(row), right.meaning(row)
        if a is None or b is None or (sign == "/" and b == 0):
            return None
        a, b = float(a), float(b)
        result = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b}[sign]()
        return None if math.isnan(result) else result

    return Part(f"({left.sql} {sign} {right.sql})", meaning)


def _compared(sign: str, left: Part, right: Part) -> Part:
    def meaning(row: Row) -> Any:
        a, b = left.meaning(row), right.meaning(row)
        if a is None or b is None:
            return None
        if isinstance(a, float) or isinstance(b, float):  # one double makes it a comparison of doubles
            a, b = float(a), float(b)
        return _OPERATORS[sign](a, b)

    return Part(f"{left.sql} {sign} {right.sql}", meaning)


def _among(negated: bool, operand: Part, items: list[Part]) -> Part:
    tests = [_compared("=", operand, item) for item in items]

    def meaning(row: Row) -> Any:
        found = [test.meaning(row) for test in tests]
        answer = True if True in found else None if None in found else False
        return _not(answer) if negated else answer

    return Part(f"{operand.sql} {'not ' if negated else ''}in ({', '.join(item.sql for item in items)})", meaning)


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _joined(word: str, left: Part, right: Part) -> Part:
    decisive = word == "or"

    def meaning(row: Row) -> Any:
        found = (left.meaning(row), right.meaning(row))
        return decisive if decisive in found else None if None in found else not decisive

    return Part(f"({left.sql}) {word} ({right.sql})", meaning)


def _tested(words: str, operand: Part) -> Part:
    wanted = {"null": None, "true": True, "false": False}[words.rpartition(" ")[2]]

    def meaning(row: Row) -> Any:
        return (operand.meaning(row) is wanted) != ("not" in words)

    return Part(f"({operand.sql}) {words}", meaning)


def _coalesced(first: Part, second: Part) -> Part:
    def meaning(row: Row) -> Any:
        answer = first.meaning(row)
        return second.meaning(row) if answer is None else answer

    return Part(f"coalesce({first.sql}, {second.sql})", meaning)


def _chosen(when: Part, then: Part, otherwise: Part) -> Part:
    def meaning(row: Row) -> Any:
        return (then if when.meaning(row) is True else otherwise).meaning(row)

    return Part(f"case when {when.sql} then {then.sql} else {otherwise.sql} end", meaning)


def _equated(sign: str, left: Part, right: Part) -> Part:
    return _compared(sign, Part(f"({left.sql})", left.meaning), Part(f"({right.sql})", right.meaning))


_signs = st.sampled_from(sorted(_OPERATORS))
_calculations = st.builds(_calculated, st.sampled_from("+-*/"), number_columns, number_columns | numbers)
_leaves = st.one_of(
    st.builds(_compared, _signs, number_columns | _calculations, number_columns | numbers),
    st.builds(_compared, _signs, numbers, number_columns | _calculations),
    st.builds(_compared, _signs, text_columns, text_columns | texts),
    st.builds(_compared, _signs, st.just(_column("d")), days),
    st.builds(_among, st.booleans(), number_columns, st.lists(numbers, min_size=1, max_size=3)),
    st.builds(_among, st.booleans(), text_columns, st.lists(texts, min_size=1, max_size=3)),
    st.builds(_tested, st.sampled_from(["is null", "is not null"]), number_columns | _calculations | text_columns),
    st.sampled_from(
        [
            _column("b"),
            _constant("true", True),
            Part("extract(year from d) = 2000", lambda row: None if row["d"] is None else row["d"].year == 2000),
            Part("length(s) = 2", lambda row: None if row["s"] is None else len(row["s"]) == 2),
            Part("s like 'a%'", lambda row: None if row["s"] is None else row["s"].startswith("a")),
            Part("abs(i) > 1", lambda row: None if row["i"] is None else abs(row["i"]) > 1),
        ]
    ),
)
predicates = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.builds(_joined, st.sampled_from(["and", "or"]), inner, inner),
        st.builds(_equated, st.sampled_from(["=", "<>"]), inner, inner),
        st.builds(_coalesced, inner, inner),
        st.builds(_chosen, inner, inner, inner),
        inner.map(lambda part: Part(f"not ({part.sql})", lambda row: _not(part.meaning(row)))),
        st.builds(
            _tested,
            st.sampled_from(["is null", "is not null", "is true", "is not true", "is false", "is not false"]),
            inner,
        ),
    ),
    max_leaves=5,
)


def matching(table: list[dict[str, Any]], predicate: Part) -> int:
    """How many rows of the table satisfy the predicate."""
    return sum(predicate.meaning(row) is True for row in table)
