"""One predicate, one count: DuckDB, SQLite, PostgreSQL and Spark find what plain Python finds, or refuse.

The rule is that of docs/predicates.md. What an engine refuses is listed here, so that no refusal comes or goes unseen.
"""

from __future__ import annotations

import math
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

from hushcount.counting import OpenTable, ReadOptions, count_matching
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.completion import completed
from hushcount.counting.cells.group_files import read_group
from hushcount.counting.cells.keys import Keys, group_list
from hushcount.counting.declared.place import place_of
from hushcount.counting.declared.units import Unit
from hushcount.counting.meaning.conditions import compile_predicate
from hushcount.counting.predicate.groups import FromFile
from hushcount.counting.predicate.predicate import parse_predicate
from hushcount.counting.sources.formats import engine_for, open_source
from hushcount.errors import BadData, PredicateRefused

from .reference import Part, matching, predicates, rows

NAN, INF = math.nan, math.inf
_SCHEMA = pa.schema(
    [
        ("i", pa.int64()),
        ("j", pa.int32()),
        ("x", pa.float64()),
        ("y", pa.float64()),
        ("s", pa.string()),
        ("b", pa.bool_()),
        ("d", pa.date32()),
        ("ts", pa.timestamp("us")),
        ("tz", pa.timestamp("us", tz="UTC")),
        ("m", pa.decimal128(18, 3)),
        ("f", pa.float32()),
    ]
)
_NOON = datetime(2024, 2, 29, 12, 0, 0, 1)
_LATE = datetime(2023, 12, 31, 23, 30, tzinfo=UTC)
_ROWS_OF_ALL_BUT_SINGLES: list[tuple[Any, ...]] = [
    (2**53, 3, 0.1, 2.0, "a", True, date(2024, 2, 29), _NOON, _LATE, Decimal("0.100")),
    (2**53 + 1, -7, NAN, 0.5, "B", False, date(2023, 12, 31), datetime(2024, 1, 1), _LATE, Decimal("-1.250")),
    (-(2**63), 0, INF, NAN, "é", None, date(1, 1, 1), datetime(1, 1, 1), None, Decimal("999999999999999.999")),
    (2**63 - 1, 2**31 - 1, -INF, 1e-300, "e\u0301", True, date(9999, 12, 31), None, _LATE.replace(year=1969), None),
    (0, -(2**31), 0.0, -0.0, "", False, None, datetime(9999, 12, 31, 23, 59, 59, 999999), None, Decimal("0")),
    (None, None, None, None, None, None, None, None, None, None),
    (-3, 5, 1e308, 1e308, " a\u00a0 ", True, date(2000, 2, 29), _NOON, _LATE.replace(hour=0), Decimal("2.500")),
    (7, 2, 5e-324, 0.5, "Straße İ", True, date(2024, 2, 28), _NOON, None, Decimal("2.499")),
    (12, 2, -2.5, 2.5, "ΑΣ a_b%c\\d'\"", None, date(1582, 10, 10), datetime(1500, 3, 1), None, Decimal("-0.001")),
    (2**62 + 1, 9, 2.0**53, 2.0**53 + 2, "\U0001f642z", False, date(1970, 1, 1), _NOON, _LATE, Decimal("3.000")),
    (10, 10, 9.5, 3.0, "\uffee", True, date(2024, 3, 1), _NOON, _LATE, Decimal("7")),
    (-7, 1, -7.5, 2.0, "x\n \n", False, date(1900, 1, 1), _NOON, _LATE, Decimal("1.000")),
    (100, 64, 0.30000000000000004, 0.3, "${x} $1", True, date(2024, 2, 29), _NOON, None, Decimal("0.3")),
]
_HIGHEST_SINGLE = 2.0**128 - 2.0**104
_TENTH, _SOME = 13421773 / 2**27, 8808038 / 2**22
"""The singles nearest to 0.1 and 2.1."""
_SINGLES = [_SOME, _TENTH, INF, NAN, -0.0, None, 2.0**24, 2.0**-149, _HIGHEST_SINGLE, 2.5, -_SOME, _TENTH, _SOME]
TABLE = [(*row, single) for row, single in zip(_ROWS_OF_ALL_BUT_SINGLES, _SINGLES, strict=True)]
_NAMES = tuple(_SCHEMA.names)
_KINDS = ("bigint", "integer", "double precision", "double precision", "text", "boolean", "date", "timestamp")
_KINDS += ("timestamptz", "numeric(18, 3)", "real")


