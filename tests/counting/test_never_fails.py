"""No row can make an evaluation fail: an error that depends on a row would tell of that row."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from hushcount.counting import count_matching
from hushcount.errors import PredicateRefused

_COLUMNS = {
    "tiny": ("TINYINT", ["-128", "127", "0"]),
    "big": ("BIGINT", ["-9223372036854775808", "9223372036854775807", "0"]),
    "unsigned": ("UBIGINT", ["0", "18446744073709551615", "1"]),
    "huge": ("HUGEINT", [str(-(2**127)), str(2**127 - 1), "0"]),
    "money": ("DECIMAL(18,3)", ["-999999999999999.999", "999999999999999.999", "0"]),
    "wide": ("DECIMAL(38,20)", ["-999999999999999999.5", "999999999999999999.5", "0"]),
    "short": ("FLOAT", ["'-inf'", "'nan'", "3e38"]),
    "long": ("DOUBLE", ["'-inf'", "'nan'", "1.7e308"]),
    "word": ("VARCHAR", ["''", r"'%_\x'", "'\U0001f642'"]),
    "any_case": ("VARCHAR COLLATE NOCASE", ["'A'", "'a'", "''"]),
    "listed": ("ENUM('x', 'y')", ["'x'", "'y'", "'x'"]),
    "flag": ("BOOLEAN", ["true", "false", "true"]),
    "day": ("DATE", ["'-infinity'", "'5881580-07-10'", "'-5877641-06-25'"]),
    "us": ("TIMESTAMP", ["'-infinity'", "'294247-01-10 04:00:54.775806'", "'-290308-12-22'"]),
    "zoned": ("TIMESTAMPTZ", ["'-infinity'", "'294247-01-10 04:00:54.775806+00'", "'2024-01-01 00:00:00+02'"]),
    "ns": ("TIMESTAMP_NS", ["'-infinity'", "'2262-04-11 23:47:16.854775806'", "'1677-09-22'"]),
    "sec": ("TIMESTAMP_S", ["'-infinity'", "'290000-01-01'", "'2024-01-01'"]),
}
_NUMBERS = ("tiny", "big", "unsigned", "huge", "money", "wide", "short", "long")
_TEXTS = ("word", "any_case", "listed")
_TIMES = ("day", "us", "zoned", "ns", "sec")
_LITERALS = (
    "0",
    "-1",
    "300",
    "9223372036854775808",
    "-0.5",
    "1e300",
    "1e-300",
    "99999999999999999999999999999999999999",
)


@pytest.fixture(scope="module")
def extremes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("extremes") / "extremes.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        columns = ", ".join(f"{name} {kind}" for name, (kind, _) in _COLUMNS.items())
        connection.execute(f"CREATE TABLE t ({columns})")
        for place in range(3):
            connection.execute(f"INSERT INTO t VALUES ({', '.join(cells[place] for _, cells in _COLUMNS.values())})")
        connection.execute(f"INSERT INTO t VALUES ({', '.join(['NULL'] * len(_COLUMNS))})")
    return path


def _any(*tests: str) -> str:
    return " or ".join(f"({test}) is null" for test in tests)


@pytest.mark.slow
@pytest.mark.parametrize("column", _NUMBERS)
def test_numbers(extremes: Path, column: str) -> None:
    compared = [f"{column} {sign} {literal}" for sign in ("=", "<", ">=") for literal in _LITERALS]
    calculated = [f"{column} {sign} {other} > 0" for sign in "+-*/" for other in _NUMBERS]
    others = [f"{column} {sign} {other}" for sign in ("=", "<") for other in _NUMBERS]
    joined = [f"coalesce({column}, {other}) = 1" for other in _NUMBERS]
    alone = [
        f"abs({column}) > 1",
        f"-{column} > 1",
        f"{column} % 3 = 1",
        f"{column} * {column} * {column} = 1",
        f"{column} in (0, 1, 300, 0.5, 1e300)",
        f"{column} between -1e30 and 1e30",
    ]
    mixed = [f"case when {column} > 0 then {column} else -1.5 end < 0"]
    for tests in (compared, calculated, alone):
        assert count_matching(extremes, _any(*tests)).rows == 4
    for test in (*others, *joined, *mixed):
        try:
            assert count_matching(extremes, _any(test)).rows == 4
        except PredicateRefused as refusal:  # by the types alone, before any row is read
            assert "more than 38 digits" in str(refusal)  # noqa: PT017


@pytest.mark.parametrize("column", _TEXTS)
def test_texts(extremes: Path, column: str) -> None:
    tests = [
        f"{column} = 'x'",
        f"{column} like '%\\_'",
        f"length({column}) = 1",
        f"{column} in ('y', 'x')",
    ]
    tests += [f"{function}({column}) = 'a'" for function in ("lower", "upper", "trim")]
    tests += [f"{column} < {other}" for other in _TEXTS] + [f"coalesce({column}, {other}) = 'x'" for other in _TEXTS]
    assert count_matching(extremes, _any(*tests)).rows == 4


@pytest.mark.parametrize("column", _TIMES)
def test_times(extremes: Path, column: str) -> None:
    literals = ("date '0001-01-01'", "date '9999-12-31'", "timestamp '9999-12-31 23:59:59.999999'", "'2024-01-01'")
    tests = [f"{column} {sign} {literal}" for sign in ("=", "<", ">=") for literal in literals]
    tests += [f"extract({part} from {column}) = 1" for part in ("year", "month", "day")]
    tests += [f"coalesce({column}, date '2024-01-01') = '2024-01-01'"]
    zone = {"zoned"} if column == "zoned" else set(_TIMES) - {"zoned"}
    tests += [f"{column} < {other}" for other in sorted(zone)]
    assert count_matching(extremes, _any(*tests)).rows == 4


@pytest.mark.slow
def test_comparisons_are_exact_at_the_ends(extremes: Path) -> None:
    expected = {
        "big = 9223372036854775807": 1,
        "big = 9223372036854775808": 0,
        "big <> 9223372036854775808": 3,
        "big > 9223372036854775806.5": 1,
        "big >= 9223372036854775807.5": 0,
        "unsigned = 18446744073709551615": 1,
        "unsigned > -1": 3,
        "unsigned < -1": 0,
        "tiny < 300": 3,
        "tiny in (300, 127, 0.5)": 1,
        "money = 999999999999999.999": 1,
        "money < 999999999999999.9995": 3,
        "money > 999999999999999.9985": 1,
        "huge = 170141183460469231731687303715884105727": 1,
        "any_case = 'a'": 1,
        "listed = 'x'": 2,
        "day < '2024-01-01'": 2,
        "zoned = '2023-12-31 22:00:00'": 1,
        "zoned = '2024-01-01 01:00:00+03:00'": 1,
    }
    assert {where: count_matching(extremes, where).matching for where in expected} == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "where",
    [
        " or ".join(["big = 1"] * 900 + ["flag"]),
        " and ".join(["tiny > 1"] * 700),
        f"big in ({', '.join(map(str, range(1800)))})",
        f"long in ({', '.join(f'{number}.5' for number in range(1200))})",
        f"word in ({', '.join(repr(str(number)) for number in range(1200))})",
        f"tiny = {' + '.join(['tiny'] * 57)}",
        f"{'case when flag then ' * 18}1{' end' * 18} = 1",
        f"{'lower(' * 18}word{')' * 18} = ''",
        f"{'not (' * 18}flag{')' * 18}",
        f"{'(' * 18}flag{' is null)' * 18} = flag",
        f"{'coalesce(' * 18}flag{', true)' * 18} is null",
        f"{'abs(' * 18}long{')' * 18} > 1",
    ],
)
def test_large_predicates(extremes: Path, where: str) -> None:
    assert count_matching(extremes, where).rows == 4
