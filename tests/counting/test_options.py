"""Options are validated once, on the way in, and can be printed."""

from __future__ import annotations

import pytest

from hushcount.counting import ReadOptions
from hushcount.errors import BadUse, InvalidParameter


@pytest.mark.parametrize(
    "options",
    [
        {"format": "xlsx"},
        {"table": ""},
        {"table": 3},
        {"header": 1},
        {"delimiter": ""},
        {"delimiter": ";;"},
        {"delimiter": '"'},
        {"delimiter": "\n"},
        {"delimiter": "a"},
        {"delimiter": "\uff15"},
        {"decimal": ";"},
        {"trailing_delimiter": "yes"},
        {"null": "a,b"},
        {"null": 'a"'},
        {"null": None},
        {"encoding": "utf-9"},
        {"encoding": "rot13"},
        {"encoding": "base64"},
        {"encoding": "undefined"},
        {"encoding": "utf-8\0"},
        {"encoding": None},
        {"date_format": "%d.%m"},
        {"date_format": "%Y-%m-%d %H"},
        {"date_format": "%"},
        {"date_format": ""},
        {"date_format": None},
        {"types": {"age": "float"}},
        {"types": {1: "text"}},
        {"types": [("age", "text")]},
    ],
)
def test_an_option_outside_its_rule_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(InvalidParameter) as caught:
        ReadOptions(**options)
    assert isinstance(caught.value, BadUse)
    assert caught.value.argument == next(iter(options))
    assert "must be" in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": "\t"},
        {"delimiter": ";", "decimal": ","},
        {"delimiter": "|"},
        {"encoding": "latin-1"},
        {"encoding": "UTF-16"},
        {"null": "NA"},
        {"date_format": "%d.%m.%Y"},
        {"date_format": "%d %b %y"},
        {"types": {"age": "text"}},
    ],
)
def test_an_option_within_its_rule_is_kept(options: dict[str, object]) -> None:
    kept = ReadOptions(**options)
    assert all(getattr(kept, name) == value for name, value in options.items())


def test_every_option_is_printed_with_its_value() -> None:
    pairs = dict(ReadOptions(types={"zip": "text"}).pairs())
    assert list(pairs) == [
        "format",
        "table",
        "header",
        "delimiter",
        "encoding",
        "null",
        "decimal",
        "date_format",
        "types",
        "trailing_delimiter",
    ]
    assert pairs["delimiter"] == "','"
    assert pairs["null"] == "an empty field without quotes"
    assert pairs["types"] == "zip=text"
    assert dict(ReadOptions().pairs())["types"] == "inferred from all values"


def test_options_cannot_be_changed_afterwards() -> None:
    types = {"zip": "text"}
    options = ReadOptions(types=types)
    types["zip"] = "nonsense"
    assert options.types == {"zip": "text"}
    with pytest.raises(AttributeError):
        options.delimiter = ";"
    with pytest.raises(TypeError):
        options.types["zip"] = "integer"
    assert hash(options) == hash(ReadOptions())