@dataclass(frozen=True)
class Case:
    """A predicate, the columns it looks at, and what it means of values that are not missing (else it is unknown)."""

    where: str
    columns: str
    meaning: Callable[..., bool | None]
    strict: bool = True

    def matching(self) -> int:
        found = 0
        for row in TABLE:
            cells = [_known(row[_NAMES.index(name)]) for name in self.columns.split()]
            found += (None if self.strict and None in cells else self.meaning(*cells)) is True
        return found


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def _simple(text: str, case: str) -> str:
    """Lower or upper case, one character for one."""
    other = {"İ": "i", "ß": "ß"} if case == "lower" else {"ß": "ẞ"}
    return "".join(other.get(letter) or getattr(letter, case)() for letter in text)


def _remainder(a: float, b: float) -> float:
    return math.fmod(a, b)


def _over(value: float | Decimal | None, bound: int) -> bool | None:
    return None if value is None else value > bound


def _has_a(text: str | None) -> bool | None:
    return None if text is None else "a" in text


def _and(a: bool | None, b: bool | None) -> bool | None:
    return False if False in (a, b) else None if None in (a, b) else True


def _or(a: bool | None, b: bool | None) -> bool | None:
    return True if True in (a, b) else None if None in (a, b) else False


def _long(x: float | None, s: str | None, m: Decimal | None) -> bool | None:
    return _and(_over(x, 0), _or(_has_a(s), _over(m, 1)))


