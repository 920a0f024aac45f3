"""The stated rule by which a CSV column gets its type from all of its values."""

from __future__ import annotations

import pytest

from hushcount.errors import BadData, PredicateRefused

from .conftest import Count


def _column(*cells: str) -> str:
    return "k,v\n" + "".join(
        f'{place},"{cell}"\n' if "," in cell else f"{place},{cell}\n" for place, cell in enumerate(cells)
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "where", "matching"),
    [
        (["1", "+2", "-3", "0", "-0", ""], "v = 2 or v = 0", 3),
        (["9223372036854775807", "9223372036854775806"], "v = 9223372036854775807", 1),
        (["9007199254740993", "9007199254740992"], "v = 9007199254740993", 1),
        (["9007199254740993", "9007199254740992"], "v = 9007199254740992.0", 1),
        (["9223372036854775808", "-1"], "v = 9223372036854775808", 1),
        (["9" * 38, "9" * 37 + "8"], f"v = {'9' * 38}", 1),
        (["9" * 39, "9" * 38], f"v = '{'9' * 39}'", 1),
        (["007", "7"], "v = '7'", 1),
        (["1.5", "2", ".5", "5.", "1e3", "-1E-1"], "v in (1.5, 0.5, 5, 1000, -0.1)", 5),
        (["1", "nan", "NaN", ""], "v is null", 3),
        (["1", "inf", "-Infinity", "+INF"], "v > 1e308", 2),
        (["1.5", "01.5"], "v = '01.5'", 1),
        (["1.5", "1e999"], "v = '1e999'", 1),
        (["1,5", "2"], "v = '1,5'", 1),
        (["1 ", "2"], "v = '1 '", 1),
        (["true", "FALSE", "True", ""], "v", 2),
        (["true", "1"], "v = '1'", 1),
        (["2024-01-31", "2024-02-01"], "v < date '2024-02-01'", 1),
        (["2024-01-31", "2024-02-30"], "v = '2024-02-30'", 1),
        (["2024-01-31 05:06", "2024-01-31T05:06:07.25"], "v > timestamp '2024-01-31 05:06:00'", 1),
        (["2024-01-31 05:06Z", "2024-01-31 05:06+01:00"], "v < timestamp '2024-01-31 05:00:00'", 1),
        (["2024-01-31 05:06Z", "2024-01-31 05:06"], "v = '2024-01-31 05:06'", 1),
        (["2024-01-31 05:06", "2024-01-31"], "v = '2024-01-31'", 1),
        (["x", "NULL", "none"], "v in ('NULL', 'none')", 2),
    ],
)
def test_the_first_type_that_all_values_fit(count: Count, cells: list[str], where: str, matching: int) -> None:
    assert count(_column(*cells), where).matching == matching


def test_a_column_without_values_is_null_to_anything(count: Count) -> None:
    content = "k,v\n1,\n2,\n"
    for where in (
        "v = 1",
        "v <> 'x'",
        "v > date '2024-01-01'",
        "v",
        "not v",
        "lower(v) = 'x'",
        "v + 1 > 0",
        "v in (1)",
    ):
        assert count(content, where).matching == 0
    for where in ("v is null", "(v = 1) is null", "coalesce(v, 1) = 1", "coalesce(v, 'x') = 'x'", "v is not true"):
        assert count(content, where).matching == 2


def test_a_declared_date_format(count: Count) -> None:
    content = "d\n31.01.2024\n1.2.2024\n"
    assert count(content, "d > date '2024-01-31'", date_format="%d.%m.%Y").matching == 1
    assert count(content, "extract(month from d) = 2", date_format="%d.%m.%Y").matching == 1
    with pytest.raises(PredicateRefused, match="column 'd' \\(text\\)"):
        count(content, "d > date '2024-01-31'")


def test_a_pinned_type_wins(count: Count) -> None:
    assert count("zip\n10115\n01067\n", "zip like '1%'").matching == 1
    assert count("zip\n10115\n", "zip = '10115'", types={"zip": "text"}).matching == 1
    assert count("n\n1\n2\n", "n = 1.0", types={"n": "number"}).matching == 1
    assert count("d\n20240131\n", "d = '2024-01-31'", date_format="%Y%m%d", types={"d": "date"}).matching == 1
    with pytest.raises(BadData):
        count("n\n1\nx\n", "n = 1", types={"n": "integer"})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "where", "message"),
    [
        (["x"], "v = 1", "column 'v' (text) cannot be compared with 1; texts are compared with a quoted literal"),
        (["1"], "v = '1'", "column 'v' (integer) cannot be compared with '1'; numbers are compared"),
        (["1"], "v like '1%'", "column 'v' (integer) is not text"),
        (["1"], "v", "column 'v' (integer) is not a condition"),
        (["x"], "v + 1 > 0", "column 'v' (text) is not a number"),
        (["x"], "extract(year from v) = 1", "column 'v' (text) is not a date"),
        (["true"], "v > false", "have no order"),
        (["true"], "v = 1", "column 'v' (boolean) cannot be compared with 1"),
        (["2024-01-31"], "v = '2024-01-31'", "write DATE '...' or TIMESTAMP '...', or pin the type (--type v=date"),
        (["2024-01-31"], "v = 20240131", "column 'v' (date) cannot be compared with 20240131"),
        (["2024-01-31 05:06"], "v in ('2024-01-31 05:06')", "write DATE '...' or TIMESTAMP '...'"),
        (["2024-01-31"], "coalesce(v, '2024-01-31') = date '2024-01-31'", "write DATE '...' or TIMESTAMP '...'"),
        (["x"], "v = k", "column 'v' (text) and column 'k' (integer) get their types from the data"),
        (["x"], "v = k + 0", "column 'v' (text) and an expression of type number do not go together"),
        (["x"], "coalesce(v, k, 1) = 1", "do not go together"),
        (["x"], "case when k = 0 then v else k end = 1", "do not go together"),
        (["x"], "v in ('x', 1)", "cannot be compared with 1"),
    ],
)
def test_a_type_error_names_the_column(count: Count, cells: list[str], where: str, message: str) -> None:
    with pytest.raises(PredicateRefused) as caught:
        count(_column(*cells), where)
    assert message in str(caught.value)
