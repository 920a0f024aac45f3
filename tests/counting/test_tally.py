"""The true count stays in memory, and the heavy libraries stay out until something is counted."""

from __future__ import annotations

import logging
import subprocess
import sys
import traceback
from typing import Any

import pytest

import hushcount.counting
from hushcount.counting import Predicate, Tally, count_matching, parse_predicate
from hushcount.errors import InvalidParameter

from .conftest import Count, Write


def test_no_number_is_shown() -> None:
    tally = Tally(rows=12345, matching=678, predicate="a > 1")
    for shown in (repr(tally), str(tally), f"{tally}", f"{tally!r}", repr([tally])):
        assert "12345" not in shown
        assert "678" not in shown
        assert "a > 1" in shown


def test_a_tally_is_a_value() -> None:
    tally = Tally(3, 2, "a")
    assert tally == Tally(3, 2, "a")
    with pytest.raises(AttributeError):
        tally.matching = 1


def test_nothing_is_logged(count: Count, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    with caplog.at_level(logging.DEBUG):
        assert count("a\n1\n2\n3\n", "a > 1").matching == 2
    assert not caplog.records
    assert capfd.readouterr() == ("", "")


def test_a_predicate_can_be_read_ahead(write: Write) -> None:
    predicate = parse_predicate("a>1", ["a"])
    assert isinstance(predicate, Predicate)
    tally = count_matching(write("a\n1\n2\n"), predicate)
    assert (tally.rows, tally.matching, tally.predicate) == (2, 1, "a > 1")


def test_errors_carry_no_foreign_message(count: Count) -> None:
    with pytest.raises(Exception, match="line 2 has text after a closing quote") as caught:
        count('a,b\n"cell"content,1\n', "b = 1")
    shown = "".join(traceback.format_exception(caught.value))
    assert "expected after" not in shown
    assert "During handling" not in shown


@pytest.mark.parametrize(
    ("argument", "arguments"),
    [
        ("source", (123, "a > 1")),
        ("source", (None, "a > 1")),
        ("source", (b"table.csv", "a > 1")),
        ("where", ("table.csv", None)),
        ("where", ("table.csv", 3)),
        ("options", ("table.csv", "a > 1", {"null": "NA"})),
    ],
)
def test_an_argument_of_another_type_is_named(argument: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidParameter) as caught:
        count_matching(*arguments)
    assert caught.value.argument == argument


def test_no_options_are_the_defaults(write: Write) -> None:
    assert count_matching(write("a\n1\n2\n"), "a > 1", None).matching == 1


def test_importing_is_light() -> None:
    code = (
        "import sys, hushcount.counting; "
        "sys.exit(bool({'duckdb', 'pyarrow', 'sqlglot', 'pandas', 'numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_public_names() -> None:
    names = {
        "OpenTable",
        "Predicate",
        "ReadOptions",
        "Schema",
        "SchemaColumn",
        "Tally",
        "check_source",
        "count_matching",
        "judge",
        "parse_predicate",
        "read_schema",
    }
    assert set(hushcount.counting.__all__) == names
    assert all(hasattr(hushcount.counting, name) for name in names)
