"""One changed row moves a count by at most 1, or is an error: what a predicate means for a row depends on that row
alone."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from hushcount.counting import ReadOptions, count_matching
from hushcount.errors import BadData, PredicateRefused

from .conftest import Write

Row = Sequence[Any]
Counter = Callable[[Sequence[Row], str], int]

_SMALL = ["0", "1", "-0", "+2", "5", "-3", "20240131", "4503599627370497", "9007199254740992"]
_LARGE = ["9007199254740993", "-9007199254740993", "1152921504606846976", "9223372036854775807"]
_HUGE = ["9223372036854775808", "1" + "0" * 30, "1000000000000000019884624838656", "9" * 38]
_FRACTIONS = ["1.0", "0.1", "5.5", "1e5", "1e30", "-1e-3", "inf", "-inf", "9007199254740992.0", "4503599627370497.5"]
_WORDS = ["x", "007", "9" * 39, '""', '"nan"', "a b", " 1", "nAn", "1e999", '"x"', "NULL", "true", "1", "1.0"]
_DATES = ["1999-12-31", "2024-01-31", "2024-02-01"]
_TIMES = [*_DATES, "31.12.1999", "2024-01-31T05:06", "2024-01-31 00:00", "2024-01-31 05:06:00Z"]
_TRUTHS = ["true", "FALSE", "True"]
_MISSING = ["", "nan", "NaN", "NAN"]
_TWISTS = ["x", "5.5", "1" + "0" * 30, "5", "inf", "", "nan", '"nan"', "2024-01-31", "2024-01-31 05:06", "31.12.1999"]
_TWISTS += ["true", "9007199254740993", "007"]
_FIELDS = {
    "number": [_SMALL, _SMALL + _MISSING, _SMALL + _LARGE, _LARGE + _HUGE, _SMALL + _FRACTIONS, _MISSING],
    "text": [_WORDS, _WORDS + _MISSING, _DATES, ["31.12.1999"], _TIMES[4:6], _TIMES, _TRUTHS, ["1", "1.0"], _MISSING],
    "time": [_DATES, _DATES + _MISSING, ["31.12.1999"], _TIMES[4:6], _TIMES[6:], _MISSING],
    "truth": [_TRUTHS, _TRUTHS + _MISSING, _MISSING],
}
_INTEGERS = [0, 1, 2, 5, -3, 20240131, 2**52 + 1, 2**53, None]
_REALS = [1.0, 0.1, 5.5, float("inf"), 1e30, 2.0**53, 2.0**52 + 1]
_VALUES: dict[str, list[list[Any]]] = {
    "number": [_INTEGERS, [2**53 + 1, -(2**53) - 1, 2**60, 2**63 - 1, *_INTEGERS], [*_INTEGERS, *_REALS], [None]],
    "text": [["x", "1", "1.0", "true", "nan", "", None], [*_TIMES], [None]],
    "time": [[*_DATES, None], _TIMES[4:6], _TIMES[6:], [None]],
    "truth": [[0, 1], [0, 1, None], [None]],
}
_SQLITE_TWISTS: list[Any] = ["x", 5.5, 2**60, 5, float("inf"), None, "2024-01-31", "2024-01-31 05:06", 0, 2]
_PINNED = {"number": ["integer", "number"], "text": ["text"], "time": ["date", "timestamp"], "truth": ["boolean"]}
_DECLARED = {
    "number": ["INTEGER", "REAL", "NUMERIC"],
    "text": ["TEXT", "STRING"],
    "time": ["DATE", "DATETIME"],
    "truth": ["BOOLEAN"],
}

_NUMBERS = ["1", "5.5", "0.1", "0.10000000000000000001", "1.00000000000000000001", "9007199254740992"]
_NUMBERS += ["9007199254740993", "9007199254740992.5", "4503599627370497.2", "1e30", "1" + "0" * 30, "1e39"]
_NEAR = ["0.1", "0.10000000000000000001", "9007199254740993", "9007199254740992"]
_LITERALS = {
    "number": _NUMBERS,
    "text": ["'x'", "''", "'1'", "'nan'", "'true'", "'2024-01-31'", "'1999-12-31'", "'2024-01-31 05:06'"],
    "time": ["date '2024-01-31'", "date '1999-12-31'", "timestamp '2024-01-31 05:06:00'", "'2024-01-31'"],
    "truth": ["true", "false"],
}
_COLUMNS = st.sampled_from(["u", "v"])


def _terms(family: str, depth: int) -> st.SearchStrategy[str]:
    """Terms that are to be of one family; whether they are is up to the table."""
    literals = st.sampled_from(_LITERALS[family])
    leaves = [_COLUMNS, _COLUMNS, literals]
    if depth == 0:
        return st.one_of(leaves)
    inner = _terms(family, depth - 1)
    chosen = [
        st.builds("coalesce({}, {})".format, inner, inner | st.just("null")),
        st.builds("case when {} is null then {} else {} end".format, _COLUMNS, inner, inner),
        st.builds("case when {} = {} then {} end".format, _COLUMNS, literals, inner),
    ]
    own = {
        "number": [
            st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner),
            inner.map("abs({})".format),
            inner.map("({} % 2)".format),
        ],
        "text": [st.builds("{}({})".format, st.sampled_from(["lower", "upper", "trim"]), inner)],
    }
    return st.one_of(*leaves, *leaves, *chosen, *own.get(family, []))


def _tests(family: str) -> st.SearchStrategy[str]:
    terms, literals = _terms(family, 1), st.sampled_from(_LITERALS[family])
    near = st.sampled_from(_NEAR) if family == "number" else literals
    signs = st.sampled_from(["=", "<>"] if family == "truth" else ["=", "<>", "<", "<=", ">", ">="])
    lists = st.lists(literals, min_size=1, max_size=3).map(", ".join)
    tests = [
        st.builds("{} {} {}".format, _COLUMNS, signs, literals),
        st.builds("{} {} {}".format, _COLUMNS, signs, _COLUMNS),
        st.builds("coalesce({}, {}) {} {}".format, _COLUMNS, _COLUMNS | near, signs, near),
        st.builds("{} {} {}".format, terms, signs, _terms(family, 2)),
        st.builds("{} in ({})".format, terms, lists),
        terms.map("{} is null".format),
    ]
    if family != "truth":
        tests.append(st.builds("{} between {} and {}".format, terms, terms, terms))
    own = {
        "text": [_COLUMNS.map("{} like '%1%'".format), _COLUMNS.map("length({}) = 1".format)],
        "time": [st.builds("extract({} from {}) = 31".format, st.sampled_from(["day", "year"]), _COLUMNS)],
        "truth": [_COLUMNS, terms.map("({}) is true".format)],
    }
    return st.one_of(*tests, *own.get(family, []))


def _predicates(family: str) -> st.SearchStrategy[str]:
    tests = _tests(family)
    return st.one_of(
        tests,
        tests,
        st.builds("({}) {} ({})".format, tests, st.sampled_from(["and", "or", "="]), tests),
        tests.map("not ({})".format),
        st.builds("coalesce({}, {})".format, tests, tests),
    )


_ALL_PREDICATES = {family: _predicates(family) for family in _LITERALS}


@dataclass(frozen=True)
class Case:
    """Rows, other rows one of which is added to them, a predicate, and the declared types of the two columns."""

    rows: list[Row]
    others: list[Row]
    where: str
    types: dict[str, str]


@st.composite
def cases(
    draw: st.DrawFn, pools: Mapping[str, Sequence[Sequence[Any]]], twists: Sequence[Any], types: Mapping[str, list[str]]
) -> Case:
    """Columns and a predicate of one family, and rows that could turn a column into another type.

    The first three twists (a text, a fraction, a large integer) are always tried.
    """
    family = draw(st.sampled_from(sorted(pools)))
    u, v = (st.sampled_from(draw(st.sampled_from(pools[family]))) for _ in range(2))
    twist, known = st.sampled_from(twists), st.sampled_from([value for pool in pools[family] for value in pool])
    rows = draw(st.lists(st.tuples(u, v), min_size=3, max_size=8))
    other = st.one_of(twist.map(lambda value: (value, value)), st.tuples(twist, twist), st.tuples(known, known))
    others = [(value, value) for value in twists[:3]] + draw(st.lists(other, min_size=1, max_size=3))
    declared = draw(st.just({}) | st.dictionaries(_COLUMNS, st.sampled_from(types[family]), max_size=2))
    return Case(rows, others, draw(_ALL_PREDICATES[family]), declared)


csv_cases = cases(_FIELDS, _TWISTS, _PINNED)
sqlite_cases = cases(_VALUES, _SQLITE_TWISTS, _DECLARED)
date_formats = st.sampled_from(["%Y-%m-%d", "%Y-%m-%d", "%d.%m.%Y", "%Y%m%d"])


def spread(rows: Sequence[Row], others: Sequence[Row], counter: Counter, where: str) -> list[int]:
    """The counts in all tables of three times `rows` and one of `others`, where they are defined."""
    found = []
    for other in others:
        try:
            found.append(counter([*rows, *rows, *rows, other], where))
        except (BadData, PredicateRefused):
            continue
    return found


def csv_counter(folder: str, options: ReadOptions) -> Counter:
    def counter(rows: Sequence[Row], where: str) -> int:
        path = Path(folder) / "table.csv"
        path.write_text("k,u,v\n" + "".join(f"1,{u},{v}\n" for u, v in rows), encoding="utf-8")
        return count_matching(path, where, options).matching

    return counter


def sqlite_counter(folder: str, declared: Mapping[str, str]) -> Counter:
    def counter(rows: Sequence[Row], where: str) -> int:
        path = Path(folder) / "table.db"
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(f"CREATE TABLE t (u {declared['u']}, v {declared['v']})")
            connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
            connection.commit()
        return count_matching(path, where).matching

    return counter


@pytest.mark.slow
@given(csv_cases, date_formats)
@settings(max_examples=200, deadline=None)
def test_one_row_of_a_csv_moves_a_count_by_at_most_one(case: Case, date_format: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        counter = csv_counter(folder, ReadOptions(types=case.types, date_format=date_format))
        found = spread(case.rows, [case.rows[0], *case.others], counter, case.where)
    assert not found or max(found) - min(found) <= 1


@pytest.mark.slow
@given(sqlite_cases)
@settings(max_examples=100, deadline=None)
def test_one_row_of_a_sqlite_table_moves_a_count_by_at_most_one(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder:
        counter = sqlite_counter(folder, {"u": "", "v": "", **case.types})
        found = spread(case.rows, [case.rows[0], *case.others], counter, case.where)
    assert not found or max(found) - min(found) <= 1


_BIG = "9007199254740992"
_GERMAN = {"date_format": "%d.%m.%Y"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "others", "where", "options"),
    [
        ("nan", ["2", "x", "nan"], "v is null", {}),
        ("nan", ["2", "x", "nan"], "v = v", {}),
        ("nan", ["2", "x", '"nan"'], "coalesce(v, v) is null", {}),
        ("31.12.1999", ["01.02.2024", "x"], "v < '2024-01-31'", _GERMAN),
        ("31.12.1999", ["01.02.2024", "x", "2024-01-31"], "v < date '2024-01-31'", _GERMAN),
        ("2024-01-31T05:06", ["2024-01-31 05:06", "x"], "v = '2024-01-31 05:06'", {}),
        ("2024-01-31", ["2024-01-31 05:06", "x"], "v in ('2024-01-31')", {}),
        ("2024-01-31", ["2024-01-31 05:06", "x", ""], "v < timestamp '2024-01-31 05:06:00'", {}),
        (_BIG, ["5", "5.5", "inf"], "v = 9007199254740993", {}),
        (_BIG, ["5", "5.5"], "v in (9007199254740993, 1)", {}),
        (_BIG, ["5", "5.5"], "v < 9007199254740993", {}),
        ("4503599627370497", ["5", "5.5"], "v = 4503599627370497.2", {}),
        ("1", ["5", "5.5"], "v = 1.00000000000000000001", {}),
        ("9007199254740993", ["5", "5.5", "1" + "0" * 30], "coalesce(v, 0) = 9007199254740993", {}),
        ("9007199254740993", ["5", "1" + "0" * 30], "coalesce(v, 0.5) = 9007199254740993", {"types": {"v": "integer"}}),
        ("", ["5", "5.5", ""], "coalesce(v, 0.1) = 0.10000000000000000001", {}),
        ("", ["5", "5.5", ""], "coalesce(v + 1, 0.1) = 0.10000000000000000001", {}),
        ("", ["5", "5.5", ""], "coalesce(v, 9007199254740993) = 9007199254740993", {}),
        ("", ["0.5", ""], "coalesce(k, v) = 9007199254740993", {"types": {"v": "number", "k": "integer"}}),
        ("true", ["x", "FALSE", "1"], "v = 'true'", {}),
        ("007", ["7", "x"], "v = '007'", {}),
        ('"nan"', ["7", "x"], "v = 'nan'", {}),
    ],
)
def test_pairs_of_csv_files_that_once_were_a_thousand_apart(
    write: Write, field: str, others: list[str], where: str, options: dict[str, Any]
) -> None:
    found = []
    for other in others:
        path = write("k,v\n" + f"9007199254740993,{field}\n" * 1000 + f"1,{other}\n")
        try:
            found.append(count_matching(path, where, ReadOptions(**options)).matching)
        except (BadData, PredicateRefused):
            continue
    assert not found or max(found) - min(found) <= 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("row", "others"),
    [
        (("1.0", "1"), [("x", "x"), ("2", "2"), ("2.5", "x")]),
        (("true", "TRUE"), [("x", "x"), ("false", "false")]),
        (("2024-01-31", "2024-01-31"), [("x", "x"), ("2024-01-31 00:00", "2024-01-31")]),
    ],
)
@pytest.mark.parametrize(
    "where", ["u = v", "u between v and v", "coalesce(u, v) = v", "case u when v then true else false end", "u = u"]
)
def test_two_columns_whose_types_the_data_tell_are_not_compared(
    tmp_path: Path, row: Row, others: list[Row], where: str
) -> None:
    for counter in (csv_counter(str(tmp_path), ReadOptions()), sqlite_counter(str(tmp_path), {"u": "", "v": ""})):
        for other in others:
            with pytest.raises(PredicateRefused, match=r"get their types from the data|do not go together"):
                counter([row] * 3 + [other], where)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("types", "where"),
    [
        ({}, "u + 0 = v"),
        ({}, "coalesce(u, v, 0) = v"),
        ({}, "coalesce(u, v) = 1"),
        ({}, "u between 1 and v + 0"),
        ({}, "u is null and v is null or u = 1 and v = 1"),
        ({"u": "number"}, "u = v"),
        ({"v": "integer"}, "u = v"),
        ({"u": "number", "v": "number"}, "u in (1, 2) and case when u = v then v else u end = u"),
    ],
)
def test_two_columns_are_compared_once_the_predicate_says_what_they_are(
    tmp_path: Path, types: dict[str, str], where: str
) -> None:
    counter = csv_counter(str(tmp_path), ReadOptions(types=types))
    assert counter([("1", "1")] * 3 + [("7", "2")], where) == 3
    with pytest.raises((BadData, PredicateRefused)):
        counter([("1", "1")] * 3 + [("x", "x")], where)


def test_one_fraction_beside_integers_that_it_would_round_is_an_error(write: Write) -> None:
    assert count_matching(write("v\n9007199254740993\n5\n"), "v = 9007199254740993").matching == 1
    path = write("v\n9007199254740993\n5.5\n")
    with pytest.raises(BadData, match=r"column 'v' mixes fractions with an integer beyond 2\*\*53.*--type v=number"):
        count_matching(path, "v = 5.5")
    assert count_matching(path, "v = 5.5", ReadOptions(types={"v": "number"})).matching == 1
    assert count_matching(write("v\n9007199254740992\n5.5\n"), "v = 9007199254740992").matching == 1
    path = write("u,v\n9007199254740993,5\n1,5.5\n")
    with pytest.raises(BadData, match=r"column 'u' is used with fractions"):
        count_matching(path, "coalesce(u, v) = 5.5")


@pytest.mark.slow
@pytest.mark.parametrize("declared", ["DATE", "DATETIME", "TIMESTAMP", "INTEGER", "REAL", "DOUBLE PRECISION"])
def test_a_misfit_in_a_declared_sqlite_column_is_never_a_text(tmp_path: Path, declared: str) -> None:
    counter = sqlite_counter(str(tmp_path), {"u": declared, "v": "TEXT"})
    for where in ("u is null", "u = u", "coalesce(u, u) is null"):
        with pytest.raises(BadData, match=f"column 'u' is declared {declared}") as caught:
            counter([(None, "x"), ("secret", "x")], where)
        assert "secret" not in str(caught.value)
    for where in ("u = 'x'", "u = v", "lower(u) = 'secret'"):
        with pytest.raises(PredicateRefused, match=r"go together|is not text|compared with"):  # by the declaration
            counter([(None, "x"), ("secret", "x")], where)


def test_a_declared_sqlite_column_is_as_good_as_a_pinned_one(tmp_path: Path) -> None:
    assert sqlite_counter(str(tmp_path), {"u": "INTEGER", "v": "REAL"})([(1, 1.0), (2, 5), (None, None)], "u = v") == 1
    assert sqlite_counter(str(tmp_path), {"u": "TEXT", "v": "VARCHAR(9)"})([("a", "a"), ("1", 1)], "u = v") == 2
    dates = [("2024-01-31", "2024-01-31"), ("2024-02-01", None)]
    assert sqlite_counter(str(tmp_path), {"u": "DATE", "v": "DATE"})(dates, "u = v or u = '2024-02-01'") == 2
