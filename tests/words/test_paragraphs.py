"""Paragraphs and tables that fit on a terminal."""

from __future__ import annotations

from hushcount.words.paragraphs import dashed, labelled, wrapped
from hushcount.words.tables import aligned


def test_wrapped() -> None:
    assert max(map(len, wrapped("word " * 99).splitlines())) <= 78
    assert wrapped("some-thing-" * 20).count("\n") == 0


def test_what_lines_begin_with() -> None:
    assert (
        labelled("Sums", "word " * 20) == f"Sums        {' '.join(['word'] * 13)}\n{' ' * 12}{' '.join(['word'] * 7)}"
    )
    assert dashed("one two three", width=9) == "- one two\n  three"


def test_columns_are_aligned() -> None:
    rows = [("cell", "n", "told"), ("a", "100", ""), ("longer", "7", "x")]
    assert aligned(rows, {1}) == ["cell      n  told", "a       100", "longer    7  x"]
    assert aligned(rows)[2] == "longer  7    x"
