"""JSON lines: what is a row, which columns there are, and which types all lines together tell."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from hushcount.counting import ReadOptions, check_source, count_matching, read_schema
from hushcount.counting.sources.json.parser import Parser
from hushcount.counting.sources.json.source import JsonSource
from hushcount.errors import BadData, InvalidParameter, NoSuchColumn, PredicateRefused

from .conftest import Write

_MANY = 25_000
"""More lines than are read at a time."""


@pytest.mark.parametrize(
    ("text", "where", "rows", "matching"),
    [
        ('{"a": 1, "s": "x"}\n{"a": 2.5}\n{"s": null, "a": NaN}\n', "a > 1 or s is null", 3, 2),
        ('{"a":true}\n{}\n{"a":false}', "a", 3, 1),
        ('{"a": 9007199254740993}\n{"a": 123456789012345678901234567890}\n', "a = 9007199254740993", 2, 1),
        ('{"a": "9007199254740993"}\n', "a = '9007199254740993'", 1, 1),
        ('{"a": -0.0}\n{"a": Infinity}\n{"a": -1E+2}\n', "a <= 0", 3, 2),
        ('{"a": 1}\r\n{"b": 2}\r\n\r\n\n', "a is null", 2, 1),
        ('\ufeff{"a": ""}\n', "a = ''", 1, 1),
        ('{"a": "\\u0000"}\n{"a": "\\ud83d\\ude00"}\n', "length(a) = 1", 2, 2),
        ('{"a" : 1}\n{"a": 2}\n', "a = 1", 2, 1),
        ('{"a": "b\\": 1"}\n', "length(a) = 5", 1, 1),
        ('{"a": {"b": 1}, "c": 1}\n{"c": 2}\n', "c = 1", 2, 1),
        ('{}\n{"a": 1}\n', "a = 1", 2, 1),
    ],
)
def test_all_lines_are_counted(write: Write, text: str, where: str, rows: int, matching: int) -> None:
    tally = count_matching(write(text, "t.jsonl"), where)
    assert (tally.rows, tally.matching) == (rows, matching)


def test_the_last_line_tells_as_much_as_the_first(write: Write) -> None:
    numbers = '{"a": 1}\n' * _MANY
    assert count_matching(write(numbers + '{"b": 1}\n', "b.jsonl"), "b = 1").matching == 1
    assert count_matching(write(numbers + '{"a": 1.5}\n', "r.jsonl"), "a > 1").matching == 1
    with pytest.raises(BadData, match="column 'a' holds texts, numbers or truths beside one another"):
        count_matching(write(numbers + '{"a": "1"}\n', "t.jsonl"), "a = 1")
    with pytest.raises(BadData, match=r"column 'a' mixes fractions with an integer beyond 2\*\*53"):
        count_matching(write('{"a": 9007199254740993}\n' + numbers + '{"a": 1.5}\n', "m.jsonl"), "a = 1")
    with pytest.raises(BadData, match=f"line {_MANY + 1} names a key twice"):
        count_matching(write(numbers + '{"a": 1, "a": 1}\n', "d.jsonl"), "a = 1")
    with pytest.raises(BadData, match=f"line {_MANY + 1} is blank, and rows follow it"):
        count_matching(write(numbers + "\n" + numbers, "e.jsonl"), "a = 1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "a": 2}\n', "line 1 names a key twice"),
        ('{"a": 1}\n{"b": {"c": 1, "c": 2}}\n', "line 2 names a key twice"),
        ('{"a": 1}\n\n{"a": 2}\n', "line 2 is blank, and rows follow it"),
        ('{"a": 1}\n{"a": 2} {"a": 3}\n', "line 2 is not one JSON object"),
        ('{"a": 1},{"a": 2}\n', "line 1 is not one JSON object"),
        ('{"a": [1\n2]}\n{"a": 1},{"a": 2}\n', "line 1 is not one JSON object"),
        ('{"a": {"b": 1}\n{"c": 1}}\n', "line 1 is not one JSON object"),
        ('{"a": 1}\n[1]\n', "line 2 is not one JSON object"),
        ('{\n "a": 1\n}\n', "line 1 is not one JSON object"),
        ('{"a": 1e400}\n', "line 1 is not one JSON object"),
        ('{"a": 01}\n', "line 1 is not one JSON object"),
        ('{"a": 1,}\n', "line 1 is not one JSON object"),
        ('{"a": ' + "9" * 39 + "}\n", "column 'a' holds an integer of more than 38 digits"),
        ('{"a": ' + "9" * 5000 + "}\n", "line 1 is not one JSON object"),
        ('{"a": ' + "[" * 100_000 + "\n", "line 1 is not one JSON object"),
        ('{"a": 1}\n{"a": 2, "b": "\\ud800"}\n', "line 2 is not valid UTF-8, or has half a character"),
        ('{"a": 1}\n{"a": 2, "\\uDC00": 1}\n', "line 2 is not valid UTF-8, or has half a character"),
        ('{"a": 1, "A": 2}\n', "names column 'A' and 'a', which differ only in case"),
        ('{"a": [1]}\n', "column 'a' holds arrays or objects"),
        ('{"a": true}\n{"a": 1}\n', "column 'a' holds texts, numbers or truths beside one another"),
        ("{}\n", "holds no row with a key, and so no column"),
        ('[{"a": 1}]\n', "is one JSON array; write JSON lines"),
    ],
)
def test_faults(write: Write, text: str, message: str) -> None:
    with pytest.raises(BadData, match=message):
        count_matching(write(text, "t.json"), "a = 1")


def test_texts_must_be_utf_8(write: Write) -> None:
    with pytest.raises(BadData, match="line 2 is not valid UTF-8"):
        count_matching(write(b'{"a": 1}\n{"a": "\xff"}\n', "t.json"), "a = 1")


def test_the_halves_of_a_character_are_one(write: Write) -> None:
    text = '{"a": "\\ud83d\\ude00"}\n{"a": "\\\\ud83d"}\n'
    tally = count_matching(write(text, "t.json"), "length(a) = 1")
    assert (tally.rows, tally.matching) == (2, 1)


def test_errors_show_no_value(write: Write) -> None:
    for text in ('{"a": "secret", "a": 1}\n', '{"a": "secret\n', '{"a": "secret"}\n{"a": 1}\n', '{"a": "secret"}x\n'):
        with pytest.raises(BadData) as caught:
            count_matching(write(text, "t.json"), "a = 1")
        assert "secret" not in f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__context__!r}"


def test_what_is_quoted_is_a_text(write: Write) -> None:
    path = write('{"a": "5", "d": "2024-01-02"}\n{"a": null}\n', "t.json")
    with pytest.raises(PredicateRefused, match="column 'a' \\(text\\) cannot be compared with 5"):
        count_matching(path, "a = 5")
    with pytest.raises(PredicateRefused, match="column 'd' \\(text\\)"):
        count_matching(path, "d = DATE '2024-01-02'")
    assert count_matching(path, "d = DATE '2024-01-02'", ReadOptions(types={"d": "date"})).matching == 1
    with pytest.raises(BadData, match="column 'a' holds a value that is not integer, as was declared"):
        count_matching(path, "a = 5", ReadOptions(types={"a": "integer"}))
    with pytest.raises(InvalidParameter, match="names of columns in the file; did you mean 'a'"):
        count_matching(path, "a = '5'", ReadOptions(types={"A": "text"}))
    with pytest.raises(NoSuchColumn):
        count_matching(path, "b = 1")


def test_only_its_own_options_are_taken(write: Write) -> None:
    path = write('{"a": 1}\n', "t.json")
    with pytest.raises(InvalidParameter, match="delimiter must be left out for a file of JSON lines; it is for CSV"):
        count_matching(path, "a = 1", ReadOptions(delimiter=";"))
    with pytest.raises(InvalidParameter, match="table must be left out for a file of JSON lines, which is one table"):
        count_matching(path, "a = 1", ReadOptions(table="t"))
    assert count_matching(path, "a = 1", ReadOptions(format="json")).matching == 1
    assert count_matching(write('{"a",b\n1,2\n', "t.csv"), "b = 2", ReadOptions(format="csv")).matching == 1
    with pytest.raises(BadData, match="line 1 is not one JSON object"):
        count_matching(write("a,b\n1,2\n", "u.csv"), "b = 2", ReadOptions(format="json"))


def test_gzip(write: Write) -> None:
    packed = gzip.compress(b'{"a": 1}\n' * 1000)
    assert count_matching(write(packed, "t.jsonl.gz"), "a = 1").matching == 1000
    with pytest.raises(BadData, match="the gzip data is damaged or cut off"):
        count_matching(write(packed[:-9], "u.jsonl.gz"), "a = 1")


def test_a_listed_file_stays_as_it_was_listed(write: Write) -> None:
    path = write('{"a": 1, "n": [1], "e": null, "x": 1.5}\n{"a": 2}\n', "t.json")
    schema = read_schema(path)
    assert schema.shown() == {"a": "integer", "n": "unusable", "e": "empty", "x": "number"}
    check_source(path, schema)
    for text in ('{"a": 1.5, "n": 0, "e": null, "x": 1}\n', '{"a": 1, "n": 0, "e": 1, "x": 1}\n'):
        write(text, "t.json")
        with pytest.raises(BadData, match="as was declared"):
            check_source(path, schema)
    write('{"a": 1, "n": 0, "e": null, "x": 1, "y": 1}\n', "t.json")
    with pytest.raises(BadData, match="has other columns than were listed"):
        check_source(path, schema)
    write('{"a": 123456789012345678901234567890, "n": 0, "e": null, "x": 3}\n', "t.json")
    check_source(path, schema)


def test_a_file_that_grows_is_noticed(tmp_path: Path) -> None:
    from hushcount.counting import OpenTable

    path = tmp_path / "t.json"
    path.write_text('{"a": 1}\n')
    with OpenTable(path, "a = 1") as table, path.open("a") as file:
        file.write('{"a": 1}\n')
        file.flush()
        with pytest.raises(BadData, match="was changed while it was read"):
            table.tally()


_USUAL = '{"i": 1, "x": 0.1, "s": "2024-01-02", "b": true, "e": null}\n'
_FIRST = _USUAL * 2_000
"""More than what is read first, so that what comes later is parsed if it can be."""


def _held(path: Path) -> Any:
    """What is read of each column: its class, Arrow type and values, spelled to the last bit."""
    try:
        source = JsonSource("t.json", [(str(path), "t.json")], ReadOptions())
        found = source.values(source.columns)
    except BadData as fault:
        return str(fault)
    return {
        name: held if isinstance(held, str) else (held[1], held[0].type, list(map(repr, held[0].to_pylist())))
        for name, held in found.items()
    }


@pytest.mark.parametrize(
    ("line", "is_parsed"),
    [
        (_USUAL, True),
        ("{}\n" + _USUAL, True),
        ('{"s": "\u00e9", "x": -0.0, "i": -0}', False),
        ('{"x": -0.0, "i": 9223372036854775807}', True),
        ('{"x": 2}\r\n{"x": 1e-400}\r\n', True),
        ('{"x": 9007199254740991}', True),
        *(
            (line, False)
            for line in (
                '{"x": 9007199254740993}',
                '{"x": 1e300}',
                '{"x": NaN}',
                '{"x": Infinity}',
                '{"x": Inf}',
                '{"x": -NaN}',
                '{"x": 1e400}',
                '{"x": -0}',
                '{"x": "1"}',
                '{"x": .5}',
                '{"x": [1]}',
                '{"i": 1.0}',
                '{"i": 1e2}',
                '{"i": 01}',
                '{"i": 9223372036854775808}',
                '{"i": true}',
                '{"i": NaN}',
                '{"s": 1}',
                '{"s": {"s": "s"}}',
                '{"s": "\\ud800"}',
                '{"s": "\\udc00\\ud800"}',
                '{"s": "\\ud800\\ud800"}',
                '{"s": "\t"}',
                '{"s": "\\x"}',
                '{"b": 1}',
                '{"b": "true"}',
                '{"e": 1}',
                '{"e": "2024-01-02"}',
                '{"new": 1}',
                '{"i": 1, "i": 1}',
                '{"e": null, "e": null}',
                '{"i": 1,}',
                '{"i": 1}x',
                '{"i": 1} {"i": 1}',
                '{"i": 1},{"i": 1}',
                '{"i":\n1} {"i": 1}',
                '{"i": 1 /* one */}',
                '{"i": 1}\n\n{"i": 1}',
                '\n{"i": 1}',
                " ",
                "[1]",
                "null",
                '{"i": ' + "[" * 100_000,
                '{"i": 1}\x00',
                '{"i": 1}\n\ufeff{"i": 1}',
                '{"i": 1}' + "\n{}" * 100_000,
            )
        ),
    ],
)
def test_what_is_parsed_is_what_would_be_decoded(
    write: Write, monkeypatch: pytest.MonkeyPatch, line: str, is_parsed: bool
) -> None:
    path = write(_FIRST + line, "t.json")
    parsed = []
    with monkeypatch.context() as watched:
        parse = Parser.parsed
        watched.setattr(Parser, "parsed", lambda self, text: parsed.append(parse(self, text)) or parsed[-1])
        found = _held(path)
    assert (parsed[1] is not None) is is_parsed
    monkeypatch.setattr(Parser, "parsed", lambda self, text: None)
    assert found == _held(path)


def test_a_parser_learns() -> None:
    def is_parsed(*lines: dict[str, Any]) -> bool:
        parser = Parser()
        parser.learn(lines)
        return parser.parsed(b'{"a": 1}\n{"a": 2}\n') is not None

    assert is_parsed({"a": 1})
    assert is_parsed({"a": None}, {"a": 1, "b": None})
    assert is_parsed({"a": 1.5}, {"a": 1})
    assert not is_parsed()
    assert not is_parsed({"a": None})
    assert not is_parsed({"a": "1"}, {"a": 1})
    assert not is_parsed({"a": 1, "b": {}})
    assert not is_parsed({"a": 1, **{str(name): 1 for name in range(20)}}), (
        "would take memory for columns without values"
    )
