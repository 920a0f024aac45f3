"""Texts that a declared type excludes: refused in =, <>, IN, CASE and keys, before a row is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from hushcount.counting import OpenTable, count_matching
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.keys import Keys
from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.text_limits import joined, why_excluded
from hushcount.errors import InvalidParameter, PredicateRefused

CHAR, VARCHAR, ENUM = (
    replace(t.TEXT, length=3, padded=True),
    replace(t.TEXT, length=3),
    replace(t.TEXT, labels=("a", "b ", "long one")),
)


@pytest.mark.parametrize(
    ("kind", "held", "excluded"),
    [
        (t.TEXT, ["", "a ", "x" * 1000], []),
        (CHAR, ["", "a", "abc", " a", "\U0001f642" * 3, "a\t"], ["a ", " ", "abcd", "\U0001f642" * 4]),
        (VARCHAR, ["", "a ", "   ", "\U0001f642" * 3], ["abcd", "    "]),
        (replace(t.TEXT, padded=True), ["", "a" * 99], ["a "]),
        (replace(t.TEXT, length=0), [""], [" ", "a"]),
        (ENUM, ["a", "b ", "long one"], ["", "A", "b", "a "]),
        (replace(t.TEXT, labels=()), [], ["", "a"]),
    ],
)
def test_what_a_type_excludes(kind: t.ColumnType, held: list[str], excluded: list[str]) -> None:
    assert [text for text in held + excluded if why_excluded(kind, text) is None] == held


@pytest.mark.parametrize(
    ("kinds", "literals", "held", "excluded"),
    [
        ([ENUM], ["c"], ["a", "c"], ["d"]),
        ([ENUM, replace(t.TEXT, labels=("d",))], [], ["a", "d"], ["c"]),
        ([ENUM, t.TEXT], ["c"], ["d"], []),
        ([], ["c"], ["d"], []),
        ([CHAR], ["unknown"], ["abc", "unknown"], ["a ", "unknow", "unknown!"]),
        ([CHAR], ["b "], ["b", "b "], ["a ", "abcd"]),
        ([joined([CHAR], ["b "])], ["c "], ["b", "b ", "c "], ["a ", "abcd"]),
        ([CHAR, VARCHAR], [], ["a "], ["abcd"]),
        ([CHAR, replace(t.TEXT, padded=True)], ["x"], ["x" * 99], ["a "]),
        ([CHAR, ENUM], [], ["abc", "b ", "long one"], ["a ", "abcd", "longer one"]),
        ([joined([CHAR], ["b "]), ENUM], ["c "], ["abc", "b ", "c ", "long one"], ["a ", "abcd"]),
    ],
)
def test_one_of_several_texts(
    kinds: list[t.ColumnType], literals: list[str], held: list[str], excluded: list[str]
) -> None:
    for ordered in (kinds, kinds[::-1]):
        kind = joined(ordered, literals)
        assert [text for text in held + excluded if why_excluded(kind, text) is None] == held


@pytest.fixture(scope="module")
def moods(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("moods") / "moods.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TYPE mood AS ENUM ('sad', 'it''s, ok', 'ENUM(')")
        connection.execute("CREATE TABLE t (m mood, v VARCHAR(3), n INTEGER)")
        connection.execute("INSERT INTO t VALUES ('sad', 'longer', 1), ('it''s, ok', 'x', 2), (NULL, 'x ', 3)")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "matching"),
    [
        ("m = 'sad'", 1),
        ("m = 'it''s, ok'", 1),
        ("m = 'ENUM('", 0),
        ("m in ('sad', 'it''s, ok')", 2),
        ("coalesce(m, 'none') = 'none'", 1),
        ("case when n = 1 then 'one' else m end in ('one', 'sad')", 1),
        ("case m when 'sad' then 1 else 2 end = 2", 2),
        ("m < 'sad!'", 2),  # an order is not refused
        ("m between 'a' and 'sadder'", 2),
        ("m like 'SAD'", 0),
        ("lower(m) = 'x'", 0),
        ("m = v", 0),
        ("case when n = 1 then 'one' else 'two' end = 'three'", 0),
        ("v = 'longer'", 1),  # DuckDB takes any text for a VARCHAR(3)
        ("v = 'even longer'", 0),
        ("v = 'x '", 1),
    ],
)
def test_what_is_asked_of_an_enum(moods: Path, where: str, matching: int) -> None:
    assert count_matching(moods, where).matching == matching


@pytest.mark.parametrize(
    "where",
    [
        "m = 'Sad'",
        "'Sad' = m",
        "m <> 'Sad'",
        "not m = 'Sad'",
        "m in ('sad', 'Sad')",
        "m not in ('Sad')",
        "m in ('Sad', 'sad') or n = 1",
        "case m when 'Sad' then 1 else 2 end = 2",
        "case when m = 'Sad' then 1 else 2 end = 2",
        "coalesce(m, 'none') = 'Sad'",
        "case when n = 1 then 'one' else m end = 'Sad'",
        "(m = 'Sad') is null",
    ],
)
def test_what_only_has_one_answer_is_refused(moods: Path, where: str) -> None:
    with pytest.raises(PredicateRefused, match=r"can only be 'sad', .*no row can have 'Sad'$"):
        OpenTable(moods, where)


@pytest.mark.parametrize("make", [lambda keys: Keys.listed(["m"], ",".join(keys)), lambda keys: Keys.of(["m"], keys)])
def test_keys_that_a_type_excludes(moods: Path, make: Callable[[list[str]], Keys]) -> None:
    with pytest.raises(InvalidParameter, match=r"^keys must be what column 'm' can hold: it can only be .*got 'Sad'"):
        OpenTable(moods, "TRUE", cells=Cells(make(["sad", "Sad"])))
    with OpenTable(moods, "TRUE", cells=Cells(make(["sad", "ENUM("]))) as opened:
        assert opened.tally_cells().matching.tolist() == [1, 0, 2]
    with OpenTable(moods, "TRUE", cells=Cells(Keys.of(["m"], ["sad", None]))) as opened:
        assert opened.tally_cells().matching.tolist() == [1, 1, 1]