_UTC = datetime(2023, 12, 31, 23, 30, tzinfo=UTC)
CASES = [
    # Integers, exactly
    Case("i = 9007199254740993", "i", lambda i: i == 2**53 + 1),
    Case("i < 9007199254740992.5", "i", lambda i: i <= 2**53),
    Case("i > 9223372036854775806", "i", lambda i: i == 2**63 - 1),
    Case("i >= 9223372036854775808", "i", lambda i: False),
    Case("i = -9223372036854775808", "i", lambda i: i == -(2**63)),
    Case("i <> 9223372036854775808", "i", lambda i: True),
    Case("i in (7, 9007199254740993, -9223372036854775808, 2.5)", "i", lambda i: i in (7, 2**53 + 1, -(2**63))),
    Case("i not in (7, 9007199254740993)", "i", lambda i: i not in (7, 2**53 + 1)),
    Case("i between -3 and 9007199254740992", "i", lambda i: -3 <= i <= 2**53),
    Case("i > j", "i j", lambda i, j: i > j),
    Case("j = 2.0", "j", lambda j: j == 2),
    # Doubles: NaN is missing, equality is that of doubles
    Case("x = 0.1", "x", lambda x: x == 0.1),
    Case("x = 0.3", "x", lambda x: x == 0.3),
    Case("x > 1e300", "x", lambda x: x > 1e300),
    Case("not x <= 1e300", "x", lambda x: x > 1e300),
    Case("x <> 0.1", "x", lambda x: x != 0.1),
    Case("x is null", "x", lambda x: x is None, strict=False),
    Case("x = x", "x", lambda x: True),
    Case("x < y", "x y", lambda x, y: x < y),
    Case("x = 9007199254740993", "x", lambda x: False),
    Case("y = 0", "y", lambda y: y == 0),
    Case("i = x", "i x", lambda i, x: float(i) == x),
    Case("coalesce(x, y) = 0.5", "x y", lambda x, y: (y if x is None else x) == 0.5, strict=False),
    Case("(x > 0) is null", "x", lambda x: x is None, strict=False),
    Case("x in (0.1, 5e-324, 1e308)", "x", lambda x: x in (0.1, 5e-324, 1e308)),
    # Singles: a literal means the nearest single, but never a whole number that it is not
    Case("f = 2.1", "f", lambda f: f == _SOME),
    Case("f <> 2.1", "f", lambda f: f != _SOME),
    Case("f > 0.1", "f", lambda f: f > _TENTH),
    Case("f < 2.1", "f", lambda f: f < _SOME),
    Case("0.1 >= f", "f", lambda f: f <= _TENTH),
    Case("f in (2.1, 0.1, 7)", "f", lambda f: f in (_SOME, _TENTH)),
    Case("f not in (2.1)", "f", lambda f: f != _SOME),
    Case("f between 0.1 and 2.1", "f", lambda f: _TENTH <= f <= _SOME),
    Case("coalesce(f, 0.1) = 0.1", "f", lambda f: f in (None, _TENTH), strict=False),
    Case("case when j > 2 then f else 2.1 end > 2.1", "j f", lambda j, f: j > 2 and f > _SOME),
    Case("f = case when j > 2 then 2.1 else 0.1 end", "j f", lambda j, f: f == (_SOME if j > 2 else _TENTH)),
    Case("coalesce(null, 2.1) = f", "f", lambda f: f == _SOME),
    Case("f = 16777217", "f", lambda f: False),
    Case("f = 16777217.0", "f", lambda f: False),
    Case("f < 16777217", "f", lambda f: f <= 2**24),
    Case("f >= 16777217", "f", lambda f: f > 2**24),
    Case("f = 3.4028235e38", "f", lambda f: f == _HIGHEST_SINGLE),
    Case("f = 340282350000000000000000000000000000000", "f", lambda f: False),
    Case("f > 1e39", "f", lambda f: f == INF),
    Case("f = 1e39", "f", lambda f: False),
    Case("f <= 1e-46", "f", lambda f: f <= 0),
    Case("f = 1e-46", "f", lambda f: False),
    Case("f = 1e-45", "f", lambda f: f == 2.0**-149),
    Case("f = 0", "f", lambda f: f == 0),
    # but arithmetic, and a meeting with doubles, is of doubles
    Case("f + 0 = 2.1", "f", lambda f: False),
    Case("-f < -2.1", "f", lambda f: -f < -2.1),
    Case("f * f > 0", "f", lambda f: f * f > 0),
    Case("f > x", "f x", lambda f, x: f > x),
    Case("coalesce(x, f) = 0.1", "x f", lambda x, f: (f if x is None else x) == 0.1, strict=False),
    # Arithmetic in double precision, which never stops
    Case("x + y > 1", "x y", lambda x, y: x + y > 1),
    Case("x + x > 1.7e308", "x", lambda x: x + x > 1.7e308),
    Case("x - x = 0", "x", lambda x: x - x == 0),
    Case("x * y > 1e308", "x y", lambda x, y: x * y > 1e308),
    Case("x * 0.5 > 0", "x", lambda x: x * 0.5 > 0),
    Case("x * 10 > 1.7e308", "x", lambda x: x * 10 > 1.7e308),
    Case("x / y > 1", "x y", lambda x, y: y != 0 and x / y > 1),
    Case("x / y is null", "x y", lambda x, y: None in (x, y) or y == 0 or math.isnan(x / y), strict=False),
    Case("1 / x > 1e308", "x", lambda x: x != 0 and (x == 5e-324 or 1 / x > 1e308)),
    Case("x / 1e-300 > 1e308", "x", lambda x: x >= 2.0**53),
    Case("x * y * j > 0", "x y j", lambda x, y, j: x * y * j > 0),
    Case("i + 1 = 9007199254740992", "i", lambda i: float(i) + 1 == 2.0**53),
    Case("i * i * i > 1e50", "i", lambda i: float(i) ** 3 > 1e50),
    Case("j / 2 = 1.5", "j", lambda j: j / 2 == 1.5),
    Case("j / 0 is null", "j", lambda j: True, strict=False),
    Case("abs(i) > 9007199254740992", "i", lambda i: abs(float(i)) > 2.0**53),
    Case("-x > 1", "x", lambda x: -x > 1),
    Case("i % 10 = 2", "i", lambda i: _remainder(i, 10) == 2),
    Case("i % -3 = -1", "i", lambda i: _remainder(i, 3) == -1),
    Case("j % 4 = 1", "j", lambda j: _remainder(j, 4) == 1),
    Case("x % 2 = 0.1", "x", lambda x: math.isfinite(x) and _remainder(x, 2) == 0.1),
    Case("j % 2.5 = 0", "j", lambda j: _remainder(j, 2.5) == 0),
    # Decimals, exactly
    Case("m = 0.1", "m", lambda m: m == Decimal("0.1")),
    Case("m > 2.499", "m", lambda m: m > Decimal("2.499")),
    Case("m >= 2.4999", "m", lambda m: m >= Decimal("2.4999")),
    Case("m = 999999999999999.999", "m", lambda m: m == Decimal("999999999999999.999")),
    Case("m < 999999999999999.9995", "m", lambda m: True),
    Case("m in (0.1, 3, 2.5001)", "m", lambda m: m in (Decimal("0.1"), 3)),
    Case("m < j", "m j", lambda m, j: m < j),
    Case("m = x", "m x", lambda m, x: float(m) == x),
    Case("m + 0 = 0.1", "m", lambda m: float(m) == 0.1),
    Case("m + 0 = 1000000000000000", "m", lambda m: float(m) == 1e15),
    Case("m + 0 = 999999999999999.999", "m", lambda m: False),  # its double is a whole number, which it is not
    Case("m * 10 > 20", "m", lambda m: float(m) * 10 > 20),
    # Texts, by code points
    Case("s = 'é'", "s", lambda s: s == "é"),
    Case("s = 'A'", "s", lambda s: False),
    Case("s < 'a'", "s", lambda s: s < "a"),
    Case("s > '\uffed'", "s", lambda s: s > "\uffed"),
    Case("s <= 'B' or s >= 'b'", "s", lambda s: s <= "B" or s >= "b"),
    Case("s in ('a', 'É', '')", "s", lambda s: s in ("a", "")),
    Case("s = ''", "s", lambda s: s == ""),
    Case("s like '_'", "s", lambda s: len(s) == 1),
    Case("s like '%a_b\\%'", "s", lambda s: False),
    Case("s like '%\\d_\"'", "s", lambda s: s.endswith("\\d'\"")),
    Case("s like '%\\'", "s", lambda s: s.endswith("\\")),
    Case("s like 'x%'", "s", lambda s: s.startswith("x")),
    Case("s not like '%a%'", "s", lambda s: "a" not in s),
    Case("s = '${x} $1'", "s", lambda s: s == "${x} $1"),
    Case("s like '%c\\d''\"'", "s", lambda s: s.endswith("c\\d'\"")),
    Case("length(s) = 2", "s", lambda s: len(s) == 2),
    Case("trim(s) = 'a\u00a0'", "s", lambda s: s.strip(" ") == "a\u00a0"),
    Case("length(trim(s)) = 4", "s", lambda s: len(s.strip(" ")) == 4),
    Case("lower(s) = 'straße i'", "s", lambda s: _simple(s, "lower") == "straße i"),
    Case("lower(s) like 'ασ%'", "s", lambda s: _simple(s, "lower").startswith("ασ")),
    Case("upper(s) = 'É'", "s", lambda s: _simple(s, "upper") == "É"),
    Case("upper(s) like '%ẞ%'", "s", lambda s: "ẞ" in _simple(s, "upper")),
    Case("case when j > 2 then 'a' else 'B' end < 'b'", "j", lambda j: True, strict=False),
    Case("case when j > 2 then 'a' else 'B' end < 'C'", "j", lambda j: j is None or j <= 2, strict=False),
    Case("coalesce(s, 'é') > 'e\u0301'", "s", lambda s: ("é" if s is None else s) > "e\u0301", strict=False),
    Case("lower('É') = 'é'", "", lambda: True),
    # Truths
    Case("b", "b", lambda b: b),
    Case("not b", "b", lambda b: not b),
    Case("b is not true", "b", lambda b: b is not True, strict=False),
    Case("b = (j in (3, 9))", "b j", lambda b, j: b == (j in (3, 9))),
    Case("b = (s like '%a')", "b s", lambda b, s: b == s.endswith("a")),
    Case("b = (s is null)", "b s", lambda b, s: None if b is None else b == (s is None), strict=False),
    Case("b = (not (j > 2))", "b j", lambda b, j: b == (not j > 2)),
    Case("(not b) is null", "b", lambda b: b is None, strict=False),
    Case(
        "(b is not null) = (not (j > 2))",
        "b j",
        lambda b, j: None if j is None else (b is not None) == (j <= 2),
        strict=False,
    ),
    Case("b = (j > 2)", "b j", lambda b, j: b == (j > 2)),
    Case("(b is null) = (x is null)", "b x", lambda b, x: (b is None) == (x is None), strict=False),
    # Days and moments, in UTC
    Case("d = date '2024-02-29'", "d", lambda d: d == date(2024, 2, 29)),
    Case("d < '1582-10-15'", "d", lambda d: d < date(1582, 10, 15)),
    Case("d >= timestamp '2024-02-29 00:00:01'", "d", lambda d: d > date(2024, 2, 29)),
    Case("extract(year from d) = 2024 and extract(month from d) = 2", "d", lambda d: (d.year, d.month) == (2024, 2)),
    Case("extract(day from d) in (29, 31)", "d", lambda d: d.day in (29, 31)),
    Case("year(d) = 2024 and month(d) = 2", "d", lambda d: (d.year, d.month) == (2024, 2)),
    Case("year(d) < 1970 and day(d) <> 1", "d", lambda d: d.year < 1970 and d.day != 1),
    Case("quarter(d) = 1", "d", lambda d: d.month <= 3),
    Case("extract(quarter from ts) <> 4", "ts", lambda ts: ts.month < 10),
    Case("quarter(tz) = 4", "tz", lambda tz: tz.month >= 10),
    Case("month(tz) = 12", "tz", lambda tz: tz.month == 12),
    Case("YEAR(ts) + 0 > 2023.5", "ts", lambda ts: ts.year >= 2024),
    Case("extract(year from d) = 1", "d", lambda d: d.year == 1),
    Case("extract(year from ts) = 1500", "ts", lambda ts: ts.year == 1500),
    Case("extract(day from tz) = 31", "tz", lambda tz: tz.day == 31),
    Case("ts = timestamp '2024-02-29 12:00:00.000001'", "ts", lambda ts: ts == _NOON),
    Case("ts > '2024-02-29 12:00'", "ts", lambda ts: ts > datetime(2024, 2, 29, 12)),
    Case("ts < d", "ts d", lambda ts, d: ts < datetime(d.year, d.month, d.day)),
    Case("tz = '2024-01-01 01:30:00+02:00'", "tz", lambda tz: tz == _UTC),
    Case("tz < timestamp '1970-01-01 00:00:00'", "tz", lambda tz: tz < datetime(1970, 1, 1, tzinfo=UTC)),
    Case("coalesce(d, date '2024-02-29') = '2024-02-29'", "d", lambda d: d in (None, date(2024, 2, 29)), strict=False),
    # The whole table
    Case("1 = 1", "", lambda: True),
    Case("x > 0 and (s like '%a%' or m > 1)", "x s m", _long, strict=False),
]


REFUSED: dict[str, set[str]] = {
    "duckdb": set(),
    "sqlite": set(),
    # It has no remainder of doubles
    "postgresql": {"x % 2 = 0.1", "j % 2.5 = 0"},
    "spark": set(),
}
NO_SUCH_COLUMN = {"sqlite": {"m", "f"}}
"""SQLite has no decimals to put in a table: it rounds them to doubles. Nor has it singles."""


def _counts(source: str, cases: Sequence[Case], options: ReadOptions | None = None) -> dict[str, int | None]:
    """What each predicate counts, or None if it is refused."""
    found: dict[str, int | None] = {}
    for case in cases:
        try:
            tally = count_matching(source, case.where, options)
        except PredicateRefused:
            found[case.where] = None
        else:
            assert tally.rows == len(TABLE)
            found[case.where] = tally.matching
    return found


def _expected(engine: str) -> dict[str, int | None]:
    return {case.where: None if case.where in REFUSED[engine] else case.matching() for case in _cases(engine)}


def _cases(engine: str) -> list[Case]:
    return [case for case in CASES if not set(case.columns.split()) & NO_SUCH_COLUMN.get(engine, set())]


def _arrow(table: Sequence[Sequence[Any]] | Sequence[Mapping[str, Any]], schema: pa.Schema = _SCHEMA) -> pa.Table:
    if table and not isinstance(table[0], Mapping):
        table = [dict(zip(schema.names, row, strict=True)) for row in table]
    return pa.Table.from_pylist(list(table), schema)


def test_the_cases_tell_rows_apart() -> None:
    assert len({case.where for case in CASES}) == len(CASES)
    assert sum(0 < case.matching() < len(TABLE) for case in CASES) > 0.8 * len(CASES)


def test_refusals_are_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "predicates.md").read_text("utf-8")
    assert all(f"`{where}`" in page for refused in REFUSED.values() for where in refused)


@pytest.mark.slow
def test_duckdb(tmp_path: Path) -> None:
    path = str(tmp_path / "people.duckdb")
    with duckdb.connect(path) as connection:
        connection.register("given", _arrow(TABLE))
        connection.execute("CREATE TABLE people AS SELECT * FROM given")
    assert _counts(path, _cases("duckdb")) == _expected("duckdb")


@pytest.mark.slow
def test_sqlite(tmp_path: Path) -> None:
    def stored(value: Any) -> Any:
        return value.isoformat(" ") if isinstance(value, datetime) else str(value) if isinstance(value, date) else value

    path = str(tmp_path / "people.sqlite")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TABLE people (i BIGINT, j INT, x DOUBLE, y REAL, s TEXT, b BOOLEAN, d DATE, ts TIMESTAMP, "
            "tz TIMESTAMP)"
        )
        rows = [[stored(value) for value in row[:9]] for row in TABLE]
        connection.executemany(f"INSERT INTO people VALUES ({', '.join('?' * 9)})", rows)
        connection.commit()
    assert _counts(path, _cases("sqlite")) == _expected("sqlite")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((1, "1"), "both texts and numbers"),
        ((1.5, "1.5"), "both texts and numbers"),
        ((1, b"1"), "binary values"),
        ((0.5, 2**53 + 1), "mixes fractions with an integer beyond 2"),
    ],
)
def test_columns_of_sqlite_with_two_types(tmp_path: Path, values: tuple[Any, ...], message: str) -> None:
    path = str(tmp_path / "mixed.sqlite")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE mixed (v)")
        connection.executemany("INSERT INTO mixed VALUES (?)", [[value] for value in values])
        connection.commit()
    with pytest.raises(BadData, match=message):
        count_matching(path, "v = 1")


@pytest.fixture
def people(server: str) -> Iterator[str]:
    """The URL of a database with the table `people`, whose own rules for texts are others."""
    with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS people")
        columns = ", ".join(f"{name} {kind}" for name, kind in zip(_NAMES, _KINDS, strict=True))
        connection.execute(f"CREATE TABLE people ({columns})")
        with connection.cursor() as cursor:
            cursor.executemany(f"INSERT INTO people VALUES ({', '.join(['%s'] * len(_NAMES))})", TABLE)
        renamed = ", ".join(f"{name} AS {name}" for name in reversed(_NAMES))
        connection.execute(f"CREATE VIEW people_seen WITH (security_barrier) AS SELECT {renamed} FROM people")
        yield f"{server}postgres"
        connection.execute("DROP TABLE people CASCADE")


@pytest.mark.slow
@pytest.mark.parametrize("table", ["people", "people_seen"])
def test_postgresql(people: str, table: str) -> None:
    options = ReadOptions(table=table)
    elsewhere = f"{people}?options=-cTimeZone%3DAsia/Kolkata%20-cDateStyle%3DGerman"
    assert _counts(elsewhere, _cases("postgresql"), options) == _expected("postgresql")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_spark(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "people"
    path.mkdir()
    pq.write_table(_arrow(TABLE[:6]), path / "part-0.parquet")
    pq.write_table(_arrow(TABLE[6:]), path / "part-1.parquet")
    source = f"spark:{path}"
    some = [case for case in CASES if case.where in ("i = 9007199254740993", "x * y > 1e308")]
    assert _counts(source, some) == {case.where: case.matching() for case in some}
    assert _together(source, [case.where for case in CASES]) == _expected("spark")


def _together(source: str, wheres: Sequence[str]) -> dict[str, int | None]:
    """What each predicate counts, by queries that ask for many of them at once: Spark takes a second for each query."""
    place, found = place_of(source), {}
    with engine_for(place) as engine:
        opened = open_source(place, ReadOptions(), engine)
        types = opened.load(engine, opened.columns)
        conditions = {}
        for where in wheres:
            try:
                conditions[where] = compile_predicate(parse_predicate(where).tree, types, engine.conditions)
            except PredicateRefused:
                found[where] = None
        for start in range(0, len(conditions), 40):
            some = list(conditions)[start : start + 40]
            counts = ", ".join(f"COUNT(*) FILTER (WHERE {conditions[where]})" for where in some)
            ((*answers,),) = engine.rows(f"SELECT {counts} FROM source")
            found |= zip(some, answers, strict=True)
    return {where: found[where] for where in wheres}


# --- random tables and predicates -------------------------------------------------------------------------------------

_RANDOM = pa.schema([("i", pa.int64()), ("x", pa.float64()), ("s", pa.string()), ("b", pa.bool_()), ("d", pa.date32())])


@pytest.mark.slow
@given(rows, predicates)
@settings(max_examples=60)
def test_postgresql_equals_plain_python(server: str, table: list[dict[str, Any]], predicate: Part) -> None:
    with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS drawn")
        connection.execute("CREATE TABLE drawn (i int8, x float8, s text, b bool, d date)")
        with connection.cursor() as cursor:
            values = [[row[name] for name in _RANDOM.names] for row in table]
            cursor.executemany("INSERT INTO drawn VALUES (%s, %s, %s, %s, %s)", values)
    tally = count_matching(f"{server}postgres", predicate.sql, ReadOptions(table="drawn"))
    assert (tally.rows, tally.matching) == (len(table), matching(table, predicate))


@given(rows, st.lists(predicates, min_size=25, max_size=25))
@settings(max_examples=2, phases=[Phase.generate], suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_spark_equals_plain_python(spark: Any, table: list[dict[str, Any]], drawn: list[Part]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(_arrow(table, _RANDOM), Path(folder) / "part.parquet")
        found = _together(f"spark:{folder}", [predicate.sql for predicate in drawn])
    assert found == {predicate.sql: matching(table, predicate) for predicate in drawn}


# --- tables of counts, and units --------------------------------------------------------------------------------------

_GROUPED = pa.schema(
    [("k", pa.int64()), ("t", pa.string()), ("d", pa.date32()), ("u", pa.string()), ("x", pa.float64())]
)
_DAY = date(2024, 2, 29)
_ROWS = [
    (1, "a", _DAY, "ann", 1.0),
    (1, "a", _DAY, "ann", 1.0),
    (1, "A", _DAY, "bob", 2.0),
    (2, "é", date(2024, 3, 1), "ann", NAN),
    (2, "a", None, "cid", 3.0),
    (None, "a", _DAY, "Ann", 3.0),
    (3, "e\u0301", _DAY, "dan", 0.0),
]
_KEYS = [(1, "a", _DAY), (2, "é", date(2024, 3, 1)), (2, "e\u0301", None), (None, "a", _DAY), (2, "a", None)]


def _grouped(source: str, unit: str | None, most: int, options: ReadOptions | None = None) -> tuple[int, list[int]]:
    keys = Keys.of(("k", "t", "d"), _KEYS)
    cells = Cells(keys, unit=Unit.of(unit), max_cells=most)
    with OpenTable(source, "x > 0 or x is null", options, cells=cells) as table:
        if unit is not None:
            assert table.count_units() == 5
        assert table.count_rows() == len(_ROWS)
        tally = table.tally_cells()
    return tally.everything, list(tally.matching)


_EXPECTED = {
    (None, 1): (7, [2, 1, 0, 1, 1, 1]),
    ("u", 1): (5, [1, 0, 0, 1, 1, 1]),
    ("u", 2): (5, [1, 1, 0, 1, 1, 1]),
}


def test_grouped_in_duckdb(tmp_path: Path) -> None:
    path = str(tmp_path / "rows.parquet")
    pq.write_table(_arrow(_ROWS, _GROUPED), path)
    assert {asked: _grouped(path, *asked) for asked in _EXPECTED} == _EXPECTED


def test_grouped_in_postgresql(server: str) -> None:
    with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
        connection.execute("CREATE TABLE grouped (k int4, t text, d date, u varchar(9), x float8)")
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO grouped VALUES (%s, %s, %s, %s, %s)", _ROWS)
        try:
            options = ReadOptions(table="grouped")
            found = {asked: _grouped(f"{server}postgres", *asked, options) for asked in _EXPECTED}
        finally:
            connection.execute("DROP TABLE grouped")
    assert found == _EXPECTED


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_grouped_in_spark(spark: Any, tmp_path: Path) -> None:
    pq.write_table(_arrow(_ROWS, _GROUPED), tmp_path / "rows.parquet")
    assert {asked: _grouped(f"spark:{tmp_path}", *asked) for asked in _EXPECTED} == _EXPECTED


# --- groups computed from one column ----------------------------------------------------------------------------------

_BANDS = "[-8, 0), [0, 5), [5, 100), 100+"
_PLACES = pa.table({"s": ["a", "B", "é", None], "part": ["latin", "latin", "accented", "unknown"]})


def _band_of(value: Any, ends: Sequence[float]) -> int | None:
    """The place of the band from one end to the next, the last being open; None if it is in none of them."""
    found = [at for at, low in enumerate(ends) if value >= low]
    return found[-1] if found else None


def _expected_groups() -> dict[str, list[int]]:
    """What plain Python finds in each cell of each group."""
    found = {}
    for column in ("i", "j", "x", "f", "m"):
        cells = [0] * 6
        for row in TABLE:
            value = _known(row[_NAMES.index(column)])
            at = 4 if value is None else _band_of(value, (-8, 0, 5, 100))
            cells[5 if at is None else at] += 1
        found[f"{column}: {_BANDS}, missing"] = cells
    for column in ("i", "j"):
        cells = [0] * 13
        for row in TABLE:
            value = row[_NAMES.index(column)]
            cells[12 if value is None or not -8 <= value < 16 else (value + 8) // 2] += 1
        found[f"{column} by 2 from -8 to 16"] = cells
    for column in ("d", "ts", "tz"):
        values = [row[_NAMES.index(column)] for row in TABLE]
        found[f"month({column})"] = [sum(v is not None and v.month == m for v in values) for m in range(1, 13)]
        found[f"month({column})"].append(values.count(None))
        found[f"quarter({column})"] = [
            *(sum(v is not None and (v.month + 2) // 3 == q for v in values) for q in range(1, 5)),
            values.count(None),
        ]
        found[f"year({column})"] = [sum(v is not None and v.year == y for v in values) for y in (2024, 2023, 1)]
        found[f"year({column})"] += [values.count(None)]
        found[f"year({column})"].append(len(TABLE) - sum(found[f"year({column})"]))
    parts = [{"a": 0, "B": 0, "é": 1, None: 2}.get(row[_NAMES.index("s")], 3) for row in TABLE]
    found["s from places.parquet"] = [parts.count(at) for at in range(4)]
    return found


def _counted_groups(source: str, folder: Path, options: ReadOptions | None = None) -> dict[str, list[int]]:
    """What an engine finds."""
    pq.write_table(_PLACES, folder / "places.parquet")
    found = {}
    for by in _expected_groups():
        (group,) = group_list(by.replace("places.parquet", str(folder / "places.parquet")))
        group = read_group(group) if isinstance(group, FromFile) else group
        years = Keys.of([group.name], [2024, 2023, 1, None]) if by.startswith("year") else None
        cells = Cells(completed(years, [group]), groups=(group,))
        with OpenTable(source, "TRUE", options, cells=cells) as table:
            found[by] = table.tally_cells().matching.tolist()
    return found


def test_groups_in_duckdb(tmp_path: Path) -> None:
    pq.write_table(_arrow(TABLE), tmp_path / "rows.parquet")
    assert _counted_groups(str(tmp_path / "rows.parquet"), tmp_path) == _expected_groups()


def test_groups_in_postgresql(people: str, tmp_path: Path) -> None:
    assert _counted_groups(people, tmp_path, ReadOptions(table="people")) == _expected_groups()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_groups_in_spark(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    pq.write_table(_arrow(TABLE), tmp_path / "rows" / "rows.parquet")
    assert _counted_groups(f"spark:{tmp_path / 'rows'}", tmp_path) == _expected_groups()
